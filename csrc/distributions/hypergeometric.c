/* Hypergeometric probabilities, tails, and tails along a ranking.
 * The contract is in hypergeometric.h. */

#include "distributions/hypergeometric.h"

#include <math.h>

#include "numeric/log_gamma.h"

void hypergeometric_set(hypergeometric *h, double population, double relevant, double drawn)
{
    h->population = population;
    h->relevant = relevant;
    h->drawn = drawn;
    h->least = fmax(0, drawn - (population - relevant));
    h->most = fmin(relevant, drawn);
    double mode = floor((drawn + 1) * ((relevant + 1) / (population + 2)));
    h->mode = fmin(h->most, fmax(h->least, mode));
    h->log_ways =
        dd_subtract(log_choose(population, drawn),
                    dd_add(log_gamma(relevant + 1), log_gamma(population - relevant + 1)));
    h->watch = 0;
}

/* log P(X = x) = -(log_ways + log x! (R-x)! (n-x)! (N-R-n+x)!), least <= x <= most */
static dd log_probability(const hypergeometric *h, double x)
{
    dd sum = dd_add(log_gamma(x + 1), log_gamma(h->relevant - x + 1));
    sum = dd_add(sum, log_gamma(h->drawn - x + 1));
    sum = dd_add(sum, log_gamma(h->population - h->relevant - h->drawn + x + 1));
    return dd_negative(dd_add(sum, h->log_ways));
}

static double exponential(dd x)
{
    return exp(x.hi) * (1 + x.lo);
}

/* P(X = x + 1)/P(X = x) */
static inline double rising_ratio(const hypergeometric *h, double x)
{
    return (h->relevant - x) * (h->drawn - x)
           / ((x + 1) * (h->population - h->relevant - h->drawn + x + 1));
}

/* Neighbours' ratios are near each other, and so is how they round: products and sums of thousands
 * lose digits one way. After so many steps a term is computed anew, and the terms since are added
 * to the sum in one. */
enum { STEPS_OF_A_PART = 1024, STEPS_BETWEEN_LOOKS = 65536 };

typedef struct {
    double from;      /* terms are P(X = x)/P(X = from) */
    dd log_of_first;  /* log P(X = from), once it is needed */
    double sum, part; /* all parts but the last, and this */
    double term;
    int64_t steps;
} series;

/* After the term for x, whether all that matters is summed: a geometric series bounds the rest, or
 * a signal came. */
static inline int series_ends(series *s, const hypergeometric *h, double x, double ratio)
{
    s->term *= ratio;
    s->part += s->term;
    if (s->term * ratio < 1e-18 * (s->sum + s->part) * (1 - ratio))
        return 1;
    if (++s->steps % STEPS_OF_A_PART)
        return 0;
    if (s->steps == STEPS_OF_A_PART)
        s->log_of_first = log_probability(h, s->from);
    s->term = exponential(dd_subtract(log_probability(h, x), s->log_of_first));
    s->sum += s->part;
    s->part = 0;
    return s->steps % STEPS_BETWEEN_LOOKS == 0 && watch_stops(h->watch, STEPS_BETWEEN_LOOKS);
}

/* P(X >= x)/P(X = x): terms fall once x is at the mode or above */
static double sum_upwards(const hypergeometric *h, double x)
{
    series s = {.from = x, .part = 1, .term = 1};
    while (x < h->most) {
        double ratio = rising_ratio(h, x++);
        if (series_ends(&s, h, x, ratio))
            break;
    }
    return s.sum + s.part;
}

/* P(X <= x)/P(X = x), x at the mode or below */
static double sum_downwards(const hypergeometric *h, double x)
{
    series s = {.from = x, .part = 1, .term = 1};
    while (x > h->least) {
        double ratio = 1 / rising_ratio(h, --x);
        if (series_ends(&s, h, x, ratio))
            break;
    }
    return s.sum + s.part;
}

double hypergeometric_value(const hypergeometric *h, enum hypergeometric_function function,
                            double x, int as_log)
{
    double impossible = as_log ? -INFINITY : 0, certain = as_log ? 0 : 1;
    if (function == HYPERGEOMETRIC_PMF) {
        if (x < h->least || x > h->most)
            return impossible;
        dd log_p = log_probability(h, x);
        return as_log ? log_p.hi : exponential(log_p);
    }
    if (x < h->least)
        return function == HYPERGEOMETRIC_SF ? certain : impossible;
    if (x >= h->most)
        return function == HYPERGEOMETRIC_SF ? impossible : certain;
    int is_lower = x < h->mode; /* the side of the mode on which the sum is */
    dd log_p = log_probability(h, is_lower ? x : x + 1);
    double sum = is_lower ? sum_downwards(h, x) : sum_upwards(h, x + 1);
    if (is_lower == (function == HYPERGEOMETRIC_CDF)) {
        if (!as_log)
            return exponential(log_p) * sum;
        dd total = dd_add(log_p, (dd){log(sum), 0});
        return total.hi;
    }
    double other = exponential(log_p) * sum;
    return as_log ? log1p(-other) : 1 - other;
}

enum { STEPS_BETWEEN_STARTS = 2048, SCALE = 500 };

/* A tail is at most 2^26 points: its terms fall and are some standard deviations, each at most
 * 2^25. Points below these leave an upper tail that 1 - tail rounds away, below 2^-54, and a lower
 * one that no double holds, below 2^-1075. */
enum { LEAST_UPPER = -80, LEAST_LOWER = -1101 };

/* The unit in two factors, for it is 0 below 2^-1074, where a tail of up to 2^526 units can still
 * be a number. */
static void set_units(hypergeometric_curve *c)
{
    c->factor = c->exponent < -1000 ? 0x1p-600 : 1;
    c->unit = ldexp(1, c->exponent < -1000 ? c->exponent + 600 : c->exponent);
    c->least_point = ldexp(1, (c->is_upper ? LEAST_UPPER : LEAST_LOWER) - c->exponent);
}

/* The tail from the point beside it, or 0 where it does not matter. */
static void sum_tail(hypergeometric_curve *c)
{
    double x = c->found - 1;
    c->is_lost = c->point < c->least_point;
    if (c->is_lost)
        c->tail = 0;
    else
        c->tail = c->is_upper ? c->point * rising_ratio(&c->h, x) * sum_upwards(&c->h, x + 1)
                              : c->point * sum_downwards(&c->h, x);
    c->peak = c->tail;
}

/* Both from scratch. */
static void start(hypergeometric_curve *c)
{
    hypergeometric_set(&c->h, c->h.population, c->h.relevant, c->h.drawn);
    dd log_p = log_probability(&c->h, c->found - 1);
    c->exponent = (int)floor(log_p.hi * (1 / log_of_2.hi));
    c->point = exponential(dd_subtract(log_p, dd_scale(log_of_2, c->exponent)));
    c->is_upper = c->found - 1 >= c->h.mode;
    c->steps = 0;
    set_units(c);
    sum_tail(c);
}

static void scale(hypergeometric_curve *c, int exponent)
{
    double factor = ldexp(1, -exponent);
    c->tail *= factor;
    c->point *= factor;
    c->peak *= factor;
    c->exponent += exponent;
    set_units(c);
}

/* After documents were taken. */
static void set_drawn(hypergeometric_curve *c, double drawn)
{
    double surplus = drawn - (c->h.population - c->h.relevant);
    c->h.drawn = drawn;
    c->h.most = fmin(drawn, c->h.relevant);
    c->h.least = fmax(surplus, 0);
}

static inline int is_in_range(double point)
{
    return point >= 0x1p-500 && point <= 0x1p500;
}

/* Takes documents while the recurrence holds, and returns how many tails it wrote: at most n_cuts.
 * X_(n+1) is X_n, or one more with probability (R - X_n)/(N - n). The last document that is taken
 * has no tail yet if *is_due: the point or the tail is to be computed anew before. Lost tails are
 * not followed. */
static inline int64_t advance(hypergeometric_curve *c, const double *relevance, int64_t n_cuts,
                              double *tails, int is_lost, int *is_due)
{
    const double N = c->h.population, R = c->h.relevant;
    const double one = c->is_upper ? 1 : 0, sign = c->is_upper ? -1 : 1;
    const double factor = c->factor, unit = c->unit, least_point = c->least_point;
    double n = c->h.drawn, x = c->found - 1, point = c->point, tail = c->tail, peak = c->peak;
    int64_t i = 0;
    for (*is_due = 0; i < n_cuts && !c->is_past_middle; i++) {
        double is_relevant = relevance[i] > 0;
        double rest = n + 1 - x, share = 1 / (rest * (N - n));
        /* no branch: processors cannot guess which documents are relevant */
        double growth =
            is_relevant * ((R - x) * rest / (x + 1)) + (1 - is_relevant) * (N - R - n + x);
        double lost = point * (share * rest * (R - x)); /* P(X_n = x and the next is relevant) */
        point *= share * (n + 1) * growth;
        n++;
        x += is_relevant;
        tail -= sign * lost;
        tail += sign * (is_relevant * point);
        peak = tail > peak ? tail : peak;
        *is_due = !is_in_range(point) || (is_lost ? point >= least_point : !(tail > 0.25 * peak));
        if (*is_due)
            break;
        if (is_lost) {
            tails[i] = one;
            continue;
        }
        double value = tail * factor * unit;
        tails[i] = one + sign * value;
        c->is_past_middle = value > 0.75;
    }
    c->steps += (int)i + *is_due;
    c->found = x + 1;
    c->point = point;
    c->tail = tail;
    c->peak = peak;
    set_drawn(c, n);
    return i;
}

/* The point in a unit near it, and the tail where it lost digits. */
static void renew(hypergeometric_curve *c)
{
    if (!is_in_range(c->point))
        scale(c, c->point < 1 ? -SCALE : SCALE);
    if (c->is_lost || !(c->tail > 0.25 * c->peak))
        sum_tail(c);
}

static double value_of(hypergeometric_curve *c)
{
    double value = c->tail * c->factor * c->unit;
    c->is_past_middle = value > 0.75;
    return c->is_upper ? 1 - value : value;
}

/* X < 0, or no non-relevant document is left. */
static int is_impossible(const hypergeometric_curve *c)
{
    return c->found == 0 || c->h.drawn - c->found == c->h.population - c->h.relevant;
}

void hypergeometric_curve_set(hypergeometric_curve *c, double population, double relevant)
{
    *c = (hypergeometric_curve){.h = {.population = population, .relevant = relevant},
                                .steps = STEPS_BETWEEN_STARTS};
}

void hypergeometric_curve_follow(hypergeometric_curve *curve, const double *relevance,
                                 int64_t n_cuts, double *tail)
{
    hypergeometric_curve c = *curve;
    int64_t i = 0;
    while (i < n_cuts) {
        int64_t left = n_cuts - i, steps = STEPS_BETWEEN_STARTS - c.steps;
        int is_due = 1;
        if (steps <= 0 || c.is_past_middle || is_impossible(&c)) {
            c.found += relevance[i] > 0;
            set_drawn(&c, c.h.drawn + 1);
            if (!is_impossible(&c))
                start(&c);
        } else {
            steps = left < steps ? left : steps;
            i += c.is_lost ? advance(&c, relevance + i, steps, tail + i, 1, &is_due)
                           : advance(&c, relevance + i, steps, tail + i, 0, &is_due);
            if (is_due && !is_impossible(&c))
                renew(&c);
        }
        if (is_due)
            tail[i++] = is_impossible(&c) ? 0 : value_of(&c);
    }
    *curve = c;
}
