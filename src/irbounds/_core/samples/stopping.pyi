import numpy as np

def urns_at(
    population: float,
    read: float,
    found: float,
    total: float,
    start: np.ndarray,
    start_found: np.ndarray,
) -> np.ndarray: ...

class Urns:
    def __init__(self, population: float = 0, total: float = 1) -> None: ...
    def follow(
        self, labels: np.ndarray, totals: np.ndarray
    ) -> tuple[Urns, np.ndarray, np.ndarray]: ...

class Bets:
    def __init__(self, population: float = 0, alpha: float = 1) -> None: ...
    def follow(self, labels: np.ndarray) -> tuple[Bets, np.ndarray]: ...
