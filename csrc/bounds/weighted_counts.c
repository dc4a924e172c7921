/* Guaranteed lower bound from up to four strata: the exact test of the weighted counts, inverted.
 * The contract is in weighted_counts.h. The file is longer than 400 lines, as the tables, the boxes
 * and the search share one state. */

#include "bounds/weighted_counts.h"

#include <math.h>
#include <string.h>

enum { MOST_POINTS = 1024, LATTICE = 1024, MOST_BOXES = 256 };
/* Documents of strata whose yields are tried one by one, and samples that are all summed over. */
enum { ONE_BY_ONE = 200, FEW_OUTCOMES = 20000 };
/* Boxes of a rough test, and samples of which the bound costs hardly more. */
enum { ROUGH_BOXES = 200, LEAST_OUTCOMES = 1000 };

/* Parts of alpha at which tails of a table are cut: those of count_tails.h, and those summed. */
static const double TAIL = 0x1p-47, CUT = 1e-5;
/* Standard deviations of T that a last box may span for each stratum that is divided, of up to
 * three and of four strata, where half of it takes 2.8 times as long for intervals narrower by 1
 * part in 100; those of the estimate that a step of the log odds of q has, and the longest, also in
 * small populations. */
static const double SLACK[] = {0.02, 0.04}, WIDEST = 0.5, ODDS = 0.05, LONGEST = 0x1p-8,
                    SHORT = 0x1p-14, SHORTEST = 0x1p-20, FURTHEST = 40;

int64_t weighted_most_points(void)
{
    return MOST_POINTS;
}

int64_t weighted_lattice(void)
{
    return LATTICE;
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
    double constant[2];  /* C at either end */
    double margin[2];    /* for rounding of a sum of weighted counts */
    double slack[2];     /* for rounding of a sum of yields */
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
        d.constant[k] = (1 - q[k]) * m->gain[2] - q[k] * m->loss[2];
        d.slack[k] = 0x1p-46 * (sum + fabs(m->gain[2]) + fabs(m->loss[2]));
    }
    return d;
}

/* The sum of one or two strata on one side, in yields: top, top - spacing, ... */
typedef struct {
    const double *mass, *tail; /* tail: of these or larger values */
    double top, spacing;
    int64_t n;
    int side;
} sum_points;

static sum_points points_of(const weighted_search *s, int64_t h)
{
    const count_points *p = &s->points[h];
    sum_points one = {p->mass, p->tail, p->weight * p->top, p->weight, p->n, s->is_falling[h]};
    return one;
}

/* The sum of two strata on one side, moved up to a lattice. */
static sum_points pair_of(weighted_search *s, int64_t g, int64_t h)
{
    const sum_points one = points_of(s, g), other = points_of(s, h);
    sum_points pair = {s->pair_mass, s->pair_tail,     one.top + other.top,
                       0,            LATTICE, s->is_falling[g]};
    double width = one.spacing * (double)(one.n - 1) + other.spacing * (double)(other.n - 1);
    pair.spacing = fmax(width / (LATTICE - 1), 1e-300);
    const double key[4] = {(double)g, (double)h, s->points[g].relevant, s->points[h].relevant};
    if (memcmp(key, s->pair_key, sizeof key) == 0)
        return pair;
    memcpy(s->pair_key, key, sizeof key);
    double scale = 1 / pair.spacing, sum = 0;
    for (int64_t k = 0; k < LATTICE; k++)
        s->pair_mass[k] = 0;
    for (int64_t i = 0; i < one.n; i++) {
        double down = one.spacing * (double)i * scale, more = other.spacing * scale;
        for (int64_t j = 0; j < other.n; j++)
            s->pair_mass[(int64_t)(down + more * (double)j)] += one.mass[i] * other.mass[j];
    }
    for (int64_t k = 0; k < LATTICE; k++)
        s->pair_tail[k] = sum += s->pair_mass[k];
    return pair;
}

/* The number of n values that fall by `slope` from x that is at least `least`. */
static inline double number_from(double x, double slope, double least, double n)
{
    if (x < least)
        return 0;
    return slope * n <= x - least ? n : fmin(n, floor((x - least) / slope) + 1);
}

/* Sum over the values of one and other of their masses times the tail of a stratum from the least
 * count on with which T is high enough; `more` is what others add to T.  A value
 * that rounding could have moved counts as high. */
static double sum_tails(const direction *d, const count_points *last, int side,
                        const sum_points *one, const sum_points *other, const double *more)
{
    double inverse[2], slope[2], margin[2], sum = 0, n = (double)other->n;
    for (int k = 0; k < 2; k++) {
        double unit = d->factor[k][side] * last->weight;
        inverse[k] = 1 / fmax(unit, 1e-300);
        margin[k] = d->margin[k] + 1e-7 * unit + more[k];
        slope[k] = d->factor[k][other->side] * inverse[k] * other->spacing;
    }
    for (int64_t i = 0; i < one->n; i++) {
        double x = one->top - one->spacing * (double)i, at[2], certain = 0, possible = 0, inner = 0;
        for (int k = 0; k < 2; k++) {
            at[k] = (d->factor[k][one->side] * x + d->factor[k][other->side] * other->top
                     + margin[k])
                        * inverse[k]
                    + last->top;
            certain = fmax(certain, number_from(at[k], slope[k], (double)(last->n - 1), n));
            possible = fmax(possible, number_from(at[k], slope[k], 0, n));
        }
        if (possible == 0)
            break; /* as for every smaller x */
        if (certain > 0)
            inner = other->tail[(int64_t)certain - 1];
        for (int64_t j = (int64_t)certain; j < (int64_t)possible; j++) {
            double f = (double)j, first = at[0] - slope[0] * f, second = at[1] - slope[1] * f;
            inner += other->mass[j] * last->tail[(int64_t)(first > second ? first : second)];
        }
        sum += one->mass[i] * inner;
    }
    return sum;
}

/* At these yields, at most 1. */
static double probability_at(weighted_search *s, const direction *d, const double *yields)
{
    static const double ONE = 1;
    int64_t order[MOST_WEIGHTED] = {0}, n = s->n_strata;
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
    sum_points one = points_of(s, order[1]), other = {&ONE, &ONE, 0, 0, 1, 0}, fourth = other;
    if (n == 3 || s->is_small) {
        other = n > 2 ? points_of(s, order[2]) : other;
        fourth = n > 3 ? points_of(s, order[3]) : fourth;
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
    watch_stops(s->watch, 3 * one.n * other.n * fourth.n);
    double sum = 0, more[2] = {0, 0};
    for (int64_t i = 0; i < fourth.n; i++) {
        for (int k = 0; k < 2; k++)
            more[k] = d->factor[k][fourth.side] * (fourth.top - fourth.spacing * (double)i);
        sum += fourth.mass[i]
               * sum_tails(d, &s->points[last], s->is_falling[last], &one, &other, more);
    }
    return fmin(1, sum + beyond);
}

/* ---- Boxes of yields ---- */

typedef struct {
    double least[MOST_WEIGHTED], most[MOST_WEIGHTED];
    int64_t first[MOST_WEIGHTED], last[MOST_WEIGHTED]; /* cells */
    double probability;
} box;

/* The last yield of the first `cell` cells of a stratum.  They are about as many standard
 * deviations of its count wide everywhere: with p = t^2 (3 - 2 t), sqrt(p (1 - p)) is t (1 - t)
 * times 1.73 to 2, and dp/dt is 6 t (1 - t). */
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

/* Moves ends of the box inwards, k = 0: as far as A R0 + B R1 + C >= 0 at q1 allows, k = 1: as
 * far as <= 0 at q2 does; false if no yields of the box have that. */
static int is_clipped(const weighted_search *s, const direction *d, box *b, int k)
{
    double room = d->slack[k] + (k == 0 ? d->constant[0] : -d->constant[1]);
    for (int64_t h = 0; h < s->n_strata; h++) {
        double a = d->factor[k][s->is_falling[h]];
        room += s->is_falling[h] == k ? a * b->most[h] : -a * b->least[h];
    }
    if (room < 0)
        return 0;
    for (int64_t h = 0; h < s->n_strata; h++) {
        double a = d->factor[k][s->is_falling[h]];
        double width = a > 0 ? floor(room / a + 1e-9) : INFINITY;
        if (s->is_falling[h] == k)
            b->least[h] = fmax(b->least[h], b->most[h] - width);
        else
            b->most[h] = fmin(b->most[h], b->least[h] + width);
    }
    return 1;
}

/* Moves ends of the box inwards; false if none of its yields has a measure from q1 to q2. */
static int has_yields(const weighted_search *s, const direction *d, box *b)
{
    /* what one moves allows the other to move more; the last rounds end with a single point */
    for (int i = 0, still = 0; i < 64 && still < 2; i++) {
        box before = *b;
        if (!is_clipped(s, d, b, i % 2))
            return 0;
        still = memcmp(before.least, b->least, sizeof before.least) == 0
                        && memcmp(before.most, b->most, sizeof before.most) == 0
                    ? still + 1
                    : 0;
    }
    return 1;
}

/* Whether the box is not rejected as a whole. */
static int is_open(weighted_search *s, const direction *d, box *b)
{
    if (!has_yields(s, d, b))
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
        int is_divided = b->first[h] < b->last[h] && b->least[h] < b->most[h];
        if (h != s->solved && is_divided && width > most) {
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

/* The probability of the last box of these cells, -1 if it has no yields of the measure q2. */
static double last_box(weighted_search *s, const direction *d, const box *root, const int64_t *cell)
{
    box b = *root;
    for (int64_t h = 0; h < s->n_strata; h++) {
        if (h == s->solved)
            continue;
        b.first[h] = b.last[h] = cell[h];
        b.least[h] = fmax(b.least[h], last_yield(s, h, cell[h]) + 1);
        b.most[h] = fmin(b.most[h], last_yield(s, h, cell[h] + 1));
        if (b.least[h] > b.most[h])
            return -1;
    }
    b.probability = -1;
    is_open(s, d, &b);
    return b.probability;
}

/* Whether a last box is found that is not rejected: by steps from where the last search ended to
 * boxes of higher probability.  Most tests that fail are over by then. */
static int is_stopped_early(weighted_search *s, const direction *d, const box *root)
{
    int64_t step[MOST_WEIGHTED], longest = 1, at[MOST_WEIGHTED] = {0};
    for (int64_t h = 0; h < s->n_strata; h++) {
        if (s->hint[h] < root->first[h] || s->hint[h] > root->last[h])
            s->hint[h] = (root->first[h] + root->last[h]) / 2;
        at[h] = s->hint[h];
        step[h] = h == s->solved ? 0 : (root->last[h] - root->first[h]) / 6;
        longest = step[h] > longest ? step[h] : longest;
    }
    double best = last_box(s, d, root, at);
    for (; longest > 0; longest /= 2) {
        for (int64_t h = 0; h < s->n_strata; h++) {
            for (int64_t by = step[h]; by != 0; by = by > 0 ? -by : 0) {
                int64_t from = at[h], to = from + by;
                double value = -1;
                if (best > s->alpha)
                    break;
                if (to >= root->first[h] && to <= root->last[h]) {
                    at[h] = to;
                    value = last_box(s, d, root, at);
                    at[h] = from;
                }
                if (value > best) {
                    best = value;
                    at[h] = to;
                    break;
                }
            }
            step[h] /= 2;
        }
    }
    for (int64_t h = 0; h < s->n_strata; h++)
        s->hint[h] = at[h];
    return best > s->alpha * (1 - 1e-12);
}

/* All yields that are not left out. */
static box whole_box(const weighted_search *s)
{
    box all = {.probability = 1};
    for (int64_t h = 0; h < s->n_strata; h++) {
        all.least[h] = s->least[h];
        all.most[h] = s->most[h];
        all.first[h] = cell_of(s, h, s->least[h]);
        all.last[h] = cell_of(s, h, s->most[h]);
    }
    return all;
}

/* Whether all yields with a measure from q1 to q2 are rejected; likely so if the boxes are more
 * than `most`. */
static int rejects(weighted_search *s, double q1, double q2, int64_t most)
{
    direction d = direction_of(s, q1, q2);
    box stack[MOST_BOXES] = {whole_box(s)}, child[2];
    int64_t n = 1;
    if (is_stopped_early(s, &d, &stack[0]))
        return 0;
    if (!is_open(s, &d, &stack[0]))
        return 1;
    while (n > 0 && most > 0 && !(s->watch != 0 && s->watch->is_stopped)) {
        box whole = stack[--n];
        most -= 2;
        int64_t h = widest(s, &d, &whole);
        if (h < 0 || n + 2 > MOST_BOXES) {
            for (int64_t g = 0; g < s->n_strata; g++)
                s->hint[g] = whole.first[g];
            return 0;
        }
        int which = halve(s, h, &whole, &child[0], &child[1]);
        for (int k = 0; k < 2; k++)
            if (!(which & (1 << k)) || !is_open(s, &d, &child[k]))
                child[k].probability = -1;
        /* the likelier comes last */
        int first = child[0].probability < child[1].probability ? 0 : 1;
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

/* The step of the log odds: a power of 2, hundredths of a standard deviation of the estimate. */
static double odds_step(const weighted_search *s, const double *yields, double deviation)
{
    const share_measure *m = &s->measure;
    double whole = (m->gain[0] + m->loss[0]) * yields[0] + (m->gain[1] + m->loss[1]) * yields[1]
                   + m->gain[2] + m->loss[2];
    double likely = measure_at(m, yields[0], yields[1]);
    double by = ODDS * deviation / fmax(whole * likely * (1 - likely), 1e-300), size = 0;
    for (int64_t h = 0; h < s->n_strata; h++)
        size = fmax(size, group_size(&s->group[h]));
    by = fmin(by, size <= ONE_BY_ONE ? SHORT : LONGEST);
    return exp2(floor(log2(fmax(by, SHORTEST))));
}

/* The measure at likely yields and at the worst that are not left out; the step of its log odds. */
typedef struct {
    double worst, likely, step;
} scale;

/* Tables, cells and steps, from the samples but not from alpha. */
static scale prepare(weighted_search *s)
{
    double yields[2] = {0, 0}, ends[2] = {0, 0}, variance[MOST_WEIGHTED], sum = 0, outcomes = 1;
    s->solved = 0;
    for (int64_t h = 0; h < s->n_strata; h++) {
        const sampled_group *g = &s->group[h];
        double size = group_size(g), n = group_sample(g), p = (s->seen[h] + 1) / (n + 2);
        set_yields(s, h);
        outcomes *= n + 1;
        yields[s->is_falling[h]] += size * p;
        ends[s->is_falling[h]] += s->is_falling[h] ? s->most[h] : s->least[h];
        variance[h] = size * (size - n) / n * p * (1 - p);
        s->step[h] = fmax(1, floor(sqrt(fmin(s->seen[h], n - s->seen[h]) + 16) / 25));
        s->points[h].weight = size / n * s->step[h];
        s->points[h].relevant = s->pair_key[0] = -1;
        s->hint[h] = -1;
    }
    scale c = {measure_at(&s->measure, ends[0], ends[1]),
               measure_at(&s->measure, yields[0], yields[1]), 0};
    s->is_small = outcomes <= FEW_OUTCOMES;
    direction d = direction_of(s, c.likely, c.likely);
    for (int64_t h = 0; h < s->n_strata; h++) {
        double a = d.factor[0][s->is_falling[h]];
        variance[h] *= a * a;
        sum += variance[h];
        if (variance[h] > variance[s->solved])
            s->solved = h;
    }
    for (int64_t h = 0; h < s->n_strata; h++) {
        double width = fmin(WIDEST, SLACK[s->n_strata > 3] * sqrt(sum / fmax(variance[h], 1e-300)));
        double cells = ceil(3.47 * sqrt(group_sample(&s->group[h])) / width),
               size = group_size(&s->group[h]);
        s->cells[h] = (int64_t)(size <= ONE_BY_ONE ? fmax(cells, ceil(1.5 * size)) : cells);
    }
    c.step = odds_step(s, yields, sqrt(sum));
    return c;
}

static double at_rung(double rung, double step)
{
    return 1 / (1 + exp(-rung * step));
}

static double log_odds(double q)
{
    return fmin(FURTHEST, fmax(-FURTHEST, log(q / (1 - q))));
}

double weighted_least(weighted_search *s)
{
    scale c = prepare(s);
    if (c.worst >= 1)
        return c.worst;
    double rung = floor(log_odds(c.worst) / c.step), last = ceil(FURTHEST / c.step);
    double by = fmax(1, floor((log_odds(fmax(c.worst, c.likely)) / c.step - rung) / 4));
    while (rung < last && !(s->watch != 0 && s->watch->is_stopped)) {
        double to = fmin(last, rung + by);
        if (rejects(s, at_rung(rung, c.step), at_rung(to, c.step), INT64_MAX))
            rung = to;
        else if (by > 1)
            by = floor(by / 2);
        else
            break;
    }
    return fmax(c.worst, rung >= last ? 1 : at_rung(rung, c.step));
}

/* Whether yields with a measure a little below that of a rung are likely rejected: in small
 * populations the next that there are. */
static int likely_rejects(weighted_search *s, double rung, double step)
{
    double low = at_rung(rung - 1, step), high = at_rung(rung, step);
    for (double by = 2; low > 0; by *= 2) {
        direction d = direction_of(s, low, high);
        box all = whole_box(s);
        if (has_yields(s, &d, &all))
            break;
        low = rung - by > -FURTHEST / step ? at_rung(rung - by, step) : 0;
    }
    return rejects(s, low, high, ROUGH_BOXES);
}

int weighted_likely_reaches(weighted_search *s, double q)
{
    /* a test that rejects at a rung may not reject a little below it */
    static const double BELOW[] = {0, 2, 6, 16};
    scale c = prepare(s);
    double rung = ceil(log_odds(q) / c.step);
    if (c.worst >= q)
        return 1;
    double outcomes = 1;
    for (int64_t h = 0; h < s->n_strata; h++)
        outcomes *= group_sample(&s->group[h]) + 1;
    if (outcomes <= LEAST_OUTCOMES)
        return weighted_least(s) >= q;
    for (int i = 0; i < 4; i++)
        if (!likely_rejects(s, rung - BELOW[i], c.step))
            return 0;
    return 1;
}
