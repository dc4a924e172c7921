from typing import Any

import numpy as np

def fill(
    trials: float, share: np.ndarray, generator: Any, most_instructions: int = ...
) -> np.ndarray: ...
