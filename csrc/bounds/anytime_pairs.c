/* Any-time bounds from the samples of two segments. The contract is in anytime.h. */

#include "bounds/anytime.h"

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

/* How near the bound is to the least: within CLOSE by the width of cells and NEAR by that of edges.
 * Where the goal is nearly the same over wide ranges, that takes thousands of edges, of some 3 µs.
 * After EDGES of them CLOSE grows with the fourth power of their number. No more edges are sought
 * than MOST_EDGES. */
static const double CLOSE = 1e-5, MOST_CLOSE = 1e-2;
static const double NEAR = 1e-6, NEAR_BAR = 1.01, HALF_NEAR_BAR = 5e-3;

/* A rise of e by a smaller part is lost in rounding. */
static const double LEAST_RISE = 1e-14;
enum { EDGES = 160, MOST_EDGES = 8192 };

/* Cells of more steps than this are halved first; so are those around a wrong first guess. */
enum { MOST_STEPS = 64, MOST_GUESSES = 10, MOST_OPEN = 64, MOST_NEWTON = 12, MOST_MIXED = 16 };

/* Evidence up to here seldom counts: tables begin with it, but where all counts fit. */
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

/* The t up to which the goal with k0 is at least `least`. */
static double t_up_to(const pair_goal *g, double least, double k0)
{
    if (g->is_sum)
        return floor(-least - k0);
    return least < 1 ? floor(g->one.size - least * k0 / (1 - least)) : 0;
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

/* e at a count, with 1/r, r = prior(t)/prior(K < t). Where it has no slope nothing but that it
 * rises is used. */
typedef struct {
    double e, inverse_r;
    int has_slope;
} evidence_point;

static evidence_point point_of(const anytime_sample *s, const anytime_evidence *e)
{
    return (evidence_point){evidence_value(e), e->prior, s->a <= 1 && s->b <= 1 && e->trust == 1};
}

/* No K0 above k0 is left with t or more. The slope of k0 is for guesses only. */
typedef struct {
    double t, k0, slope;
    evidence_point one, other; /* at t and at k0 */
} edge;

/* The edge at t, k0 known to be from low to high, with a first guess. The one returned is next to
 * the true one, or above it by a part of NEAR. */
static edge edge_at(const pair_goal *g, double t, double low, double high, double k0)
{
    anytime_evidence one = anytime_evidence_at(&g->one, t), other;
    evidence_point at_t = point_of(&g->one, &one), at_k0 = {0, 0, 0};
    double e1 = at_t.e;
    int is_found = 0;
    evidence_step(&one);
    double rise1 = evidence_value(&one) - e1, rise0 = INFINITY, most = 0;
    if (e1 < 1 && !evidence_rises(&g->one))
        e1 = rise1 = 0;
    most = fmax(DBL_MIN, most_evidence(g->bar, e1));
    if (!evidence_rises(&g->other))
        most = fmax(1, most);
    for (int i = 0; high > low; i++) {
        if (i >= MOST_NEWTON && high - low < NEAR / 2 * low)
            break;
        if (i >= MOST_NEWTON && (i % 2 == 1 || i >= MOST_MIXED))
            k0 = low + (high - low) / 2;
        k0 = fmin(high - 1, fmax(low, floor(k0)));
        other = anytime_evidence_at(&g->other, k0);
        at_k0 = point_of(&g->other, &other);
        double now = at_k0.e;
        evidence_step(&other);
        double next = evidence_value(&other), step = log(most / now) / log(next / now);
        rise0 = next - now;
        if (next < most)
            low = k0 + 1;
        else
            high = k0;
        int has_slope = rise0 > LEAST_RISE * now && next < INFINITY;
        double ahead = fmin(NEAR / 2 * k0, HALF_NEAR_BAR / log(next / now));
        int is_near = now < NEAR_BAR * most && has_slope && 1 - step < NEAR * k0;
        is_found = next >= most && (now < most || is_near);
        if (is_found)
            break;
        k0 = has_slope ? newton_step(&g->other, k0, step + ahead) : low + (high - low) / 2;
    }
    if (!is_found) {
        other = anytime_evidence_at(&g->other, high);
        at_k0 = point_of(&g->other, &other);
    }
    double slope = -rise1 * (0.25 + most / 2) / (rise0 * (0.25 + e1 / 2));
    return (edge){t, high, slope < 0 ? slope : 0, at_t, at_k0};
}

/* All t between those of two edges. */
typedef struct {
    edge low, high;
} cell;

static double least_in(const pair_goal *g, const cell *c)
{
    return c->high.t - c->low.t > 1 ? goal_at(g, c->high.t - 1, c->low.k0) : INFINITY;
}

/* The least slope of log e between two counts, for a, b <= 1.  With L_t = L(t)/L(t+1) and
 * r_t = prior(t)/prior(K < t),
 *
 *     e_{t+1}/e_t = L_t (1 - (1 - 1/e_t) r_t/(1 + r_t)),
 *     L_t = (t+1-k)/(t+1) (N-t)/(N-n-t+k).
 *
 * L_t rises with t, and prior(t+1)/prior(t) does for a, b <= 1.  As r_{t+1} is that ratio times
 * r_t/(1 + r_t), once r rises it does not fall again, so from t1 to t2 it is at most the larger of
 * its values at both ends.  log e is then nowhere below a straight line through t1 with the slope
 * of L_{t1}, this r and e_{t2}. */
static double least_slope(const anytime_sample *s, double t, const evidence_point *from,
                          const evidence_point *to)
{
    double inverse_r = fmin(from->inverse_r, to->inverse_r);
    double log_ratio = log1p(-s->found / (t + 1));
    log_ratio -= log1p(-(s->sampled - s->found) / (s->size - t));
    return log_ratio + log1p(-fmax(0, 1 - 1 / to->e) / (1 + inverse_r));
}

/* The least goal in a cell with evidence that rises exponentially by the least slopes: log (e1/4 +
 * e0/4 + e1 e0/2) is then convex in t and K0, and nowhere below its tangent in the middle. */
static double least_by_tangent(const pair_goal *g, const cell *c)
{
    const edge *low = &c->low, *high = &c->high;
    if (!(low->one.has_slope && high->one.has_slope && low->other.has_slope && high->other.has_slope
          && high->one.e < INFINITY && low->other.e < INFINITY))
        return -INFINITY;
    double slope1 = least_slope(&g->one, low->t, &low->one, &high->one);
    double slope0 = least_slope(&g->other, high->k0, &high->other, &low->other);
    if (!(slope1 > 0 && slope0 > 0 && low->one.e > 0 && high->other.e > 0))
        return -INFINITY;
    double t = low->t + (high->t - low->t) / 2, k0 = high->k0 + (low->k0 - high->k0) / 2;
    double e1 = low->one.e * exp(slope1 * (t - low->t));
    double e0 = high->other.e * exp(slope0 * (k0 - high->k0));
    double value = e1 / 4 + e0 / 4 + e1 * e0 / 2, left = log(g->bar / value);
    slope1 *= e1 * (0.25 + e0 / 2) / value;
    slope0 *= e0 * (0.25 + e1 / 2) / value;
    double last_k0 = k0 + (left - slope1 * (high->t - t)) / slope0;
    double last_t = t + (left - slope0 * (low->k0 - k0)) / slope1;
    last_k0 = fmin(low->k0, fmax(high->k0, last_k0));
    last_t = fmin(high->t, fmax(low->t, last_t));
    return fmin(goal_at(g, high->t, last_k0), goal_at(g, last_t, low->k0));
}

/* The edge within a cell, at first guessed by the cubic through both of its edges. */
static edge edge_in(const pair_goal *g, const cell *c, double t)
{
    double width = c->high.t - c->low.t, x = (t - c->low.t) / width, y = 1 - x;
    double k0 = c->low.k0 * y * y * (1 + 2 * x) + c->high.k0 * x * x * (1 + 2 * y)
                + width * x * y * (c->low.slope * y - c->high.slope * x);
    return edge_at(g, t, c->high.k0, c->low.k0, k0);
}

/* An edge near the least goal, where the goal neither falls nor rises. */
static edge best_edge(const pair_goal *g, cell c)
{
    double below = -INFINITY, above = INFINITY;
    edge best = goal_at(g, c.low.t, c.low.k0) < goal_at(g, c.high.t, c.high.k0) ? c.low : c.high;
    for (int i = 0; i < MOST_GUESSES && c.high.t - c.low.t > 2; i++) {
        double share = i % 3 < 2 && above - below < INFINITY ? -below / (above - below) : 0.5;
        double width = c.high.t - c.low.t;
        share = fmin(0.95, fmax(0.05, share));
        edge now = edge_in(g, &c, floor(c.low.t + fmax(1, share * width)));
        if (goal_at(g, now.t, now.k0) < goal_at(g, best.t, best.k0))
            best = now;
        double fall = g->is_sum ? 1 : now.k0 / (g->one.size - now.t);
        double rising = log(-now.slope / fall); /* of the goal, if above 0 */
        if (rising > 0)
            c.high = now, above = rising;
        else
            c.low = now, below = rising;
        if (fabs(rising) < 1e-2)
            break;
    }
    return best;
}

/* The least goal with t from low to high, or by a part of CLOSE less. Cells begin with the one
 * next to `low`, whose K0 is about top0. As far as the goal with its k0 is at least that, a cell is
 * done; the rest begins with the edge there. Nothing is assumed but that evidence rises, so this is
 * never above the least; with many edges it is further below. */
static double least_by_cells(const pair_goal *g, double low, double high, double top0)
{
    double found = g->other.found, last = anytime_most(&g->other), bound = INFINITY;
    cell cells[MOST_OPEN];
    edge first = edge_at(g, low, found, last, top0);
    edge end = edge_at(g, high, found, first.k0, found);
    edge best = best_edge(g, (cell){first, end});
    int n = 0, n_edges = 0;
    double least = fmin(goal_at(g, best.t, best.k0), goal_at(g, low, first.k0));
    least = fmin(least, goal_at(g, high, end.k0));
    cells[n++] = (cell){best, end};
    cells[n++] = (cell){first, best};
    while (n > 0 && n_edges++ < MOST_EDGES) {
        cell *c = &cells[n - 1];
        double many = fmax(1, n_edges / (double)EDGES), close = CLOSE * pow(many, 4);
        double at_least = least - fmin(close, MOST_CLOSE) * fabs(least);
        double t = 1 + t_up_to(g, at_least, c->low.k0);
        double width = c->high.t - c->low.t, by_tangent = least_by_tangent(g, c);
        if (width <= 1 || t >= c->high.t || by_tangent >= at_least) {
            bound = fmin(bound, fmax(by_tangent, least_in(g, c)));
            n--;
            continue;
        }
        int is_step = !(by_tangent > -INFINITY) && t > c->low.t;
        is_step = is_step && width <= MOST_STEPS * (t - c->low.t);
        if (!is_step && n < MOST_OPEN)
            t = floor(c->low.t + width / 2);
        t = fmax(c->low.t + 1, t);
        edge now = edge_in(g, c, t);
        cell rest = {now, c->high};
        least = fmin(least, goal_at(g, now.t, now.k0));
        c->high = now;
        if (is_step || n == MOST_OPEN) {
            bound = fmin(bound, least_in(g, c));
            *c = rest;
        } else {
            cells[n] = *c;
            *c = rest;
            n++;
        }
    }
    while (n > 0)
        bound = fmin(bound, least_in(g, &cells[--n]));
    return fmin(bound, least);
}

/* The goal with t from start1 on, and up to top1, where evidence against t alone is enough. */
static double least_from(const pair_goal *g, double start1, double top1, double top0,
                         double *values, int64_t capacity)
{
    double start0 = g->other.found, room = (double)(capacity / 2) - 3;
    if (top0 - start0 >= room)
        start0 = anytime_upper(&g->other, log(LITTLE));
    int is_done = 0;
    double least = INFINITY;
    if (fmax(top1 - start1, top0 - start0) < room)
        least = least_by_tables(g, start1, start0, values, capacity, &is_done);
    return is_done ? least : least_by_cells(g, start1, top1, top0);
}

/* Below start1 there is little evidence: with none at all the goal would be `without` at least. */
static double least_goal(const pair_goal *g, double *values, int64_t capacity)
{
    double start1 = anytime_upper(&g->one, log(LITTLE)), first = g->one.found;
    double top1 = anytime_upper(&g->one, log(4 * g->bar));
    double top0 = anytime_upper(&g->other, log(4 * g->bar));
    double least = least_from(g, start1, top1, top0, values, capacity);
    double without = fmin(least, goal_at(g, start1, top0));
    if (without >= least || start1 <= first)
        return without;
    without = goal_at(g, first, top0);
    return fmin(without, fmin(least, least_from(g, first, top1, top0, values, capacity)));
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
