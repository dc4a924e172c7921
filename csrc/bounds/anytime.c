/* Any-time bounds for the number of relevant documents in one stratum.
 * The contract is in anytime.h. */

#include "bounds/anytime.h"

#include <math.h>

#include "distributions/hypergeometric.h"

enum { MOST_NEWTON = 12 };

/* Twice the errors of rough sums, of which e(t) has two. */
static const double ROUGH = 4e-8, VERY_ROUGH = 8e-5, MANY = 1e10;

anytime_evidence anytime_evidence_at(const anytime_sample *s, double t)
{
    anytime_evidence e = {
        {s->size - s->sampled, s->a + s->found, s->b + s->sampled - s->found},
        {s->size, s->a, s->b},
        s->found,
        t,
        0,
        0,
        1,
    };
    int is_rough = 0;
    e.posterior = share_below(&e.law, t - s->found, &is_rough);
    e.prior = share_below(&e.prior_law, t, &is_rough);
    if (is_rough)
        e.trust = 1 - (s->size > MANY ? VERY_ROUGH : ROUGH);
    return e;
}

double anytime_log_evidence(const anytime_sample *s, double t)
{
    anytime_evidence e = anytime_evidence_at(s, t);
    double value = log(evidence_value(&e));
    if (value < INFINITY)
        return value;
    /* so unlikely is t that all of the posterior is below, or all but a part that rounding hides */
    return -log_probability(&e.law, t - s->found) - log(e.prior) + log(e.trust);
}

/* Where a bound that holds at one look would be. */
static double first_guess(const anytime_sample *s, double log_bar)
{
    double share = (s->found + s->a) / (s->sampled + s->a + s->b);
    double left = (s->size - s->sampled) / fmax(1, s->size);
    double deep = sqrt(2 * fmax(log_bar, 0) + 4);
    double spread = sqrt(share * (1 - share) * left / (s->sampled + 1)) * deep
                    + deep * deep / 2 / (s->sampled + 1) * left;
    return floor(s->size * (share + spread));
}

/* log e(t) rises through log_bar: Newton's steps with the slope to t + 1, or halves where they
 * leave the bracket. */
double anytime_upper_between(const anytime_sample *s, double log_bar, double low, double high,
                             double t)
{
    for (int i = 0; high - low > 1; i++) {
        if (i >= MOST_NEWTON && i % 2 == 1)
            t = low + (high - low) / 2;
        t = fmin(high - 1, fmax(low + 1, floor(t)));
        anytime_evidence e = anytime_evidence_at(s, t);
        double now = log(evidence_value(&e));
        evidence_step(&e);
        double next = log(evidence_value(&e));
        if (now >= log_bar)
            high = t;
        else if (next >= log_bar)
            return t;
        else
            low = t + 1;
        double step = (log_bar - now) / (next - now);
        t = next > now && next < INFINITY ? newton_step(s, t, step) : low + (high - low) / 2;
    }
    return low;
}

double anytime_upper(const anytime_sample *s, double log_bar)
{
    double high = anytime_most(s);
    if (!(anytime_log_evidence(s, high) >= log_bar))
        return high;
    return anytime_upper_between(s, log_bar, s->found, high, first_guess(s, log_bar));
}

/* The largest K with log L(K) > log_least, from a K with that on: log L is concave, and falls. */
static double furthest(const anytime_sample *s, double log_least, double inside, double guess)
{
    double outside = anytime_most(s), k = guess;
    hypergeometric h;
    hypergeometric_set(&h, s->size, outside, s->sampled);
    if (hypergeometric_value(&h, HYPERGEOMETRIC_PMF, s->found, 1) > log_least)
        return outside;
    for (int i = 0; outside - inside > 1; i++) {
        if (i >= MOST_NEWTON && i % 2 == 1)
            k = inside + (outside - inside) / 2;
        k = fmin(outside - 1, fmax(inside + 1, floor(k)));
        hypergeometric_set(&h, s->size, k, s->sampled);
        double above = hypergeometric_value(&h, HYPERGEOMETRIC_PMF, s->found, 1) - log_least;
        if (above > 0)
            inside = k;
        else
            outside = k;
        double others = s->size - k; /* L(K + 1)/L(K) */
        double slope = log((k + 1) / (k + 1 - s->found) * (1 - (s->sampled - s->found) / others));
        k = slope < 0 ? k - above / slope : inside;
    }
    return inside;
}

/* Where a K is left at the mode of L, those left lie around it. */
void anytime_ends(const anytime_sample *s, double alpha, double *low, double *high)
{
    beta_binomial seen = {s->sampled, s->a, s->b};
    double log_least = log_probability(&seen, s->found) + log(alpha);
    double mode = floor((s->size + 1) * (s->found / fmax(1, s->sampled)));
    mode = fmin(anytime_most(s), fmax(s->found, mode));
    anytime_sample other = anytime_exchanged(s);
    *high = furthest(s, log_least, mode, first_guess(s, -log(alpha)));
    *low = s->size - furthest(&other, log_least, s->size - mode, first_guess(&other, -log(alpha)));
}
