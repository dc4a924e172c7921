/* Exponential lower bound on recall, F or the yield, from any number of strata.
 * The contract is in exponential_bound.h. */

#include "bounds/exponential_bound.h"

#include <math.h>

/* Rejecting below q.  Let lambda and nu reject at q, and q' < q.  Scale them so that lambda A stays
 * as it is; then lambda B, nu B and -nu C become smaller in size, as B/A and C/A fall with q (they
 * do for recall, F and the yield, and for what is left of them).  The terms of group 0 stay.  Those
 * of group 1, g(b) = b R1^ + sum of max [log M(-b w; R) + c b R] with R1^ = sum of w r, are at
 * least 0 (take R = w r: log M is at least the mean), 0 at b = 0, and at most t g(b) at t b, 0 <= t
 * <= 1, as each logarithm is convex in its argument, and the least of them is below its chords from
 * 0.  So the sum falls, and lambda and nu so scaled reject at q'. */

typedef struct {
    double gain, loss, constant; /* A, B, C */
} direction;

static direction direction_at(const share_measure *m, double q)
{
    direction d = {(1 - q) * m->gain[0] - q * m->loss[0], (1 - q) * m->gain[1] - q * m->loss[1],
                   (1 - q) * m->gain[2] - q * m->loss[2]};
    return d;
}

/* max over R from least to most of log M(t; R) - slope R, and where; INFINITY, which never rejects,
 * for huge t. */
static double greatest(double size, double sampled, double least, double most, double t,
                       double slope, double *where)
{
    *where = least;
    if (!(fabs(t) < 600))
        return INFINITY;
    double share = sampled / size, rise = expm1(t), fall = expm1(-t);
    double by_relevant = log1p(share * rise),
           by_others = log1p(share * fall); /* a document more, at either end */
    double R;
    if (by_relevant <= slope)
        R = least;
    else if (-by_others >= slope)
        R = most;
    else if (2 * sampled <= size)
        R = fmin(size - sampled, fmax(sampled, sampled / slope - size / rise));
    else
        R = (sampled * t + size * by_others) / (by_relevant + by_others);
    R = fmin(most, fmax(least, R));
    *where = R;
    double value = fmin(R * by_relevant, sampled * t + (size - R) * by_others);
    if (R > sampled && size - R > sampled)
        value = sampled * log1p(R / size * rise);
    return value - slope * R;
}

/* The bound on log P(D >= d), and its derivative by nu. */
static double log_bound(const strata_search *s, const direction *d, double lambda, double nu,
                        double *derivative)
{
    double sum = -nu * d->constant, by_nu = -d->constant;
    for (int64_t h = 0; h < s->n_strata; h++) {
        double a = s->group[h] == 0 ? d->gain : d->loss, R;
        double t = lambda * a * (s->size[h] / s->sampled[h]);
        sum += greatest(s->size[h], s->sampled[h], s->seen[h],
                        s->size[h] - s->sampled[h] + s->seen[h], t, nu * a, &R);
        sum -= t * s->seen[h];
        by_nu -= a * R;
    }
    *derivative = by_nu;
    return sum;
}

enum { NU_STEPS = 40, LAMBDA_STEPS = 40, VALUE_STEPS = 45, MOST_RANGES = 12 };

/* Least over nu: the sum is convex in it, and lambda is near the best. */
static double least_over_nu(const strata_search *s, const direction *d, double lambda)
{
    double low = 0, high = 2 * lambda, derivative,
           best = log_bound(s, d, lambda, lambda, &derivative);
    while (log_bound(s, d, lambda, high, &derivative) < best && derivative < 0
           && high < 64 * lambda)
        high *= 2;
    for (int i = 0; i < NU_STEPS; i++) {
        double middle = (low + high) / 2, value = log_bound(s, d, lambda, middle, &derivative);
        best = fmin(best, value);
        if (derivative < 0)
            low = middle;
        else
            high = middle;
    }
    watch_stops(s->watch, 40 * NU_STEPS * s->n_strata);
    return best;
}

/* Least over log lambda by golden sections, from `around` on, which becomes the best.  The sum is
 * infinite for lambda too large, so there the search goes down. */
static double least_over_lambda(const strata_search *s, const direction *d, double wanted,
                                double *around, double width)
{
    const double golden = 0.6180339887498949;
    double low = *around - width, high = *around + width;
    double one = high - golden * (high - low), other = low + golden * (high - low);
    double at_one = least_over_nu(s, d, exp(one)), at_other = least_over_nu(s, d, exp(other));
    for (int i = 0; i < LAMBDA_STEPS; i++) {
        if (fmin(at_one, at_other) < wanted || high - low < 1e-4)
            break;
        if (at_one < at_other || at_one == INFINITY) {
            high = other;
            other = one;
            at_other = at_one;
            one = high - golden * (high - low);
            at_one = least_over_nu(s, d, exp(one));
        } else {
            low = one;
            one = other;
            at_one = at_other;
            other = low + golden * (high - low);
            at_other = least_over_nu(s, d, exp(other));
        }
    }
    *around = at_one < at_other || at_one == INFINITY ? one : other;
    return fmin(at_one, at_other);
}

/* Whether q is rejected.  The best lambda of one q may lie far from that of the last: the search
 * goes on beyond an end of its range as long as the best lies there. */
static int rejects(const strata_search *s, double q, double *around, double width)
{
    const double wanted = log(s->alpha) - 1e-9; /* for rounding */
    direction d = direction_at(&s->measure, q);
    for (int i = 0; i < MOST_RANGES; i++) {
        double start = *around;
        if (least_over_lambda(s, &d, wanted, around, width) < wanted)
            return 1;
        if (fabs(*around - start) < 0.99 * width)
            return 0;
    }
    return 0;
}

/* The measure at estimated yields, and at the worst that are possible; and a standard deviation of
 * D at the estimate. */
static void starting_values(const strata_search *s, double *worst, double *likely,
                            double *deviation)
{
    double yields[2] = {0, 0}, ends[2] = {0, 0}, variances[2] = {0, 0};
    for (int64_t h = 0; h < s->n_strata; h++) {
        double size = s->size[h], n = s->sampled[h], p = (s->seen[h] + 1) / (n + 2);
        int64_t group = s->group[h];
        yields[group] += size / n * s->seen[h];
        ends[group] += group == 0 ? s->seen[h] : size - n + s->seen[h];
        variances[group] += size * (size - n) / n * p * (1 - p);
    }
    *worst = measure_at(&s->measure, ends[0], ends[1]);
    *likely = measure_at(&s->measure, yields[0], yields[1]);
    direction d = direction_at(&s->measure, *likely);
    *deviation = sqrt(d.gain * d.gain * variances[0] + d.loss * d.loss * variances[1]);
}

double exponential_least(const strata_search *s)
{
    double worst, likely, deviation;
    starting_values(s, &worst, &likely, &deviation);
    if (!(likely > worst) || !(deviation > 0))
        return worst;
    const double furthest = 40; /* log odds that make no difference to 0 or 1 */
    double low = fmax(-furthest, log(worst / (1 - worst))),
           high = fmin(furthest, log(likely / (1 - likely)));
    double around = log(2.5 / deviation), width = 4;
    int is_first = 1;
    for (int i = 0;
         i < VALUE_STEPS && high - low > 1e-9 && !(s->watch != 0 && s->watch->is_stopped); i++) {
        double middle = (low + high) / 2, start = around;
        if (rejects(s, 1 / (1 + exp(-middle)), &start, width)) {
            low = middle;
            is_first = 0;
        } else {
            high = middle;
        }
        around = start;
        width = 1.5;
    }
    return is_first ? worst : fmax(worst, 1 / (1 + exp(-low)));
}
