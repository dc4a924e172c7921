#include "beta_binomial_sums.h"

#include <math.h>

#include "log_gamma.h"
#include "yield_law.h"

/* Sums over panels take their first terms one by one. Panels are Gauss's four points for sums over
 * equally spaced counts, over which the logarithm of a term changes by 1 at most and by curvature
 * by 1/8 at most, and which are at most a third as wide as their distance from the ends, where
 * terms are powers of it. Their relative error is then below 3e-9. */
enum { SINGLE_TERMS = 2048, TERMS_BETWEEN = 64, NARROWEST = 16 };
static const double NEGLIGIBLE = 1e-14;

/* So few counts are summed one by one; and so many terms of the series are taken, as many as 100 µs
 * allow, before panels. Terms fall no faster than powers of y/n, over i: where the last one would
 * be above exp(-LEAST_FALL)/MOST_TERMS, 3e-14, the series is not begun. */
enum { FEW = 256, MOST_TERMS = 65536 };
static const double LEAST_FALL = 20;

/* Up to this y/n, where the series needs 130 terms once they fall, it is shorter than the
 * complement with its logarithms; the complement loses the digits of what it leaves. */
static const double SERIES_UP_TO = 0.75, LEAST_LEFT = 1e-3;

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

/* The series; -1 if it is too long. The ratio of terms tends to 1, from so far on that what is left
 * after a term is about term/(1 - ratio). */
static double series(const beta_binomial *d, double y)
{
    double s = d->a + d->b, sum = 0, term = 1;
    double up1 = s, up2 = y + d->a, down1 = d->a + 1, down2 = d->n + 1 + s;
    double ratio[TERMS_OF_A_BLOCK];
    if (MOST_TERMS * (d->n - y) < LEAST_FALL * d->n)
        return -1;
    for (int first = 0; first < MOST_TERMS; first += TERMS_OF_A_BLOCK) {
        for (int k = 0; k < TERMS_OF_A_BLOCK; k++) {
            double i = first + k;
            ratio[k] = (up1 + i) * (up2 + i) / ((down1 + i) * (down2 + i));
        }
        double part = 1, all = ratio[0]; /* in the unit of the first term */
        for (int k = TERMS_OF_A_BLOCK - 2; k >= 0; k--)
            part = 1 + ratio[k] * part;
        for (int k = 1; k < TERMS_OF_A_BLOCK; k++)
            all *= ratio[k];
        sum += term * part;
        term *= all;
        if (term < 1e-17 * sum * (1 - ratio[TERMS_OF_A_BLOCK - 1]))
            return sum * (y * (d->n - y + d->b) / (d->a * (d->n + s)));
    }
    return -1;
}

/* (1 - P(Y >= y))/P(Y = y) if enough is left, else -1 */
static double by_complement(const beta_binomial *d, double y, double at_least)
{
    double point = exp(log_probability(d, y)), left = 1 - point * at_least;
    return left > LEAST_LEFT ? left / point : -1;
}

double share_below(const beta_binomial *d, double y, int *is_rough)
{
    if (y <= FEW)
        return one_by_one(d, y);
    beta_binomial other = reflected(d);
    double value = -1;
    if (y <= SERIES_UP_TO * d->n)
        value = series(d, y);
    if (value < 0) {
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
