from libc.stdint cimport int64_t

from irbounds._core.common.levels cimport grade_levels
from irbounds._core.common.signals cimport work_watch

cdef extern from "ordering/weak_order.h" nogil:
    ctypedef struct weak_order_mark:
        double score
        double grade

    ctypedef struct weak_order_memory:
        int64_t *before
        int64_t *size
        int64_t *end
        double *grade
        weak_order_mark *mark
        weak_order_mark *mark_scratch
        int64_t *pairs
        work_watch *watch

    ctypedef struct doc_names:
        const int64_t *start
        const int64_t *end
        const char *ids

cdef extern from "ties/measures.h" nogil:
    enum:
        MEASURE_DISCOUNTS
        MEASURE_WORK
        MEASURE_ENDS
        MEASURE_ARGUMENTS

    enum tie_end:
        TIE_MEAN

    ctypedef struct measure_kernel:
        const char *name
        int needs

    ctypedef struct measure:
        const measure_kernel *kernel
        double relevant_from
        int64_t cutoff
        double *argument
        int n_arguments

    ctypedef struct measure_memory:
        const double *discount
        int64_t n_discounts
        double *scratch
        work_watch *watch
        void *work
        int64_t work_size

    const measure_kernel *measure_find(const char *name)
    int64_t measure_places(const measure *m, int64_t n_docs)

cdef extern from "ties/ranking.h" nogil:
    enum:
        RANKING_NEEDS_NAMES
        RANKING_TOO_MANY_ORDERS

    enum tie_choice:
        CHOOSE_EXPECTED, CHOOSE_BEST, CHOOSE_WORST, CHOOSE_DOC_ID, CHOOSE_GIVEN

    ctypedef struct ranked_query:
        const double *score
        const double *grade
        const int64_t *times  # or NULL
        int64_t n_rows
        doc_names names
        grade_levels judged
        double collection_size

    ctypedef struct ranking_task:
        int64_t n_measures
        const measure *measures
        tie_choice choice
        int bounds
        double mark_level

    ctypedef struct ranking_memory:
        weak_order_memory order
        weak_order_memory refined
        measure_memory measure
        int64_t n_unnamed
        int64_t refused
        tie_end refused_end

    int64_t ranking_evaluate(const ranking_task *task, const ranked_query *query,
                             ranking_memory *memory, double *value, double *low, double *high)
    int64_t ranking_resume(const ranking_task *task, const ranked_query *query,
                           ranking_memory *memory, double *value, double *low, double *high)

cdef class MeasureKernel:
    cdef measure *measures
    cdef ranking_task task
    cdef ranking_memory memory
    cdef double[::1] discount
    cdef int64_t capacity, scratch_capacity
    cdef bint needs_work
    cdef tuple shown
    cdef work_watch watch
    cdef int reserve(self, int64_t n_rows) except -1
    cdef int reserve_ranks(self, int64_t n_docs) except -1
    cdef object refusal(self)
    cdef void lend_memory(self) noexcept nogil
    cdef int64_t evaluate(self, const ranked_query *query, double *value, double *low,
                          double *high) noexcept nogil
    cdef int64_t resume(self, const ranked_query *query, double *value, double *low,
                        double *high) noexcept nogil
