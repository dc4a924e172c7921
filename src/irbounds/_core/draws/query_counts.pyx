"""Bootstrap sums of many queries, through the kernel of query_counts.h."""
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int64_t, uint8_t

import numpy as np

from irbounds._core.common.signals cimport new_watch, raise_if_stopped, work_watch

cdef extern from "draws/query_counts.h" nogil:
    enum: COUNT_PARTS
    enum: COUNT_TOGETHER

    enum vector_instructions:
        pass

    ctypedef struct bit_generator:
        void *state

    ctypedef struct query_counts:
        bit_generator *bits

    vector_instructions widest_instructions()
    void query_counts_start(query_counts *drawn, bit_generator *bits, int64_t n)
    void query_counts_draw(query_counts *drawn, int64_t n, vector_instructions instructions,
                           uint8_t *counts)
    void query_counts_moments(query_counts *drawn, const double *values, int64_t n,
                              int64_t columns, int64_t resamples,
                              vector_instructions instructions, uint8_t *counts, double *parts,
                              double *sums, double *squares, work_watch *watch)


def counts_of(int64_t n, int64_t resamples, generator):
    """How often each of n queries is drawn, shape (resamples, n); n is at least 17."""
    cdef query_counts drawn
    cdef bit_generator *bits = <bit_generator *> PyCapsule_GetPointer(generator.capsule,
                                                                      "BitGenerator")
    cdef int64_t r
    result = np.empty((resamples, (n + 63) // 64 * 64), np.uint8)
    cdef uint8_t[:, ::1] counts = result
    with generator.lock, nogil:
        query_counts_start(&drawn, bits, n)
        for r in range(resamples):
            query_counts_draw(&drawn, n, widest_instructions(), &counts[r, 0])
    return result[:, :n]


def moments(const double[:, ::1] columns, int64_t resamples, generator):
    """Sums of the values of each column (a row here) and of their squares over the queries that
    each resample draws: two arrays of shape (resamples, columns).  At least 17 queries."""
    cdef int64_t m = columns.shape[0], n = columns.shape[1]
    cdef query_counts drawn
    cdef work_watch watch = new_watch()
    cdef bit_generator *bits = <bit_generator *> PyCapsule_GetPointer(generator.capsule,
                                                                      "BitGenerator")
    sums, squares = np.empty((resamples, m)), np.empty((resamples, m))
    cdef double[:, ::1] to = sums, squares_to = squares
    cdef uint8_t[::1] counts = np.empty((n + 63) // 64 * 64 * COUNT_TOGETHER, np.uint8)
    cdef double[::1] parts = np.empty(2 * COUNT_TOGETHER * COUNT_PARTS * m)
    if m == 0 or resamples == 0:
        return sums, squares
    with generator.lock:
        with nogil:
            query_counts_start(&drawn, bits, n)
            query_counts_moments(&drawn, &columns[0, 0], n, m, resamples, widest_instructions(),
                                 &counts[0], &parts[0], &to[0, 0], &squares_to[0, 0], &watch)
        raise_if_stopped(&watch)  # before the lock's exit, which would replace it
    return sums, squares
