"""Tables of documents as JSON in one line with sorted keys, query by query, for their hash."""
from libc.math cimport isfinite
from libc.stdint cimport int64_t
from libc.stdlib cimport qsort
from libc.string cimport memcmp, memcpy, strlen

import numpy as np

from irbounds._core.documents.doc_index cimport DocTable
from irbounds._core.common.signals cimport heed_signals

cdef extern from "Python.h":
    int Py_DTSF_ADD_DOT_0
    char *PyOS_double_to_string(double value, char code, int precision, int flags, int *kind) \
        except NULL
    void PyMem_Free(void *memory)

cdef enum:
    WIDEST = 32  # bytes: 24 of -2.2250738585072014e-308, 4 around its name, 2 before it
    PIECE = 1 << 16  # rows between looks for signals

ctypedef struct named_value:
    const char *name
    int64_t size
    double value


cdef int compare(const void *one, const void *other) noexcept nogil:
    """By bytes, which is the order of code points; a name before those that it begins."""
    cdef const named_value *a = <const named_value *> one
    cdef const named_value *b = <const named_value *> other
    cdef int order = memcmp(a.name, b.name, min(a.size, b.size))
    return order if order else (a.size > b.size) - (a.size < b.size)


cdef bint is_plain(const char *text, int64_t size) noexcept nogil:
    """Whether JSON has the same characters: printable ASCII without quotes and backslashes."""
    cdef int64_t i
    for i in range(size):
        if not 32 <= text[i] < 127 or text[i] == c'"' or text[i] == c'\\':
            return False
    return True


cdef char *write_name(char *to, const char *name, int64_t size) noexcept nogil:
    to[0] = c'"'
    memcpy(to + 1, name, size)
    memcpy(to + 1 + size, b'": ', 3)
    return to + size + 4


cdef char *write_value(char *to, double value) except NULL:
    cdef char *digits = PyOS_double_to_string(value, c"r", 0, Py_DTSF_ADD_DOT_0, NULL)
    cdef size_t size = strlen(digits)
    memcpy(to, digits, size)
    PyMem_Free(digits)
    return to + size


cdef char *write_query(char *to, const named_value *rows, int64_t n) except NULL:
    """The documents of a query, sorted."""
    cdef int64_t i
    to[0] = c"{"
    to += 1
    for i in range(n):
        if i > 0:
            memcpy(to, b", ", 2)
            to += 2
        to = write_name(to, rows[i].name, rows[i].size)
        to = write_value(to, rows[i].value)
        if i % PIECE == PIECE - 1:
            heed_signals()
    to[0] = c"}"
    return to + 1


def write_content(DocTable table, take):
    """Give `take` in pieces what `json.dumps` makes of {query_id: {doc_id: value}}, keys sorted.

    False if ids are not plain ASCII or values are infinite: the text must be made otherwise then.
    The table must have no document twice in a query."""
    cdef int64_t q, i, n, begin, end, most_rows = 1, most_bytes = 0
    cdef bytes query, opening = b"{"
    cdef char *to
    cdef named_value *rows
    for query, q in table.query_number.items():
        n = table.start[q + 1] - table.start[q]
        begin, end = table.rows.ends[table.start[q]], table.rows.ends[table.start[q + 1]]
        if not is_plain(query, len(query)) or not is_plain(table.rows.c.ids + begin, end - begin):
            return False
        most_rows = max(most_rows, n)
        most_bytes = max(most_bytes, end - begin + (n + 1) * WIDEST + len(query))
    row_memory = np.empty(most_rows * sizeof(named_value), np.uint8)
    text_memory = np.empty(most_bytes + 1, np.uint8)
    cdef unsigned char[::1] row_view = row_memory, text = text_memory
    rows = <named_value *> &row_view[0]
    for query in sorted(table.query_number):
        q = table.query_number[query]
        n = table.start[q + 1] - table.start[q]
        for i in range(n):
            begin = table.rows.ends[table.start[q] + i]
            rows[i].name = table.rows.c.ids + begin
            rows[i].size = table.rows.ends[table.start[q] + i + 1] - begin
            rows[i].value = table.rows.c.value[table.start[q] + i]
        with nogil:
            qsort(rows, n, sizeof(named_value), compare)
        for i in range(n):
            if not isfinite(rows[i].value):
                return False
        take(opening)
        opening = b", "
        to = write_name(<char *> &text[0], query, len(query))
        to = write_query(to, rows, n)
        take(memoryview(text_memory)[:to - <char *> &text[0]])
        heed_signals()
    take(b"}" if table.query_number else b"{}")
    return True
