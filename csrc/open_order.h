/* A ranking with open documents, in few blocks: what lies between judged documents is counted.
 *
 * A block is a rank (tie group), or a stretch of open documents that are ranks of their own.  So a
 * ranking without ties has at most 2 J + 1 blocks, J the judged documents in it, however long it
 * is. */
#ifndef IRBOUNDS_OPEN_ORDER_H
#define IRBOUNDS_OPEN_ORDER_H

#include <stdint.h>

#include "weak_order.h"

typedef struct {
    int64_t n_docs, n_blocks, n_open;
    const int64_t *before; /* documents before each block */
    const int64_t *size;   /* documents in it; those that are not judged are open */
    const int64_t *end;    /* judged documents in it and in all blocks before it */
    const int64_t *apart;  /* 1: a stretch of open documents, each a rank of its own */
    const double *grade;   /* of the judged documents: block by block, highest first */
} open_order;

/* Memory that the caller lends: each array for n_docs + 1 elements. */
typedef struct {
    int64_t *before, *size, *end, *apart;
    double *grade;
} open_order_memory;

/* The blocks of documents, open ones with a negative grade.  Where scores fall from row to row, one
 * pass; else they are sorted in `sorting`.  No score is NaN. */
void open_order_build(const double *score, const double *grade, int64_t n_docs, enum tie_rule rule,
                      doc_names names, const open_order_memory *memory, weak_order_memory *sorting,
                      open_order *order);

/* The treatment of open documents: they are left out, have this grade (first in their rank), or
 * stay marks of grade -1 (last in it). */
enum open_as { OPEN_LEFT_OUT, OPEN_GRADED, OPEN_KEPT };

/* The ranks that begin among the first `depth` documents. */
void open_order_expand(const open_order *order, int64_t depth, enum open_as as, double grade,
                       weak_order_memory *memory, weak_order *expanded);

#endif
