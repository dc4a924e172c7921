/* Rank correlations of two rankings of the same items. */
#ifndef IRBOUNDS_CORRELATION_H
#define IRBOUNDS_CORRELATION_H

#include "two_rankings/two_rankings.h"

typedef struct {
    double concordant; /* pairs */
    double shares;     /* sum over places i of B, i = 2 .. n, of the concordant share above i */
    double squares;    /* sum of squared differences of places */
} tau_sums;

/* place[i] is the place in A of the item in place i of B; `tree` has room for n + 1. */
tau_sums correlate_orders(const int64_t *place, int64_t n, int64_t *tree, work_watch *watch);

double strict_correlation(const pair_measure *measure, const tau_sums *sums, int64_t n);

/* By the rule for ties; the sums are those of the aligned and the opposed orders. */
double tied_correlation(const ranking_pair *pair, const pair_measure *measure,
                        const tau_sums *aligned, const tau_sums *opposed);

#endif
