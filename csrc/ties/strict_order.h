/* Measures of one ranking without ties, for who has many of them: what measures.h gives, to the
 * last bit.
 *
 * Without ties a measure at a cut-off is a prefix of a sum over marks, and interpolated precision
 * the highest of the precisions from a mark on.  So these sums are made once, mark by mark, and
 * each measure reads its own.  A sum adds the terms of measures.h in its order.  Cost: one pass
 * over the marks for each kind of sum, one over the documents if something is cut off.
 */
#ifndef IRBOUNDS_STRICT_ORDER_H
#define IRBOUNDS_STRICT_ORDER_H

#include "numeric/double_double.h"
#include "ties/measures.h"

enum { STRICT_DOCUMENTS = 1024 }; /* no ranking is longer */

typedef struct {
    const measure_input *in; /* each rank of its order is one document, a mark; with steps */
    int64_t n_marks;
    /* whether these are made */
    int has_places, has_found, has_marks, has_precisions, has_best, has_gains;
    int all_judged;             /* no mark is of a document that was chosen and not judged */
    double from, gain_argument; /* of the relevant documents; of gains */
    int64_t n_found;
    double n_relevant;
    int32_t marks_above[STRICT_DOCUMENTS + 1]; /* marks among the first k documents */
    int32_t found[STRICT_DOCUMENTS + 1];       /* relevant documents among the first marks */
    double place[STRICT_DOCUMENTS + 1];        /* of each relevant document retrieved, from 1 */
    int32_t mark[STRICT_DOCUMENTS + 1];        /* the number of its mark */
    double precision[STRICT_DOCUMENTS];        /* there */
    dd precisions[STRICT_DOCUMENTS + 1];       /* sums of the first ones */
    double best[STRICT_DOCUMENTS];             /* the highest one from there on */
    dd gains[STRICT_DOCUMENTS + 1];            /* discounted gains of the first marks, summed */
} strict_order;

typedef double strict_value(const measure *m, strict_order *order);

/* The function for measures of this kernel, or NULL: then measure_value is to be called. */
strict_value *strict_value_of(const measure_kernel *kernel);

void strict_order_begin(const measure_input *in, strict_order *order);

#endif
