from libc.stdint cimport int64_t

from irbounds._core.documents.doc_rows cimport DocRows, trec_rows
from irbounds._core.reading.trec_text cimport TextReader, trec_cursor, trec_status

cdef extern from "reading/json_lines.h" nogil:
    ctypedef struct json_names:
        const char *name[3]
        int64_t size[3]

    trec_status json_read(trec_cursor *cursor, trec_rows *rows, const json_names *names,
                          const char *query, int64_t query_size)

cdef class JsonLinesReader(TextReader):
    cdef json_names names
    cdef list name_bytes
    cdef object parse
    cdef int set_names(self, names) except -1
    cdef bytes read_other(self, DocRows rows, bytes query)
