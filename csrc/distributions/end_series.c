/* Series of the yield's Fourier transform from both ends of its distribution.
 * The contract is in end_series.h. */

#include "distributions/end_series.h"

#include <math.h>

#include "numeric/log_gamma.h"
#include "numeric/vector_trig.h"

enum { LANES = END_LANES };

static const double NEGLIGIBLE = 1e-20;

/* log of Γ(a + b)/Γ(b) and s^a, where log s = log_first. */
typedef struct {
    double a, b, first, log_size;
    const double *count;
} class_terms;

static class_terms start(const end_class *c, double log_first)
{
    dd log_size = dd_subtract(log_gamma(c->a + c->b), log_gamma(c->b));
    return (class_terms){c->a, c->b, exp(log_first), log_size.hi + c->a * log_first, c->count};
}

/* The coefficients of the series of one class, times `size` and powers of s, until they are
 * negligible; how many they are. */
static int terms_of(const class_terms *c, int64_t i, double size, double *term)
{
    double a = c->a, b = c->b, count = c->count[i];
    dd log_ratio_of = dd_subtract(log_gamma(count + 1), log_gamma(a + count + 1));
    term[0] = size * exp(c->log_size + log_ratio_of.hi);
    for (int m = 0; m < END_TERMS - 1; m++) {
        term[m + 1] =
            term[m] * ((1 - b + m) * (a + m) * c->first / ((a + count + 1 + m) * (m + 1)));
        if (fabs(term[m + 1]) < NEGLIGIBLE)
            return m + 1;
    }
    return END_TERMS;
}

/* Adds the product of both classes' series at one number of calls. */
static void add_product(end_series *to, const class_terms *one, const class_terms *other, int64_t i,
                        double weight)
{
    double x[END_TERMS], y[END_TERMS];
    int n = terms_of(one, i, weight, x), n_other = terms_of(other, i, 1, y);
    for (int k = 0; k < n; k++) {
        double factor = x[k], positive = fabs(factor);
        int end = END_TERMS - k < n_other ? END_TERMS - k : n_other;
        for (int m = 0; m < end; m++) {
            to->coefficient[k + m] += factor * y[m];
            to->bound[k + m] += positive * fabs(y[m]);
        }
    }
}

static double least_bound(end_series *s)
{
    s->n = 0;
    for (int m = 1; m < END_TERMS; m++) /* not those that are no numbers */
        if (s->bound[m] < s->bound[s->n])
            s->n = m;
    return s->bound[s->n];
}

double end_series_set(end_series *to, const end_class *one, const end_class *other,
                      const double *weight, int64_t n, double log_first, double most)
{
    class_terms first = start(one, log_first), second = start(other, log_first);
    *to = (end_series){0, one->a + other->a, log_first, {0}, {0}};
    int64_t likely = 0;
    for (int64_t i = 1; i < n; i++)
        likely = weight[i] > weight[likely] ? i : likely;
    add_product(to, &first, &second, likely, weight[likely]);
    double bound = least_bound(to);
    if (!(bound <= most)) /* no more than a look */
        return bound;
    for (int64_t i = 0; i < n; i++)
        if (i != likely)
            add_product(to, &first, &second, i, weight[i]);
    return least_bound(to);
}

/* The terms that matter at a frequency and all greater ones. */
static int64_t terms_at(const end_series *s, double t)
{
    double ratio = exp(-log(2 * sin(t / 2)) - s->log_first), power = pow(ratio, s->power);
    int64_t n = 0;
    for (int64_t m = 0; m < s->n; m++, power *= ratio)
        if (s->bound[m] * power >= 1e-18)
            n = m + 1;
    return n;
}

ALWAYS_INLINE void sum_at(const end_series *s, int64_t n, const double *t, double *real,
                          double *imaginary)
{
    const double half_pi = 1.57079632679489661923;
    double q_re[LANES], q_im[LANES];
    double first = exp(-s->log_first);
    for (int i = 0; i < LANES; i++) {
        double cosine, sine;
        cos_sin_of(t[i] / 2, &cosine, &sine);
        double log_size = -log_ratio(2 * sine, 1, 2 * sine - 1) - s->log_first;
        q_re[i] = 0.5 * first;
        q_im[i] = 0.5 * cosine / sine * first;
        log_size = log_size > 0 ? 0 : log_size; /* by rounding */
        exp_of_pair(s->power * log_size, s->power * (half_pi - t[i] / 2), real + i, imaginary + i);
    }
    double x[LANES] = {0}, y[LANES] = {0};
    for (int64_t m = n - 1; m >= 0; m--)
        for (int i = 0; i < LANES; i++) {
            double old = x[i];
            x[i] = old * q_re[i] - y[i] * q_im[i] + s->coefficient[m];
            y[i] = old * q_im[i] + y[i] * q_re[i];
        }
    for (int i = 0; i < LANES; i++) {
        double old = real[i];
        real[i] = old * x[i] - imaginary[i] * y[i];
        imaginary[i] = old * y[i] + imaginary[i] * x[i];
    }
}

ALWAYS_INLINE void values(const end_series *low, const end_series *high, const double *t,
                          const double *turn, double *real, double *imaginary)
{
    double x[LANES], y[LANES];
    int64_t n = terms_at(high, t[0]);
    sum_at(low, terms_at(low, t[0]), t, real, imaginary);
    if (n == 0)
        return;
    sum_at(high, n, t, x, y);
    for (int i = 0; i < LANES; i++) {
        double cosine, sine;
        cos_sin_of(turn[i], &cosine, &sine);
        real[i] += cosine * x[i] + sine * y[i];
        imaginary[i] += sine * x[i] - cosine * y[i];
    }
}

static void values_baseline(const end_series *low, const end_series *high, const double *t,
                            const double *turn, double *real, double *imaginary)
{
    values(low, high, t, turn, real, imaginary);
}

#ifdef VECTOR_DISPATCH
VECTOR_TARGET_AVX2
static void values_avx2(const end_series *low, const end_series *high, const double *t,
                        const double *turn, double *real, double *imaginary)
{
    values(low, high, t, turn, real, imaginary);
}

VECTOR_TARGET_AVX512
static void values_avx512(const end_series *low, const end_series *high, const double *t,
                          const double *turn, double *real, double *imaginary)
{
    values(low, high, t, turn, real, imaginary);
}
#endif

void end_series_values(const end_series *low, const end_series *high, const double *t,
                       const double *turn, double *real, double *imaginary,
                       enum vector_instructions instructions)
{
    switch (instructions) {
#ifdef VECTOR_DISPATCH
    case VECTOR_AVX512:
        values_avx512(low, high, t, turn, real, imaginary);
        return;
    case VECTOR_AVX2:
        values_avx2(low, high, t, turn, real, imaginary);
        return;
#endif
    default:
        values_baseline(low, high, t, turn, real, imaginary);
    }
}
