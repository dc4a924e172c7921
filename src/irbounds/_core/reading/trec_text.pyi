from typing import Any

from irbounds._core.documents.doc_rows import RowReader

class TextReader(RowReader):
    @property
    def line(self) -> int: ...
    @property
    def has_rows(self) -> bool: ...

class TrecReader(TextReader):
    def __init__(self, file: Any, is_run: bool) -> None: ...
