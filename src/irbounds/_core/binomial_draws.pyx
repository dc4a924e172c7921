"""Binomial variates through the kernel of binomial_draws.h."""
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int64_t

import numpy as np

cdef extern from "binomial_draws.h" nogil:
    ctypedef struct bit_generator:
        void *state

    enum vector_instructions:
        VECTOR_BASELINE

    vector_instructions widest_instructions()
    void binomial_fill(bit_generator *generator, double trials, const double *share, int64_t count,
                       vector_instructions instructions, double *variate)


def fill(double trials, const double[::1] share, generator, int most_instructions=2):
    """One variate for each probability; less wide instructions can be asked for."""
    cdef bit_generator *bits = <bit_generator *> PyCapsule_GetPointer(generator.capsule, "BitGenerator")
    cdef int chosen = min(<int> widest_instructions(), most_instructions)
    result = np.empty(share.shape[0])
    cdef double[::1] to = result
    if share.shape[0] > 0:
        with generator.lock, nogil:
            binomial_fill(bits, trials, &share[0], share.shape[0], <vector_instructions> chosen, &to[0])
    return result
