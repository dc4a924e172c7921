"""Values of one query after another as dicts of the same names."""
from libc.math cimport log
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy

import numpy as np

cdef enum:
    MOST_ROWS = 1 << 10
    MOST_VALUES = 1 << 12  # of all rows: 130 kilobytes, which the processor's caches hold
    KEPT = 16  # numbers of a column: a precision has few values

cdef uint64_t ODD = 0x9E3779B97F4A7C15  # 2^64 / the golden ratio


class Named:
    """Values as attributes: their dict shares its keys with its copies."""


def dict_of_zeros(names):
    """{name: 0.0}, to be copied often.

    Shared keys make a copy of 11 to 24 values half as dear and fewer no cheaper; more cannot be
    shared, and then a copy takes four times as long (CPython 3.11 to 3.13, measured).
    """
    if not 10 < len(names) < 25:
        return dict.fromkeys(names, 0.0)
    values = Named()
    for name in names:
        setattr(values, name, 0.0)
    return values.__dict__


cdef class ValueDicts:
    """Dicts of values by name; an object belongs to one call at a time.

    Short rankings have few values: with one relevant document each, that of its place.  So values
    that come again have a dict of their own, in the row that their hash says: the output is a copy
    of it, and shares its numbers.  Other values are written into one dict, which is copied too.

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
        self.last = np.zeros(self.n_rows, np.uint64)
        self.shown = np.zeros((self.n_rows, len(names)))
        self.other, self.written = self.zeros.copy(), np.zeros(len(names))
        self.column = np.zeros(len(names))
        self.kept = [0.0] * (KEPT * len(names))
        self.kept_bits = np.zeros(KEPT * len(names), np.uint64)

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
            hash = (hash ^ bits) * ODD
            hash ^= hash >> 32
        i = <int64_t> (hash & <uint64_t> (self.n_rows - 1))
        if self.last[i] != hash:
            self.last[i] = hash
            self.write(self.other, &self.written[0])
            return self.other.copy()
        if self.rows[i] is None:
            self.rows[i] = self.zeros.copy()
        self.write(self.rows[i], &self.shown[i, 0])
        return (<dict> self.rows[i]).copy()

    cdef int write(self, dict values, double *shown) except -1:
        """Put the values of self.column into a dict that has those of `shown`."""
        cdef int64_t i
        for i in range(self.column.shape[0]):
            if self.column[i] != shown[i]:
                values[self.names[i]] = self.number(i)
                shown[i] = self.column[i]
        return 0

    cdef object number(self, int64_t i):
        """self.column[i], an object that was made before if it is at hand."""
        cdef double value = self.column[i]
        cdef uint64_t bits
        memcpy(&bits, &value, sizeof(bits))
        cdef int64_t at = i * KEPT + <int64_t> (bits * ODD >> 60)
        if self.kept_bits[at] != bits:
            self.kept_bits[at] = bits
            self.kept[at] = value
        return self.kept[at]
