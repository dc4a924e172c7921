/* Sums of beta-binomial probabilities below a count, in the unit of the probability of that count.
 *
 * Y from BetaBin(n; a, b) is below y with the probability that a Beta(a, b) variate is below an
 * independent Beta(y, n - y + 1) variate V. The power series of the incomplete beta function,
 * averaged over V, is
 *
 *     P(Y < y)/P(Y = y) = y (n-y+b) / (a (n+s))
 *                         * sum over i >= 0 of  (s)_i (y+a)_i / ((a+1)_i (n+1+s)_i),   s = a + b,
 *
 * whose terms are all positive: nothing cancels, and no logarithm is taken. They fall at last like
 * powers of y/n, so the number of terms does not depend on n. For y/n near 1 the complement is
 * summed, or counts one by one.
 *
 * n, y doubles, whole, 0 <= y <= n < 2^52; a, b > 0. Long series are summed over panels of Gauss's
 * eight points: 400 sums with a + b up to 2 10^6 were within 3e-11 of those in long doubles, term
 * by term, and all of one law with a + b = 4 10^5 within 1e-9, next to the largest complement
 * of use. Cost 0.05 to 2 µs for a + b up to 10^4 or so, 10 µs at most up to 10^6; the
 * relative error is at most 1e-8 to 10^10 documents and 2e-5 beyond if `is_rough` says that no
 * series could be summed and panels of probabilities were (standard deviations of thousands of
 * terms).
 */
#ifndef IRBOUNDS_BETA_BINOMIAL_SUMS_H
#define IRBOUNDS_BETA_BINOMIAL_SUMS_H

typedef struct {
    double n, a, b;
} beta_binomial;

/* P(Y = y + 1)/P(Y = y) */
static inline double rising_ratio(const beta_binomial *d, double y)
{
    return (d->n - y) * (y + d->a) / ((y + 1) * (d->n - y - 1 + d->b));
}

/* log P(Y = y) */
double log_probability(const beta_binomial *d, double y);

/* P(Y < y)/P(Y = y); sets is_rough, or leaves it. */
double share_below(const beta_binomial *d, double y, int *is_rough);

#endif
