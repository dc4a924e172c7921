"""Shares of gamma variates, Beta laws and those of F, through the kernels of share_law.h and
superiority.h.

Laws are columns of the shapes p, q and r; beta is that of F, 0 for Beta(p, q) with r = 0.
"""
from libc.stdint cimport int64_t

import numpy as np

from irbounds._core.common.signals cimport new_watch, raise_if_stopped, watch_stops, work_watch

cdef extern from "superiority/gamma_contrast.h" nogil:
    ctypedef struct gamma_tails:
        double below
        double above

    ctypedef struct log_ratio:
        double spread

    double log_ratio_slope(const log_ratio *law, double t)
    double log_ratio_quantile(const log_ratio *law, double below, double above)
    gamma_tails dirichlet_difference_tails(double a, double b, double c, double x)

cdef extern from "superiority/share_law.h" nogil:
    ctypedef struct share_law:
        log_ratio ratio
        double centre

    void share_law_set(share_law *law, double p, double q, double r, double beta)
    double share_offset(const share_law *law, double x, double y)
    double share_density(const share_law *law, double t)
    gamma_tails share_tails(const share_law *law, double t)
    void share_moments(const share_law *law, double *mean, double *variance)

cdef extern from "superiority/superiority.h" nogil:
    ctypedef struct c_superiority "superiority":
        double probability
        double error

    c_superiority share_superiority(const share_law *a, const share_law *b, double margin)

cdef enum:
    CONTOUR = 10_000  # nanoseconds of a tail or a density, for the watch
    MOMENT = 20_000
    QUANTILE = 100_000
    SUPERIORITY = 1_000_000


cdef enum what:  # is asked of a law; the first two have two answers
    TAILS
    MOMENTS
    DENSITY
    SLOPE
    PLACE


cdef void answer(what asked, const share_law *law, double x, double y, double *first,
                 double *second) noexcept nogil:
    cdef gamma_tails found
    if asked == TAILS:
        found = share_tails(law, share_offset(law, x, y))
        first[0], second[0] = found.below, found.above
    elif asked == MOMENTS:
        share_moments(law, first, second)
    elif asked == DENSITY:
        first[0] = share_density(law, share_offset(law, x, y)) / x / y
    elif asked == SLOPE:
        first[0] = log_ratio_slope(&law.ratio, x - law.centre)
    else:
        first[0] = law.centre + log_ratio_quantile(&law.ratio, x, y)


cdef tuple answers(what asked, int64_t cost, const double[::1] p, const double[::1] q,
                   const double[::1] r, double beta,
                   const double[::1] x, const double[::1] y):
    """Both answers of every law, which takes about `cost` nanoseconds each."""
    cdef Py_ssize_t i, n = p.shape[0]
    cdef share_law law
    cdef work_watch watch = new_watch()
    first, second = np.empty(n), np.empty(n)
    cdef double[::1] to_first = first, to_second = second
    with nogil:
        for i in range(n):
            share_law_set(&law, p[i], q[i], r[i], beta)
            answer(asked, &law, x[i], y[i], &to_first[i], &to_second[i])
            if watch_stops(&watch, cost):
                break
    raise_if_stopped(&watch)
    return first, second


def tails(p, q, r, double beta, x, y):
    """P(share < x) and P(share > x), y = 1 - x, x not 0 or 1."""
    return answers(TAILS, CONTOUR, p, q, r, beta, x, y)


def densities(p, q, r, double beta, x, y):
    """Densities of shares at x, y = 1 - x, x not 0 or 1."""
    return answers(DENSITY, CONTOUR, p, q, r, beta, x, y)[0]


def slopes(p, q, r, double beta, log_odds):
    """Derivatives of the logarithm of the density of log odds."""
    return answers(SLOPE, 2 * CONTOUR, p, q, r, beta, log_odds, log_odds)[0]


def quantiles(p, q, r, double beta, below):
    """Log odds of the quantiles, of probabilities that are not 0 or 1."""
    return answers(PLACE, QUANTILE, p, q, r, beta, below, 1 - below)[0]


def moments(p, q, r, double beta):
    """Means and variances."""
    return answers(MOMENTS, MOMENT, p, q, r, beta, p, p)


def superiority(a, b, double beta, double margin):
    """P(A > B + margin) and what its error may be; a and b are triples of columns p, q, r."""
    cdef const double[::1] p1 = a[0], q1 = a[1], r1 = a[2], p2 = b[0], q2 = b[1], r2 = b[2]
    cdef Py_ssize_t i, n = p1.shape[0]
    cdef share_law first, second
    cdef c_superiority found
    cdef work_watch watch = new_watch()
    probability, error = np.empty(n), np.empty(n)
    cdef double[::1] to_probability = probability, to_error = error
    with nogil:
        for i in range(n):
            share_law_set(&first, p1[i], q1[i], r1[i], beta)
            share_law_set(&second, p2[i], q2[i], r2[i], beta)
            found = share_superiority(&first, &second, margin)
            to_probability[i], to_error[i] = found.probability, found.error
            if watch_stops(&watch, SUPERIORITY):
                break
    raise_if_stopped(&watch)
    return probability, error


def difference_tails(const double[::1] a, const double[::1] b, const double[::1] c,
                     const double[::1] x):
    """P(π1 - π2 < x) and P(π1 - π2 > x) of Dirichlet laws with parameters a, b, c."""
    cdef Py_ssize_t i, n = a.shape[0]
    cdef gamma_tails found
    cdef work_watch watch = new_watch()
    below, above = np.empty(n), np.empty(n)
    cdef double[::1] to_below = below, to_above = above
    with nogil:
        for i in range(n):
            found = dirichlet_difference_tails(a[i], b[i], c[i], x[i])
            to_below[i], to_above[i] = found.below, found.above
            if watch_stops(&watch, CONTOUR):
                break
    raise_if_stopped(&watch)
    return below, above
