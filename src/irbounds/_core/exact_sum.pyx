"""Sums and means of columns through the kernel of exact_sum.h."""
from libc.stdint cimport int64_t

import numpy as np

from irbounds._core.signals cimport heed_signals

cdef extern from "exact_sum.h" nogil:
    ctypedef struct exact_sum:
        pass

    void exact_sum_clear(exact_sum *sum)
    void exact_sum_add(exact_sum *sum, const double *values, int64_t n, int64_t stride)
    double exact_sum_value(const exact_sum *sum)
    double exact_sum_mean(const exact_sum *sum, int64_t n)

cdef enum:
    PIECE = 1 << 22  # values between looks for signals


def column_sums(values, bint means=False):
    """Each column's sum, or mean (nan of nothing), rounded once: the order of the rows makes no
    difference."""
    array = np.asarray(values, dtype=float)
    if array.strides[0] % array.itemsize:  # a field of records
        array = array.copy()
    cdef const double[:, :] rows = array
    cdef int64_t n = rows.shape[0], stride = rows.strides[0] // <int64_t> sizeof(double)
    cdef int64_t start
    cdef Py_ssize_t j
    cdef exact_sum sum
    result = np.full(rows.shape[1], np.nan if means else 0.0)
    cdef double[::1] to = result
    for j in range(rows.shape[1] if n else 0):
        start = 0
        exact_sum_clear(&sum)
        while start < n:
            with nogil:
                exact_sum_add(&sum, &rows[start, j], min(n - start, <int64_t> PIECE), stride)
            start += PIECE
            heed_signals()
        to[j] = exact_sum_mean(&sum, n) if means else exact_sum_value(&sum)
    return result


def column_means(values):
    """Each column's mean, the double nearest to it; nan of nothing."""
    return column_sums(values, True)
