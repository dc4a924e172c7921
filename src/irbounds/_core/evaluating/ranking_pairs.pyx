"""Two rankings of each query compared: documents of one looked up in the other, then the kernel."""
from libc.stdint cimport int32_t, int64_t, uint64_t

import numpy as np

from irbounds._core.common.signals cimport heed_signals, new_watch, raise_if_stopped, work_watch
from irbounds._core.documents.doc_index cimport DocTable, check_distinct
from irbounds._core.documents.doc_rows cimport doc_index_look_up, doc_index_size, doc_table
from irbounds._core.evaluating.equal_scores cimport EqualScores

cdef extern from "two_rankings/two_rankings.h" nogil:
    ctypedef struct pair_measure:
        int32_t kind, ties
        int64_t cutoff
        double p

    ctypedef struct weak_ranking:
        int64_t n_docs
        int64_t *start
        int64_t *group
        int64_t *order

    ctypedef struct ranking_pair:
        int64_t n_items
        weak_ranking a, b
        int64_t *scratch
        double *number
        work_watch *watch

    void pair_rank(const double *score, const int64_t *item, int64_t n_docs, ranking_pair *pair,
                   weak_ranking *ranking)
    void pair_evaluate(ranking_pair *pair, const pair_measure *measures, int64_t n, double *value,
                       double *low, double *high)

cdef enum:
    ARRAYS = 11  # of n_items and two: start, group, order of each; four of scratch; items
    NUMBERS = 7  # of n_items and one: the overlap at each depth; rows and what is found

MEASURE = np.dtype([("kind", np.int32), ("ties", np.int32), ("cutoff", np.int64),
                    ("p", np.float64)])


cdef class PairJob:
    """Measures of two tables, in which each query has a document once.

    measures: an array of MEASURE; bounds: whether low and high are filled as well; n_common: the
    documents that queries have in both.
    """
    cdef const unsigned char[::1] measures
    cdef int64_t n_measures, room
    cdef readonly int64_t n_common
    cdef EqualScores equal_scores
    cdef bint bounds
    cdef int64_t[::1] whole
    cdef double[::1] number
    cdef uint64_t[::1] slots
    cdef ranking_pair pair
    cdef work_watch watch

    def __init__(self, measures, EqualScores equal_scores not None, bint bounds):
        self.n_measures = len(measures)
        self.measures = np.ascontiguousarray(measures, MEASURE).view(np.uint8)
        self.equal_scores, self.bounds = equal_scores, bounds
        self.room, self.n_common = -1, 0
        self.watch = new_watch()

    cdef int reserve(self, int64_t n_items) except -1:
        cdef int64_t step
        if n_items > self.room:
            self.room = max(n_items, 2 * self.room, 64)
            step = self.room + 2
            self.whole = np.empty(ARRAYS * step, np.int64)
            self.number = np.empty(NUMBERS * (self.room + 1))
            self.slots = np.empty(doc_index_size(2 * self.room), np.uint64)
            self.pair.a.start, self.pair.b.start = &self.whole[0], &self.whole[step]
            self.pair.a.group, self.pair.b.group = &self.whole[2 * step], &self.whole[3 * step]
            self.pair.a.order, self.pair.b.order = &self.whole[4 * step], &self.whole[5 * step]
            self.pair.scratch, self.pair.number = &self.whole[6 * step], &self.number[0]
            self.pair.watch = &self.watch
        return 0

    def run(self, DocTable a, DocTable b, const int64_t[::1] of_a, const int64_t[::1] of_b):
        """Query i is number of_a[i] of a and of_b[i] of b, -1 where b lacks it: values, low and
        high, of shape (queries, measures)."""
        cdef Py_ssize_t i, q
        cdef int64_t start = 0, stop = 0
        shape = of_a.shape[0], self.n_measures
        cdef double[:, ::1] values = np.empty(shape), low = np.empty(shape), high = np.empty(shape)
        for i in range(of_a.shape[0]):
            q = of_b[i]
            start = stop = 0
            if q >= 0:
                start, stop = b.start[q], b.start[q + 1]
            self.match(a, of_a[i], b, start, stop)
            self.measure(a, of_a[i], b, start, stop, &values[i, 0], &low[i, 0], &high[i, 0])
            if i & 0xFFF == 0:
                heed_signals()
        return np.asarray(values), np.asarray(low), np.asarray(high)

    cdef int match(self, DocTable a, Py_ssize_t q, DocTable b, int64_t start,
                   int64_t stop) except -1:
        """The item of each document of b: its row in a, or one of its own."""
        cdef int64_t first = a.start[q], n_a = a.start[q + 1] - first, n_b = stop - start, i
        cdef int64_t n_items = n_a
        cdef doc_table known, wanted
        self.reserve(n_a + n_b)
        check_distinct(a.rows, first, first + n_a, a.query_ids[q], self.slots)
        known, wanted = a.rows.table(first, first + n_a), b.rows.table(start, stop)
        cdef double *row = &self.number[0]
        cdef double *found = row + n_a
        cdef int64_t *item = &self.whole[10 * (self.room + 2)]
        with nogil:
            for i in range(n_a):
                row[i] = <double> i
            self.n_common += doc_index_look_up(&known, &self.slots[0], doc_index_size(2 * n_a), row,
                                               &wanted, -1.0, found)
            for i in range(n_b):
                item[i] = <int64_t> found[i]
                if item[i] < 0:
                    item[i] = n_items
                    n_items += 1
        self.pair.n_items = n_items
        return 0

    cdef int measure(self, DocTable a, Py_ssize_t q, DocTable b, int64_t start, int64_t stop,
                     double *value, double *low, double *high) except -1:
        """The measures of one query whose items are known."""
        cdef int64_t n_a = a.start[q + 1] - a.start[q]
        cdef const double *score = self.equal_scores.merge(a.rows.c.value + a.start[q], n_a)
        cdef const int64_t *item = &self.whole[10 * (self.room + 2)]
        with nogil:
            pair_rank(score, NULL, n_a, &self.pair, &self.pair.a)
        score = self.equal_scores.merge(b.rows.c.value + start, stop - start)
        with nogil:
            pair_rank(score, item, stop - start, &self.pair, &self.pair.b)
            if not self.watch.is_stopped:
                pair_evaluate(&self.pair, <const pair_measure *> &self.measures[0],
                              self.n_measures, value, low if self.bounds else NULL, high)
        return raise_if_stopped(&self.watch)
