/* The law of a mean with random weights, T = Σ w_i x_i, where w has a Dirichlet law with parameters
 * a_1 … a_n.
 *
 * Weights are shares of gamma variates, so that P(T < t) = P(Σ (t - x_i) G_i > 0) with G_i of shape
 * a_i.  With L the sum and exp K(z) = Π (1 - (t - x_i) z)^-a_i its generating function,
 *
 *     P(L > 0) = 1/(2 π i) ∫ exp K(z) dz/z   over a line that crosses the real axis right of 0,
 *
 * before the first pole.  The line goes through the point at which exp K(z)/z is least on the real
 * axis: its terms are not larger than the tail is, and 0 is as far away as it can be.  (P(L < 0) is
 * P(-L > 0).)  The formula by divided differences, a B-spline, loses all digits from 20 values on.
 *
 * Domain: n >= 2 values that differ, of a range within 1e-150 to 1e150; a_i from 0.5 to 1e6, of
 * which the 1/2 is for the sum of two at least.  Errors (measured: tests/queries/test_means.py,
 * against fractions): tails below 1e-12, relative 1e-9 of tails above 1e-200; quantiles 1e-12 of
 * the range.  Cost: 5 ns for each value with a_i = 1 and point of the line, 60 ns for others; 60 to
 * 120 points for a tail, and some 10 tails for a quantile.
 */
#ifndef IRBOUNDS_DIRICHLET_MEAN_H
#define IRBOUNDS_DIRICHLET_MEAN_H

#include <stdint.h>

#include "numeric/watch.h"

typedef struct {
    const double *x; /* values, in any order */
    const double *a; /* their parameters, */
    int64_t n;       /* how many, */
    int64_t n_ones;  /* and how many of them, which come first, have a = 1 */
    work_watch *watch;
} dirichlet_mean;

typedef struct {
    double below, above; /* P(T < t), P(T > t) */
} mean_tails;

mean_tails dirichlet_mean_tails(const dirichlet_mean *law, double t);

/* The t below which T is with the probability `below`, above which with `above` = 1 - below. */
double dirichlet_mean_quantile(const dirichlet_mean *law, double below, double above);

#endif
