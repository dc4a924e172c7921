import numpy as np

def tails(
    x: np.ndarray, a: np.ndarray, n_ones: int, at: np.ndarray
) -> tuple[np.ndarray, np.ndarray]: ...
def quantiles(
    x: np.ndarray, a: np.ndarray, n_ones: int, below: np.ndarray, above: np.ndarray
) -> np.ndarray: ...
