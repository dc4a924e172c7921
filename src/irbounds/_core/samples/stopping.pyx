"""Screening stops through stopping_urns.h and stopping_bets.h."""
from libc.stdint cimport int64_t, uint8_t

import numpy as np

from irbounds._core.common.signals cimport new_watch, raise_if_stopped, work_watch

cdef extern from "bounds/stopping_urns.h" nogil:
    ctypedef struct review_state:
        double population
        double read
        double found
        double total

    ctypedef struct urn_tail:
        double below
        double point

    ctypedef struct urn_curve:
        review_state now
        int64_t n_urns
        int64_t capacity
        double *start
        double *start_others
        double *below
        double *point
        double *peak
        int64_t steps
        int64_t least
        int after_relevant
        int is_certain
        work_watch *watch

    urn_tail urn_tail_at(const review_state *now, double start, double start_found,
                         work_watch *watch)
    void urn_curve_set(urn_curve *curve, double population, double total)
    void urn_curve_follow(urn_curve *curve, const uint8_t *label, int64_t n, const double *total,
                          double *least, double *start)

cdef extern from "bounds/stopping_bets.h" nogil:
    enum:
        BETTORS

    ctypedef struct bet_state:
        double population
        double read
        double found
        double bar
        double relevant[2]
        double seen[2]
        int64_t first
        int64_t last
        double *least
        double *most
        double *wealth[2]
        double *unit[2]
        double *scale[2]
        int64_t bets
        work_watch *watch

    int64_t bet_cells(double population)
    void bet_set(bet_state *state, double population, double alpha)
    void bet_follow(bet_state *state, const uint8_t *label, int64_t n, double *largest)

cdef enum:
    ARRAYS_OF_URNS = 5
    ARRAYS_OF_BETS = 8


def urns_at(double population, double read, double found, double total, const double[::1] start,
            const double[::1] start_found):
    """P(X <= k) of urns that began after so many documents, so many of them relevant."""
    cdef review_state now
    cdef work_watch watch = new_watch()
    cdef Py_ssize_t j
    result = np.empty(start.shape[0])
    cdef double[::1] to = result
    now.population, now.read, now.found, now.total = population, read, found, total
    with nogil:
        for j in range(start.shape[0]):
            to[j] = urn_tail_at(&now, start[j], start_found[j], &watch).below
            if watch.is_stopped:
                break
    raise_if_stopped(&watch)
    return result


cdef class Urns:
    """A review for BUSCAR's curve, after some documents. It never changes: `follow` returns what
    comes next."""

    cdef urn_curve curve
    cdef double[:, ::1] arrays

    def __cinit__(self, double population=0, double total=1):
        self.point_to(np.empty((ARRAYS_OF_URNS, 1)))
        urn_curve_set(&self.curve, population, total)

    cdef void point_to(self, double[:, ::1] arrays):
        cdef urn_curve *c = &self.curve
        self.arrays = arrays
        c.capacity = arrays.shape[1]
        c.start, c.start_others, c.below = &arrays[0, 0], &arrays[1, 0], &arrays[2, 0]
        c.point, c.peak = &arrays[3, 0], &arrays[4, 0]

    def follow(self, const uint8_t[::1] labels, const double[::1] totals):
        """The next state, the least p after each document, and where its urn began; `totals` has
        the least total with which 0, 1, ... found documents are too few."""
        cdef Urns after = Urns()
        cdef work_watch watch = new_watch()
        cdef Py_ssize_t n = labels.shape[0], known = self.curve.n_urns
        marks = np.asarray(labels) != 0
        before = np.concatenate([[self.curve.after_relevant != 0], marks[:-1]])
        arrays = np.empty((ARRAYS_OF_URNS, known + np.count_nonzero(before & ~marks) + 1))
        arrays[:, :known] = np.asarray(self.arrays)[:, :known]
        after.curve = self.curve
        after.point_to(arrays)
        least, start = np.empty(n), np.empty(n)
        cdef double[::1] least_to = least, start_to = start
        after.curve.watch = &watch
        if n:
            with nogil:
                urn_curve_follow(&after.curve, &labels[0], n, &totals[0], &least_to[0],
                                 &start_to[0])
        after.curve.watch = NULL
        raise_if_stopped(&watch)
        return after, least, start


cdef class Bets:
    """Wealths against all totals of a review, after some documents. It never changes: `follow`
    returns what comes next."""

    cdef bet_state state
    cdef double[:, ::1] arrays

    def __cinit__(self, double population=0, double alpha=1):
        self.point_to(np.empty((ARRAYS_OF_BETS, bet_cells(population))))
        bet_set(&self.state, population, alpha)

    cdef void point_to(self, double[:, ::1] arrays):
        cdef bet_state *s = &self.state
        cdef int i
        self.arrays = arrays
        s.least, s.most = &arrays[0, 0], &arrays[1, 0]
        for i in range(BETTORS):
            s.wealth[i], s.unit[i] = &arrays[2 + i, 0], &arrays[4 + i, 0]
            s.scale[i] = &arrays[6 + i, 0]

    def __reduce__(self):
        cdef bet_state *s = &self.state
        counts = (s.read, s.found, s.bar, s.first, s.last, s.bets)
        return Bets, (s.population,), (counts, s.relevant, s.seen, np.array(self.arrays))

    def __setstate__(self, state):
        cdef bet_state *s = &self.state
        cdef int i
        counts, relevant, seen, arrays = state
        s.read, s.found, s.bar, s.first, s.last, s.bets = counts
        for i in range(BETTORS):
            s.relevant[i], s.seen[i] = relevant[i], seen[i]
        self.point_to(arrays)

    def follow(self, const uint8_t[::1] labels):
        """The next state, and the largest total that is left after each document, -1 where none is.
        """
        cdef Bets after = Bets()
        cdef work_watch watch = new_watch()
        cdef Py_ssize_t n = labels.shape[0]
        largest = np.empty(n)
        cdef double[::1] to = largest
        after.state = self.state
        after.point_to(np.array(self.arrays))
        after.state.watch = &watch
        if n:
            with nogil:
                bet_follow(&after.state, &labels[0], n, &to[0])
        after.state.watch = NULL
        raise_if_stopped(&watch)
        return after, largest
