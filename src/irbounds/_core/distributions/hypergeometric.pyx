"""Arrays through the kernels of hypergeometric.h."""
from libc.stdint cimport int64_t

import numpy as np

from irbounds._core.common.signals cimport (
    heed_signals, new_watch, raise_if_stopped, watch_stops, work_watch,
)

cdef extern from "distributions/hypergeometric.h" nogil:
    ctypedef struct hypergeometric:
        double population
        double relevant
        double drawn
        work_watch *watch

    ctypedef struct hypergeometric_curve:
        pass

    enum hypergeometric_function:
        HYPERGEOMETRIC_PMF
        HYPERGEOMETRIC_CDF
        HYPERGEOMETRIC_SF

    void hypergeometric_set(hypergeometric *h, double population, double relevant, double drawn)
    double hypergeometric_value(const hypergeometric *h, hypergeometric_function function,
                                double x, int as_log)
    void hypergeometric_curve_set(hypergeometric_curve *curve, double population, double relevant)
    void hypergeometric_curve_follow(hypergeometric_curve *curve, const double *relevance,
                                     int64_t n_cuts,
                                     double *tail)

cdef enum:
    KNOWN = 4096
    PIECE = 1 << 14  # cuts between looks for signals, some of which start a long sum

FUNCTIONS = {"pmf": HYPERGEOMETRIC_PMF, "cdf": HYPERGEOMETRIC_CDF, "sf": HYPERGEOMETRIC_SF}


def values(str function, bint as_log, const double[::1] x, const double[::1] population,
           const double[::1] relevant, const double[::1] drawn):
    """One value for each element; what is known of the last parameters is used again while they
    stay."""
    cdef hypergeometric_function chosen = FUNCTIONS[function]
    cdef hypergeometric h
    cdef work_watch watch = new_watch()
    cdef Py_ssize_t i
    cdef int64_t place
    cdef double[::1] known_x = np.full(KNOWN, -1.0), known = np.empty(KNOWN)
    cdef int64_t[::1] known_for = np.zeros(KNOWN, np.int64)
    cdef int64_t parameters = 0  # how often they changed
    result = np.empty(x.shape[0])
    cdef double[::1] to = result
    with nogil:
        for i in range(x.shape[0]):
            if i == 0 or (population[i] != h.population or relevant[i] != h.relevant
                          or drawn[i] != h.drawn):
                hypergeometric_set(&h, population[i], relevant[i], drawn[i])
                h.watch = &watch
                parameters += 1
            place = <int64_t> x[i] & (KNOWN - 1)  # -1 occurs
            if known_x[place] != x[i] or known_for[place] != parameters:
                known_x[place], known_for[place] = x[i], parameters
                known[place] = hypergeometric_value(&h, chosen, x[i], as_log)
            to[i] = known[place]
            if watch_stops(&watch, 256):
                break
    raise_if_stopped(&watch)
    return result


def curve(const double[::1] relevance, double population, double relevant):
    """P(X < found) at every cut."""
    cdef hypergeometric_curve state
    cdef Py_ssize_t start, n = relevance.shape[0]
    result = np.empty(n)
    cdef double[::1] to = result
    hypergeometric_curve_set(&state, population, relevant)
    for start in range(0, n, PIECE):
        with nogil:
            hypergeometric_curve_follow(&state, &relevance[start], min(PIECE, n - start),
                                        &to[start])
        heed_signals()
    return result
