"""Beta variates through the kernel of beta_cheng.h."""
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int64_t

import numpy as np

cdef extern from "beta_cheng.h" nogil:
    ctypedef struct beta_bit_generator:
        void *state

    enum beta_instructions:
        BETA_BASELINE
        BETA_AVX2
        BETA_AVX512

    ctypedef struct beta_sampler:
        beta_instructions instructions

    void beta_sampler_set(beta_sampler *sampler, double first, double second)
    void beta_sampler_fill(const beta_sampler *sampler, beta_bit_generator *generator, int64_t n, double *variate)


def fill(const double[::1] a, const double[::1] b, int64_t each, bit_generator, int most_instructions=2):
    """`each` variates for every pair of parameters, pair by pair; less wide instructions can be asked for."""
    cdef beta_bit_generator *generator = <beta_bit_generator *> PyCapsule_GetPointer(
        bit_generator.capsule, "BitGenerator")
    cdef beta_sampler sampler
    cdef int64_t i
    result = np.empty(a.shape[0] * each)
    cdef double[::1] to = result
    with bit_generator.lock, nogil:
        for i in range(a.shape[0] if each > 0 else 0):
            beta_sampler_set(&sampler, a[i], b[i])
            if <int> sampler.instructions > most_instructions:
                sampler.instructions = <beta_instructions> most_instructions
            beta_sampler_fill(&sampler, generator, each, &to[i * each])
    return result
