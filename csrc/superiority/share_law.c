/* Distribution of Beta variates and of F. The contract is in share_law.h. */

#include "superiority/share_law.h"

#include <math.h>

#include "numeric/complex_pair.h"
#include "numeric/double_double.h"
#include "numeric/line_integral.h"

static const double HALF_LOG_2_PI = 0.91893853320467274178;
/* Least β² or 1/β²: smaller ones change no share that a double distinguishes from 0 or 1. */
static const double LEAST_WEIGHT = 1e-120;
/* Contour integrals do not settle for shapes below 1e-3: one of six tails of shapes from 1e-8 was
 * off by more than 1e-12, the worst by 1. */
static const double SMALLEST = 2e-3;

/* log Γ(z) less its main terms (z - 1/2) log z - z + log(2 π)/2. */
static double beyond_stirling(double z)
{
    if (z < 12)
        return lgamma(z) - (z - 0.5) * log(z) + z - HALF_LOG_2_PI;
    double r = 1 / (z * z); /* the next term is below 1e-17 */
    return (1 / 12.0
            - r
                  * (1 / 360.0
                     - r * (1 / 1260.0 - r * (1 / 1680.0 - r * (1 / 1188.0 - r * 691 / 360360.0)))))
           / z;
}

int is_beta(const share_law *law)
{
    return law->ratio.r == 0;
}

void share_law_set(share_law *law, double p, double q, double r, double beta)
{
    double square = beta * beta, inverse = 1 / square;
    law->w2 = law->w3 = law->gain = 1;
    if (beta == 1) {
        q += r;
        r = 0;
        law->gain = 2;
    } else if (beta > 1) { /* in units of the larger weight */
        law->w2 = fmax(inverse, LEAST_WEIGHT);
        law->gain = 1 + inverse;
    } else if (beta > 0) {
        law->w3 = fmax(square, LEAST_WEIGHT);
        law->gain = 1 + square;
    }
    law->n = q + r;
    log_ratio_set(&law->ratio, p, q, r, law->w2, law->w3);
    law->centre = log(law->gain) + log(p) - log(law->w2 * q + law->w3 * r);
    law->log_peak = 0.5 * (log(p / (p + q)) + log(q)) - HALF_LOG_2_PI + beyond_stirling(p + q)
                    - beyond_stirling(p) - beyond_stirling(q);
}

/* e^t - 1 - t */
static double exp_rest(double t)
{
    if (fabs(t) > 0.3)
        return expm1(t) - t;
    double sum = 1;
    for (int k = 15; k > 2; k--) /* 0.3^15/15! is below 1e-19 of the first term */
        sum = 1 + t / k * sum;
    return t * t / 2 * sum;
}

/* log(1 + y) - y = -y²/2 + … */
static double log1p_rest(double y)
{
    return y > -0.3 && y < 0.3 ? -c_log_rest((complex_pair){-y, 0}).re : log1p(y) - y;
}

/* a t - (a + b) log(1 + a/(a + b) (e^t - 1)) for a <= b, from the rests after terms that cancel. */
static double log_fall(double a, double b, double t)
{
    double share = a / (a + b);
    if (t > 30) /* e^t may be out of range */
        return a * t - (a + b) * (t + log(share + (1 - share) * exp(-t)));
    double y = share * expm1(t);
    if (y > 0.3 || y < -0.3)
        return a * t - (a + b) * log1p(y);
    return -a * exp_rest(t) - (a + b) * log1p_rest(y);
}

double share_density(const share_law *law, double t)
{
    if (!is_beta(law))
        return log_ratio_density(&law->ratio, t);
    double p = law->ratio.p, q = law->ratio.q;
    return exp(law->log_peak + (p <= q ? log_fall(p, q, t) : log_fall(q, p, -t)));
}

/* Tails of a Beta law with a shape next to 0, from those with 1 more: with the density f of log
 * odds, I(p, q) = I(p + 1, q) + f/p = I(p, q + 1) - f/q. */
static gamma_tails tails_of_small(const share_law *law, double t)
{
    double p = law->ratio.p, q = law->ratio.q, jump = share_density(law, t) / fmin(p, q);
    share_law more;
    share_law_set(&more, p <= q ? p + 1 : p, p <= q ? q : q + 1, 0, 0);
    gamma_tails tails = share_tails(&more, p <= q ? t - log1p(1 / p) : t + log1p(1 / q));
    if (p > q)
        jump = -jump;
    double below = fmin(fmax(tails.below + jump, 0), 1),
           above = fmin(fmax(tails.above - jump, 0), 1);
    return (gamma_tails){below, above};
}

gamma_tails share_tails(const share_law *law, double t)
{
    if (is_beta(law) && fmin(law->ratio.p, law->ratio.q) < SMALLEST)
        return tails_of_small(law, t);
    return log_ratio_tails(&law->ratio, t);
}

static dd mean_of_rest(const share_law *law)
{
    dd mean = dd_two_product(law->w2, law->ratio.q);
    return is_beta(law) ? mean : dd_add(mean, dd_two_product(law->w3, law->ratio.r));
}

/* log(a/b), from their difference where they are near each other; products of shapes may have left
 * the range of dd. */
static double log_quotient(dd a, dd b)
{
    double plain = log(a.hi) - log(b.hi);
    return fabs(plain) < 0.5 ? log1p(dd_subtract(a, b).hi / b.hi) : plain;
}

static int is_tame(const share_law *law)
{
    return law->ratio.p < 1e60 && law->ratio.p > 1e-60 && law->n < 1e60 && law->n > 1e-60
           && fmin(law->w2, law->w3) > 1e-60;
}

double centre_difference(const share_law *a, const share_law *b)
{
    if (!is_tame(a) || !is_tame(b))
        return a->centre - b->centre;
    return log_quotient(dd_scale(mean_of_rest(b), a->ratio.p),
                        dd_scale(mean_of_rest(a), b->ratio.p));
}

double share_offset(const share_law *law, double x, double y)
{
    if (x < 1e-100 || y < 1e-100 || !is_tame(law))
        return log(x) - log(y) - law->centre;
    dd whole_x = x <= y ? (dd){x, 0} : dd_two_sum(1, -y),
       whole_y = x <= y ? dd_two_sum(1, -x) : (dd){y, 0};
    return log_quotient(dd_multiply(mean_of_rest(law), whole_x),
                        dd_multiply(dd_two_product(law->gain, law->ratio.p), whole_y));
}

/* Moments by Laplace transforms: E X/(g X + S) is the integral over θ > 0 of E X exp(-θ (g X + S)),
 * and under this weight the variates are independent gamma variates still, of scales 1/(1 + g θ),
 * 1/(1 + w2 θ), 1/(1 + w3 θ). */
typedef struct {
    const share_law *law;
    double start; /* of log θ = start + sinh t */
    double mean, rest;
    int what; /* 0 for the mean, 1 for 1 less it, 2 for the variance */
} moment;

/* θ/(1 + θ) of log θ, and log(1 + θ); θ may be out of range. */
static double grown(double log_theta, double *log1p_theta)
{
    double less = exp(-fabs(log_theta));
    *log1p_theta = fmax(log_theta, 0) + log1p(less);
    return (log_theta > 0 ? 1 : less) / (1 + less);
}

static line_value moment_along(double t, const void *context)
{
    const moment *m = context;
    const share_law *law = m->law;
    double p = law->ratio.p, q = law->ratio.q, r = law->ratio.r, log_theta = m->start + sinh(t),
           fall[3];
    double x = grown(log_theta + log(law->gain), &fall[0]),
           y = grown(log_theta + log(law->w2), &fall[1]);
    double z = grown(log_theta + log(law->w3), &fall[2]), value = p * x;
    if (m->what == 1)
        value = q * y + r * z;
    if (m->what
        == 2) { /* the second moment of rest × g X - mean × S, which is 0 where F is the mean */
        double mean = m->rest * p * x - m->mean * (q * y + r * z);
        value = mean * mean + m->rest * m->rest * p * x * x
                + m->mean * m->mean * (q * y * y + r * z * z);
    }
    value *= exp(-p * fall[0] - q * fall[1] - r * fall[2]) * cosh(t);
    return (line_value){value, value};
}

static double moment_of(const moment *m)
{
    /* with 1e-9 one of 100,000 means was off by 1e-11 */
    line_integral line = {moment_along, m, INFINITY, 0, INFINITY, 0.25, 1e-11, 0, 20000};
    return integrate_line(&line).value;
}

void share_moments(const share_law *law, double *mean, double *variance)
{
    moment m = {law,
                -log(law->gain * law->ratio.p + law->w2 * law->ratio.q + law->w3 * law->ratio.r), 0,
                0, law->centre > 0};
    double smaller = fmin(moment_of(&m), 1);
    m.mean = m.what == 0 ? smaller : 1 - smaller;
    m.rest = m.what == 0 ? 1 - smaller : smaller;
    *mean = m.mean;
    m.what = 2;
    *variance = moment_of(&m);
}
