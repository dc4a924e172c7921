from libc.stdint cimport int64_t, uint64_t

cdef class ValueDicts:
    cdef list names, rows, kept
    cdef dict zeros, other
    cdef uint64_t[::1] last, kept_bits
    cdef int64_t[::1] source
    cdef double[:, ::1] shown
    cdef double[::1] column, written
    cdef double least
    cdef int64_t n_rows
    cdef dict of(self, const double *values)
    cdef int write(self, dict values, double *shown) except -1
    cdef object number(self, int64_t i)
