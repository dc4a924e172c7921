"""Binomial variates through the kernel of binomial_draws.h."""
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int64_t

import numpy as np

from irbounds._core.common.signals cimport heed_signals

cdef extern from "draws/binomial_draws.h" nogil:
    ctypedef struct bit_generator:
        void *state

    enum vector_instructions:
        VECTOR_BASELINE

    vector_instructions widest_instructions()
    void binomial_fill(bit_generator *generator, double trials, const double *share, int64_t count,
                       vector_instructions instructions, double *variate)

cdef enum:
    PIECE = 1 << 20  # variates between looks for signals


def fill(double trials, const double[::1] share, generator, int most_instructions=2):
    """One variate for each probability; less wide instructions can be asked for."""
    cdef bit_generator *bits = <bit_generator *> PyCapsule_GetPointer(generator.capsule,
                                                                      "BitGenerator")
    cdef int chosen = min(<int> widest_instructions(), most_instructions)
    cdef int64_t start, n = share.shape[0]
    result = np.empty(n)
    cdef double[::1] to = result
    with generator.lock:
        for start in range(0, n, PIECE):
            with nogil:
                binomial_fill(bits, trials, &share[start], min(<int64_t> PIECE, n - start),
                              <vector_instructions> chosen, &to[start])
            heed_signals()
    return result
