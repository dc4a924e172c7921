/* The order of one query's documents by scores that are 32-bit floats: what weak_order_build and
 * weak_order_split make, by one sort of all documents.
 *
 * A document's key is its score, as a number that falls as the score rises, above its row.  Keys
 * are distributed byte by byte, bytes that all keys share left out.  Documents of equal score stay
 * in the order of their rows, or are taken apart by falling bytes of their ids: only where some of
 * them are marks, and of different grades.  Cost: n, and t log t for t documents of one score.
 */
#ifndef IRBOUNDS_SINGLE_ORDER_H
#define IRBOUNDS_SINGLE_ORDER_H

#include <stdint.h>

#include "reading/doc_name.h"

typedef struct {
    int64_t start, stop; /* places */
} single_tie;

typedef struct {
    uint64_t number;
    int64_t name;
} single_name;

/* Lent by the caller: room for n elements each, for n / 2 ties. */
typedef struct {
    uint64_t *key, *key_scratch;
    int32_t *bucket, *place; /* n + 1 of these */
    single_tie *ties;
    single_name *names, *name_scratch;
    int64_t n_ties; /* in which the order matters */
} single_memory;

/* Sort n documents, less than 2^32, by falling score, then by row; find their ties.  Returns
 * whether no score is NaN; else nothing is sorted. */
int single_order_scores(const double *score, const double *grade, int64_t n, double mark_level,
                        single_memory *memory);

/* The row of the document in a place. */
static inline int64_t single_order_row(const single_memory *memory, int64_t place)
{
    return (int64_t)(uint32_t)memory->key[place];
}

/* Order the documents of each tie by their names: those of one tie behind those of another. */
void single_order_names(const doc_name *names, single_memory *memory);

/* The marks from the first place to the last: documents before each, and its grade.  Returns how
 * many there are; there is room for n. */
int64_t single_order_marks(const double *grade, int64_t n, double mark_level,
                           const single_memory *memory, int64_t *before, double *mark_grade);

#endif
