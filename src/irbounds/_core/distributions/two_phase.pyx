"""Transforms of the yields of coded and audited segments, through the kernel of two_phase.h."""
from libc.math cimport (
    INFINITY,
    M_PI,
    asin,
    ceil,
    exp,
    floor,
    hypot,
    log,
    log1p,
    sin,
    sqrt,
    tan,
)
from libc.stdint cimport int64_t

import numpy as np

from irbounds._core.common.signals cimport heed_signals

cdef extern from "yields/beta_binomial.h" nogil:
    void yield_likely_ends(double unseen, double a, double b, double *least, double *most)

cdef extern from "numeric/vector_math.h" nogil:
    ctypedef int vector_instructions "enum vector_instructions"
    vector_instructions widest_instructions()

cdef extern from "distributions/two_phase.h" nogil:
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


# of angles, for bounds on coefficients
cdef double[::1] SHIFTS = np.geomspace(1e-5, 10, 60)
cdef double[::1] SINH = np.sinh(SHIFTS), SINH_SQUARED = np.square(SINH)
cdef double[::1] EXCESS = np.cosh(SHIFTS) - 1


def likely_ends(double unseen, double a, double b):
    """The least and the greatest likely count of BetaBin(unseen; a, b)."""
    cdef double least, most
    yield_likely_ends(unseen, a, b, &least, &most)
    return least, most


cdef double least_likely(double a, double b, double depth) noexcept nogil:
    """A share x below which Beta(a, b) has no more than exp(depth), by Chernoff's bound: with m the
    mean, P(q <= x) <= (x/m)^a ((1 - x)/(1 - m))^b.

    The logarithm of the bound is concave in the log odds of x.  Newton's steps from a point with
    less come nearer from that side, so that every one of them is a bound.  From a = 20 on the
    share is at most a tenth of the bound (tests)."""
    if a >= 20:
        depth += log(10)
    cdef double mean = a / (a + b), log_rest = log(b / (a + b)), log_mean = log(mean)
    cdef double x = exp(log_mean + (depth + b * log_rest) / a), value, slope, odds
    cdef int _step
    if x < 1e-300:
        return 0
    for _step in range(30):
        value = a * (log(x) - log_mean) + b * (log1p(-x) - log_rest) - depth
        slope = a * (1 - x) - b * x
        if not (value < -0.01 and slope > 0):
            break
        odds = x / (1 - x) * exp(-value / slope)
        x = odds / (1 + odds)
    return x


def likely_shares(double a, double b, double depth):
    """Shares x and y, so that Beta(a, b) has no more than exp(depth) below x, nor above 1 - y."""
    return least_likely(a, b, depth), least_likely(b, a, depth)


def chebyshev_points(double x, double y, double low, double high, double count, double t,
                     double depth, int more):
    """Odds of Gauss' and Chebyshev's points of a beta density with a = x + 1/2 and b = y + 1/2, and
    their weights; samples/posterior/coded.py derives how many."""
    cdef double first = 2 * asin(sqrt(low)), last = M_PI - 2 * asin(sqrt(high))
    cdef double steepest = sin(min(max(first, M_PI / 2), last)), least = INFINITY, growth
    cdef int64_t i, n, begin, end
    for i in range(SHIFTS.shape[0]):
        growth = count * t / 2 * (steepest * SINH[i] + t / 4 * SINH_SQUARED[i]) - depth
        if x > 0:
            growth += x * log1p((x + y) / (2 * x) * EXCESS[i])
        if y > 0:
            growth += y * log1p((x + y) / (2 * y) * EXCESS[i])
        least = min(least, growth / SHIFTS[i])
    n = <int64_t>ceil(least / 2) + more
    begin = max(0, <int64_t>floor(first / M_PI * n) - 1)
    end = min(n, <int64_t>ceil(last / M_PI * n) + 1)
    odds, weights = np.empty(end - begin), np.empty(end - begin)
    cdef double[::1] to = odds, weight = weights
    cdef double largest = -INFINITY, total = 0
    for i in range(end - begin):
        to[i] = tan((begin + i + 0.5) * (M_PI / (2 * n))) ** 2
        weight[i] = x * log(to[i]) - (x + y) * log1p(to[i])
        largest = max(largest, weight[i])
    for i in range(end - begin):
        weight[i] = exp(weight[i] - largest)
        total += weight[i]
    for i in range(end - begin):
        weight[i] /= total
    return odds, weights


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


def transform_at(double called, double other, tuple parameters, tuple calls, tuple points,
                 const double[::1] frequencies):
    """E exp(i t Y) at these t, as `transform` has it at equally spaced ones."""
    cdef two_phase p
    cdef const double[::1] weight = calls[2]
    p.called, p.other, p.first, p.stride, p.n = called, other, calls[0], calls[1], weight.shape[0]
    p.a1, p.b1, p.a0, p.b0 = parameters
    p.weight = &weight[0]
    p.instructions = widest_instructions()
    set_points(&p.points1, points[0], points[1])
    set_points(&p.points0, points[2], points[3])
    cdef double[::1] memory = np.empty(two_phase_memory(&p))
    cdef int64_t k, i, n = frequencies.shape[0]
    real, imaginary = np.empty(n + TWO_PHASE_LANES), np.empty(n + TWO_PHASE_LANES)
    cdef double[::1] x = real, y = imaginary
    cdef double t[TWO_PHASE_LANES]
    for k in range(0, n, TWO_PHASE_LANES):
        with nogil:
            for i in range(TWO_PHASE_LANES):
                t[i] = frequencies[min(k + i, n - 1)]
            two_phase_transform(&p, t, &memory[0], &x[k], &y[k])
        heed_signals()
    return real[:n] + 1j * imaginary[:n]
