"""Randomisation plans through the kernels of sign_flips.h."""
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int64_t, uint8_t, uint64_t

import numpy as np

from irbounds._core.common.signals cimport new_watch, raise_if_stopped, work_watch

cdef extern from "draws/sign_flips.h" nogil:
    ctypedef struct bit_generator:
        void *state

    ctypedef struct flip_stream:
        bit_generator *bits
        uint64_t ready
        int n_ready

    void sign_flips_draw(flip_stream *stream, int64_t n, int64_t resamples, uint8_t *flips,
                         int64_t *flipped,
                         work_watch *watch)
    void sign_flips_draw_dense(bit_generator *bits, int64_t n, int64_t resamples, uint8_t *flips,
                               int64_t *flipped, work_watch *watch)
    void sign_flips_sum(const uint8_t *flips, int64_t n, int64_t resamples, const int64_t *values,
                        int64_t *sums,
                        work_watch *watch)
    int64_t subset_sums_up_to(const int64_t *values, int64_t limit)
    void shuffled_spreads(bit_generator *bits, const int64_t *values, int64_t n, int64_t measures,
                          int64_t systems,
                          int64_t baseline, int64_t resamples, int64_t *spread, int64_t *sums,
                          int64_t *place,
                          work_watch *watch)


def flipped_sums(const int64_t[:, ::1] columns, int64_t resamples, int64_t batch, generator,
                 bint is_dense=False):
    """For each column (a row here) and resample, the sum of the values flipped; and how many are
    flipped, by resample.

    The plan is drawn for `batch` resamples at a time, with the same result whatever their number.
    It is that of NumPy's `permuted`, or, if it is dense, one of 64 flips from each number.
    """
    cdef int64_t m = columns.shape[0], n = columns.shape[1], start = 0, size, j
    cdef flip_stream stream
    cdef work_watch watch = new_watch()
    stream.bits = <bit_generator *> PyCapsule_GetPointer(generator.capsule, "BitGenerator")
    stream.ready = 0
    stream.n_ready = 0
    batch = min(batch, resamples)
    sums, flipped = np.empty((m, resamples), np.int64), np.empty(resamples, np.int64)
    cdef int64_t[:, ::1] to = sums
    cdef int64_t[::1] count = flipped
    cdef uint8_t[::1] flips = np.empty((n + 7) // 8 * batch, np.uint8)
    with generator.lock:
        with nogil:
            while start < resamples and not watch.is_stopped:
                size = min(batch, resamples - start)
                if is_dense:
                    sign_flips_draw_dense(stream.bits, n, size, &flips[0], &count[start], &watch)
                else:
                    sign_flips_draw(&stream, n, size, &flips[0], &count[start], &watch)
                for j in range(m):
                    sign_flips_sum(&flips[0], n, size, &columns[j, 0], &to[j, start], &watch)
                start += size
        raise_if_stopped(&watch)  # before the lock's exit, which would replace it
    return sums, flipped


def subset_tails(const int64_t[:, ::1] columns, const int64_t[::1] tolerance):
    """For each column (a row of 16 values here), the shares of its subsets whose sum is at most 0,
    and at least 0; sums within the tolerance are 0."""
    cdef int64_t m = columns.shape[0], j
    if columns.shape[1] != 16:
        raise ValueError("subset_tails takes 16 values")
    tails = np.empty((2, m))
    cdef double[:, ::1] to = tails
    with nogil:
        for j in range(m):
            to[0, j] = subset_sums_up_to(&columns[j, 0], tolerance[j]) / 65536.
            to[1, j] = 1 - subset_sums_up_to(&columns[j, 0], -tolerance[j] - 1) / 65536.
    return tails


def shuffled(const int64_t[:, :, ::1] values, int64_t baseline, int64_t resamples, generator):
    """The range of the systems' sums, or with a baseline (0 or more) the farthest from it; shape
    (resamples, measures).

    `values` has shape (queries, measures, systems).
    """
    cdef int64_t n = values.shape[0], m = values.shape[1], k = values.shape[2]
    cdef work_watch watch = new_watch()
    cdef bit_generator *bits = <bit_generator *> PyCapsule_GetPointer(generator.capsule,
                                                                      "BitGenerator")
    result = np.empty((resamples, m), np.int64)
    cdef int64_t[:, ::1] to = result
    cdef int64_t[::1] sums = np.empty(m * k, np.int64), place = np.empty(k, np.int64)
    with generator.lock:
        with nogil:
            shuffled_spreads(bits, &values[0, 0, 0], n, m, k, baseline, resamples, &to[0, 0],
                             &sums[0], &place[0], &watch)
        raise_if_stopped(&watch)  # before the lock's exit, which would replace it
    return result
