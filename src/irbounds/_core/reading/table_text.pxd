from libc.stdint cimport int64_t

from irbounds._core.documents.doc_rows cimport trec_rows
from irbounds._core.reading.trec_text cimport TextReader, trec_cursor, trec_status

cdef extern from "reading/table_text.h" nogil:
    ctypedef struct table_layout:
        char delimiter
        int has_quotes
        int has_ranks
        int64_t n_columns
        int64_t place[3]

    trec_status table_read(trec_cursor *cursor, trec_rows *rows, const table_layout *layout,
                           char *scratch, const char *query, int64_t query_size)

cdef class TableReader(TextReader):
    cdef table_layout layout
    cdef bytearray scratch
    cdef char *scratch_at
