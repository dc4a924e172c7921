import numpy as np

def flipped_sums(
    columns: np.ndarray,
    resamples: int,
    batch: int,
    generator: np.random.BitGenerator,
    is_dense: bool = False,
) -> tuple[np.ndarray, np.ndarray]: ...
def subset_tails(columns: np.ndarray, tolerance: np.ndarray) -> np.ndarray: ...
def shuffled(
    values: np.ndarray, baseline: int, resamples: int, generator: np.random.BitGenerator
) -> np.ndarray: ...
