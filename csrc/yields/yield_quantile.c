/* Quantiles of recall, F and the yield. The contract is in yield_posterior.h. */

#include <math.h>

#include "numeric/merge_sort.h"
#include "yields/yield_line.h"
#include "yields/yield_posterior.h"

/* Values of a measure that are listed in the end.  A list of 256 is sorted in 10 us, as long as one
 * to ten sums over a law take; it ends a search that would halve 20 to 30 times more. */
enum { LISTED = 256, EXPECTED = LISTED / 2 };

/* Probabilities within rounding of p reach it. */
static const double SLACK = 1e-13;

/* A function that rises through 0 where P(measure <= x) reaches p, or is within rounding of it: the
 * difference of log odds, which is nearly a line over the log odds of recall. */
typedef struct {
    const yield_law *retrieved, *unretrieved;
    enum yield_measure measure;
    double beta, size, log_odds;
} rising;

static double rise_at(const rising *f, double x)
{
    double reached =
        yield_below(f->retrieved, f->unretrieved, f->measure, x, f->beta, f->size, 0) + SLACK;
    return reached <= SLACK ? -40 : reached >= 1 ? 40 : log(reached / (1 - reached)) - f->log_odds;
}

static double value_of(const rising *f, double first, double second)
{
    double square = f->beta * f->beta;
    if (f->measure == YIELD_TOTAL)
        return first + second;
    if (first <= 0)
        return 0;
    return f->measure == YIELD_F ? (1 + square) * first / (square * (first + second) + f->size)
                                 : first / (first + second);
}

/* The least and the greatest value of the measure. */
static void ends_of(const rising *f, double *least, double *most)
{
    double r1[2] = {f->retrieved->left[0], f->retrieved->left[f->retrieved->n_cells] - 1};
    double r0[2] = {f->unretrieved->left[0], f->unretrieved->left[f->unretrieved->n_cells] - 1};
    int is_count = f->measure == YIELD_TOTAL;
    *least = value_of(f, r1[0], r0[is_count ? 0 : 1]);
    *most = value_of(f, r1[1], r0[is_count ? 1 : 0]);
}

typedef struct {
    double value, mass;
} atom;

static inline int atom_follows(int unused, atom one, atom other)
{
    (void)unused;
    return one.value > other.value;
}

MERGE_SORT(sort_atoms, atom, int, atom_follows)

/* Sort atoms and join those of one value; how many are left. */
static int64_t joined(atom *atoms, int64_t n)
{
    atom scratch[LISTED];
    int64_t kept = 0;
    sort_atoms(atoms, n, scratch, 0, 0);
    for (int64_t i = 0; i < n; i++) {
        if (kept > 0 && atoms[kept - 1].value == atoms[i].value)
            atoms[kept - 1].mass += atoms[i].mass;
        else
            atoms[kept++] = atoms[i];
    }
    return kept;
}

/* About how many pairs of counts have a value above `low` and up to `high`: for each R1 those R0
 * between two lines of nearly one offset, as far as these pass through the law of R0. */
static double expected_between(const rising *f, double low, double high)
{
    const yield_law *one = f->retrieved, *other = f->unretrieved;
    line first = line_of_measure(f->measure, low, f->beta, f->size, 0),
         second = line_of_measure(f->measure, high, f->beta, f->size, 0);
    double n = (double)one->n_cells, last = one->left[one->n_cells];
    double least = other->left[0], end = other->left[other->n_cells];
    if (second.slope > 0) {
        n = fmin(n, (end - least) / second.slope + 1);
        last = fmin(last, (end - second.offset) / second.slope);
    }
    return n * last * (first.slope - second.slope);
}

/* The least of the values above `low` and up to `high` at which the probability reaches p, from a
 * list of them: both laws have a cell for every count.  0 if there are too many or none. */
static int listed_quantile(const rising *f, double p, double low, double high, double *x)
{
    const yield_law *one = f->retrieved, *other = f->unretrieved;
    line first = line_of_measure(f->measure, low, f->beta, f->size, 0),
         second = line_of_measure(f->measure, high, f->beta, f->size, 0);
    double least = other->left[0], end = other->left[other->n_cells];
    atom atoms[LISTED];
    int64_t n = 0;
    for (int64_t i = 0; i < one->n_cells; i++) {
        double r1 = one->left[i], to = fmin(needed(&first, r1), end);
        for (double r0 = fmax(needed(&second, r1), least); r0 < to; r0++) {
            if (n == LISTED
                && (n = joined(atoms, n)) > EXPECTED) /* many pairs have the value 1/2 */
                return 0;
            atoms[n++] =
                (atom){value_of(f, r1, r0), one->weight[i] * other->weight[(int64_t)(r0 - least)]};
        }
    }
    n = joined(atoms, n);
    double reached = yield_below(one, other, f->measure, low, f->beta, f->size, 0) + SLACK;
    if (n == 0)
        return 0;
    int64_t i = 0; /* the first one, too, where rounding has reached p at `low` */
    while (i < n - 1 && (reached += atoms[i].mass) < p)
        i++;
    *x = atoms[i].value;
    return 1;
}

/* Brackets around the guess grow eightfold.  Then regula falsi (Illinois) on the scale of log odds,
 * where the function is nearly a line.  At every third step the bracket is halved, unless the last
 * three steps did as much as three halvings: steps of the law cannot stall the search, and 200
 * steps halve at least 66 times, more than a double has bits.  Where every count has a cell, the
 * last values are listed.  Each x stays a third of the tolerance within the bracket, so that both
 * of its ends move.  +-40 stands for log odds of 0 and 1: e^-40 = 4e-18 is below the rounding of
 * probabilities.  It is longer than 60 lines because both searches move the same bracket. */
double yield_quantile(const yield_law *retrieved, const yield_law *unretrieved,
                      enum yield_measure measure, double p, double beta, double size, double guess,
                      double bracket, double tolerance)
{
    rising f = {retrieved, unretrieved, measure, beta, size, log(p / (1 - p))};
    int is_count = measure == YIELD_TOTAL, side = 0,
        has_every_count = !is_count && is_all_single(retrieved) && is_all_single(unretrieved);
    double least, most, low, high, at_low, at_high, x, before = INFINITY;
    ends_of(&f, &least, &most);
    if (p <= 0 || p >= 1)
        return p <= 0 ? least : most;
    if (is_count) { /* whole numbers only */
        least = floor(least);
        most = ceil(most);
    }
    tolerance = is_count ? 1 : tolerance * fmin(1, most - least);
    low = least;
    high = is_count ? most : most * (1 + 1e-12);
    at_low = INFINITY; /* not known yet */
    at_high = 40;
    for (; bracket > tolerance && (x = guess - bracket) > low;
         bracket *= 8) { /* brackets around the guess */
        double value = rise_at(&f, x);
        if (value < 0) {
            low = x;
            at_low = value;
            break;
        }
        high = x;
        at_high = value;
    }
    for (; bracket > tolerance && (x = guess + bracket) < high; bracket *= 8) {
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
    double part = tolerance;
    for (int i = 0; i < 200; i++) { /* Illinois; halving where three steps did not */
        if (!is_count)              /* a small recall as a part of itself */
            tolerance = part * fmin(1, high);
        if (high - low <= tolerance)
            break;
        if (has_every_count && expected_between(&f, low, high) <= EXPECTED
            && listed_quantile(&f, p, low, high, &x))
            return x;
        double share = -at_low / (at_high - at_low);
        x = low + share * (high - low);
        if (low > 0 && high < 1 && !is_count) { /* the same on the scale of log odds */
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
