from libc.stdint cimport int64_t

from irbounds._core.common.signals cimport work_watch

cdef extern from "ordering/equal_scores.h" nogil:
    ctypedef struct score_rule:
        int is_single
        double tolerance

    void equal_scores(const double *score, int64_t n, const score_rule *rule, double *merged,
                      int64_t *rows, work_watch *watch)

cdef class EqualScores:
    cdef score_rule rule
    cdef readonly bint is_exact
    cdef double[::1] merged
    cdef int64_t[::1] rows
    cdef work_watch watch
    cdef const double *merge(self, const double *score, int64_t n) except? NULL
