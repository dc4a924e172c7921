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
 * most 1 where the truth is t or more. The upper bound is the largest t with e(t) < 1/alpha.
 *
 * prior(K) L(K) is, up to a factor, the posterior, k + BetaBin(size - sampled; a + k, b + sampled -
 * k). So e(t) is the quotient of two sums, of the posterior and of the prior below t, each in the
 * unit of its probability of t. `beta_binomial_sums.h` has them. One more count changes such a sum
 * s to (s + 1) P(t)/P(t + 1).
 *
 * It rises with t once it is at least 1, and everywhere for b <= 1. By the series there, e(t) is
 * (t-k)/t times the mean of c_i = alpha_i/beta_i, alpha_i = (s+n)_i/(a+k+1)_i, beta_i =
 * (s)_i/(a+1)_i, s = a + b, n = sampled, up to a factor that makes c_0 = 1, with weights beta_i
 * (t+a)_i/(size+1+s)_i, which move to larger i as t rises. c_i rises where n (a+1+i) >= k (s+i):
 * always for b <= 1, else perhaps only from some i on. Then c_i - c, c >= 1, changes sign once, so
 * a mean of at least c stays so.
 *
 * Counts are doubles, whole, 0 <= found <= sampled <= size < 2^52; a, b from 0.001 to 10. Against
 * mpmath the error of log e(t) was at most 2e-10 to 10^15 documents with samples up to 10^4, 6e-9
 * with samples up to 10^7 and extreme priors: a bound is then that of a level whose alpha differs
 * by such a part. Where a sum is rough, as in no random design, e(t) is made smaller by more than
 * its error. Cost of e(t): about 1 µs whatever the size, up to 10 µs with samples of a million; a
 * bound takes 5 to 10 of them.
 */
#ifndef IRBOUNDS_ANYTIME_H
#define IRBOUNDS_ANYTIME_H

#include <math.h>
#include <stdint.h>

#include "yields/beta_binomial_sums.h"

typedef struct {
    double size, sampled, found;
    double a, b;
} anytime_sample;

/* The same with relevant and other documents exchanged. */
static inline anytime_sample anytime_exchanged(const anytime_sample *s)
{
    return (anytime_sample){s->size, s->sampled, s->sampled - s->found, s->b, s->a};
}

/* The most relevant documents that there can be. */
static inline double anytime_most(const anytime_sample *s)
{
    return s->size - s->sampled + s->found;
}

/* e(t), with the two sums that it is made of, and their change from t to t + 1. */
typedef struct {
    beta_binomial law, prior_law; /* of the posterior, from found on, and of the prior */
    double found, t;
    double posterior, prior;
    double trust; /* below 1 where sums are rough */
} anytime_evidence;

anytime_evidence anytime_evidence_at(const anytime_sample *s, double t);

static inline double evidence_value(const anytime_evidence *e)
{
    return e->t > e->found ? e->trust * (e->posterior / e->prior) : 0;
}

static inline void evidence_step(anytime_evidence *e)
{
    e->posterior = (e->posterior + 1) / rising_ratio(&e->law, e->t - e->found);
    e->prior = (e->prior + 1) / rising_ratio(&e->prior_law, e->t);
    e->t++;
}

/* Newton's step from t, taken in the logarithm of size - t: log e is nearly straight in t where
 * that is most of the documents, and in the logarithm where it is few. */
static inline double newton_step(const anytime_sample *s, double t, double step)
{
    double left = s->size - t + 1;
    return t + left * -expm1(-step / left);
}

/* Whether e(t) rises from the first t on; from 1 on it always does (above). */
static inline int evidence_rises(const anytime_sample *s)
{
    return s->b <= 1 || (s->sampled - s->found) * (s->a + 1) >= s->found * (s->b - 1);
}

/* log e(t), found <= t <= size - sampled + found. */
double anytime_log_evidence(const anytime_sample *s, double t);

/* The largest t with log e(t) < log_bar. */
double anytime_upper(const anytime_sample *s, double log_bar);

/* The same, where it is known to be from low on and below high, with a first guess. */
double anytime_upper_between(const anytime_sample *s, double log_bar, double low, double high,
                             double t);

/* The least and the largest K with L(K) > alpha m. */
void anytime_ends(const anytime_sample *s, double alpha, double *low, double *high);

/* The least K1/(K1 + K0) of all pairs that are left: (e1 + e0)/4 + e1 e0/2 < 1/alpha, with e1 the
 * evidence against K1 in the one sample from more, e0 that against K0 in the other from fewer. It
 * is a mean of products of the two, a martingale whichever sample a document is drawn from next, by
 * whatever rule. `capacity` values of the caller's. */
double anytime_least_share(const anytime_sample *one, const anytime_sample *other, double alpha,
                           double *values, int64_t capacity);

/* The most K1 + K0 of all pairs that are left, both with evidence from fewer; never below
 * it but for the error of e. */
double anytime_most_sum(const anytime_sample *one, const anytime_sample *other, double alpha,
                        double *values, int64_t capacity);

#endif
