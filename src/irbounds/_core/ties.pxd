from libc.stdint cimport int64_t

from irbounds._core.signals cimport work_watch

cdef extern from "weak_order.h" nogil:
    ctypedef struct weak_order:
        int64_t n_docs
        int64_t n_ranks

    ctypedef struct weak_order_mark:
        double score
        double grade

    ctypedef struct weak_order_room:
        int64_t *before
        int64_t *size
        int64_t *end
        double *grade
        weak_order_mark *mark
        weak_order_mark *mark_scratch
        int64_t *pairs
        work_watch *watch

    enum tie_rule:
        TIES_TOGETHER
        TIES_BY_ROW
        TIES_BY_DOC_ID

    ctypedef struct doc_names:
        const int64_t *start
        const int64_t *end
        const char *ids

    int64_t weak_order_build(const double *score, const double *grade, int64_t n_docs,
                             double mark_level,
                             tie_rule rule, doc_names names, weak_order_room *room,
                             weak_order *order)
    void weak_order_expand(const int64_t *times, int64_t n_rows, weak_order_room *room,
                           weak_order *order)
    int weak_order_is_mixed(const weak_order *order)
    void weak_order_refine(const weak_order *order, int best, weak_order_room *room,
                           weak_order *refined)

cdef extern from "ties.h" nogil:
    enum ties_kind:
        pass

    enum ties_stop:
        pass

    ctypedef struct ties_measure:
        ties_kind kind
        ties_stop stop
        double at
        double relevant_from
        int64_t cutoff
        double beta
        double p
        double max_grade
        int exponential_gain
        int is_graded

    ctypedef struct ties_judgments:
        int64_t n_levels
        const double *level
        const int64_t *count
        double collection_size

    ctypedef struct ties_room:
        const double *discount
        int64_t n_discounts
        double *scratch
        work_watch *watch

    int64_t ties_count_levels(const double *grade, const int64_t *times, int64_t n, double *level,
                              int64_t *count)
    double ties_value(const ties_measure *measure, const weak_order *order,
                      const ties_judgments *judgments,
                      const ties_room *room)

cdef enum tie_choice:
    CHOOSE_EXPECTED, CHOOSE_BEST, CHOOSE_WORST, CHOOSE_DOC_ID, CHOOSE_GIVEN

# What one query brings to the kernel: rows that are a document each or, in order, times[row]
# documents.
cdef struct ranked_query:
    const double *score
    const double *grade
    const int64_t *times  # or NULL
    int64_t n_rows
    doc_names names
    ties_judgments judgments

cdef class TiesKernel:
    cdef readonly int64_t n_measures
    cdef ties_measure *measures
    cdef tie_choice choice
    cdef readonly bint bounds
    cdef double mark_level
    cdef double[::1] discount
    cdef int64_t capacity
    cdef weak_order_room room, refined_room
    cdef work_watch watch
    cdef double *scratch
    cdef int64_t scratch_capacity
    cdef int reserve(self, int64_t n_rows) except -1
    cdef int reserve_ranks(self, int64_t n_docs) except -1
    cdef int64_t build(self, const ranked_query *query, tie_rule rule,
                       weak_order *order) noexcept nogil
    cdef int64_t evaluate(self, const ranked_query *query, double *value, double *low,
                          double *high) noexcept nogil
    cdef void fill(self, const weak_order *order, const ranked_query *query, const ties_room *room,
                   double *value) noexcept nogil
