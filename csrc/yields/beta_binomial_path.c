/* Beta-binomial distribution functions along a path of counts.
 * The contract is in beta_binomial_path.h. */

#include "yields/beta_binomial_path.h"

#include <math.h>

#include "numeric/log_gamma.h"

/* Steps from one probability to the next; each step adds some 2^-52 of it, and changes it by a
 * factor that is above 1e-4 where it matters, so that 64 do not underflow. */
enum { RESTARTED = 64 };

/* Smaller probabilities count for nothing, and arithmetic of subnormal numbers is slow. */
static const double LEAST = 1e-280;

/* The part of a tail that is left out: half of the last digit. */
static const double NEGLIGIBLE = 0x1p-54;

typedef struct {
    double a, b;
    dd constant; /* log Γ(a + b) - log Γ(a) - log Γ(b) */
} urn;

/* P(X = k) for X ~ BetaBin(m; a, b). */
static double mass_at(const urn *u, double m, double k)
{
    if (k < 0 || k > m)
        return 0;
    dd sum = dd_add(log_choose(m, k), u->constant);
    sum = dd_add(sum, dd_add(log_gamma(u->a + k), log_gamma(u->b + (m - k))));
    sum = dd_subtract(sum, log_gamma(u->a + u->b + m));
    double mass = exp(sum.hi);
    return mass < LEAST ? 0 : mass;
}

/* P(X <= k) by all probabilities on one side.  If a parameter is 1 or more, on the side where they
 * fall: away from the mean, or, as they rise with k if b < 1 and fall if a < 1, always the lower
 * or the upper one.  All that are left, each at most the last one, are then too few to count: a
 * tail of a milliard documents had taken minutes.  Else on the shorter side. */
static double sum_at(const urn *u, double m, double k)
{
    if (k < 0)
        return 0;
    if (k >= m)
        return 1;
    int falls = u->a >= 1 || u->b >= 1;
    int is_low = k < m / 2;
    if (falls)
        is_low = u->b < 1 || (u->a >= 1 && k < m * (u->a / (u->a + u->b)));
    double total = 0, mass = 0;
    int64_t steps = (int64_t)(is_low ? k + 1 : m - k);
    for (int64_t i = 0; i < steps; i++) {
        double j = is_low ? k - (double)i : k + 1 + (double)i;
        if (i % RESTARTED == 0) {
            mass = mass_at(u, m, j);
            /* where they still rise towards a mode, one is at least the mean of those before it */
            if (falls && i > 0 && mass * (double)(steps - i) <= NEGLIGIBLE * total)
                break;
        }
        total += mass;
        if (is_low)
            mass *= j / (m - j + 1) * ((u->b + m - j) / (u->a + j - 1));
        else
            mass *= (m - j) / (j + 1) * ((u->a + j) / (u->b + m - j - 1));
    }
    return is_low ? total : 1 - total;
}

void beta_binomial_path(double first, const double *k, int64_t n, double a, double b, double *below)
{
    if (n <= 0)
        return;
    urn u = {a, b, dd_subtract(log_gamma(a + b), dd_add(log_gamma(a), log_gamma(b)))};
    double m = first, at = k[0], sum = sum_at(&u, m, at), mass = 0;
    int64_t age = RESTARTED; /* of the probability at (m, at) */
    for (int64_t i = 0;; i++) {
        below[i] = fmin(fmax(sum, 0), 1);
        if (i + 1 == n)
            return;
        int is_inside = at >= 0 && at <= m;
        if (is_inside && age >= RESTARTED) {
            mass = mass_at(&u, m, at);
            age = 0;
        }
        /* one document more */
        if (is_inside) {
            sum -= mass * (a + at) / (a + b + m);
            mass *= (m + 1) / (m + 1 - at) * ((b + m - at) / (a + b + m));
            mass = mass < LEAST ? 0 : mass;
            age++;
        }
        m += 1;
        /* and as many relevant ones as the path rises by */
        while (at < k[i + 1]) {
            if (is_inside && at < m) {
                mass *= (m - at) / (at + 1) * ((a + at) / (b + m - at - 1));
                at += 1;
            } else {
                at += 1;
                mass = mass_at(&u, m, at);
                is_inside = at >= 0 && at <= m;
                age = 0;
            }
            sum += mass;
        }
        if (!is_inside)
            age = RESTARTED;
    }
}
