import numpy as np
from numpy.typing import NDArray

def codes_of_texts(rows: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], list[int]] | None: ...
def codes_of_objects(
    objects: NDArray[np.object_],
) -> tuple[NDArray[np.uint8], list[int]] | None: ...
