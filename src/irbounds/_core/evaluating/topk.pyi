import numpy as np

from irbounds._core.documents.arrow_rows import ArrowBatch
from irbounds._core.documents.doc_rows import RowReader

class TopRows(RowReader):
    def __init__(
        self,
        queries: list[bytes],
        batch: ArrowBatch,
        keep: np.ndarray,
        ascending: bool,
        by_rank: bool,
    ) -> None: ...
