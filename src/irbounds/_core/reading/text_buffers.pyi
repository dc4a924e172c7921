from collections.abc import Iterable
from typing import Any

import numpy as np

def text_buffers(
    values: Iterable[Any], keep: Any = None, padding: Any = None
) -> tuple[np.ndarray, bytes]: ...
def object_buffers(
    array: np.ndarray, keep: Any = None, padding: Any = None
) -> tuple[np.ndarray, bytes]: ...
def array_buffers(array: np.ndarray) -> tuple[np.ndarray, bytes]: ...
