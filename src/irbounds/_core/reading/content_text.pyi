from collections.abc import Callable

from irbounds._core.documents.doc_index import DocTable

def write_content(table: DocTable, take: Callable[[bytes | memoryview], object]) -> bool: ...
