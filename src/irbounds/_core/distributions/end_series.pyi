import numpy as np

def end_waves(
    parameters: tuple[float, ...],
    called: np.ndarray,
    other: np.ndarray,
    weight: np.ndarray,
    ring: int,
    begin: int,
    end: int,
    known: np.ndarray,
    most_error: float,
    negligible: float,
    most_instructions: int = 2,
) -> np.ndarray | None: ...
