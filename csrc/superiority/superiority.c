/* P(A > B + margin) of two independent Beta or F variates. The contract is in superiority.h. */

#include "superiority/superiority.h"

#include <math.h>

#include "numeric/line_integral.h"
#include "superiority/mellin.h"
#include "numeric/panel_integral.h"
#include "superiority/superiority_bounds.h"

/* Densities are followed down to exp(-42), 6e-19, of their greatest. */
static const double DEPTH = 42;
/* Standard deviations to there in a normal density: (2 × 42)^1/2. */
static const double REACH = 9.2;
static const double AGREED = 1e-12; /* of answers, and 10 times what rounding may make of them */
/* Tolerance of sums, whose error is about its 3/2th power; the other method checks it. */
static const double SETTLED = 3e-7;
static const double FIRMLY = 1e-11; /* or else they are taken as far as they go */
/* Two rules on a panel differ by less; the error is near their difference at times.  With 2e-11,
 * sums that had not settled yet agreed with such an error by chance: it was 1.2e-11 where 8e-13 was
 * stated, for a Beta law of the shapes 2.0024 and .0024. */
static const double PANEL = 1e-13;
static const double NOTHING = 1e-17; /* of probabilities beside 1 */
/* Rounding that both methods share beyond what is stated: an error of 7.1e-13 where 6.5e-13 was. */
static const double SHARED = 2e-13;
/* Error of two tails, of which bounds are made: 7e-12 was seen, relative 1e-12 of small ones. */
static const double TAILS = 2e-11, TAILS_DIGITS = 1e-10;
/* A probability below it has more digits in a sum of densities than in one of a transform, which
 * was off by 1.5e-12 of 1e-10. */
static const double SMALL_PROBABILITY = 1e-6;
static const double FARTHEST = 600; /* log odds whose exp is in the range of doubles */
/* Beyond these log odds, shares are far below the least margin, 5e-324 = e^-744. */
static const double BEYOND_MARGINS = 800;
static const double STEP = 0.3;
/* Differences below it have a probability of no more than 1e-40 times the density of the
 * difference, 1e6 for counts of 10^12, or 1e-40^0.6 = 1e-24 where both shapes are LEAST_PLAIN. */
static const double LEAST_MARGIN = 1e-40;
static const double LEAST_PLAIN = 0.3;
/* Log odds from a law's bulk, or from the margin, to where an integrand that falls by the length of
 * an interval is below e^-60, 1e-26, of it. */
static const double PAST = 60;

enum {
    GAP_POINTS = 8,
    MOST_NODES = 768,
    MOST_TERMS = 700,
    MOST_EDGES = 112, /* at least 2 × (17 + 2 MOST_STEPS) landmarks and 6 of by_panels */
    MOST_STEPS = 16,
    MOST_CALLS = 30000,
    MOST_NESTED = 6000
};

/* A law, the other one, and what is to be integrated over the first: its density times P(other <
 * value - margin). */
typedef struct {
    const share_law *law, *other;
    double shift;          /* of the centres, law's less other's */
    double margin, length; /* with a margin: x = most(margin, 0) + length σ(v) */
    double centre, scale;  /* of v = centre + scale sinh t, or of the offset from law's centre
                              without a margin */
} role;

typedef struct {
    double value;
    double error;
    int has_settled;
} answer;

/* The integrand over offsets from the law's centre. */
static double at_offset(double x, const void *context)
{
    const role *r = context;
    double density = share_density(r->law, x);
    return density > 0 ? density * share_tails(r->other, x + r->shift).below : 0;
}

/* log(e^a + e^b) */
static double log_of_sum(double a, double b)
{
    return fmax(a, b) + log1p(exp(-fabs(a - b)));
}

/* The same with a margin, over v, the log odds of the place between the ends: x - margin is a value
 * of the other. */
static double at_place(double v, const void *context)
{
    const role *r = context;
    double past = fmax(r->margin, 0), short_of = fmax(-r->margin, 0), odds, other_odds, slope;
    if (fabs(v) > BEYOND_MARGINS)
        return 0;
    if (fabs(v) < FARTHEST / 2) {
        double share = r->length / (1 + exp(-v)), rest = r->length / (1 + exp(v));
        double x = past + share, y = short_of + rest;
        odds = log(x / y);
        other_odds = log((short_of + share) / (past + rest));
        slope = share * rest / r->length / (x * y);
    } else { /* in logarithms: products of shares may be out of the range of doubles */
        double all = log(r->length), share = all - log_of_sum(0, -v), rest = all - log_of_sum(0, v);
        double x = log_of_sum(log(past), share), y = log_of_sum(log(short_of), rest);
        odds = x - y;
        other_odds = log_of_sum(log(short_of), share) - log_of_sum(log(past), rest);
        slope = exp(share + rest - all - x - y);
    }
    double density = share_density(r->law, odds - r->law->centre) * slope;
    return density > 0 ? density * share_tails(r->other, other_odds - r->other->centre).below : 0;
}

static line_value along(double t, const void *context)
{
    const role *r = context;
    double place = r->centre + r->scale * sinh(t);
    double value = (r->margin == 0 ? at_offset(place, r) : at_place(place, r)) * r->scale * cosh(t);
    return (line_value){value, value};
}

/* Left out by the places: the law beyond all values of the other, and shares nearer to 0 or 1
 * than e^-800, which laws with tiny shapes have; there the other's distribution function is
 * constant. */
static double left_out(const role *r)
{
    if (r->margin == 0)
        return 0;
    double size = fabs(r->margin), end = log(r->length) - BEYOND_MARGINS,
           at_margin = log(size) - log1p(-size);
    if (r->margin < 0)
        return share_tails(r->law, -at_margin - r->law->centre).above
               + share_tails(r->law, end - r->law->centre).below
                     * share_tails(r->other, at_margin - r->other->centre).below;
    return share_tails(r->law, -end - r->law->centre).above
           * share_tails(r->other, -at_margin - r->other->centre).below;
}

/* `expected` is what another method found, or nan: a sum so near to it is not halved again, which
 * halves the time of some.  Coarse sums come near to a wrong one by chance, 5e-12 was too far. */
static answer by_terms(const role *r, double tolerance, double expected, double agreed)
{
    double beyond = left_out(r);
    line_integral line = {along, r,          INFINITY,          0,     INFINITY, STEP, tolerance,
                          1,     MOST_TERMS, expected - beyond, agreed};
    line_sum sum = integrate_line(&line);
    return (answer){sum.value + beyond, sum.difference, sum.has_settled};
}

/* Gauss's 8 points on [-1, 1], those of the right half. */
static const double gap_point[GAP_POINTS / 2] = {
    0.183434642495649804939476142360, 0.525532409916328985817739049189,
    0.796666477413626739591553936476, 0.960289856497536231683560868569};
static const double gap_weight[GAP_POINTS / 2] = {
    0.362683783378361982965150449277, 0.313706645877887287337962201987,
    0.222381034453374470544355994426, 0.101228536290376259152531354310};

static double held_between(const share_law *law, double low, double high)
{
    double middle = (low + high) / 2, half = (high - low) / 2, sum = 0;
    for (int i = 0; i < GAP_POINTS / 2; i++)
        sum += gap_weight[i]
               * (share_density(law, middle - half * gap_point[i])
                  + share_density(law, middle + half * gap_point[i]));
    return sum * half;
}

/* The expectation of a wider Beta law's distribution function over a Beta law, from densities and
 * one tail: it rises from term to term by the integral between them. */
static answer by_gaps(const role *r)
{
    double p = r->law->ratio.p, q = r->law->ratio.q, left = asinh(REACH + DEPTH / (p * r->scale));
    double right = asinh(REACH + DEPTH / (q * r->scale)), place[MOST_NODES + 1], sums[2], held[2];
    answer result = {0, 0, 0};
    for (int n = 2 * (int)ceil((left + right) / STEP); n <= MOST_NODES && !result.has_settled;
         n *= 2) {
        double h = (left + right) / n;
        int middle = (int)(left / h);
        for (int k = 0; k <= n; k++)
            place[k] = r->centre + r->scale * sinh(k * h - left);
        sums[0] = sums[1] = held[0] = held[1] = 0;
        double start = share_tails(r->other, place[middle] + r->shift).below;
        for (int way = -1; way < 2; way += 2) {
            double below = start;
            for (int k = way < 0 ? middle : middle + 1; k >= 0 && k <= n; k += way) {
                if (k != middle)
                    below += held_between(r->other, place[k - way] + r->shift, place[k] + r->shift);
                double weight =
                    share_density(r->law, place[k]) * r->scale * cosh(k * h - left) * 2 * h;
                sums[k & 1] += weight * below;
                held[k & 1] += weight;
            }
        }
        result.error = fmax(fabs(sums[0] - sums[1]), fmax(fabs(held[0] - 1), fabs(held[1] - 1)));
        result.value = (sums[0] + sums[1]) / 2;
        result.has_settled = result.error <= FIRMLY * 10;
    }
    return result;
}

/* Where the law has its bulk, as offsets from its centre, and the places where F_β's law may be as
 * narrow as X/(Y + Z) is: there only Y counts, or only Z. */
static int landmarks(const share_law *law, double *offsets)
{
    const log_ratio *ratio = &law->ratio;
    const double steps[] = {-8, -3, -1, 0, 1, 3, 8}, near[] = {-4, -1, 1, 4};
    double narrow = sqrt(1 / fmax(ratio->p, 0.5) + 1 / fmax(law->n, 0.5));
    double mean = log((law->w2 * ratio->q + law->w3 * ratio->r) / law->n);
    double least_weight = log(fmin(law->w2, law->w3)) - mean,
           most_weight = log(fmax(law->w2, law->w3)) - mean;
    int n = 0;
    for (int i = 0; i < 7; i++)
        offsets[n++] = steps[i] * ratio->spread;
    /* the ends: those of log X/(Y + Z), where only the heavier of Y and Z counts, or the lighter
     * one */
    offsets[n++] = -REACH * narrow - DEPTH / ratio->p - most_weight;
    offsets[n++] = REACH * narrow + DEPTH / law->n - least_weight;
    for (int i = 0; i < 8 && !is_beta(law); i++)
        offsets[n++] = mean - log(i < 4 ? law->w2 : law->w3) + near[i % 4] * narrow;
    /* From the bulk to the ends each panel is four times as long as the one before: in a tail
     * that is heavier than a normal one, a panel of 800 spreads had all its points beyond 1.6e-11
     * of the probability. */
    double step = 4 * steps[6] * ratio->spread;
    for (int i = 0; i < MOST_STEPS; i++, step *= 4) {
        if (-step > offsets[7])
            offsets[n++] = -step;
        if (step < offsets[8])
            offsets[n++] = step;
    }
    return n;
}

/* v for an offset from a law's centre; `past` and `short_of` are 0 and 1 less the ends of v's
 * interval. */
static double place_of(const share_law *law, double offset, double past, double short_of)
{
    double odds = exp(law->centre + offset), x = odds / (1 + odds), y = 1 / (1 + odds);
    return x <= past ? -INFINITY : y <= short_of ? INFINITY : log((x - past) / (y - short_of));
}

static answer by_panels(const role *r, double tolerance)
{
    double edges[MOST_EDGES], offsets[2][MOST_EDGES];
    int n_law = landmarks(r->law, offsets[0]), n_other = landmarks(r->other, offsets[1]), n = 0;
    double past = fmax(r->margin, 0), short_of = fmax(-r->margin, 0), least, most;
    if (r->margin == 0) {
        least = offsets[0][7];
        most = offsets[0][8];
    } else { /* beyond the ends a law of x falls as x^p down to the margin, and probabilities of
                intervals by their length at least */
        double at_margin = log(fabs(r->margin));
        least = -PAST + (past > 0 ? at_margin : fmin(r->law->centre, 0) - DEPTH / r->law->ratio.p);
        most = PAST - (short_of > 0 ? at_margin : -fmax(r->law->centre, 0) - DEPTH / r->law->n);
        least = fmax(-BEYOND_MARGINS, least);
        most = fmin(BEYOND_MARGINS, most);
        for (int i = -1; i < 2; i++) { /* where the margin is as long as what is beside it */
            edges[n++] = fmax(least, fmin(most, at_margin + 6 * i));
            edges[n++] = fmax(least, fmin(most, -at_margin + 6 * i));
        }
    }
    edges[n++] = least;
    edges[n++] = most;
    for (int i = 0; i < n_law + n_other; i++) {
        double offset = i < n_law ? offsets[0][i] : offsets[1][i - n_law], edge;
        if (r->margin == 0)
            edge = i < n_law ? offset : offset - r->shift;
        else
            edge = i < n_law ? place_of(r->law, offset, past, short_of)
                             : place_of(r->other, offset, short_of, past);
        if (edge > least && edge < most)
            edges[n++] = edge;
    }
    for (int i = 1; i < n; i++) /* sort */
        for (int k = i; k > 0 && edges[k] < edges[k - 1]; k--) {
            double other = edges[k];
            edges[k] = edges[k - 1];
            edges[k - 1] = other;
        }
    int calls = is_beta(r->law) && is_beta(r->other) ? MOST_CALLS : MOST_NESTED;
    panel_sum sum =
        integrate_panels(r->margin == 0 ? at_offset : at_place, r, edges, n, tolerance, calls);
    return (answer){sum.value + left_out(r), sum.error, sum.calls < calls};
}

static role role_of(const share_law *law, const share_law *other, double margin)
{
    role r = {law, other, 0, margin, 1 - fabs(margin), 0, law->ratio.spread};
    if (margin == 0) {
        r.shift = centre_difference(law, other);
        if (is_beta(law)) {
            double p = fmax(law->ratio.p, 0.5), q = fmax(law->ratio.q, 0.5);
            r.centre = log(p / law->ratio.p) - log(q / law->ratio.q);
            r.scale = sqrt(1 / p + 1 / q);
        }
        return r;
    }
    double past = fmax(margin, 0), x = 1 / (1 + exp(-law->centre)), y = 1 / (1 + exp(law->centre));
    double into = fmin(fmax(x - past, 1e-3 * r.length), (1 - 1e-3) * r.length),
           out = r.length - into;
    if (past == 0 && x < into)
        into = x; /* a law near 0, which is an end of the interval, too */
    if (margin > 0 && y < out)
        out = y;
    r.centre = log(into / out);
    r.scale = fmin(fmax(law->ratio.spread * x * y * r.length / (into * out), 1e-9), 3);
    return r;
}

static double rounding_of(const share_law *a, const share_law *b, double margin)
{
    /* A relative error e of shapes and odds moves log odds by e, which is e/spread standard
     * deviations.  Sums over both laws share some rounding of log gammas: where they agreed to
     * 2e-14, the largest error found was 3.4e-13. */
    return 4e-13 + (margin == 0 ? 3e-16 : 2e-15) / fmin(a->ratio.spread, b->ratio.spread);
}

static double least_shape(const share_law *law)
{
    return fmin(law->ratio.p, is_beta(law) ? law->ratio.q : fmin(law->ratio.q, law->ratio.r));
}

static superiority integrated(const share_law *a, const share_law *b, double margin)
{
    int is_a = a->ratio.spread <= b->ratio.spread, are_beta = is_beta(a) && is_beta(b);
    role over_a = role_of(a, b, margin), over_b = role_of(b, a, -margin);
    const role *narrow = is_a ? &over_a : &over_b, *wide = is_a ? &over_b : &over_a;
    double rounding = rounding_of(a, b, margin), agreed = AGREED + 10 * rounding;
    answer found[4];
    if (margin == 0) {
        mellin_value transform = mellin_above(a, b);
        found[0] = (answer){transform.value, 0, transform.has_settled};
    } else { /* sums over both laws would have nearly the same nodes, and errors that agree */
        found[0] = by_panels(narrow, PANEL);
        found[0].value = is_a ? found[0].value : 1 - found[0].value;
    }
    for (double tolerance = SETTLED; tolerance > 0; tolerance = tolerance > FIRMLY ? FIRMLY : 0) {
        int is_turned = is_a != (margin == 0);
        double expected = is_turned ? 1 - found[0].value : found[0].value;
        if (!found[0].has_settled || fmin(expected, 1 - expected) < SMALL_PROBABILITY)
            expected = NAN;
        found[1] = margin == 0 && are_beta
                       ? by_gaps(narrow)
                       : by_terms(margin == 0 ? narrow : wide, tolerance, expected, AGREED);
        found[1].value = is_turned ? 1 - found[1].value : found[1].value;
        double apart = fabs(found[0].value - found[1].value);
        if (found[0].has_settled && found[1].has_settled && apart <= agreed) {
            double value = found[1].value;
            int by_densities =
                margin == 0 && (are_beta || fmin(value, 1 - value) < SMALL_PROBABILITY);
            /* A sum that had not settled is taken where it is near the other answer, which it may
             * be by chance: 1.1e-12 was wrong in both.  Its own error is about the 3/2th power of
             * what the halved step changed, as of SETTLED. */
            double by_chance = fmin(AGREED, pow(found[1].error, 1.5));
            return (superiority){by_densities ? value : found[0].value,
                                 apart + by_chance + rounding};
        }
        if (!(found[0].has_settled && found[1].has_settled) || (margin == 0 && are_beta))
            break; /* no tolerance will mend that */
    }
    found[2] = by_panels(&over_a, PANEL);
    found[3] = by_panels(&over_b, PANEL);
    found[3].value = 1 - found[3].value;
    /* the one that uses no density, as some densities are off by 1e-9 */
    if (margin == 0 && found[0].has_settled) {
        double nearest = INFINITY;
        for (int i = 1; i < 4; i++)
            if (found[i].has_settled)
                nearest = fmin(nearest, fabs(found[i].value - found[0].value));
        if (!(fabs(found[2].value - found[3].value) < nearest))
            return (superiority){found[0].value, nearest + rounding};
    }
    const answer *best = &found[is_a ? 2 : 3], *next = &found[is_a ? 3 : 2];
    double error = fabs(best->value - next->value) + fmin(best->error, next->error);
    for (int i = 0; i < 2; i++)
        if (found[i].has_settled && fabs(found[i].value - best->value) + best->error < error)
            error = fabs(found[i].value - best->value) + best->error;
    return (superiority){best->value, error + rounding};
}

/* The error of a bound: small ones have all their digits. */
static double off(double bound)
{
    return fmin(TAILS, TAILS_DIGITS * bound);
}

/* Sums over a narrow law lose 2e-11 of its probability, 1, to the rounding of its density: where
 * next to nothing is left, the bounds are nearer. */
superiority share_superiority(const share_law *a, const share_law *b, double margin)
{
    if (fabs(margin) == 1)
        return (superiority){margin < 0, 0};
    if (fabs(margin) < LEAST_MARGIN && fmin(least_shape(a), least_shape(b)) >= LEAST_PLAIN)
        margin = 0;
    superiority_bounds most = superiority_bounds_of(a, b, margin);
    if (most.above < NOTHING || most.rest < NOTHING)
        return (superiority){most.rest < NOTHING, NOTHING};
    superiority found = integrated(a, b, margin);
    found.error += SHARED;
    double low = fmax(0, 1 - most.rest - off(most.rest)),
           high = fmin(1, most.above + off(most.above));
    if (low <= high) {
        found.probability = fmin(fmax(found.probability, low), high);
        found.error = fmin(found.error, fmax(high - found.probability, found.probability - low));
    }
    return found;
}
