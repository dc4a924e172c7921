"""Values of one query after another as dicts of the same names."""
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF, Py_XDECREF
from libc.math cimport log
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy

cdef extern from "Python.h":
    int PyDict_SetItem(PyObject *values, PyObject *name, PyObject *number) except -1
    PyObject *PyFloat_FromDouble(double value) except NULL

cdef enum:
    KEPT_BITS = 9
    KEPT = 1 << KEPT_BITS  # numbers: precisions have few values, deep cut-offs those of others
    MOST_ROWS = 1 << 10
    MOST_VALUES = 1 << 12  # of all rows: 130 kilobytes, which the processor's caches hold
    TRIAL = 512  # dicts after which rows that are seldom found are not looked for

cdef uint64_t ODD = 0x9E3779B97F4A7C15  # 2^64 / the golden ratio


class Named:
    """Values as attributes: their dict shares its keys with its copies."""


def dict_of_zeros(names):
    """{name: 0.0}, to be copied often.

    Shared keys make a copy of 11 to 24 values half as dear and fewer no cheaper; more cannot be
    shared, and then a copy takes four times as long (CPython 3.11 to 3.13, measured).
    """
    if not 10 < len(names) < 25:
        return dict.fromkeys(names, 0.0)
    values = Named()
    for name in names:
        setattr(values, name, 0.0)
    return values.__dict__


cdef class ValueDicts:
    """Dicts of values by name; an object belongs to one call at a time.

    One dict is written, where a value differs from the last, and copied.  Short rankings have few
    values: with one relevant document each, that of its place.  So numbers are kept, to be shared
    between queries and columns, and dicts of values that come again, in the row that their hash
    says.

    names: those of the output, each with the number of its measure (-1: its value is 0) and whether
    its logarithm is shown, not below that of `least`.
    """
    def __cinit__(self, list names, double least):
        cdef int64_t i
        self.names = [name for name, _, _ in names]
        self.shown = dict_of_zeros(self.names)
        self.least = least
        self.n_columns = len(names)
        self.columns = <value_column *> calloc(max(1, len(names)), sizeof(value_column))
        self.kept = <kept_number *> calloc(KEPT, sizeof(kept_number))
        self.n_rows, self.n_asked, self.n_found = MOST_ROWS, 0, 0
        while self.n_rows > 1 and self.n_rows * len(names) > MOST_VALUES:
            self.n_rows >>= 1
        self.rows = <kept_row *> calloc(self.n_rows, sizeof(kept_row))
        self.row_values = <double *> calloc((self.n_rows + 1) * max(1, len(names)), sizeof(double))
        if (self.columns == NULL or self.kept == NULL or self.rows == NULL
                or self.row_values == NULL):
            raise MemoryError
        self.now = self.row_values + self.n_rows * len(names)
        for i in range(self.n_columns):
            name, source, is_log = names[i]
            self.columns[i].name = <PyObject *> self.names[i]
            self.columns[i].source, self.columns[i].is_log = source, is_log

    def __dealloc__(self):
        cdef int64_t i
        if self.kept != NULL:
            for i in range(KEPT):
                Py_XDECREF(self.kept[i].number)
        if self.rows != NULL:
            for i in range(self.n_rows):
                Py_XDECREF(self.rows[i].values)
        free(self.kept)
        free(self.columns)
        free(self.rows)
        free(self.row_values)

    cdef dict of(self, const double *values):
        """A new dict of these values of the measures."""
        cdef int64_t i, place, n = self.n_columns
        cdef uint64_t bits, hash = 1
        cdef double value
        cdef const value_column *column
        cdef dict found
        for i in range(n):
            column = &self.columns[i]
            if column.source < 0:
                continue
            value = values[column.source]
            if column.is_log:
                value = log(max(value, self.least))
            self.now[i] = value
        if self.n_asked >= TRIAL and 4 * self.n_found < self.n_asked:
            return self.write()
        for i in range(n):
            memcpy(&bits, &self.now[i], sizeof(bits))
            hash = (hash ^ bits) * ODD
            hash ^= hash >> 32
        place = <int64_t> (hash & <uint64_t> (self.n_rows - 1))
        self.n_asked += 1
        if self.rows[place].hash != hash:
            self.rows[place].hash = hash
            return self.write()
        if (self.rows[place].values != NULL
                and memcmp(self.now, self.row_values + place * n, n * sizeof(double)) == 0):
            self.n_found += 1
            return (<dict> self.rows[place].values).copy()
        found = self.write()
        self.keep(place, found.copy())
        return found

    cdef dict write(self):
        """A new dict of the values now."""
        cdef int64_t i
        for i in range(self.n_columns):
            if self.now[i] != self.columns[i].shown:
                self.show(i, self.now[i])
        return self.shown.copy()

    cdef int keep(self, int64_t place, dict values) except -1:
        """Keep a dict of the values now, which nobody else has."""
        cdef PyObject *other = self.rows[place].values
        Py_INCREF(values)
        self.rows[place].values = <PyObject *> values
        memcpy(self.row_values + place * self.n_columns, self.now,
               self.n_columns * sizeof(double))
        Py_XDECREF(other)
        return 0

    cdef int show(self, int64_t i, double value) except -1:
        """Write a value, as a number that was made before if it is at hand."""
        cdef uint64_t bits
        cdef kept_number *kept
        cdef PyObject *number
        memcpy(&bits, &value, sizeof(bits))
        kept = &self.kept[bits * ODD >> (64 - KEPT_BITS)]
        if kept.number == NULL or kept.value != value:
            number = PyFloat_FromDouble(value)
            Py_XDECREF(kept.number)
            kept.number, kept.value = number, value
        PyDict_SetItem(<PyObject *> self.shown, self.columns[i].name, kept.number)
        self.columns[i].shown = value
        return 0
