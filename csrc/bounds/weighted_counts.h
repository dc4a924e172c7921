/* A lower bound on recall, F, the yield or a share from up to four strata of any sampling rates,
 * whose coverage is at least nominal whatever their yields are: the exact test of the weighted
 * counts, inverted.
 *
 * At a value q of the measure gain/(gain + loss) the linear form (1 - q) gain - q loss of the
 * yields is A R0 + B R1 + C, A >= 0 >= B, with R0 and R1 the yields of the rising and of the
 * falling strata; it is above 0 where the measure is above q.  The statistic is its estimate,
 * T_q = sum over the strata of a_h w_h r_h, a_h = A or B, w_h = N_h/n_h.  Yields with the measure
 * q are rejected if P(T_q >= t_q), t_q that of the sample seen, is at most the level.  The bound is
 * a value below which all yields are rejected.
 *
 * Proof over intervals of q.  T_q is linear in q: if T_q >= t_q at some q from q1 to q2, it is so
 * at q1 or at q2.  So yields with a measure from q1 to q2 are rejected if the probability of that
 * union is at most the level.  It rises with the yields of rising strata and falls with those of
 * the others.  So its value at one corner of a box of yields bounds it in the box, where the corner
 * is first moved as far inwards as A R0 + B R1 + C <= 0 at q2 allows.  Boxes that are not rejected
 * are halved; a box that cannot be halved any more and is not rejected ends the search.
 *
 * Yields that a test at level `chance` rejects for the sample of their own stratum, on either side,
 * are left out (Berger & Boos 1994): the errors add up to alpha + 2 `chance` for each stratum.
 *
 * The boxes at the end of the halving and the steps of q do not depend on alpha.  The probability
 * of a part of a box or of an interval is never above that of the whole.  So a smaller alpha never
 * gives a higher bound.  The boxes cost up to 0.02 standard deviations of T for each stratum that
 * is halved (0.04 with four strata), the steps up to 0.05 of the estimate.
 *
 * Strata whose sampling rates are alike may be one `sampled_group`: count_tails.h bounds its tails.
 * Cost: some 10 us for a box of three strata with samples of hundreds, 30 for four; a bound takes
 * hundreds to thousands of boxes for three strata, up to some 10^6 for four.
 */
#ifndef IRBOUNDS_WEIGHTED_COUNTS_H
#define IRBOUNDS_WEIGHTED_COUNTS_H

#include <stdint.h>

#include "bounds/count_tails.h"
#include "bounds/guaranteed_bound.h"
#include "numeric/watch.h"

enum { MOST_WEIGHTED = 4 };

/* Counts of one stratum, the favourable ones first: seen + unit f or seen - unit f for f = top,
 * top - 1, ..., top - n + 1. */
typedef struct {
    double *mass;  /* the caller's, weighted_most_points() each */
    double *tail;  /* of these or more favourable counts */
    double top;    /* of f */
    double weight; /* of a step of f: yields for which one of f stands */
    double beyond; /* probability of counts that were cut off on the favourable side */
    double relevant; /* for which the table was made, or -1 */
    int64_t n;
} count_points;

typedef struct {
    int64_t n_strata; /* 2 to MOST_WEIGHTED */
    sampled_group group[MOST_WEIGHTED];
    int is_falling[MOST_WEIGHTED];
    double seen[MOST_WEIGHTED];
    share_measure measure;
    double alpha, chance;
    count_tails tails[MOST_WEIGHTED]; /* their storage is the caller's */
    count_points points[MOST_WEIGHTED];
    double *pair_mass, *pair_tail; /* the caller's, weighted_lattice() each */
    double pair_key[4];             /* of which strata and yields they are */
    int64_t evaluations;
    work_watch *watch;
    /* set by the search */
    double least[MOST_WEIGHTED], most[MOST_WEIGHTED]; /* yields that are not left out */
    double step[MOST_WEIGHTED];                       /* of counts in their table */
    int64_t cells[MOST_WEIGHTED]; /* into which the yields of a stratum are divided at the end */
    int is_small;                 /* so few samples are possible that all are summed over */
    int64_t solved;               /* the stratum that is not divided */
    int64_t hint[MOST_WEIGHTED];  /* cells of a last box that is likely the last rejected, or -1 */
} weighted_search;

int64_t weighted_most_points(void);
int64_t weighted_lattice(void);

/* The bound. */
double weighted_least(weighted_search *search);

/* Whether the bound likely reaches q, for plans: a search for yields of the measure q that are not
 * rejected finds none.  Some 50 boxes. */
int weighted_likely_reaches(weighted_search *search, double q);

#endif
