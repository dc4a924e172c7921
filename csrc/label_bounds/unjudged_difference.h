/* Bounds of the difference of two runs by nDCG and by Rprec, over all labels of the documents that
 * either retrieved and nobody judged.  Both measures have a denominator that two runs share, so
 * with the number of relevant documents fixed the difference is linear in the labels: its ends take
 * the documents of the largest (or smallest) weights.  At one tie rule, that of the weights: the
 * mean over orders, or one order.  Relative error below 1e-13 against enumeration. */
#ifndef IRBOUNDS_UNJUDGED_DIFFERENCE_H
#define IRBOUNDS_UNJUDGED_DIFFERENCE_H

#include <stdint.h>

#include "ties/measures.h"

/* Open documents by falling weight (for the least: rising), hidden ones of weight 0 among them. */
typedef struct {
    int64_t n; /* numbers of relevant open documents to try, the first 0 */
    const int64_t *count;
    const double *sum; /* of their weights */
    int64_t n_helping; /* with so many, and fewer, count[i] is i and each helps the end */
    double judged;     /* the difference of DCG without them */
} weight_prefixes;

/* Thresholds of gain, highest first: the step down to the next one, and the judged documents at or
 * above it. */
typedef struct {
    int64_t n;
    const double *step;
    const int64_t *n_judged;
} gain_levels;

/* The sums of the first 0 .. n discounts. */
typedef struct {
    int64_t n;
    const double *through;
} discount_sums;

void discount_sums_fill(double *through, int64_t n, const measure_memory *memory);

/* The end by Dinkelbach's iteration where labels bring the ratio to 0 or beyond; NAN where they do
 * not.  Every level may take its own best count: see the source.  count[] has room for the levels.
 */
double gain_ratio_beyond_zero(const weight_prefixes *prefixes, const gain_levels *levels,
                              int64_t limit, int greatest, double *count,
                              const discount_sums *discounts, work_watch *watch);

/* The greatest (or the least) difference of nDCG; scratch: 2 n doubles and as many more as there
 * are levels.  Cost: a step for each document that helps, seldom more than three in all; O(n) for
 * each level and step of Dinkelbach's iteration where no labels bring the difference to the far
 * side of 0. */
double gain_difference_end(const weight_prefixes *prefixes, const gain_levels *levels,
                           int64_t cutoff, int greatest, double *scratch,
                           const discount_sums *discounts, const measure_memory *memory);

/* Where two runs have one document: the documents before its rank and in it; size 0: not
 * retrieved. */
typedef struct {
    const int64_t *before[2], *size[2];
} ranks_in_two;

/* The greatest (or the least) difference of Rprec; open documents first, then the judged relevant
 * ones that either run has. */
double rprec_difference_end(const ranks_in_two *documents, int64_t n_open, int64_t n_judged,
                            int64_t n_relevant, int64_t hidden, int greatest, work_watch *watch);

#endif
