import numpy as np

def bootstrap_sums(
    values: np.ndarray, resamples: int, generator: np.random.BitGenerator
) -> np.ndarray: ...
def add_ranks(
    weights: np.ndarray,
    values: np.ndarray,
    best: np.ndarray,
    above: np.ndarray,
    ranks: np.ndarray,
) -> None: ...
