"""Beta-binomial distribution functions along paths, through the kernel of beta_binomial_path.h."""
from libc.stdint cimport int64_t

import numpy as np

cdef extern from "yields/beta_binomial_path.h" nogil:
    void c_path "beta_binomial_path"(double first, const double *k, int64_t n, double a, double b,
                                     double *below)


def beta_binomial_path(double first, const double[::1] k, double a, double b):
    """P(X <= k[i]) for X ~ BetaBin(first + i; a, b), where k never falls."""
    result = np.empty(k.shape[0])
    cdef double[::1] out = result
    if k.shape[0]:
        with nogil:
            c_path(first, &k[0], k.shape[0], a, b, &out[0])
    return result
