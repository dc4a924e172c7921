from typing import Any

import numpy as np

def fill(
    a: np.ndarray, b: np.ndarray, each: int, generator: Any, most_instructions: int = 2
) -> np.ndarray: ...
