"""Bounds of measures over all labels that unjudged documents could have."""
from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport strcmp

import numpy as np

from irbounds._core.evaluating.measures cimport (
    CHOOSE_DOC_ID, CHOOSE_EXPECTED, CHOOSE_GIVEN, CHOOSE_WORST, MeasureKernel, doc_names, measure,
    ranked_query, weak_order_memory,
)
from irbounds._core.common.signals cimport raise_if_stopped

cdef extern from "ordering/weak_order.h" nogil:
    enum tie_rule:
        TIE_RULE_TOGETHER, TIE_RULE_BY_ROW, TIE_RULE_BY_DOC_ID

cdef extern from "label_bounds/open_order.h" nogil:
    void open_order_build(const double *score, const double *grade, int64_t n_docs, tie_rule rule,
                          doc_names names, const open_order_memory *memory,
                          weak_order_memory *sorting, open_order *order)

cdef extern from "label_bounds/unjudged.h" nogil:
    const unjudged_bounds *unjudged_find(const char *name)
    int unjudged_grows(const unjudged_bounds *bounds)
    int unjudged_is_loss(const unjudged_bounds *bounds)
    double unjudged_end(const unjudged_bounds *bounds, const measure *m,
                        const unjudged_query *query, unjudged_rule rule, int greatest,
                        const unjudged_memory *memory)
    void unjudged_harmonics(dd *harmonic, int64_t n)
    void unjudged_discounts(dd *discounts, int64_t n, const measure_memory *memory)
    int64_t unjudged_precision_totals(const measure *m, const unjudged_query *query,
                                      unjudged_rule rule, int greatest, double *totals,
                                      const unjudged_memory *memory)

cdef int64_t MOST_ROWS = 1 << 62
cdef int64_t JUDGED_BELOW = 1024  # relevant documents not retrieved for which nDCG has sums


def has_bounds(str name):
    """Whether the measure whose kernel has this name has bounds over labels."""
    return unjudged_find(name.encode()) != NULL


cdef class UnjudgedKernel:
    """The same measures and tie rule as a MeasureKernel, whose memory it uses: over all labels from
    0 to max_grade, and with the kernel's bounds over all orders of ties as well; of its measures
    the first n_bounded."""

    def __cinit__(self, MeasureKernel kernel, double max_grade, n_bounded=None):
        cdef int64_t i, n = kernel.task.n_measures
        self.kernel = kernel
        self.max_grade = max_grade
        self.capacity = -1
        self.n_bounded = n = n if n_bounded is None else min(n, n_bounded)
        self.needs_harmonics = False
        self.deepest = 0  # place that needs a sum of discounts
        self.rows = <const unjudged_bounds **> calloc(max(1, n), sizeof(void *))
        if self.rows == NULL:
            raise MemoryError
        for i in range(n):
            self.rows[i] = unjudged_find(kernel.measures[i].kernel.name)
            if self.rows[i] == NULL:
                raise ValueError(f"{kernel.measures[i].kernel.name.decode()} has no bounds")
            self.needs_harmonics |= strcmp(kernel.measures[i].kernel.name, b"AP") == 0
            if strcmp(kernel.measures[i].kernel.name, b"DCG") == 0 \
                    or strcmp(kernel.measures[i].kernel.name, b"nDCG") == 0:
                self.deepest = max(self.deepest, kernel.measures[i].cutoff or MOST_ROWS)

    def __dealloc__(self):
        free(self.rows)
        self.release()

    def release(self):
        free(self.parts)
        free(self.gain_parts)
        free(self.memo.greatest_cuts.part)
        free(self.memo.least_cuts.part)
        free(self.sums)
        free(self.harmonic)
        free(self.discounts)
        free(self.blocks.before)
        free(self.blocks.size)
        free(self.blocks.end)
        free(self.blocks.apart)
        free(self.blocks.rank)
        free(self.blocks.rank_of_judged)
        free(self.blocks.grade)
        self.parts = self.gain_parts = NULL
        self.memo.greatest_cuts.part = self.memo.least_cuts.part = NULL
        self.blocks.before = self.blocks.size = self.blocks.end = self.blocks.apart = NULL
        self.blocks.rank = self.blocks.rank_of_judged = NULL
        self.sums = self.blocks.grade = NULL
        self.harmonic = self.discounts = NULL
        self.capacity = -1

    cdef int reserve(self, int64_t n_rows) except -1:
        """Allocate memory for queries of so many rows."""
        cdef size_t n = n_rows + 2
        self.kernel.reserve(n_rows)
        if n_rows <= self.capacity:
            return 0
        self.release()
        self.parts = <open_part *> malloc(n * sizeof(open_part))
        self.gain_parts = <open_part *> malloc(n * sizeof(open_part))
        self.memo.greatest_cuts.part = <open_part *> malloc(n * sizeof(open_part))
        self.memo.least_cuts.part = <open_part *> malloc(n * sizeof(open_part))
        self.sums = <double *> malloc(4 * n * sizeof(double))
        self.harmonic = <dd *> malloc((n if self.needs_harmonics else 1) * sizeof(dd))
        self.n_discounts = min(self.deepest, n_rows + JUDGED_BELOW) if self.deepest > 0 else 0
        self.discounts = <dd *> malloc((self.n_discounts + 1) * sizeof(dd))
        self.blocks.before = <int64_t *> malloc(n * sizeof(int64_t))
        self.blocks.size = <int64_t *> malloc(n * sizeof(int64_t))
        self.blocks.end = <int64_t *> malloc(n * sizeof(int64_t))
        self.blocks.apart = <int64_t *> malloc(n * sizeof(int64_t))
        self.blocks.rank = <int64_t *> malloc(n * sizeof(int64_t))
        self.blocks.rank_of_judged = <int64_t *> malloc(n * sizeof(int64_t))
        self.blocks.grade = <double *> malloc(n * sizeof(double))
        if (self.parts == NULL or self.gain_parts == NULL or self.sums == NULL
                or self.memo.greatest_cuts.part == NULL or self.memo.least_cuts.part == NULL
                or self.harmonic == NULL
                or self.discounts == NULL
                or self.blocks.before == NULL or self.blocks.size == NULL
                or self.blocks.end == NULL or self.blocks.apart == NULL
                or self.blocks.rank == NULL or self.blocks.rank_of_judged == NULL
                or self.blocks.grade == NULL):
            self.release()
            raise MemoryError(f"not enough memory to rank {n_rows} documents")
        if self.needs_harmonics:
            unjudged_harmonics(self.harmonic, n_rows)
        self.kernel.lend_memory()
        unjudged_discounts(self.discounts, self.n_discounts, &self.kernel.memory.measure)
        self.capacity = n_rows
        return 0

    cdef void fill_memory(self, unjudged_memory *memory) noexcept nogil:
        self.kernel.lend_memory()
        memory.measure, memory.harmonic = &self.kernel.memory.measure, self.harmonic
        memory.expanded, memory.refined = &self.kernel.memory.order, &self.kernel.memory.refined
        memory.part, memory.gain_part, memory.sum = self.parts, self.gain_parts, self.sums
        memory.memo = &self.memo
        self.memo.n_parts = -1
        self.memo.precision.is_set = self.memo.gain.is_set = False
        self.memo.greatest_cuts.is_set = self.memo.least_cuts.is_set = False
        memory.discounts, memory.n_discounts = self.discounts, self.n_discounts

    cdef void evaluate(self, const ranked_query *query, int64_t hidden, const double *least,
                       double *low, double *high) noexcept nogil:
        """Fill low[] and high[]; no score is NaN.  They mean nothing once the watch has stopped
        the work.  least[], or NULL: the values where no open document is relevant, in the worst
        order if that is asked for."""
        cdef open_order order
        cdef unjudged_memory memory
        cdef unjudged_query unjudged
        cdef unjudged_rule lowest, highest
        cdef tie_rule rule = TIE_RULE_TOGETHER
        cdef const measure *m
        cdef int64_t i
        cdef int is_loss
        self.fill_memory(&memory)
        lowest = highest = UNJUDGED_EXPECTED
        if self.kernel.task.bounds:
            lowest, highest = UNJUDGED_WORST, UNJUDGED_BEST
        elif self.kernel.task.choice == CHOOSE_WORST:
            lowest = highest = UNJUDGED_WORST
        elif self.kernel.task.choice != CHOOSE_EXPECTED:
            lowest = highest = UNJUDGED_BEST
            if self.kernel.task.choice == CHOOSE_DOC_ID:
                rule = TIE_RULE_BY_DOC_ID
            elif self.kernel.task.choice == CHOOSE_GIVEN:
                rule = TIE_RULE_BY_ROW
        open_order_build(query.score, query.grade, query.n_rows, rule, query.names, &self.blocks,
                         &self.kernel.memory.order, &order)
        unjudged.order, unjudged.judged = &order, &query.judged
        unjudged.hidden, unjudged.max_grade = hidden, self.max_grade
        for i in range(self.n_bounded):
            m = &self.kernel.measures[i]
            is_loss = unjudged_is_loss(self.rows[i])
            if least != NULL and unjudged_grows(self.rows[i]):
                low[i] = least[i]
            else:
                low[i] = unjudged_end(self.rows[i], m, &unjudged, highest if is_loss else lowest,
                                      False, &memory)
            high[i] = unjudged_end(self.rows[i], m, &unjudged, lowest if is_loss else highest,
                                   True, &memory)
            if low[i] > high[i]:  # of one labelling, rounded in two ways
                low[i] = high[i]

    cdef void build(self, const double[::1] score, const double[::1] grade,
                    const double[::1] level, const int64_t[::1] count,
                    ranked_query *query) noexcept:
        """The query of plain arrays, which must stay."""
        query.n_rows = score.shape[0]
        query.times = NULL
        query.score = query.grade = NULL
        if query.n_rows > 0:
            query.score, query.grade = &score[0], &grade[0]
        query.names.start = query.names.end = NULL
        query.names.ids = NULL
        query.collection_size = 0
        query.judged.n_levels = level.shape[0]
        query.judged.level, query.judged.count = NULL, NULL
        if level.shape[0] > 0:
            query.judged.level, query.judged.count = &level[0], &count[0]

    def bounds_of(self, const double[::1] score, const double[::1] grade,
                  const double[::1] level, const int64_t[::1] count, int64_t hidden=0):
        """Low and high of one ranking; level and count tell how many documents were judged at each
        grade, highest first, retrieved or not."""
        cdef ranked_query query
        cdef int64_t n_measures = self.kernel.task.n_measures
        low, high = np.zeros((2, max(1, n_measures)))
        cdef double[::1] to_low = low, to_high = high
        self.reserve(score.shape[0])
        self.build(score, grade, level, count, &query)
        with nogil:
            self.evaluate(&query, hidden, NULL, &to_low[0], &to_high[0])
        raise_if_stopped(&self.kernel.watch)
        return low[:n_measures], high[:n_measures]

    def precision_totals(self, const double[::1] score, const double[::1] grade,
                         const double[::1] level, const int64_t[::1] count, bint greatest):
        """The first measure, AP, times the number of relevant documents: the least or the greatest
        for each number of relevant open documents."""
        cdef ranked_query query
        cdef open_order order
        cdef unjudged_memory memory
        cdef unjudged_query unjudged
        cdef unjudged_rule rule = UNJUDGED_EXPECTED
        cdef int64_t n_open
        totals = np.zeros(score.shape[0] + 2)
        cdef double[::1] to = totals
        self.reserve(score.shape[0])
        self.build(score, grade, level, count, &query)
        self.fill_memory(&memory)
        if self.kernel.task.choice != CHOOSE_EXPECTED:
            rule = UNJUDGED_BEST
        open_order_build(query.score, query.grade, query.n_rows, TIE_RULE_TOGETHER, query.names,
                         &self.blocks, &self.kernel.memory.order, &order)
        unjudged.order, unjudged.judged = &order, &query.judged
        unjudged.hidden, unjudged.max_grade = 0, self.max_grade
        n_open = unjudged_precision_totals(&self.kernel.measures[0], &unjudged, rule, greatest,
                                           &to[0], &memory)
        raise_if_stopped(&self.kernel.watch)
        return totals[:n_open + 1]
