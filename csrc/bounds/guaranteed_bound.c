/* Guaranteed lower bound on recall, F or the yield: an inverted test.
 * The contract is in guaranteed_bound.h. The file is longer than 400 lines because all questions
 * share one search. */

#include "bounds/guaranteed_bound.h"

#include <math.h>

/* Tails are cut where less than this part of alpha is left. */
static const double TAIL = 0x1p-47;

static void set_group(bound_search *s, int which, double relevant)
{
    count_tails_set(&s->tails[which], &s->group[which], relevant, which == 0, TAIL * s->alpha,
                    s->watch);
}

/* ---- Order of the samples
 * ---------------------------------------------------------------------------------------- */

enum { MOST_BLOCKS = 8192, FINE_BLOCKS = 6144 };

int64_t guaranteed_most_blocks(void)
{
    return MOST_BLOCKS;
}

double measure_at(const share_measure *m, double r0, double r1)
{
    double gain = m->gain[0] * r0 + m->gain[1] * r1 + m->gain[2];
    double loss = m->loss[0] * r0 + m->loss[1] * r1 + m->loss[2];
    return gain + loss > 0 ? gain / (gain + loss) : 1;
}

/* gain(R1) (1 - q) - loss(R1) q = at - slope R1, which is where the measure at r0 passes q. */
static void line_of(const share_measure *m, double r0, double q, double *at, double *slope)
{
    *at = (1 - q) * (m->gain[0] * r0 + m->gain[2]) - q * (m->loss[0] * r0 + m->loss[2]);
    *slope = q * m->loss[1] - (1 - q) * m->gain[1];
}

/* Wilson's limit for a share, lower (sign -1) or upper (sign 1). */
static double wilson(double x, double n, double z, double sign)
{
    if (n == 0)
        return sign < 0 ? 0 : 1;
    double square = z * z, root = z * sqrt(x * (1 - x / n) + square / 4);
    return fmin(1, fmax(0, (x + square / 2 + sign * root) / (n + square)));
}

/* The part of the variance that remains in a finite population. */
static double finite_z(const sampled_group *g, double z)
{
    return group_size(g) > 0 ? z * sqrt(1 - group_sample(g) / group_size(g)) : 0;
}

/* The last x whose upper limit is at most p, which is the score test solved for x; -1 where none
 * is. */
static double last_below(double p, double n, double z)
{
    if (p >= 1)
        return n;
    if (n == 0 || p < wilson(0, n, z, 1) * (1 - 1e-12))
        return -1;
    double x = n * p - z * sqrt(n * p * (1 - p));
    return fmin(n, floor(fmax(0, x) * (1 + 1e-12) + 1e-9));
}

/* The last S1 with which S0 = x is as high as the value t. */
static double stair_at(const bound_search *s, double x, double t)
{
    const sampled_group *one = &s->group[0], *other = &s->group[1];
    double at, slope;
    line_of(&s->measure, group_size(one) * wilson(x, group_sample(one), finite_z(one, s->z), -1), t,
            &at, &slope);
    if (slope <= 0)
        return at >= 0 ? group_sample(other) : -1;
    if (group_size(other) == 0)
        return at >= 0 ? 0 : -1;
    return last_below(at / slope / group_size(other), group_sample(other), finite_z(other, s->z));
}

/* All counts one by one where they are few.  Else those within 16 standard deviations of the one
 * seen, in blocks of 1/190 of one, and the rest in two: yields that would lead there are rejected
 * long before.  A block has the stair of its last count, so that its samples count as high too
 * often, if at all. */
static void set_blocks(bound_search *s)
{
    double n = group_sample(&s->group[0]), seen = s->seen[0], from = 0, to = n, step = 1;
    int64_t k = 0;
    if (n >= MOST_BLOCKS) {
        double half = 16 * sqrt(fmin(seen, n - seen) + 64);
        step = ceil(2 * half / FINE_BLOCKS);
        from = fmax(0, seen + 1 - step * floor(half / step));
        to = fmin(n, seen + half);
    }
    if (from > 0)
        s->start[k++] = 0;
    for (double x = from; x <= to; x += step)
        s->start[k++] = x;
    s->start[k] = n + 1;
    s->n_blocks = k;
}

static void set_stairs(bound_search *s)
{
    const sampled_group *one = &s->group[0], *other = &s->group[1];
    double low = group_size(one) * wilson(s->seen[0], group_sample(one), finite_z(one, s->z), -1);
    double high =
        group_size(other) * wilson(s->seen[1], group_sample(other), finite_z(other, s->z), 1);
    double t = measure_at(&s->measure, low, high), before = -1;
    set_blocks(s);
    for (int64_t i = 0; i < s->n_blocks; i++) {
        double last = s->start[i + 1] - 1, stair = fmax(before, stair_at(s, last, t));
        before = s->stair[i] = last >= s->seen[0] ? fmax(stair, s->seen[1]) : stair;
    }
}

/* ---- Probability of the high samples
 * ----------------------------------------------------------------------------- */

/* The last block below which P(S0 >= start) is 1. */
static int64_t first_block(const bound_search *s)
{
    double x = count_tails_certain(&s->tails[0]);
    int64_t low = 0, high = s->n_blocks;
    while (high - low > 1) {
        int64_t middle = (low + high) / 2;
        if (s->start[middle] < x)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Sum over the blocks of P(S0 >= start) times what their stair adds to P(S1 <= stair).  Bounds on
 * both tails bound the sum: S0 and S1 are independent, and a sample is high the more the larger S0
 * and the smaller S1. */
double guaranteed_probability(bound_search *s, double r0, double r1)
{
    if (s->known_yield != r0) {
        set_group(s, 0, r0);
        s->known_yield = r0;
    }
    set_group(s, 1, r1);
    s->evaluations++;
    double sum = 0, below = 0, stair = -1;
    for (int64_t i = first_block(s); i < s->n_blocks; i++) {
        if (s->stair[i] <= stair)
            continue;
        double upper = count_tail_at(&s->tails[0], s->start[i]);
        stair = s->stair[i];
        double now = count_tail_at(&s->tails[1], stair);
        sum += upper * (now - below);
        below = now;
        if (upper <= s->tails[0].cut || now >= 1) {
            sum += upper * (1 - now);
            break;
        }
    }
    watch_stops(s->watch,
                (int64_t)(count_tails_steps(&s->tails[0]) + count_tails_steps(&s->tails[1])) + 256);
    return sum;
}

/* log of that over alpha, above 0 where the yields are kept; rounding of long tails counts for
 * them. */
static double excess(bound_search *s, double r0, double r1)
{
    double p = guaranteed_probability(s, r0, r1);
    double steps = count_tails_steps(&s->tails[0]) + count_tails_steps(&s->tails[1]);
    return log(p * (1 + 0x1p-51 * steps) / (s->alpha * (1 + 1e-12)));
}

static int is_kept(bound_search *s, double r0, double r1)
{
    return excess(s, r0, r1) > 0;
}

/* The width in R0 of the rectangles of a sweep. */
typedef struct {
    double step;
    double width, excess, slope; /* of the last rectangle; the excess rises with the width */
} row_sweep;

/* The next step after a rectangle of this width: most of the width with which the excess would be
 * 0, by a line through the last two. A half of the probabilities that doubling and halving takes.
 */
static void adapt(row_sweep *t, double width, double excess)
{
    excess = fmax(excess, -1000); /* a logarithm of 0 */
    if (t->width > 0 && (width - t->width) * (excess - t->excess) > 0)
        t->slope = (excess - t->excess) / (width - t->width);
    double ideal = t->slope > 0 ? 0.9 * (width - excess / t->slope) : excess > 0 ? 0 : INFINITY;
    ideal = excess > 0 ? fmin(ideal, width / 2) : fmin(fmax(ideal, width / 2), 4 * width);
    *t = (row_sweep){fmax(1, floor(ideal)), width, excess, t->slope};
}

static int is_stopped(const bound_search *s)
{
    return s->watch != 0 && s->watch->is_stopped;
}

/* ---- Search ---- */

/* The last R1 from least to most that is kept with r0, likely near a guess; least - 1 if none is.
 * With a tolerance one near it that is kept. */
static double last_kept(bound_search *s, double r0, double guess)
{
    double least = s->least[1], most = s->most[1], kept = least - 1, lost = most + 1, at_kept = 0,
           at_lost = 0;
    double x = fmin(most, fmax(least, floor(guess))), step = fmax(1, floor(x / 64));
    for (int i = 0; lost - kept > 1 && !is_stopped(s); i++) {
        double value = excess(s, r0, x);
        if (value > 0) {
            kept = x;
            at_kept = value;
        } else {
            lost = x;
            at_lost = value;
        }
        if (kept < least) {
            x = fmax(least, lost - step);
        } else if (lost > most) {
            x = fmin(most, kept + step);
        } else {
            if (lost - kept <= s->tolerance / 4 * kept)
                break;
            double share =
                at_kept / (at_kept - at_lost); /* 0 where P vanishes; every third step halves */
            x = floor(kept + (lost - kept) * (i % 3 == 2 || !(share > 0) ? 0.5 : share));
            x = fmin(lost - 1, fmax(kept + 1, x));
        }
        step *= 4;
    }
    return kept;
}

/* The least value at r0 that is kept, and where, likely near a guess; INFINITY if none is. */
static double least_at(bound_search *s, double r0, double *r1)
{
    double kept = last_kept(s, r0, *r1);
    if (kept < s->least[1])
        return INFINITY;
    *r1 = kept;
    return measure_at(&s->measure, r0, kept);
}

/* The first R1 with which the measure at r0 is below q; most + 1 if none is. */
static double first_below(const bound_search *s, double r0, double q)
{
    double at, slope, least = s->least[1], most = s->most[1];
    if (isinf(q))
        return least;
    line_of(&s->measure, r0, q, &at, &slope);
    double x = slope > 0 ? fmin(most + 1, fmax(least, floor(at / slope)))
               : at < 0  ? least
                         : most + 1;
    for (int i = 0; i < 64 && x > least && measure_at(&s->measure, r0, x - 1) < q; i++)
        x--;
    for (int i = 0; i < 64 && x <= most && !(measure_at(&s->measure, r0, x) < q); i++)
        x++;
    return x;
}

/* A place and its value. */
typedef struct {
    double r0, r1, value;
} minimum;

/* From a place on to lower values that are kept, by steps that double while they succeed. */
static void descend(bound_search *s, minimum *best, double step)
{
    double sign = 1;
    for (int failures = 0; step >= 1 && failures < 40 && !is_stopped(s);) {
        double r0 = fmin(s->most[0], fmax(s->least[0], best->r0 + sign * step)),
               r1 = best->r1 * r0 / best->r0;
        double value = r0 == best->r0 ? INFINITY : least_at(s, r0, &r1);
        if (value < best->value) {
            *best = (minimum){r0, r1, value};
            step *= 2;
        } else if (sign > 0) {
            sign = -1;
        } else {
            sign = 1;
            step = floor(step / 4);
            failures++;
        }
    }
}

static double share_seen(const bound_search *s)
{
    return (s->seen[0] + 0.5) / (group_sample(&s->group[0]) + 1);
}

/* R0 as the sample estimates it, which is near that of the minimum. */
static double likely_yield(const bound_search *s)
{
    const sampled_group *one = &s->group[0];
    return floor(s->seen[0] + (group_size(one) - group_sample(one)) * share_seen(s));
}

/* A value that is kept and likely near the least. */
static minimum rough_least(bound_search *s)
{
    const sampled_group *one = &s->group[0], *other = &s->group[1];
    double unseen = group_size(one) - group_sample(one), p = share_seen(s);
    double spread = sqrt(unseen * group_size(one) / (group_sample(one) + 1) * p * (1 - p));
    minimum best = {likely_yield(s),
                    group_size(other) * ((s->seen[1] + 1) / (group_sample(other) + 1)), INFINITY};
    if (s->hint >= 0)
        best.r0 = s->hint;
    best.r0 = fmin(s->most[0], fmax(fmax(1, s->least[0]), best.r0));
    best.value = least_at(s, best.r0, &best.r1);
    descend(s, &best, fmax(1, floor(s->hint >= 0 ? spread / 16 : spread)));
    return best;
}

/* Where the least value has been improved so often, and four times as often, ..., the rest of the
 * yields is looked over at so many places: else it falls by the last digits along hundreds of
 * rows. */
enum { IMPROVEMENTS = 3, PLACES = 24 };

static void look_ahead(bound_search *s, minimum *best, double from)
{
    double step = floor((s->most[0] - from) / PLACES);
    for (int i = 1; i <= PLACES && step >= 1 && !is_stopped(s); i++) {
        double r0 = from + step * i, r1 = first_below(s, r0, best->value);
        if (r1 > s->most[1])
            break; /* and with every larger R0 */
        if (!is_kept(s, r0, r1))
            continue;
        best->value = least_at(s, r0, &r1);
        best->r0 = r0;
        best->r1 = r1;
    }
    descend(s, best, fmax(1, floor(step / 4)));
}

/* Every so many probabilities of a search that is not over by then, its tolerance rises: from none
 * to the first, then by a third.  Bounds of levels whose tolerances differ may be out of order by
 * as much.  800 random searches of up to 10^6 documents took 14,249 at most, half of them 127. */
enum { PATIENCE = 20000, LESS_PATIENCE = 1000 };
static const double FIRST_TOLERANCE = 1e-6;

static double wanted(const bound_search *s, double best)
{
    return isinf(best) ? best : best - s->tolerance * best * (1 - best);
}

/* `best`, or a lower value that is kept and the least. */
static minimum swept(bound_search *s, minimum best)
{
    double a = s->least[0];
    row_sweep sweep = {.step = 1};
    int64_t limit = s->evaluations + PATIENCE, improvements = 0, look = IMPROVEMENTS;
    while (a <= s->most[0] && !is_stopped(s)) {
        double c = first_below(s, a, wanted(s, best.value));
        if (c > s->most[1])
            break; /* and with every larger R0 */
        double b = fmin(s->most[0], a + sweep.step - 1), value = excess(s, b, c);
        adapt(&sweep, b - a + 1, value);
        if (value <= 0) {
            a = b + 1;
        } else if (b == a) {
            minimum here = {a, c, 0};
            here.value = least_at(s, a, &here.r1);
            if (here.value < best.value) {
                best = here;
                descend(s, &best, 1);
                if (++improvements == look) {
                    look_ahead(s, &best, a);
                    look *= 4;
                }
            } else {
                a++;
            }
        }
        if (s->evaluations > limit) {
            s->tolerance = fmax(FIRST_TOLERANCE, 1.3 * s->tolerance);
            limit += LESS_PATIENCE;
        }
    }
    return best;
}

/* The least value of a level and its order, or that above if it is less. */
static minimum least_of_order(bound_search *s, order_level level, const minimum *above)
{
    double alpha = s->alpha, z = s->z;
    s->alpha = level.alpha;
    s->z = level.z;
    s->known_yield = -1; /* tails are cut by alpha */
    set_stairs(s);
    minimum best = swept(s, above && !isinf(above->value) ? *above : rough_least(s));
    s->alpha = alpha;
    s->z = z;
    return best;
}

double guaranteed_least(bound_search *s)
{
    minimum best = least_of_order(s, (order_level){s->alpha, s->z}, 0);
    s->hint = best.r0;
    for (int i = 0; i < s->n_looser; i++)
        best = least_of_order(s, s->looser[i], &best);
    s->known_yield = -1;
    if (isinf(best.value))
        return measure_at(&s->measure, s->most[0], s->least[1]);
    return fmax(0, wanted(s, best.value));
}

/* Probabilities of a sweep at one value before the bound itself is sought. */
enum { LONG_SWEEP = 4000 };

/* 1 if no yields with a measure below q are kept by a level and its order, 0 if some are, -1 if
 * the search takes long. */
static int is_reached(bound_search *s, order_level level, double q)
{
    double a = s->least[0], alpha = s->alpha, z = s->z;
    row_sweep sweep = {.step = 1};
    int64_t limit = s->evaluations + LONG_SWEEP;
    s->alpha = level.alpha;
    s->z = level.z;
    s->known_yield = -1; /* tails are cut by alpha */
    set_stairs(s);
    /* first where the last bound was below its q */
    double r0 = fmax(a, s->hint >= 0 ? s->hint : likely_yield(s)), c = first_below(s, r0, q);
    int found = c > s->most[1] || !is_kept(s, r0, c);
    while (found > 0 && a <= s->most[0] && !is_stopped(s)) {
        c = first_below(s, a, q);
        if (c > s->most[1])
            break; /* and with every larger R0 */
        double b = fmin(s->most[0], a + sweep.step - 1), value = excess(s, b, c);
        adapt(&sweep, b - a + 1, value);
        if (value <= 0) {
            a = b + 1;
        } else if (b == a) {
            s->hint = a;
            found = 0;
        }
        if (s->evaluations > limit)
            found = -1;
    }
    s->alpha = alpha;
    s->z = z;
    return found;
}

int guaranteed_reaches(bound_search *s, double q)
{
    if (measure_at(&s->measure, s->most[0], s->least[1]) < q)
        return 0;
    int found = is_reached(s, (order_level){s->alpha, s->z}, q);
    for (int i = 0; i < s->n_looser && found > 0; i++)
        found = is_reached(s, s->looser[i], q);
    s->known_yield = -1;
    return found < 0 ? guaranteed_least(s) >= q : found;
}

/* ---- Likely yields
 * -----------------------------------------------------------------------------------------------
 */

static void set_possible_yields(bound_search *s, int which)
{
    s->least[which] = s->seen[which];
    s->most[which] = group_size(&s->group[which]) - group_sample(&s->group[which]) + s->seen[which];
}

double guaranteed_likely_yield(bound_search *s, int which, double chance)
{
    set_possible_yields(s, which);
    double inside = which == 0 ? s->most[0] : s->least[1],
           outside = which == 0 ? s->least[0] - 1 : s->most[1] + 1;
    while (fabs(outside - inside) > 1 && !is_stopped(s)) {
        double middle = floor((inside + outside) / 2);
        set_group(s, which, middle);
        if (count_tail_at(&s->tails[which], s->seen[which]) > chance * (1 + 1e-12))
            inside = middle;
        else
            outside = middle;
        watch_stops(s->watch, (int64_t)count_tails_steps(&s->tails[which]) + 64);
    }
    s->known_yield = -1;
    return inside;
}

void guaranteed_set_yields(bound_search *s, double chance)
{
    for (int which = 0; which < 2; which++)
        set_possible_yields(s, which);
    s->known_yield = -1;
    if (chance > 0) {
        double least = guaranteed_likely_yield(s, 0, chance),
               most = guaranteed_likely_yield(s, 1, chance);
        s->least[0] = least;
        s->most[1] = most;
    }
    s->most[0] = group_size(&s->group[0]);
    s->least[1] = 0;
}
