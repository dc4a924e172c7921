"""Tables of numbers by text, which are searched with the hashes that texts keep."""
from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint64_t, uintptr_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

cdef extern from "Python.h":
    int PyUnicode_Compare(PyObject *left, PyObject *right) noexcept

cdef enum:
    LINE = 64  # bytes that the processor reads at once


cdef class TextTables:
    """Numbers by text: one table for each dict of a list, all in one piece of memory.

    A run names most documents once, when nothing of them is in the processor's caches.  Here the
    texts that a table lacks cost the read of their hash and of a group of eight tags, which are
    compared at once: a tag is 0 where a slot is empty, else seven bits of the hash.  A text that
    it has is compared with a copy beside its number, not with an object elsewhere in memory: the
    texts of judgments are seldom the objects of the run's.
    """
    def __cinit__(self, list tables):
        cdef int64_t number, size, place, total = LINE, longest = 0
        cdef unsigned char *begin
        self.memory, self.tables = NULL, NULL
        self.keys = [list(table) for table in tables]
        for keys in self.keys:
            for key in keys:
                size = len(<str?> key)
                if longest < size <= MOST_TEXT:
                    longest = size
        self.stride = (<int64_t> sizeof(text_entry) + longest) // 8 * 8  # seven bytes are in it
        self.tables = <text_table *> calloc(max(1, len(tables)), sizeof(text_table))
        for keys in self.keys:
            total += self.room(len(keys))
        self.memory = <char *> calloc(total, 1)
        if self.tables == NULL or self.memory == NULL:
            raise MemoryError(f"not enough memory for tables of {total} bytes")
        begin = <unsigned char *> self.memory + (-<uintptr_t> self.memory) % LINE
        for number in range(len(tables)):
            self.tables[number].tags = begin
            self.tables[number].mask = n_slots(len(tables[number])) - 1
            place = 0
            for key, value in (<dict?> tables[number]).items():
                self.enter(number, place, key, value)
                place += 1
            begin += self.room(place)

    cdef int64_t room(self, int64_t n_texts) noexcept:
        """Bytes of a table, in whole lines."""
        cdef int64_t size = n_slots(n_texts) * (1 + <int64_t> sizeof(uint64_t))
        return (size + n_texts * self.stride + LINE - 1) // LINE * LINE

    def __dealloc__(self):
        free(self.memory)
        free(self.tables)

    def __reduce__(self):
        cdef int64_t number
        tables = []
        for number in range(len(self.keys)):
            tables.append({key: self.find(number, <PyObject *> key, hash_of(<PyObject *> key)).value
                           for key in self.keys[number]})
        return TextTables, (tables,)

    cdef int enter(self, int64_t number, int64_t place, str key, double value) except -1:
        """Put a text into its table; it is not there yet."""
        cdef text_table *table = &self.tables[number]
        cdef uint64_t hash = hash_of(<PyObject *> key), mask = table.mask
        cdef uint64_t at = first_slot(hash, mask)
        cdef int64_t start = (mask + 1) * (1 + <int64_t> sizeof(uint64_t)) + place * self.stride
        cdef text_entry *entry = <text_entry *> (table.tags + start)
        cdef Py_ssize_t size = 0
        cdef const char *text
        while table.tags[at] != 0:
            at = (at + 1) & mask
        table.tags[at] = tag_of(hash)
        slots_of(table)[at] = hash >> 32 << 32 | start >> 3
        entry.key, entry.value, entry.size = <PyObject *> key, value, OTHER_TEXT
        if len(key) <= MOST_TEXT and key.isascii():
            text = PyUnicode_AsUTF8AndSize(<PyObject *> key, &size)
            memcpy(entry.text, text, size)
            entry.size = size
        return 0

    cdef const text_entry *find(self, int64_t number, PyObject *key, uint64_t hash) noexcept:
        """The entry of a plain text, whose hash is given, in one table; NULL where it lacks it."""
        cdef const text_table *table = &self.tables[number]
        cdef uint64_t at = first_slot(hash, table.mask), tags, same, slot
        cdef const text_entry *entry
        while True:
            tags = eight_tags(table.tags + at)
            same = zero_bytes(tags ^ tag_of(hash) * EACH)
            while same != 0:
                slot = slots_of(table)[at + (zeros_below(same) >> 3)]
                entry = entry_at(table, slot)
                if slot >> 32 == hash >> 32 and (
                        is_entry_of(entry, key)
                        or entry.size == OTHER_TEXT and PyUnicode_Compare(entry.key, key) == 0):
                    return entry
                same &= same - 1
            if zero_bytes(tags) != 0:
                return NULL
            at = (at + GROUP) & table.mask


cdef int64_t n_slots(int64_t n_texts) noexcept:
    """A power of two, in whole groups, of which a quarter at least stays empty."""
    cdef int64_t size = GROUP
    while 3 * size < 4 * n_texts:
        size *= 2
    return size
