from collections.abc import Sequence
from typing import Any

from irbounds._core.reading.trec_text import TextReader

class TableReader(TextReader):
    def __init__(
        self,
        file: Any,
        value_name: str,
        delimiter: str,
        places: Sequence[int],
        n_columns: int,
        *,
        first_line: int = 0,
        is_ranked: bool = False,
    ) -> None: ...
