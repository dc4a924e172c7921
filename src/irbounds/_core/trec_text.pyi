from typing import Any

from irbounds._core.doc_rows import RowReader

class TrecReader(RowReader):
    def __init__(self, file: Any, is_run: bool) -> None: ...
    @property
    def line(self) -> int: ...
    @property
    def has_rows(self) -> bool: ...
