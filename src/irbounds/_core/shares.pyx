"""Shares of gamma variates, Beta laws and those of F, through the kernels of share_law.h and superiority.h.

Laws are columns of the shapes p, q and r; beta is that of F, 0 for Beta(p, q) with r = 0.
"""
import numpy as np

from irbounds._core.signals cimport new_watch, raise_if_stopped, watch_stops, work_watch

cdef extern from "gamma_contrast.h" nogil:
    ctypedef struct gamma_tails:
        double below
        double above

    ctypedef struct log_ratio:
        double spread

    double log_ratio_slope(const log_ratio *law, double t)
    double log_ratio_quantile(const log_ratio *law, double below, double above)
    gamma_tails dirichlet_difference_tails(double a, double b, double c, double x)

cdef extern from "share_law.h" nogil:
    ctypedef struct share_law:
        log_ratio ratio
        double centre

    void share_law_set(share_law *law, double p, double q, double r, double beta)
    double share_offset(const share_law *law, double x, double y)
    double share_density(const share_law *law, double t)
    gamma_tails share_tails(const share_law *law, double t)
    void share_moments(const share_law *law, double *mean, double *variance)

cdef extern from "superiority.h" nogil:
    ctypedef struct c_superiority "superiority":
        double probability
        double error

    c_superiority share_superiority(const share_law *a, const share_law *b, double margin)

cdef enum:
    CONTOUR = 10_000  # nanoseconds of a tail or a density, for the watch
    MOMENT = 20_000
    QUANTILE = 100_000
    SUPERIORITY = 1_000_000


def tails(const double[::1] p, const double[::1] q, const double[::1] r, double beta, const double[::1] x,
          const double[::1] y):
    """P(share < x) and P(share > x), y = 1 - x, x not 0 or 1."""
    cdef Py_ssize_t i, n = p.shape[0]
    cdef share_law law
    cdef gamma_tails found
    cdef work_watch watch = new_watch()
    below, above = np.empty(n), np.empty(n)
    cdef double[::1] to_below = below, to_above = above
    with nogil:
        for i in range(n):
            share_law_set(&law, p[i], q[i], r[i], beta)
            found = share_tails(&law, share_offset(&law, x[i], y[i]))
            to_below[i], to_above[i] = found.below, found.above
            if watch_stops(&watch, CONTOUR):
                break
    raise_if_stopped(&watch)
    return below, above


def densities(const double[::1] p, const double[::1] q, const double[::1] r, double beta, const double[::1] x,
              const double[::1] y):
    """Densities of shares at x, y = 1 - x, x not 0 or 1."""
    cdef Py_ssize_t i, n = p.shape[0]
    cdef share_law law
    cdef work_watch watch = new_watch()
    result = np.empty(n)
    cdef double[::1] to = result
    with nogil:
        for i in range(n):
            share_law_set(&law, p[i], q[i], r[i], beta)
            to[i] = share_density(&law, share_offset(&law, x[i], y[i])) / x[i] / y[i]
            if watch_stops(&watch, CONTOUR):
                break
    raise_if_stopped(&watch)
    return result


def slopes(const double[::1] p, const double[::1] q, const double[::1] r, double beta, const double[::1] log_odds):
    """Derivatives of the logarithm of the density of log odds."""
    cdef Py_ssize_t i, n = p.shape[0]
    cdef share_law law
    cdef work_watch watch = new_watch()
    result = np.empty(n)
    cdef double[::1] to = result
    with nogil:
        for i in range(n):
            share_law_set(&law, p[i], q[i], r[i], beta)
            to[i] = log_ratio_slope(&law.ratio, log_odds[i] - law.centre)
            if watch_stops(&watch, 2 * CONTOUR):
                break
    raise_if_stopped(&watch)
    return result


def quantiles(const double[::1] p, const double[::1] q, const double[::1] r, double beta, const double[::1] below):
    """Log odds of the quantiles, of probabilities that are not 0 or 1."""
    cdef Py_ssize_t i, n = p.shape[0]
    cdef share_law law
    cdef work_watch watch = new_watch()
    result = np.empty(n)
    cdef double[::1] to = result
    with nogil:
        for i in range(n):
            share_law_set(&law, p[i], q[i], r[i], beta)
            to[i] = law.centre + log_ratio_quantile(&law.ratio, below[i], 1 - below[i])
            if watch_stops(&watch, QUANTILE):
                break
    raise_if_stopped(&watch)
    return result


def moments(const double[::1] p, const double[::1] q, const double[::1] r, double beta):
    """Means and variances."""
    cdef Py_ssize_t i, n = p.shape[0]
    cdef share_law law
    cdef work_watch watch = new_watch()
    mean, variance = np.empty(n), np.empty(n)
    cdef double[::1] to_mean = mean, to_variance = variance
    with nogil:
        for i in range(n):
            share_law_set(&law, p[i], q[i], r[i], beta)
            share_moments(&law, &to_mean[i], &to_variance[i])
            if watch_stops(&watch, MOMENT):
                break
    raise_if_stopped(&watch)
    return mean, variance


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


def difference_tails(const double[::1] a, const double[::1] b, const double[::1] c, const double[::1] x):
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
