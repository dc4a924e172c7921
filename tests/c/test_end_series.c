/* Series of both ends, against the recurrence of two_phase.h. */
#include "distributions/end_series.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "distributions/two_phase.h"

enum { CALLS = 40 };

int main(void)
{
    /* of 900 + 2100 documents; the calls' law is narrow enough to have no waves at these t */
    double weight[CALLS], called[CALLS], other[CALLS], total = 0;
    for (int i = 0; i < CALLS; i++)
        total += weight[i] = exp(-0.5 * pow((i - 19.5) / 2.6, 2));
    for (int i = 0; i < CALLS; i++) {
        weight[i] /= total;
        called[i] = 900 + 10 * i;
        other[i] = 2100 - 10 * i;
    }
    double *every = calloc(10 * CALLS, sizeof(double)); /* a weight for every number of calls */
    total = 0;
    for (int i = 0; i < 10 * CALLS; i++)
        total += every[i] = exp(-0.5 * pow((i - 195) / 26.0, 2));
    for (int i = 0; i < 10 * CALLS; i++)
        every[i] /= total;
    two_phase p = {900,
                   2100,
                   1.5,
                   2.5,
                   0.5,
                   3.5,
                   0,
                   1,
                   10 * CALLS,
                   every,
                   {0, 0, 0},
                   {0, 0, 0},
                   widest_instructions()};
    double t[END_LANES], turn[END_LANES], real[END_LANES], imaginary[END_LANES];
    double expected_real[END_LANES], expected_imaginary[END_LANES];
    for (int i = 0; i < END_LANES; i++) {
        t[i] = 0.4 + 0.18 * i;
        turn[i] = 3000 * t[i];
    }
    double *memory = malloc(sizeof(double) * (size_t)two_phase_memory(&p));
    two_phase_transform(&p, t, memory, expected_real, expected_imaginary);
    free(memory);
    free(every);
    end_series low, high;
    double log_first = -log(2 * sin(t[0] / 2));
    end_class one = {1.5, 2.5, called}, two = {0.5, 3.5, other};
    CHECK(end_series_set(&low, &one, &two, weight, CALLS, log_first, 1e-12) < 1e-16);
    one = (end_class){2.5, 1.5, called}, two = (end_class){3.5, 0.5, other};
    CHECK(end_series_set(&high, &one, &two, weight, CALLS, log_first, 1e-12) < 1e-16);
    end_series_values(&low, &high, t, turn, real, imaginary, widest_instructions());
    for (int i = 0; i < END_LANES; i++) {
        CHECK(fabs(real[i] - expected_real[i]) < 1e-14);
        CHECK(fabs(imaginary[i] - expected_imaginary[i]) < 1e-14);
    }
    /* too near to frequency 0 there is no series */
    CHECK(!(end_series_set(&low, &one, &two, weight, CALLS, log(1e4), 1e-12) < 1e-12));
    return failures;
}
