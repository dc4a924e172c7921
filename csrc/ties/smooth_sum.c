/* Sums of smooth functions over many integers by Gauss quadrature.
 * The contract is in smooth_sum.h. */

#include "ties/smooth_sum.h"

#include <math.h>

#include "ties/tie_groups.h"

enum { NODES = 16, NEWTON_STEPS = 4 };

/* The orthonormal polynomial of degree 16 at t, its derivative, and the sum of squares of those of
 * lower degree. */
typedef struct {
    double value, slope, squares;
} gram;

static gram gram_at(const double *root, double t)
{
    double before = 0, value = 1, slope_before = 0, slope = 0, squares = 0;
    for (int k = 0; k < NODES; k++) {
        squares += value * value;
        double next = (t * value - root[k] * before) / root[k + 1];
        double next_slope = (value + t * slope - root[k] * slope_before) / root[k + 1];
        before = value;
        value = next;
        slope_before = slope;
        slope = next_slope;
    }
    return (gram){value, slope, squares};
}

double smooth_sum(smooth_function f, const void *context, double first, double n)
{
    const double pi = 3.14159265358979323846;
    double root[NODES + 1] = {
        0}; /* of the coefficients of the recurrence, points scaled to (-1, 1) */
    for (int k = 1; k <= NODES; k++)
        root[k] = k * sqrt((1 - k * k / (n * n)) / (4 * k * k - 1));
    double sum = 0;
    for (int node = 0; node < NODES / 2; node++) {
        double t =
            cos(pi * (node + 0.75) / (NODES + 0.5)); /* near the zeros of Legendre's polynomial */
        for (int step = 0; step < NEWTON_STEPS; step++) {
            gram p = gram_at(root, t);
            t -= p.value / p.slope;
        }
        double middle = (n - 1) / 2, distance = t * n / 2;
        sum += n / gram_at(root, t).squares
               * (f(first, middle - distance, context) + f(first, middle + distance, context));
    }
    return sum;
}

dd long_sum(smooth_function f, const void *context, double first, double n, double longest,
            work_watch *watch, int64_t steps)
{
    const double few = 1024, negligible = 1e-18;
    dd sum = {0, 0};
    for (double at = 0; at < n && !watch_stops(watch, steps);) {
        double left = n - at, piece = floor(fmin(fmin(first + at, longest), left));
        if (piece >= few) {
            add_to(&sum, smooth_sum(f, context, first + at, piece));
            at += piece;
            watch_stops(watch, 16 * steps);
            continue;
        }
        double term = f(first + at, 0, context);
        add_to(&sum, term);
        at++;
        if (term * left < negligible * sum.hi)
            break;
    }
    return sum;
}
