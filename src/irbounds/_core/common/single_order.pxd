"""The order of documents by single-precision scores and ids (csrc/ordering/single_order.h)."""
from libc.stdint cimport int32_t, int64_t, uint64_t

cdef extern from "reading/doc_name.h" nogil:
    ctypedef struct doc_name:
        const char *text
        int64_t size

cdef extern from "ordering/single_order.h" nogil:
    ctypedef struct single_tie:
        int64_t start, stop

    ctypedef struct single_name:
        pass

    ctypedef struct single_memory:
        uint64_t *key
        uint64_t *key_scratch
        int32_t *bucket
        int32_t *place
        single_tie *ties
        single_name *names
        single_name *name_scratch
        int64_t n_ties

    bint single_order_scores(const double *score, const double *grade, int64_t n, double mark_level,
                             single_memory *memory)
    int64_t single_order_row(const single_memory *memory, int64_t place)
    void single_order_names(const doc_name *names, single_memory *memory)
    int64_t single_order_marks(const double *grade, int64_t n, double mark_level,
                               const single_memory *memory, int64_t *before, double *mark_grade)
