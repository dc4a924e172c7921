/* The order of one query's documents where few of them are marks, by scores that are 32-bit floats:
 * what weak_order_build and weak_order_split make, by a comparison of each mark with every
 * document.
 *
 * For m marks among n documents the cost is m n, four of them at once, less than that of sorting
 * (single_order.h) as long as marks are few; where scores fall from row to row it is n.  Documents
 * of equal score are taken apart by falling bytes of their id, or stay in the order given.
 */
#ifndef IRBOUNDS_FEW_ORDER_H
#define IRBOUNDS_FEW_ORDER_H

#include <stdint.h>

#include "reading/doc_name.h"

/* More pairs of a mark and a document are left to sorting.  Random scores: 7 marks among 10 took
 * 0.09 microseconds, and 0.14 by sorting; 22 among 100 took 0.5 and 0.9, 67 among 100 1.35 and
 * 1.1. */
enum { FEW_DOCUMENTS = 1024, FEW_PAIRS = 2048, FEW_LANES = 4 };

/* Up to so many documents, most of them marks, are ordered as a whole: each score and id is one
 * key, compared with all others. */
enum { FEW_DENSE_DOCUMENTS = 32 };

typedef struct {
    int64_t n_docs, n_marks, n_tied;
    int is_in_order;               /* scores fall from row to row */
    int32_t row[FEW_DOCUMENTS];    /* of each mark */
    int32_t above[FEW_DOCUMENTS];  /* documents before it */
    int32_t tied[FEW_DOCUMENTS];   /* rows whose score is that of a mark, and of another row */
    float score[FEW_DOCUMENTS];    /* of each row; to a whole number of lanes, NaN */
    int32_t number[FEW_DOCUMENTS]; /* of the names of rows; before, whether a row is tied */
} few_marks;

enum few_order_kind { FEW_STRICT, FEW_TIED, FEW_TOO_MANY, FEW_NAN, FEW_DENSE };

/* The marks, and the documents of higher score above each.  Whether any mark's score is that of
 * another document; or that there are too many pairs, or a score is NaN, or that few documents,
 * with names that can be had, are dense with marks: then nothing is filled. */
enum few_order_kind few_order_scores(const double *score, const double *grade, int64_t n,
                                     double mark_level, int has_names, few_marks *marks);

/* The same as few_order_fill, of few documents that are dense with marks; -1: a score is NaN. */
int64_t few_order_dense(const double *score, const double *grade, int64_t n, double mark_level,
                        const doc_name *names, int64_t *before, double *mark_grade);

/* Add the documents of equal score that are above each mark: by the names of the tied rows, or,
 * where `names` is NULL, by row. */
void few_order_ties(const doc_name *names, few_marks *marks);

/* The marks from the first place to the last: documents before each, and its grade.  Returns how
 * many. */
int64_t few_order_fill(const double *grade, const few_marks *marks, int64_t *before,
                       double *mark_grade);

#endif
