/* Logarithm of a ratio of Beta or F variates: tails and cumulants. See share_law.h. */

#include <math.h>

#include "superiority/gamma_contrast.h"

/* The integral of z^power exp K(z) with p + 1 + power for p. */
static double derivative(const log_ratio *law, double t, int power)
{
    double e = exp(t), mean = 1 + power - law->p * expm1(t);
    return gamma_contrast_at_0(law->p + 1 + power, law->q, law->r, law->rho2 * e, law->rho3 * e,
                               mean, power);
}

void log_ratio_set(log_ratio *law, double p, double q, double r, double w2, double w3)
{
    double weight = fmax(w2, w3), share2 = w2 / weight, share3 = w3 / weight; /* w2, w3 > 0 */
    double mean = share2 * q + share3 * r, total = p + q + r + 1;
    double variance = (share2 / mean) * (share2 / mean) * q + (share3 / mean) * (share3 / mean) * r;
    *law = (log_ratio){p, q, r, share2 * (p / mean), share3 * (p / mean), 0, 0, 0};
    double most = fmax(law->rho2, law->rho3),
           least = r > 0 ? fmin(law->rho2, law->rho3) : law->rho2;
    law->low = -42 - log(most) - log(total);
    law->high = 42 - log(least) + log(total);
    law->spread = sqrt(1 / fmax(p, 0.5) + fmin(variance, 2));
}

static gamma_tails tails_inside(const log_ratio *law, double t)
{
    double e = exp(t);
    return gamma_contrast_tails(law->p, law->q, law->r, law->rho2 * e, law->rho3 * e,
                                -law->p * expm1(t));
}

gamma_tails log_ratio_tails(const log_ratio *law, double t)
{
    if (t < law->low) {
        double below = tails_inside(law, law->low).below * exp(law->p * (t - law->low));
        return (gamma_tails){below, 1 - below};
    }
    if (t > law->high) {
        double above =
            tails_inside(law, law->high).above * exp(-(law->q + law->r) * (t - law->high));
        return (gamma_tails){1 - above, above};
    }
    return tails_inside(law, t);
}

/* p g(p + 1, q, r), g the density of L at 0, where q and r are next to 0: then g is, too, and an
 * error that is small beside exp K is large beside it.  The derivative of exp K has the integral 0,
 * and 1
 * + ρ is (1 + ρ z) + ρ (1 - z):
 *
 *     (p + q + r) g(p + 1, q, r) = q (1 + ρ2) g(p + 1, q + 1, r) + r (1 + ρ3) g(p + 1, q, r + 1).
 */
static double raised_density(const log_ratio *law, double t)
{
    double e = exp(t), p = law->p, q = law->q, r = law->r, rho2 = law->rho2 * e,
           rho3 = law->rho3 * e, mean = 1 - p * expm1(t), sum = 0;
    if (q > 0)
        sum += q * (1 + rho2) * gamma_contrast_at_0(p + 1, q + 1, r, rho2, rho3, mean - rho2, 0);
    if (r > 0)
        sum += r * (1 + rho3) * gamma_contrast_at_0(p + 1, q, r + 1, rho2, rho3, mean - rho3, 0);
    return p / (p + q + r) * sum;
}

double log_ratio_density(const log_ratio *law, double t)
{
    double inside = fmin(fmax(t, law->low), law->high), fall = 1;
    if (t != inside)
        fall = exp(t < inside ? law->p * (t - inside) : -(law->q + law->r) * (t - inside));
    if (law->q < TINY_SHAPE && law->r < TINY_SHAPE)
        return fall * raised_density(law, inside);
    if (law->q < TINY_SHAPE || (law->r > 0 && law->r < TINY_SHAPE)) {
        double e = exp(inside), mean = 1 - law->p * expm1(inside);
        return fall * law->p
               * gamma_contrast_with_tiny(law->p + 1, law->q, law->r, law->rho2 * e, law->rho3 * e,
                                          mean, law->q < TINY_SHAPE ? 1 : 2);
    }
    return fall * law->p * derivative(law, inside, 0);
}

double log_ratio_slope(const log_ratio *law, double t)
{
    if (t < law->low)
        return law->p;
    if (t > law->high)
        return -(law->q + law->r);
    return -1 - (law->p + 1) * derivative(law, t, 1) / derivative(law, t, 0);
}

double log_ratio_quantile(const log_ratio *law, double below, double above)
{
    int is_low = below <= above;
    double target = log(is_low ? below : above), low = -INFINITY, high = INFINITY, t = 0;
    for (int i = 0; i < 200; i++) {
        gamma_tails tails = log_ratio_tails(law, t);
        double tail = is_low ? tails.below : tails.above, density = log_ratio_density(law, t);
        double miss = log(tail) - target; /* falls with t above */
        *((miss < 0) == is_low ? &low : &high) = t;
        double step =
            tail > 0 && density > 0 ? (is_low ? -miss : miss) * (tail / density) : INFINITY;
        if (fabs(step) <= 1e-8 * law->spread || fabs(step) <= 1e-15 * fabs(t))
            return t + step; /* Newton's error is about the square of the step, in units of the
                                spread */
        double next = t + step, reach = 4 * law->spread + 0.5 * fabs(t);
        if (!(next > low && next < high) || fabs(next - t) > 50 * reach)
            next = low > -INFINITY && high < INFINITY ? (low + high) / 2
                   : low > -INFINITY                  ? low + reach
                                                      : high - reach;
        t = next;
    }
    return t;
}
