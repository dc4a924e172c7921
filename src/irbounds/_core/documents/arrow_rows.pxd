from libc.stdint cimport int64_t, intptr_t, uint8_t, uint64_t

from irbounds._core.documents.doc_rows cimport DocRows, RowReader, trec_rows

cdef extern from "reading/arrow_column.h" nogil:
    struct ArrowSchema:
        const char *format
        const char *name
        int64_t flags, n_children
        ArrowSchema **children
        ArrowSchema *dictionary
        void (*release)(ArrowSchema *) noexcept

    struct ArrowArray:
        int64_t length, null_count, offset, n_buffers, n_children
        const void **buffers
        ArrowArray **children
        ArrowArray *dictionary
        void (*release)(ArrowArray *) noexcept

    struct ArrowArrayStream:
        int (*get_schema)(ArrowArrayStream *, ArrowSchema *) noexcept
        int (*get_next)(ArrowArrayStream *, ArrowArray *) noexcept
        const char *(*get_last_error)(ArrowArrayStream *) noexcept
        void (*release)(ArrowArrayStream *) noexcept

    enum arrow_kind:
        ARROW_TEXT32
        ARROW_TEXT64
        ARROW_VIEWS
        ARROW_SIGNED
        ARROW_UNSIGNED
        ARROW_FLOAT
        ARROW_BITS
        ARROW_UNKNOWN

    struct arrow_column:
        arrow_kind kind
        int width
        int64_t n_rows
        int64_t offset
        const uint8_t *valid
        const char *values
        const char *text
        const arrow_column *dictionary

    enum:
        ARROW_NUMBER_SIZE
        ARROW_FAULTY

    void arrow_open(arrow_column *column, arrow_column *dictionary, const ArrowSchema *schema,
                    const ArrowArray *array, int64_t parent_offset, int64_t n_rows)
    int arrow_has_ids(const arrow_column *column)
    int arrow_has_numbers(const arrow_column *column)
    int64_t arrow_first_missing(const arrow_column *column)
    int64_t arrow_first_broken(const arrow_column *column)
    double arrow_number(const arrow_column *column, int64_t row)
    const char *arrow_id(const arrow_column *column, int64_t row, char *digits, int64_t *size)
    int64_t arrow_stretch_end(const arrow_column *column, int64_t row)
    int64_t arrow_id_bytes(const arrow_column *column, int64_t start, int64_t stop)
    void arrow_append(const arrow_column *doc_id, const arrow_column *value, int64_t start,
                      int64_t stop,
                      trec_rows *rows)

cdef class ArrowBatch:
    cdef ArrowArray array
    cdef object owner  # of what the columns point into
    cdef arrow_column column[3]
    cdef arrow_column dictionary[3]
    cdef readonly int64_t n_rows
    cdef int check(self, names, int64_t first_row) except -1

cdef class ArrowRows(RowReader):
    cdef list batches
    cdef intptr_t[::1] columns    # where each batch's columns are
    cdef int64_t[::1] first_row   # of each batch, and how many rows there are
    cdef list queries             # ids, as they first came
    cdef int64_t[::1] stretch     # first rows of stretches, those of a query together
    cdef int64_t[::1] stretch_end
    cdef int64_t[::1] query_start  # the stretches of query q are query_start[q]:query_start[q + 1]
    cdef int64_t position         # the query that is read next
    cdef find_stretches(self)
    cdef group(self, const int64_t[::1] numbers)
    cdef int64_t measure(self, int64_t first, int64_t last, int64_t *n_rows,
                         int64_t *n_bytes) noexcept nogil
    cdef void append(self, DocRows rows, int64_t first, int64_t last) noexcept nogil
    cdef const arrow_column *column(self, int64_t batch, int which) noexcept nogil
    cdef int64_t batch_of(self, int64_t row, int64_t guess) noexcept nogil
    cdef bytes read_query(self, DocRows rows)


cdef class ArrowParts(RowReader):
    cdef object parts            # iterator of ArrowRows
    cdef ArrowRows part          # whose rows are read next, or None
    cdef readonly bint has_rows  # whether a part had rows so far
    cdef int advance(self) except -1
    cdef bytes read_query(self, DocRows rows)
