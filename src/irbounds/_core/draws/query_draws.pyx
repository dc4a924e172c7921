"""Queries drawn again, through the kernels of query_draws.h."""
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

import numpy as np

from irbounds._core.common.signals cimport new_watch, raise_if_stopped, work_watch

cdef extern from "draws/query_draws.h" nogil:
    ctypedef struct bit_generator:
        void *state

    ctypedef struct rank_counts:
        double *best
        int32_t *above
        int32_t *ranks

    ctypedef struct pair_bootstrap:
        const double *values
        const double *weights
        const double *squares
        int64_t n
        int64_t systems
        double least

    ctypedef struct word_128:
        uint64_t high
        uint64_t low

    ctypedef struct pcg64:
        word_128 state
        word_128 increment

    ctypedef struct half_stream:
        bit_generator *bits
        uint64_t drawn
        int has_half

    void resampled_shares(half_stream *stream, int64_t n, int64_t resamples, uint32_t *counts,
                          double *shares, work_watch *watch)
    void resampled_sums(pcg64 *bits, const int64_t *values, int64_t n, int64_t columns,
                        int64_t resamples, int64_t *sums, work_watch *watch)
    void count_ranks(const double *weights, int64_t draws, int64_t n, const double *values,
                     int64_t systems, double *memory, int32_t *places, rank_counts *counts,
                     work_watch *watch)
    void largest_pair_squares(const pair_bootstrap *drawn, int64_t resamples, double *memory,
                              double *largest, work_watch *watch)


def bootstrap_shares(int64_t n, int64_t resamples, int64_t batch, generator):
    """How often each of n queries was drawn, divided by n: arrays of shape (batch, n), one after
    the other, each valid until the next is asked for."""
    cdef int64_t start = 0, size
    cdef work_watch watch = new_watch()
    cdef half_stream stream
    stream.bits = <bit_generator *> PyCapsule_GetPointer(generator.capsule, "BitGenerator")
    stream.drawn = 0
    stream.has_half = 0
    cdef uint32_t[::1] counts = np.zeros(n, np.uint32)
    shares = np.empty((min(batch, resamples), n))
    cdef double[:, ::1] to = shares
    while start < resamples:
        size = min(batch, resamples - start)
        with generator.lock:
            with nogil:
                resampled_shares(&stream, n, size, &counts[0], &to[0, 0], &watch)
            raise_if_stopped(&watch)  # before the lock's exit, which would replace it
        start += size
        yield shares[:size]


cdef word_128 word_of(number):
    cdef word_128 word
    word.high, word.low = number >> 64, number & 0xFFFFFFFFFFFFFFFF
    return word


def bootstrap_sums(const int64_t[:, ::1] values, int64_t resamples, generator):
    """Sums over the rows of resamples, shape (resamples, columns); `values` has a row for each
    query, `generator` is a PCG64, which stays where it is."""
    cdef int64_t n = values.shape[0], columns = values.shape[1]
    cdef work_watch watch = new_watch()
    cdef pcg64 bits
    place = generator.state["state"]
    bits.state, bits.increment = word_of(place["state"]), word_of(place["inc"])
    result = np.empty((resamples, columns), np.int64)
    cdef int64_t[:, ::1] to = result
    with nogil:
        resampled_sums(&bits, &values[0, 0], n, columns, resamples, &to[0, 0], &watch)
    raise_if_stopped(&watch)
    return result


def add_ranks(const double[:, ::1] weights, const double[:, ::1] values, double[::1] best,
              int32_t[:, ::1] above, int32_t[:, ::1] ranks):
    """Add the draws of `weights` (draws, queries) of `values` (queries, systems) to the counts."""
    cdef int64_t draws = weights.shape[0], n = weights.shape[1], systems = values.shape[1]
    cdef work_watch watch = new_watch()
    cdef rank_counts counts
    cdef double[::1] memory = np.empty(2 * systems)
    cdef int32_t[::1] places = np.empty(systems, np.int32)
    if draws == 0:
        return
    counts.best, counts.above, counts.ranks = &best[0], &above[0, 0], &ranks[0, 0]
    with nogil:
        count_ranks(&weights[0, 0], draws, n, &values[0, 0], systems, &memory[0], &places[0],
                    &counts, &watch)
    raise_if_stopped(&watch)


def pair_squares(const double[:, ::1] values, const double[:, ::1] weights,
                 const double[:, ::1] squares, double least):
    """The greatest square of t between each system and another, shape (resamples, systems), of
    `values` (queries, systems) under `weights` and their `squares` (resamples, queries)."""
    cdef int64_t resamples = weights.shape[0]
    cdef pair_bootstrap drawn
    cdef work_watch watch = new_watch()
    drawn.n, drawn.systems, drawn.least = values.shape[0], values.shape[1], least
    cdef double[::1] memory = np.empty((drawn.n + 2) * drawn.systems + drawn.n)
    result = np.empty((resamples, drawn.systems))
    cdef double[:, ::1] largest = result
    if resamples == 0:
        return result
    drawn.values, drawn.weights, drawn.squares = &values[0, 0], &weights[0, 0], &squares[0, 0]
    with nogil:
        largest_pair_squares(&drawn, resamples, &memory[0], &largest[0, 0], &watch)
    raise_if_stopped(&watch)
    return result
