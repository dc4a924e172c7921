import numpy as np

def transform(
    called: float,
    other: float,
    parameters: tuple[float, ...],
    calls: tuple[float, float, np.ndarray],
    points: tuple[np.ndarray, ...],
    spacing: float,
    begin: int,
    end: int,
    negligible: float,
    most_instructions: int = 2,
) -> tuple[np.ndarray, bool]: ...
def transform_at(
    called: float,
    other: float,
    parameters: tuple[float, ...],
    calls: tuple[float, float, np.ndarray],
    points: tuple[np.ndarray, ...],
    frequencies: np.ndarray,
) -> np.ndarray: ...
def likely_ends(unseen: float, a: float, b: float) -> tuple[float, float]: ...
def likely_shares(a: float, b: float, depth: float) -> tuple[float, float]: ...
def chebyshev_points(
    x: float,
    y: float,
    low: float,
    high: float,
    count: float,
    t: float,
    depth: float,
    more: int,
) -> tuple[np.ndarray, np.ndarray]: ...
