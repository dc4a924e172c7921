from typing import Any

import numpy as np

class YieldLaw:
    is_single: bool
    mean: float
    std: float
    ends: tuple[float, float]
    bounds: np.ndarray
    atoms: tuple[np.ndarray, np.ndarray]
    masses: np.ndarray
    position: np.ndarray
    weight: np.ndarray
    @staticmethod
    def beta_binomial(
        seen: float, unseen: float, a: float, b: float, single: bool = ...
    ) -> YieldLaw: ...
    @staticmethod
    def of_counts(first: float, masses: np.ndarray) -> YieldLaw: ...
    def singled(self) -> YieldLaw: ...
    def above_at(self, x: float) -> float: ...
    def above_between(self, x: Any) -> np.ndarray: ...
    def quantile(self, p: float) -> float: ...

class CentredLaws:
    def __init__(
        self, laws: list[YieldLaw], centres: np.ndarray, parts: np.ndarray, counts: np.ndarray
    ) -> None: ...
    def reach(self, cut: float, tilt: float, depth: float) -> float: ...
    def spread(self, step: float, cut: float, n: int) -> np.ndarray: ...

def likely_counts(unseen: float, a: float, b: float) -> float: ...
def law_of_lattices(
    lattices: list[tuple[float, float, np.ndarray]],
    least: float,
    most: float,
    cells: int,
    curves: int,
) -> tuple[YieldLaw | None, float]: ...
def below(
    measure: str,
    retrieved: YieldLaw,
    unretrieved: YieldLaw,
    x: float,
    strict: bool = ...,
    beta: float = ...,
    size: float = ...,
) -> float: ...
def quantile(
    measure: str,
    retrieved: YieldLaw,
    unretrieved: YieldLaw,
    p: float,
    beta: float = ...,
    size: float = ...,
    guess: float = ...,
    bracket: float = ...,
    tolerance: float = ...,
) -> float: ...
def recall_ends(
    retrieved: list[YieldLaw],
    unretrieved: list[YieldLaw],
    first: np.ndarray,
    second: np.ndarray,
    p: float,
    normal: float,
    tolerance: float = ...,
) -> np.ndarray: ...

class LawRow:
    def __init__(self, laws: list[YieldLaw]) -> None: ...
    def above(self, counts: np.ndarray) -> np.ndarray: ...
