/* P(A > B + margin) of two independent Beta or F variates. The contract is in superiority.h. */

#include "superiority/superiority.h"

#include <math.h>

#include "numeric/panel_integral.h"

/* Densities are followed down to exp(-42), 6e-19, of their greatest. */
static const double DEPTH = 42;
/* Standard deviations to there in a normal density: (2 × 42)^1/2. */
static const double REACH = 9.2;
static const double SETTLED = 1e-10; /* of sums of densities, by twice as many nodes */
/* Two rules on a panel differ by less; the error is far below their difference. */
static const double PANEL = 1e-12;
/* Largest errors found were 3.4e-13 and 5e-12: rounding of log gammas and of contour integrals. */
static const double BETA_ERROR = 6e-13, F_ERROR = 1e-11;
static const double FARTHEST = 600; /* log odds whose exp is in the range of doubles */
/* Beyond these log odds, shares are far below the least margin, 5e-324 = e^-744. */
static const double BEYOND_MARGINS = 800;
static const double STEP = 0.3;
/* Log odds from a law's bulk, or from the margin, to where an integrand that falls by the length of
 * an interval is below e^-60, 1e-26, of it. */
static const double PAST = 60;

enum {
    GAP_POINTS = 8,
    MOST_NODES = 768,
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
} role;

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
 * one tail: it rises from node to node by the integral between them.  Nodes are equally spaced on
 * the scale t, where offsets are centre + scale sinh t. */
static superiority by_gaps(const role *r)
{
    double p = r->law->ratio.p, q = r->law->ratio.q, wide_p = fmax(p, 0.5), wide_q = fmax(q, 0.5);
    double centre = log(wide_p / p) - log(wide_q / q), scale = sqrt(1 / wide_p + 1 / wide_q);
    double left = asinh(REACH + DEPTH / (p * scale)), right = asinh(REACH + DEPTH / (q * scale));
    double place[MOST_NODES + 1];
    superiority result = {0, INFINITY};
    for (int n = 2 * (int)ceil((left + right) / STEP); n <= MOST_NODES && result.error > SETTLED;
         n *= 2) {
        double h = (left + right) / n, sums[2] = {0, 0}, held[2] = {0, 0};
        int middle = (int)(left / h);
        for (int k = 0; k <= n; k++)
            place[k] = centre + scale * sinh(k * h - left);
        double start = share_tails(r->other, place[middle] + r->shift).below;
        for (int way = -1; way < 2; way += 2) {
            double below = start;
            for (int k = way < 0 ? middle : middle + 1; k >= 0 && k <= n; k += way) {
                if (k != middle)
                    below += held_between(r->other, place[k - way] + r->shift, place[k] + r->shift);
                double weight =
                    share_density(r->law, place[k]) * scale * cosh(k * h - left) * 2 * h;
                sums[k & 1] += weight * below;
                held[k & 1] += weight;
            }
        }
        /* Sums over the odd and over the even nodes must agree, and both hold all of the law. */
        result.error = fmax(fabs(sums[0] - sums[1]), fmax(fabs(held[0] - 1), fabs(held[1] - 1)));
        result.probability = (sums[0] + sums[1]) / 2;
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

static superiority by_panels(const role *r)
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
        integrate_panels(r->margin == 0 ? at_offset : at_place, r, edges, n, PANEL, calls);
    return (superiority){sum.value + left_out(r), sum.error};
}

superiority share_superiority(const share_law *a, const share_law *b, double margin)
{
    if (fabs(margin) == 1)
        return (superiority){margin < 0, 0};
    int is_a = a->ratio.spread <= b->ratio.spread; /* the narrower law */
    role r = {is_a ? a : b, is_a ? b : a, 0, is_a ? margin : -margin, 1 - fabs(margin)};
    if (margin == 0)
        r.shift = centre_difference(r.law, r.other);
    superiority found = {0, INFINITY};
    if (margin == 0 && is_beta(a) && is_beta(b))
        found = by_gaps(&r);
    if (!(found.error <= SETTLED))
        found = by_panels(&r);
    /* A relative error e of shapes and odds moves log odds by e, which is e/spread standard
     * deviations. */
    found.error += (margin == 0 ? 3e-16 : 2e-15) / r.law->ratio.spread;
    found.error += is_beta(a) && is_beta(b) ? BETA_ERROR : F_ERROR;
    if (!is_a)
        found.probability = 1 - found.probability;
    found.probability = fmin(fmax(found.probability, 0), 1);
    return found;
}
