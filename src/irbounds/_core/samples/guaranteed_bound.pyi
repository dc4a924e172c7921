from collections.abc import Sequence

import numpy as np

class BoundSearch:
    def __init__(
        self,
        groups: Sequence[tuple[np.ndarray, np.ndarray]],
        alpha: float,
        chance: float,
        z: float,
        tolerance: float,
        looser: Sequence[tuple[float, float]] = ...,
    ) -> None: ...
    def least(self, seen: np.ndarray, measures: np.ndarray, target: float = ...) -> np.ndarray: ...
    def likely_yields(self, group: int, seen: np.ndarray) -> np.ndarray: ...
    @property
    def evaluations(self) -> int: ...

class WeightedSearch:
    def __init__(
        self,
        groups: Sequence[tuple[np.ndarray, np.ndarray]],
        falling: Sequence[int],
        alpha: float,
        chance: float,
    ) -> None: ...
    def least(self, seen: np.ndarray, measures: np.ndarray, target: float = ...) -> np.ndarray: ...
    @property
    def evaluations(self) -> int: ...

def exponential(
    size: np.ndarray,
    sampled: np.ndarray,
    group: np.ndarray,
    alpha: float,
    seen: np.ndarray,
    measures: np.ndarray,
) -> np.ndarray: ...
