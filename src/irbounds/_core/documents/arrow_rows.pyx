"""Rows of data frames, read from Arrow's buffers or NumPy's arrays without an object for each
row.

The file is longer than 400 lines because one reader serves every type of Arrow's columns.
"""
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport intptr_t
from libc.string cimport memset

import numpy as np

from irbounds._core.documents.doc_rows cimport (
    DocRows, doc_hash, doc_index_fill, doc_index_find, doc_index_size, doc_table,
)
from irbounds._core.common.signals cimport heed_signals

from irbounds._core.documents.doc_rows import BadRow

cdef enum:
    PIECE = 1 << 16  # rows between looks for signals
    QUERY = 0
    DOC = 1
    VALUE = 2


class UnreadableColumnError(ValueError):
    """A column of a type that is not read here.  `column` is its place among the three, `type` its
    Arrow format."""

    def __init__(self, column, type):
        super().__init__(type)
        self.column = column
        self.type = type


cdef class ArrowBatch:
    """Some rows of a frame: columns of query ids, document ids and values."""

    def __cinit__(self):
        memset(&self.array, 0, sizeof(ArrowArray))

    def __dealloc__(self):
        if self.array.release != NULL:
            self.array.release(&self.array)

    def __len__(self):
        return self.n_rows

    @staticmethod
    def from_buffers(columns):
        """From three pairs (kind, array) of one length.  Kinds are "i", "u", "f" and "b" for
        NumPy's numbers, contiguous and in this machine's order of bytes, and "T" for text: (int64
        offsets, bytes)."""
        cdef ArrowBatch batch = ArrowBatch()
        cdef arrow_column *column
        cdef const uint8_t[::1] raw
        cdef const int64_t[::1] ends
        cdef int i
        batch.owner = columns
        for i in range(3):
            kind, values = columns[i]
            column = &batch.column[i]
            memset(column, 0, sizeof(arrow_column))
            column.text = b""
            if kind == "T":
                ends, raw = values[0], np.frombuffer(values[1], np.uint8)
                column.kind, column.width, column.n_rows = ARROW_TEXT64, 8, ends.shape[0] - 1
                column.values = <const char *> &ends[0]
                if raw.shape[0] > 0:
                    column.text = <const char *> &raw[0]
            else:
                column.kind = {"i": ARROW_SIGNED, "u": ARROW_UNSIGNED, "f": ARROW_FLOAT,
                               "b": ARROW_UNSIGNED}[kind]
                column.width, column.n_rows = values.dtype.itemsize, values.shape[0]
                if column.n_rows > 0:
                    raw = values.view(np.uint8)
                    column.values = <const char *> &raw[0]
        batch.n_rows = batch.column[0].n_rows
        return batch

    cdef int check(self, names, int64_t first_row) except -1:
        """Raise where a column cannot be read or a row has no value."""
        cdef int64_t row
        cdef int i
        for i in range(3):
            if not (arrow_has_numbers(&self.column[i]) if i == VALUE
                    else arrow_has_ids(&self.column[i])):
                raise UnreadableColumnError(i, "")
            with nogil:
                row = arrow_first_missing(&self.column[i])
            if row == ARROW_FAULTY:
                raise BadRow(f"column {names[i]!r} is damaged: a place lies outside of its buffers")
            if row >= 0:
                raise BadRow(f"column {names[i]!r} has no value in row {first_row + row}")
            if i == VALUE:
                continue
            with nogil:
                row = arrow_first_broken(&self.column[i])
            if row >= 0:
                number = arrow_number(&self.column[i], row)
                rule = ("" if number != number // 1 else
                        " that are floats up to 2^53, of 32 bits up to 2^24, as larger ones are "
                        "rounded")
                raise BadRow(f"ids must be text or whole numbers{rule}, found {number!r} (column "
                             f"{names[i]!r}, row {first_row + row})")
        return 0


cdef class _Stream:
    """An Arrow stream, which gives batches until it ends."""
    cdef object capsule
    cdef ArrowArrayStream *stream
    cdef ArrowSchema schema

    def __cinit__(self):
        memset(&self.schema, 0, sizeof(ArrowSchema))

    def __init__(self, capsule):
        self.capsule = capsule
        self.stream = <ArrowArrayStream *> PyCapsule_GetPointer(capsule, "arrow_array_stream")
        if self.stream.release == NULL:
            raise BadRow("the Arrow stream was read already")
        self.check(self.stream.get_schema(self.stream, &self.schema))

    def __dealloc__(self):
        if self.schema.release != NULL:
            self.schema.release(&self.schema)

    cdef int check(self, int status) except -1:
        cdef const char *error
        if status != 0:
            error = self.stream.get_last_error(self.stream)
            text = f"error {status}" if error == NULL else error.decode("utf-8", "replace")
            raise BadRow(f"the Arrow stream failed: {' '.join(text.split())}")
        return 0

    def batches(self, places):
        """Batches of the columns at these three places."""
        cdef ArrowBatch batch
        while True:
            batch = ArrowBatch()
            self.check(self.stream.get_next(self.stream, &batch.array))
            if batch.array.release == NULL:
                return
            heed_signals()
            open_columns(batch, &self.schema, places)
            if batch.n_rows > 0:
                yield batch


cdef bint has_nulls(const uint8_t *valid, int64_t first, int64_t n) noexcept nogil:
    cdef int64_t i
    if valid == NULL:
        return False
    for i in range(first, first + n):
        if not valid[i >> 3] >> (i & 7) & 1:
            return True
    return False


cdef int open_columns(ArrowBatch batch, const ArrowSchema *schema, places) except -1:
    cdef ArrowArray *array = &batch.array
    cdef int64_t place
    cdef int i
    if array.length < 0 or array.n_children != schema.n_children:
        raise BadRow("the data frame is damaged: its batches do not fit its columns")
    if array.null_count != 0 and array.n_buffers > 0 and has_nulls(
            <const uint8_t *> array.buffers[0], array.offset, array.length):
        raise BadRow("the data frame has rows that are null as a whole")
    for i in range(3):
        place = places[i]
        arrow_open(&batch.column[i], &batch.dictionary[i], schema.children[place],
                   array.children[place],
                   array.offset, array.length)
        if not (arrow_has_numbers(&batch.column[i]) if i == VALUE
                else arrow_has_ids(&batch.column[i])):
            raise UnreadableColumnError(i, schema.children[place].format.decode())
    batch.n_rows = array.length
    return 0


cdef schema_names(const ArrowSchema *schema):
    cdef int64_t i
    if schema.release == NULL:
        raise BadRow("the Arrow array was read already")
    if schema.format[0] != b"+" or schema.format[1] != b"s":
        return None
    return ["" if schema.children[i].name == NULL
            else schema.children[i].name.decode("utf-8", "replace")
            for i in range(schema.n_children)]


def stream_names(stream):
    """The names of a stream's columns; None where its rows are not those of a table."""
    cdef _Stream opened = stream
    return schema_names(&opened.schema)


def open_stream(capsule):
    """A stream, of which `stream_names` tells the columns and `.batches(places)` gives the rows."""
    return _Stream(capsule)


def open_array(schema_capsule, array_capsule, places):
    """The one batch of an object with `__arrow_c_array__`."""
    cdef ArrowSchema *schema = <ArrowSchema *> PyCapsule_GetPointer(schema_capsule, "arrow_schema")
    cdef ArrowArray *array = <ArrowArray *> PyCapsule_GetPointer(array_capsule, "arrow_array")
    cdef ArrowBatch batch = ArrowBatch()
    if schema.release == NULL or array.release == NULL:
        raise BadRow("the Arrow array was read already")
    batch.array = array[0]
    array.release = NULL  # moved: the batch releases it
    open_columns(batch, schema, places)
    return batch


def array_names(schema_capsule):
    """The names of the columns; None where it is no table's schema."""
    cdef ArrowSchema *schema = <ArrowSchema *> PyCapsule_GetPointer(schema_capsule, "arrow_schema")
    return schema_names(schema)


cdef class _QueryNumbers:
    """Query ids, numbered as they come."""
    cdef DocRows names
    cdef uint64_t[::1] slots

    def __init__(self):
        self.names = DocRows()
        self.slots = np.zeros(doc_index_size(256), np.uint64)

    cdef int64_t number(self, const char *query, int64_t size) except -1 nogil:
        cdef int64_t found
        cdef doc_table table = self.names.table(0, self.names.c.n_rows)
        found = doc_index_find(&table, &self.slots[0], self.slots.shape[0], query, size,
                               doc_hash(query, size, self.names.c.secret))
        if found < 0:
            with gil:
                found = self.enter(query, size)
        return found

    cdef int64_t enter(self, const char *query, int64_t size) except -1:
        cdef int64_t n = self.names.c.n_rows
        cdef int64_t first = n
        cdef doc_table table
        self.names.append(query, size, 0.0, 0)
        if 2 * (n + 1) > self.slots.shape[0]:
            self.slots = np.zeros(doc_index_size(2 * (n + 1)), np.uint64)
            first = 0
        table = self.names.table(0, n + 1)
        doc_index_fill(&table, first, &self.slots[0], self.slots.shape[0])
        return n


cdef class ArrowRows(RowReader):
    """The rows of all batches, one query after the other, whatever their order: nothing is sorted
    or copied."""

    def __init__(self, batches, names, int64_t rows_before=0):
        """`rows_before`: rows of earlier parts of the table, for messages that name a row."""
        cdef ArrowBatch batch
        self.batches = list(batches)
        first_row = np.zeros(len(self.batches) + 1, np.int64)
        self.columns = np.zeros(len(self.batches), np.intp)
        for i, batch in enumerate(self.batches):
            batch.check(names, rows_before + first_row[i])
            first_row[i + 1] = first_row[i] + batch.n_rows
            self.columns[i] = <intptr_t> &batch.column[0]
        self.first_row = first_row
        numbers = self.find_stretches()
        self.group(numbers)
        self.position = 0

    @property
    def n_rows(self):
        return self.first_row[len(self.batches)]

    def query_counts(self):
        """The ids of the queries as bytes, as they first came, and the number of rows of each."""
        rows = np.append(0, np.cumsum(np.asarray(self.stretch_end) - np.asarray(self.stretch)))
        return self.queries, np.diff(rows[np.asarray(self.query_start)])

    def rewind(self):
        """Read from the first query again."""
        self.position = 0

    cdef find_stretches(self):
        """Fill `stretch` with first rows of equal query ids; the query number of each is
        returned."""
        cdef _QueryNumbers known = _QueryNumbers()
        cdef ArrowBatch batch
        cdef arrow_column *column
        cdef const char *query
        cdef char digits[ARROW_NUMBER_SIZE]
        cdef int64_t row, size, n = 0, first, number, stop, most = 1024
        cdef int64_t[::1] start, numbers
        # resized where they are: of shuffled rows each is a stretch
        starts, number_of = np.empty(most, np.int64), np.empty(most, np.int64)
        start, numbers = starts, number_of
        for i in range(len(self.batches)):
            batch = self.batches[i]
            column = &batch.column[QUERY]
            first, row = self.first_row[i], 0
            while row < batch.n_rows:
                if n + PIECE > most:
                    most += most // 4 + PIECE
                    start = numbers = None
                    starts.resize(most, refcheck=False)
                    number_of.resize(most, refcheck=False)
                    start, numbers = starts, number_of
                heed_signals()
                stop = n + PIECE
                with nogil:
                    while row < batch.n_rows and n < stop:
                        query = arrow_id(column, row, digits, &size)
                        number = known.number(query, size)
                        # else it goes on from the last batch
                        if n == 0 or row > 0 or numbers[n - 1] != number:
                            start[n], numbers[n] = first + row, number
                            n += 1
                        row = arrow_stretch_end(column, row)
        self.queries = [known.names.doc_id(row) for row in range(known.names.c.n_rows)]
        start = numbers = None
        starts.resize(n, refcheck=False)
        number_of.resize(n, refcheck=False)
        self.stretch = starts
        return number_of

    cdef group(self, const int64_t[::1] numbers):
        """Bring the stretches of each query together, in their order, and fill `stretch_end`."""
        cdef int64_t i, to, n = numbers.shape[0]
        cdef int64_t[::1] place, start, end
        count = np.bincount(numbers, minlength=len(self.queries))
        self.query_start = np.append(0, np.cumsum(count)).astype(np.int64)
        if n == len(self.queries):
            self.stretch_end = np.append(self.stretch, self.n_rows)[1:]
            return
        place, start, end = np.array(self.query_start), np.empty(n, np.int64), np.empty(n, np.int64)
        for i in range(n):
            if i % PIECE == 0:
                heed_signals()
            to = place[numbers[i]]
            place[numbers[i]] += 1
            start[to] = self.stretch[i]
            end[to] = self.stretch[i + 1] if i + 1 < n else self.n_rows
        self.stretch, self.stretch_end = start, end

    cdef bytes read_query(self, DocRows rows):
        cdef int64_t n, n_rows, n_bytes, i, q = self.position
        if q == len(self.queries):
            return None
        i = self.query_start[q]
        while i < self.query_start[q + 1]:
            with nogil:
                n = self.measure(i, self.query_start[q + 1], &n_rows, &n_bytes)
            rows.reserve(rows.c.n_rows + n_rows, rows.ends[rows.c.n_rows] + n_bytes)
            with nogil:
                self.append(rows, i, n)
            heed_signals()
            i = n
        self.position = q + 1
        return self.queries[q]

    cdef int64_t measure(self, int64_t first, int64_t last, int64_t *n_rows,
                         int64_t *n_bytes) noexcept nogil:
        """Rows and bytes of ids of some of the stretches first .. last, some PIECE rows or a
        stretch at least; the stretch behind them."""
        cdef int64_t i = first, row, end, batch = 0
        n_rows[0] = n_bytes[0] = 0
        while i < last and n_rows[0] < PIECE:
            row = self.stretch[i]
            n_rows[0] += self.stretch_end[i] - row
            while row < self.stretch_end[i]:
                batch = self.batch_of(row, batch)
                end = min(self.stretch_end[i], self.first_row[batch + 1])
                n_bytes[0] += arrow_id_bytes(self.column(batch, DOC), row - self.first_row[batch],
                                             end - self.first_row[batch])
                row = end
            i += 1
        return i

    cdef void append(self, DocRows rows, int64_t first, int64_t last) noexcept nogil:
        """Append the rows of these stretches, for which memory is allocated."""
        cdef int64_t i, row, end, batch = 0
        for i in range(first, last):
            row = self.stretch[i]
            while row < self.stretch_end[i]:
                batch = self.batch_of(row, batch)
                end = min(self.stretch_end[i], self.first_row[batch + 1])
                arrow_append(self.column(batch, DOC), self.column(batch, VALUE),
                             row - self.first_row[batch],
                             end - self.first_row[batch], &rows.c)
                row = end

    cdef const arrow_column *column(self, int64_t batch, int which) noexcept nogil:
        return (<const arrow_column *> <void *> self.columns[batch]) + which

    cdef int64_t batch_of(self, int64_t row, int64_t guess) noexcept nogil:
        """The batch that holds the row."""
        cdef int64_t low = 0, high, middle
        if self.first_row[guess] <= row < self.first_row[guess + 1]:
            return guess
        high = self.first_row.shape[0] - 1
        while high - low > 1:
            middle = (low + high) // 2
            if self.first_row[middle] <= row:
                low = middle
            else:
                high = middle
        return low


cdef class ArrowParts(RowReader):
    """The rows of a table that comes in parts, such as the row groups of a file.  One part is in
    memory at a time; the last query of a part may go on in the next one."""

    def __init__(self, parts):
        self.parts = iter(parts)
        self.advance()

    cdef int advance(self) except -1:
        self.part = None
        for part in self.parts:
            if part.n_rows:
                self.part = part
                self.has_rows = True
                return 0
        return 0

    cdef bytes read_query(self, DocRows rows):
        cdef bytes query
        if self.part is None:
            return None
        query = self.part.read_query(rows)
        while self.part is not None and self.part.position == len(self.part.queries):
            self.advance()
            if self.part is not None and self.part.queries[0] == query:
                self.part.read_query(rows)
        return query
