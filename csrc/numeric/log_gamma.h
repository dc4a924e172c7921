/* Logarithms in twice the precision, so that differences of large ones keep their digits: the
 * probability of a count among 10^12 documents is exp of a sum whose terms are near 10^13. */
#ifndef IRBOUNDS_LOG_GAMMA_H
#define IRBOUNDS_LOG_GAMMA_H

#include "numeric/double_double.h"

extern const dd log_of_2;

/* log x for normal x > 0, absolute error below 1e-29. */
dd dd_log(double x);

/* log Γ(x) for 1e-300 < x < 2^52: error below 1e-18 + 1e-31 |x log x|, by Stirling's series above
 * 24, below by Γ(x) = Γ(x + m) / (x (x + 1) … (x + m - 1)).  Cost about 0.05 µs. */
dd log_gamma(double x);

/* log of the binomial coefficient, 0 <= k <= n. */
dd log_choose(double n, double k);

#endif
