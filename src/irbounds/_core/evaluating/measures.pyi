from collections.abc import Sequence

class MeasureKernel:
    def __init__(
        self,
        measures: Sequence[tuple[str, float, int, Sequence[float]]],
        ties: str,
        bounds: bool,
        mark_level: float,
        shown: Sequence[object] | None = None,
    ) -> None: ...
