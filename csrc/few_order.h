/* The order of one query's few documents: what weak_order_build and weak_order_split make, by a
 * comparison of each mark with every document.
 *
 * For m marks among n documents the cost is m n, less than that of sorting and searching as long as
 * both are few.  Documents of equal score are taken apart by falling bytes of their id, or stay in
 * the order given.
 */
#ifndef IRBOUNDS_FEW_ORDER_H
#define IRBOUNDS_FEW_ORDER_H

#include <stdint.h>

#include "doc_name.h"

/* More pairs of a mark and a document are left to sorting.  Without ties, 1 mark among 10 took 0.46
 * microseconds of a query instead of 0.50, 4 among 40 took 1.2 either way, and 7 among 64 took 2.1
 * instead of 1.8. */
enum { FEW_DOCUMENTS = 128, FEW_PAIRS = 160 };

typedef struct {
    int64_t n_marks;
    int64_t row[FEW_DOCUMENTS];   /* of each mark */
    int64_t above[FEW_DOCUMENTS]; /* documents before it */
    int64_t tied[FEW_DOCUMENTS];  /* of each row: whether its score is that of a mark, and of
                                     another row */
} few_marks;

enum few_order_kind { FEW_STRICT, FEW_TIED, FEW_TOO_MANY, FEW_NAN };

/* The marks, and the documents of higher score above each.  Whether any mark's score is that of
 * another document; or that there are too many pairs, or a score is NaN: then nothing is filled. */
enum few_order_kind few_order_scores(const double *score, const double *grade, int64_t n,
                                     double mark_level, few_marks *marks);

/* Add the documents of equal score that are above each mark: by the names of tied rows, or, where
 * `names` is NULL, by row. */
void few_order_ties(const double *score, int64_t n, const doc_name *names, few_marks *marks);

/* The marks from the first place to the last: documents before each, and its grade. */
void few_order_fill(const double *grade, few_marks *marks, int64_t *before, double *mark_grade);

#endif
