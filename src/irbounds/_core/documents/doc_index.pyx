"""Tables of documents grouped by query, and the index that finds a document's row in one.

The file is longer than 400 lines because each way to make a table is one of its methods.
"""
from collections.abc import Mapping
from itertools import chain

from libc.math cimport INFINITY, fabs, floor
from libc.string cimport memcmp, memcpy, memset

import numpy as np

from irbounds._core.documents.doc_rows cimport (
    DocRows, RowReader, doc_index_fill, doc_index_size, doc_table, trec_rows,
)
from irbounds._core.common.levels cimport levels_count
from irbounds._core.common.signals cimport heed_signals

from irbounds._core.documents.doc_rows import BadNumber, BadRow, id_as_bytes


cdef enum:
    PIECE = 1 << 18  # rows between looks for signals
    CLEARED = 1 << 21  # slots
    GATHERED = 1 << 16  # the same, of rows whose places are far from each other

cdef int64_t MOST_ROWS = (<int64_t> 1 << 32) - 2  # that slots can number


def as_text(query):
    return query.decode("utf-8", "surrogateescape")


cdef class Stretches:
    """Stretches of rows that share a query, as they come: of shuffled rows each is one."""

    def __init__(self):
        self.numbers, self.n = {}, 0
        self.grow(256)

    cdef int grow(self, int64_t most) except -1:
        number, start = np.empty(most, np.int64), np.empty(most, np.int64)
        if self.n:
            number[:self.n], start[:self.n] = self.number, self.start
        self.number, self.start = number, start
        return 0

    cdef int add(self, bytes query, int64_t begin) except -1:
        """The stretch of this query that begins with row `begin`."""
        if self.n == self.number.shape[0]:
            self.grow(2 * self.n)
        self.number[self.n] = self.numbers.setdefault(query, len(self.numbers))
        self.start[self.n] = begin
        self.n += 1
        return heed_signals() if self.n & 0xFFFF == 0 else 0


cdef class DocTable:
    """Rows grouped by query; query_ids in the order in which they first came."""

    def __init__(self, DocRows rows, Stretches stretches):
        if len(stretches.numbers) < stretches.n:
            rows, start = gather(rows, stretches)
        else:
            start = np.append(stretches.start[:stretches.n], len(rows))
        self.rows = rows
        self.query_number = stretches.numbers
        self.query_ids = []
        for query in stretches.numbers:
            self.query_ids.append(as_text(query))
            if len(self.query_ids) & 0xFFFF == 0:
                heed_signals()
        self.start = start

    @staticmethod
    def from_reader(RowReader reader):
        cdef DocRows rows = DocRows()
        cdef Stretches stretches = Stretches()
        cdef DocTable table
        while True:
            begin = len(rows)
            query = reader.read_query(rows)
            if query is None:
                table = DocTable(rows, stretches)
                table.whole_values = reader.whole_values
                return table
            stretches.add(query, begin)

    @staticmethod
    def from_dict(queries):
        """{query_id: {doc_id: value}}"""
        cdef DocRows rows = DocRows()
        cdef Stretches stretches = Stretches()
        for query, documents in query_items(queries):
            stretches.add(query, len(rows))
            append_query_dict(rows, query, documents)
        return DocTable(rows, stretches)

    @staticmethod
    def from_columns(query_ids, doc_ids, values, str value_name="value"):
        """Three sequences of one length; stretches of equal query ids form the queries."""
        cdef DocRows rows = DocRows()
        cdef Stretches stretches = Stretches()
        previous = object()
        try:
            rows.append_items(doc_ids, values)
        except BadNumber as error:
            raise in_column(error, value_name, query_ids[len(rows)]) from None
        for number, query in enumerate(query_ids):
            if query is not previous and (type(query) is not type(previous)
                                          or query != previous):
                stretches.add(id_as_bytes(query), number)
                previous = query
        return DocTable(rows, stretches)

    @staticmethod
    def from_groups(dict doc_ids, values):
        """{query_id: doc_ids}, and the values of all documents in turn."""
        cdef DocRows rows = DocRows()
        cdef Stretches stretches = Stretches()
        cdef int64_t begin = 0
        rows.append_items(chain.from_iterable(doc_ids.values()), values)
        for query, documents in doc_ids.items():
            stretches.add(id_as_bytes(query), begin)
            begin += len(documents)
        return DocTable(rows, stretches)

    @staticmethod
    def from_rows(table_rows, str value_name="value"):
        """Tuples (query_id, doc_id, value), taken one at a time and not kept."""
        cdef DocRows rows = DocRows()
        cdef Stretches stretches = Stretches()
        previous = object()
        for query, doc_id, value in table_rows:
            if query is not previous and (type(query) is not type(previous)
                                          or query != previous):
                stretches.add(id_as_bytes(query), rows.c.n_rows)
                previous = query
            try:
                rows.append_item(doc_id, value)
            except BadNumber as error:
                raise in_column(error, value_name, query) from None
        return DocTable(rows, stretches)

    def without_self(self):
        """The same without documents whose id is their query's; itself where there is none."""
        cdef DocRows rows = DocRows()
        cdef Stretches stretches = Stretches()
        cdef bytes query
        cdef const char *name
        cdef int64_t row, size
        cdef Py_ssize_t q
        cdef DocTable table
        for q, query in enumerate(self.query_number):
            stretches.add(query, rows.c.n_rows)
            name, size = query, len(query)
            for row in range(self.start[q], self.start[q + 1]):
                if (self.rows.ends[row + 1] - self.rows.ends[row] != size
                        or memcmp(self.rows.c.ids + self.rows.ends[row], name, size) != 0):
                    rows.append(self.rows.c.ids + self.rows.ends[row],
                                self.rows.ends[row + 1] - self.rows.ends[row],
                                self.rows.c.value[row], self.line(row))
        if rows.c.n_rows == self.n_rows:
            return self
        table = DocTable(rows, stretches)
        table.whole_values = self.whole_values
        return table

    def without_duplicates(self, bint best):
        """One row of each query's documents: that with the highest value, or the first one."""
        cdef DocRows rows = DocRows()
        cdef Stretches stretches = Stretches()
        cdef bytes query, name
        cdef int64_t row
        cdef Py_ssize_t q
        cdef dict kept
        cdef DocTable table
        for q, query in enumerate(self.query_number):
            stretches.add(query, rows.c.n_rows)
            kept = {}
            for row in range(self.start[q], self.start[q + 1]):
                name = self.rows.doc_id(row)
                first = kept.get(name)
                if first is None:
                    kept[name] = row
                elif best and self.rows.c.value[row] > self.rows.c.value[<int64_t> first]:
                    del kept[name]  # the place of a document is that of its row
                    kept[name] = row
            for name, row in kept.items():
                rows.append(name, len(name), self.rows.c.value[row], self.line(row))
            if q & 0xFFF == 0:
                heed_signals()
        table = DocTable(rows, stretches)
        table.whole_values = self.whole_values
        return table

    def negate(self):
        """Turn the sign of all values; itself."""
        cdef int64_t row
        for row in range(self.rows.c.n_rows):
            self.rows.c.value[row] = -self.rows.c.value[row]
        return self

    def __len__(self):
        return len(self.query_ids)

    @property
    def n_rows(self):
        return self.start[len(self.query_ids)]

    def documents(self, Py_ssize_t number):
        """{doc_id: value} of one query."""
        cdef int64_t start = self.start[number], stop = self.start[number + 1]
        return dict(zip(self.rows.doc_ids(start, stop), self.rows.values(start, stop), strict=True))

    def values(self):
        """All values, a copy."""
        cdef int64_t n = self.n_rows
        values = np.empty(n)
        cdef double[::1] to = values
        cdef int64_t row
        for row in range(n):
            to[row] = self.rows.c.value[row]
        return values

    def first_beyond(self, double most, bint whole=False):
        """The first row whose value is nan, above `most` in size, or no whole number where `whole`
        says so; -1 if there is none."""
        cdef const double *value = self.rows.c.value
        cdef int64_t row, n = self.n_rows
        for row in range(n):
            if not fabs(value[row]) <= most or (whole and value[row] != floor(value[row])):
                return row
        return -1

    def has_negative(self):
        """Whether a value is below 0."""
        cdef int64_t row, n = self.n_rows
        for row in range(n):
            if self.rows.c.value[row] < 0:
                return True
        return False

    def row_starts(self):
        """Query q is rows start[q]:start[q + 1]."""
        return np.asarray(self.start)

    cpdef int64_t line(self, int64_t row):
        """The line of a file that has the row; 0 where it is not known, or not any more."""
        return 0 if self.rows.c.line == NULL else self.rows.c.line[row]

    def query_of(self, int64_t row):
        return self.query_ids[np.searchsorted(np.asarray(self.start), row, side="right") - 1]

    def check_distinct(self):
        """Raise BadRow where a query has a document twice."""
        cdef uint64_t[::1] slots
        cdef Py_ssize_t q
        cdef int64_t heeded = 0  # the row at which signals were looked for
        longest = int(np.max(np.diff(self.start), initial=0))
        slots = np.empty(doc_index_size(2 * longest), np.uint64)
        for q in range(len(self.query_ids)):
            check_distinct(self.rows, self.start[q], self.start[q + 1], self.query_ids[q], slots)
            if self.start[q + 1] - heeded >= PIECE or q & 0xFFF == 0:
                heed_signals()
                heeded = self.start[q + 1]


def in_column(error, value_name, query):
    """The same error, with the column and the query of its row."""
    return BadRow(f"{error.problem} (column {value_name!r}, query {as_text(id_as_bytes(query))!r})")


def query_items(queries):
    """The items of {query_id: {doc_id: value}}, ids as bytes; keys that differ may be one id, as 1
    and "1" are."""
    names = set()
    for query, documents in queries.items():
        name = id_as_bytes(query)
        if name in names:
            raise BadRow(f"duplicate query {as_text(name)!r}")
        names.add(name)
        yield name, documents


cpdef append_query_dict(DocRows rows, bytes query, documents):
    if not isinstance(documents, Mapping):
        raise BadRow(f"query {as_text(query)!r}: expected a dict of documents, "
                     f"found {type(documents).__name__}")
    try:
        rows.append_dict(documents if type(documents) is dict else dict(documents))
    except BadRow as error:
        raise BadRow(f"query {as_text(query)!r}: {error.problem}") from None


cdef class DictReader(RowReader):
    """The queries of {query_id: {doc_id: value}}, also those without documents."""
    cdef object queries
    cdef readonly bint has_rows

    def __init__(self, dict queries):
        self.queries, self.has_rows = query_items(queries), bool(queries)

    cdef bytes read_query(self, DocRows rows):
        cdef bytes name
        for name, documents in self.queries:
            append_query_dict(rows, name, documents)
            return name
        return None


cdef gather(DocRows rows, Stretches stretches):
    """Bring together the rows of queries that came in several stretches: the rows, and where each
    query begins.  They are read in their order; each goes behind the last one of its query."""
    cdef DocRows together = DocRows()
    cdef int64_t n = stretches.n, n_queries = len(stretches.numbers), i, row = 0, left, stop, size
    cdef int64_t[::1] number = stretches.number, start = np.append(stretches.start[:n], len(rows))
    row_at, byte_at = np.zeros(n_queries + 1, np.int64), np.zeros(n_queries + 1, np.int64)
    cdef int64_t[::1] to_row = row_at[1:], to_byte = byte_at[1:]
    for i in range(n):
        to_row[number[i]] += start[i + 1] - start[i]
        to_byte[number[i]] += rows.ends[start[i + 1]] - rows.ends[start[i]]
        if i & 0xFFFF == 0:
            heed_signals()
    query_start = np.cumsum(row_at)
    to_row, to_byte = query_start.copy(), np.cumsum(byte_at)
    together.reserve(len(rows), rows.ends[len(rows)])
    i = 0
    while i < n:
        heed_signals()
        left = GATHERED
        with nogil:
            while i < n and left > 0:
                stop = min(start[i + 1], row + left)
                size = rows.ends[stop] - rows.ends[row]
                copy_rows(&rows.c, row, stop, &together.c, to_row[number[i]], to_byte[number[i]])
                to_row[number[i]] += stop - row
                to_byte[number[i]] += size
                left -= stop - row
                row = stop
                i += row == start[i + 1]
    together.c.n_rows = rows.c.n_rows
    return together, query_start


cdef void copy_rows(const trec_rows *rows, int64_t start, int64_t stop, trec_rows *to,
                    int64_t to_row, int64_t to_byte) noexcept nogil:
    """Rows start .. stop to a place, and their ids to another."""
    cdef int64_t n = stop - start, first = rows.id_end[start - 1], i
    memcpy(to.ids + to_byte, rows.ids + first, rows.id_end[stop - 1] - first)
    memcpy(to.value + to_row, rows.value + start, n * sizeof(double))
    memcpy(to.hash + to_row, rows.hash + start, n * sizeof(uint64_t))
    memcpy(to.line + to_row, rows.line + start, n * sizeof(int64_t))
    for i in range(n):
        to.id_end[to_row + i] = to_byte + rows.id_end[start + i] - first


cdef int check_distinct(DocRows rows, int64_t start, int64_t stop, object query,
                        uint64_t[::1] slots) except -1:
    """Raise BadRow where rows start .. stop have a document twice; `slots` has space for twice as
    many rows."""
    # sparse: collisions cost more than clearing
    cdef int64_t n_slots = doc_index_size(2 * (stop - start))
    cdef int64_t first = 0
    while first < n_slots:  # new memory takes a microsecond for 8 kB
        memset(&slots[first], 0, min(n_slots - first, CLEARED) * sizeof(uint64_t))
        first += CLEARED
        if first < n_slots:
            heed_signals()
    return enter_rows(rows, start, stop, query, &slots[0], n_slots)


cdef int enter_rows(DocRows rows, int64_t start, int64_t stop, object query, uint64_t *slots,
                    int64_t n_slots) except -1:
    """Enter rows start .. stop of a query into empty slots, a piece at a time."""
    cdef doc_table table = rows.table(start, stop)
    cdef int64_t n = stop - start, first = 0, row
    if n > MOST_ROWS:
        raise BadRow(f"query {query!r} has {n} documents; a query may have 2^32 - 2")
    while True:
        table.n_rows = min(n, first + PIECE)
        with nogil:
            row = doc_index_fill(&table, first, slots, n_slots)
        if row >= 0:
            raise duplicate(rows, start + row, query)
        first += PIECE
        if first >= n:
            return 0
        heed_signals()


cdef duplicate(DocRows rows, int64_t row, query):
    doc_id = rows.doc_id(row).decode("utf-8", "surrogateescape")
    return BadRow(f"duplicate document {doc_id!r} for query {query!r}", rows.c.line[row])


cdef class DocIndex:
    """Finds documents by query and id.  Refuses tables in which a query has a document twice."""

    def __init__(self, DocTable table):
        cdef Py_ssize_t q, n_queries = len(table)
        cdef int64_t heeded = 0  # the row at which signals were looked for
        slot_start = np.zeros(n_queries + 1, np.int64)
        self.slot_start = slot_start
        for q in range(n_queries):
            self.slot_start[q + 1] = self.slot_start[q] + doc_index_size(
                table.start[q + 1] - table.start[q])
        self.slots = np.zeros(max(1, slot_start[n_queries]), np.uint64)
        for q in range(n_queries):
            try:
                enter_rows(table.rows, table.start[q], table.start[q + 1], table.query_ids[q],
                           &self.slots[self.slot_start[q]],
                           self.slot_start[q + 1] - self.slot_start[q])
            except BadRow as error:
                if not error.line:
                    raise
                raise BadRow(f"{error.problem}; if column 2 holds subtopics, "
                             "give the rows of one subtopic",
                             error.line) from None
            if table.start[q + 1] - heeded >= PIECE or q & 0xFFF == 0:
                heed_signals()
                heeded = table.start[q + 1]
        table.rows.forget_lines()
        self.table = table
        self.has_unjudged = table.has_negative()
        self.query_number = table.query_number

    def levels(self, dict gain_of):
        """Each query's grades of 0 and more, highest first, and how often each was given: (start,
        level, count).

        `gain_of` maps grades to the gains that stand in for them.
        """
        cdef DocTable table = self.table
        cdef Py_ssize_t q, n_queries = len(table)
        cdef int64_t row, used = 0, n, n_rows = table.n_rows
        cdef double[::1] level = np.zeros(n_rows + 1), changed
        cdef double *grade = table.rows.c.value
        cdef int64_t[::1] start = np.zeros(n_queries + 1, np.int64)
        cdef int64_t[::1] count = np.zeros(n_rows + 1, np.int64)
        # of grades 0, 1, .. by their number
        cdef double[::1] gain = np.array(list(gain_of.values()), float)
        cdef bint counts = np.array_equal(list(gain_of), np.arange(len(gain_of)))
        if gain_of and n_rows:
            changed = table.values()
            grade = &changed[0]
        for row in range(n_rows if gain_of else 0):
            if counts and 0 <= grade[row] < len(gain) and grade[row] == <int64_t> grade[row]:
                grade[row] = gain[<int64_t> grade[row]]
            elif grade[row] >= 0:
                grade[row] = gain_of.get(grade[row], grade[row])
        self.lowest_top = INFINITY
        for q in range(n_queries):
            n = table.start[q + 1] - table.start[q]
            used += levels_count(grade + table.start[q], NULL, n, &level[0] + used,
                                 &count[0] + used)
            start[q + 1] = used
            self.lowest_top = min(self.lowest_top, level[start[q]] if used > start[q] else -1.0)
            if q & 0xFFF == 0:
                heed_signals()
        return np.asarray(start), np.array(level[:used + 1]), np.array(count[:used + 1])
