/* From scores to ranks: the weak ordering of one query's documents.
 *
 * A rank (tie group) holds the documents of one score.  Measures need few documents, the
 * *marks*: those whose grade is at least a given level (the relevant ones; all judged ones for
 * Bpref and Judged).  So only ranks with a mark are kept, with the number of documents before them;
 * the others are counted, never sorted. Cost: n + m log m for input that is already in order, n log
 * m otherwise (m marks among n documents).
 */
#ifndef IRBOUNDS_WEAK_ORDER_H
#define IRBOUNDS_WEAK_ORDER_H

#include <stdint.h>

#include "ordering/mark_sort.h"
#include "numeric/watch.h"

typedef struct {
    int64_t n_docs;        /* documents retrieved */
    int64_t n_ranks;       /* ranks that hold a mark */
    const int64_t *before; /* documents before each rank */
    const int64_t *size;   /* documents in it */
    const int64_t *end;    /* marks in it and in all ranks before it */
    const double *grade;   /* of the marks: rank by rank, highest first inside a rank */
} weak_order;

/* Arrays of the caller, each for n_docs + 1 elements; a weak_order made in them points
 * into them. */
typedef struct {
    int64_t *before, *size, *end;
    double *grade;
    weak_order_mark *mark, *mark_scratch;
    int64_t *pairs;    /* 2 (n_docs + 1) elements: rows and scratch to sort them, or two counts for
                          each rank */
    work_watch *watch; /* or NULL; once it stops, orders are of no use but safe to measure */
} weak_order_memory;

enum tie_rule { TIE_RULE_TOGETHER, TIE_RULE_BY_ROW, TIE_RULE_BY_DOC_ID };

/* Document ids for TIE_RULE_BY_DOC_ID: document i is ids[start[i] : end[i]]. */
typedef struct {
    const int64_t *start, *end;
    const char *ids;
} doc_names;

/* Sort `n` rows by falling score; rows of equal scores stay in their order.  No score is NaN.
 * `scratch` has room for n elements. */
void weak_order_sort(const double *score, int64_t *rows, int64_t n, int64_t *scratch,
                     work_watch *watch);

/* Equal scores (-0.0 equals 0.0) form one rank (TIE_RULE_TOGETHER), or are taken apart by input
 * order or by descending bytes of the document id (trec_eval's rule).  Returns -1, or the first row
 * whose score is NaN. */
int64_t weak_order_build(const double *score, const double *grade, int64_t n_docs,
                         double mark_level, enum tie_rule rule, doc_names names,
                         weak_order_memory *memory, weak_order *order);

/* Rows of the documents in ranks of different grades, which an order inside ranks must know: rank
 * by rank, in memory->pairs.  Returns how many, or -1 where another thread wrote to the scores.
 * `order` is one of weak_order_build, in this memory, with ties together. */
int64_t weak_order_mixed_rows(const double *score, const weak_order *order,
                              weak_order_memory *memory);

/* Take the ties of such an order apart.  Names of weak_order_mixed_rows are needed alone. Cost: n
 * log t for t such ranks, and sorting their documents. */
void weak_order_split(const double *score, const double *grade, double mark_level,
                      enum tie_rule rule, doc_names names, weak_order_memory *memory,
                      weak_order *order);

/* The same where memory->pairs still has the `past` rows of weak_order_mixed_rows. */
void weak_order_split_rows(const double *score, const double *grade, double mark_level,
                           enum tie_rule rule, doc_names names, int64_t past,
                           weak_order_memory *memory, weak_order *order);

/* Take row i for times[i] documents of one score (a mark for one, always): the ranks, built of
 * `n_rows` rows whose scores never rise, then count documents.  So a ranking of any length is as
 * many rows as it has marks, and some between. */
void weak_order_expand(const int64_t *times, int64_t n_rows, weak_order_memory *memory,
                       weak_order *order);

/* Whether every rank that holds a mark holds nothing else: no tie touches a mark. */
int weak_order_is_strict(const weak_order *order);

/* Whether some rank holds documents of different grades, so that the order inside it matters. */
int weak_order_is_mixed(const weak_order *order);

/* Split every rank into ranks of one grade each, the highest (best) or the lowest grade first. */
void weak_order_refine(const weak_order *order, int best, weak_order_memory *memory,
                       weak_order *refined);

#endif
