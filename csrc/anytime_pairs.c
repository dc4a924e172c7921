#include "anytime.h"

#include <math.h>

/* e at first, first + 1, ..., by steps, until it reaches `most`, the end, or n values are there.
 * Returns how many. */
static int64_t table_of(const anytime_sample *s, double first, double most, double *value,
                        int64_t n)
{
    anytime_evidence e = anytime_evidence_at(s, first);
    double last = anytime_most(s);
    for (int64_t i = 0; i < n; i++) {
        value[i] = evidence_value(&e);
        if (value[i] >= most || e.t >= last)
            return i + 1;
        evidence_step(&e);
    }
    return n;
}
/* 1 - 0.8 is not quite 1/5: evidence within this part of 1/alpha has reached it. */
static const double EQUAL = 1 - 1e-12;

/* Evidence from here on makes a convex set of pairs. */
static const double SMOOTH_FROM = 0.1;

/* Cells that are open at a time, one for each halving of 2^52; cells in all, 20 ms; and how near
 * the bound is to the least. */
enum { MOST_DEPTH = 64, MOST_CELLS = 2000 };
static const double CLOSE = 1e-6;

/* With fewer documents left in the one sample the share moves by jumps. */
static const double FEW_LEFT = 4096;

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

/* A pair on the edge of those that are left, where evidence below 1, which need not rise, counts as
 * 1 for the other sample; and whether the goal is still falling as t rises. */
typedef struct {
    double k0, goal;
    int is_falling;
} edge_pair;

/* The edge has (e1 + e0)/4 + e1 e0/2 = bar, so that d log e0/dt is -e1 (1/4 + e0/2) / (e0 (1/4 +
 * e1/2)) times d log e1/dt. */
static edge_pair edge_at(const pair_goal *g, double t)
{
    anytime_evidence one = anytime_evidence_at(&g->one, t);
    double e1 = evidence_value(&one), most = most_evidence(g->bar, e1);
    if (!(most > 0))
        return (edge_pair){0, INFINITY, 0};
    edge_pair edge = {anytime_upper(&g->other, fmax(0, log(most))), 0, 0};
    edge.goal = goal_at(g, t, edge.k0);
    anytime_evidence other = anytime_evidence_at(&g->other, edge.k0);
    double e0 = evidence_value(&other);
    evidence_step(&one);
    evidence_step(&other);
    double rise1 = e1 * (0.25 + e0 / 2) * log(evidence_value(&one) / e1);
    double rise0 = e0 * (0.25 + e1 / 2) * log(evidence_value(&other) / e0);
    double left = g->is_sum ? 1 : (g->one.size - t) / edge.k0; /* K1/K0 */
    edge.is_falling = rise1 * left < rise0;
    return edge;
}

/* All pairs with t near the middle and K0 near its edge. */
static double least_near(const pair_goal *g, double middle, double low, double high, double *values,
                         int64_t capacity)
{
    double k0 = edge_at(g, middle).k0, wide = (double)capacity / 8;
    double steep = g->is_sum ? 1 : fmax(1, k0 / fmax(1, g->one.size - middle));
    double first = fmax(low, middle - floor(wide / steep));
    double last = fmin(high, middle + floor(wide / steep)), least = INFINITY;
    double start0 = fmax(g->other.found, k0 - wide);
    double *values0 = values + capacity / 2;
    int64_t n1 = table_of(&g->one, first, 4 * g->bar, values, (int64_t)(last - first) + 1);
    int64_t n0 = table_of(&g->other, start0, 4 * g->bar, values0, capacity / 2);
    for (int64_t i = 0, j = n0 - 1; i < n1 && values[i] < 4 * g->bar; i++) {
        double most = most_evidence(g->bar, values[i]);
        while (j > 0 && values0[j] >= most)
            j--;
        if (values0[j] < most)
            least = fmin(least, goal_at(g, first + (double)i, start0 + (double)j));
    }
    return least;
}

typedef struct {
    double low, high, k0_low; /* t, and K0 on the edge at the low end */
} cell;

/* The least goal with t from low to high, or by a part of 1e-6 less: between two points of the edge
 * the goal is at least that of the larger t with the larger K0, and t is halved where that is less
 * than a goal that was found. No more is assumed than that evidence rises. */
static double least_by_cells(const pair_goal *g, double low, double high, double least)
{
    cell open[MOST_DEPTH];
    edge_pair edge = edge_at(g, low);
    least = fmin(least, fmin(edge.goal, edge_at(g, high).goal));
    double bound = least;
    int n_open = 0, n_seen = 0;
    open[n_open++] = (cell){low, high, edge.k0};
    while (n_open > 0) {
        cell c = open[--n_open];
        double at_least = goal_at(g, c.high, c.k0_low);
        if (c.high - c.low <= 1 || at_least >= least)
            continue;
        if (at_least >= least - CLOSE * fabs(least) || n_seen >= MOST_CELLS) {
            bound = fmin(bound, at_least);
            continue;
        }
        double middle = floor(c.low + (c.high - c.low) / 2);
        edge = edge_at(g, middle);
        n_seen++;
        least = fmin(least, edge.goal);
        open[n_open++] = (cell){c.low, middle, c.k0_low};
        open[n_open++] = (cell){middle, c.high, edge.k0};
    }
    return fmin(bound, least);
}

/* The least goal with t from low to high, where both evidences are SMOOTH_FROM at least
 * and the pairs that are left convex, so that the goal has one minimum on the edge: the sign of its
 * slope brackets it. Counts are whole, so all pairs around it are compared. */
static double least_by_slope(const pair_goal *g, double low, double high, double least,
                             double *values, int64_t capacity)
{
    double a = low, b = high;
    while (b - a > 1) {
        double t = floor(a + (b - a) / 2);
        edge_pair edge = edge_at(g, t);
        least = fmin(least, edge.goal);
        if (edge.is_falling)
            a = t;
        else
            b = t;
    }
    return fmin(least, least_near(g, a, low, high, values, capacity));
}

/* For priors with much weight at an end, and where a sample cannot refuse that all the rest is
 * relevant, the pairs that are left need not be convex. */
static int is_convex(const anytime_sample *s, double bar)
{
    int is_usual = s->a == s->b && (s->a == 0.5 || s->a == 1);
    return is_usual && anytime_log_evidence(s, anytime_most(s)) >= log(4 * bar);
}

/* Beyond the tables. */
static double least_of_many(const pair_goal *g, double low, double high, double *values,
                            int64_t capacity)
{
    double log_last = log(most_evidence(g->bar, SMOOTH_FROM)), least = INFINITY;
    double first = fmin(high, fmax(low, anytime_upper(&g->one, log(SMOOTH_FROM))));
    double last = fmax(first, fmin(high, anytime_upper(&g->one, log_last)));
    /* up to here the other sample can have only relevant documents left */
    double e0 = exp(anytime_log_evidence(&g->other, anytime_most(&g->other)));
    double corner = most_evidence(g->bar, e0);
    corner = corner > 0 ? fmin(high, anytime_upper(&g->one, log(corner))) : low;
    if (corner > low)
        least = fmin(edge_at(g, low).goal, edge_at(g, corner).goal);
    low = fmax(low, corner);
    first = fmax(first, low);
    last = fmax(last, low);
    least = least_by_slope(g, first, last, least, values, capacity / 4);
    int is_fine = g->is_sum || g->one.size - high >= FEW_LEFT;
    if (!is_fine || !is_convex(&g->one, g->bar) || !is_convex(&g->other, g->bar))
        return least_by_cells(g, low, high, least);
    least = least_by_cells(g, low, first, least);
    return least_by_cells(g, last, high, least);
}

/* The goal with t from start1 on. */
static double least_from(const pair_goal *g, double start1, double *values, int64_t capacity)
{
    double start0 = anytime_upper(&g->other, log(LITTLE));
    int is_done = 0;
    double least = least_by_tables(g, start1, start0, values, capacity, &is_done);
    if (!is_done)
        least = least_of_many(g, start1, anytime_upper(&g->one, log(4 * g->bar)), values, capacity);
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
