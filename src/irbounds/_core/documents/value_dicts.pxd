from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint64_t

cdef struct value_column:
    PyObject *name
    int64_t source  # the number of its measure, or -1: its value is 0
    bint is_log
    double shown  # in the dict that is copied

cdef struct kept_number:
    double value
    PyObject *number

cdef struct kept_row:
    uint64_t hash  # of the values that had this place last
    PyObject *values  # a dict of them, if they came twice

cdef class ValueDicts:
    cdef list names
    cdef int64_t n_rows, n_asked, n_found
    cdef kept_row *rows
    cdef double *row_values
    cdef double *now
    cdef dict shown
    cdef double least
    cdef int64_t n_columns
    cdef value_column *columns
    cdef kept_number *kept
    cdef dict of(self, const double *values)
    cdef dict write(self)
    cdef int keep(self, int64_t place, dict values) except -1
    cdef int show(self, int64_t i, double value) except -1
