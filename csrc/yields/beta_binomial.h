/* Beta-binomial laws of yields: the posterior of one stratum (Webber 2013, section 2.8).
 *
 * Probabilities are relative to that of an anchor near the mode, by the recurrence or by Stirling's
 * series with the large terms taken out.  Errors of P(R >= x), against full enumeration to 10^7
 * documents and 30 digits: below 2e-12 for a, b up to 10^6.
 */
#ifndef IRBOUNDS_BETA_BINOMIAL_H
#define IRBOUNDS_BETA_BINOMIAL_H

#include "yields/yield_law.h"

/* The number of likely counts of BetaBin(unseen; a, b): all but those in tails of 1e-16. */
double yield_likely(double unseen, double a, double b);

/* The least and the greatest of these counts. */
void yield_likely_ends(double unseen, double a, double b, double *least, double *most);

/* seen + BetaBin(unseen; a, b), unseen >= 0 whole and below 2^52, a, b > 0.  If `is_single` every
 * likely count has its cell, else `most_curves` should be 512, and cells 1024.  0 if the arrays
 * were too small. */
int yield_law_set(yield_law *law, int64_t most_cells, int64_t most_curves, double seen,
                  double unseen, double a, double b, int is_single);

#endif
