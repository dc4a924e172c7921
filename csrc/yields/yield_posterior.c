/* Distribution function and quantiles of recall, F and the yield.
 * The contract is in yield_posterior.h. */

#include "yields/yield_posterior.h"

#include "yields/yield_line.h"

#include <math.h>

enum { FEW = 16, LARGEST_MULTIPLE = 1000, MULTIPLES = 16, TURNS = 6 };

/* Probabilities of single counts below this need no care with rounding. */
static const double SMOOTH = 1e-11;

/* Fractions b/a ever nearer to a slope s, by their a, with a s - b: with this the parts u that
 * rounding up adds to s k + offset drift from one k to the next but a - 1. */
typedef struct {
    int n;
    double multiple[MULTIPLES], drift[MULTIPLES], offset;
} rounding;

/* The periodic polynomials of Bernoulli of degrees 1 to 3. */
static double bernoulli(int degree, double t)
{
    t -= floor(t);
    return degree == 1 ? t - 0.5 : degree == 2 ? t * (t - 1) + 1 / 6.0 : t * (t - 0.5) * (t - 1);
}

/* The mean of B(t) over t - d .. t + d. */
static double mean_bernoulli(int degree, double t, double d)
{
    return (bernoulli(degree + 1, t + d) - bernoulli(degree + 1, t - d)) / (2 * d * (degree + 1));
}

/* The fractions of the slope with a up to 1000: what goes round in steps of a thousandth averages
 * out. */
static rounding rounding_of(double slope, double offset)
{
    rounding r = {0, {0}, {0}, offset};
    double s = fabs(slope), rest = s, before = 0, a = 1, next;
    while (a <= LARGEST_MULTIPLE && r.n < MULTIPLES) {
        double drift = a * s - nearbyint(a * s);
        if (r.n == 0 || a > before) { /* the first two may both be 1 */
            r.multiple[r.n] = a;
            r.drift[r.n++] = slope < 0 ? -drift : drift;
        }
        rest = 1 / (rest - floor(rest));
        if (!(rest < 1e15))
            break;
        next = floor(rest) * a + before;
        before = a;
        a = next;
    }
    return r;
}

/* The means of B1(u) and B2(u) over the counts x near a point of a line, of which it stands for
 * `share`, n in the piece. If u took the values v + i/a, i < a, they would be B1(a v)/a and B2(a
 * v)/a^2; a v drifts.  Fractions that make many turns in the piece average out; those with
 * long periods do not complete one. */
static void mean_rounding(const rounding *r, double x, double y, double share, double n, int strict,
                          double *means)
{
    means[0] = means[1] = 0;
    for (int i = 0; i < r->n && 4 * r->multiple[i] <= n; i++) {
        double a = r->multiple[i], place = -(r->drift[i] * x + a * r->offset),
               half = fabs(r->drift[i]) * share / 2;
        if (fabs(r->drift[i]) * n > TURNS)
            continue;
        if (half > 1e-6) {
            means[0] += mean_bernoulli(1, place, half) / a;
            means[1] += mean_bernoulli(2, place, half) / (a * a);
        } else {
            int is_whole = fabs(place - nearbyint(place)) <= NEAR_WHOLE * a * fmax(1, fabs(y));
            means[0] += (is_whole ? (strict ? 0.5 : -0.5) : bernoulli(1, place)) / a;
            means[1] += (is_whole ? 1 / 6.0 : bernoulli(2, place)) / (a * a);
        }
    }
}

/* P(law >= y rounded up) on the average: Q(y + u) = I(y) - B1(u) P(y) - B2(u)/2 P'(y) ..., where
 * the means of B1 and B2 are 0 if u is spread evenly. */
static double smooth_above(const yield_law *law, int64_t cell, double y, const double *means)
{
    double width = law->left[cell + 1] - law->left[cell], t = place_in(law, cell, y);
    double value = polynomial(integral_of(law, cell), CURVE_DEGREE + 1, t);
    if (means[0] == 0 && means[1] == 0)
        return value;
    const double *p = probabilities_of(law, cell);
    double probability = p[CURVE_DEGREE], slope = 0;
    for (int k = CURVE_DEGREE - 1; k >= 0; k--) {
        slope = slope * t + probability;
        probability = probability * t + p[k];
    }
    return value - means[0] * probability - means[1] * slope / width;
}

/* P(x <= count < end) in a cell. */
static double mass_between(const yield_law *law, int64_t cell, double x, double end)
{
    const double *tail = tail_of(law, cell);
    return polynomial(tail, CURVE_DEGREE + 1, place_in(law, cell, x))
           - polynomial(tail, CURVE_DEGREE + 1, place_in(law, cell, end));
}

/* P(law >= y), y whole and within the law; the cell is followed. */
static inline double above_whole(const yield_law *law, int64_t *cell, double y)
{
    *cell = find_cell(law, *cell, y);
    if (law->which == 0 || law->which[*cell] < 0)
        return law->above[*cell];
    return polynomial(tail_of(law, *cell), CURVE_DEGREE + 1, place_in(law, *cell, y));
}

/* The last x from `from` to `to` for which what is needed is on the same side of a bound as at
 * `from`: at most `bound` on a rising line, at least `bound` on a falling one.  Division tells it
 * but for rounding: from there by growing steps. */
static double last_within(const line *l, double from, double to, double bound)
{
    double y = l->slope > 0 ? bound : bound - 1, x = floor((y - l->offset) / l->slope),
           way = l->slope > 0 ? 1 : -1;
    double inside = from, outside = to + 1;
    x = x > from ? fmin(x, to) : from;
    for (double step = 1; inside + 1 < outside; step *= 2) {
        if (way * (needed(l, x) - bound) <= 0) {
            inside = x;
            x = fmin(x + step, outside - 1);
        } else {
            outside = x;
            x = fmax(x - step, inside + 1);
        }
        if (step > 4)
            x = floor((inside + outside) / 2);
    }
    return inside;
}

/* The sum over the counts x .. last of one cell of P(x) P(inner >= needed), which all lie in one
 * cell of the inner law. */
static double piece(const yield_law *outer, int64_t i, const yield_law *inner, int64_t j, double x,
                    double last, const line *l, const rounding *r)
{
    double n = last - x + 1, sum = 0;
    const double *p = probabilities_of(outer, i);
    if (inner->which[j] < 0)
        return inner->above[j] * mass_between(outer, i, x, last + 1);
    if (n <= FEW) {
        for (; x <= last; x++)
            sum +=
                polynomial(p, CURVE_DEGREE, place_in(outer, i, x))
                * polynomial(tail_of(inner, j), CURVE_DEGREE + 1, place_in(inner, j, needed(l, x)));
        return sum;
    }
    if (n * fabs(l->slope)
        <= FEW) { /* few counts of the other law, each needed by many documents */
        for (double to; x <= last; x = to + 1) {
            double y = needed(l, x);
            to = last_within(l, x, last, y);
            sum += mass_between(outer, i, x, to + 1)
                   * polynomial(tail_of(inner, j), CURVE_DEGREE + 1, place_in(inner, j, y));
        }
        return sum;
    }
    gauss_rule rule = gauss_rule_of(n);
    const double place[CELL_ATOMS] = {-rule.far, -rule.near, rule.near, rule.far};
    for (int k = 0; k < CELL_ATOMS; k++) {
        double at = x + (n - 1) / 2 + place[k],
               share = n * (k == 0 || k == 3 ? rule.far_share : rule.near_share);
        double y = l->slope * at + l->offset, means[2];
        mean_rounding(r, at, y, share, n, l->strict, means);
        sum += polynomial(p, CURVE_DEGREE, place_in(outer, i, at)) * share
               * smooth_above(inner, j, y, means);
    }
    return sum;
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

/* The sum over one cell of many documents. */
static double cell_sum(const yield_law *outer, int64_t i, const yield_law *inner, int64_t *j,
                       const line *l, const rounding *r)
{
    double last = outer->left[i + 1] - 1, least = inner->left[0], end = inner->left[inner->n_cells],
           sum = 0, to;
    for (double x = outer->left[i]; x <= last; x = to + 1) {
        double y = needed(l, x);
        int rises = l->slope > 0;
        if (y <= least) {
            to = rises ? last_within(l, x, last, least) : last;
            sum += inner->above[0] * mass_between(outer, i, x, to + 1);
        } else if (y >= end) {
            if (rises)
                break;
            to = last_within(l, x, last, end);
        } else {
            *j = find_cell(inner, *j, y);
            to = last_within(l, x, last, rises ? inner->left[*j + 1] - 1 : inner->left[*j]);
            sum += piece(outer, i, inner, *j, x, to, l, r);
        }
    }
    return sum;
}

/* The same where each count of both laws has a cell.  The needed count is first brought to half a
 * document from what the inner law has, so that its cell is always there, the one after the last
 * included.  Without branches a count takes 3 ns, with those of expect_above 7 (measured). */
static double expect_above_singles(const yield_law *outer, const yield_law *inner, line l)
{
    const double shift = 6755399441055744.0; /* as in next_whole; counts are below 2^50 */
    double least = inner->left[0], lowest = least - 0.5,
           highest = inner->left[inner->n_cells] - 0.5, sum = 0;
    for (int64_t i = 0; i < outer->n_cells; i++) {
        double y = l.slope * outer->left[i] + l.offset;
        y = y > lowest ? y : lowest;
        y = y < highest ? y : highest;
        double near = y + shift - shift, above = y - near, tolerance = rounding_at(&l, y);
        int rounds_up = l.strict ? above >= -tolerance : above > tolerance;
        sum += outer->weight[i] * inner->above[(int64_t)(near - least) + rounds_up];
    }
    return sum;
}

/* The expectation over `outer` of P(inner >= slope outer + offset), slope not 0. */
static double expect_above(const yield_law *outer, const yield_law *inner, line l)
{
    double least = inner->left[0], end = inner->left[inner->n_cells], sum = 0;
    if (is_all_single(outer) && is_all_single(inner))
        return expect_above_singles(outer, inner, l);
    int64_t j = middle_cell(inner);
    rounding r = {0, {0}, {0}, 0};
    if (!is_all_single(outer) && !is_all_single(inner) && SMOOTH * inner->std < 1)
        r = rounding_of(l.slope, l.offset);
    for (int64_t i = 0; i < outer->n_cells; i++) {
        if (outer->which[i] >= 0) {
            sum += cell_sum(outer, i, inner, &j, &l, &r);
            continue;
        }
        double y = needed(&l, outer->left[i]);
        if (y <= least)
            sum += outer->weight[i] * inner->above[0];
        else if (y < end)
            sum += outer->weight[i] * above_whole(inner, &j, y);
    }
    return sum;
}

double yield_compare(const yield_law *first, const yield_law *second, double slope, double offset,
                     int strict)
{
    line l = line_of(slope, offset, strict);
    int is_first_single = is_all_single(first), is_second_single = is_all_single(second);
    int first_outside;
    if (is_first_single != is_second_single)
        first_outside = is_first_single;
    else if (is_first_single)
        first_outside = first->n_cells <= second->n_cells;
    else /* so that there are no more pieces than cells */
        first_outside = fabs(slope) <= 1;
    if (slope == 0)
        return yield_law_above(second, next_whole(offset, NEAR_WHOLE, strict));
    if (first_outside)
        return expect_above(first, second, l);
    if (slope < 0) /* first >= (second - offset)/slope */
        return expect_above(second, first, turned(l, strict));
    return 1 - expect_above(second, first, turned(l, !strict));
}

double yield_below(const yield_law *retrieved, const yield_law *unretrieved,
                   enum yield_measure measure, double x, double beta, double size, int strict)
{
    line l;
    switch (measure) {
    case YIELD_TOTAL: /* R0 <= x - R1 */
        return 1 - yield_compare(retrieved, unretrieved, -1, x, !strict);
    case YIELD_F: /* (1 + β²) R1 <= x (β² (R1 + R0) + size) */
        if (x <= 0)
            return strict ? 0 : 1 - yield_law_above(retrieved, 1);
        if (x >= 1 && !strict)
            return 1;
        l = line_of_measure(measure, x, beta, size, strict);
        return yield_compare(retrieved, unretrieved, l.slope, l.offset, strict);
    default: /* R0 >= R1 (1 - x)/x */
        if (x <= 0)
            return strict || x < 0 ? 0 : 1 - yield_law_above(retrieved, 1);
        if (x >= 1 && !strict)
            return 1;
        l = line_of_measure(measure, x, beta, size, strict);
        double below = yield_compare(retrieved, unretrieved, l.slope, l.offset, strict);
        if (strict) /* nothing relevant anywhere counts as 0 */
            below += (1 - yield_law_above(retrieved, 1)) * (1 - yield_law_above(unretrieved, 1));
        return below;
    }
}
