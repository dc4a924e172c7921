#include "anytime.h"

#include <math.h>

#include "hypergeometric.h"
#include "log_gamma.h"
#include "yield_law.h"

/* A sum takes its first terms one by one. Then it takes panels, Gauss's four points for sums over
 * equally spaced counts, over which the logarithm of a term changes by 1 at most and by curvature
 * by 1/8 at most, and which are at most a third as wide as their distance from the ends, where
 * terms are powers of it. Their relative error is then below 1e-9. */
enum { SINGLE_TERMS = 512, TERMS_BETWEEN = 64, NARROWEST = 16 };
static const double NEGLIGIBLE = 1e-14;

typedef struct {
    double n, a, b;
} beta_binomial;

static dd log_beta(double a, double b)
{
    dd sum = dd_two_sum(a, b);
    return dd_subtract(dd_add(log_gamma(a), log_gamma(b)), log_gamma(sum.hi));
}

/* log P(Y = y) but for a constant; y need not be whole */
static dd log_term(const beta_binomial *d, double y)
{
    dd sum = dd_subtract(log_gamma(y + d->a), log_gamma(y + 1));
    return dd_add(sum, dd_subtract(log_gamma(d->n - y + d->b), log_gamma(d->n - y + 1)));
}

/* Steps of the recurrence cost as much as one evidence. */
enum { STEPS_AT_ONCE = 256 };

static double log_probability(const beta_binomial *d, double y)
{
    dd constant = dd_subtract(log_gamma(d->n + 1), log_gamma(d->n + d->a + d->b));
    constant = dd_subtract(constant, log_beta(d->a, d->b));
    return dd_add(log_term(d, y), constant).hi;
}

/* P(Y = y + 1)/P(Y = y) */
static inline double rising_ratio(const beta_binomial *d, double y)
{
    return (d->n - y) * (y + d->a) / ((y + 1) * (d->n - y - 1 + d->b));
}

static beta_binomial reflected(const beta_binomial *d)
{
    return (beta_binomial){d->n, d->b, d->a};
}

/* How wide a panel may be that begins at y. */
static double panel_width(const beta_binomial *d, double y)
{
    double up = d->n - y, slope = fabs(log(rising_ratio(d, y)));
    double curvature = fabs(1 / (y + d->a) - 1 / (y + 1) - 1 / up + 1 / (up - 1 + d->b));
    double width = fmin(1 / slope, 0.5 / sqrt(curvature));
    return floor(fmin(width, fmin(y + 1, up) / 3));
}

static double panel_sum(const beta_binomial *d, double first, double width, dd unit)
{
    double middle = first + (width - 1) / 2, sum = 0;
    gauss_rule rule = gauss_rule_of(width);
    const double place[4] = {-rule.far, -rule.near, rule.near, rule.far};
    for (int k = 0; k < 4; k++)
        sum += exp(dd_subtract(log_term(d, middle + place[k]), unit).hi)
               * (k == 0 || k == 3 ? rule.far_share : rule.near_share);
    return sum * width;
}

/* sum over y >= x of P(Y = y)/P(Y = x), 0 <= x <= n */
static double sum_upwards(const beta_binomial *d, double x)
{
    double sum = 0, term = 1, y = x;
    dd unit = {0, 0};
    int n_terms = SINGLE_TERMS;
    while (y <= d->n) {
        for (int i = 0; i < n_terms; i++) {
            sum += term;
            if (y >= d->n || term * (d->n - y) < NEGLIGIBLE * sum)
                return sum;
            term *= rising_ratio(d, y++);
            if (term < NEGLIGIBLE * sum && rising_ratio(d, y) < 0.5)
                return sum;
        }
        if (n_terms == SINGLE_TERMS)
            unit = log_term(d, x);
        n_terms = TERMS_BETWEEN;
        double width = panel_width(d, y), part = 0;
        while (width >= NARROWEST && y + width <= d->n) {
            part = panel_sum(d, y, width, unit);
            sum += part;
            y += width;
            if (part / width * (d->n - y) < NEGLIGIBLE * sum
                || (part < NEGLIGIBLE * sum && rising_ratio(d, y) < 1))
                return sum;
            width = panel_width(d, y);
        }
        term = exp(dd_subtract(log_term(d, y), unit).hi);
    }
    return sum;
}

beta_binomial_tails beta_binomial_tails_at(double n, double a, double b, double x)
{
    if (x <= 0)
        return (beta_binomial_tails){0, 1};
    if (x > n)
        return (beta_binomial_tails){1, 0};
    beta_binomial d = {n, a, b}, other = reflected(&d);
    double mean = n * (a / (a + b));
    if (x > mean) {
        double above = exp(log_probability(&d, x)) * sum_upwards(&d, x);
        if (above < 0.9)
            return (beta_binomial_tails){1 - above, above};
    }
    double below = exp(log_probability(&d, x - 1)) * sum_upwards(&other, n - x + 1);
    if (below < 0.9 || x > mean)
        return (beta_binomial_tails){below, 1 - below};
    double above = exp(log_probability(&d, x)) * sum_upwards(&d, x);
    return (beta_binomial_tails){1 - above, above};
}

static beta_binomial prior_of(const anytime_sample *s)
{
    return (beta_binomial){s->size, s->a, s->b};
}

/* log P(X = found), with the prior or given K = t */
static double log_mean(const anytime_sample *s)
{
    beta_binomial seen = {s->sampled, s->a, s->b};
    return log_probability(&seen, s->found);
}

static double log_chance(const anytime_sample *s, double t)
{
    hypergeometric h;
    hypergeometric_set(&h, s->size, t, s->sampled);
    return hypergeometric_value(&h, HYPERGEOMETRIC_PMF, s->found, 1);
}

static double prior_below(const anytime_sample *s, double t)
{
    if (s->a == 1 && s->b == 1)
        return t / (s->size + 1);
    return beta_binomial_tails_at(s->size, s->a, s->b, t).below;
}

static double posterior_below(const anytime_sample *s, double t)
{
    if (s->a == 1 && s->b == 1) { /* that many of a draw one larger are above the (k + 1)-th */
        hypergeometric h;
        hypergeometric_set(&h, s->size + 1, t, s->sampled + 1);
        return hypergeometric_value(&h, HYPERGEOMETRIC_SF, s->found, 0);
    }
    return beta_binomial_tails_at(s->size - s->sampled, s->a + s->found,
                                  s->b + s->sampled - s->found, t - s->found)
        .below;
}

double anytime_log_evidence(const anytime_sample *s, double t)
{
    if (t <= s->found)
        return -INFINITY;
    return log(posterior_below(s, t)) - log(prior_below(s, t)) + log_mean(s) - log_chance(s, t);
}

/* What e(t + 1)/e(t) is made of. */
typedef struct {
    double e, below, point, t; /* below: prior(K < t), point: prior(t) */
} evidence_step;

static evidence_step step_at(const anytime_sample *s, double t)
{
    beta_binomial prior = prior_of(s);
    return (evidence_step){exp(anytime_log_evidence(s, t)), prior_below(s, t),
                           exp(log_probability(&prior, t)), t};
}

static inline void step_up(const anytime_sample *s, evidence_step *at)
{
    beta_binomial prior = prior_of(s);
    double t = at->t;
    double likelier =
        (t + 1 - s->found) * (s->size - t) / ((t + 1) * (s->size - t - s->sampled + s->found));
    at->e = (at->e * at->below + at->point) / (at->below + at->point) * likelier;
    at->below += at->point;
    at->point *= rising_ratio(&prior, t);
    at->t = t + 1;
}

/* log e(t) rises through log_bar: Newton's steps with the slope of the recurrence, or halves where
 * they leave the bracket; from a few counts below on, single steps. */
double anytime_upper(const anytime_sample *s, double log_bar)
{
    double low = s->found, high = s->size - s->sampled + s->found;
    if (!(anytime_log_evidence(s, high) >= log_bar))
        return high;
    double share = (s->found + s->a) / (s->sampled + s->a + s->b);
    double left = (s->size - s->sampled) / fmax(1, s->size);
    double deep = sqrt(2 * fmax(log_bar, 0) + 4);
    double spread = sqrt(share * (1 - share) * left / (s->sampled + 1)) * deep
                    + deep * deep / 2 / (s->sampled + 1) * left;
    double t = floor(s->size * (share + spread));
    while (high - low > 1) {
        t = t > low && t < high ? t : floor(low + (high - low) / 2);
        evidence_step now = step_at(s, t), next = now;
        double distance = log(now.e) - log_bar;
        if (distance >= 0)
            high = t;
        else
            low = t;
        step_up(s, &next);
        double jump = -distance / log(next.e / now.e);
        if (distance < 0 && jump < STEPS_AT_ONCE) {
            for (int i = 0; i < 2 * STEPS_AT_ONCE && now.t < high; i++) {
                if (log(now.e) >= log_bar)
                    return now.t - 1;
                low = now.t;
                step_up(s, &now);
            }
            t = now.t;
        } else
            t = floor(t + jump) - (distance > 0 || jump > 0 ? STEPS_AT_ONCE / 4.0 : 0);
    }
    return low;
}

static double furthest(const anytime_sample *s, double log_least, double inside, double outside)
{
    if (log_chance(s, outside) > log_least)
        return outside;
    while (fabs(outside - inside) > 1) {
        double middle = floor((inside + outside) / 2);
        if (log_chance(s, middle) > log_least)
            inside = middle;
        else
            outside = middle;
    }
    return inside;
}

void anytime_ends(const anytime_sample *s, double alpha, double *low, double *high)
{
    double least = s->found, most = s->size - s->sampled + s->found;
    double mode = floor((s->size + 1) * (s->found / fmax(1, s->sampled)));
    mode = fmin(most, fmax(least, mode));
    double log_least = log_mean(s) + log(alpha);
    *low = furthest(s, log_least, mode, least);
    *high = furthest(s, log_least, mode, most);
}

/* e at first, first + 1, ..., by steps, until it reaches `most`, the end, or n values are there.
 * Returns how many. */
static int64_t table_of(const anytime_sample *s, double first, double most, double *value,
                        int64_t n)
{
    evidence_step at = step_at(s, first);
    double last = s->size - s->sampled + s->found;
    for (int64_t i = 0; i < n; i++) {
        value[i] = at.e;
        if (at.e >= most || at.t >= last)
            return i + 1;
        step_up(s, &at);
    }
    return n;
}

/* Below this evidence pairs are as if there were none. */
static const double LITTLE = 1e-9;

static double most_evidence(double bar, double e)
{
    return (bar - e / 4) / (0.25 + e / 2);
}

static double share_of(double k1, double k0)
{
    return k1 > 0 ? k1 / (k1 + k0) : 0;
}

/* K1 goes down from where there is little evidence against it; K0 goes down with it. */
static double least_by_tables(const anytime_sample *one, const anytime_sample *other, double bar,
                              double start1, double start0, double *values, int64_t room,
                              int *is_done)
{
    anytime_sample fewer = anytime_exchanged(one);
    int64_t n1 = table_of(&fewer, start1, 4 * bar, values, room / 2);
    double *values0 = values + room / 2;
    int64_t n0 = table_of(other, start0, 4 * bar, values0, room / 2);
    *is_done = n1 < room / 2 && n0 < room / 2;
    double least = 1;
    int64_t j = n0 - 1;
    for (int64_t i = 0; i < n1 && values[i] < 4 * bar; i++) {
        double most = most_evidence(bar, values[i]);
        while (j > 0 && values0[j] >= most)
            j--;
        least = fmin(least, share_of(one->size - start1 - (double)i, start0 + (double)j));
    }
    return least;
}

static double share_at(const anytime_sample *one, const anytime_sample *other, double bar, double t)
{
    anytime_sample fewer = anytime_exchanged(one);
    double e = exp(anytime_log_evidence(&fewer, t));
    double most = most_evidence(bar, e);
    if (!(most > 0))
        return 1;
    return share_of(one->size - t, anytime_upper(other, log(most)));
}

/* Golden section: smooth for counts beyond the tables, with one minimum. */
static double least_by_section(const anytime_sample *one, const anytime_sample *other, double bar,
                               double low, double high)
{
    const double golden = 0.6180339887498949;
    double least = fmin(share_at(one, other, bar, low), share_at(one, other, bar, high));
    double t = high - golden * (high - low), u = low + golden * (high - low);
    double at_t = share_at(one, other, bar, floor(t)), at_u = share_at(one, other, bar, floor(u));
    for (int i = 0; i < 40 && high - low > 2; i++) {
        least = fmin(least, fmin(at_t, at_u));
        if (at_t <= at_u) {
            high = u;
            u = t;
            at_u = at_t;
            t = high - golden * (high - low);
            at_t = share_at(one, other, bar, floor(t));
        } else {
            low = t;
            t = u;
            at_t = at_u;
            u = low + golden * (high - low);
            at_u = share_at(one, other, bar, floor(u));
        }
    }
    return fmin(least, fmin(at_t, at_u));
}

double anytime_least_share(const anytime_sample *one, const anytime_sample *other, double alpha,
                           double *values, int64_t room)
{
    double bar = 1 / alpha;
    anytime_sample fewer = anytime_exchanged(one);
    double start1 = anytime_upper(&fewer, log(LITTLE)), start0 = anytime_upper(other, log(LITTLE));
    /* without evidence against K1 */
    double least = share_of(one->size - start1, anytime_upper(other, log(4 * bar)));
    int is_done = 0;
    double found = least_by_tables(one, other, bar, start1, start0, values, room, &is_done);
    if (!is_done)
        found = least_by_section(one, other, bar, start1, anytime_upper(&fewer, log(4 * bar)));
    return fmin(least, found);
}
