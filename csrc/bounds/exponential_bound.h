/* A lower bound on recall, F or the yield from samples of any number of strata, whose coverage is
 * at least nominal whatever the yields of the strata are: an exponential bound on the weighted sum
 * of their counts, inverted.
 *
 * At a value q of the measure gain/(gain + loss), (1 - q) gain - q loss = A R0 + B R1 + C, A >= 0
 * >= B, is above 0 where the measure is above q.  The estimate of A R0 + B R1 is D = sum over the
 * strata h of a_h w_h r_h, a_h = A or B, w_h = N_h/n_h; for yields with which the measure is q or
 * less, and all lambda, nu >= 0,
 *
 *     log P(D >= d) <= -lambda d - nu C + sum over h of max over R_h of [ log M_h(lambda a_h w_h;
 * R_h) - nu a_h R_h ],
 *
 * where M_h(t; R) = E exp(t r) for a sample of n from N documents, R of which are relevant, and R_h
 * runs over the yields that could have given the sample seen.  (Markov's inequality, and a Lagrange
 * multiplier for the yields' constraint.)  The bound is the largest q at which some lambda and nu
 * put this below log alpha.
 *
 * M is at most that of a binomial count (Hoeffding 1963, theorem 4): of n trials of probability
 * R/N, of R trials of n/N, and of n less N - R trials of n/N.  The least of the three logarithms is
 * the second where R <= n, the third where N - R <= n, else the first, or, where n > N/2, the
 * lesser of the second and the third: concave in R, so that each maximum has a closed form.  A
 * census needs no bound; its stratum enters as a constant, as does one without a sample.
 *
 * Rejecting at q implies rejecting below q, so that the largest q may be sought by bisection: see
 * exponential_bound.c. Cost: some 1e4 evaluations of the sum, 50 ns a stratum each.
 */
#ifndef IRBOUNDS_EXPONENTIAL_BOUND_H
#define IRBOUNDS_EXPONENTIAL_BOUND_H

#include <stdint.h>

#include "bounds/guaranteed_bound.h"
#include "numeric/watch.h"

/* Arrays are the caller's; 0 < sampled <= size. */
typedef struct {
    int64_t n_strata;
    const double *size, *sampled, *seen;
    const int64_t
        *group; /* 0 or 1: whether the measure rises or falls with the relevant documents */
    share_measure measure;
    double alpha;
    work_watch *watch;
} strata_search;

double exponential_least(const strata_search *search);

#endif
