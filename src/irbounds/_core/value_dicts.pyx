"""Values of one query after another as dicts of the same names."""
from cpython.object cimport PyObject
from cpython.ref cimport Py_XDECREF
from libc.math cimport log
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

cdef extern from "Python.h":
    int PyDict_SetItem(PyObject *values, PyObject *name, PyObject *number) except -1
    PyObject *PyFloat_FromDouble(double value) except NULL

cdef enum:
    KEPT = 16  # numbers of a column: a precision has few values

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
    values: with one relevant document each, that of its place.  So numbers are kept, to be shared.

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
        self.kept = <kept_number *> calloc(max(1, len(names)) * KEPT, sizeof(kept_number))
        if self.columns == NULL or self.kept == NULL:
            raise MemoryError
        for i in range(self.n_columns):
            name, source, is_log = names[i]
            self.columns[i].name = <PyObject *> self.names[i]
            self.columns[i].source, self.columns[i].is_log = source, is_log

    def __dealloc__(self):
        cdef int64_t i
        if self.kept != NULL:
            for i in range(self.n_columns * KEPT):
                Py_XDECREF(self.kept[i].number)
        free(self.kept)
        free(self.columns)

    cdef dict of(self, const double *values):
        """A new dict of these values of the measures."""
        cdef int64_t i
        cdef double value
        cdef const value_column *column
        for i in range(self.n_columns):
            column = &self.columns[i]
            if column.source < 0:
                continue
            value = values[column.source]
            if column.is_log:
                value = log(max(value, self.least))
            if value != column.shown:
                self.show(i, value)
        return self.shown.copy()

    cdef int show(self, int64_t i, double value) except -1:
        """Write a value, as a number that was made before if it is at hand."""
        cdef uint64_t bits
        cdef kept_number *kept
        cdef PyObject *number
        memcpy(&bits, &value, sizeof(bits))
        kept = &self.kept[i * KEPT + <int64_t> (bits * ODD >> 60)]
        if kept.number == NULL or kept.value != value:
            number = PyFloat_FromDouble(value)
            Py_XDECREF(kept.number)
            kept.number, kept.value = number, value
        PyDict_SetItem(<PyObject *> self.shown, self.columns[i].name, kept.number)
        self.columns[i].shown = value
        return 0
