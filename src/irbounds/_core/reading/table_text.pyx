"""Reads tables of text, such as CSV, one query after the other."""
from irbounds._core.documents.doc_rows cimport DocRows
from irbounds._core.reading.trec_text cimport TREC_AFTER_QUOTE, TREC_NO_ID, TREC_UNCLOSED

from irbounds._core.documents.doc_rows import BadRow, shown


cdef class TableReader(TextReader):
    """The rows of a binary file behind the line of names.

    places: the columns of query id, document id and value; first_line: the lines before; is_ranked:
    values are ranks, of rows without quotes.
    """

    def __init__(self, file, str value_name, str delimiter, places, int64_t n_columns, *,
                 int64_t first_line=0, bint is_ranked=False):
        cdef int i
        self.layout.delimiter = ord(delimiter)
        self.layout.has_quotes, self.layout.has_ranks = not is_ranked, is_ranked
        self.layout.n_columns = n_columns
        for i in range(3):
            self.layout.place[i] = places[i]
        self.scratch = bytearray()
        super().__init__(file, value_name)
        self.cursor.line = first_line

    cdef trec_status read(self, trec_rows *rows, const char *query, int64_t size) noexcept nogil:
        return table_read(&self.cursor, rows, &self.layout, self.scratch_at, query, size)

    cdef int fill(self) except -1:
        TextReader.fill(self)
        if len(self.scratch) < len(self.buffer):
            self.scratch = bytearray(len(self.buffer))
            self.scratch_at = self.scratch
        return 0

    cdef int number(self, DocRows rows) except -1:
        cdef bytes token = self.cursor.token[:self.cursor.token_size]
        if self.layout.has_ranks:
            raise BadRow("expected 3 columns (query_id doc_id rank), the rank a whole number; "
                         f"found {shown(token.decode('utf-8', 'backslashreplace'))}",
                         rows.c.line[rows.c.n_rows - 1])
        return TextReader.number(self, rows)

    cdef object refusal(self, trec_status status):
        if status == TREC_UNCLOSED:
            problem = "the table cannot be read: a quote is opened and not closed"
        elif status == TREC_AFTER_QUOTE:
            problem = "the table cannot be read: text follows the quote that ends a field"
        elif status == TREC_NO_ID:
            problem = f"the {'document' if self.cursor.found else 'query'} id is missing"
        elif self.layout.has_ranks:
            problem = f"expected 3 columns (query_id doc_id rank), found {self.cursor.found}"
        else:
            problem = (f"expected {self.layout.n_columns} columns, as the first line has; "
                       f"found {self.cursor.found}")
        return BadRow(problem, self.cursor.line)
