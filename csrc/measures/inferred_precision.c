/* infAP (Yilmaz & Aslam 2006), average precision inferred from judgments of a part of the pool, and
 * its mean over orders of ties. */
#include <math.h>
#include <stddef.h>

#include "ties/count_mean.h"
#include "ties/smooth_sum.h"
#include "ties/tie_groups.h"
#include "ties/tie_lattice.h"
#include "ties/tied_places.h"

/* The number of relevant documents that is inferred at a relevant one, with it: of documents above
 * the judged ones, the relevant ones, and those in the pool that nobody judged.  trec_eval's
 * epsilon. */
static double inferred_relevant(double judged, double relevant, double pooled)
{
    const double epsilon = 1e-5;
    return 1 + (judged + pooled) * (relevant + epsilon) / (judged + 2 * epsilon);
}

/* The share of a relevant document in infAP: documents above it, and of these as before. */
static double inferred_precision(double above, double judged, double relevant, double pooled)
{
    return above > 0 ? inferred_relevant(judged, relevant, pooled) / (above + 1) : 1;
}

/* Documents above a rank, and those that a relevant document of it has above it inside:
 * `documents`, of `others` judged and `rest` others; of these, relevant ones and pooled ones. */
typedef struct {
    double above, judged, relevant, pooled;
    double documents, others, rest;
    double other_relevant, rest_pooled;
} inferred;

/* With `count` judged ones among the documents above it.  Given these the others are what they are
 * in the mean, since inferred_precision is linear in them. */
static double inferred_given(double count, const void *context)
{
    const inferred *at = context;
    double more = at->documents - count;
    double relevant = at->others > 0 ? count * at->other_relevant / at->others : 0;
    double pooled = at->rest > 0 ? more * at->rest_pooled / at->rest : 0;
    return inferred_precision(at->above + at->documents, at->judged + count,
                              at->relevant + relevant, at->pooled + pooled);
}

/* The mean at a place of the rank, or between two: the chances are polynomials of it. */
static double inferred_at(double first, double x, const void *context)
{
    inferred at = *(const inferred *)context;
    at.documents = first - 1 - at.above + x;
    return count_mean(at.others, at.rest, at.documents, inferred_given, &at);
}

/* Shares that all terms of a rank need: of relevant ones among the other judged documents, and of
 * pooled ones among the rest. */
typedef struct {
    double density, pooled;
} inferred_shares;

/* One term of infAP, k of the rank above: means over X, the judged ones of these, of X itself, of
 * 1/(X + b) and of X/(X + b), where b = judged + 2 epsilon.  All parts are positive. */
static inline double inferred_term(const inferred *at, inferred_shares of, double k, double mean,
                                   double inverse, double share)
{
    const double epsilon = 1e-5;
    double b = at->judged + 2 * epsilon, relevant = at->relevant + epsilon;
    double all = at->judged + at->pooled + k * of.pooled;
    double linear = (all * of.density + (1 - of.pooled) * relevant) * share;
    double square = (1 - of.pooled) * of.density * fmax(0, mean - b * share);
    return (1 + all * relevant * inverse + linear + square) / (at->above + k + 1);
}

/* (k + b)(n + 1 - k) and (whole - b) k.  The products of whole numbers are exact: k + b and whole -
 * b would be rounded by the same amount in step after step, and the errors add up (1e-13 of infAP
 * in a tie of 16,000). */
static inline double inferred_divisor(double n, double k, double b)
{
    return k * (n + 1 - k) + b * (n + 1 - k);
}

static inline double inferred_factor(double whole, double k, double b)
{
    return whole * k - b * k;
}

/* The sum of inferred_at over all places of a rank, some of the other documents judged and some
 * not.
 *
 * h(k) = E 1/(X + b), X of s judged ones among k that are drawn from n, has the generating function
 * (1+z)^(n-s) z^-b int_0^z t^(b-1) (1+t)^s dt; its differential equation says
 *     (k + b)(n + 1 - k) h(k) = (n - s - k + 1 - b) k h(k-1) + n + 1,
 * and E X/(X + b) is k s/n times the same of n - 1, s - 1, b + 1 and k - 1, with the same divisor.
 * The steps go up where they make errors smaller, and down from h(n) = 1/(s + b) elsewhere. */
static double inferred_sum(const inferred *at, work_watch *watch)
{
    double s = at->others, n = s + at->rest, b = at->judged + 2e-5;
    double inverse = 1 / b, biased = 1 / (b + 1), k = 0;
    const inferred_shares of = {at->other_relevant / s, at->rest_pooled / at->rest};
    dd sum = {0, 0};
    add_to(&sum, inferred_term(at, of, 0, 0, inverse, 0));
    for (k = 1; k <= n && !watch_stops(watch, 2); k++) {
        double divisor = inferred_divisor(n, k, b);
        if (-inferred_factor(n - s - k + 1, k, b) > divisor)
            break;
        divisor = 1 / divisor;
        inverse = inferred_factor(n - s - k + 1, k, b) * divisor * inverse + (n + 1) * divisor;
        if (k > 1)
            biased = inferred_factor(n - s - k + 1, k - 1, b) * divisor * biased + n * divisor;
        double mean = k * s / n;
        add_to(&sum, inferred_term(at, of, k, mean, inverse, mean * biased));
    }
    double first = k;
    inverse = biased = 1 / (s + b);
    for (k = n; k >= first && !watch_stops(watch, 2); k--) {
        double mean = k * s / n;
        add_to(&sum, inferred_term(at, of, k, mean, inverse, mean * biased));
        double divisor = inferred_divisor(n, k, b);
        inverse = (divisor * inverse - (n + 1)) / inferred_factor(n - s - k + 1, k, b);
        if (k > 1)
            biased = (divisor * biased - n) / inferred_factor(n - s - k + 1, k - 1, b);
    }
    return total_of(sum);
}

/* The same where nothing of the pool is unjudged, from the relevant documents of a rank on: a term
 * depends on how many judged documents are above, and the i-th judged one of the rank is relevant
 * with the same chance for each i. */
static double inferred_sum_all_judged(const inferred *at, double *scratch, work_watch *watch)
{
    int64_t n = (int64_t)at->others + 1;
    double size = at->others + at->rest + 1, sum = 0;
    double density = at->others > 0 ? at->other_relevant / at->others : 0;
    for (int64_t i = 1; i <= n; i++) {
        double judged = at->judged + (double)(i - 1);
        double relevant = at->relevant + (double)(i - 1) * density;
        scratch[i] = inferred_relevant(judged, relevant, 0);
    }
    watch_stops(watch, (int64_t)size);
    for (int64_t i = 1; i <= n && at->rest == 0; i++) /* the i-th judged one has place i */
        sum += scratch[i] / (at->above + (double)i);
    if (at->rest == 0)
        return sum;
    return tied_places_sum(scratch, n, (double)n, size, at->above, size, NULL);
}

/* A rank that is one document, as most are: what it adds, and then it is above the others. */
static inline void add_single(const weak_order *order, int64_t rank, double from, inferred *at,
                              dd *sum)
{
    int64_t mark = rank > 0 ? order->end[rank - 1] : 0;
    if (mark == order->end[rank])
        return;
    if (order->grade[mark] >= from) {
        double above = (double)order->before[rank];
        add_to(sum, inferred_precision(above, at->judged, at->relevant, at->pooled));
        at->relevant++;
    }
    if (order->grade[mark] >= 0)
        at->judged++;
    else
        at->pooled++;
}

/* Documents above a rank, and which of its kinds are relevant, judged and not relevant, and pooled:
 * -1 where it has none. */
typedef struct {
    const inferred *at;
    int relevant, other, pooled, n_kinds;
} inferred_kinds;

static int inferred_reward(const int64_t *taken, double *reward, const void *context)
{
    const inferred_kinds *kinds = context;
    double above = kinds->at->above;
    double relevant = (double)taken[kinds->relevant];
    double judged = relevant + (kinds->other < 0 ? 0 : (double)taken[kinds->other]);
    double pooled = kinds->pooled < 0 ? 0 : (double)taken[kinds->pooled];
    for (int k = 0; k < kinds->n_kinds; k++) {
        above += (double)taken[k];
        reward[k] = 0;
    }
    reward[kinds->relevant] =
        inferred_precision(above, kinds->at->judged + judged, kinds->at->relevant + relevant,
                           kinds->at->pooled + pooled);
    return 0;
}

/* The sum over a rank in its best or worst order: `relevant` documents, `judged` other ones. */
static double inferred_end(const inferred *at, int64_t relevant, int64_t judged, int64_t pooled,
                           int64_t size, const measure_input *in)
{
    tie_lattice lattice = {0};
    inferred_kinds kinds = {at, 0, judged > 0 ? 1 : -1, -1, 0};
    lattice_add(&lattice, relevant, 0);
    lattice_add(&lattice, judged, 0);
    if (pooled > 0)
        kinds.pooled = lattice.n_kinds;
    lattice_add(&lattice, pooled, 0);
    lattice_add(&lattice, size - relevant - judged - pooled, 0);
    kinds.n_kinds = lattice.n_kinds;
    return lattice_sum(&lattice, in->end, inferred_reward, &kinds, in->memory->work,
                       in->memory->work_size / (int64_t)sizeof(double), in->memory->watch);
}

static double inferred_average_precision(const measure *m, const measure_input *in)
{
    const weak_order *order = in->order;
    double from = m->relevant_from, n_relevant = n_relevant_of(m, in);
    inferred at = {0};
    dd sum = {0, 0};
    for (int64_t rank = 0; rank < order->n_ranks; rank++) {
        if (order->size[rank] == 1) {
            add_single(order, rank, from, &at, &sum);
            continue;
        }
        tie_group group = get_group(order, rank, from);
        int64_t last = order->end[rank], judged = group.mark + group.relevant;
        while (judged < last && order->grade[judged] >= 0)
            judged++;
        double g = (double)group.size, r = (double)group.relevant;
        double s = (double)(judged - group.mark) - r;
        at.above = (double)group.before;
        at.others = r - 1 + s;
        at.rest = g - r - s;
        at.other_relevant = r - 1;
        at.rest_pooled = (double)(last - judged);
        int64_t n_judged = judged - group.mark, k = 0, smooth = group.size - 2 * n_judged;
        if (in->end != TIE_MEAN && r > 0 && r < g) {
            add_to(&sum, inferred_end(&at, group.relevant, n_judged - group.relevant, last - judged,
                                      group.size, in));
            k = group.size;
        }
        if (r > 0 && k == 0 && smooth > LONG_TIE) {
            dd inside = long_sum(inferred_at, &at, at.above + 1, (double)smooth,
                                 2 * g / (double)n_judged, in->memory->watch, n_judged);
            add_to(&sum, r / g * total_of(inside));
            k = smooth;
        }
        if (r > 0 && k == 0 && at.pooled == 0 && at.rest_pooled == 0) {
            double inside = inferred_sum_all_judged(&at, in->memory->scratch, in->memory->watch);
            add_to(&sum, r / (double)n_judged * inside);
            k = group.size;
        }
        if (r > 0 && k == 0 && at.others > 0 && at.rest > 0) {
            add_to(&sum, r / g * inferred_sum(&at, in->memory->watch));
            k = group.size;
        }
        for (; r > 0 && k < group.size && !watch_stops(in->memory->watch, last); k++)
            add_to(&sum, r / g * inferred_at(at.above + 1 + (double)k, 0, &at));
        at.judged += r + s;
        at.relevant += r;
        at.pooled += at.rest_pooled;
    }
    return n_relevant > 0 ? total_of(sum) / n_relevant : 0;
}

static const measure_kernel kernels[] = {
    {"infAP", inferred_average_precision, MEASURE_WORK | MEASURE_ENDS}};
const measure_family INFERRED_MEASURES = {1, kernels};
