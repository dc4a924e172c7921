from libc.stdint cimport int64_t

from irbounds._core.evaluating.measures cimport (
    MeasureKernel, measure, measure_memory, ranked_query, weak_order_memory,
)

cdef extern from "label_bounds/open_order.h" nogil:
    ctypedef struct open_order:
        pass

    ctypedef struct open_order_memory:
        int64_t *before
        int64_t *size
        int64_t *end
        int64_t *apart
        int64_t *rank
        int64_t *rank_of_judged
        double *grade

cdef extern from "label_bounds/unjudged.h" nogil:
    ctypedef struct dd:
        pass

    enum unjudged_rule:
        UNJUDGED_EXPECTED, UNJUDGED_BEST, UNJUDGED_WORST

    ctypedef struct unjudged_query:
        const open_order *order
        const void *judged
        int64_t hidden
        double max_grade

    ctypedef struct open_part:
        pass

    ctypedef struct open_judged_sums:
        bint is_set

    ctypedef struct open_cuts:
        bint is_set
        open_part *part

    ctypedef struct open_memo:
        int64_t n_parts
        bint is_split
        open_judged_sums precision
        open_judged_sums gain
        open_cuts greatest_cuts
        open_cuts least_cuts

    ctypedef struct unjudged_memory:
        const measure_memory *measure
        weak_order_memory *expanded
        weak_order_memory *refined
        open_part *part
        open_part *gain_part
        open_memo *memo
        double *sum
        const dd *harmonic
        const dd *discounts
        int64_t n_discounts

    ctypedef struct unjudged_bounds:
        pass

cdef class UnjudgedKernel:
    cdef MeasureKernel kernel
    cdef const unjudged_bounds **rows
    cdef double max_grade
    cdef int64_t n_bounded, capacity
    cdef open_part *parts
    cdef open_part *gain_parts
    cdef open_memo memo
    cdef double *sums
    cdef dd *harmonic
    cdef dd *discounts
    cdef open_order_memory blocks
    cdef bint needs_harmonics
    cdef int64_t deepest, n_discounts
    cdef int reserve(self, int64_t n_rows) except -1
    cdef void fill_memory(self, unjudged_memory *memory) noexcept nogil
    cdef void evaluate(self, const ranked_query *query, int64_t hidden, const double *least,
                       double *low, double *high) noexcept nogil
    cdef void build(self, const double[::1] score, const double[::1] grade,
                    const double[::1] level, const int64_t[::1] count,
                    ranked_query *query) noexcept
