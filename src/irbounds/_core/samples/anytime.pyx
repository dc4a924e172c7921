"""Bounds that hold at every look, through anytime.h."""
from libc.math cimport log
from libc.stdint cimport int64_t

import numpy as np

from irbounds._core.common.signals cimport heed_signals

cdef extern from "bounds/anytime.h" nogil:
    ctypedef struct anytime_sample:
        double size
        double sampled
        double found
        double a
        double b

    double anytime_log_evidence(const anytime_sample *s, double t)
    double anytime_upper(const anytime_sample *s, double log_bar)
    void anytime_ends(const anytime_sample *s, double alpha, double *low, double *high)
    double anytime_least_share(const anytime_sample *one, const anytime_sample *other,
                               double alpha, double *values, int64_t capacity)
    double anytime_most_sum(const anytime_sample *one, const anytime_sample *other,
                            double alpha, double *values, int64_t capacity)

cdef enum:
    CAPACITY = 1 << 15  # evidences of a table, half of them for each sample

cdef inline anytime_sample sample_of(tuple sample):
    cdef anytime_sample s
    s.size, s.sampled, s.found, s.a, s.b = sample
    return s


def log_evidence(tuple sample, double t):
    """log e(t); a sample is its size, sampled, found, and the prior's a and b."""
    cdef anytime_sample s = sample_of(sample)
    cdef double value
    with nogil:
        value = anytime_log_evidence(&s, t)
    return value


def upper(tuple sample, double bar):
    """The largest t with e(t) below the bar."""
    cdef anytime_sample s = sample_of(sample)
    cdef double value
    with nogil:
        value = anytime_upper(&s, log(bar))
    return value


def ends(tuple sample, double alpha):
    """The least and the largest number that are left."""
    cdef anytime_sample s = sample_of(sample)
    cdef double low, high
    with nogil:
        anytime_ends(&s, alpha, &low, &high)
    return low, high


def least_share(tuple one, tuple other, double alpha, int64_t capacity=CAPACITY):
    """The least share of the one among both of all pairs that are left."""
    cdef anytime_sample s = sample_of(one), t = sample_of(other)
    cdef double[::1] values = np.empty(capacity)
    cdef double value
    heed_signals()
    with nogil:
        value = anytime_least_share(&s, &t, alpha, &values[0], capacity)
    return value


def most_sum(tuple one, tuple other, double alpha, int64_t capacity=CAPACITY):
    """The largest sum of both of all pairs that are left."""
    cdef anytime_sample s = sample_of(one), t = sample_of(other)
    cdef double[::1] values = np.empty(capacity)
    cdef double value
    heed_signals()
    with nogil:
        value = anytime_most_sum(&s, &t, alpha, &values[0], capacity)
    return value
