/* A ranking with open documents, in few blocks: what lies between judged documents is counted.
 *
 * A block is a rank (tie group) that holds a judged document, or a stretch of all the open
 * documents between two of these.  So a ranking has at most 2 J + 1 blocks, J the judged documents
 * in it, however long it is.  The order inside a tie of open documents matters where some of them
 * are relevant and others not: those who fill a stretch in part look the tie up. */
#ifndef IRBOUNDS_OPEN_ORDER_H
#define IRBOUNDS_OPEN_ORDER_H

#include <stdint.h>

#include "ordering/weak_order.h"

typedef struct {
    int64_t n_docs, n_blocks, n_open;
    const int64_t *before; /* documents before each block */
    const int64_t *size;   /* documents in it; those that are not judged are open */
    const int64_t *end;    /* judged documents in it and in all blocks before it */
    const int64_t *apart;  /* an open_stretch */
    const double *grade;   /* of the judged documents: block by block, highest first */
    int64_t n_ranks;
    const int64_t *rank; /* documents before each rank, and n_docs */
} open_order;

/* Whether a block is a stretch of open documents, and whether some of these are tied. */
enum open_stretch { OPEN_RANK, OPEN_APART, OPEN_TIED };

/* Memory that the caller lends: each array for n_docs + 2 elements. */
typedef struct {
    int64_t *before, *size, *end, *apart, *rank, *rank_of_judged;
    double *grade;
} open_order_memory;

/* The blocks of documents, open ones with a negative grade.  Where scores never rise from row to
 * row, one pass; else they are sorted in `sorting`.  No score is NaN. */
void open_order_build(const double *score, const double *grade, int64_t n_docs, enum tie_rule rule,
                      doc_names names, const open_order_memory *memory, weak_order_memory *sorting,
                      open_order *order);

/* Documents of one rank. */
typedef struct {
    int64_t before, size;
} open_tie;

/* The rank of the document behind `place` others. */
open_tie open_tie_at(const open_order *order, int64_t place);

/* The treatment of open documents: they are left out, have this grade (first in their rank), or
 * stay marks of grade -1 (last in it). */
enum open_as { OPEN_LEFT_OUT, OPEN_GRADED, OPEN_KEPT };

/* The ranks that begin among the first `depth` documents.  Graded open documents of a stretch are
 * ranks of their own, as their order does not matter. */
void open_order_expand(const open_order *order, int64_t depth, enum open_as as, double grade,
                       weak_order_memory *memory, weak_order *expanded);

#endif
