"""The rows of ranx' own objects, which are dicts of numba: ranx has installed it."""

from typing import Any

import numba
import numpy as np


@numba.njit(cache=True)
def rows_of(queries: Any) -> Any:
    """Numbers of documents by query, and the hash of the id and the value of each row."""
    n_rows = 0
    for documents in queries.values():
        n_rows += len(documents)
    sizes = np.empty(len(queries), np.int64)
    hashes, values = np.empty(n_rows, np.int64), np.empty(n_rows, np.float64)
    row = 0
    for query, documents in enumerate(queries.values()):
        sizes[query] = len(documents)
        for name, value in documents.items():
            hashes[row], values[row] = hash(name), value
            row += 1
    return sizes, hashes, values
