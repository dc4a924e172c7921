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
