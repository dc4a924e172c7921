#include "two_phase.h"

#include <math.h>

enum { LANES = TWO_PHASE_LANES };

/* The transforms of BetaBin(T; a, b) at some frequencies, and their differences in T. */
typedef struct {
    double a, sum, count; /* a + b; T */
    double z[2][LANES], w[2][LANES], value[2][LANES], step[2][LANES];
} recurrence;

static void start(recurrence *r, double a, double b, const double *t)
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

static inline void advance(recurrence *r)
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

/* (1 - q + q z)^T at all points q and frequencies, and the factors by which T grows. */
typedef struct {
    const beta_points *points;
    double *power, *factor; /* points, real and imaginary, lanes */
} quadrature;

/* exp of the complex number, real <= 0 */
static inline void set_power(double *to, double real, double imaginary)
{
    double size = exp(real);
    to[0] = size * cos(imaginary);
    to[LANES] = size * sin(imaginary);
}

static void begin(quadrature *s, const double *t, double count, double stride)
{
    for (int64_t j = 0; j < s->points->n; j++) {
        double odds = s->points->odds[j], q = odds / (1 + odds), rest = 1 / (1 + odds);
        for (int i = 0; i < LANES; i++) {
            double half = sin(t[i] / 2), square = half * half;
            double real = 0.5 * log1p(-4 * q * rest * square);
            double angle = atan2(q * sin(t[i]), 1 - 2 * q * square);
            set_power(s->power + 2 * LANES * j + i, count * real, count * angle);
            set_power(s->factor + 2 * LANES * j + i, stride * real, stride * angle);
        }
    }
}

/* The transform at T, real and imaginary lanes; then T grows by the stride. */
static void sum_points(quadrature *s, double *value)
{
    for (int i = 0; i < 2 * LANES; i++)
        value[i] = 0;
    for (int64_t j = 0; j < s->points->n; j++) {
        double weight = s->points->weight[j];
        double *restrict power = s->power + 2 * LANES * j;
        const double *restrict factor = s->factor + 2 * LANES * j;
        for (int i = 0; i < LANES; i++) {
            double pr = power[i], pi = power[LANES + i], fr = factor[i], fi = factor[LANES + i];
            value[i] += weight * pr;
            value[LANES + i] += weight * pi;
            power[i] = pr * fr - pi * fi;
            power[LANES + i] = pr * fi + pi * fr;
        }
    }
}

/* The transforms of one class at T = count + stride k, k < n. */
static void class_transforms(const two_phase *p, const beta_points *points, double a, double b,
                             const double *t, double count, double *value, double *memory)
{
    if (points->n > 0) {
        quadrature s = {points, memory, memory + 2 * LANES * points->n};
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

void two_phase_transform(const two_phase *p, const double *t, double *memory, double *real,
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
