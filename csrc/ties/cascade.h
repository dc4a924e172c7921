/* Where a reader stops in a rank of tied documents: the part of expected reciprocal rank that is
 * not linear. Relative error below 1e-13, as all terms are positive.  Cost: places taken times
 * documents that may stop the reader.
 */
#ifndef IRBOUNDS_CASCADE_H
#define IRBOUNDS_CASCADE_H

#include <stdint.h>

#include "ties/tie_groups.h"
#include "numeric/watch.h"

/* sum_k (1/(t+k)) E[stop at the k-th document of the rank, not before], k = 1 .. taken, for `g`
 * documents, `before` others ahead of them, of which those with stop[i] > 0, i < n, may stop the
 * reader.  Scratch: 2 (taken + 1) doubles. */
double cascade_in_rank(const double *stop, int64_t n, int64_t g, int64_t before, int64_t taken,
                       double *scratch, work_watch *watch);

/* still[k] is the mean over random subsets of k of g documents, k = 0 .. taken, of the product of
 * (1 - stop), here[k] = still[k-1] - still[k]. */
void cascade_fill(const double *stop, int64_t n, int64_t g, int64_t taken, double *still,
                  double *here, work_watch *watch);

/* Fill here[i], i = 0 .. n - 1: the mean over random orders of n documents that the reader stops at
 * one behind i of them.  Scratch of 2 (n + 2) doubles is `here` itself. */
void cascade_by_number(const double *stop, int64_t n, double *here, work_watch *watch);

/* The part of ERR from documents of a rank down to place `limit`.  Scratch: 3 (n + 2) doubles, or
 * 2 (taken + 2) if that is less. */
double cascade_to_limit(const double *stop, int64_t n, tie_group rank, int64_t limit,
                        double *scratch, work_watch *watch);

#endif
