/* The hypergeometric distribution: `drawn` documents from `population`, of which `relevant` are
 * relevant; X of the drawn ones are.  (SciPy's M, n, N are population, relevant, drawn.)
 *
 * Counts are doubles, whole and below 2^52.  Relative error of every probability below 1e-13 for
 * populations to 10^10 and 1e-12 beyond, down to 1e-300, and absolute error of a logarithm, at any
 * depth, the same (relative where it is above 1); measured against exact integers and 50 digits:
 * 1.8e-13 next to 2^52, where log_gamma has lost that much. Cost: 0.6 µs for the parameters and a
 * point, and one step (2 ns) for each value of X that counts in a tail, at most some 8 standard
 * deviations; the population itself costs nothing.
 */
#ifndef IRBOUNDS_HYPERGEOMETRIC_H
#define IRBOUNDS_HYPERGEOMETRIC_H

#include <stdint.h>

#include "numeric/double_double.h"
#include "numeric/watch.h"

typedef struct {
    double population, relevant, drawn;
    double least, most; /* the values X can have */
    double mode;
    dd log_ways;       /* log C(population, drawn) - log relevant! - log (population - relevant)! */
    work_watch *watch; /* or NULL: populations of 10^15 have tails of 10^8 steps */
} hypergeometric;

enum hypergeometric_function { HYPERGEOMETRIC_PMF, HYPERGEOMETRIC_CDF, HYPERGEOMETRIC_SF };

/* relevant and drawn at most population; no watch. */
void hypergeometric_set(hypergeometric *h, double population, double relevant, double drawn);

/* P(X = x), P(X <= x) or P(X > x), or its logarithm. */
double hypergeometric_value(const hypergeometric *h, enum hypergeometric_function function,
                            double x, int as_log);

/* The state of a curve between cuts; tail, point and peak are to be multiplied by 2^exponent. */
typedef struct {
    hypergeometric h; /* without log_ways, which only a start needs */
    double found;
    double tail;  /* P(X < found), or P(X >= found) */
    double point; /* P(X = found - 1) */
    double peak;  /* the largest tail since it was last summed */
    int is_upper; /* which tail */
    int exponent;
    double factor, unit; /* 2^exponent is their product */
    double least_point;  /* below it the tail does not matter */
    int is_lost;         /* the tail does not matter, and is 0 */
    int steps;           /* since the start */
    int is_past_middle;  /* the tail is the larger one by now */
} hypergeometric_curve;

/* P(X_n < found_n) at every cut n of one ranking: X_n relevant ones among n drawn, found_n among
 * the ranking's first n. One step of recurrence a document; the smaller of the tail and its
 * complement is carried, and started anew from the exact sum where digits could be lost. Cost: 3 to
 * 9 ns a cut. */
void hypergeometric_curve_set(hypergeometric_curve *curve, double population, double relevant);

/* The next n_cuts cuts: relevance[] > 0 marks the relevant ones, in all at most `relevant`, the
 * others at most population - relevant. */
void hypergeometric_curve_follow(hypergeometric_curve *curve, const double *relevance,
                                 int64_t n_cuts, double *tail);

#endif
