/* Tails of a ratio of gamma variates. The contract is in gamma_contrast.h. */

#include "superiority/gamma_contrast.h"

#include <math.h>

#include "numeric/complex_pair.h"
#include "numeric/double_double.h"
#include "numeric/line_integral.h"

static const double PI = 3.14159265358979323846;
static const double SMALL = 0.3;       /* where c_log_rest ends */
static const double LEAST_SHAPE = 0.3; /* smaller ones move neither the saddle point nor the line */
/* Standard deviations of exp K(it) that the line is straight for. */
static const double REACH = 3.5;
/* Sine of 30 degrees: terms of large shapes must fall on the line, too. */
static const double MOST_BENT = 0.5;
static const double LEAST_RATIO = 1e-250; /* below, a variate's part is 0 whatever its shape */
static const double STEP = 0.33;      /* sums settle at once for most shapes above 1/2: measured */
static const double TOLERANCE = 1e-9; /* errors are below 1e-13 then: see line_integral.h */
static const double MOST_RISE = 3;    /* exp of which costs a digit */
/* After a fall of more than FALLEN: with 3, one of 200,000 tails was off by 1e-11, with 1 none by
 * 1e-13. */
static const double FALLEN = 5, MOST_AGAIN = 1;
/* Exp of which is 1e-300: below, sums lose their digits to underflow. */
static const double DEEPEST = -690;

enum { FEW_CALLS = 400, MOST_CALLS = 4000 }; /* of a line; nearly all take 50 to 100 */

/* exp K(z), and the line z(t) = at + scale (i sinh t cos α - (cosh t - 1) sin α). */
typedef struct {
    double shape[3], pole[3]; /* factors (1 - pole z)^-shape */
    int n;
    double mean;
    double sign;
    int power; /* of z beside exp K: -1 for tails, 0 for the density, 1 for its slope */
    double at, scale, sine, cosine;
    double reach, left, right; /* of the straight part, and how far the poles are */
    double decay;              /* far out the integrand is a power of z, exp(-decay t) */
    int tiny;                  /* if not 0, the factor next to 1 by whose distance from 1 exp K is
                                  multiplied, over itself */
} contour;

/* The sum of the linear terms of the factors whose arguments are small: `mean` less the large ones,
 * or itself where they would cancel. */
typedef struct {
    double small_terms, small_size, large_terms;
    int n_small, n_large;
} linear_terms;

static void add_term(linear_terms *l, double term, int is_small)
{
    if (is_small) {
        l->small_terms += term;
        l->small_size += fabs(term);
        l->n_small++;
    } else {
        l->large_terms += term;
        l->n_large++;
    }
}

static double linear_part(const linear_terms *l, double mean)
{
    if (l->n_large == 0)
        return mean;
    return l->n_small == 0                        ? 0
           : fabs(l->large_terms) > l->small_size ? l->small_terms
                                                  : mean - l->large_terms;
}

/* K(z): what is left of each factor after its linear term, and those. */
static complex_pair log_factors(const contour *c, complex_pair z)
{
    complex_pair sum = {0, 0};
    linear_terms l = {0, 0, 0, 0, 0};
    for (int i = 0; i < c->n; i++) {
        complex_pair w = c_scale(c->pole[i], z);
        int is_small = fabs(w.re) < SMALL && fabs(w.im) < SMALL && c_square(w) < SMALL * SMALL;
        add_term(&l, c->shape[i] * c->pole[i], is_small);
        sum = c_add(sum, is_small ? c_scale(c->shape[i], c_log_rest(w))
                                  : c_scale(-c->shape[i], c_log1p(c_scale(-1, w))));
    }
    return c_add(sum, c_scale(linear_part(&l, c->mean), z));
}

/* 1 - 1/f, f the factor of the tiny shape. */
static complex_pair lacking(const contour *c, complex_pair z)
{
    complex_pair w = c_scale(c->shape[c->tiny], c_log1p(c_scale(-c->pole[c->tiny], z)));
    double half = sin(w.im / 2);
    return (complex_pair){2 * half * half - expm1(w.re) * cos(w.im), -exp(w.re) * sin(w.im)};
}

/* The integrand; its real part is even, the imaginary one odd. */
static line_value along(double t, const void *context)
{
    const contour *c = context;
    double e = exp(t), sinh_t = (e - 1 / e) / 2, cosh_t = (e + 1 / e) / 2;
    complex_pair z = {c->at - c->scale * c->sine * (cosh_t - 1), c->scale * c->cosine * sinh_t};
    complex_pair value = c_exp(log_factors(c, z));
    value = c_multiply(value,
                       (complex_pair){c->scale * c->cosine * cosh_t, c->scale * c->sine * sinh_t});
    if (c->tiny)
        value = c_multiply(value, lacking(c, z));
    if (c->power < 0)
        value = c_divide(value, z);
    else if (c->power > 0)
        value = c_multiply(value, z);
    value = c_scale(c->sign / (2 * PI), value);
    return (line_value){value.re, fabs(value.re) + fabs(value.im)};
}

/* The first three derivatives of K on the real axis, for these shapes. */
static void bends(const double shape[3], const contour *c, double mean, double z, double *first,
                  double *second, double *third)
{
    linear_terms l = {0, 0, 0, 0, 0};
    *first = *second = *third = 0;
    for (int i = 0; i < c->n; i++) {
        double w = c->pole[i] * z, over = c->pole[i] / (1 - w);
        add_term(&l, shape[i] * c->pole[i], fabs(w) < SMALL);
        *first += fabs(w) < SMALL ? shape[i] * w * over : shape[i] * over;
        *second += shape[i] * over * over;
        *third += 2 * shape[i] * over * over * over;
    }
    *first += linear_part(&l, mean);
}

/* Where K' is 0 between the poles, for these shapes: the larger root of a quadratic equation. */
static double saddle_point(const double shape[3], const contour *c, double mean)
{
    double p = shape[0], q = shape[1], r = shape[2], rho2 = -c->pole[1], rho3 = -c->pole[2], z;
    if (c->n == 2)
        return -mean / (rho2 * (p + q));
    double a = rho2 * rho3 * (p + q + r),
           b = p * (rho2 + rho3) + q * rho2 * (1 - rho3) + r * rho3 * (1 - rho2);
    double g = 2 * sqrt(a) * sqrt(fabs(mean));
    double root = mean < 0 ? hypot(b, g) : sqrt(fmax(b - g, 0)) * sqrt(fmax(b + g, 0));
    z = b >= 0 ? -2 * mean / (b + root) : (root - b) / (2 * a);
    double least = -1 / fmax(rho2, rho3);
    for (int i = 0; i < 3; i++) { /* b - g has lost digits where the roots are near each other */
        z = fmin(fmax(z, least * (1 - 1e-9)), 1 - 1e-9);
        double first, second, third;
        bends(shape, c, mean, z, &first, &second, &third);
        double better = z - first / second;
        z = better <= least ? (z + least) / 2 : better >= 1 ? (z + 1) / 2 : better;
    }
    return z;
}

static void bend_to(contour *c, double sine)
{
    c->sine = sine;
    c->cosine = sqrt(1 - sine * sine);
    c->scale = fmin(c->reach, 0.95 * fmin(c->left / (1 - sine), c->right / (1 + sine)));
}

/* Whether the integrand rises too much above its start, or again where it had fallen.  It
 * oscillates there, so that sums with two steps agreed to 4e-10 and were off by 3e-7: its height
 * was e^-35 before, and e^-15 again. */
static int rises(const contour *c)
{
    const double counts = -40; /* e^-40 is below 1e-17 */
    double start = log_factors(c, (complex_pair){c->at, 0}).re, least = 0;
    double end = 5
                 + log((1 + fabs(1 / c->pole[1]) + fabs(1 / c->pole[2]))
                       / c->scale); /* beyond, all is a power */
    for (double t = 0.5; t < end; t += 0.5) {
        complex_pair z = {c->at - c->scale * c->sine * (cosh(t) - 1),
                          c->scale * c->cosine * sinh(t)};
        double height = log_factors(c, z).re - start + (1 + c->power) * t;
        if (height >= MOST_RISE
            || (least < -FALLEN && height > counts && height - least >= MOST_AGAIN))
            return 1;
        least = fmin(least, height);
    }
    return 0;
}

/* Where the nearest and the farthest pole are on one side, the far one's factor may rise on a line
 * bent that way.  On the straight line no factor ever does. */
static void choose_bend(contour *c)
{
    const double sign = c->sine > 0 ? 1 : -1, away = -sign * MOST_BENT;
    const double choices[] = {c->sine, away, 0.4 * away, -c->sine, 0.4 * c->sine, 0};
    for (int i = fabs(c->sine) > 0.05 ? 0 : 1; i < 6; i++) {
        bend_to(c, choices[i]);
        if (!rises(c))
            break;
    }
}

/* From which t on the factors lack (1 - pole z)/(-pole z) = 1 + O(exp(-t)), of an integrand that is
 * exp(-decay t). */
static double plain(const contour *c)
{
    double total = c->shape[0] + c->shape[1] + (c->n == 3 ? c->shape[2] : 0), farthest = 1;
    for (int i = 1; i < c->n; i++)
        farthest = fmax(farthest, -1 / c->pole[i]);
    return log((1 + total) * 2 * farthest / c->scale) + 40 / (1 + c->decay);
}

/* Lays the line; returns log of the integrand's exp K where it crosses the real axis. */
static double contour_set(contour *c, double p, double q, double r, double rho2, double rho3,
                          double mean, int power)
{
    *c = (contour){{p, q, r},
                   {1, -rho2, -rho3},
                   r > 0 && rho3 > LEAST_RATIO ? 3 : 2,
                   mean,
                   1,
                   power,
                   0,
                   0,
                   0,
                   1,
                   0,
                   0,
                   0,
                   0,
                   0};
    if (!(q > 0 && rho2 > LEAST_RATIO)) { /* the pair is X and Z */
        c->shape[1] = r;
        c->pole[1] = -rho3;
        c->n = 2;
    }
    double shape[3] = {0, 0, 0}, total = 0, firm_mean = mean, first, second, third;
    for (int i = 0; i < c->n; i++) {
        shape[i] = fmax(c->shape[i], LEAST_SHAPE);
        firm_mean += c->pole[i] * (shape[i] - c->shape[i]);
        total += c->shape[i];
    }
    double z = saddle_point(shape, c, firm_mean),
           steepest = c->n == 3 ? fmax(rho2, rho3) : -c->pole[1];
    bends(shape, c, firm_mean, z, &first, &second, &third);
    double left = z + 1 / steepest, right = 1 - z, sigma = 1 / sqrt(second);
    if (power < 0) { /* keep off the pole at 0 */
        double off = 0.25 * fmin(sigma, 0.5 * (z >= 0 ? right : left));
        if (fabs(z) < off) {
            z = z >= 0 ? off : -off;
            left = z + 1 / steepest;
            right = 1 - z;
        }
    }
    c->at = z;
    c->reach = REACH * sigma;
    c->left = left;
    c->right = right;
    double bend =
        -third * REACH * sigma / (3 * second); /* sin α/cos² α of the path of steepest descent */
    double sine = fabs(bend) < 1e-9 ? bend : (sqrt(1 + 4 * bend * bend) - 1) / (2 * bend);
    bend_to(c, fmin(fmax(sine, -MOST_BENT), MOST_BENT));
    if (c->n == 3) {
        double far_left = z + 1 / fmin(rho2, rho3);
        if (c->sine != 0 && (c->sine > 0) == (far_left > right))
            choose_bend(c);
    }
    c->decay = total - 1 - power;
    return log_factors(c, (complex_pair){z, 0}).re;
}

/* At which distance from the line of t the pole z = 0 is. */
static double pole_distance(const contour *c)
{
    double sine = c->at > 0 ? c->sine + c->at / c->scale : -c->sine - c->at / c->scale;
    double alpha = c->at > 0 ? asin(c->sine) : -asin(c->sine);
    return fabs(sine) < 1 ? asin(sine) - alpha : INFINITY;
}

/* A bent line may lead past a rise or where the integrand oscillates, a straight one where a large
 * shape whose pole is far turns it.  Where the sum does not settle soon, it does on other lines.
 * `least` is what it is added to: its digits below that do not count. */
static double integrate(contour *c, double least)
{
    const double bends[] = {c->sine, 0.25, -0.25, 0, MOST_BENT, -MOST_BENT};
    line_sum best = {0, INFINITY, 0, 0};
    for (int i = 0; i < 12; i++) {
        if (i > 0)
            bend_to(c, bends[i % 6]);
        if (i > 0 && i < 6 && c->n == 3 && c->sine != 0 && rises(c))
            continue;
        double pole = c->power < 0 ? pole_distance(c) : INFINITY;
        int most = i < 6 ? FEW_CALLS : MOST_CALLS;
        line_integral line = {along, c,         pole,  c->decay, c->tiny ? INFINITY : plain(c),
                              STEP,  TOLERANCE, least, most};
        line_sum sum = integrate_even(&line);
        if (sum.has_settled && isfinite(sum.value)) /* a line may lead where exp K overflows */
            return sum.value;
        if (sum.difference < best.difference)
            best = sum;
    }
    return best.value;
}

double gamma_contrast_at_0(double p, double q, double r, double rho2, double rho3, double mean,
                           int power)
{
    contour c;
    return contour_set(&c, p, q, r, rho2, rho3, mean, power) < DEEPEST ? 0 : integrate(&c, 0);
}

double gamma_contrast_with_tiny(double p, double q, double r, double rho2, double rho3, double mean,
                                int tiny)
{
    contour c;
    double without = tiny == 1 ? gamma_contrast_at_0(p, 0, r, rho2, rho3, mean + rho2 * q, 0)
                               : gamma_contrast_at_0(p, q, 0, rho2, rho3, mean + rho3 * r, 0);
    if (contour_set(&c, p, q, r, rho2, rho3, mean, 0) < DEEPEST)
        return without;
    if (c.n == 3)
        c.tiny = tiny;
    return c.tiny ? without + integrate(&c, fabs(without)) : integrate(&c, 0);
}

static gamma_tails moved(gamma_tails tails, double mass)
{
    double below = fmax(tails.below - mass, 0), above = fmax(tails.above + mass, 0);
    return (gamma_tails){fmin(below, 1), fmin(above, 1)};
}

/* Shapes next to 0 have 1 added: exp K of q + 1 is multiplied by 1 + ρ2 z, of p + 1 by 1 - z. */
gamma_tails gamma_contrast_tails(double p, double q, double r, double rho2, double rho3,
                                 double mean)
{
    if (p < TINY_SHAPE && q >= TINY_SHAPE && rho2 > LEAST_RATIO)
        return moved(gamma_contrast_tails(p + 1, q, r, rho2, rho3, mean + 1),
                     -gamma_contrast_at_0(p + 1, q, r, rho2, rho3, mean + 1, 0));
    if (p >= TINY_SHAPE && q > 0 && q < TINY_SHAPE && rho2 > LEAST_RATIO)
        return moved(gamma_contrast_tails(p, q + 1, r, rho2, rho3, mean - rho2),
                     rho2 * gamma_contrast_at_0(p, q + 1, r, rho2, rho3, mean - rho2, 0));
    if (p >= TINY_SHAPE && r > 0 && r < TINY_SHAPE && rho3 > LEAST_RATIO)
        return gamma_contrast_tails(p, r, q, rho3, rho2, mean);
    contour c;
    double depth = contour_set(&c, p, q, r, rho2, rho3, mean, -1), tail = 0;
    c.sign = c.at > 0 ? 1 : -1;
    if (depth > DEEPEST)
        tail = integrate(&c, 0);
    tail = fmin(fmax(tail, 0), 1);
    return c.at > 0 ? (gamma_tails){1 - tail, tail} : (gamma_tails){tail, 1 - tail};
}

gamma_tails dirichlet_difference_tails(double a, double b, double c, double x)
{
    if (x < 0) {
        gamma_tails swapped = dirichlet_difference_tails(b, a, c, -x);
        return (gamma_tails){swapped.above, swapped.below};
    }
    if (x >= 1)
        return (gamma_tails){1, 0};
    /* (1 - x) X > (1 + x) Y + x Z; the mean is a - b - x (a + b + c) over 1 - x, in twice the
     * digits */
    dd mean = dd_subtract(dd_two_sum(a, -b), dd_scale(dd_add(dd_two_sum(a, b), (dd){c, 0}), x));
    return gamma_contrast_tails(a, b, c, (1 + x) / (1 - x), x / (1 - x), mean.hi / (1 - x));
}
