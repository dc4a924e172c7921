from libc.stdint cimport int64_t, uint64_t

from irbounds._core.documents.doc_rows cimport DocRows

cdef class Stretches:
    cdef dict numbers             # of the queries, by id, as they first came
    cdef int64_t[::1] number      # each stretch's query
    cdef int64_t[::1] start       # each stretch's first row
    cdef int64_t n
    cdef int grow(self, int64_t most) except -1
    cdef int add(self, bytes query, int64_t begin) except -1

cdef class DocTable:
    cdef readonly DocRows rows
    cdef readonly list query_ids
    cdef readonly dict query_number  # of the ids as bytes
    cdef readonly bint whole_values  # read from a format that knows whole values only
    cdef int64_t[::1] start
    cpdef int64_t line(self, int64_t row)

cdef class DocIndex:
    cdef readonly DocTable table
    cdef readonly dict query_number
    cdef readonly bint has_unjudged
    cdef readonly double lowest_top  # the least of the queries' highest levels, by the last call
    cdef int64_t[::1] slot_start
    cdef uint64_t[::1] slots

cdef int check_distinct(DocRows rows, int64_t start, int64_t stop, object query,
                        uint64_t[::1] slots) except -1

cdef duplicate(DocRows rows, int64_t row, object query)
