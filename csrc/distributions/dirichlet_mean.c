/* Distribution of a mean with random Dirichlet weights. The contract is in dirichlet_mean.h. */

#include "distributions/dirichlet_mean.h"

#include <math.h>

#include "numeric/complex_pair.h"
#include "numeric/line_integral.h"

static const double PI = 3.14159265358979323846;
static const double REACH = 3.5;      /* as in gamma_contrast.c: the line is straight for so many
                                       * standard deviations of exp K(it) */
static const double STEP = 0.33;      /* as there */
static const double TOLERANCE = 1e-8; /* errors are below 1e-12 then: see line_integral.h */
static const double DEEPEST = -690;   /* exp of which is 1e-300 */
static const double LARGE = 0x1p200, SMALL = 0x1p-200; /* products in between need no scaling: a
                                                        * factor is below 2^500 */

enum { FEW_CALLS = 300, MOST_CALLS = 4000, MOST_NEWTON = 60, MOST_STEPS = 100 };

/* z(u) = at + scale (i sinh u cos α - (cosh u - 1) sin α), for L or -L. */
typedef struct {
    const dirichlet_mean *law;
    double t, sign, unit; /* values are taken as sign (t - x) / unit */
    double at, scale, sine, cosine;
} contour;

static double term(const contour *c, int64_t i)
{
    return c->sign * (c->t - c->law->x[i]) / c->unit;
}

/* exp K(z): a product for the simple factors, a sum of logarithms for the others. */
static complex_pair generating(const contour *c, complex_pair z)
{
    const dirichlet_mean *law = c->law;
    complex_pair product = {1, 0}, rest = {0, 0};
    double exponent = 0; /* of 2, taken out of the product */
    for (int64_t i = 0; i < law->n_ones; i++) {
        double w = term(c, i);
        product = c_multiply(product, (complex_pair){1 - w * z.re, -w * z.im});
        double size = fabs(product.re) + fabs(product.im);
        if (size > LARGE || size < SMALL) {
            int e;
            frexp(size, &e);
            product = c_scale(ldexp(1, -e), product);
            exponent += e;
        }
    }
    for (int64_t i = law->n_ones; i < law->n; i++)
        rest = c_add(rest, c_scale(law->a[i], c_log1p(c_scale(-term(c, i), z))));
    rest.re += exponent * 0.69314718055994530942;
    return c_divide(c_exp(c_scale(-1, rest)), product);
}

static line_value along(double u, const void *context)
{
    const contour *c = context;
    double e = exp(u), sinh_u = (e - 1 / e) / 2, cosh_u = (e + 1 / e) / 2;
    complex_pair z = {c->at - c->scale * c->sine * (cosh_u - 1), c->scale * c->cosine * sinh_u};
    if (watch_stops(c->law->watch, 5 * c->law->n_ones + 60 * (c->law->n - c->law->n_ones)))
        return (line_value){0, 0};
    complex_pair value = c_divide(generating(c, z), z);
    value = c_multiply(value,
                       (complex_pair){c->scale * c->cosine * cosh_u, c->scale * c->sine * sinh_u});
    value = c_scale(1 / (2 * PI), value);
    return (line_value){value.re, fabs(value.re) + fabs(value.im)};
}

/* Where K(z) - log z is least right of 0: its slope rises from -inf to inf.  Returns the curvature
 * there. */
static double find_saddle(contour *c, double right, double start, double *depth)
{
    double low = 0, high = right, z = fmin(start, 0.5 * right), second = 0;
    for (int k = 0; k < MOST_NEWTON; k++) {
        double first = -1 / z;
        second = 1 / (z * z);
        for (int64_t i = 0; i < c->law->n; i++) {
            double w = term(c, i), over = w / (1 - w * z);
            first += c->law->a[i] * over;
            second += c->law->a[i] * over * over;
        }
        if (first > 0)
            high = z;
        else
            low = z;
        double step = first / second, better = z - step;
        if (!(better > low && better < high))
            better = isinf(high) ? 2 * z : (low + high) / 2;
        if (fabs(step) < 1e-3 * z && fabs(step) < 1e-3 * (right - z))
            break;
        z = better;
    }
    c->at = z;
    *depth = 0;
    for (int64_t i = 0; i < c->law->n; i++)
        *depth -= c->law->a[i] * log1p(-term(c, i) * z);
    return second;
}

/* P(L > 0), where the mean of L is negative or near 0. */
static double upper_tail(contour *c, double most, double variance)
{
    const double bends[] = {0, 0.25, -0.25, 0.5, -0.5};
    double right = most > 0 ? 1 / most : INFINITY, depth;
    if (!(most > 0))
        return 0;
    double second = find_saddle(c, right, 1 / sqrt(variance), &depth);
    if (depth - log(c->at) < DEEPEST)
        return 0;
    line_sum best = {0, INFINITY, 0, 0};
    for (int k = 0; k < 10; k++) {
        c->sine = bends[k % 5];
        c->cosine = sqrt(1 - c->sine * c->sine);
        c->scale = fmin(REACH / sqrt(second),
                        0.95 * fmin(c->at / (1 - c->sine), (right - c->at) / (1 + c->sine)));
        line_integral line = {
            along, c, INFINITY, 0, INFINITY, STEP, TOLERANCE, 0, k < 5 ? FEW_CALLS : MOST_CALLS};
        line_sum sum = integrate_even(&line);
        if (sum.has_settled)
            return sum.value;
        if (sum.difference < best.difference)
            best = sum;
    }
    return best.value;
}

typedef struct {
    double total, mean, variance, least, most;
} moments;

static moments moments_of(const dirichlet_mean *law)
{
    moments m = {0, 0, 0, law->x[0], law->x[0]};
    for (int64_t i = 0; i < law->n; i++) {
        m.total += law->a[i];
        m.mean += law->a[i] * (law->x[i] - law->x[0]);
        m.least = fmin(m.least, law->x[i]);
        m.most = fmax(m.most, law->x[i]);
    }
    m.mean = law->x[0] + m.mean / m.total;
    for (int64_t i = 0; i < law->n; i++)
        m.variance += law->a[i] * (law->x[i] - m.mean) * (law->x[i] - m.mean);
    m.variance /= m.total * (m.total + 1);
    return m;
}

static mean_tails tails_at(const dirichlet_mean *law, const moments *m, double t)
{
    if (!(t > m->least))
        return (mean_tails){0, 1};
    if (!(t < m->most))
        return (mean_tails){1, 0};
    /* L has the mean (t - mean) total: its smaller tail is taken */
    double sign = t < m->mean ? 1 : -1, unit = m->most - m->least;
    contour c = {law, t, sign, unit, 0, 0, 0, 1};
    double most = sign > 0 ? (t - m->least) / unit : (m->most - t) / unit, variance = 0;
    for (int64_t i = 0; i < law->n; i++)
        variance += law->a[i] * term(&c, i) * term(&c, i);
    double tail = fmin(fmax(upper_tail(&c, most, variance), 0), 1);
    return sign > 0 ? (mean_tails){tail, 1 - tail} : (mean_tails){1 - tail, tail};
}

mean_tails dirichlet_mean_tails(const dirichlet_mean *law, double t)
{
    moments m = moments_of(law);
    return tails_at(law, &m, t);
}

/* Log odds of the tails less those wanted, by which T's normal middle and its powers at the ends
 * are both nearly straight lines. */
static double excess(const dirichlet_mean *law, const moments *m, double t, double wanted)
{
    mean_tails p = tails_at(law, m, t);
    return log(fmax(p.below, 1e-320)) - log(fmax(p.above, 1e-320)) - wanted;
}

/* Chandrupatla's method (1997), which keeps the root between two points. */
static double find_root(const dirichlet_mean *law, const moments *m, double wanted, double a,
                        double fa, double b, double fb)
{
    double c = a, fc = fa, share = 0.5, tolerance = 1e-15 * (m->most - m->least);
    for (int k = 0; k < MOST_STEPS; k++) {
        double x = a + share * (b - a), fx = excess(law, m, x, wanted);
        if (signbit(fx) == signbit(fa)) {
            c = a;
            fc = fa;
        } else {
            c = b;
            fc = fb;
            b = a;
            fb = fa;
        }
        a = x;
        fa = fx;
        double best = fabs(fa) < fabs(fb) ? a : b, least_step = tolerance + 2e-16 * fabs(best);
        if (fa == 0 || fabs(b - a) < 2 * least_step || fabs(fa) < 1e-13)
            return best;
        double xi = (a - b) / (c - b), phi = (fa - fb) / (fc - fb),
               nearest = least_step / fabs(b - a);
        share = phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi
                    ? fa / (fb - fa) * fc / (fb - fc)
                          + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
                    : 0.5;
        share = fmin(fmax(share, nearest), 1 - nearest);
    }
    return a;
}

double dirichlet_mean_quantile(const dirichlet_mean *law, double below, double above)
{
    moments m = moments_of(law);
    double wanted = log(below) - log(above), low = m.least, high = m.most;
    double f_low = -1500, f_high = 1500; /* beyond any log odds */
    /* The bracket is taken in around where a normal law (nearly: a logistic one) has the place. */
    double deviation = sqrt(m.variance), place = m.mean + wanted * 0.55 * deviation;
    for (int k = -1; k <= 1; k += 2) {
        double t = place + 0.5 * k * deviation;
        if (t > low && t < high) {
            double f = excess(law, &m, t, wanted);
            if (f < 0) {
                low = t;
                f_low = f;
            } else {
                high = t;
                f_high = f;
            }
        }
    }
    return find_root(law, &m, wanted, low, f_low, high, f_high);
}
