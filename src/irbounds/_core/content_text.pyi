from collections.abc import Callable

from irbounds._core.doc_index import DocTable

def write_content(table: DocTable, take: Callable[[bytes | memoryview], object]) -> bool: ...
