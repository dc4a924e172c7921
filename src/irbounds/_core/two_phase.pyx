"""Transforms of the yields of coded and audited segments, through the kernel of two_phase.h."""
from libc.math cimport hypot
from libc.stdint cimport int64_t

import numpy as np

from irbounds._core.signals cimport heed_signals

cdef extern from "beta_binomial.h" nogil:
    void yield_likely_ends(double unseen, double a, double b, double *least, double *most)

cdef extern from "vector_math.h" nogil:
    ctypedef int vector_instructions "enum vector_instructions"
    vector_instructions widest_instructions()

cdef extern from "two_phase.h" nogil:
    enum:
        TWO_PHASE_LANES

    ctypedef struct beta_points:
        int64_t n
        const double *odds
        const double *weight

    ctypedef struct two_phase:
        double called
        double other
        double a1
        double b1
        double a0
        double b0
        double first
        double stride
        int64_t n
        const double *weight
        beta_points points1
        beta_points points0
        vector_instructions instructions

    int64_t two_phase_memory(const two_phase *p)
    void two_phase_transform(const two_phase *p, const double *t, double *memory, double *real,
                             double *imaginary)


def likely_ends(double unseen, double a, double b):
    """The least and the greatest likely count of BetaBin(unseen; a, b)."""
    cdef double least, most
    yield_likely_ends(unseen, a, b, &least, &most)
    return least, most


cdef void set_points(beta_points *to, const double[::1] odds, const double[::1] weight):
    to.n = odds.shape[0]
    if to.n:
        to.odds, to.weight = &odds[0], &weight[0]


def transform(double called, double other, tuple parameters, tuple calls, tuple points,
              double spacing, int64_t begin, int64_t end, double negligible,
              int most_instructions=2):
    """E exp(i t Y) at t = k spacing, begin <= k < end, and whether it became negligible, for a
    block of frequencies, where it ends.

    `calls` is (first, stride, weights), `points` is (odds, weights) of the called and of the other
    class, which are empty for the recurrence.
    """
    cdef two_phase p
    cdef const double[::1] weight = calls[2]
    p.called, p.other, p.first, p.stride, p.n = called, other, calls[0], calls[1], weight.shape[0]
    p.a1, p.b1, p.a0, p.b0 = parameters
    p.weight = &weight[0]
    p.instructions = min(<int> widest_instructions(), most_instructions)
    set_points(&p.points1, points[0], points[1])
    set_points(&p.points0, points[2], points[3])
    cdef double[::1] memory = np.empty(two_phase_memory(&p))
    cdef int64_t k = begin, i, n = end - begin
    cdef bint is_quiet = False
    real, imaginary = np.empty(n + TWO_PHASE_LANES), np.empty(n + TWO_PHASE_LANES)
    cdef double[::1] x = real, y = imaginary
    cdef double t[TWO_PHASE_LANES]
    cdef double largest
    while k < end and not is_quiet:
        with nogil:
            for i in range(TWO_PHASE_LANES):
                t[i] = spacing * (k + i)
            two_phase_transform(&p, t, &memory[0], &x[k - begin], &y[k - begin])
            largest = 0
            for i in range(k - begin, k - begin + TWO_PHASE_LANES):
                largest = max(largest, hypot(x[i], y[i]))
        is_quiet = largest < negligible
        k += TWO_PHASE_LANES
        heed_signals()
    n = min(k, end) - begin
    return real[:n] + 1j * imaginary[:n], bool(is_quiet)
