from typing import Any

class TiesKernel:
    def __init__(
        self, measures: list[dict[str, Any]], ties: str, bounds: bool, mark_level: float
    ) -> None: ...
