/* Sums of beta-binomial probabilities below a count. The contract is in beta_binomial_sums.h. */

#include "yields/beta_binomial_sums.h"

#include <math.h>

#include "numeric/log_gamma.h"
#include "yields/yield_law.h"

/* Sums over panels take their first terms one by one. Panels are Gauss's four points for sums over
 * equally spaced counts, over which the logarithm of a term changes by 1 at most and by curvature
 * by 1/8 at most, and which are at most a third as wide as their distance from the ends, where
 * terms are powers of it. Their relative error is then below 3e-9. */
enum { SINGLE_TERMS = 2048, TERMS_BETWEEN = 64, NARROWEST = 16 };
static const double NEGLIGIBLE = 1e-14;

/* So few counts are summed one by one. */
enum { FEW = 256 };

/* Up to this y/n, where the series needs 130 terms once they fall, it is shorter than the
 * complement with its logarithms; the complement loses the digits of what it leaves, which is too
 * little so many standard deviations below the mean. */
static const double SERIES_UP_TO = 0.75, LEAST_LEFT = 1e-3, DEEP = 3.5;

/* log Γ(x + a + b): the sum's rounding would cost digits, |x| 1e-16 log x of them. */
static dd log_gamma_of_sum(double x, double a, double b)
{
    dd sum = dd_add(dd_two_sum(x, a), (dd){b, 0});
    dd value = log_gamma(sum.hi);
    value.lo += sum.lo * (log(sum.hi) - 0.5 / sum.hi); /* the derivative, good where lo matters */
    return value;
}

/* log P(Y = y) but for a constant; y need not be whole */
static dd log_term(const beta_binomial *d, double y)
{
    dd sum = dd_subtract(log_gamma_of_sum(y, d->a, 0), log_gamma_of_sum(y, 1, 0));
    dd rest = log_gamma_of_sum(d->n - y, d->b, 0);
    return dd_add(sum, dd_subtract(rest, log_gamma_of_sum(d->n - y, 1, 0)));
}

double log_probability(const beta_binomial *d, double y)
{
    dd constant = dd_subtract(log_gamma(d->n + 1), log_gamma_of_sum(d->n, d->a, d->b));
    dd log_beta = dd_add(log_gamma(d->a), log_gamma(d->b));
    log_beta = dd_subtract(log_beta, log_gamma_of_sum(d->a, d->b, 0));
    constant = dd_subtract(constant, log_beta);
    return dd_add(log_term(d, y), constant).hi;
}

static beta_binomial reflected(const beta_binomial *d)
{
    return (beta_binomial){d->n, d->b, d->a};
}

/* How wide a panel may be that begins at y. */
static double panel_width(const beta_binomial *d, double y)
{
    double up = d->n - y, slope = fabs(log(rising_ratio(d, y)));
    double curvature = fabs(1 / (y + d->a) - 1 / (y + 1) - 1 / up + 1 / (up - 1 + d->b));
    double width = fmin(1 / slope, 0.5 / sqrt(curvature));
    return floor(fmin(width, fmin(y + 1, up) / 3));
}

static double panel_sum(const beta_binomial *d, double first, double width, dd unit)
{
    double middle = first + (width - 1) / 2, sum = 0;
    gauss_rule rule = gauss_rule_of(width);
    const double place[4] = {-rule.far, -rule.near, rule.near, rule.far};
    for (int k = 0; k < 4; k++)
        sum += exp(dd_subtract(log_term(d, middle + place[k]), unit).hi)
               * (k == 0 || k == 3 ? rule.far_share : rule.near_share);
    return sum * width;
}

/* sum over y >= x of P(Y = y)/P(Y = x), 0 <= x <= n */
static double sum_upwards(const beta_binomial *d, double x)
{
    double sum = 0, term = 1, y = x;
    dd unit = {0, 0};
    int n_terms = SINGLE_TERMS;
    while (y <= d->n) {
        for (int i = 0; i < n_terms; i++) {
            sum += term;
            if (y >= d->n || term * (d->n - y) < NEGLIGIBLE * sum)
                return sum;
            term *= rising_ratio(d, y++);
            if (term < NEGLIGIBLE * sum && rising_ratio(d, y) < 0.5)
                return sum;
        }
        if (n_terms == SINGLE_TERMS)
            unit = log_term(d, x);
        n_terms = TERMS_BETWEEN;
        double width = panel_width(d, y), part = 0;
        while (width >= NARROWEST && y + width <= d->n) {
            part = panel_sum(d, y, width, unit);
            sum += part;
            y += width;
            if (part / width * (d->n - y) < NEGLIGIBLE * sum
                || (part < NEGLIGIBLE * sum && rising_ratio(d, y) < 1))
                return sum;
            width = panel_width(d, y);
        }
        term = exp(dd_subtract(log_term(d, y), unit).hi);
    }
    return sum;
}

static double one_by_one(const beta_binomial *d, double y)
{
    double sum = 0;
    for (double i = 0; i < y; i++)
        sum = (sum + 1) / rising_ratio(d, i);
    return sum;
}

/* Terms of the series whose ratios are taken together: divisions then overlap, and long series take
 * a third of the time. */
enum { TERMS_OF_A_BLOCK = 8 };

/* After so many terms the series is summed over panels, where a panel can be so wide that it costs
 * less than its terms: Gauss's eight points for the integral from half a term before it to half a
 * term after it, with Euler and Maclaurin's first correction. Their next one, 7/5760 of the third
 * derivative, is at most 7/5760 (STRAIGHT/NARROWEST_PANEL)^4 = 5e-10 of what follows. In a
 * panel the logarithm of a term changes by STRAIGHT at most and by curvature by BENT²/8 at most,
 * and it is at most a third as wide as i + a. (8!)^4/(17 (16!)^3) times STRAIGHT^16, or BENT^16
 * times 16!/(8! 2^8), the largest derivative: relative errors of 7e-14 and 2e-12. */
enum { FIRST_TERMS = 256, NARROWEST_PANEL = 160, MOST_PANELS = 4000, POINTS = 8 };
static const double STRAIGHT = 4, BENT = 2, OF_DISTANCE = 3, LAST_PART = 1e-15;
/* Versions of clang-format align the second table differently. */
/* clang-format off */
static const double POINT[POINTS / 2] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                         0.9602898564975363},
                    SHARE[POINTS / 2] = {0.1813418916891810, 0.15685332293894365,
                                         0.11119051722668725, 0.05061426814518815};
/* clang-format on */

/* The terms (s)_i (y+a)_i / ((a+1)_i (n+1+s)_i) as a function of i: the ratio of two neighbours is
 * 1 + (c - i fall)/((a+1+i)(n+1+s+i)). */
typedef struct {
    double up1, up2, down1, down2, c, fall;
} series_terms;

static double log_ratio(const series_terms *t, double i)
{
    return log1p((t->c - i * t->fall) / ((t->down1 + i) * (t->down2 + i)));
}

/* Its derivative */
static double log_ratio_slope(const series_terms *t, double i)
{
    return (t->down1 - t->up1) / ((t->up1 + i) * (t->down1 + i))
           + (t->down2 - t->up2) / ((t->up2 + i) * (t->down2 + i));
}

/* log Γ(x+h)/Γ(x) is h log m - p/m² - q/m⁴ - r/m⁶, m = x + (h-1)/2, by Taylor's series of log Γ'
 * around m; this is the part of p to r for two such, with 1/m² = u and v, the latter's less the
 * former's. Both have terms that nearly cancel. */
static double bend(double x, double over, double h, double cube)
{
    double u = 1 / (over * over), v = 1 / (x * x);
    double apart = (x - over) * (x + over) * u * v; /* u - v */
    double square = h * h;
    double p = cube - h / 24, q = cube * (square * 3 / 40 - 0.25) + 7 * h / 960;
    double r = cube * square * square / 112;
    return apart * (p + (u + v) * q + (u * u + u * v + v * v) * r);
}

/* log of the quotient of the terms i + h and i, h small beside i + a */
static double log_rise(const series_terms *t, double i, double h)
{
    double j = i + (h - 1) / 2, cube = h * h * h / 24;
    return h * log_ratio(t, j) + bend(t->up1 + j, t->down1 + j, h, cube)
           + bend(t->up2 + j, t->down2 + j, h, cube);
}

static double widest_panel(const series_terms *t, double i)
{
    double bent = BENT / sqrt(fabs(log_ratio_slope(t, i)));
    double straight = STRAIGHT / fabs(log_ratio(t, i));
    return floor(fmin(fmin(bent, straight), (i + t->down1) / OF_DISTANCE));
}

/* The derivative at the term i less a half, in the unit of the term i. */
static double slope_before(const series_terms *t, double i)
{
    double slope = log_ratio(t, i - 1);
    return slope * exp(-slope / 2);
}

/* The sum over a panel from i on, in the unit of the term i, which becomes the term after it. */
static double panel_of_series(const series_terms *t, double i, double width, double *term)
{
    double sum = 0, log_term = 0, at = 0;
    for (int k = 0; k < POINTS; k++) {
        int which = k < POINTS / 2 ? POINTS / 2 - 1 - k : k - POINTS / 2;
        double sign = k < POINTS / 2 ? -1 : 1, to = (width * (1 + sign * POINT[which]) - 1) / 2;
        log_term += log_rise(t, i + at, to - at);
        at = to;
        sum += SHARE[which] * exp(log_term);
    }
    double first = *term, last = exp(log_term + log_rise(t, i + at, width - at));
    double rise = last * slope_before(t, i + width) - slope_before(t, i);
    *term *= last;
    return first * (sum * width - rise / 24);
}

/* So many terms from i on, a multiple of TERMS_OF_A_BLOCK, or fewer if those that are left are
 * negligible: then `term` is 0. */
static double terms_of_series(const series_terms *t, double i, int n_terms, double so_far,
                              double *term)
{
    double ratio[TERMS_OF_A_BLOCK], sum = so_far, last = i + n_terms;
    for (; i < last; i += TERMS_OF_A_BLOCK) {
        for (int k = 0; k < TERMS_OF_A_BLOCK; k++) {
            double j = i + k;
            ratio[k] = (t->up1 + j) * (t->up2 + j) / ((t->down1 + j) * (t->down2 + j));
        }
        double part = 1, all = ratio[0]; /* in the unit of the first term */
        for (int k = TERMS_OF_A_BLOCK - 2; k >= 0; k--)
            part = 1 + ratio[k] * part;
        for (int k = 1; k < TERMS_OF_A_BLOCK; k++)
            all *= ratio[k];
        sum += *term * part;
        *term *= all;
        /* the ratio tends to 1, from so far on that what is left is about term/(1 - ratio) */
        if (*term < 1e-17 * sum * (1 - ratio[TERMS_OF_A_BLOCK - 1])) {
            *term = 0;
            break;
        }
    }
    return sum;
}

/* The series; -1 if it is too long. */
static double series(const beta_binomial *d, double y)
{
    double s = d->a + d->b, fall = d->n - y + 2;
    double c = d->b * (y - 1) - d->a * fall - d->n - 1;
    series_terms t = {s, y + d->a, d->a + 1, d->n + 1 + s, c, fall};
    double term = 1, i = FIRST_TERMS, sum = terms_of_series(&t, 0, FIRST_TERMS, 0, &term);
    for (int n = 0; term > 0 && sum < INFINITY && n < MOST_PANELS; n++) {
        double width = widest_panel(&t, i);
        if (width >= NARROWEST_PANEL) {
            sum += panel_of_series(&t, i, width, &term);
            i += width;
            if (term < LAST_PART * sum * -expm1(log_ratio(&t, i)))
                term = 0;
        } else {
            sum = terms_of_series(&t, i, TERMS_OF_A_BLOCK, sum, &term);
            i += TERMS_OF_A_BLOCK;
        }
    }
    return term == 0 ? sum * (y * (d->n - y + d->b) / (d->a * (d->n + s))) : -1;
}

/* (1 - P(Y >= y))/P(Y = y) if enough is left, else -1 */
static double by_complement(const beta_binomial *d, double y, double at_least)
{
    double point = exp(log_probability(d, y)), left = 1 - point * at_least;
    return left > LEAST_LEFT ? left / point : -1;
}

/* Whether P(Y < y) is so small, by the normal distribution, that its complement is no use. */
static int leaves_little(const beta_binomial *d, double y)
{
    double s = d->a + d->b, mean = d->n * d->a / s, below = mean - y;
    return below > 0 && below * below * (s + 1) > DEEP * DEEP * mean * (d->b / s) * (d->n + s);
}

double share_below(const beta_binomial *d, double y, int *is_rough)
{
    if (y <= FEW)
        return one_by_one(d, y);
    beta_binomial other = reflected(d);
    double value = -1;
    if (y <= SERIES_UP_TO * d->n)
        value = series(d, y);
    if (value < 0 && !leaves_little(d, y)) {
        double above = d->n - y <= FEW ? one_by_one(&other, d->n - y) : series(&other, d->n - y);
        if (above >= 0)
            value = by_complement(d, y, 1 + above);
    }
    if (value < 0 && y > SERIES_UP_TO * d->n)
        value = series(d, y);
    if (value >= 0)
        return value;
    *is_rough = 1;
    value = by_complement(d, y, sum_upwards(d, y));
    return value >= 0 ? value : sum_upwards(&other, d->n - y) - 1;
}
