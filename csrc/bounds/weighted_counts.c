/* Guaranteed lower bound from up to four strata: the exact test of the weighted counts, inverted.
 * The contract is in weighted_counts.h. */

#include "bounds/weighted_counts.h"

#include <math.h>

enum { MOST_POINTS = 1024, MOST_PAIRS = 1024, MOST_BOXES = 256 };

/* Parts of alpha at which tails of a table are cut: those of count_tails.h, and those summed over. */
static const double TAIL = 0x1p-47, CUT = 1e-6;
/* Standard deviations of T that a last box may span, and the steps of the log odds of q. */
static const double SLACK = 0.03, ODDS = 0x1p-10, FINE_ODDS = 0.1, FURTHEST = 40;

int64_t weighted_most_points(void)
{
    return MOST_POINTS;
}

int64_t weighted_most_pairs(void)
{
    return MOST_PAIRS;
}

/* ---- Tables of counts ---- */

static void range_of(const count_tails *tails, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (int i = 0; i < tails->n_tables; i++) {
        const tail_table *t = &tails->table[i];
        double first = t->first, last = t->first + (double)(t->n - 1);
        *low = fmin(*low, t->is_reflected ? t->reflected - last : first);
        *high = fmax(*high, t->is_reflected ? t->reflected - first : last);
    }
}

/* The table of a stratum.  Counts are taken together by steps, at their most favourable one; counts
 * that are cut off on the other side move to the last one that is kept. */
static void set_points(weighted_search *s, int64_t h, double relevant)
{
    count_points *p = &s->points[h];
    if (p->relevant == relevant)
        return;
    p->relevant = relevant;
    count_tails_set(&s->tails[h], &s->group[h], relevant, !s->is_falling[h], TAIL * s->alpha,
                    s->watch);
    double low, high, sign = s->is_falling[h] ? -1 : 1, step = s->step[h], cut = CUT * s->alpha;
    range_of(&s->tails[h], &low, &high);
    double first = s->is_falling[h] ? low : high;
    double f = ceil(sign * (first - s->seen[h]) / step), before = 0;
    /* the least favourable count of a step has its tail */
    for (int64_t steps = 0;; steps++, f--) {
        double tail = count_tail_at(&s->tails[h], s->seen[h] + sign * (step * (f - 1) + 1));
        if (tail > cut)
            break;
        before = tail;
    }
    p->top = f;
    p->beyond = before;
    int64_t n = 0;
    for (; n < MOST_POINTS; n++, f--) {
        double tail = count_tail_at(&s->tails[h], s->seen[h] + sign * (step * (f - 1) + 1));
        if (tail >= 1 - cut || n == MOST_POINTS - 1)
            tail = 1;
        p->mass[n] = tail - before;
        p->tail[n] = before = tail;
        if (tail >= 1) {
            n++;
            break;
        }
    }
    p->n = n;
    watch_stops(s->watch, (int64_t)count_tails_steps(&s->tails[h]) + 2 * n);
}

/* ---- Probability that T_q >= t_q at either end of an interval of q ---- */

typedef struct {
    double factor[2][2]; /* |A|, |B| at either end */
    double constant;     /* C at q2 */
    double margin[2];    /* for rounding of a sum of weighted counts */
    double slack;        /* for rounding of a sum of yields */
} direction;

static direction direction_of(const weighted_search *s, double q1, double q2)
{
    direction d;
    const share_measure *m = &s->measure;
    const double q[2] = {q1, q2};
    for (int k = 0; k < 2; k++) {
        d.factor[k][0] = fmax(0, (1 - q[k]) * m->gain[0] - q[k] * m->loss[0]);
        d.factor[k][1] = fmax(0, -((1 - q[k]) * m->gain[1] - q[k] * m->loss[1]));
        double sum = 0;
        for (int64_t h = 0; h < s->n_strata; h++)
            sum += d.factor[k][s->is_falling[h]] * group_size(&s->group[h]);
        d.margin[k] = 0x1p-46 * sum;
        d.slack = 0x1p-46 * (sum + fabs(m->gain[2]) + fabs(m->loss[2]));
    }
    d.constant = (1 - q2) * m->gain[2] - q2 * m->loss[2];
    return d;
}

/* Values and masses of the sum of one or two strata on one side, in yields. */
typedef struct {
    const double *value, *mass;
    double top, weight; /* without values: weight times top, top - 1, ... */
    int64_t n;
    int side;
} sum_points;

static inline double value_at(const sum_points *p, int64_t i)
{
    return p->value != 0 ? p->value[i] : p->weight * (p->top - (double)i);
}

static sum_points points_of(const weighted_search *s, int64_t h)
{
    const count_points *p = &s->points[h];
    sum_points one = {0, p->mass, p->top, p->weight, p->n, s->is_falling[h]};
    return one;
}

/* The sum of two strata on one side.  If it has many values they move up to a lattice. */
static sum_points pair_of(weighted_search *s, int64_t g, int64_t h)
{
    const count_points *one = &s->points[g], *other = &s->points[h];
    sum_points sum = {s->pair_value, s->pair_mass, 0, 0, one->n * other->n, s->is_falling[g]};
    if (sum.n <= MOST_PAIRS) {
        int64_t k = 0;
        for (int64_t i = 0; i < one->n; i++)
            for (int64_t j = 0; j < other->n; j++, k++) {
                s->pair_value[k] = one->weight * (one->top - (double)i)
                                   + other->weight * (other->top - (double)j);
                s->pair_mass[k] = one->mass[i] * other->mass[j];
            }
        return sum;
    }
    sum.n = MOST_PAIRS / 2;
    double top = one->weight * one->top + other->weight * other->top,
           width = one->weight * (double)(one->n - 1) + other->weight * (double)(other->n - 1),
           spacing = width / (double)(sum.n - 1);
    for (int64_t k = 0; k < sum.n; k++) {
        s->pair_value[k] = top - spacing * (double)k;
        s->pair_mass[k] = 0;
    }
    for (int64_t i = 0; i < one->n; i++)
        for (int64_t j = 0; j < other->n; j++) {
            double down = one->weight * (double)i + other->weight * (double)j;
            s->pair_mass[(int64_t)(down / spacing)] += one->mass[i] * other->mass[j];
        }
    return sum;
}

/* Sum over the values of one and other of their masses times the tail of a stratum. */
static double sum_tails(const direction *d, const count_points *last, int side,
                        const sum_points *one, const sum_points *other)
{
    double inverse[2], margin[2], sum = 0;
    for (int k = 0; k < 2; k++) {
        double unit = d->factor[k][side] * last->weight;
        inverse[k] = 1 / fmax(unit, 1e-300);
        margin[k] = d->margin[k] + 1e-7 * unit;
    }
    for (int64_t i = 0; i < one->n; i++) {
        double x = value_at(one, i), base[2], inner = 0, slope[2];
        for (int k = 0; k < 2; k++) {
            base[k] = (d->factor[k][one->side] * x + margin[k]) * inverse[k] + last->top;
            slope[k] = d->factor[k][other->side] * inverse[k];
        }
        for (int64_t j = 0; j < other->n; j++) {
            double y = value_at(other, j);
            double more = fmax(base[0] + slope[0] * y, base[1] + slope[1] * y);
            if (more >= 0)
                inner += other->mass[j]
                         * (more >= (double)last->n ? 1 : last->tail[(int64_t)more]);
        }
        sum += one->mass[i] * inner;
    }
    return sum;
}

/* At these yields, at most 1. */
static double probability_at(weighted_search *s, const direction *d, const double *yields)
{
    static const double ONE = 1, NOTHING = 0;
    int64_t order[MOST_WEIGHTED], n = s->n_strata;
    double beyond = 0;
    for (int64_t h = 0; h < n; h++) {
        set_points(s, h, yields[h]);
        beyond += s->points[h].beyond;
        int64_t k = h; /* by falling numbers of points */
        for (; k > 0 && s->points[order[k - 1]].n < s->points[h].n; k--)
            order[k] = order[k - 1];
        order[k] = h;
    }
    int64_t last = order[0];
    sum_points one = points_of(s, order[1]), other = {&NOTHING, &ONE, 0, 0, 1, 0};
    if (n == 3) {
        other = points_of(s, order[2]);
    } else if (n == 4) {
        /* two of the three are on one side */
        int64_t a = order[1], b = order[2], c = order[3];
        if (s->is_falling[b] == s->is_falling[c])
            other = pair_of(s, b, c);
        else if (s->is_falling[a] == s->is_falling[c])
            one = points_of(s, b), other = pair_of(s, a, c);
        else
            one = points_of(s, c), other = pair_of(s, a, b);
    }
    s->evaluations++;
    watch_stops(s->watch, 3 * one.n * other.n);
    double sum = sum_tails(d, &s->points[last], s->is_falling[last], &one, &other);
    return fmin(1, sum + beyond);
}

/* ---- Boxes of yields ---- */

typedef struct {
    double least[MOST_WEIGHTED], most[MOST_WEIGHTED];
    int64_t first[MOST_WEIGHTED], last[MOST_WEIGHTED]; /* cells */
    double probability;
} box;

/* The last yield of the first `cell` cells of a stratum, which are about as many standard deviations
 * of its count wide everywhere: with p = t² (3 - 2 t), sqrt(p (1 - p)) is t (1 - t) times 1.73 to 2
 * and dp/dt is 6 t (1 - t). */
static double last_yield(const weighted_search *s, int64_t h, int64_t cell)
{
    double t = (double)cell / (double)s->cells[h];
    return cell == 0 ? -1 : floor(group_size(&s->group[h]) * t * t * (3 - 2 * t));
}

static int64_t cell_of(const weighted_search *s, int64_t h, double yield)
{
    int64_t low = 0, high = s->cells[h];
    while (high - low > 1) {
        int64_t middle = (low + high) / 2;
        if (last_yield(s, h, middle) < yield)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Moves the corner inwards; false if no yields of the box have the measure q2 or less. */
static int is_possible(const weighted_search *s, const direction *d, box *b)
{
    double least = d->constant;
    for (int64_t h = 0; h < s->n_strata; h++)
        least += s->is_falling[h] ? -d->factor[1][1] * b->most[h] : d->factor[1][0] * b->least[h];
    double room = d->slack - least;
    if (room < 0)
        return 0;
    for (int64_t h = 0; h < s->n_strata; h++) {
        double a = d->factor[1][s->is_falling[h]];
        if (a <= 0)
            continue;
        double width = floor(room / a + 1e-9);
        if (s->is_falling[h])
            b->least[h] = fmax(b->least[h], b->most[h] - width);
        else
            b->most[h] = fmin(b->most[h], b->least[h] + width);
    }
    return 1;
}

/* Whether the box is not rejected as a whole. */
static int is_open(weighted_search *s, const direction *d, box *b)
{
    if (!is_possible(s, d, b))
        return 0;
    double corner[MOST_WEIGHTED];
    for (int64_t h = 0; h < s->n_strata; h++)
        corner[h] = s->is_falling[h] ? b->least[h] : b->most[h];
    b->probability = probability_at(s, d, corner);
    return b->probability > s->alpha * (1 - 1e-12);
}

/* The stratum of which a box is halved, -1 if it is a last one. */
static int64_t widest(const weighted_search *s, const direction *d, const box *b)
{
    int64_t best = -1;
    double most = -1;
    for (int64_t h = 0; h < s->n_strata; h++) {
        double width = d->factor[1][s->is_falling[h]] * (b->most[h] - b->least[h]);
        if (h != s->solved && b->first[h] < b->last[h] && b->least[h] < b->most[h] && width > most) {
            most = width;
            best = h;
        }
    }
    return best;
}

static int halve(const weighted_search *s, int64_t h, const box *whole, box *low, box *high)
{
    int64_t middle = (whole->first[h] + whole->last[h]) / 2;
    double end = last_yield(s, h, middle + 1);
    *low = *high = *whole;
    low->last[h] = middle;
    high->first[h] = middle + 1;
    low->most[h] = fmin(low->most[h], end);
    high->least[h] = fmax(high->least[h], end + 1);
    return (low->least[h] <= low->most[h]) + 2 * (high->least[h] <= high->most[h]);
}

static void remember(weighted_search *s, const box *b)
{
    for (int64_t h = 0; h < s->n_strata; h++)
        s->hint[h] = s->is_falling[h] ? b->least[h] : b->most[h];
}

/* Whether the last box of the yields that stopped the test before stops this one too. */
static int hint_stops(weighted_search *s, const direction *d, const box *root)
{
    if (s->hint[0] < 0)
        return 0;
    box b = *root;
    for (int64_t h = 0; h < s->n_strata; h++) {
        if (h == s->solved)
            continue;
        int64_t cell = cell_of(s, h, s->hint[h]);
        b.first[h] = b.last[h] = cell;
        b.least[h] = fmax(b.least[h], last_yield(s, h, cell) + 1);
        b.most[h] = fmin(b.most[h], last_yield(s, h, cell + 1));
    }
    return is_open(s, d, &b);
}

/* Whether all yields with a measure from q1 to q2 are rejected. */
static int rejects(weighted_search *s, double q1, double q2)
{
    direction d = direction_of(s, q1, q2);
    box stack[MOST_BOXES], child[2];
    int64_t n = 1;
    for (int64_t h = 0; h < s->n_strata; h++) {
        stack[0].least[h] = s->least[h];
        stack[0].most[h] = s->most[h];
        stack[0].first[h] = cell_of(s, h, s->least[h]);
        stack[0].last[h] = cell_of(s, h, s->most[h]);
    }
    if (hint_stops(s, &d, &stack[0]))
        return 0;
    if (!is_open(s, &d, &stack[0]))
        return 1;
    while (n > 0 && !(s->watch != 0 && s->watch->is_stopped)) {
        box whole = stack[--n];
        int64_t h = widest(s, &d, &whole);
        if (h < 0 || n + 2 > MOST_BOXES) {
            remember(s, &whole);
            return 0;
        }
        int which = halve(s, h, &whole, &child[0], &child[1]);
        for (int k = 0; k < 2; k++)
            if (!(which & (1 << k)) || !is_open(s, &d, &child[k]))
                child[k].probability = -1;
        int first = child[0].probability < child[1].probability ? 0 : 1; /* the likelier comes last */
        for (int k = 0; k < 2; k++) {
            const box *each = &child[k == 0 ? first : 1 - first];
            if (each->probability >= 0)
                stack[n++] = *each;
        }
    }
    return 1;
}

/* ---- Search ---- */

/* The yields that are not left out. */
static void set_yields(weighted_search *s, int64_t h)
{
    const sampled_group *g = &s->group[h];
    double seen = s->seen[h], rest = group_size(g) - group_sample(g) + seen;
    s->least[h] = seen;
    s->most[h] = rest;
    for (int is_upper = 0; is_upper < 2; is_upper++) {
        double inside = is_upper ? rest : seen, outside = is_upper ? seen - 1 : rest + 1;
        while (fabs(outside - inside) > 1) {
            double middle = floor((inside + outside) / 2);
            count_tails_set(&s->tails[h], g, middle, is_upper, TAIL * s->chance, s->watch);
            if (count_tail_at(&s->tails[h], seen) > s->chance * (1 - 1e-12))
                inside = middle;
            else
                outside = middle;
            watch_stops(s->watch, (int64_t)count_tails_steps(&s->tails[h]) + 64);
        }
        *(is_upper ? &s->least[h] : &s->most[h]) = inside;
    }
}

/* Tables and boxes, from the samples but not from alpha; a guess of the log odds of the bound. */
static void prepare(weighted_search *s, double *worst, double *likely, double *deviation)
{
    double yields[2] = {0, 0}, ends[2] = {0, 0}, variance[MOST_WEIGHTED], sum = 0;
    s->solved = 0;
    for (int64_t h = 0; h < s->n_strata; h++) {
        const sampled_group *g = &s->group[h];
        double size = group_size(g), n = group_sample(g), p = (s->seen[h] + 1) / (n + 2);
        set_yields(s, h);
        yields[s->is_falling[h]] += size / n * s->seen[h];
        ends[s->is_falling[h]] += s->is_falling[h] ? s->most[h] : s->least[h];
        variance[h] = size * (size - n) / n * p * (1 - p);
        s->step[h] = fmax(1, floor(sqrt(fmin(s->seen[h], n - s->seen[h]) + 16) / 25));
        s->points[h].weight = size / n * s->step[h];
        s->points[h].relevant = s->hint[h] = -1;
    }
    *worst = measure_at(&s->measure, ends[0], ends[1]);
    *likely = measure_at(&s->measure, yields[0], yields[1]);
    direction d = direction_of(s, *likely, *likely);
    for (int64_t h = 0; h < s->n_strata; h++) {
        double a = d.factor[0][s->is_falling[h]];
        variance[h] *= a * a;
        sum += variance[h];
        if (variance[h] > variance[s->solved])
            s->solved = h;
    }
    for (int64_t h = 0; h < s->n_strata; h++) {
        double width = SLACK / (double)(s->n_strata - 1) * sqrt(sum / fmax(variance[h], 1e-300));
        s->cells[h] = (int64_t)fmax(1, ceil(3.47 * sqrt(group_sample(&s->group[h])) / width));
    }
    *deviation = sqrt(sum);
}

static double at_rung(double rung, double step)
{
    return 1 / (1 + exp(-rung * step));
}

static double log_odds(double q)
{
    return fmin(FURTHEST, fmax(-FURTHEST, log(q / (1 - q))));
}

static double odds_step(const weighted_search *s)
{
    double most = 0;
    for (int64_t h = 0; h < s->n_strata; h++)
        most = fmax(most, group_sample(&s->group[h]));
    return fmin(ODDS, FINE_ODDS / sqrt(most));
}

double weighted_least(weighted_search *s)
{
    double worst, likely, deviation, step = odds_step(s);
    prepare(s, &worst, &likely, &deviation);
    if (worst >= 1)
        return worst;
    double rung = floor(log_odds(worst) / step), last = ceil(FURTHEST / step), by;
    by = fmax(1, floor((log_odds(fmax(worst, likely)) / step - rung) / 4));
    while (rung < last && !(s->watch != 0 && s->watch->is_stopped)) {
        double to = fmin(last, rung + by);
        if (rejects(s, at_rung(rung, step), at_rung(to, step))) {
            rung = to;
        } else if (by > 1) {
            by = floor(by / 2);
        } else {
            break;
        }
    }
    return fmax(worst, rung >= last ? 1 : at_rung(rung, step));
}

int weighted_rejects(weighted_search *s, double q)
{
    double worst, likely, deviation, step = odds_step(s), rung = ceil(log_odds(q) / step);
    prepare(s, &worst, &likely, &deviation);
    return worst >= q || rejects(s, at_rung(rung - 1, step), at_rung(rung, step));
}
