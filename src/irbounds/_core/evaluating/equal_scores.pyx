"""Scores as ties are found in them: the same number for all that count as equal."""
from libc.stdint cimport int64_t

import numpy as np

from irbounds._core.common.signals cimport new_watch, raise_if_stopped


cdef class EqualScores:
    """Scores that equal each other as 32-bit floats (`is_single`), or within a relative tolerance.

    It holds the scores that it merged last, so it belongs to one job.
    """

    def __init__(self, bint is_single, double tolerance):
        self.rule.is_single, self.rule.tolerance = is_single, tolerance
        self.is_exact = not is_single and tolerance == 0
        self.merged, self.rows = np.empty(0), np.empty(0, np.int64)
        self.watch = new_watch()

    cdef const double *merge(self, const double *score, int64_t n) except? NULL:
        """The scores of one query; valid until the next call."""
        if self.is_exact or n == 0:
            return score
        if self.merged.shape[0] < n:
            self.merged = np.empty(max(n, 2 * self.merged.shape[0]))
            if self.rule.tolerance > 0:
                self.rows = np.empty(2 * self.merged.shape[0], np.int64)
        cdef int64_t *rows = &self.rows[0] if self.rule.tolerance > 0 else NULL
        with nogil:
            equal_scores(score, n, &self.rule, &self.merged[0], rows, &self.watch)
        raise_if_stopped(&self.watch)
        return &self.merged[0]

    def merged_groups(self, const double[::1] score, const int64_t[::1] start):
        """The scores of all groups; group q is start[q]:start[q + 1]."""
        cdef int64_t q, i, n
        cdef const double *own
        if self.is_exact:
            return score
        result = np.empty(score.shape[0])
        cdef double[::1] to = result
        for q in range(start.shape[0] - 1):
            n = start[q + 1] - start[q]
            if n == 0:
                continue
            own = self.merge(&score[start[q]], n)
            for i in range(n):
                to[start[q] + i] = own[i]
        return result
