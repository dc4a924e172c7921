"""Beta variates through the kernel of beta_cheng.h."""
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int64_t

import numpy as np

from irbounds._core.common.signals cimport heed_signals

cdef extern from "draws/beta_cheng.h" nogil:
    ctypedef struct bit_generator:
        void *state

    enum vector_instructions:
        VECTOR_BASELINE
        VECTOR_AVX2
        VECTOR_AVX512

    ctypedef struct beta_sampler:
        vector_instructions instructions

    void beta_sampler_set(beta_sampler *sampler, double first, double second)
    int64_t beta_sampler_fill(const beta_sampler *sampler, bit_generator *generator, int64_t n,
                              int64_t most,
                              double *variate)

cdef enum:
    PIECE = 1 << 18  # variates between looks for signals


def fill(const double[::1] a, const double[::1] b, int64_t each, generator,
         int most_instructions=2):
    """`each` variates for every pair of parameters, pair by pair; less wide instructions can be
    asked for."""
    cdef bit_generator *bits = <bit_generator *> PyCapsule_GetPointer(
        generator.capsule, "BitGenerator")
    cdef beta_sampler sampler
    cdef int64_t i = 0, n = a.shape[0] if each > 0 else 0, filled = 0, drawn
    result = np.empty(a.shape[0] * each)
    cdef double[::1] to = result
    # to the end, so that the numbers of one call are one stretch of the stream
    with generator.lock:
        while i < n:
            with nogil:
                drawn = 0
                while i < n and drawn < PIECE:
                    if filled == 0:
                        beta_sampler_set(&sampler, a[i], b[i])
                        if <int> sampler.instructions > most_instructions:
                            sampler.instructions = <vector_instructions> most_instructions
                    filled += beta_sampler_fill(&sampler, bits, each - filled, PIECE,
                                                &to[i * each + filled])
                    drawn += min(each, <int64_t> PIECE) + 16
                    if filled == each:
                        filled = 0
                        i += 1
            heed_signals()
    return result
