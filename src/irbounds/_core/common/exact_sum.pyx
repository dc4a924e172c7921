"""Sums, means and standard deviations of columns through the kernel of exact_sum.h."""
from libc.math cimport INFINITY, NAN, frexp, isfinite, ldexp, sqrt
from libc.stdint cimport int64_t

import numpy as np

from irbounds._core.common.signals cimport heed_signals

cdef extern from "numeric/exact_sum.h" nogil:
    ctypedef struct exact_sum:
        pass

    void exact_sum_clear(exact_sum *sum)
    void exact_sum_add(exact_sum *sum, const double *values, int64_t n, int64_t stride)
    void exact_sum_add_squares(
        exact_sum *sum, const double *values, int64_t n, int64_t stride, double center
    )
    void exact_sum_range(
        const double *values, int64_t n, int64_t stride, double *least, double *most
    )
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


cdef enum:
    MEAN, DEVIATION, LEAST, MOST


# Squares of larger or smaller numbers are no doubles.
cdef double SMALL = 1e-140
cdef double LARGE = 1e150


def column_moments(values, double equal):
    """Each column's mean, standard deviation (of n - 1), least and greatest value, in four rows.

    The mean is that of `column_means`; the squares about it are added without rounding.  The
    deviation is 0 where there is one row, and where the range is at most `equal` times the largest
    size: such values are equal but for rounding.
    """
    array = np.asarray(values, dtype=float)
    if array.strides[0] % array.itemsize:  # a field of records
        array = array.copy()
    cdef const double[:, :] rows = array
    cdef Py_ssize_t j
    result = np.empty((4, rows.shape[1]))
    cdef double[:, ::1] to = result
    for j in range(rows.shape[1]):
        if moments_of(
            rows[:, j], equal, &to[MEAN, j], &to[DEVIATION, j], &to[LEAST, j], &to[MOST, j]
        ):
            largest = max(to[MOST, j], -to[LEAST, j])
            if largest > LARGE or largest < SMALL:
                to[DEVIATION, j] = scaled_deviation(array[:, j], largest)
    return result


cdef double scaled_deviation(column, double largest):
    """For sizes whose squares are no doubles: scaled by a power of 2, without rounding."""
    cdef double mean, deviation, least, most
    cdef int exponent
    frexp(largest, &exponent)
    cdef const double[:] scaled = np.ldexp(column, -exponent)
    moments_of(scaled, -1, &mean, &deviation, &least, &most)
    return ldexp(deviation, exponent)


cdef int moments_of(
    const double[:] column, double equal, double *mean, double *deviation, double *least,
    double *most,
) except -1:
    """One column's; whether its deviation was computed, and not known."""
    cdef int64_t n = column.shape[0], stride = column.strides[0] // <int64_t> sizeof(double)
    cdef int64_t start, piece
    cdef exact_sum sum, squares
    mean[0] = deviation[0] = least[0] = most[0] = NAN
    if n == 0:
        return 0
    least[0], most[0] = INFINITY, -INFINITY
    exact_sum_clear(&sum)
    for start in range(0, n, PIECE):
        piece = min(n - start, <int64_t> PIECE)
        with nogil:
            exact_sum_add(&sum, &column[start], piece, stride)
            exact_sum_range(&column[start], piece, stride, least, most)
        heed_signals()
    mean[0] = exact_sum_mean(&sum, n)
    if not isfinite(mean[0]):
        return 0
    # halves: ranges may be beyond doubles
    if n == 1 or most[0] / 2 - least[0] / 2 <= equal / 2 * max(most[0], -least[0]):
        deviation[0] = 0
        return 0
    exact_sum_clear(&squares)
    for start in range(0, n, PIECE):
        piece = min(n - start, <int64_t> PIECE)
        with nogil:
            exact_sum_add_squares(&squares, &column[start], piece, stride, mean[0])
        heed_signals()
    deviation[0] = sqrt(exact_sum_value(&squares) / <double> (n - 1))
    return 1
