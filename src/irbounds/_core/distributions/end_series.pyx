"""Transforms of the yields of coded and audited segments, through the kernel of end_series.h."""
from libc.math cimport M_PI, hypot, log, sin
from libc.stdint cimport int64_t

import numpy as np

from irbounds._core.common.signals cimport heed_signals

# Segments of 10^9 documents have 5 10^8 waves.  After QUICK of them, 10 ms, LOOSE ones may be left
# out, as samples/posterior/coded.py has it; after MOST of them, 64 MB, there is no answer.
QUICK, LOOSE, MOST = 2**17, 1e-6, 2**22

cdef extern from "numeric/vector_math.h" nogil:
    ctypedef int vector_instructions "enum vector_instructions"
    vector_instructions widest_instructions()

cdef extern from "distributions/end_series.h" nogil:
    enum:
        END_LANES

    ctypedef struct end_series:
        int64_t n

    ctypedef struct end_class:
        double a
        double b
        const double *count

    double end_series_set(end_series *to, const end_class *one, const end_class *other,
                          const double *weight, int64_t n, double log_first, double most)
    void end_series_values(const end_series *low, const end_series *high, const double *t,
                           const double *turn, double *real, double *imaginary,
                           vector_instructions instructions)


def end_waves(tuple parameters, const double[::1] called, const double[::1] other,
              const double[::1] weight, int64_t ring, int64_t begin, int64_t end,
              const double complex[::1] known, double most_error, double negligible,
              int most_instructions=2):
    """E exp(i t Y) at t = 2 π k/ring, begin <= k < end, until it is negligible for a block of
    frequencies; None if it never is, or if the series differ by more than the error from the known
    values, which precede `begin`.

    `called` and `other` are both classes' documents that were not audited, for each of some numbers
    of calls with these weights; their sum is always the same.
    """
    cdef end_series low, high
    cdef end_class one, two
    cdef double spacing = 2 * M_PI / ring, largest = 1, bound, upper
    cdef int64_t first = begin - known.shape[0], k = first, n = min(end - first, MOST), i
    cdef int64_t documents = <int64_t>(called[0] + other[0]) % ring
    cdef int64_t turned = first * documents % ring
    cdef double log_first = -log(2 * sin(spacing * first / 2))
    cdef vector_instructions instructions = min(<int> widest_instructions(), most_instructions)
    cdef double a1, b1, a0, b0
    cdef bint is_known = True
    a1, b1, a0, b0 = parameters
    one.count, two.count = &called[0], &other[0]
    one.a, one.b, two.a, two.b = a1, b1, a0, b0
    with nogil:
        bound = end_series_set(&low, &one, &two, &weight[0], weight.shape[0],
                               log_first, most_error)
        if bound <= most_error:
            one.a, one.b, two.a, two.b = b1, a1, b0, a0
            upper = end_series_set(&high, &one, &two, &weight[0], weight.shape[0],
                                   log_first, most_error)
    if not bound <= most_error or not upper <= most_error:
        return None
    real, imaginary = np.empty(n + END_LANES), np.empty(n + END_LANES)
    cdef double[::1] x = real, y = imaginary
    cdef double t[END_LANES]
    cdef double turn[END_LANES]
    while k < first + n:
        with nogil:
            for i in range(END_LANES):
                t[i] = spacing * (k + i)
                turn[i] = spacing * turned
                turned += documents
                if turned >= ring:
                    turned -= ring
            end_series_values(&low, &high, t, turn, &x[k - first], &y[k - first], instructions)
            largest = 0
            for i in range(k - first, k - first + END_LANES):
                if i < known.shape[0]:
                    if not hypot(x[i] - known[i].real, y[i] - known[i].imag) <= most_error:
                        is_known = False
                largest = max(largest, hypot(x[i], y[i]))
        if not is_known:
            return None
        k += END_LANES
        if k > begin and largest < negligible:
            break
        if k - first == QUICK:
            negligible = max(negligible, LOOSE)
        if (k - first) % 4096 == 0:
            heed_signals()
    if k < end and not largest < negligible:
        return None
    n, i = min(k, end) - first, known.shape[0]
    return real[i:n] + 1j * imaginary[i:n]
