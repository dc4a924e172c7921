/* Beta variates by Cheng, "Generating beta variates with nonintegral shape parameters", CACM 21
 * (1978) 317-322: algorithm BB where both parameters exceed 1, BC otherwise.
 *
 * Candidates come in batches: the logarithms and exponentials of a batch are computed side by side,
 * by functions whose results have the same bits with every instruction set.  The paper's quick
 * tests, which spare logarithms one candidate at a time, give way to a rough log Z that decides all
 * but one candidate in 10^5; those get the exact one.  Names are the paper's, but that its W is not
 * formed: with V = log(W/a) all is said by exp(-|V|), so that parameters from 1e-300 to 1e12 lose
 * no digits, and none up to 1e100 gives nan. Cost: 1 to 2.5 candidates a variate (8 where the
 * parameters are 0.001 and 10^6), of 5 to 15 ns.
 */
#ifndef IRBOUNDS_BETA_CHENG_H
#define IRBOUNDS_BETA_CHENG_H

#include "numeric/vector_math.h"

/* Constants of a pair of parameters, computed once. */
typedef struct {
    double a, b;             /* BB: a the smaller of the two; BC: a the larger */
    double alpha;            /* a + b */
    double beta, gamma;      /* V = beta logit(U1); BB: gamma = a + 1/beta, BC: alpha */
    double share_a, share_b; /* of alpha */
    int is_first;            /* W/(b + W) is the variate of the parameters in their given order */
    enum vector_instructions instructions;
} beta_sampler;

/* first and second from 1e-300 to 1e100 (beyond, V overflows and no candidate is accepted); the
 * widest instructions that the processor has. */
void beta_sampler_set(beta_sampler *sampler, double first, double second);

/* n variates in [0, 1], or, of many, the first `most` and a few more: returns how many, and the
 * others come from a call for the rest.  Candidates are drawn in batches, and those that are left
 * over at the end of n are lost. */
int64_t beta_sampler_fill(const beta_sampler *sampler, bit_generator *generator, int64_t n,
                          int64_t most, double *variate);

#endif
