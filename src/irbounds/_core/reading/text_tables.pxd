"""Numbers by text: the part of a search that is inlined where runs are read."""
from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint64_t

cdef extern from "Python.h":
    Py_hash_t PyObject_Hash(PyObject *value) noexcept
    const char *PyUnicode_AsUTF8AndSize(PyObject *text, Py_ssize_t *size) noexcept
    void PyErr_Clear() noexcept

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    #define EACH UINT64_C(0x0101010101010101)  /* a byte times this: the same in all bytes */

    #if defined(__GNUC__) || defined(__clang__)
    #define soon_read(p) __builtin_prefetch(p)
    #define zeros_below(x) __builtin_ctzll(x)
    #else
    #define soon_read(p) ((void)(p))
    static inline int zeros_below(uint64_t x)
    {
        int n = 0;
        for (; !(x & 0xFF); x >>= 8)
            n += 8;
        for (; !(x & 1); x >>= 1)
            n++;
        return n;
    }
    #endif

    /* Eight bytes, the first one lowest: compilers make one load of it. */
    static inline uint64_t eight_tags(const unsigned char *p)
    {
        return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24
               | (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48
               | (uint64_t)p[7] << 56;
    }

    /* The high bits of bytes that are 0.  Bytes that are 1, above one that is 0, have theirs too:
     * a search looks again. */
    static inline uint64_t zero_bytes(uint64_t x)
    {
        return (x - EACH) & ~x & (EACH << 7);
    }

    static inline uint64_t any_eight(const char *p)
    {
        uint64_t x;
        memcpy(&x, p, sizeof x);
        return x;
    }

    /* Ids are so short that the call of memcmp would take longer. */
    static inline int same_bytes(const char *a, const char *b, size_t n)
    {
        if (n < 8 || n > 24)
            return memcmp(a, b, n) == 0;
        return ((any_eight(a) ^ any_eight(b))
                | (any_eight(a + n - 8) ^ any_eight(b + n - 8))
                | (any_eight(a + (n - 8) / 2) ^ any_eight(b + (n - 8) / 2))) == 0;
    }
    """
    const uint64_t EACH
    bint same_bytes(const char *a, const char *b, size_t n) noexcept nogil
    void soon_read(const void *p) noexcept nogil
    int zeros_below(uint64_t x) noexcept nogil
    uint64_t eight_tags(const unsigned char *p) noexcept nogil
    uint64_t zero_bytes(uint64_t x) noexcept nogil

cdef enum:
    GROUP = 8  # tags that are read at once
    MOST_TEXT = 47  # bytes of a text that an entry holds; longer ones are compared as objects
    OTHER_TEXT = 255  # the size of a text that an entry does not hold

cdef struct text_entry:
    double value
    PyObject *key
    unsigned char size
    char text[7]  # and more

# One table: `tags` of each slot, then the slots: half of the hash, and where the entry is, in units
# of eight bytes from the tags on; then the entries.
cdef struct text_table:
    unsigned char *tags
    uint64_t mask  # number of slots - 1

cdef inline uint64_t hash_of(PyObject *text) noexcept:
    return <uint64_t> <int64_t> PyObject_Hash(text)

cdef inline uint64_t tag_of(uint64_t hash) noexcept nogil:
    return 0x80 | hash >> 57

cdef inline uint64_t first_slot(uint64_t hash, uint64_t mask) noexcept nogil:
    """The first slot of the group where a search begins."""
    return hash & mask & ~<uint64_t> (GROUP - 1)

cdef inline uint64_t *slots_of(const text_table *table) noexcept nogil:
    return <uint64_t *> (table.tags + table.mask + 1)

cdef inline const text_entry *entry_at(const text_table *table, uint64_t slot) noexcept nogil:
    return <const text_entry *> (table.tags + (slot << 32 >> 29))

cdef inline void ask_memory(const text_table *table, uint64_t hash) noexcept nogil:
    """Say that a text of this hash will be looked up soon."""
    cdef uint64_t at = first_slot(hash, table.mask)
    soon_read(table.tags + at)
    soon_read(slots_of(table) + at)

cdef inline const text_entry *likely_entry(const text_table *table, uint64_t hash) noexcept nogil:
    """The entry of a text of this hash, but for one pair of hashes in 2^32; NULL: no entry."""
    cdef uint64_t at = first_slot(hash, table.mask), tags, same, slot
    while True:
        tags = eight_tags(table.tags + at)
        same = zero_bytes(tags ^ tag_of(hash) * EACH)
        while same != 0:
            slot = slots_of(table)[at + (zeros_below(same) >> 3)]
            if slot >> 32 == hash >> 32:
                return entry_at(table, slot)
            same &= same - 1
        if zero_bytes(tags) != 0:
            return NULL
        at = (at + GROUP) & table.mask

cdef inline bint is_entry_of(const text_entry *entry, PyObject *key) noexcept:
    """Whether the entry is that of a plain text, as far as its own text says: long and foreign ones
    may be, where this says no."""
    cdef Py_ssize_t size = 0
    cdef const char *text
    if entry.key == key:
        return True
    if entry.size == OTHER_TEXT:
        return False
    text = PyUnicode_AsUTF8AndSize(key, &size)
    if text == NULL:  # bytes of a file that were no text
        PyErr_Clear()
        return False
    return size == entry.size and same_bytes(text, entry.text, size)


cdef class TextTables:
    cdef list keys  # keeps the texts alive
    cdef char *memory
    cdef text_table *tables
    cdef int64_t stride
    cdef int64_t room(self, int64_t n_texts) noexcept
    cdef int enter(self, int64_t number, int64_t place, str key, double value) except -1
    cdef const text_entry *find(self, int64_t number, PyObject *key, uint64_t hash) noexcept
