"""Rows of documents: an id, its hash and a value (score or relevance) each, in C arrays that
grow."""
import os
from numbers import Number

cimport cython
from cpython.bytes cimport PyBytes_AsStringAndSize
from cpython.dict cimport PyDict_Next
from cpython.object cimport PyObject
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

import numpy as np

from irbounds._core.common.signals cimport heed_signals

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL
    const char *text_of "PyUnicode_AsUTF8AndSize" (PyObject *text, Py_ssize_t *size) noexcept
    void PyErr_Clear() noexcept


# By the bytes of a float the whole numbers up to which all have a float of their own: 2^11, 2^24,
# 2^53.  A longer float of NumPy has more, which no table has as ids.
MOST_WHOLE = {2: 1 << 11, 4: 1 << 24, 8: 1 << 53, 12: 1 << 53, 16: 1 << 53}


class BadRow(ValueError):
    """A row that cannot be used.  `line` is its line in a file, or 0; `problem` says what is
    wrong."""

    def __init__(self, problem, line=0):
        super().__init__(problem)
        self.problem = problem
        self.line = line


class BadNumber(BadRow):
    """A row whose value is not a number."""


cdef int resize(void **array, size_t size) except -1:
    cdef void *larger = realloc(array[0], size)
    if larger == NULL:
        raise MemoryError(f"not enough memory for {size} bytes of document rows")
    array[0] = larger
    return 0


# Hashes differ from process to process, results never: files of ids that collide take no longer.
cdef uint64_t SECRET = int.from_bytes(os.urandom(8), "little")


cdef class DocRows:
    def __cinit__(self):
        self.c.n_rows = self.c.max_rows = self.c.max_ids = 0
        self.c.value = NULL
        self.c.secret = SECRET
        self.c.hash = NULL
        self.c.line = NULL
        self.c.ids = NULL
        self.ends = NULL
        self.reserve(256, 4096)
        self.ends[0] = 0

    def __dealloc__(self):
        free(self.c.value)
        free(self.c.hash)
        free(self.c.line)
        free(self.c.ids)
        free(self.ends)

    def __len__(self):
        return self.c.n_rows

    cdef int reserve(self, int64_t n_rows, int64_t n_ids) except -1:
        """Allocate memory for so many rows and bytes of ids in all, at least doubling the old."""
        if n_rows > self.c.max_rows:
            n_rows = max(n_rows, 2 * self.c.max_rows)
            resize(<void **> &self.c.value, n_rows * sizeof(double))
            resize(<void **> &self.c.hash, n_rows * sizeof(uint64_t))
            resize(<void **> &self.c.line, n_rows * sizeof(int64_t))
            resize(<void **> &self.ends, (n_rows + 1) * sizeof(int64_t))
            self.c.id_end = self.ends + 1
            self.c.max_rows = n_rows
        if n_ids > self.c.max_ids:
            n_ids = max(n_ids, 2 * self.c.max_ids)
            resize(<void **> &self.c.ids, n_ids + TREC_PADDING)
            self.c.max_ids = n_ids
        return 0

    cdef int append(self, const char *doc_id, int64_t size, double value, int64_t line) except -1:
        cdef int64_t n = self.c.n_rows
        cdef int64_t start = self.ends[n]
        self.reserve(n + 1, start + size)
        memcpy(self.c.ids + start, doc_id, size)
        self.c.id_end[n] = start + size
        self.c.hash[n] = doc_hash(doc_id, size, self.c.secret)
        self.c.value[n] = value
        self.c.line[n] = line
        self.c.n_rows = n + 1
        return 0

    cdef void clear(self) noexcept:
        self.c.n_rows = 0

    cdef void forget_lines(self) noexcept:
        """Free what only messages need; no row can be appended after that."""
        free(self.c.line)
        self.c.line = NULL

    cdef doc_table table(self, int64_t start, int64_t stop) noexcept nogil:
        cdef doc_table table
        table.n_rows = stop - start
        table.hash = self.c.hash + start
        table.id_end = self.c.id_end + start
        table.ids = self.c.ids
        return table

    cdef bytes doc_id(self, int64_t row):
        return self.c.ids[self.ends[row]:self.ends[row + 1]]

    def doc_ids(self, int64_t start, int64_t stop):
        """The ids of rows start .. stop, as text."""
        cdef int64_t row
        return [self.doc_id(row).decode("utf-8", "surrogateescape") for row in range(start, stop)]

    def values(self, int64_t start, int64_t stop):
        return [self.c.value[row] for row in range(start, stop)]

    def append_dict(self, dict documents):
        """One row for each item of {doc_id: value}, which another thread or a value's own code may
        change meanwhile."""
        cdef PyObject *key = NULL
        cdef PyObject *value = NULL
        cdef Py_ssize_t position = 0, size = len(documents)
        cdef object doc_id, number
        with cython.critical_section(documents):
            while PyDict_Next(documents, &position, &key, &value):
                # references of our own, to outlive the dict's
                doc_id, number = <object> key, <object> value
                self.append_item(doc_id, number)
                if position & 0xFFFF == 0:
                    heed_signals()
                if len(documents) != size:
                    raise BadRow("the dict was changed while it was read")

    def append_items(self, doc_ids, values):
        """One row for each pair of two sequences of one length."""
        for doc_id, value in zip(doc_ids, values):
            self.append_item(doc_id, value)
            if self.c.n_rows & 0xFFFF == 0:
                heed_signals()

    cdef int append_item(self, object doc_id, object value) except -1:
        cdef const char *text
        cdef char *text_bytes
        cdef Py_ssize_t size
        cdef double number
        # An exception is looked for where one may be alone: under the stable ABI it costs calls.
        if type(doc_id) is str and type(value) is float:
            text = text_of(<PyObject *> doc_id, &size)
            if text != NULL:
                return self.append(text, size, <double> value, 0)
            PyErr_Clear()
        if isinstance(doc_id, str):
            try:
                text = PyUnicode_AsUTF8AndSize(doc_id, &size)
            except UnicodeEncodeError:  # bytes of a file that were no text
                doc_id = id_as_bytes(doc_id)
                PyBytes_AsStringAndSize(doc_id, &text_bytes, &size)
                text = text_bytes
        else:
            if not isinstance(doc_id, bytes):
                doc_id = id_as_bytes(doc_id)
            PyBytes_AsStringAndSize(doc_id, &text_bytes, &size)
            text = text_bytes
        try:
            number = value
        except (TypeError, ValueError, OverflowError):
            if isinstance(doc_id, bytes):  # as it came, or an integer's digits
                doc_id = doc_id.decode("utf-8", "surrogateescape")
            raise BadNumber(f"expected a number for document {doc_id!r}, "
                            f"found {shown(value)}") from None
        return self.append(text, size, number, 0)


cdef class RowReader:
    """Rows of documents, one query after the other."""

    cdef bytes read_query(self, DocRows rows):
        """Append the next query's rows, or the next stretch of them; that query, or None at the
        end."""
        raise NotImplementedError


cdef class ChainedRows(RowReader):
    """The rows of several readers in turn; the last query of one may go on in the next one.  They
    are read a query ahead: `is_reading` tells errors of reading from those of rows given before."""
    cdef object readers
    cdef RowReader reader
    cdef DocRows ahead
    cdef bytes query  # of the rows ahead
    cdef readonly bint has_rows, is_reading

    def __init__(self, readers):
        self.readers, self.ahead, self.whole_values = iter(readers), DocRows(), True

    cdef int read_ahead(self) except -1:
        self.query = None
        self.ahead.clear()
        self.is_reading = True
        while self.query is None:
            if self.reader is None:
                self.reader = next(self.readers, None)
                if self.reader is None:
                    break
                self.whole_values = self.whole_values and self.reader.whole_values
            self.query = self.reader.read_query(self.ahead)
            if self.query is None:
                self.reader = None
        self.is_reading = False
        return 0

    cdef bytes read_query(self, DocRows rows):
        cdef bytes query
        if not self.has_rows:
            self.read_ahead()
            self.has_rows = self.query is not None
        query = self.query
        while self.query is not None and self.query == query:
            move_rows(self.ahead, rows)
            self.read_ahead()
        return query


cdef int move_rows(DocRows rows, DocRows to) except -1:
    """Append rows to others; what is left of the first is not used again."""
    cdef int64_t i, n = to.c.n_rows, start = to.ends[n], n_bytes = rows.ends[rows.c.n_rows]
    cdef trec_rows c = to.c
    cdef int64_t *ends = to.ends
    if n == 0:
        to.c, to.ends = rows.c, rows.ends
        rows.c, rows.ends = c, ends
        return 0
    to.reserve(n + rows.c.n_rows, start + n_bytes)
    memcpy(to.c.value + n, rows.c.value, rows.c.n_rows * sizeof(double))
    memcpy(to.c.hash + n, rows.c.hash, rows.c.n_rows * sizeof(uint64_t))
    memcpy(to.c.line + n, rows.c.line, rows.c.n_rows * sizeof(int64_t))
    memcpy(to.c.ids + start, rows.c.ids, n_bytes)
    for i in range(rows.c.n_rows):
        to.c.id_end[n + i] = start + rows.c.id_end[i]
    to.c.n_rows += rows.c.n_rows
    return 0


def shown(value):
    """A value in one line that is not too long, whatever the value."""
    try:
        text = repr(value).replace("\n", " ")
    # The value's own code runs here, and whole numbers of over 4,300 digits have no text.
    except Exception:
        return f"an object of type {type(value).__name__}"
    return text if len(text) <= 200 else text[:200] + "…"


def id_as_bytes(value):
    """A query or document id as bytes: text, bytes, or a whole number of any type, such as data
    frames have: 7, 7.0, Decimal(7) and "7" are one id."""
    if isinstance(value, str):
        try:
            return value.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            raise BadRow(f"ids must be text that UTF-8 can hold, found {value!r}") from None
    if isinstance(value, bytes):
        return bytes(value)
    whole = None
    if not isinstance(value, bool):
        try:
            if hasattr(value, "__index__") or isinstance(value, Number) and value == int(value):
                whole = str(int(value)).encode()
        except (TypeError, ValueError, OverflowError):
            pass
    if whole is None:
        raise BadRow(f"ids must be text or whole numbers, found {shown(value)}")
    if isinstance(value, (float, np.floating)):
        most = MOST_WHOLE[value.dtype.itemsize if isinstance(value, np.floating) else 8]
        if abs(value) > most:
            raise BadRow(f"ids that are floats must be from -{most} to {most}, as larger ones are "
                         f"rounded: give them as text or integers; found {shown(value)}")
    return whole


def id_as_text(value):
    """The same as text."""
    return value if type(value) is str else id_as_bytes(value).decode("utf-8", "surrogateescape")
