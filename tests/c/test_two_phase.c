/* Transforms of yields of coded and audited segments, against sums over all counts. */
#include "distributions/two_phase.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"

enum { CALLS = 5 };

static double log_choose_of(double n, double k)
{
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

static double log_beta(double a, double b)
{
    return lgamma(a) + lgamma(b) - lgamma(a + b);
}

/* E exp(i t X), X ~ BetaBin(n; a, b), by its sum. */
static void transform_of(double n, double a, double b, double t, double *real, double *imaginary)
{
    *real = *imaginary = 0;
    for (double k = 0; k <= n; k++) {
        double p = exp(log_choose_of(n, k) + log_beta(a + k, b + n - k) - log_beta(a, b));
        *real += p * cos(t * k);
        *imaginary += p * sin(t * k);
    }
}

int main(void)
{
    const double weight[CALLS] = {0.1, 0.3, 0.25, 0.2, 0.15};
    two_phase p = {7,
                   60,
                   17.5,
                   3.5,
                   0.5,
                   30.5,
                   11,
                   1,
                   CALLS,
                   weight,
                   {0, 0, 0},
                   {0, 0, 0},
                   widest_instructions()};
    double t[TWO_PHASE_LANES], real[TWO_PHASE_LANES], imaginary[TWO_PHASE_LANES];
    for (int i = 0; i < TWO_PHASE_LANES; i++)
        t[i] = 0.45 * i; /* from 0 to beyond π */
    double *memory = malloc(sizeof(double) * (size_t)two_phase_memory(&p));
    two_phase_transform(&p, t, memory, real, imaginary);
    free(memory);
    for (int i = 0; i < TWO_PHASE_LANES; i++) {
        double expected_real = 0, expected_imaginary = 0;
        for (int k = 0; k < CALLS; k++) {
            double r1, i1, r0, i0;
            transform_of(p.called + p.first + k, p.a1, p.b1, t[i], &r1, &i1);
            transform_of(p.other - p.first - k, p.a0, p.b0, t[i], &r0, &i0);
            expected_real += weight[k] * (r1 * r0 - i1 * i0);
            expected_imaginary += weight[k] * (r1 * i0 + i1 * r0);
        }
        CHECK(fabs(real[i] - expected_real) < 1e-13);
        CHECK(fabs(imaginary[i] - expected_imaginary) < 1e-13);
    }
    return failures;
}
