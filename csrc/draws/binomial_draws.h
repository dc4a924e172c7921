/* Binomial variates, each with a probability of its own, by transformed rejection: algorithm BTRS
 * of Hörmann, "The generation of binomial random variates", Journal of Statistical Computation and
 * Simulation 46 (1993) 101-110; where fewer than 10 successes or failures are expected, by
 * inversion.
 *
 * Candidates come in batches; the squeeze decides four of five, and logarithms of the others are
 * computed side by side, with the same bits whatever the instruction set.  Cost: about 15 ns a
 * variate (AVX-512).
 */
#ifndef IRBOUNDS_BINOMIAL_DRAWS_H
#define IRBOUNDS_BINOMIAL_DRAWS_H

#include "numeric/vector_math.h"

/* count variates: successes among `trials` (whole, at most 2^49) with probabilities share[] in [0,
 * 1]. */
void binomial_fill(bit_generator *generator, double trials, const double *share, int64_t count,
                   enum vector_instructions instructions, double *variate);

#endif
