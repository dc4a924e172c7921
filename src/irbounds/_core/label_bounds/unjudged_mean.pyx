"""Means of measures over independent labels."""
from libc.stdint cimport int64_t

import numpy as np

from irbounds._core.common.signals cimport new_watch, raise_if_stopped, work_watch

cdef extern from "label_bounds/unjudged_mean.h" nogil:
    ctypedef struct label_ranks:
        int64_t n_ranks
        const int64_t *before
        const int64_t *size
        const int64_t *end
        const double *p

    ctypedef struct label_terms:
        const double *first
        const double *above
        const double *inside

    int64_t label_counts(const label_ranks *ranks, const label_terms *terms, const double *unseen,
                         int64_t n_unseen, int64_t *sure, double *mass, double *part,
                         double *scratch, work_watch *watch)
    void label_precision_terms(const label_ranks *ranks, int64_t cutoff, double *first,
                               double *inside)
    double label_stop_rank(const label_ranks *ranks, double stop, int64_t cutoff, double *scratch,
                           work_watch *watch)
    double label_success(const label_ranks *ranks, int64_t cutoff, double *scratch,
                         work_watch *watch)


cdef class LabelMeans:
    """One ranking: the probabilities of its documents, best first, and where each rank begins and
    ends; `unseen` are those of documents that it lacks."""
    cdef const int64_t[::1] before, size, end
    cdef const double[::1] p, unseen
    cdef label_ranks ranks
    cdef work_watch watch

    def __init__(self, const double[::1] p, const int64_t[::1] before, const int64_t[::1] size,
                 const double[::1] unseen):
        self.p, self.before, self.size, self.unseen = p, before, size, unseen
        end = np.add(before, size)
        self.end = end
        self.watch = new_watch()
        self.ranks.n_ranks = before.shape[0]
        if before.shape[0] > 0:
            self.ranks.before, self.ranks.size = &self.before[0], &self.size[0]
            self.ranks.end, self.ranks.p = &self.end[0], &self.p[0]

    def counts(self, const double[::1] first, const double[::1] above, const double[::1] inside):
        """(sure, mass, part): P(R = sure + r) and E[T; R = sure + r].

        The formulas are in csrc/label_bounds/unjudged_mean.h."""
        cdef int64_t n = self.p.shape[0] + self.unseen.shape[0] + 1, sure = 0, found
        mass, part, scratch = np.empty(n), np.empty(n), np.empty(3 * n)
        cdef double[::1] to_mass = mass, to_part = part, memory = scratch
        cdef label_terms terms
        cdef double none = 0
        cdef const double *unseen = &none
        terms.first = terms.above = terms.inside = &none
        if self.ranks.n_ranks > 0:
            terms.first, terms.above, terms.inside = &first[0], &above[0], &inside[0]
        if self.unseen.shape[0] > 0:
            unseen = &self.unseen[0]
        with nogil:
            found = label_counts(&self.ranks, &terms, unseen, self.unseen.shape[0], &sure,
                                 &to_mass[0], &to_part[0], &memory[0], &self.watch)
        raise_if_stopped(&self.watch)
        return sure, mass[:found + 1], part[:found + 1]

    def precision_terms(self, int64_t cutoff):
        """The terms of AP: first and inside; those above are the first."""
        first, inside = np.zeros((2, self.ranks.n_ranks + 1))
        cdef double[::1] to_first = first, to_inside = inside
        with nogil:
            label_precision_terms(&self.ranks, cutoff, &to_first[0], &to_inside[0])
        return first, inside

    def stop_rank(self, double stop, int64_t cutoff):
        """The mean of 1/place where the reader stops; 1 is RR."""
        cdef double[::1] memory = np.empty(4 * (self.p.shape[0] + 2))
        cdef double value
        with nogil:
            value = label_stop_rank(&self.ranks, stop, cutoff, &memory[0], &self.watch)
        raise_if_stopped(&self.watch)
        return value

    def success(self, int64_t cutoff):
        """P(a relevant document among the first)."""
        cdef double[::1] memory = np.empty(self.p.shape[0] + 2)
        cdef double value
        with nogil:
            value = label_success(&self.ranks, cutoff, &memory[0], &self.watch)
        raise_if_stopped(&self.watch)
        return value
