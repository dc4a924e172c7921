"""Measures of one query's ranking: the kernel that all evaluation goes through."""
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memset

import numpy as np

from irbounds._core.common.signals cimport new_watch

from irbounds._core.documents.doc_rows import BadRow

CHOICES = {"expected": CHOOSE_EXPECTED, "best": CHOOSE_BEST, "worst": CHOOSE_WORST,
           "doc_id": CHOOSE_DOC_ID, "given": CHOOSE_GIVEN}

cdef int64_t MOST_DISCOUNTS = 1 << 14


cdef class MeasureKernel:
    """A list of measures and a tie rule.

    A measure is the name of its kernel, the lowest relevant grade, the cut-off (0: none) and the
    kernel's own arguments.  No measure tells grades below `mark_level` apart.  `shown`: how errors
    name the measures.
    """

    def __cinit__(self, measures, str ties, bint bounds, double mark_level, shown=None):
        cdef const measure_kernel *kernel
        cdef int64_t deepest = -1
        self.capacity = self.scratch_capacity = 0
        self.needs_work = False
        self.shown = tuple([row[0] for row in measures] if shown is None else shown)
        memset(&self.memory, 0, sizeof(ranking_memory))
        self.watch = new_watch()
        self.measures = <measure *> calloc(max(1, len(measures)), sizeof(measure))
        if self.measures == NULL:
            raise MemoryError
        for i, (name, relevant_from, cutoff, arguments) in enumerate(measures):
            kernel = measure_find(name.encode())
            if kernel == NULL or len(arguments) > MEASURE_ARGUMENTS:
                raise ValueError(f"no kernel of measures is called {name!r} with "
                                 f"{len(arguments)} arguments")
            self.measures[i].kernel = kernel
            self.measures[i].relevant_from = relevant_from
            self.measures[i].cutoff = cutoff
            self.measures[i].n_arguments = len(arguments)
            for j, argument in enumerate(arguments):
                self.measures[i].argument[j] = argument
            if kernel.needs & MEASURE_WORK and (bounds or ties not in ("doc_id", "given")):
                self.needs_work = True
            if kernel.needs & MEASURE_DISCOUNTS:
                deepest = max(deepest, min(cutoff or MOST_DISCOUNTS, MOST_DISCOUNTS))
        self.task.n_measures = len(measures)
        self.task.measures = self.measures
        self.task.choice = CHOICES[ties]
        self.task.bounds = bounds
        self.task.mark_level = mark_level
        self.discount = 1 / np.log2(np.arange(2, max(deepest, 0) + 3))

    def __dealloc__(self):
        free(self.measures)
        self.release()

    def release(self):
        free_memory(&self.memory.order)
        free_memory(&self.memory.refined)
        free(self.memory.measure.scratch)
        free(self.memory.measure.work)
        self.memory.measure.scratch = NULL
        self.memory.measure.work = NULL
        self.memory.measure.work_size = 0
        self.capacity = self.scratch_capacity = 0

    cdef int reserve(self, int64_t n_rows) except -1:
        """Allocate memory for queries of so many rows."""
        if n_rows <= self.capacity:
            return 0
        self.release()
        cdef size_t n = n_rows + 2
        self.memory.measure.scratch = <double *> malloc(4 * n * sizeof(double))
        if self.needs_work:  # where it is not used, the system lends none
            self.memory.measure.work_size = work_size(n_rows)
            self.memory.measure.work = malloc(self.memory.measure.work_size)
        if not (make_memory(&self.memory.order, n) and make_memory(&self.memory.refined, n)
                and self.memory.measure.scratch != NULL
                and (self.memory.measure.work != NULL or not self.needs_work)):
            self.release()
            raise MemoryError(f"not enough memory to rank {n_rows} documents")
        self.capacity = self.scratch_capacity = n_rows
        return 0

    cdef int reserve_ranks(self, int64_t n_docs) except -1:
        """Memory for ranks of more documents than rows, where a kernel goes through them place by
        place."""
        cdef int64_t i, deepest = 0
        cdef double *larger
        for i in range(self.task.n_measures):
            deepest = max(deepest, measure_places(&self.measures[i], n_docs))
        deepest += self.capacity  # the documents that stop the reader are there too
        if deepest > self.scratch_capacity:
            larger = <double *> realloc(self.memory.measure.scratch,
                                        4 * <size_t> (deepest + 2) * sizeof(double))
            if larger == NULL:
                raise MemoryError(f"not enough memory to rank {n_docs} documents")
            self.memory.measure.scratch = larger
            self.scratch_capacity = deepest
        return 0

    cdef object refusal(self):
        """The error of RANKING_TOO_MANY_ORDERS."""
        cdef int64_t at = self.memory.refused
        is_mean = self.memory.refused_end == TIE_MEAN
        what = "exact expectation" if is_mean else "best and worst order"
        others, advice = "'best', 'worst', 'doc_id'", ""
        if self.measures[at].kernel.needs & MEASURE_ENDS:
            others, advice = "'doc_id'", ", without bounds" if self.task.bounds else ""
        return BadRow(f"{self.shown[at]}: the ties are too large for the {what}: "
                      f"choose ties={others} or 'given'{advice}")

    cdef void lend_memory(self) noexcept nogil:
        """Let the memory point to what this kernel holds."""
        self.memory.measure.discount = &self.discount[0]
        self.memory.measure.n_discounts = self.discount.shape[0]
        self.memory.order.watch = self.memory.refined.watch = &self.watch
        self.memory.measure.watch = &self.watch

    cdef int64_t evaluate(self, const ranked_query *query, double *value, double *low,
                          double *high) noexcept nogil:
        """Fill value[] (and low[], high[] with bounds).  Returns -1, or the first row whose score
        is NaN, or a code of ranking.h.

        The results mean nothing once the watch has stopped the work.
        """
        self.lend_memory()
        return ranking_evaluate(&self.task, query, &self.memory, value, low, high)

    cdef int64_t resume(self, const ranked_query *query, double *value, double *low,
                        double *high) noexcept nogil:
        """The rest of `evaluate`, which asked for the names that the query has now."""
        return ranking_resume(&self.task, query, &self.memory, value, low, high)


cdef int64_t work_size(int64_t n_rows) noexcept:
    """Bytes that hold some arrays of rows, and counts of up to 2^20 states."""
    return 8 * max(16 * (n_rows + 2), 1 << min(n_rows, 20))


cdef bint make_memory(weak_order_memory *memory, size_t n) noexcept:
    memory.before = <int64_t *> malloc(n * sizeof(int64_t))
    memory.size = <int64_t *> malloc(n * sizeof(int64_t))
    memory.end = <int64_t *> malloc(n * sizeof(int64_t))
    memory.grade = <double *> malloc(n * sizeof(double))
    memory.mark = <weak_order_mark *> malloc(n * sizeof(weak_order_mark))
    memory.mark_scratch = <weak_order_mark *> malloc(n * sizeof(weak_order_mark))
    memory.pairs = <int64_t *> malloc(2 * n * sizeof(int64_t))
    return (memory.before != NULL and memory.size != NULL and memory.end != NULL
            and memory.grade != NULL and memory.mark != NULL and memory.mark_scratch != NULL
            and memory.pairs != NULL)


cdef void free_memory(weak_order_memory *memory) noexcept:
    free(memory.before)
    free(memory.size)
    free(memory.end)
    free(memory.grade)
    free(memory.mark)
    free(memory.mark_scratch)
    free(memory.pairs)
    memset(memory, 0, sizeof(weak_order_memory))
