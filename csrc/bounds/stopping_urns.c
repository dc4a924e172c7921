/* BUSCAR's rule: the least probability over urns. The contract is in stopping_urns.h. */

#include "bounds/stopping_urns.h"

#include <math.h>

#include "distributions/hypergeometric.h"

/* A step's rounding, six operations of 2^-53, may go one way: after 1,024 steps 7e-13 of the
 * largest value since the sum. A value that fell to a quarter of that is summed anew, if it
 * matters. */
enum { STEPS_BETWEEN_SUMS = 1024 };
static const double ROUNDING = 1e-12, FALLEN = 0.25, SMALLEST = 1e-280;
/* Steps of the total that cost as much as a sum. */
static const double MOST_RISES = 64;

urn_tail urn_tail_at(const review_state *now, double start, double start_found, work_watch *watch)
{
    double missed = now->total - now->found, drawn = now->read - start;
    double found = now->found - start_found;
    hypergeometric h;
    hypergeometric_set(&h, now->population - start, missed + found, drawn);
    h.watch = watch;
    return (urn_tail){hypergeometric_value(&h, HYPERGEOMETRIC_CDF, found, 0),
                      hypergeometric_value(&h, HYPERGEOMETRIC_PMF, found, 0)};
}

void urn_curve_set(urn_curve *curve, double population, double total)
{
    curve->now = (review_state){population, 0, 0, total};
    curve->n_urns = 1;
    curve->start[0] = curve->start_others[0] = 0;
    curve->below[0] = curve->point[0] = curve->peak[0] = 1;
    curve->steps = curve->least = 0;
    curve->after_relevant = 0;
    curve->is_certain = total > population;
    curve->watch = 0;
}

static void sum_urn(urn_curve *c, int64_t j)
{
    double start = c->start[j];
    urn_tail tail = urn_tail_at(&c->now, start, start - c->start_others[j], c->watch);
    c->below[j] = c->peak[j] = tail.below;
    c->point[j] = tail.point;
}

static void sum_all(urn_curve *c)
{
    for (int64_t j = 0; j < c->n_urns; j++)
        sum_urn(c, j);
    c->steps = 0;
}

/* X_(i+1) is X_i or one more, with probability (c + k - X_i)/u. */
static void read_irrelevant(urn_curve *c)
{
    double unread = c->now.population - c->now.read, missed = c->now.total - c->now.found;
    double lost = missed / unread, kept = (unread - missed) / unread;
    double read = c->now.read + 1, others = read - c->now.found;
    for (int64_t j = 0; j < c->n_urns; j++) {
        c->below[j] -= c->point[j] * lost;
        c->point[j] *= kept * (read - c->start[j]) / (others - c->start_others[j]);
    }
    c->now.read = read;
    if (!c->after_relevant)
        return;
    int64_t j = c->n_urns++;
    c->start[j] = read - 1;
    c->start_others[j] = others - 1;
    c->below[j] = c->point[j] = c->peak[j] = kept;
}

/* The same for P(X <= k + 1); then the total rises. */
static void read_relevant(urn_curve *c, double total)
{
    double unread = c->now.population - c->now.read, missed = c->now.total - c->now.found;
    double rises = total - c->now.total, others = c->now.read - c->now.found;
    double again = missed / unread, last = 1 - (missed - 1) / unread;
    c->now.read++;
    c->now.found++;
    c->now.total = total;
    if (rises > MOST_RISES) {
        sum_all(c);
        return;
    }
    for (int64_t j = 0; j < c->n_urns; j++) {
        double found = c->now.found - (c->start[j] - c->start_others[j]);
        double in_urn = others - c->start_others[j];
        double next = c->point[j] * missed / found * in_urn / (unread - missed + 1);
        c->below[j] += next * last;
        c->peak[j] = c->below[j] > c->peak[j] ? c->below[j] : c->peak[j];
        c->point[j] = c->point[j] * again + next * last;
        double left = missed - 1, spare = unread - missed; /* unread: relevant, and others */
        for (double rise = 0; rise < rises; rise++, left++, spare--) {
            double all_others = spare + in_urn;
            c->below[j] -= c->point[j] * in_urn / all_others;
            c->point[j] *= (left + found + 1) / (left + 1) * (spare / all_others);
        }
        if (c->point[j] < SMALLEST)
            sum_urn(c, j);
    }
}

/* The least p: urns that may hold it are summed anew where digits could be lost. */
static double least_of_all(urn_curve *c)
{
    double best = INFINITY;
    int64_t where = c->least;
    for (int64_t turn = -1; turn < c->n_urns; turn++) {
        int64_t j = turn < 0 ? c->least : turn; /* the last one first: few others pass */
        if (c->below[j] - 2 * ROUNDING * c->peak[j] >= best)
            continue;
        if (c->below[j] < FALLEN * c->peak[j])
            sum_urn(c, j);
        if (c->below[j] < best) {
            best = c->below[j];
            where = j;
        }
    }
    c->least = where;
    return best < 1 ? best : 1;
}

void urn_curve_follow(urn_curve *curve, const uint8_t *label, int64_t n, const double *total,
                      double *least, double *start)
{
    for (int64_t i = 0; i < n; i++) {
        double found = curve->now.found + (label[i] != 0);
        double missed = total[(int64_t)found] - found;
        if (curve->is_certain || missed > curve->now.population - curve->now.read - 1) {
            curve->is_certain = 1;
            curve->now.read++;
            curve->now.found = found;
            least[i] = start[i] = 0;
            continue;
        }
        if (label[i])
            read_relevant(curve, total[(int64_t)found]);
        else
            read_irrelevant(curve);
        curve->after_relevant = label[i] != 0;
        if (++curve->steps >= STEPS_BETWEEN_SUMS)
            sum_all(curve);
        least[i] = least_of_all(curve);
        start[i] = curve->start[curve->least];
        if (watch_stops(curve->watch, 2 * curve->n_urns))
            return;
    }
}
