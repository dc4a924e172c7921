import numpy as np

def values(
    value: str,
    recall: np.ndarray,
    prevalence: np.ndarray,
    beta: np.ndarray,
    most_instructions: int = 2,
) -> np.ndarray: ...
def through(
    recall: np.ndarray,
    precision: np.ndarray,
    prevalence: np.ndarray,
    most_instructions: int = 2,
) -> np.ndarray: ...
