from libc.stdint cimport int64_t

cdef extern from "ordering/levels.h" nogil:
    ctypedef struct grade_levels:
        int64_t n_levels
        const double *level
        const int64_t *count

    int64_t levels_count(const double *grade, const int64_t *times, int64_t n, double *level,
                         int64_t *count)
