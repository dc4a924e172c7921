"""Ids, one behind the other in one buffer, as `ArrowBatch.from_buffers` takes text: about 15 ns an
id of Python's, 5 ns one of NumPy's arrays of text."""
import sys

from cpython.bytes cimport PyBytes_AsStringAndSize
from cpython.object cimport PyObject
from libc.stdint cimport int64_t, intptr_t, uint8_t, uint32_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcmp, memcpy

import numpy as np

from irbounds._core.common.signals cimport heed_signals

from irbounds._core.documents.doc_rows import id_as_bytes

cdef extern from "Python.h":
    # borrowed references: to take one of its own writes to each text, which may lie anywhere
    int PyUnicode_CheckExact(PyObject *value)
    const char *PyUnicode_AsUTF8AndSize(PyObject *text, Py_ssize_t *size)  # NULL where it fails
    void PyErr_Clear()

cdef extern from "numeric/prefetch.h" nogil:
    void prefetch(const void *place)

cdef enum:
    PIECE = 1 << 16  # ids between looks for signals
    BLOCK = 1 << 12  # ids that are objects for a moment: in the processor's cache (half the time)
    AHEAD = 16       # ids that are fetched before they are read,
    TEXT_OFFSET = 56  # and where most of a short text's bytes are in its object


cdef class _Text:
    """Bytes that grow, and where each id ends."""
    cdef char *text
    cdef int64_t size, capacity
    cdef object all_ends
    cdef int64_t[::1] ends

    def __cinit__(self, int64_t n):
        self.text = NULL
        self.size = self.capacity = 0
        self.all_ends = np.empty(n + 1, np.int64)
        self.ends = self.all_ends
        self.ends[0] = 0

    def __dealloc__(self):
        free(self.text)

    cdef int reserve(self, int64_t more) except -1:
        cdef int64_t wanted = max(self.size + more, 2 * self.capacity)
        cdef void *larger
        if self.size + more > self.capacity:
            larger = realloc(self.text, wanted)
            if larger == NULL:
                raise MemoryError(f"not enough memory for {wanted} bytes of ids")
            self.text, self.capacity = <char *> larger, wanted
        return 0

    cdef int append(self, const char *text, int64_t size) except -1:
        self.reserve(size)
        memcpy(self.text + self.size, text, size)
        self.size += size
        return 0

    cdef int append_id(self, object value) except -1:
        """Any id that `id_as_bytes` takes."""
        cdef bytes name = id_as_bytes(value)
        cdef char *text
        cdef Py_ssize_t size
        PyBytes_AsStringAndSize(name, &text, &size)
        return self.append(text, size)

    cdef result(self):
        return self.all_ends, self.text[:self.size] if self.size else b""


cdef class _Kept:
    """Which ids are kept: those that are None or equal the padding are not."""
    cdef uint8_t[::1] keep
    cdef bint has_keep, may_pad
    cdef object padding
    cdef bytes padding_bytes

    def __init__(self, keep, padding):
        self.has_keep = keep is not None
        self.keep = keep
        self.padding = padding
        self.may_pad = self.has_keep and padding is not None
        self.padding_bytes = None
        if type(padding) is str or type(padding) is int:  # 7 and "7" are one id
            self.padding_bytes = str(padding).encode("utf-8", "surrogatepass")

    cdef bint is_padding(self, const char *text, Py_ssize_t size) except -1:
        """Whether text in UTF-8 equals the padding."""
        cdef char *other
        cdef Py_ssize_t other_size
        if self.padding_bytes is None:
            return text[:size].decode() == self.padding
        PyBytes_AsStringAndSize(self.padding_bytes, &other, &other_size)
        return size == other_size and memcmp(text, other, size) == 0

    cdef int put(self, _Text out, Py_ssize_t i, PyObject *pointer) except -1:
        """Append id i, or note that it is not kept."""
        cdef bint is_kept = not self.has_keep or self.keep[i]
        cdef const char *text
        cdef Py_ssize_t size
        cdef object value
        if is_kept:
            if pointer == NULL:  # which arrays have for None
                is_kept = not self.has_keep
                if is_kept:
                    out.append_id(None)
            elif PyUnicode_CheckExact(pointer):
                text = PyUnicode_AsUTF8AndSize(pointer, &size)
                if text == NULL:  # bytes of a file that were no text
                    PyErr_Clear()
                    value = <object> pointer
                    is_kept = self.put_any(out, value)
                else:
                    is_kept = not (self.may_pad and self.is_padding(text, size))
                    if is_kept:
                        out.append(text, size)
            else:
                value = <object> pointer  # a reference of our own: comparing runs any code
                is_kept = self.put_any(out, value)
        if self.has_keep and not is_kept:
            self.keep[i] = 0
        out.ends[i + 1] = out.size
        return 0

    cdef bint put_any(self, _Text out, object value) except -1:
        """Append an id that may be anything, and say whether it is kept."""
        if self.has_keep and (value is None or value is self.padding or value == self.padding):
            return False
        out.append_id(value)
        return True


def text_buffers(values, uint8_t[::1] keep=None, padding=None):
    """(ends, bytes) of ids, text or whole numbers.  Those that are None or equal `padding`, or that
    are not kept, are empty; `keep` becomes 0 there."""
    cdef list ids = values if type(values) is list else list(values)
    cdef Py_ssize_t i, n = len(ids)
    cdef _Text out = _Text(n)
    cdef _Kept kept = _Kept(keep, padding)
    cdef object value
    for i in range(n):
        value = ids[i]
        kept.put(out, i, <PyObject *> value)
        if i % PIECE == 0:
            heed_signals()
    return out.result()


def object_buffers(array, uint8_t[::1] keep=None, padding=None):
    """The same of a vector of NumPy's objects or texts of any length."""
    cdef Py_ssize_t i, start, n = len(array)
    cdef _Text out = _Text(n)
    cdef _Kept kept = _Kept(keep, padding)
    cdef PyObject **pointer
    cdef list ids
    cdef object value
    # Without a lock of the interpreter another thread may put other ids into the array meanwhile.
    if array.dtype.kind == "O" and has_lock():
        array = np.ascontiguousarray(array)
        pointer = <PyObject **> <intptr_t> array.__array_interface__["data"][0]
        for i in range(n):
            if i + AHEAD < n:
                prefetch(pointer[i + AHEAD])
                prefetch(<char *> pointer[i + AHEAD] + TEXT_OFFSET)
            kept.put(out, i, pointer[i])
            if i % PIECE == 0:
                heed_signals()
        return out.result()
    for start in range(0, n, BLOCK):
        ids = array[start:start + BLOCK].tolist()
        for i in range(len(ids)):
            value = ids[i]
            kept.put(out, start + i, <PyObject *> value)
        heed_signals()
    return out.result()


cdef bint has_lock() except -1:
    """Whether no other thread runs meanwhile."""
    return not hasattr(sys, "_is_gil_enabled") or sys._is_gil_enabled()


def array_buffers(array):
    """The same of a vector of NumPy's text or bytes of one width, which NULs fill."""
    cdef Py_ssize_t i, n = len(array), width
    cdef _Text out = _Text(n)
    cdef bint is_text
    cdef const uint32_t[:, ::1] codes
    cdef const uint8_t[:, ::1] raw
    array = np.ascontiguousarray(array, array.dtype.newbyteorder("="))
    is_text = array.dtype.kind == "U"
    width = array.dtype.itemsize // (4 if is_text else 1)
    if width == 0 or n == 0:
        out.all_ends[:] = 0
        return out.result()
    if is_text:
        codes = array.view(np.uint32).reshape(n, width)
    else:
        raw = array.view(np.uint8).reshape(n, width)
    for i in range(n):
        out.reserve(width)
        if not (append_codes(out, &codes[i, 0], width) if is_text
                else append_raw(out, &raw[i, 0], width)):
            out.append_id(array[i].item())
        out.ends[i + 1] = out.size
        if i % PIECE == 0:
            heed_signals()
    return out.result()


cdef bint append_codes(_Text out, const uint32_t *code, Py_ssize_t width) noexcept:
    """Whether all are ASCII, and were appended."""
    cdef Py_ssize_t j
    cdef uint32_t all_codes = 0
    cdef char *to = out.text + out.size
    while width > 0 and code[width - 1] == 0:
        width -= 1
    for j in range(width):
        all_codes |= code[j]
        to[j] = <char> code[j]
    if all_codes > 127:
        return False
    out.size += width
    return True


cdef bint append_raw(_Text out, const uint8_t *byte, Py_ssize_t width) noexcept:
    while width > 0 and byte[width - 1] == 0:
        width -= 1
    memcpy(out.text + out.size, byte, width)
    out.size += width
    return True
