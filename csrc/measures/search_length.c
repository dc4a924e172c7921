/* Expected search length and expected precision of weak orderings.
 * The contract is in search_length.h. */

#include "measures/search_length.h"

#include <float.h>
#include <math.h>

#include "numeric/log_gamma.h"
#include "ties/smooth_sum.h"

double stopping_point(double x, double n)
{
    double point = x * n, nearest = nearbyint(point);
    return fabs(point - nearest) <= 8 * DBL_EPSILON * point ? nearest : point;
}

/* The rank that holds the wanted-th relevant document (wanted <= 0: the first rank), or n_ranks. */
static int64_t final_rank(const stopping_ranks *ranks, double wanted)
{
    int64_t low = 0, high = ranks->n_ranks;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (ranks->relevant_before[middle] + ranks->relevant[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double expected_search_length(const stopping_ranks *ranks, double wanted)
{
    int64_t f = final_rank(ranks, wanted);
    if (f == ranks->n_ranks)
        return INFINITY;
    double s = wanted - ranks->relevant_before[f];
    return ranks->nonrelevant_before[f] + ranks->nonrelevant[f] * s / (ranks->relevant[f] + 1);
}

/* P_(v+1) / P_v */
static inline double rising_ratio(double s, double r, double i, double v)
{
    return (s + v) * (i - v) / ((v + 1) * (r - s + (i - v)));
}

/* Where P_v is largest.  For s <= 1 it falls from v = 0 on. */
static double mode_of_search_length(double s, double r, double i)
{
    if (s <= 1)
        return 0;
    double v = ceil(((s - 1) * i - (r - s)) / (r - 1));
    return v < 0 ? 0 : v > i ? i : v;
}

void search_length_probabilities(double s, double r, int64_t i, double *probability,
                                 work_watch *watch)
{
    double n = (double)i;
    int64_t mode = (int64_t)mode_of_search_length(s, r, n);
    double total = probability[mode] = 1;
    for (int64_t v = mode; v < i && !watch_stops(watch, 2); v++)
        total += probability[v + 1] = probability[v] * rising_ratio(s, r, n, (double)v);
    for (int64_t v = mode; v > 0 && !watch_stops(watch, 2); v--)
        total += probability[v - 1] = probability[v] / rising_ratio(s, r, n, (double)(v - 1));
    for (int64_t v = 0; v <= i && !watch_stops(watch, 1); v++)
        probability[v] /= total;
}

/* The search for the s-th of r relevant documents among i others, and what is averaged:
 * wanted/(base + v). */
typedef struct {
    double s, r, i, base, wanted;
    dd log_scale; /* log of what P_v has beside the four gammas of v */
} rank_search;

/* log Γ(x) of x in twice the precision: at 10^12 the last digit of a double is worth 0.003. */
static dd log_gamma_of(dd x)
{
    return dd_add(log_gamma(x.hi), dd_two_product(x.lo, log(x.hi) - 0.5 / x.hi));
}

/* P_v for real v = first + x. */
static double probability_at(const rank_search *q, double first, double x)
{
    dd v = dd_two_sum(first, x), s = {q->s, 0}, one = {1, 0};
    dd left = dd_subtract((dd){q->i, 0}, v),
       rest = dd_subtract(dd_two_sum(q->r, -q->s), dd_negative(left));
    dd sum = dd_add(log_gamma_of(dd_add(s, v)), log_gamma_of(dd_add(rest, one)));
    sum = dd_subtract(sum, dd_add(log_gamma_of(dd_add(v, one)), log_gamma_of(dd_add(left, one))));
    sum = dd_add(sum, q->log_scale);
    return exp(sum.hi) * (1 + sum.lo);
}

static double precision_term(double first, double x, const void *context)
{
    const rank_search *q = context;
    return probability_at(q, first, x) * (q->wanted / (q->base + first + x));
}

/* P_(v+1) from P_v, or the other way round.  Roundings of s + v are nearly the same for thousands
 * of v, so that products of ratios near 1 are off by up to 1.1e-12 (s = 0.999, r = 1, i = 32172).
 * The steps from P_v are small there, and sums of them in twice the precision are off by 5e-16. */
static inline dd next_weight(const rank_search *q, dd weight, double v, int is_rising)
{
    double left = q->i - v, others = q->r - q->s;
    double rise = ((q->s - 1) * left - (v + 1) * others) / ((v + 1) * (others + left));
    double change = is_rising ? rise : -rise / (1 + rise);
    if (fabs(change) < 0.5)
        return dd_two_sum(weight.hi, weight.hi * change + weight.lo);
    double ratio = rising_ratio(q->s, q->r, q->i, v);
    return (dd){is_rising ? weight.hi * ratio : weight.hi / ratio, 0};
}

/* sum_v P_v wanted/(base + v), term by term from the mode.  P_v is unimodal, so a side ends where
 * all that is left of it cannot count.  Sums in twice the precision: terms that change slowly are
 * rounded one way for thousands of v, which moved a sum by 1.5e-12 (s = 0.0003, r = 1, i = 156438).
 */
static double sum_of_terms(const rank_search *q, double mode)
{
    dd weight = {1, 0}, total = {1, 0}, sum = {q->wanted / (q->base + mode), 0};
    for (double v = mode; v < q->i; v++) {
        weight = next_weight(q, weight, v, 1);
        total = dd_add(total, (dd){weight.hi, 0});
        sum = dd_add(sum, (dd){weight.hi * (q->wanted / (q->base + v + 1)), 0});
        if (weight.hi * (q->i - v) < 1e-18 * total.hi)
            break;
    }
    weight = (dd){1, 0};
    for (double v = mode; v > 0; v--) {
        weight = next_weight(q, weight, v - 1, 0);
        total = dd_add(total, (dd){weight.hi, 0});
        sum = dd_add(sum, (dd){weight.hi * (q->wanted / (q->base + v - 1)), 0});
        if (weight.hi * v < 1e-18 * total.hi)
            break;
    }
    return sum.hi / total.hi;
}

enum { FEW = 256 }; /* terms that are added one by one */

/* The number of terms from v on, in one direction, that a polynomial follows: two deviations of a
 * normal law of the curvature that log P_v has there, as long as P_v changes by e^12 at most, and
 * as far as v is from where gammas have poles behind it (all of the way) and before it (half of
 * it). */
static double smooth_stretch(const rank_search *q, double v, double behind, double before)
{
    double left = q->i - v, others = q->r - q->s;
    double curvature =
        fabs(1 - q->s) / ((q->s + v) * (v + 1)) + others / ((others + left + 1) * (left + 1));
    double slope = left > 0 ? fabs(log(rising_ratio(q->s, q->r, q->i, v))) : INFINITY;
    double n = fmin(fmin(behind, before / 2), fmin(2 / sqrt(curvature), 12 / slope));
    return floor(fmax(n, 0));
}

static double few_terms(const rank_search *q, double first, int n)
{
    double p = probability_at(q, first, 0), sum = 0;
    for (int k = 0; k < n; k++) {
        double v = first + k;
        sum += p * (q->wanted / (q->base + v));
        p *= v < q->i ? rising_ratio(q->s, q->r, q->i, v) : 0;
    }
    return sum;
}

/* The same in stretches on each of which the terms are a smooth function. */
static double sum_of_stretches(const rank_search *q, double mode)
{
    double sum = 0;
    for (double v = mode; v <= q->i;) {
        double n = smooth_stretch(q, v, v, q->i - v);
        n = n < FEW ? fmin(FEW, q->i - v + 1) : n;
        sum += n <= FEW ? few_terms(q, v, (int)n) : smooth_sum(precision_term, q, v, n);
        v += n;
        if (v > q->i
            || probability_at(q, v, 0) * (q->i - v + 1) * (q->wanted / (q->base + v)) < 1e-18 * sum)
            break;
    }
    for (double v = mode - 1; v >= 0;) { /* downwards */
        double n = smooth_stretch(q, v, q->i - v, v);
        n = n < FEW ? fmin(FEW, v + 1) : n;
        sum += n <= FEW ? few_terms(q, v - n + 1, (int)n)
                        : smooth_sum(precision_term, q, v - n + 1, n);
        v -= n;
        if (v < 0 || probability_at(q, v, 0) * (v + 1) * (q->wanted / q->base) < 1e-18 * sum)
            break;
    }
    return sum;
}

static double expected_precision_in_rank(double s, double r, double i, double base, double wanted)
{
    const double many = 32768;
    rank_search q = {s, r, i, base, wanted, {0, 0}};
    double mode = mode_of_search_length(s, r, i), a = s / (r + 1);
    double deviation = sqrt(a * (1 - a) * i * ((r + 1 + i) / (r + 2))); /* V is beta-binomial */
    if (fmin(i, 20 * deviation) <= many)
        return sum_of_terms(&q, mode);
    q.log_scale = dd_negative(
        dd_add(dd_add(log_gamma(s), log_gamma_of(dd_add(dd_two_sum(r, -s), (dd){1, 0}))),
               log_choose(r + i, i)));
    return sum_of_stretches(&q, mode);
}

static double precision_in_rank(const stopping_ranks *ranks, int64_t f,
                                enum stopping_measure measure, double wanted)
{
    double r = ranks->relevant[f], i = ranks->nonrelevant[f], j = ranks->nonrelevant_before[f];
    double s = wanted - ranks->relevant_before[f];
    if (wanted < 1e-290) { /* so small that s i is no normal number: the limit */
        if (j > 0)
            return 0;
        return measure == STOP_PRR       ? (r + 1) / (r + i + 1)
               : measure == STOP_PRECALL ? r / (r + i)
                                         : 1;
    }
    if (measure == STOP_EP)
        return expected_precision_in_rank(s, r, i, wanted + j, wanted);
    return wanted / (wanted + j + i * s / (measure == STOP_PRR ? r + 1 : r));
}

double precision_at_stop(const stopping_ranks *ranks, enum stopping_measure measure, double wanted)
{
    int64_t f = final_rank(ranks, wanted);
    return f == ranks->n_ranks ? 0 : precision_in_rank(ranks, f, measure, wanted);
}

/* The largest precision over the stops first, first + 1, …, last of a rank.
 *
 * PRR and PRECALL are monotone in a rank. EP is wanted times H, the mean of 1/(wanted + j + V); 1/H
 * is a convex function of the stop (in fractions for all ranks of up to 22 documents, 2,310 of
 * them), so EP rises and then falls, and a third of the stops can be left out at a time. Where
 * rounding decides between two thirds, what is lost is as small as their difference. */
static double largest_in_rank(const stopping_ranks *ranks, int64_t f, enum stopping_measure measure,
                              double first, double last)
{
    enum { ALL_STOPS = 256 }; /* that are tried one by one */
    if (measure != STOP_EP)
        return fmax(precision_in_rank(ranks, f, measure, first),
                    precision_in_rank(ranks, f, measure, last));
    while (last - first >= ALL_STOPS && !watch_stops(ranks->watch, 16384)) {
        double third = floor((last - first) / 3), left = first + third, right = last - third;
        if (precision_in_rank(ranks, f, measure, left)
            < precision_in_rank(ranks, f, measure, right))
            first = left;
        else
            last = right;
    }
    double largest = 0;
    for (; first <= last && !watch_stops(ranks->watch, 16384); first++)
        largest = fmax(largest, precision_in_rank(ranks, f, measure, first));
    return largest;
}

double precision_at_recall(const stopping_ranks *ranks, enum stopping_measure measure, double level,
                           int ceiling)
{
    double wanted = stopping_point(level, ranks->n_relevant);
    if (!ceiling)
        return ranks->n_relevant > 0 ? precision_at_stop(ranks, measure, wanted) : 0;
    double largest = 0;
    wanted = fmax(1, ceil(wanted));
    for (int64_t f = final_rank(ranks, wanted); f < ranks->n_ranks; f++) {
        double last = ranks->relevant_before[f] + ranks->relevant[f];
        largest = fmax(largest, largest_in_rank(ranks, f, measure, wanted, last));
        wanted = last + 1;
    }
    return largest;
}

/* The last rank that begins before the stop, or -1. */
static int64_t rank_before(const stopping_ranks *ranks, double n_docs)
{
    int64_t low = 0, high = ranks->n_ranks;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (ranks->relevant_before[middle] + ranks->nonrelevant_before[middle] < n_docs)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

double expected_relevant_at(const stopping_ranks *ranks, double n_docs)
{
    int64_t f = rank_before(ranks, n_docs);
    if (f < 0)
        return 0;
    double r = ranks->relevant[f], size = r + ranks->nonrelevant[f];
    double taken = fmin(size, n_docs - ranks->relevant_before[f] - ranks->nonrelevant_before[f]);
    return ranks->relevant_before[f] + taken * r / size;
}

double expected_nonrelevant_at(const stopping_ranks *ranks, double n_docs)
{
    int64_t f = rank_before(ranks, n_docs);
    if (f < 0)
        return n_docs;
    double r = ranks->relevant[f], i = ranks->nonrelevant[f];
    double taken = n_docs - ranks->relevant_before[f] - ranks->nonrelevant_before[f];
    if (taken >= r + i) /* ranks after it, if any, have no relevant document */
        return n_docs - (ranks->relevant_before[f] + r);
    return ranks->nonrelevant_before[f] + taken * i / (r + i);
}
