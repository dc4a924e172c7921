/* Tails and densities of shares against closed forms, one another, and sums. */
#include "superiority/share_law.h"

#include <math.h>

#include "check.h"

static int is_near(double value, double exact, double relative)
{
    return fabs(value - exact) <= relative * fabs(exact) + 1e-15;
}

/* Beta(p, 1) and Beta(1, q) have powers as distribution functions. */
static void test_powers(double p)
{
    share_law law, other;
    share_law_set(&law, p, 1, 0, 0);
    share_law_set(&other, 1, p, 0, 0);
    for (double x = 0.001; x < 1; x += 0.0173) {
        gamma_tails tails = share_tails(&law, share_offset(&law, x, 1 - x));
        CHECK(is_near(tails.below, pow(x, p), 1e-12));
        CHECK(is_near(tails.above, -expm1(p * log(x)), 1e-12 / fmin(p, 1)));
        tails = share_tails(&other, share_offset(&other, x, 1 - x));
        CHECK(is_near(tails.above, exp(p * log1p(-x)), 1e-12));
        CHECK(is_near(share_density(&law, share_offset(&law, x, 1 - x)), p * pow(x, p) * (1 - x),
                      1e-11));
    }
}

/* Erlang shapes: X > w2 Y + w3 Z with X exponential is a product of Laplace transforms. */
static void test_exponential(double q, double r, double w)
{
    log_ratio law;
    log_ratio_set(&law, 1, q, r, 1, w);
    for (double t = -20; t < 6; t += 0.37) {
        double u = exp(t - log(q + w * r)); /* R > u */
        gamma_tails tails = log_ratio_tails(&law, t);
        double log_above = -q * log1p(u) - r * log1p(w * u);
        CHECK(is_near(tails.above, exp(log_above), 1e-11));
        CHECK(fabs(tails.below + expm1(log_above)) < 1e-13);
        CHECK(is_near(log_ratio_density(&law, t),
                      u * (q / (1 + u) + r * w / (1 + w * u)) * exp(log_above), 1e-10));
    }
}

/* A density is the slope of the tails, its own slope the one of its logarithm; quantiles are where
 * they are asked for. */
static void test_consistency(double p, double q, double r, double beta)
{
    share_law law;
    share_law_set(&law, p, q, r, beta);
    const double width = 1e-3 * law.ratio.spread;
    for (double k = -3; k < 3.1; k += 0.61) {
        double t = k * law.ratio.spread, density = share_density(&law, t);
        gamma_tails low = share_tails(&law, t - width), high = share_tails(&law, t + width),
                    here = share_tails(&law, t);
        CHECK(fabs(here.below + here.above - 1) < 1e-14);
        CHECK(low.below <= here.below && here.below <= high.below);
        CHECK(fabs((high.below - low.below) / (2 * width) - density) * law.ratio.spread < 1e-5);
        double rise = log(log_ratio_density(&law.ratio, t + width)
                          / log_ratio_density(&law.ratio, t - width));
        CHECK(density < 1e-200
              || fabs(rise / (2 * width) - log_ratio_slope(&law.ratio, t))
                     < 1e-4 * (1 + fabs(rise / width)));
        if (here.below > 1e-12 && here.above > 1e-12)
            CHECK(fabs(log_ratio_quantile(&law.ratio, here.below, here.above) - t) * density
                  < 1e-12);
    }
    double mean, variance, sum = 0, square = 0, h = 0.02 * fmin(law.ratio.spread, 1),
                           reach = 40 + 45 / fmin(p, law.n);
    share_moments(&law, &mean, &variance);
    if (reach / h > 2e4)
        return;
    for (double t = -reach; t < reach; t += h) {
        double share = 1 / (1 + exp(-law.centre - t)), weight = h * share_density(&law, t);
        sum += weight * share;
        square += weight * (share - mean) * (share - mean);
    }
    CHECK(fabs(sum - mean) < 1e-11 && is_near(square, variance, 1e-9));
}

int main(void)
{
    const double shapes[] = {1e-3, 0.03, 0.5, 1, 3.5, 40, 2000.5, 1e6};
    for (int i = 0; i < 8; i++)
        test_powers(shapes[i]);
    test_exponential(0.5, 3.5, 4);
    test_exponential(1e-3, 0.5, 1e4);
    test_exponential(200.5, 0.5, 0.01);
    test_exponential(0.5, 1e5, 1e-6);
    test_exponential(30, 40, 1);
    const double betas[] = {0.05, 0.5, 1, 2, 20, 1000};
    unsigned long long state = 7;
    for (int i = 0; i < 40; i++) {
        double p = shapes[1 + next_random(&state) % 6], q = shapes[1 + next_random(&state) % 6];
        test_consistency(p, q, shapes[1 + next_random(&state) % 6], betas[next_random(&state) % 6]);
        test_consistency(p, q, 0, 0);
    }
    /* π1 - π2: mirrored, within its range, one way where nothing else can be */
    for (double x = -1; x <= 1; x += 0.125) {
        gamma_tails first = dirichlet_difference_tails(5e6 + 0.5, 100.5, 0.5, x);
        gamma_tails second = dirichlet_difference_tails(100.5, 5e6 + 0.5, 0.5, -x);
        CHECK(first.below == second.above && first.above == second.below);
        CHECK(x < 0.9 ? first.below < 1e-15 : first.above < 1e-15);
    }
    return failures;
}
