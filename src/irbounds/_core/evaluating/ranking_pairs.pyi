"""Two rankings of each query compared: documents of one looked up in the other, then the kernel."""

import numpy as np

from irbounds._core.documents.doc_index import DocTable
from irbounds._core.evaluating.equal_scores import EqualScores

MEASURE: np.dtype

class PairJob:
    n_common: int
    def __init__(self, measures: np.ndarray, equal_scores: EqualScores, bounds: bool) -> None: ...
    def run(
        self, a: DocTable, b: DocTable, of_a: np.ndarray, of_b: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]: ...
