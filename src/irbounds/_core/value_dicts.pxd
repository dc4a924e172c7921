from libc.stdint cimport int64_t

cdef class ValueDicts:
    cdef list names, rows
    cdef dict zeros
    cdef int64_t[::1] source
    cdef double[:, ::1] shown
    cdef double[::1] column
    cdef double least
    cdef int64_t n_rows
    cdef dict of(self, const double *values)
    cdef dict filled(self, int64_t row)
