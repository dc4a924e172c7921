/* A lower bound on recall, F or the yield whose coverage is at least nominal whatever the yields
 * are: a test on the measure itself, inverted (Buehler 1957; Lloyd & Kabaila 2003).
 *
 * Two groups of documents were sampled.  Group 0 has R0 relevant documents, S0 of them in its
 * sample; group 1 has R1 and S1.  The measure rises with R0 and falls with R1.  (For recall group 0
 * is the retrieved, group 1 the unretrieved segment.)  Samples have an order that rises with S0 and
 * falls with S1; the bound is the least value of the measure at yields (R0, R1) that could have
 * given the sample seen, and with which samples as high as that in the order have a probability
 * above alpha.
 *
 * The order is the measure's value at Wilson's lower limit for R0 and his upper limit for R1, both
 * with the finite population.  The samples as high as the one seen are those with S1 <= stair(S0).
 * Their probability rises with R0 and falls with R1, so that one probability, at (b, c), rejects
 * the rectangle R0 in [a, b], R1 >= c: a sweep over R0 proves the minimum with some tens to
 * thousands of them, each of a microsecond for samples of hundreds.
 *
 * Wilson's limits have a normal quantile z. While z is constant, a smaller alpha leaves more yields
 * and never raises the bound. Where z falls from one alpha to a larger one, the bound is also at
 * most what the larger alpha has with its own z (`looser`), so that all levels are nested.
 *
 * Counts are doubles, whole and at most 2^49.  Probabilities are never below the true ones but for
 * rounding, and above them by the tails cut off, a part 2^-60; one within a part 1e-12 of alpha
 * counts as equal to it.
 */
#ifndef IRBOUNDS_GUARANTEED_BOUND_H
#define IRBOUNDS_GUARANTEED_BOUND_H

#include <stdint.h>

#include "bounds/count_tails.h"
#include "numeric/watch.h"

/* gain/(gain + loss); gain = gain[0] R0 + gain[1] R1 + gain[2], and loss likewise. */
typedef struct {
    double gain[3], loss[3];
} share_measure;

/* 1 where it is 0/0. */
double measure_at(const share_measure *measure, double r0, double r1);

/* Another level, and the quantile of its order. */
typedef struct {
    double alpha, z;
} order_level;

enum { MOST_LOOSER = 4 };

typedef struct {
    sampled_group group[2];
    share_measure measure;
    double seen[2];           /* relevant documents in the samples */
    double least[2], most[2]; /* yields to search */
    double alpha;
    double tolerance; /* of the log odds of the measure; 0: none */
    double z;         /* of the order */
    int n_looser;     /* levels with a larger alpha and a smaller z, which bound the bound */
    order_level looser[MOST_LOOSER];
    double hint;      /* a likely R0 of the minimum, or -1; afterwards where it was */
    int64_t n_blocks; /* of counts S0: those from start[i] to start[i + 1] - 1 have stair[i] */
    double *start;    /* the caller's, guaranteed_most_blocks() + 1 */
    double *stair;    /* the caller's, guaranteed_most_blocks() */
    count_tails tails[2];
    double known_yield; /* R0 of tails[0], or -1 */
    int64_t evaluations;
    work_watch *watch;
} bound_search;

int64_t guaranteed_most_blocks(void);

/* The yields that could have given the sample seen; of the small R0 and the large R1 only those
 * with which a count S0 as large, or S1 as small, has a probability above `chance`. */
void guaranteed_set_yields(bound_search *search, double chance);

/* The first R0 with P(S0 >= seen) above `chance`, or the last R1 with P(S1 <= seen) above it. */
double guaranteed_likely_yield(bound_search *search, int group, double chance);

/* Their probability, given the yields; for groups of several strata an upper bound over all yields
 * of these. */
double guaranteed_probability(bound_search *search, double r0, double r1);

/* The bound: with a tolerance at most that much below the least value not rejected, never above it.
 * Sets which samples are as high as the one seen; the yields to search are set before. */
double guaranteed_least(bound_search *search);

/* Whether the bound without a tolerance is q or more: a sweep with no search for a minimum, which
 * ends with the first yields that are kept below q. */
int guaranteed_reaches(bound_search *search, double q);

#endif
