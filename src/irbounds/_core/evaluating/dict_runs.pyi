from typing import Any

import numpy as np

from irbounds._core.evaluating.measures import MeasureKernel
from irbounds._core.reading.text_tables import TextTables

class DictRuns:
    def __init__(
        self,
        kernel: MeasureKernel,
        numbers: TextTables,
        grades: TextTables,
        judged_only: bool,
        levels: tuple[np.ndarray, np.ndarray, np.ndarray],
        names: list[tuple[str, int, bool]],
        least: float,
    ) -> None: ...
    def evaluate(self, run: dict[Any, Any]) -> dict[Any, dict[str, float]]: ...
