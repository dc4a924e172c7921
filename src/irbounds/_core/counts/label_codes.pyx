"""Numbers of labels: each object's label as the number of the first one that equals it.

Labels come in any order, so a branch on them is mispredicted each other time, which takes longer
than all the rest.  The number is guessed by a table instead and then checked.
"""
from libc.stdint cimport uint8_t
from libc.string cimport memcmp, memset

import numpy as np

from irbounds._core.common.signals cimport heed_signals

cdef extern from "Python.h":
    bint PyObject_RichCompareBool(object one, object other, int operation) except -1
    Py_hash_t PyObject_Hash(object label) except -1
    int Py_EQ


cdef enum:
    MOST = 32  # labels; vectors of more are left to hash tables
    PIECE = 1 << 18  # rows between looks for signals


def codes_of_texts(const uint8_t[:, ::1] rows):
    """(codes, the first row of each label) of texts of fixed width, as bytes; None where there are
    more than 32 labels."""
    cdef Py_ssize_t i, n = rows.shape[0], width = rows.shape[1], at = 0
    cdef Py_ssize_t first[MOST]
    cdef uint8_t guess[256]  # by the byte at `at`, where the first two labels differ
    cdef int code, n_known = 0
    codes = np.empty(n, np.uint8)
    cdef uint8_t[::1] to = codes
    memset(guess, 0, sizeof(guess))
    for i in range(n):
        code = guess[rows[i, at]]
        if n_known == 0 or memcmp(&rows[i, 0], &rows[first[code], 0], width) != 0:
            code = 0
            while (code < n_known
                   and memcmp(&rows[i, 0], &rows[first[code], 0], width) != 0):
                code += 1
            if code == MOST:
                return None
            if code == n_known:
                first[code] = i
                n_known += 1
            if code == 1 and n_known == 2:
                while rows[i, at] == rows[first[0], at]:
                    at += 1
                memset(guess, 0, sizeof(guess))
            guess[rows[i, at]] = code
        to[i] = code
        if i % PIECE == 0:
            heed_signals()
    return codes, [first[code] for code in range(n_known)]


def codes_of_objects(object[::1] objects):
    """The same of texts, whole numbers, floats and bools; None where there is anything else."""
    cdef Py_ssize_t i, n = objects.shape[0]
    cdef Py_ssize_t first[MOST]
    cdef uint8_t guess[256]  # by the last byte of the hash
    cdef uint8_t place
    cdef int code, n_known = 0
    cdef object label, kind, known
    codes = np.empty(n, np.uint8)
    cdef uint8_t[::1] to = codes
    memset(guess, 0, sizeof(guess))
    for i in range(n):
        label = objects[i]
        kind = type(label)
        if not (kind is str or kind is int or kind is float or kind is bool):
            return None
        place = <uint8_t> PyObject_Hash(label)
        code = guess[place]
        known = objects[first[code]] if n_known else None
        if known is None or not (label is known
                                 or PyObject_RichCompareBool(label, known, Py_EQ)):
            code = 0
            while code < n_known:
                known = objects[first[code]]
                if label is known or PyObject_RichCompareBool(label, known, Py_EQ):
                    break
                code += 1
            if code == MOST:
                return None
            if code == n_known:
                first[code] = i
                n_known += 1
            guess[place] = code
        to[i] = code
        if i % PIECE == 0:
            heed_signals()
    return codes, [first[code] for code in range(n_known)]
