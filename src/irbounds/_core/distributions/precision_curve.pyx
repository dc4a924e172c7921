"""Arrays through the kernels of precision_curve.h."""
from libc.stdint cimport int64_t

import numpy as np

from irbounds._core.common.signals cimport heed_signals

cdef enum:
    PIECE = 1 << 18  # elements between looks for signals

cdef extern from "distributions/precision_curve.h" nogil:
    enum vector_instructions:
        VECTOR_BASELINE
        VECTOR_AVX2
        VECTOR_AVX512

    enum precision_curve_value:
        PRECISION_CURVE_X
        PRECISION_CURVE_x
        PRECISION_CURVE_SLOPE

    vector_instructions widest_instructions()
    void precision_curve_values(precision_curve_value value, int64_t n, const double *recall,
                                const double *prevalence,
                                const double *beta, double *result,
                                vector_instructions instructions)
    void precision_curve_through(int64_t n, const double *recall, const double *precision,
                                 const double *prevalence,
                                 double *beta, vector_instructions instructions)

VALUES = {"precision": PRECISION_CURVE_X, "relevance": PRECISION_CURVE_x,
          "slope": PRECISION_CURVE_SLOPE}


cdef vector_instructions at_most(int most):
    cdef vector_instructions widest = widest_instructions()
    return widest if <int> widest < most else <vector_instructions> most


def values(str value, const double[::1] recall, const double[::1] prevalence,
           const double[::1] beta,
           int most_instructions=2):
    """Precision, relevance or slope of every curve at its recall; less wide instructions can be
    asked for."""
    cdef precision_curve_value chosen = VALUES[value]
    cdef vector_instructions instructions = at_most(most_instructions)
    result = np.empty(recall.shape[0])
    cdef double[::1] to = result
    cdef int64_t i, n = recall.shape[0]
    for i in range(0, n, PIECE):
        with nogil:
            precision_curve_values(chosen, min(<int64_t> PIECE, n - i), &recall[i], &prevalence[i],
                                   &beta[i], &to[i],
                                   instructions)
        heed_signals()
    return result


def through(const double[::1] recall, const double[::1] precision, const double[::1] prevalence,
            int most_instructions=2):
    """β of the curve through every point."""
    cdef vector_instructions instructions = at_most(most_instructions)
    result = np.empty(recall.shape[0])
    cdef double[::1] to = result
    cdef int64_t i, n = recall.shape[0]
    for i in range(0, n, PIECE):
        with nogil:
            precision_curve_through(min(<int64_t> PIECE, n - i), &recall[i], &precision[i],
                                    &prevalence[i], &to[i],
                                    instructions)
        heed_signals()
    return result
