"""Guaranteed bounds of many samples of one design, through guaranteed_bound.h and
exponential_bound.h."""
from libc.stdint cimport int64_t

import numpy as np

from irbounds._core.common.signals cimport new_watch, raise_if_stopped, work_watch

cdef extern from "bounds/count_tails.h" nogil:
    ctypedef struct sampled_group:
        int64_t n_strata
        double *size
        double *sampled

    ctypedef struct tail_table:
        double *storage
        int64_t size

    enum:
        TABLES_OF_A_GROUP

    ctypedef struct count_tails:
        tail_table table[3]
        int n_tables

    int64_t count_tails_storage(const sampled_group *group)

cdef extern from "bounds/guaranteed_bound.h" nogil:
    ctypedef struct share_measure:
        double gain[3]
        double loss[3]

    ctypedef struct order_level:
        double alpha
        double z

    enum:
        MOST_LOOSER

    ctypedef struct bound_search:
        sampled_group group[2]
        share_measure measure
        double seen[2]
        double alpha
        double tolerance
        double z
        int n_looser
        order_level looser[4]
        double hint
        int64_t n_blocks
        double *start
        double *stair
        count_tails tails[2]
        int64_t evaluations
        work_watch *watch

    int64_t guaranteed_most_blocks()
    void guaranteed_set_yields(bound_search *search, double chance)
    double guaranteed_likely_yield(bound_search *search, int group, double chance)
    double guaranteed_least(bound_search *search)

cdef extern from "bounds/exponential_bound.h" nogil:
    ctypedef struct strata_search:
        int64_t n_strata
        const double *size
        const double *sampled
        const double *seen
        const int64_t *group
        share_measure measure
        double alpha
        work_watch *watch

    double exponential_least(const strata_search *search)


cdef class BoundSearch:
    """Two groups of documents, each as two arrays: what the first 0, 1, 2, ... of its strata hold
    and what was sampled of them, by rising sampling fractions.  `alpha` is the test's level,
    `z` the quantile of its order, `looser` has both for larger alphas; `chance` is the level of
    each group's yields."""

    cdef bound_search search
    cdef object held
    cdef double chance

    def __cinit__(self, groups, double alpha, double chance, double z, double tolerance,
                  looser=()):
        cdef int i, j
        cdef double[::1] size, sampled, storage
        self.held = []
        for i in range(2):
            size, sampled = (np.array(field, float) for field in groups[i])
            self.search.group[i].n_strata = size.shape[0] - 1
            self.search.group[i].size, self.search.group[i].sampled = &size[0], &sampled[0]
            self.held += [size, sampled]
            for j in range(TABLES_OF_A_GROUP):
                storage = np.empty(count_tails_storage(&self.search.group[i]) if j == 0
                                   or size.shape[0] > 2 else 1)
                self.search.tails[i].table[j].storage = &storage[0]
                self.search.tails[i].table[j].size = storage.shape[0]
                self.held.append(storage)
        storage = np.empty(2 * guaranteed_most_blocks() + 1)
        self.held.append(storage)
        self.search.start, self.search.stair = &storage[0], &storage[guaranteed_most_blocks() + 1]
        self.search.alpha, self.search.z, self.search.tolerance = alpha, z, tolerance
        self.search.n_looser = len(looser)
        for i in range(len(looser)):
            self.search.looser[i].alpha, self.search.looser[i].z = looser[i]
        self.chance = chance

    cdef void ask(self, const double[:, ::1] seen, const double[:, ::1] measures,
                  Py_ssize_t i) noexcept nogil:
        cdef int k
        for k in range(2):
            self.search.seen[k] = seen[i, k]
        for k in range(3):
            self.search.measure.gain[k] = measures[i, k]
            self.search.measure.loss[k] = measures[i, 3 + k]

    def least(self, const double[:, ::1] seen, const double[:, ::1] measures):
        """The bounds for rows of relevant documents in the samples, and of gain and loss; the
        search for one begins where the last one ended."""
        cdef Py_ssize_t i
        cdef work_watch watch = new_watch()
        cdef double tolerance = self.search.tolerance
        result = np.empty(seen.shape[0])
        cdef double[::1] to = result
        self.search.watch = &watch
        self.search.hint = -1
        self.search.evaluations = 0
        with nogil:
            for i in range(seen.shape[0]):
                self.ask(seen, measures, i)
                guaranteed_set_yields(&self.search, self.chance)
                to[i] = guaranteed_least(&self.search)
                self.search.tolerance = tolerance
                if watch.is_stopped:
                    break
        self.search.watch = NULL
        raise_if_stopped(&watch)
        return result

    def likely_yields(self, int group, const double[::1] seen):
        """For each number of relevant documents in a sample: the first yield of group 0 with which
        the probability of so many or more is above `alpha`, or the last one of group 1 with which
        that of so many or fewer is."""
        cdef Py_ssize_t i
        cdef work_watch watch = new_watch()
        result = np.empty(seen.shape[0])
        cdef double[::1] to = result
        self.search.watch = &watch
        with nogil:
            for i in range(seen.shape[0]):
                self.search.seen[group] = seen[i]
                to[i] = guaranteed_likely_yield(&self.search, group, self.search.alpha)
                if watch.is_stopped:
                    break
        self.search.watch = NULL
        raise_if_stopped(&watch)
        return result

    @property
    def evaluations(self):
        """Probabilities that the last bounds took."""
        return self.search.evaluations


def exponential(const double[::1] size, const double[::1] sampled, const int64_t[::1] group,
                double alpha,
                const double[:, ::1] seen, const double[:, ::1] measures):
    """Exponential bounds for rows of relevant documents in the samples of the strata, and of gain
    and loss."""
    cdef strata_search search
    cdef Py_ssize_t i
    cdef int k
    cdef work_watch watch = new_watch()
    result = np.empty(seen.shape[0])
    cdef double[::1] to = result
    search.n_strata, search.group = size.shape[0], &group[0]
    search.size, search.sampled = &size[0], &sampled[0]
    search.alpha, search.watch = alpha, &watch
    with nogil:
        for i in range(seen.shape[0]):
            search.seen = &seen[i, 0]
            for k in range(3):
                search.measure.gain[k], search.measure.loss[k] = measures[i, k], measures[i, 3 + k]
            to[i] = exponential_least(&search)
            if watch.is_stopped:
                break
    raise_if_stopped(&watch)
    return result
