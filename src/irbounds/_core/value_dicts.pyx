"""Values of one query after another as dicts of the same names."""
from libc.math cimport log
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy

import numpy as np

cdef enum:
    MOST_ROWS = 1 << 10
    MOST_VALUES = 1 << 12  # of all rows: 130 kilobytes, which the processor's caches hold


class Named:
    """Values as attributes: their dict shares its keys with its copies, up to thirty of them, which
    makes a copy of twenty values a quarter cheaper."""


def dict_of_zeros(names):
    """{name: 0.0}, to be copied often."""
    values = Named()
    for name in names:
        setattr(values, name, 0.0)
    return values.__dict__


cdef class ValueDicts:
    """Dicts of values by name; an object belongs to one call at a time.

    Short rankings have few values: with one relevant document each, that of its place.  So a dict
    is the copy of one that is kept, in the row that a hash of the values says; only the numbers
    that differ there are made anew.

    names: those of the output, each with the number of its measure (-1: its value is 0) and whether
    its logarithm is shown, not below that of `least`.
    """
    def __init__(self, list names, double least):
        self.names = [name for name, _, _ in names]
        self.source = np.array([2 * source + is_log for _, source, is_log in names], np.int64)
        self.least = least
        self.n_rows = MOST_ROWS
        while self.n_rows > 1 and self.n_rows * len(names) > MOST_VALUES:
            self.n_rows >>= 1
        self.zeros = dict_of_zeros(self.names)
        self.rows = [None] * self.n_rows
        self.shown = np.zeros((self.n_rows, len(names)))
        self.column = np.zeros(len(names))

    cdef dict of(self, const double *values):
        """A new dict of these values of the measures."""
        cdef int64_t i, source, n = self.column.shape[0]
        cdef uint64_t bits, hash = 0
        cdef double value
        for i in range(n):
            source = self.source[i]
            if source < 0:
                continue
            value = values[source >> 1]
            if source & 1:
                value = log(max(value, self.least))
            self.column[i] = value
            memcpy(&bits, &value, sizeof(bits))
            hash = (hash ^ bits) * <uint64_t> 0x9E3779B97F4A7C15  # odd: 2^64 / the golden ratio
            hash ^= hash >> 32
        i = <int64_t> (hash & <uint64_t> (self.n_rows - 1))
        return self.filled(i).copy()

    cdef dict filled(self, int64_t row):
        """The dict that is kept in a row, with the values of self.column."""
        cdef int64_t i
        found = self.rows[row]
        if found is None:
            found = self.rows[row] = self.zeros.copy()
        cdef dict values = <dict> found
        for i in range(self.column.shape[0]):
            if self.column[i] != self.shown[row, i]:
                values[self.names[i]] = self.column[i]
                self.shown[row, i] = self.column[i]
        return values
