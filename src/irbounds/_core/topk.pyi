import numpy as np

from irbounds._core.arrow_rows import ArrowBatch
from irbounds._core.doc_rows import RowReader

class TopRows(RowReader):
    def __init__(
        self,
        queries: list[bytes],
        batch: ArrowBatch,
        keep: np.ndarray,
        ascending: bool,
        by_rank: bool,
    ) -> None: ...
