from libc.stdint cimport int64_t

from irbounds._core.documents.doc_rows cimport DocRows, RowReader, trec_rows

cdef extern from "reading/trec_text.h" nogil:
    enum trec_format:
        TREC_RUN
        TREC_QRELS

    enum trec_status:
        TREC_END
        TREC_MORE
        TREC_QUERY
        TREC_FULL
        TREC_NUMBER
        TREC_COLUMNS
        TREC_NUL
        TREC_RETURN
        TREC_UNCLOSED
        TREC_AFTER_QUOTE
        TREC_NO_ID
        TREC_OTHER

    ctypedef struct trec_cursor:
        const char *text
        int64_t size
        int64_t position
        int64_t line
        int is_last
        const char *nul
        const char *token
        int64_t token_size
        int64_t found

    trec_status trec_read(trec_cursor *cursor, trec_rows *rows, trec_format format,
                          const char *query, int64_t query_size)

cdef class TextReader(RowReader):
    cdef object file
    cdef bytearray buffer
    cdef int64_t capacity
    cdef trec_cursor cursor
    cdef str value_name
    cdef bytes query  # of the next row
    cdef readonly bint has_rows  # seen so far
    cdef bytes read_query(self, DocRows rows)
    cdef trec_status read(self, trec_rows *rows, const char *query, int64_t size) noexcept nogil
    cdef object refusal(self, trec_status status)
    cdef bytes read_other(self, DocRows rows, bytes query)
    cdef int fill(self) except -1
    cdef int number(self, DocRows rows) except -1

cdef class TrecReader(TextReader):
    cdef trec_format format
