import numpy as np

class YieldLaw:
    left: np.ndarray
    above: np.ndarray
    slope: np.ndarray
    position: np.ndarray
    weight: np.ndarray
    is_single: bool
    n_cells: int
    mean: float
    std: float
    def __init__(self, left: np.ndarray, above: np.ndarray, slope: np.ndarray, position: np.ndarray,
                 weight: np.ndarray, n_cells: int | None = ..., n_atoms: int | None = ...,
                 n_single: int = ...) -> None: ...
    @staticmethod
    def beta_binomial(seen: float, unseen: float, a: float, b: float, widest: float) -> YieldLaw: ...
    def above_at(self, x: float) -> float: ...
    def quantile(self, p: float) -> float: ...

def count_cells(unseen: float, a: float, b: float, widest: float) -> int: ...
def below(measure: str, retrieved: YieldLaw, unretrieved: YieldLaw, x: float, strict: bool = ..., beta: float = ...,
          size: float = ...) -> float: ...
def quantile(measure: str, retrieved: YieldLaw, unretrieved: YieldLaw, p: float, beta: float = ..., size: float = ...,
             guess: float = ..., room: float = ..., tolerance: float = ...) -> float: ...
def recall_ends(retrieved: list[YieldLaw], unretrieved: list[YieldLaw], first: np.ndarray, second: np.ndarray, p: float,
                normal: float, tolerance: float = ...) -> np.ndarray: ...
