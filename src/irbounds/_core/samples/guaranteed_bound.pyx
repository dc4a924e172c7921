"""Guaranteed bounds of many samples of one design, through guaranteed_bound.h, weighted_counts.h
and exponential_bound.h."""
from libc.stdint cimport int64_t

import numpy as np

from irbounds._core.common.signals cimport new_watch, raise_if_stopped, work_watch

cdef extern from "bounds/count_tails.h" nogil:
    ctypedef struct sampled_group:
        int64_t n_strata
        double *size
        double *sampled
        double *exact

    ctypedef struct tail_table:
        double *storage
        int64_t size

    enum:
        TABLES_OF_A_GROUP

    ctypedef struct count_tails:
        tail_table table[3]
        int n_tables

    int64_t count_tails_storage(const sampled_group *group)
    int64_t count_tails_exact(const sampled_group *group)
    void count_tails_divide(sampled_group *group)

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
    int guaranteed_reaches(bound_search *search, double q)

cdef extern from "bounds/weighted_counts.h" nogil:
    enum:
        MOST_WEIGHTED

    ctypedef struct count_points:
        double *mass
        double *tail

    ctypedef struct weighted_search:
        int64_t n_strata
        sampled_group group[4]
        int is_falling[4]
        double seen[4]
        share_measure measure
        double alpha
        double chance
        count_tails tails[4]
        count_points points[4]
        double *pair_mass
        double *pair_tail
        int64_t evaluations
        work_watch *watch

    int64_t weighted_most_points()
    int64_t weighted_lattice()
    double weighted_least(weighted_search *search)
    int weighted_likely_reaches(weighted_search *search, double q)

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


cdef double *held_values(list held, Py_ssize_t n):
    """New values, which the list keeps."""
    cdef double[::1] values = np.empty(max(n, 1))
    held.append(values)
    return &values[0]


cdef void set_group(object fields, sampled_group *group, count_tails *tails, list held):
    """A group of strata, and room for its tails."""
    cdef int i
    cdef Py_ssize_t n
    cdef double[::1] size, sampled
    size, sampled = (np.array(field, float) for field in fields)
    held += [size, sampled]
    group.n_strata, group.size, group.sampled = size.shape[0] - 1, &size[0], &sampled[0]
    group.exact = NULL
    if (n := count_tails_exact(group)) > 0:
        group.exact = held_values(held, n)
        count_tails_divide(group)
    for i in range(TABLES_OF_A_GROUP):
        n = count_tails_storage(group) if i == 0 or group.n_strata > 1 else 1
        tails.table[i].storage, tails.table[i].size = held_values(held, n), n


cdef class BoundSearch:
    """Two groups of documents, each as two arrays: what the first 0, 1, 2, ... of its strata hold
    and what was sampled of them, by rising sampling fractions.  `alpha` is the test's level,
    `z` the quantile of its order, `looser` has both for larger alphas; `chance` is the level of
    each group's yields."""

    cdef bound_search search
    cdef list held
    cdef double chance

    def __cinit__(self, groups, double alpha, double chance, double z, double tolerance,
                  looser=()):
        cdef int i
        cdef double *storage
        self.held = []
        for i in range(2):
            set_group(groups[i], &self.search.group[i], &self.search.tails[i], self.held)
        storage = held_values(self.held, 2 * guaranteed_most_blocks() + 1)
        self.search.start, self.search.stair = storage, storage + guaranteed_most_blocks() + 1
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

    def least(self, const double[:, ::1] seen, const double[:, ::1] measures, double target=-1):
        """The bounds for rows of relevant documents in the samples, and of gain and loss; the
        search for one begins where the last one ended.  With a target 1 where the bound reaches
        it, else 0."""
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
                if target >= 0:
                    to[i] = guaranteed_reaches(&self.search, target)
                else:
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


cdef class WeightedSearch:
    """Two to four strata, or groups of strata of about one sampling rate, each as two arrays: what
    the first 0, 1, 2, ... of its strata hold and what was sampled of them.  `falling` has 1 where
    the measure falls with the relevant documents.  `alpha` is the test's level, `chance` that of
    either end of each yield."""

    cdef weighted_search search
    cdef list held

    def __cinit__(self, groups, falling, double alpha, double chance):
        cdef int i
        cdef double *storage
        if not 2 <= len(groups) <= MOST_WEIGHTED:
            raise ValueError("two to four groups")
        self.held = []
        self.search.n_strata = len(groups)
        for i in range(len(groups)):
            set_group(groups[i], &self.search.group[i], &self.search.tails[i], self.held)
            self.search.is_falling[i] = falling[i]
            storage = held_values(self.held, 2 * weighted_most_points())
            self.search.points[i].mass = storage
            self.search.points[i].tail = storage + weighted_most_points()
        storage = held_values(self.held, 2 * weighted_lattice())
        self.search.pair_mass, self.search.pair_tail = storage, storage + weighted_lattice()
        self.search.alpha, self.search.chance = alpha, chance

    def least(self, const double[:, ::1] seen, const double[:, ::1] measures, double target=-1):
        """The bounds for rows of relevant documents in the samples, and of gain and loss.  With a
        target 1 where the bound likely reaches it, else 0."""
        cdef Py_ssize_t i, k
        cdef work_watch watch = new_watch()
        result = np.empty(seen.shape[0])
        cdef double[::1] to = result
        self.search.watch = &watch
        self.search.evaluations = 0
        with nogil:
            for i in range(seen.shape[0]):
                for k in range(self.search.n_strata):
                    self.search.seen[k] = seen[i, k]
                for k in range(3):
                    self.search.measure.gain[k] = measures[i, k]
                    self.search.measure.loss[k] = measures[i, 3 + k]
                if target >= 0:
                    to[i] = weighted_likely_reaches(&self.search, target)
                else:
                    to[i] = weighted_least(&self.search)
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
