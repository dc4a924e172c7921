#include "anytime.h"

#include <math.h>

#include "hypergeometric.h"
#include "log_gamma.h"
#include "yield_law.h"

/* A sum takes its first terms one by one. Then it takes panels, Gauss's four points for sums over
 * equally spaced counts, over which the logarithm of a term changes by 1 at most and by curvature
 * by 1/8 at most, and which are at most a third as wide as their distance from the ends, where
 * terms are powers of it. Their relative error is then below 3e-9. */
enum { SINGLE_TERMS = 2048, TERMS_BETWEEN = 64, NARROWEST = 16 };
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
enum { STEPS_AT_ONCE = 256, MOST_NEWTON = 8 };

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

/* The parts of e(t + 1)/e(t). */
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
    for (int i = 0; high - low > 1; i++) {
        int is_newton = t > low && t < high && (i < MOST_NEWTON || i % 2 == 0);
        t = is_newton ? t : floor(low + (high - low) / 2);
        evidence_step now = step_at(s, t), next = now;
        double distance = log(now.e) - log_bar;
        if (distance >= 0)
            high = t;
        else
            low = t;
        step_up(s, &next);
        double slope = log(next.e / now.e), jump = slope > 0 ? -distance / slope : INFINITY;
        if (distance < 0 && jump < STEPS_AT_ONCE) {
            for (int k = 0; k < 2 * STEPS_AT_ONCE && now.t < high; k++) {
                if (log(now.e) >= log_bar)
                    return now.t - 1;
                low = now.t;
                step_up(s, &now);
            }
            t = now.t;
        } else
            t = floor(t + jump) - STEPS_AT_ONCE / 4.0;
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

/* 1 - 0.8 is not quite 1/5: evidence within this part of 1/alpha has reached it. */
static const double EQUAL = 1 - 1e-12;

/* Evidence up to here seldom counts: tables begin with it. */
static const double LITTLE = 1e-2;

static double most_evidence(double bar, double e)
{
    return (bar - e / 4) / (0.25 + e / 2);
}

/* The goal that is made least: K1/(K1 + K0), with evidence against K1 from more, or -(K1 + K0),
 * with evidence from fewer. t is size - K1 or K1, so that the evidence of the one sample rises with
 * it. */
typedef struct {
    anytime_sample one, other; /* with t and K0 relevant documents */
    double bar;
    int is_sum;
} pair_goal;

static double goal_at(const pair_goal *g, double t, double k0)
{
    if (g->is_sum)
        return -(t + k0);
    double k1 = g->one.size - t;
    return k1 > 0 ? k1 / (k1 + k0) : 0;
}

/* K0 goes down as t rises. */
static double least_by_tables(const pair_goal *g, double start1, double start0, double *values,
                              int64_t capacity, int *is_done)
{
    double *values0 = values + capacity / 2, least = INFINITY;
    int64_t n1 = table_of(&g->one, start1, 4 * g->bar, values, capacity / 2);
    int64_t n0 = table_of(&g->other, start0, 4 * g->bar, values0, capacity / 2);
    *is_done = n1 < capacity / 2 && n0 < capacity / 2;
    for (int64_t i = 0, j = n0 - 1; i < n1 && values[i] < 4 * g->bar; i++) {
        double most = most_evidence(g->bar, values[i]);
        while (j > 0 && values0[j] >= most)
            j--;
        least = fmin(least, goal_at(g, start1 + (double)i, start0 + (double)j));
    }
    return least;
}

static double best_at(const pair_goal *g, double t)
{
    double most = most_evidence(g->bar, exp(anytime_log_evidence(&g->one, t)));
    return most > 0 ? goal_at(g, t, anytime_upper(&g->other, log(most))) : INFINITY;
}

/* Golden section: beyond the tables the goal is smooth, with one minimum. */
static double least_by_section(const pair_goal *g, double low, double high)
{
    const double golden = 0.6180339887498949;
    double least = fmin(best_at(g, low), best_at(g, high));
    double t = floor(high - golden * (high - low)), u = floor(low + golden * (high - low));
    double at_t = best_at(g, t), at_u = best_at(g, u);
    for (int i = 0; i < 40 && high - low > 4; i++) {
        least = fmin(least, fmin(at_t, at_u));
        if (at_t <= at_u) {
            high = u;
            u = t;
            at_u = at_t;
            t = floor(high - golden * (high - low));
            at_t = best_at(g, t);
        } else {
            low = t;
            t = u;
            at_t = at_u;
            u = floor(low + golden * (high - low));
            at_u = best_at(g, u);
        }
    }
    return fmin(least, fmin(at_t, at_u));
}

/* The goal with t from start1 on. */
static double least_from(const pair_goal *g, double start1, double *values, int64_t capacity)
{
    double start0 = anytime_upper(&g->other, log(LITTLE));
    int is_done = 0;
    double least = least_by_tables(g, start1, start0, values, capacity, &is_done);
    if (!is_done)
        least = least_by_section(g, start1, anytime_upper(&g->one, log(4 * g->bar)));
    return least;
}

/* Below start1 there is little evidence: with none at all the goal would be `without` at least. */
static double least_goal(const pair_goal *g, double *values, int64_t capacity)
{
    double start1 = anytime_upper(&g->one, log(LITTLE)), first = g->one.found;
    double without = goal_at(g, start1, anytime_upper(&g->other, log(4 * g->bar)));
    double least = least_from(g, start1, values, capacity);
    if (without >= least || start1 <= first)
        return fmin(without, least);
    without = goal_at(g, first, anytime_upper(&g->other, log(4 * g->bar)));
    return fmin(without, fmin(least, least_from(g, first, values, capacity)));
}

double anytime_least_share(const anytime_sample *one, const anytime_sample *other, double alpha,
                           double *values, int64_t capacity)
{
    pair_goal g = {anytime_exchanged(one), *other, EQUAL / alpha, 0};
    return least_goal(&g, values, capacity);
}

double anytime_most_sum(const anytime_sample *one, const anytime_sample *other, double alpha,
                        double *values, int64_t capacity)
{
    pair_goal g = {*one, *other, EQUAL / alpha, 1};
    return -least_goal(&g, values, capacity);
}
