from collections.abc import Callable

import numpy as np

from irbounds._core.documents.doc_index import DocIndex, DocTable
from irbounds._core.documents.doc_rows import DocRows, RowReader
from irbounds._core.evaluating.equal_scores import EqualScores
from irbounds._core.evaluating.measures import MeasureKernel

class UngroupedRun(Exception): ...

class View:
    def __init__(
        self,
        kernel: MeasureKernel,
        positions: list[int],
        judged_only: bool,
        gain_of: dict[float, float],
        levels: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None,
        function: Callable[..., tuple[list[float], list[float], list[float]]] | None = None,
    ) -> None: ...

class RankingJob:
    unjudged_queries: list[str]
    spelt: list[tuple[int, list[str]]]
    failed_query: int
    n_docs: int
    n_judged: int
    n_negative: int
    n_rankings: int
    n_tied: int
    n_queries: int
    n_selves: int
    def __init__(
        self,
        views: list[View],
        values: np.ndarray,
        low: np.ndarray,
        high: np.ndarray,
        collection_size: float,
        equal_scores: EqualScores,
    ) -> None: ...
    def bound_labels(
        self, low: np.ndarray, high: np.ndarray, hidden: np.ndarray, max_grades: list[float]
    ) -> None: ...
    def run_table(self, index: DocIndex, run: DocTable) -> np.ndarray: ...
    def run_dict(self, index: DocIndex, run: dict[object, object]) -> np.ndarray: ...
    def run_reader(self, index: DocIndex, reader: RowReader) -> np.ndarray: ...
    def run_nothing(self, index: DocIndex, numbers: list[int]) -> None: ...
    def run_groups(
        self,
        score: np.ndarray,
        grade: np.ndarray,
        start: np.ndarray,
        unretrieved: np.ndarray,
        unretrieved_count: np.ndarray,
        unretrieved_start: np.ndarray,
        names: DocRows | None = None,
    ) -> int: ...
    def run_counted(
        self, score: np.ndarray, grade: np.ndarray, times: np.ndarray, start: np.ndarray
    ) -> None: ...
