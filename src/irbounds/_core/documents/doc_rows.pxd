from libc.stdint cimport int64_t, uint64_t

cdef extern from "reading/doc_index.h" nogil:
    ctypedef struct doc_table:
        int64_t n_rows
        const uint64_t *hash
        const int64_t *id_end
        const char *ids

    uint64_t doc_hash(const char *p, int64_t size, uint64_t secret)
    int64_t doc_index_size(int64_t n_rows)
    int64_t doc_index_fill(const doc_table *table, int64_t first, uint64_t *slots, int64_t n_slots)
    int64_t doc_index_find(const doc_table *table, const uint64_t *slots, int64_t n_slots,
                           const char *id, int64_t size, uint64_t hash)
    int64_t doc_index_look_up(const doc_table *table, const uint64_t *slots, int64_t n_slots,
                              const double *values, const doc_table *wanted, double otherwise,
                              double *found)

cdef extern from "reading/trec_text.h" nogil:
    int TREC_PADDING

    ctypedef struct trec_rows:
        int64_t n_rows
        int64_t max_rows
        int64_t max_ids
        double *value
        uint64_t *hash
        uint64_t secret
        int64_t *line
        int64_t *id_end
        char *ids

cdef class DocRows:
    cdef trec_rows c
    cdef int64_t *ends  # c.id_end - 1
    cdef int reserve(self, int64_t n_rows, int64_t n_ids) except -1
    cdef int append(self, const char *doc_id, int64_t size, double value, int64_t line) except -1
    cdef int append_item(self, object doc_id, object value) except -1
    cdef void clear(self) noexcept
    cdef void forget_lines(self) noexcept
    cdef doc_table table(self, int64_t start, int64_t stop) noexcept nogil
    cdef bytes doc_id(self, int64_t row)

cdef class RowReader:
    cdef bint whole_values  # the format knows whole values only
    cdef bytes read_query(self, DocRows rows)
