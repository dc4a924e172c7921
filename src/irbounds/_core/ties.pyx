"""Measures of one query's ranking: the kernel that all evaluation goes through."""
from libc.math cimport fmax, fmin
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memset

import numpy as np

from irbounds._core.signals cimport new_watch, watch_stops

cdef extern from "ties.h" nogil:
    enum:
        TIES_AP, TIES_P, TIES_R, TIES_F, TIES_RR, TIES_SUCCESS, TIES_RPREC
        TIES_SET_P, TIES_SET_R, TIES_SET_F, TIES_SET_AP, TIES_SET_REL_P
        TIES_NUM_RET, TIES_NUM_REL, TIES_NUM_REL_RET, TIES_JUDGED
        TIES_DCG, TIES_NDCG, TIES_RBP, TIES_ERR, TIES_BPREF, TIES_IPREC
        TIES_ESL, TIES_PRR, TIES_PRECALL, TIES_EP, TIES_ER, TIES_FALLOUT, TIES_HT
        STOP_AT_RELEVANT, STOP_AT_RECALL, STOP_AT_RECALL_CEILING, STOP_AT_DOCUMENTS

KINDS = {
    "AP": TIES_AP, "P": TIES_P, "R": TIES_R, "F": TIES_F, "RR": TIES_RR, "Success": TIES_SUCCESS,
    "Rprec": TIES_RPREC,
    "SetP": TIES_SET_P, "SetR": TIES_SET_R, "SetF": TIES_SET_F, "SetAP": TIES_SET_AP,
    "SetRelP": TIES_SET_REL_P,
    "NumRet": TIES_NUM_RET, "NumRel": TIES_NUM_REL, "NumRelRet": TIES_NUM_REL_RET,
    "Judged": TIES_JUDGED,
    "DCG": TIES_DCG, "nDCG": TIES_NDCG, "RBP": TIES_RBP, "ERR": TIES_ERR, "Bpref": TIES_BPREF,
    "IPrec": TIES_IPREC,
    "ESL": TIES_ESL, "PRR": TIES_PRR, "PRECALL": TIES_PRECALL, "EP": TIES_EP,
    "ER": TIES_ER, "Fallout": TIES_FALLOUT, "HT": TIES_HT,
}
STOPS = {"nr": STOP_AT_RELEVANT, "recall": STOP_AT_RECALL, "ceiling": STOP_AT_RECALL_CEILING,
         "nd": STOP_AT_DOCUMENTS}
CHOICES = {"expected": CHOOSE_EXPECTED, "best": CHOOSE_BEST, "worst": CHOOSE_WORST,
           "doc_id": CHOOSE_DOC_ID,
           "given": CHOOSE_GIVEN}

cdef int64_t MOST_DISCOUNTS = 1 << 14


cdef class TiesKernel:
    """A list of measures (dicts of the fields of ties_measure, with names for kind and stop) and a
    tie rule."""

    def __cinit__(self, list measures, str ties, bint bounds, double mark_level):
        self.n_measures = len(measures)
        self.measures = <ties_measure *> malloc(max(1, len(measures)) * sizeof(ties_measure))
        self.capacity = self.scratch_capacity = 0
        memset(&self.room, 0, sizeof(weak_order_room))
        memset(&self.refined_room, 0, sizeof(weak_order_room))
        self.watch = new_watch()
        self.scratch = NULL
        if self.measures == NULL:
            raise MemoryError
        for i, measure in enumerate(measures):
            self.measures[i] = ties_measure(
                kind=KINDS[measure["kind"]], stop=STOPS[measure.get("stop", "nr")],
                at=measure.get("at", 0),
                relevant_from=measure.get("relevant_from", 1), cutoff=measure.get("cutoff", 0),
                beta=measure.get("beta", 1), p=measure.get("p", 0),
                max_grade=measure.get("max_grade", 0),
                exponential_gain=measure.get("exponential_gain", 0),
                is_graded=measure.get("is_graded", 0))
        self.choice = CHOICES[ties]
        self.bounds = bounds
        self.mark_level = mark_level
        deepest = max([MOST_DISCOUNTS if measure.get("cutoff", 0) == 0 else measure["cutoff"]
                       for measure in measures if measure["kind"] in ("DCG", "nDCG")], default=0)
        self.discount = 1 / np.log2(np.arange(2, min(deepest, MOST_DISCOUNTS) + 3))

    def __dealloc__(self):
        free(self.measures)
        self.release()

    def release(self):
        for room in range(2):
            free_room(&self.refined_room if room else &self.room)
        free(self.scratch)
        self.scratch = NULL
        self.capacity = self.scratch_capacity = 0

    cdef int reserve(self, int64_t n_rows) except -1:
        """Room for queries of so many rows."""
        if n_rows <= self.capacity:
            return 0
        self.release()
        cdef size_t n = n_rows + 2
        self.scratch = <double *> malloc(4 * n * sizeof(double))
        if not make_room(&self.room, n) or not make_room(&self.refined_room,
                                                         n) or self.scratch == NULL:
            self.release()
            raise MemoryError(f"no room to rank {n_rows} documents")
        self.capacity = self.scratch_capacity = n_rows
        return 0

    cdef int reserve_ranks(self, int64_t n_docs) except -1:
        """Room for ranks of more documents than rows: ERR goes through them place by place."""
        cdef int64_t i, deepest = 0
        cdef double *larger
        for i in range(self.n_measures):
            if self.measures[i].kind == TIES_ERR:
                deepest = max(deepest, min(n_docs, self.measures[i].cutoff or n_docs))
        deepest += self.capacity  # the documents that stop the reader stand there too
        if deepest > self.scratch_capacity:
            larger = <double *> realloc(self.scratch, 4 * <size_t> (deepest + 2) * sizeof(double))
            if larger == NULL:
                raise MemoryError(f"no room to rank {n_docs} documents")
            self.scratch = larger
            self.scratch_capacity = deepest
        return 0

    cdef int64_t evaluate(self, const ranked_query *query, double *value, double *low,
                          double *high) noexcept nogil:
        """Fill value[] (and low[], high[] with bounds).  Returns -1, or the first row whose score
        is NaN.

        What is filled in means nothing once the watch has stopped the work.
        """
        cdef weak_order order, refined
        cdef ties_room room
        cdef int64_t bad, i
        cdef bint apart = self.choice == CHOOSE_DOC_ID or self.choice == CHOOSE_GIVEN
        room.discount = &self.discount[0]
        room.n_discounts = self.discount.shape[0]
        room.scratch = self.scratch
        room.watch = self.room.watch = self.refined_room.watch = &self.watch
        if not apart or self.bounds:
            bad = self.build(query, TIES_TOGETHER, &order)
            if bad >= 0:
                return bad
            refined = order
            if self.choice == CHOOSE_EXPECTED:
                self.fill(&order, query, &room, value)
            if self.bounds or self.choice == CHOOSE_BEST:
                if weak_order_is_mixed(&order):
                    weak_order_refine(&order, True, &self.refined_room, &refined)
                self.fill(&refined, query, &room, high if self.bounds else value)
            if self.bounds or self.choice == CHOOSE_WORST:
                if weak_order_is_mixed(&order):
                    weak_order_refine(&order, False, &self.refined_room, &refined)
                self.fill(&refined, query, &room, low if self.bounds else value)
            if self.bounds and self.choice == CHOOSE_BEST:
                for i in range(self.n_measures):
                    value[i] = high[i]
            elif self.bounds and self.choice == CHOOSE_WORST:
                for i in range(self.n_measures):
                    value[i] = low[i]
        if apart:
            bad = self.build(query, TIES_BY_DOC_ID if self.choice == CHOOSE_DOC_ID
                             else TIES_BY_ROW, &order)
            if bad >= 0:
                return bad
            self.fill(&order, query, &room, value)
        if self.bounds:
            # low and high are numbers: for ESL and Fallout the best is the lowest
            for i in range(self.n_measures):
                if low[i] > high[i]:
                    low[i], high[i] = high[i], low[i]
                low[i] = fmin(low[i], value[i])  # rounding may differ in the last digit
                high[i] = fmax(high[i], value[i])
        return -1

    cdef int64_t build(self, const ranked_query *query, tie_rule rule,
                       weak_order *order) noexcept nogil:
        cdef int64_t bad = weak_order_build(query.score, query.grade, query.n_rows,
                                            self.mark_level, rule, query.names,
                                            &self.room, order)
        if bad < 0 and query.times != NULL:
            weak_order_expand(query.times, query.n_rows, &self.room, order)
        return bad

    cdef void fill(self, const weak_order *order, const ranked_query *query, const ties_room *room,
                   double *value) noexcept nogil:
        cdef int64_t i
        for i in range(self.n_measures):
            if watch_stops(&self.watch, order.n_docs):
                return
            value[i] = ties_value(&self.measures[i], order, &query.judgments, room)


cdef bint make_room(weak_order_room *room, size_t n) noexcept:
    room.before = <int64_t *> malloc(n * sizeof(int64_t))
    room.size = <int64_t *> malloc(n * sizeof(int64_t))
    room.end = <int64_t *> malloc(n * sizeof(int64_t))
    room.grade = <double *> malloc(n * sizeof(double))
    room.mark = <weak_order_mark *> malloc(n * sizeof(weak_order_mark))
    room.mark_scratch = <weak_order_mark *> malloc(n * sizeof(weak_order_mark))
    room.pairs = <int64_t *> malloc(2 * n * sizeof(int64_t))
    return (room.before != NULL and room.size != NULL and room.end != NULL and room.grade != NULL
            and room.mark != NULL and room.mark_scratch != NULL and room.pairs != NULL)


cdef void free_room(weak_order_room *room) noexcept:
    free(room.before)
    free(room.size)
    free(room.end)
    free(room.grade)
    free(room.mark)
    free(room.mark_scratch)
    free(room.pairs)
    memset(room, 0, sizeof(weak_order_room))
