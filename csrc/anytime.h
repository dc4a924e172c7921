/* Bounds for the number K of relevant documents among `size` that hold at every look at a sample
 * that grows, drawn without replacement (Waudby-Smith & Ramdas, Confidence sequences for sampling
 * without replacement, NeurIPS 2020, the prior-posterior ratio).
 *
 * Among the `sampled` first documents k are relevant; L(K), hypergeometric, is its probability.
 * With the prior BetaBin(size; a, b) its mean is m = P(X = k), X from BetaBin(sampled; a, b).
 *
 * Two-sided: m/L(K) is a martingale of mean 1 if K is the truth; K is left while L(K) > alpha m.
 *
 * One-sided: the evidence against t, from fewer, is
 *
 *     e(t) = sum over K < t of prior(K) L(K) / (prior(K < t) L(t)),
 *
 * a mean of likelihood ratios, each of which falls with every relevant document: its mean is at
 * most 1 where the truth is t or more. The upper bound is the largest t with e(t) < 1/alpha. With
 * t' one larger, e(t') = (e(t) + prior(t)/prior(K < t)) / (1 + the same) times L(t)/L(t').
 *
 * Counts are doubles, whole, 0 <= found <= sampled <= size < 2^52; a, b from 0.001 to 10. Relative
 * error of e(t) below 1e-8 to 10^10 documents and 1e-5 beyond. Cost of e(t): some 2 µs and 3 ns for
 * each of up to 2,048 counts, beyond that some 100 µs whatever the size.
 */
#ifndef IRBOUNDS_ANYTIME_H
#define IRBOUNDS_ANYTIME_H

#include <stdint.h>

typedef struct {
    double size, sampled, found;
    double a, b;
} anytime_sample;

/* The same with relevant and other documents exchanged. */
static inline anytime_sample anytime_exchanged(const anytime_sample *s)
{
    return (anytime_sample){s->size, s->sampled, s->sampled - s->found, s->b, s->a};
}

/* P(Y < x) and P(Y >= x), Y from BetaBin(n; a, b). */
typedef struct {
    double below, above;
} beta_binomial_tails;

beta_binomial_tails beta_binomial_tails_at(double n, double a, double b, double x);

/* log e(t), found <= t <= size - sampled + found. */
double anytime_log_evidence(const anytime_sample *s, double t);

/* The largest t with log e(t) < log_bar. */
double anytime_upper(const anytime_sample *s, double log_bar);

/* The least and the largest K with L(K) > alpha m. */
void anytime_ends(const anytime_sample *s, double alpha, double *low, double *high);

/* The least K1/(K1 + K0) of all pairs that are left: (e1 + e0)/4 + e1 e0/2 < 1/alpha, with e1 the
 * evidence against K1 in the one sample from more, e0 that against K0 in the other from fewer. It
 * is a mean of products of the two, a martingale whichever sample a document is drawn from next, by
 * whatever rule. `capacity` values of the caller's. */
double anytime_least_share(const anytime_sample *one, const anytime_sample *other, double alpha,
                           double *values, int64_t capacity);

/* The most K1 + K0 of all pairs that are left, both with evidence from fewer. */
double anytime_most_sum(const anytime_sample *one, const anytime_sample *other, double alpha,
                        double *values, int64_t capacity);

#endif
