"""Means with Dirichlet weights, through the kernel of dirichlet_mean.h."""
from libc.stdint cimport int64_t

import numpy as np

from irbounds._core.common.signals cimport new_watch, raise_if_stopped, work_watch

cdef extern from "distributions/dirichlet_mean.h" nogil:
    ctypedef struct c_law "dirichlet_mean":
        const double *x
        const double *a
        int64_t n
        int64_t n_ones
        work_watch *watch

    ctypedef struct mean_tails:
        double below
        double above

    mean_tails dirichlet_mean_tails(const c_law *law, double t)
    double dirichlet_mean_quantile(const c_law *law, double below, double above)


def tails(const double[::1] x, const double[::1] a, int64_t n_ones, const double[::1] at):
    """P(T < t) and P(T > t) for each t; the first `n_ones` parameters are 1."""
    cdef Py_ssize_t i, n = at.shape[0]
    cdef c_law law
    cdef mean_tails found
    cdef work_watch watch = new_watch()
    below, above = np.empty(n), np.empty(n)
    cdef double[::1] to_below = below, to_above = above
    law.x, law.a, law.n, law.n_ones, law.watch = &x[0], &a[0], x.shape[0], n_ones, &watch
    with nogil:
        for i in range(n):
            found = dirichlet_mean_tails(&law, at[i])
            to_below[i], to_above[i] = found.below, found.above
    raise_if_stopped(&watch)
    return below, above


def quantiles(const double[::1] x, const double[::1] a, int64_t n_ones, const double[::1] below,
              const double[::1] above):
    """The t with these probabilities below and above; the first `n_ones` parameters are 1."""
    cdef Py_ssize_t i, n = below.shape[0]
    cdef c_law law
    cdef work_watch watch = new_watch()
    found = np.empty(n)
    cdef double[::1] to = found
    law.x, law.a, law.n, law.n_ones, law.watch = &x[0], &a[0], x.shape[0], n_ones, &watch
    with nogil:
        for i in range(n):
            to[i] = dirichlet_mean_quantile(&law, below[i], above[i])
    raise_if_stopped(&watch)
    return found
