import numpy as np

from irbounds._core.evaluating.measures import MeasureKernel

def has_bounds(name: str) -> bool: ...

class UnjudgedKernel:
    def __init__(
        self, kernel: MeasureKernel, max_grade: float, n_bounded: int | None = None
    ) -> None: ...
    def bounds_of(
        self,
        score: np.ndarray,
        grade: np.ndarray,
        level: np.ndarray,
        count: np.ndarray,
        hidden: int = 0,
    ) -> tuple[np.ndarray, np.ndarray]: ...
    def precision_totals(
        self,
        score: np.ndarray,
        grade: np.ndarray,
        level: np.ndarray,
        count: np.ndarray,
        greatest: bool,
    ) -> np.ndarray: ...
