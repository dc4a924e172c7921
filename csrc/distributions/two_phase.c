/* Fourier transform of the yield of a coded and audited segment. The contract is in two_phase.h. */

#include "distributions/two_phase.h"

#include <float.h>
#include <math.h>

#include "numeric/vector_trig.h"

enum { LANES = TWO_PHASE_LANES };

/* |1 - q + q z|² is 0 at q = ½, z = -1 only; below 1e-60 its powers are 0 in any sum. */
static const double LEAST_SQUARE = 1e-60, PI = 3.14159265358979323846;

/* The transforms of BetaBin(T; a, b) at some frequencies, and their differences in T. */
typedef struct {
    double a, sum, count; /* a + b; T */
    double z[2][LANES], w[2][LANES], value[2][LANES], step[2][LANES];
} recurrence;

ALWAYS_INLINE void start(recurrence *r, double a, double b, const double *t)
{
    r->a = a;
    r->sum = a + b;
    r->count = 0;
    for (int i = 0; i < LANES; i++) {
        double half = sin(t[i] / 2);
        r->z[0][i] = cos(t[i]);
        r->z[1][i] = sin(t[i]);
        r->w[0][i] = 2 * half * half; /* 1 - z without cancellation */
        r->w[1][i] = -r->z[1][i];
        r->value[0][i] = 1;
        r->value[1][i] = r->step[0][i] = r->step[1][i] = 0;
    }
}

ALWAYS_INLINE void advance(recurrence *r)
{
    double scale = 1 / (r->count + r->sum), by_step = r->count * scale, by_value = r->a * scale;
    for (int i = 0; i < LANES; i++) {
        double zr = r->z[0][i], zi = r->z[1][i], wr = r->w[0][i], wi = r->w[1][i],
               dr = r->step[0][i], di = r->step[1][i], fr = r->value[0][i], fi = r->value[1][i];
        double real = by_step * (zr * dr - zi * di) - by_value * (wr * fr - wi * fi);
        double imaginary = by_step * (zr * di + zi * dr) - by_value * (wr * fi + wi * fr);
        r->step[0][i] = real;
        r->step[1][i] = imaginary;
        r->value[0][i] = fr + real;
        r->value[1][i] = fi + imaginary;
    }
    r->count += 1;
}

/* weight (1 - q + q z)^T at all points q and frequencies, and the factors by which T grows. */
typedef struct {
    const beta_points *points;
    double *memory; /* for each point: power and factor, both real and imaginary, lanes */
} quadrature;

/* log(1 - q + q z) = log|.| + i angle */
ALWAYS_INLINE void begin(quadrature *s, const double *t, double count, double stride)
{
    double sine[LANES], square[LANES]; /* of t, of sin(t/2) */
    for (int i = 0; i < LANES; i++) {
        double half = sin(t[i] / 2);
        sine[i] = sin(t[i]);
        square[i] = half * half;
    }
    for (int64_t j = 0; j < s->points->n; j++) {
        double odds = s->points->odds[j], q = odds / (1 + odds), rest = 1 / (1 + odds),
               weight = s->points->weight[j], *restrict to = s->memory + 4 * LANES * j;
        for (int i = 0; i < LANES; i++) {
            double less = 4 * q * rest * square[i], left = 1 - less, x = 1 - 2 * q * square[i],
                   y = q * sine[i];
            left = left < LEAST_SQUARE ? LEAST_SQUARE : left;
            double real = 0.5 * log_ratio(left, 1, -less);
            double angle = angle_of(fabs(y), fabs(x) + DBL_MIN); /* of the first quadrant */
            angle = x < 0 ? PI - angle : angle;
            angle = y < 0 ? -angle : angle;
            double power_re, power_im;
            exp_of_pair(count * real, count * angle, &power_re, &power_im);
            to[i] = weight * power_re;
            to[LANES + i] = weight * power_im;
            exp_of_pair(stride * real, stride * angle, to + 2 * LANES + i, to + 3 * LANES + i);
        }
    }
}

/* The transform at T, real and imaginary lanes; then T grows by the stride. */
ALWAYS_INLINE void sum_points(quadrature *s, double *restrict value)
{
    double sum_re[LANES] = {0}, sum_im[LANES] = {0};
    double *restrict memory = s->memory;
    for (int64_t j = 0; j < s->points->n; j++) {
        double *restrict at = memory + 4 * LANES * j;
        for (int i = 0; i < LANES; i++) {
            double pr = at[i], pi = at[LANES + i], fr = at[2 * LANES + i], fi = at[3 * LANES + i];
            sum_re[i] += pr;
            sum_im[i] += pi;
            at[i] = pr * fr - pi * fi;
            at[LANES + i] = pr * fi + pi * fr;
        }
    }
    for (int i = 0; i < LANES; i++) {
        value[i] = sum_re[i];
        value[LANES + i] = sum_im[i];
    }
}

/* The transforms of one class at T = count + stride k, k < n. */
ALWAYS_INLINE void class_transforms(const two_phase *p, const beta_points *points, double a,
                                    double b, const double *t, double count, double *value,
                                    double *memory)
{
    if (points->n > 0) {
        quadrature s = {points, memory};
        begin(&s, t, count, p->stride);
        for (int64_t k = 0; k < p->n; k++)
            sum_points(&s, value + 2 * LANES * k);
        return;
    }
    recurrence r;
    start(&r, a, b, t);
    while (r.count < count)
        advance(&r);
    for (int64_t k = 0; k < p->n; k++) {
        for (int i = 0; i < LANES; i++) {
            value[2 * LANES * k + i] = r.value[0][i];
            value[2 * LANES * k + LANES + i] = r.value[1][i];
        }
        advance(&r);
    }
}

int64_t two_phase_memory(const two_phase *p)
{
    int64_t most = p->points1.n > p->points0.n ? p->points1.n : p->points0.n;
    return 4 * LANES * (p->n + most);
}

ALWAYS_INLINE void transform(const two_phase *p, const double *t, double *memory, double *real,
                             double *imaginary)
{
    double *one = memory, *two = one + 2 * LANES * p->n, *rest = two + 2 * LANES * p->n;
    double last = p->first + p->stride * (double)(p->n - 1);
    class_transforms(p, &p->points1, p->a1, p->b1, t, p->called + p->first, one, rest);
    class_transforms(p, &p->points0, p->a0, p->b0, t, p->other - last, two, rest);
    for (int i = 0; i < LANES; i++)
        real[i] = imaginary[i] = 0;
    for (int64_t k = 0; k < p->n; k++) { /* the other class shrinks as C grows */
        const double *x = one + 2 * LANES * k, *y = two + 2 * LANES * (p->n - 1 - k);
        for (int i = 0; i < LANES; i++) {
            real[i] += p->weight[k] * (x[i] * y[i] - x[LANES + i] * y[LANES + i]);
            imaginary[i] += p->weight[k] * (x[i] * y[LANES + i] + x[LANES + i] * y[i]);
        }
    }
}

static void transform_baseline(const two_phase *p, const double *t, double *memory, double *real,
                               double *imaginary)
{
    transform(p, t, memory, real, imaginary);
}

#ifdef VECTOR_DISPATCH
VECTOR_TARGET_AVX2
static void transform_avx2(const two_phase *p, const double *t, double *memory, double *real,
                           double *imaginary)
{
    transform(p, t, memory, real, imaginary);
}

VECTOR_TARGET_AVX512
static void transform_avx512(const two_phase *p, const double *t, double *memory, double *real,
                             double *imaginary)
{
    transform(p, t, memory, real, imaginary);
}
#endif

void two_phase_transform(const two_phase *p, const double *t, double *memory, double *real,
                         double *imaginary)
{
    switch (p->instructions) {
#ifdef VECTOR_DISPATCH
    case VECTOR_AVX512:
        transform_avx512(p, t, memory, real, imaginary);
        return;
    case VECTOR_AVX2:
        transform_avx2(p, t, memory, real, imaginary);
        return;
#endif
    default:
        transform_baseline(p, t, memory, real, imaginary);
    }
}
