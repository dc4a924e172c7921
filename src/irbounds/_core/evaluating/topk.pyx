"""Matrices of retrieved documents, a row for each query, as vector indexes return them."""
from libc.stdint cimport int64_t, uint8_t

from irbounds._core.documents.arrow_rows cimport ArrowBatch, arrow_append, arrow_id_bytes
from irbounds._core.documents.doc_rows cimport DocRows, RowReader

cdef enum:
    DOC = 1
    VALUE = 2


cdef class TopRows(RowReader):
    """Query q has the kept ones of the documents q k .. (q + 1) k of a batch, scores by rank where
    `by_rank`."""
    cdef ArrowBatch batch
    cdef const uint8_t[:, ::1] keep
    cdef list queries
    cdef bint ascending, by_rank
    cdef Py_ssize_t position

    def __init__(self, list queries, ArrowBatch batch, keep, bint ascending, bint by_rank):
        self.queries, self.batch, self.keep = queries, batch, keep
        self.ascending, self.by_rank = ascending, by_rank

    cdef bytes read_query(self, DocRows rows):
        cdef int64_t q = self.position, k = self.keep.shape[1], first = rows.c.n_rows
        cdef int64_t j = 0, end, row
        if q == len(self.queries):
            return None
        rows.reserve(first + k, rows.ends[first]
                     + arrow_id_bytes(&self.batch.column[DOC], q * k, (q + 1) * k))
        with nogil:
            while j < k:
                if not self.keep[q, j]:
                    j += 1
                    continue
                end = j + 1
                while end < k and self.keep[q, end]:
                    end += 1
                arrow_append(&self.batch.column[DOC], &self.batch.column[VALUE], q * k + j,
                             q * k + end, &rows.c)
                j = end
            for row in range(first, rows.c.n_rows):
                if self.by_rank:
                    rows.c.value[row] = first - row
                elif self.ascending:
                    rows.c.value[row] = -rows.c.value[row]
        self.position += 1
        return self.queries[q]
