"""Ids, one behind the other in one buffer, as `ArrowBatch.from_buffers` takes text: about 15 ns an
id of Python's, 5 ns one of NumPy's arrays of text."""
from cpython.bytes cimport PyBytes_AsStringAndSize
from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

import numpy as np

from irbounds._core.signals cimport heed_signals

from irbounds._core.doc_rows import id_as_bytes

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size)  # NULL where it fails
    void PyErr_Clear()

cdef enum:
    PIECE = 1 << 16  # ids between looks for signals


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


def text_buffers(values, uint8_t[::1] keep=None, padding=None):
    """(ends, bytes) of ids, text or whole numbers.  Those that are None or equal `padding`, or that
    are not kept, are empty; `keep` becomes 0 there."""
    cdef list ids = values if type(values) is list else list(values)
    cdef Py_ssize_t i, size, n = len(ids)
    cdef _Text out = _Text(n)
    cdef const char *text
    cdef bint is_kept, has_keep = keep is not None
    # text is never equal to a whole number, which costs more to ask than all the rest
    cdef bint may_pad = has_keep and padding is not None and type(padding) is not int
    for i in range(n):
        value = ids[i]
        if type(value) is str:
            is_kept = not has_keep or (keep[i] and not (may_pad and value == padding))
            if is_kept:
                text = PyUnicode_AsUTF8AndSize(value, &size)
                if text != NULL:
                    out.append(text, size)
                else:  # bytes of a file that were no text
                    PyErr_Clear()
                    out.append_id(value)
        else:
            is_kept = not has_keep or (keep[i] and not (value is None or value is padding
                                                        or value == padding))
            if is_kept:
                out.append_id(value)
        if has_keep and not is_kept:
            keep[i] = 0
        out.ends[i + 1] = out.size
        if i % PIECE == 0:
            heed_signals()
    return out.result()


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
