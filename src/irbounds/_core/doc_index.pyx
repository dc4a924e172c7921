"""Tables of documents grouped by query, and the index that finds a document's row in one."""
from itertools import chain

from libc.string cimport memset

import numpy as np

from irbounds._core.doc_rows cimport DocRows, RowReader, doc_index_fill, doc_index_size, doc_table
from irbounds._core.levels cimport levels_count
from irbounds._core.signals cimport heed_signals

from irbounds._core.doc_rows import BadNumber, BadRow, id_as_bytes


cdef enum:
    PIECE = 1 << 18  # rows between looks for signals

cdef int64_t MOST_ROWS = (<int64_t> 1 << 32) - 2  # that slots can number


def as_text(query):
    return query.decode("utf-8", "surrogateescape")


cdef class DocTable:
    """Rows grouped by query; query_ids in the order in which they first came."""

    def __init__(self, DocRows rows, list queries, start):
        """Stretches of rows: the query id (bytes) of each, where it begins, and where the last one
        ends."""
        starts = np.asarray(start, dtype=np.int64)
        numbers = {query: None for query in queries}
        if len(numbers) < len(queries):
            rows, starts = gather(rows, queries, starts, list(numbers))
        self.rows = rows
        self.query_ids = [as_text(query) for query in numbers]
        self.start = starts

    @staticmethod
    def from_reader(RowReader reader):
        cdef DocRows rows = DocRows()
        cdef DocTable table
        queries, start = [], []
        while True:
            begin = len(rows)
            query = reader.read_query(rows)
            if query is None:
                table = DocTable(rows, queries, [*start, begin])
                table.whole_values = reader.whole_values
                return table
            queries.append(query)
            start.append(begin)

    @staticmethod
    def from_dict(queries):
        """{query_id: {doc_id: value}}"""
        cdef DocRows rows = DocRows()
        names, start = [], [0]
        for query, documents in query_items(queries):
            append_query_dict(rows, query, documents)
            names.append(query)
            start.append(len(rows))
        return DocTable(rows, names, start)

    @staticmethod
    def from_columns(query_ids, doc_ids, values, str value_name="value"):
        """Three sequences of one length; stretches of equal query ids form the queries."""
        cdef DocRows rows = DocRows()
        names, start = [], []
        previous = object()
        try:
            rows.append_items(doc_ids, values)
        except BadNumber as error:
            raise in_column(error, value_name, query_ids[len(rows)]) from None
        for number, query in enumerate(query_ids):
            if query is not previous and query != previous:
                names.append(id_as_bytes(query))
                start.append(number)
                previous = query
        return DocTable(rows, names, [*start, len(rows)])

    @staticmethod
    def from_groups(dict doc_ids, values):
        """{query_id: doc_ids}, and the values of all documents in turn."""
        cdef DocRows rows = DocRows()
        sizes = np.fromiter(map(len, doc_ids.values()), np.int64, len(doc_ids))
        rows.append_items(chain.from_iterable(doc_ids.values()), values)
        return DocTable(rows, list(map(id_as_bytes, doc_ids)), [0, *np.cumsum(sizes).tolist()])

    @staticmethod
    def from_rows(table_rows, str value_name="value"):
        """Tuples (query_id, doc_id, value), taken one at a time and not kept."""
        cdef DocRows rows = DocRows()
        names, start = [], []
        previous = object()
        for query, doc_id, value in table_rows:
            if query is not previous and query != previous:
                names.append(id_as_bytes(query))
                start.append(rows.c.n_rows)
                previous = query
            try:
                rows.append_item(doc_id, value)
            except BadNumber as error:
                raise in_column(error, value_name, query) from None
        return DocTable(rows, names, [*start, len(rows)])

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

    def row_starts(self):
        """Query q is rows start[q]:start[q + 1]."""
        return np.asarray(self.start)

    def line(self, int64_t row):
        return self.rows.c.line[row]

    def query_of(self, int64_t row):
        return self.query_ids[np.searchsorted(np.asarray(self.start), row, side="right") - 1]

    def check_distinct(self):
        """Raise BadRow where a query has a document twice."""
        cdef uint64_t[::1] slots
        cdef Py_ssize_t q
        longest = int(np.max(np.diff(self.start), initial=0))
        slots = np.empty(doc_index_size(2 * longest), np.uint64)
        for q in range(len(self.query_ids)):
            check_distinct(self.rows, self.start[q], self.start[q + 1], self.query_ids[q], slots)
            if q & 0xFFF == 0:
                heed_signals()


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
    if not isinstance(documents, dict):
        raise BadRow(f"query {as_text(query)!r}: expected a dict of documents, "
                     f"found {type(documents).__name__}")
    try:
        rows.append_dict(documents if type(documents) is dict else dict(documents))
    except BadRow as error:
        raise BadRow(f"query {as_text(query)!r}: {error.problem}") from None


cdef gather(DocRows rows, list queries, starts, list distinct):
    """Bring together the rows of queries that came in several stretches."""
    cdef DocRows together = DocRows()
    cdef int64_t row
    together.reserve(len(rows), rows.ends[len(rows)])
    pieces = {query: [] for query in distinct}
    for number, query in enumerate(queries):
        pieces[query].append(number)
    start = [0]
    for query in distinct:
        for number in pieces[query]:
            for row in range(starts[number], starts[number + 1]):
                together.append(rows.c.ids + rows.ends[row], rows.ends[row + 1] - rows.ends[row],
                                rows.c.value[row], rows.c.line[row])
            heed_signals()
        start.append(len(together))
    return together, np.asarray(start, dtype=np.int64)


cdef int check_distinct(DocRows rows, int64_t start, int64_t stop, object query,
                        uint64_t[::1] slots) except -1:
    """Raise BadRow where rows start .. stop have a document twice; `slots` has space for twice as
    many rows."""
    # sparse: collisions cost more than clearing
    cdef int64_t n_slots = doc_index_size(2 * (stop - start))
    memset(&slots[0], 0, n_slots * sizeof(uint64_t))
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
            if q & 0xFFF == 0:
                heed_signals()
        self.table = table
        self.has_unjudged = bool((table.values() < 0).any())
        self.query_number = {id_as_bytes(query): number
                             for number, query in enumerate(table.query_ids)}

    def levels(self, dict gain_of):
        """Each query's grades of 0 and more, highest first, and how often each was given: (start,
        level, count).

        `gain_of` maps grades to the gains that stand in for them.
        """
        cdef DocTable table = self.table
        cdef Py_ssize_t q, n_queries = len(table)
        cdef int64_t row, used = 0, n, n_rows = table.n_rows
        cdef double[::1] grade = np.append(table.values(), 0.0), level = np.zeros(n_rows + 1)
        cdef int64_t[::1] start = np.zeros(n_queries + 1, np.int64)
        cdef int64_t[::1] count = np.zeros(n_rows + 1, np.int64)
        # of grades 0, 1, .. by their number
        cdef double[::1] gain = np.array(list(gain_of.values()), float)
        cdef bint counts = np.array_equal(list(gain_of), np.arange(len(gain_of)))
        for row in range(n_rows if gain_of else 0):
            if counts and 0 <= grade[row] < len(gain) and grade[row] == <int64_t> grade[row]:
                grade[row] = gain[<int64_t> grade[row]]
            elif grade[row] >= 0:
                grade[row] = gain_of.get(grade[row], grade[row])
        for q in range(n_queries):
            n = table.start[q + 1] - table.start[q]
            used += levels_count(&grade[0] + table.start[q], NULL, n, &level[0] + used,
                                 &count[0] + used)
            start[q + 1] = used
            if q & 0xFFF == 0:
                heed_signals()
        return np.asarray(start), np.array(level[:used + 1]), np.array(count[:used + 1])
