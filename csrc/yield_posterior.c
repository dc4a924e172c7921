#include "yield_posterior.h"

#include <math.h>

enum { SINGLES = 256, PARTS = 24 };

static const double DEPTH = 40;        /* counts with exp(-40) of the anchor's probability and less are left out */
static const double NEAR_WHOLE = 1e-12;

/* Γ(k + a)/Γ(k + 1) as a multiple of its value at an anchor: its logarithm is (a - 1) log((k + 1)/(anchor + 1)), which is
 * never large where it matters, and a rest. */
typedef struct {
    double a, anchor, rest;
} gamma_ratio;

typedef struct {
    double unseen, a, b;
    double anchor;  /* a count of which all probabilities are multiples */
    gamma_ratio relevant, other;
} beta_binomial;

/* log Γ(x) less its main terms, x >= 12 */
static double stirling_rest(double x)
{
    double z = 1 / (x * x);
    return (1 / 12.0 - z * (1 / 360.0 - z * (1 / 1260.0 - z * (1 / 1680.0 - z / 1188.0)))) / x;
}

static double ratio_rest(double k, double a)
{
    if (k < 12)
        return lgamma(k + a) - lgamma(k + 1) - (a - 1) * log(k + 1);
    return (k + a - 0.5) * log1p((a - 1) / (k + 1)) - (a - 1) + stirling_rest(k + a) - stirling_rest(k + 1);
}

static double log_ratio_at(const gamma_ratio *g, double k)
{
    return (g->a - 1) * log((k + 1) / (g->anchor + 1)) + (ratio_rest(k, g->a) - g->rest);
}

/* log P(k)/P(anchor), k real */
static double log_relative(const beta_binomial *m, double k)
{
    return log_ratio_at(&m->relevant, k) + log_ratio_at(&m->other, m->unseen - k);
}

static void anchor_set(beta_binomial *m, double unseen, double a, double b)
{
    double mode = a > 1 && b > 1 ? (unseen + 1) * ((a - 1) / (a + b - 2)) : unseen * (a / (a + b));
    double anchor = fmin(unseen, floor(mode));
    *m = (beta_binomial){unseen, a, b, anchor, {a, anchor, ratio_rest(anchor, a)},
                         {b, unseen - anchor, ratio_rest(unseen - anchor, b)}};
}

/* The last count from the anchor to an end whose probability matters. */
static double reach(const beta_binomial *m, double end, double power)
{
    double inside = m->anchor, outside = end;
    if (power < 1 || log_relative(m, end) >= -DEPTH)
        return end;  /* probability grows towards this end, or does not vanish on the way */
    while (fabs(outside - inside) > 1) {
        double middle = floor((inside + outside) / 2);
        *(log_relative(m, middle) >= -DEPTH ? &inside : &outside) = middle;
    }
    return inside;
}

/* P(k + 1)/P(k) */
static inline double step_up(const beta_binomial *m, double k)
{
    return (k + m->a) * (m->unseen - k) / ((k + 1) * (m->unseen - k - 1 + m->b));
}

/* The second derivative of log P, nearly. */
static double bend_at(const beta_binomial *m, double k)
{
    double rest = m->unseen - k;
    return 1 / (k + m->a) - 1 / (k + 1) + 1 / (rest + m->b) - 1 / (rest + 1);
}

/* How many documents a cell from k on holds: a part of the distance to the ends, of the scale of the bulk. */
static double width_at(const beta_binomial *m, double k, double least, double most, double widest)
{
    double from_end = fmin(k, m->unseen - k);
    if (from_end < SINGLES || widest < 2)
        return 1;
    double scale = fmin(from_end, 1 / sqrt(fabs(bend_at(m, k)) + 1e-300));
    double room = m->unseen - SINGLES + 1 - k;  /* the last documents are single again */
    double width = floor(fmin(fmin(fmin(scale / PARTS, widest), (most - least) / 128), fmin(most + 1 - k, room)));
    return width < 2 ? 1 : width;
}

int64_t yield_count_cells(double unseen, double a, double b, double widest)
{
    beta_binomial m;
    anchor_set(&m, unseen, a, b);
    double least = reach(&m, 0, a), most = reach(&m, unseen, b);
    if (widest < 2)
        return (int64_t)(most - least) + 1;
    int64_t n = 0;
    for (double k = least; k <= most; n++)
        k += width_at(&m, k, least, most, widest);
    return n;
}

static double square_log(double x)
{
    return log(x) * log(x);
}

/* Single documents next to each other take their probabilities from one another. */
static double relative_at(const beta_binomial *m, double k, double previous, int follows)
{
    return follows && previous > 1e-290 ? previous * step_up(m, k - 1) : exp(log_relative(m, k));
}

void yield_law_set(yield_law *law, double seen, double unseen, double a, double b, double widest)
{
    beta_binomial m;
    anchor_set(&m, unseen, a, b);
    double least = reach(&m, 0, a), most = reach(&m, unseen, b), previous = 0, total = 0, sum = 0, squares = 0;
    int64_t n = 0, atoms = 0, steps = 0;
    law->n_single = -1;
    for (double k = least; k <= most; n++) {
        double width = width_at(&m, k, least, most, widest), mass = 0;
        law->left[n] = seen + k;
        law->slope[n] = 0;
        if (width == 1) {
            previous = relative_at(&m, k, previous, n > 0 && law->left[n] == law->left[n - 1] + 1 && steps < 512);
            steps = steps < 512 ? steps + 1 : 0;
            mass = law->weight[atoms] = previous;
            law->position[atoms++] = seen + k;
        } else {
            law->n_single = law->n_single < 0 ? n : law->n_single;
            steps = 512;
            double offset = sqrt((width * width - 1) / 12);  /* Gauss points of the sum over width documents */
            for (int i = -1; i < 2; i += 2) {
                double x = k + (width - 1) / 2 + i * offset;
                law->position[atoms] = seen + x;
                mass += law->weight[atoms++] = exp(log_relative(&m, x)) * width / 2;
            }
        }
        law->above[n] = mass;
        total += mass;
        k += width;
        law->left[n + 1] = seen + k;
    }
    law->n_cells = n;
    law->n_atoms = atoms;
    law->n_single = law->n_single < 0 ? n : law->n_single;
    for (int64_t i = 0; i < atoms; i++) {
        law->weight[i] /= total;
        sum += law->weight[i] * (law->position[i] - seen);
    }
    for (int64_t i = 0; i < atoms; i++)
        squares += law->weight[i] * (law->position[i] - seen - sum) * (law->position[i] - seen - sum);
    law->mean = seen + sum;
    law->std = sqrt(squares);
    for (int64_t i = 0; i <= n; i++) {
        int is_wide = (i < n && law->left[i + 1] > law->left[i] + 1) || (i > 0 && law->left[i] > law->left[i - 1] + 1);
        double k = fmax(0, fmin(unseen, law->left[i] - seen) - 1);
        if (is_wide)  /* of a curve whose rises over one document are the probabilities: less P''/24 */
            law->slope[i] = exp(log_relative(&m, k + 0.5)) / total * (1 - (square_log(step_up(&m, k)) + bend_at(&m, k)) / 24);
    }
    law->above[n] = law->slope[n] = 0;
    for (int64_t i = n - 1; i >= 0; i--)
        law->above[i] = law->above[i] / total + law->above[i + 1];
}

/* P(R >= x) where cell i holds x; between the documents a smooth curve. */
static inline double above_in(const yield_law *law, int64_t i, double x)
{
    double width = law->left[i + 1] - law->left[i], t = x - law->left[i], first = law->above[i];
    double second = law->above[i + 1];
    if (width == 1)
        return first + t * (second - first);
    t /= width;
    double u = 1 - t;
    return u * u * (1 + 2 * t) * first + t * t * (1 + 2 * u) * second
           - t * u * width * (u * law->slope[i] - t * law->slope[i + 1]);
}

/* The cell that holds x, from a cell on that is near it. */
static inline int64_t find_cell(const yield_law *law, int64_t i, double x)
{
    if (law->n_single == law->n_cells)
        return (int64_t)(x - law->left[0]);
    while (x >= law->left[i + 1])
        i++;
    while (x < law->left[i])
        i--;
    return i;
}

static inline double above_at(const yield_law *law, int64_t *cell, double x)
{
    if (!(x > law->left[0]))
        return law->above[0];
    if (!(x < law->left[law->n_cells]))
        return 0;
    *cell = find_cell(law, *cell, x);
    return above_in(law, *cell, x);
}

/* The least whole number that is at least x, or above x; numbers within rounding of a whole one are that one. */
static inline double next_whole(double x, int strict)
{
    const double shift = 6755399441055744.0;  /* 1.5 2^52: adding it rounds to whole numbers */
    double near = x + shift - shift, room = NEAR_WHOLE * (fabs(x) > 1 ? fabs(x) : 1);
    if (!(fabs(x) < 0x1p51))
        return x;
    if (fabs(x - near) <= room)
        return near + strict;
    return near < x ? near + 1 : near;
}

static int64_t middle_cell(const yield_law *law)
{
    int64_t low = 0, high = law->n_cells - 1;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (law->above[middle + 1] > 0.5)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double yield_law_above(const yield_law *law, double x)
{
    int64_t cell = middle_cell(law);
    return above_at(law, &cell, next_whole(x, 0));
}

/* What the rounding up of slope k adds on the average over many k: a half, but for a slope b/a with a small a, whose
 * multiples are whole at every a-th k. */
static double mean_rounding(double slope, double offset, int strict)
{
    if (offset != nearbyint(offset))
        return 0.5;
    for (int a = 1; a <= 1000; a++)
        if (fabs(a * slope - nearbyint(a * slope)) <= NEAR_WHOLE * a * fmax(1, fabs(slope)))
            return 0.5 + (strict ? 0.5 : -0.5) / a;
    return 0.5;
}

/* The expectation over `outer` of P(inner >= slope outer + offset).
 *
 * Points that stand for several documents ask for the smooth curve, some half a document on: what the steps between are
 * on the average.  The first, single documents of a wide inner law, whose steps such points may not smooth, are left to a
 * sum over them. */
static double expect_above(const yield_law *outer, const yield_law *inner, double slope, double offset, int strict)
{
    int64_t cell = middle_cell(inner), other = middle_cell(outer), first = outer->n_single, split = 0;
    double sum = 0;
    for (int64_t i = 0; i < first; i++)
        sum += outer->weight[i] * above_at(inner, &cell, next_whole(slope * outer->position[i] + offset, strict));
    if (first == outer->n_atoms)
        return sum;
    if (inner->n_single < inner->n_cells && slope > 0)
        split = inner->n_single;
    for (int64_t i = 0; i < split; i++) {  /* of these cells the first atoms */
        double y = (inner->position[i] - offset) / slope;  /* P(slope outer + offset <= inner, outer not single) */
        double from = next_whole(y, !strict);
        if (from > outer->left[first])
            sum += inner->weight[i] * (outer->above[first] - above_at(outer, &other, from));
    }
    double least = split ? inner->left[split] : -INFINITY, rounding = mean_rounding(slope, offset, strict);
    for (int64_t i = first; i < outer->n_atoms; i++) {
        double x = slope * outer->position[i] + offset + rounding;
        sum += outer->weight[i] * above_at(inner, &cell, x > least ? x : least);
    }
    return sum;
}

double yield_compare(const yield_law *first, const yield_law *second, double slope, double offset, int strict)
{
    int is_first_single = first->n_single == first->n_cells, is_second_single = second->n_single == second->n_cells;
    int first_outside;
    if (is_first_single != is_second_single)
        first_outside = is_first_single;
    else if (is_first_single)
        first_outside = first->n_atoms <= second->n_atoms;
    else  /* spread of slope first + offset against that of second */
        first_outside = fabs(slope) * first->std <= second->std;
    if (slope == 0 || first_outside)
        return expect_above(first, second, slope, offset, strict);
    if (slope < 0)  /* first >= (second - offset)/slope */
        return expect_above(second, first, 1 / slope, -offset / slope, strict);
    return 1 - expect_above(second, first, 1 / slope, -offset / slope, !strict);
}

double yield_below(const yield_law *retrieved, const yield_law *unretrieved, enum yield_measure measure, double x,
                   double beta, double size, int strict)
{
    double square = beta * beta;
    switch (measure) {
    case YIELD_TOTAL:  /* R0 <= x - R1 */
        return 1 - yield_compare(retrieved, unretrieved, -1, x, !strict);
    case YIELD_F:  /* (1 + β²) R1 <= x (β² (R1 + R0) + size) */
        if (x <= 0)
            return strict ? 0 : 1 - yield_law_above(retrieved, 1);
        if (x >= 1 && !strict)
            return 1;
        return yield_compare(retrieved, unretrieved, ((1 + square) / x - square) / square, -size / square, strict);
    default:  /* R0 >= R1 (1 - x)/x */
        if (x <= 0)
            return strict || x < 0 ? 0 : 1 - yield_law_above(retrieved, 1);
        if (x >= 1 && !strict)
            return 1;
        double below = yield_compare(retrieved, unretrieved, (1 - x) / x, 0, strict);
        if (strict)  /* nothing relevant anywhere counts as 0 */
            below += (1 - yield_law_above(retrieved, 1)) * (1 - yield_law_above(unretrieved, 1));
        return below;
    }
}

/* A function that rises through 0 where P(measure <= x) reaches p, or is within rounding of it: the difference of log
 * odds, which is nearly a line over the log odds of recall. */
typedef struct {
    const yield_law *retrieved, *unretrieved;
    enum yield_measure measure;
    double beta, size, log_odds;
} rising;

static double rise_at(const rising *f, double x)
{
    double reached = yield_below(f->retrieved, f->unretrieved, f->measure, x, f->beta, f->size, 0) + 1e-13;
    return reached <= 1e-13 ? -40 : reached >= 1 ? 40 : log(reached / (1 - reached)) - f->log_odds;
}

/* The least and the greatest value of the measure. */
static void ends_of(const rising *f, double *least, double *most)
{
    double r1[2] = {f->retrieved->left[0], f->retrieved->left[f->retrieved->n_cells] - 1};
    double r0[2] = {f->unretrieved->left[0], f->unretrieved->left[f->unretrieved->n_cells] - 1};
    double *ends[2] = {least, most}, square = f->beta * f->beta;
    for (int i = 0; i < 2; i++) {
        double first = r1[i], second = f->measure == YIELD_TOTAL ? r0[i] : r0[1 - i];
        if (f->measure == YIELD_TOTAL)
            *ends[i] = first + second;
        else if (first <= 0)
            *ends[i] = 0;
        else if (f->measure == YIELD_F)
            *ends[i] = (1 + square) * first / (square * (first + second) + f->size);
        else
            *ends[i] = first / (first + second);
    }
}

double yield_quantile(const yield_law *retrieved, const yield_law *unretrieved, enum yield_measure measure, double p,
                      double beta, double size, double guess, double room, double tolerance)
{
    rising f = {retrieved, unretrieved, measure, beta, size, log(p / (1 - p))};
    int is_count = measure == YIELD_TOTAL, side = 0;
    double least, most, low, high, at_low, at_high, x, before = INFINITY;
    ends_of(&f, &least, &most);
    if (p <= 0 || p >= 1)
        return p <= 0 ? least : most;
    if (is_count) {  /* whole numbers only */
        least = floor(least);
        most = ceil(most);
    }
    tolerance = is_count ? 1 : tolerance * fmin(1, most - least);
    low = least;
    high = is_count ? most : most * (1 + 1e-12);
    at_low = INFINITY;  /* not known yet */
    at_high = 40;
    for (; room > tolerance && (x = guess - room) > low; room *= 8) {  /* brackets around the guess */
        double value = rise_at(&f, x);
        if (value < 0) {
            low = x;
            at_low = value;
            break;
        }
        high = x;
        at_high = value;
    }
    for (; room > tolerance && (x = guess + room) < high; room *= 8) {
        double value = rise_at(&f, x);
        if (value >= 0) {
            high = x;
            at_high = value;
            break;
        }
        low = x;
        at_low = value;
    }
    if (low == least && (at_low = rise_at(&f, low)) >= 0)
        return least;
    for (int i = 0; i < 200 && high - low > tolerance; i++) {  /* Illinois; halving where three steps did not */
        double share = -at_low / (at_high - at_low);
        x = low + share * (high - low);
        if (low > 0 && high < 1 && !is_count) {  /* the same on the scale of log odds */
            double first = log(low / (1 - low)), second = log(high / (1 - high));
            x = 1 / (1 + exp(-(first + share * (second - first))));
        }
        if (i % 3 == 2) {
            x = high - low > before / 8 ? 0.5 * (low + high) : x;
            before = high - low;
        }
        x = is_count ? fmax(low + 1, fmin(high - 1, floor(x)))
                     : fmax(low + tolerance / 3, fmin(high - tolerance / 3, x));
        double value = rise_at(&f, x);
        if (value >= 0) {
            high = x;
            at_high = value;
            at_low = side == 1 ? at_low / 2 : at_low;
            side = 1;
        } else {
            low = x;
            at_low = value;
            at_high = side == -1 ? at_high / 2 : at_high;
            side = -1;
        }
    }
    return high > most - tolerance ? most : high;
}

double yield_law_quantile(const yield_law *law, double p)
{
    double low = law->left[0] - 1, high = law->left[law->n_cells] - 1;
    int64_t cell = middle_cell(law);
    while (high - low > 1) {
        double middle = floor((low + high) / 2);
        if (1 - above_at(law, &cell, middle + 1) >= p)
            high = middle;
        else
            low = middle;
    }
    return high;
}
