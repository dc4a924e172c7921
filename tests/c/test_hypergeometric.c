/* Identities that hold whatever the parameters, and numbers known exactly, through the C interface.
 */
#include "distributions/hypergeometric.h"

#include <math.h>

#include "check.h"
#include "numeric/log_gamma.h"

static int near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance * fabs(b);
}

static void test_log_gamma(void)
{
    /* log Γ(1/2) = log(π)/2, log Γ(101) = log 100!, and Γ(x + 1) = x Γ(x) */
    CHECK(near(log_gamma(.5).hi, 0.57236494292470008707, 1e-16)
          && near(log_gamma(101).hi, 363.73937555556349014, 1e-16));
    CHECK(log_gamma(1).hi == 0 && log_gamma(2).hi == 0 && log_choose(5, 0).hi == 0);
    for (double x = 0x1p-20; x < 1e15; x *= 1.37) {
        double y = (float)x; /* so that y + 1 is exact */
        dd step = dd_subtract(log_gamma(y + 1), log_gamma(y)), logarithm = dd_log(y);
        CHECK(fabs(dd_subtract(step, logarithm).hi) <= 4e-18 + 4e-31 * fabs(log_gamma(y).hi));
    }
    CHECK(near(log_choose(1e12, 3).hi, 81.101303878554594624, 1e-15));
}

static void test_one_population(double population, double relevant, double drawn)
{
    hypergeometric h;
    hypergeometric_set(&h, population, relevant, drawn);
    double sum = 0, mean = 0, last = 0;
    for (double x = h.least; x <= h.most; x++) {
        double p = hypergeometric_value(&h, HYPERGEOMETRIC_PMF, x, 0);
        double below = hypergeometric_value(&h, HYPERGEOMETRIC_CDF, x, 0);
        double above = hypergeometric_value(&h, HYPERGEOMETRIC_SF, x, 0);
        sum += p;
        mean += x * p;
        CHECK(near(below, sum, 1e-12) && fabs(below + above - 1) < 1e-15 && below >= last);
        CHECK(p == 0
              || fabs(hypergeometric_value(&h, HYPERGEOMETRIC_PMF, x, 1) - log(p))
                     < 1e-13 * fmax(1, -log(p)));
        CHECK(above == 0
              || fabs(hypergeometric_value(&h, HYPERGEOMETRIC_SF, x, 1) - log(above)) < 1e-11);
        last = below;
    }
    CHECK(fabs(sum - 1) < 1e-13
          && near(mean, population ? relevant * drawn / population : 0, 1e-12));
    CHECK(hypergeometric_value(&h, HYPERGEOMETRIC_PMF, h.most + 1, 0) == 0);
    CHECK(hypergeometric_value(&h, HYPERGEOMETRIC_PMF, h.least - 1, 1) == -INFINITY);
    CHECK(hypergeometric_value(&h, HYPERGEOMETRIC_CDF, h.least - 1, 0) == 0);
    CHECK(hypergeometric_value(&h, HYPERGEOMETRIC_CDF, h.most, 1) == 0);
    CHECK(hypergeometric_value(&h, HYPERGEOMETRIC_SF, h.least - 1, 0) == 1);
    CHECK(hypergeometric_value(&h, HYPERGEOMETRIC_SF, h.most, 1) == -INFINITY);
}

/* Every cut of rankings that take, drop and exhaust the relevant documents equals the single tail.
 */
static void test_curve(double population, double relevant, int n_cuts, unsigned per_mille)
{
    static double relevance[20000], tail[20000];
    unsigned long long seed = per_mille;
    double found = 0;
    for (int i = 0; i < n_cuts; i++) {
        int can = found<relevant, must = i + 1 - found> population - relevant;
        relevance[i] = must || (can && next_random(&seed) % 1000 < per_mille);
        found += relevance[i];
    }
    hypergeometric_curve curve;
    hypergeometric_curve_set(&curve, population, relevant);
    hypergeometric_curve_follow(&curve, relevance, n_cuts / 3, tail);
    hypergeometric_curve_follow(&curve, relevance + n_cuts / 3, n_cuts - n_cuts / 3,
                                tail + n_cuts / 3);
    found = 0;
    for (int i = 0; i < n_cuts; i++) {
        hypergeometric h;
        hypergeometric_set(&h, population, relevant, i + 1);
        found += relevance[i];
        double expected = hypergeometric_value(&h, HYPERGEOMETRIC_CDF, found - 1, 0);
        CHECK(fabs(tail[i] - expected) <= 1e-13 * expected + 1e-300);
    }
}

int main(void)
{
    const double populations[][3] = {{0, 0, 0},        {1, 0, 1},       {1, 1, 1},
                                     {10, 10, 4},      {10, 4, 10},     {200, 12, 30},
                                     {1000, 900, 850}, {1e6, 300, 2e5}, {1e12, 50, 3e11}};
    for (int i = 0; i < (int)(sizeof populations / sizeof *populations); i++)
        test_one_population(populations[i][0], populations[i][1], populations[i][2]);
    test_log_gamma();
    test_curve(20000, 40, 20000, 100);
    test_curve(20000, 10000, 20000, 500);
    test_curve(20000, 19990, 20000, 20);
    test_curve(1e9, 1e8, 20000, 990);
    test_curve(1e12, 1e4, 20000, 1);
    return failures;
}
