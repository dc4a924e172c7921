"""Arrays of stops through the kernel of search_length.h."""
from libc.stdint cimport int64_t

import numpy as np

from irbounds._core.common.signals cimport new_watch, raise_if_stopped, watch_stops, work_watch

cdef extern from "measures/search_length.h" nogil:
    ctypedef struct stopping_ranks:
        int64_t n_ranks
        const double *relevant_before
        const double *nonrelevant_before
        const double *relevant
        const double *nonrelevant
        double n_relevant
        work_watch *watch

    enum stopping_measure:
        STOP_PRR
        STOP_PRECALL
        STOP_EP

    double stopping_point(double x, double n)
    double expected_search_length(const stopping_ranks *ranks, double wanted)
    double precision_at_stop(const stopping_ranks *ranks, stopping_measure measure, double wanted)
    double precision_at_recall(const stopping_ranks *ranks, stopping_measure measure, double level,
                               int ceiling)
    double expected_relevant_at(const stopping_ranks *ranks, double n_docs)
    double expected_nonrelevant_at(const stopping_ranks *ranks, double n_docs)
    void search_length_probabilities(double s, double r, int64_t i, double *probability,
                                     work_watch *watch)

MEASURES = {"prr": STOP_PRR, "precall": STOP_PRECALL, "ep": STOP_EP}


cdef class StoppingRanks:
    """The ranks that hold a relevant document, as arrays: documents before each (relevant, not) and
    in it."""
    cdef double[:, ::1] columns
    cdef stopping_ranks c

    def __init__(self, relevant_before, nonrelevant_before, relevant, nonrelevant,
                 double n_relevant):
        self.c.n_ranks = len(relevant)
        self.columns = np.zeros((4, len(relevant) + 1))
        for i, column in enumerate((relevant_before, nonrelevant_before, relevant, nonrelevant)):
            np.asarray(self.columns)[i, :-1] = column
        self.c.relevant_before, self.c.nonrelevant_before = &self.columns[0, 0], &self.columns[1, 0]
        self.c.relevant, self.c.nonrelevant = &self.columns[2, 0], &self.columns[3, 0]
        self.c.n_relevant = n_relevant

    def search_length(self, const double[::1] wanted):
        result = np.empty(wanted.shape[0])
        cdef double[::1] to = result
        cdef Py_ssize_t i
        with nogil:
            for i in range(wanted.shape[0]):
                to[i] = expected_search_length(&self.c, wanted[i])
        return result

    def precision_at_stop(self, str measure, const double[::1] wanted):
        result = np.empty(wanted.shape[0])
        cdef double[::1] to = result
        cdef stopping_measure kind = MEASURES[measure]
        cdef stopping_ranks ranks = self.c  # with a watch of this call's own
        cdef work_watch watch = new_watch()
        cdef Py_ssize_t i
        ranks.watch = &watch
        with nogil:
            for i in range(wanted.shape[0]):
                to[i] = precision_at_stop(&ranks, kind, wanted[i])
                if watch_stops(&watch, 64):
                    break
        raise_if_stopped(&watch)
        return result

    def precision_at_recall(self, str measure, const double[::1] level, bint ceiling):
        result = np.empty(level.shape[0])
        cdef double[::1] to = result
        cdef stopping_measure kind = MEASURES[measure]
        cdef stopping_ranks ranks = self.c
        cdef work_watch watch = new_watch()
        cdef Py_ssize_t i
        ranks.watch = &watch
        with nogil:
            for i in range(level.shape[0]):
                to[i] = precision_at_recall(&ranks, kind, level[i], ceiling)
                if watch_stops(&watch, 64):
                    break
        raise_if_stopped(&watch)
        return result

    def relevant_at(self, const double[::1] n_docs):
        result = np.empty(n_docs.shape[0])
        cdef double[::1] to = result
        cdef Py_ssize_t i
        with nogil:
            for i in range(n_docs.shape[0]):
                to[i] = expected_relevant_at(&self.c, n_docs[i])
        return result

    def nonrelevant_at(self, const double[::1] n_docs):
        result = np.empty(n_docs.shape[0])
        cdef double[::1] to = result
        cdef Py_ssize_t i
        with nogil:
            for i in range(n_docs.shape[0]):
                to[i] = expected_nonrelevant_at(&self.c, n_docs[i])
        return result


def probabilities(double s, double relevant, int64_t nonrelevant):
    """P_v, v = 0 .. nonrelevant, of Lemma 3.1."""
    result = np.empty(nonrelevant + 1)
    cdef double[::1] to = result
    cdef work_watch watch = new_watch()
    with nogil:
        search_length_probabilities(s, relevant, nonrelevant, &to[0], &watch)
    raise_if_stopped(&watch)
    return result
