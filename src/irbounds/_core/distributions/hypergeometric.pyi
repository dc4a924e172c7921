import numpy as np

def values(
    function: str,
    as_log: bool,
    x: np.ndarray,
    population: np.ndarray,
    relevant: np.ndarray,
    drawn: np.ndarray,
) -> np.ndarray: ...
def curve(relevance: np.ndarray, population: float, relevant: float) -> np.ndarray: ...
