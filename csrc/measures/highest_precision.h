/* The highest precision that a ranking reaches from some number of relevant documents on, in the
 * mean over the orders of ties.
 *
 * The documents above a rank are the same in every order, so the highest precisions M of the ranks
 * are independent, and E max M = integral of 1 - prod P(M < x).  In a rank of g documents, r of
 * them relevant, behind t others, f of these relevant, M reaches x where the h-th relevant document
 * stands at a place k with (f + h)/(t + k) >= x.  The chance is a sum over the orders that first do
 * so at each place, by the number of relevant documents so far: positive terms, g r of them at
 * most.  M has at most g r values; those with a chance below 1e-22 are left out, and ranks that
 * never exceed what every order reaches.
 *
 * Relative error below 1e-13, measured against enumeration and fractions.  Cost: one step for each
 * place and number of relevant documents, for each value.  One tie of 1,000 documents takes 0.01 s
 * with 10 relevant ones, 0.1 s with 50, 0.35 s with 100.
 */
#ifndef IRBOUNDS_HIGHEST_PRECISION_H
#define IRBOUNDS_HIGHEST_PRECISION_H

#include "ties/measures.h"

/* Some two seconds. */
#define HIGHEST_PRECISION_STEPS (INT64_C(1) << 32)

/* The mean over orders of the highest precision at a relevant document that is number `wanted` or a
 * later one, in the ranks of `order` where the lowest relevant grade is `from`.  Every order
 * reaches `least`: the highest precision at an end of a rank where it counts.  Takes its steps off
 * `steps`; NAN where these, or memory->work, do not suffice. */
double highest_precision_mean(const weak_order *order, double from, double wanted, double least,
                              const measure_memory *memory, int64_t *steps);

#endif
