#include "anytime.h"

#include <float.h>
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

/* Each value at most those that follow. A pair that this adds has a larger t or K0 that is left
 * too, and a larger goal. */
static void make_rising(double *value, int64_t n)
{
    for (int64_t i = n - 1; i > 0; i--)
        value[i - 1] = fmin(value[i - 1], value[i]);
}

/* 1 - 0.8 is not quite 1/5: evidence within this part of 1/alpha has reached it. */
static const double EQUAL = 1 - 1e-12;

/* How near the bound is to the least, and the cells that are halved for that: some 1000, 10 ms. */
static const double CLOSE = 1e-5;
enum { MOST_CELLS = 4000 };

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
    make_rising(values, n1);
    make_rising(values0, n0);
    for (int64_t i = 0, j = n0 - 1; i < n1 && values[i] < 4 * g->bar; i++) {
        double most = most_evidence(g->bar, values[i]);
        while (j > 0 && values0[j] >= most)
            j--;
        least = fmin(least, goal_at(g, start1 + (double)i, start0 + (double)j));
    }
    return least;
}

/* No K0 above this is left with t or more, which it is known to be from low to high. */
static double edge_at(const pair_goal *g, double t, double low, double high)
{
    anytime_evidence one = anytime_evidence_at(&g->one, t);
    double e1 = evidence_value(&one);
    if (e1 < 1 && !evidence_rises(&g->one))
        e1 = 0;
    double log_most = log(fmax(DBL_MIN, most_evidence(g->bar, e1)));
    if (!evidence_rises(&g->other))
        log_most = fmax(0, log_most);
    double k0 = anytime_upper_between(&g->other, log_most, low, high + 1, low + (high - low) / 2);
    return fmin(k0, high);
}

/* All t between low and high, with no K0 above the edge at the low end. */
typedef struct {
    double low, high, k0_low, k0_high;
} cell;

static double least_in(const pair_goal *g, const cell *c)
{
    return c->high - c->low > 1 ? goal_at(g, c->high - 1, c->k0_low) : INFINITY;
}

/* The least goal with t from low to high, or by a part of CLOSE less. All cells that may have less
 * are halved, until none is left. Nothing is assumed but that evidence rises, so this is never
 * above the least; with too many cells it is further below. */
static double least_by_cells(const pair_goal *g, double low, double high, double *values,
                             int64_t capacity)
{
    cell *cells = (cell *)values;
    int64_t room = capacity / 4, n = 1, n_seen = 0;
    double found = g->other.found, last = anytime_most(&g->other);
    cells[0] = (cell){low, high, edge_at(g, low, found, last), found};
    cells[0].k0_high = edge_at(g, high, found, cells[0].k0_low);
    double least = fmin(goal_at(g, low, cells[0].k0_low), goal_at(g, high, cells[0].k0_high));
    double bound = INFINITY;
    while (n > 0) {
        int64_t n_open = 0;
        for (int64_t i = 0; i < n; i++) {
            double at_least = least_in(g, &cells[i]);
            if (at_least < least - CLOSE * fabs(least))
                cells[n_open++] = cells[i];
            else
                bound = fmin(bound, at_least);
        }
        n = n_open;
        if (2 * n > room || n_seen + n > MOST_CELLS)
            break;
        for (int64_t i = 0; i < n_open; i++) {
            cell c = cells[i];
            double t = floor(c.low + (c.high - c.low) / 2);
            double k0 = edge_at(g, t, c.k0_high, c.k0_low);
            least = fmin(least, goal_at(g, t, k0));
            cells[i] = (cell){c.low, t, c.k0_low, k0};
            cells[n++] = (cell){t, c.high, k0, c.k0_high};
        }
        n_seen += n_open;
    }
    for (int64_t i = 0; i < n; i++)
        bound = fmin(bound, least_in(g, &cells[i]));
    return fmin(bound, least);
}

/* The goal with t from start1 on. */
static double least_from(const pair_goal *g, double start1, double *values, int64_t capacity)
{
    double start0 = anytime_upper(&g->other, log(LITTLE));
    int is_done = 0;
    double least = least_by_tables(g, start1, start0, values, capacity, &is_done);
    if (!is_done)
        least =
            least_by_cells(g, start1, anytime_upper(&g->one, log(4 * g->bar)), values, capacity);
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
