/* Means over how many documents of a kind stand above a place of a rank, whose order is random.
 *
 * Relative error below 1e-13 for functions of one sign.  Cost: a call of the function for each
 * number whose chance is above 1e-18 of the largest: some 18 standard deviations at most. */
#ifndef IRBOUNDS_COUNT_MEAN_H
#define IRBOUNDS_COUNT_MEAN_H

#include "tie_groups.h"

typedef double (*count_function)(double count, const void *context);

/* E f(X): X documents of a kind among `drawn` of a rank that has `marked` of them and `others`. */
double count_mean(double marked, double others, double drawn, count_function f,
                  const void *context);

/* f(place, how many of the kind are above). */
typedef double (*place_function)(double place, int64_t above, const void *context);

/* The sum over places of a rank, down to place `limit`, of the chance that the place holds one of
 * the kind times the mean of f there; `found` of the kind stand above the rank.
 * In ranks of more than 2^14 documents f is also asked between places: it changes little over
 * `longest` of them (0: it must not be asked so, and all places are taken one by one), and ever
 * less. */
double place_sum(int64_t before, int64_t size, int64_t marked, int64_t found, int64_t limit,
                 double longest, place_function f, const void *context, work_watch *watch);

#endif
