from collections.abc import Iterator

import numpy as np

def bootstrap_shares(
    n: int, resamples: int, batch: int, generator: np.random.BitGenerator
) -> Iterator[np.ndarray]: ...
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
def pair_squares(
    values: np.ndarray, weights: np.ndarray, squares: np.ndarray, least: float
) -> np.ndarray: ...
