"""Reads runs and qrels from binary files of text, one query after the other."""
from libc.stdlib cimport calloc, free
from libc.string cimport memchr, memmove, memset

from irbounds._core.documents.doc_rows cimport (
    TREC_PADDING, DocRows, doc_index_fill, doc_index_size, doc_table, trec_rows, uint64_t,
)
from irbounds._core.common.signals cimport heed_signals

from irbounds._core.documents.doc_rows import BadRow, shown

cdef int64_t FIRST_CHUNK = 1 << 18
cdef int64_t LONGEST_LINE = 1 << 20
cdef int64_t CHECKED = 1 << 15  # rows between looks for signals; the first touch new memory
cdef int64_t MANY_ROWS = 1 << 23  # of one query, before which repetitions are not looked for

COLUMNS = {
    TREC_RUN: "6 columns (query_id Q0 doc_id rank score tag)",
    TREC_QRELS: "4 columns (query_id 0 doc_id relevance)",
}


cdef class TextReader(RowReader):
    """The rows of a binary file (anything with readinto1) of text; a subclass reads its lines."""

    def __init__(self, file, str value_name):
        self.file = file
        self.value_name = value_name
        self.capacity = FIRST_CHUNK
        self.buffer = bytearray(FIRST_CHUNK + TREC_PADDING)
        self.query = None
        self.has_rows = False
        self.cursor.text = self.buffer
        self.cursor.size = self.cursor.position = self.cursor.line = 0
        self.cursor.is_last = False
        self.cursor.nul = NULL
        while self.cursor.size < 3 and not self.cursor.is_last:
            self.fill()
        if self.buffer.startswith(b"\xef\xbb\xbf"):  # a byte order mark
            self.cursor.position = 3
        elif self.buffer.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise BadRow("this is UTF-16 text: save the file as UTF-8", 1)

    @property
    def line(self):
        """Number of the last line read."""
        return self.cursor.line

    cdef trec_status read(self, trec_rows *rows, const char *query, int64_t size) noexcept nogil:
        """Read rows as `trec_read` does."""
        return TREC_END

    cdef object refusal(self, trec_status status):
        """The error of a status that is none of TREC's."""
        raise NotImplementedError

    cdef bytes read_other(self, DocRows rows, bytes query):
        """The query of the next line, which is not plain; appended where it is `query`."""
        raise NotImplementedError

    cdef int fill(self) except -1:
        """Move what is not yet read to the front and read more behind it."""
        cdef trec_cursor *cursor = &self.cursor
        cdef int64_t left = cursor.size - cursor.position
        if left == self.capacity:
            if left >= LONGEST_LINE:
                raise BadRow(f"the line is longer than {LONGEST_LINE} bytes", cursor.line + 1)
            self.capacity *= 2
            self.buffer.extend(bytes(self.capacity + TREC_PADDING - len(self.buffer)))
        cdef char *text = self.buffer
        memmove(text, text + cursor.position, left)
        cdef int64_t read = 0
        heed_signals()
        with memoryview(self.buffer) as view, view[left:self.capacity] as unused:
            # one system call, so that signals are seen before the next
            read = self.file.readinto1(unused)
        memset(text + left + read, b"\n", TREC_PADDING)
        cursor.text = text
        cursor.size = left + read
        cursor.position = 0
        cursor.is_last = read == 0
        cursor.nul = <const char *> memchr(text, 0, cursor.size)
        return 0

    cdef int number(self, DocRows rows) except -1:
        """The last row's value where the fast conversion gave up: a long number, inf, or none at
        all."""
        cdef bytes token = self.cursor.token[:self.cursor.token_size]
        cdef int64_t last = rows.c.n_rows - 1
        try:
            if b"_" in token:
                raise ValueError
            rows.c.value[last] = float(token)
        except ValueError:
            text = token.decode("utf-8", "backslashreplace")
            raise BadRow(f"expected a number as {self.value_name}, found {shown(text)}",
                         rows.c.line[last]) from None
        return 0

    cdef bytes read_query(self, DocRows rows):
        """Append the next rows that share a query; that query, or None at the end of the file."""
        cdef trec_status status
        cdef bytes query = self.query
        cdef const char *name = <const char *> query if query is not None else NULL
        cdef int64_t name_size = len(query) if query is not None else -1
        cdef int64_t start = rows.c.n_rows
        while True:
            with nogil:
                status = self.read(&rows.c, name, name_size)
            if status == TREC_MORE:
                self.fill()
            elif status == TREC_QUERY or status == TREC_OTHER:
                if status == TREC_QUERY:
                    self.query = self.cursor.token[:self.cursor.token_size]
                else:
                    self.query = self.read_other(rows, query)
                    if self.query == query:
                        continue
                self.has_rows = True
                if query is not None:
                    return query
                query = self.query
                name, name_size = query, len(query)
            elif status == TREC_FULL:
                if rows.c.n_rows == rows.c.max_rows and rows.c.n_rows - start >= MANY_ROWS:
                    check_repetition(rows, start, query)
                rows.reserve(rows.c.n_rows + 1,
                             rows.c.max_ids + 1 if rows.c.n_rows < rows.c.max_rows else 0)
            elif status == TREC_NUMBER:
                self.number(rows)
            elif status == TREC_END:
                self.query = None
                return query
            elif status == TREC_NUL:
                raise BadRow("found a NUL byte: this is no text file", self.cursor.line)
            elif status == TREC_RETURN:
                raise BadRow("found a carriage return inside the line: "
                             "lines must end with LF or CRLF",
                             self.cursor.line)
            else:
                raise self.refusal(status)


cdef class TrecReader(TextReader):
    """TREC's runs or qrels."""

    def __init__(self, file, bint is_run):
        self.format = TREC_RUN if is_run else TREC_QRELS
        self.whole_values = True
        super().__init__(file, "score" if is_run else "relevance")

    cdef trec_status read(self, trec_rows *rows, const char *query, int64_t size) noexcept nogil:
        return trec_read(&self.cursor, rows, self.format, query, size)

    cdef object refusal(self, trec_status status):
        hint = ""
        if self.format == TREC_QRELS and self.cursor.found == 6:
            hint = "; this looks like a run: are qrels and run swapped?"
        elif self.format == TREC_RUN and self.cursor.found == 4:
            hint = "; this looks like qrels: are qrels and run swapped?"
        elif self.format == TREC_RUN and self.cursor.found > 6:
            hint = (" that do not fit: an id has no blanks, and a tag that has some begins with "
                    "no number")
        elif self.cursor.found in (1, 3):  # commas; or BEIR's table
            hint = ("; a table needs a first line that names its columns "
                    f"query_id, doc_id and {self.value_name}")
        return BadRow(f"expected {COLUMNS[self.format]}, found {self.cursor.found}{hint}",
                      self.cursor.line)


cdef int check_repetition(DocRows rows, int64_t start, bytes query) except -1:
    """Raise BadRow where the rows from start on have a document twice.

    A line that repeats for ever, as a few bytes of a compressed file can, is thus found before
    memory ends.
    """
    cdef doc_table table = rows.table(start, rows.c.n_rows)
    cdef int64_t n = table.n_rows, n_slots = doc_index_size(n), first = 0, row = -1
    cdef uint64_t *slots = <uint64_t *> calloc(n_slots, sizeof(uint64_t))
    if slots == NULL:
        raise MemoryError(f"not enough memory to compare {table.n_rows} documents of one query")
    try:
        while first < n and row < 0:
            heed_signals()
            table.n_rows = min(n, first + CHECKED)
            with nogil:
                row = doc_index_fill(&table, first, slots, n_slots)
            first += CHECKED
    finally:
        free(slots)
    if row >= 0:
        doc_id = rows.doc_id(start + row).decode("utf-8", "surrogateescape")
        name = query.decode("utf-8", "surrogateescape")
        raise BadRow(f"duplicate document {doc_id!r} for query {name!r}", rows.c.line[start + row])
    return 0
