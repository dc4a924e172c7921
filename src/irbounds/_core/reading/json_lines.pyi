from collections.abc import Callable
from typing import Any

from irbounds._core.reading.trec_text import TextReader

class JsonLinesReader(TextReader):
    def __init__(
        self,
        file: Any,
        value_name: str,
        parse: Callable[[bytes, list[str]], tuple[bytes, bytes, float, list[str]]],
    ) -> None: ...
