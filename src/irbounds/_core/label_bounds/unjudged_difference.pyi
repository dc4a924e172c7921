import numpy as np

from irbounds._core.documents.doc_index import DocIndex, DocTable
from irbounds._core.documents.doc_rows import DocRows

DISCOUNT: np.ndarray

def gain_differences(
    rising: np.ndarray,
    start: np.ndarray,
    judged: np.ndarray,
    hidden_documents: np.ndarray,
    step: np.ndarray,
    n_judged: np.ndarray,
    cutoff: int,
) -> np.ndarray: ...
def rprec_difference(
    before: np.ndarray,
    size: np.ndarray,
    n_open: int,
    n_relevant: int,
    hidden: int,
    greatest: bool,
) -> float: ...
def pool_documents(
    index: DocIndex, number: int, tables: list[DocTable], queries: list[int]
) -> tuple[DocRows, np.ndarray, list[np.ndarray]]: ...
