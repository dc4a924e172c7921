/* Sums of beta-binomial probabilities: uniform ones, and all of a small law in turn. */
#include "yields/beta_binomial_sums.h"

#include <math.h>

#include "check.h"

static void test_uniform(double n)
{
    beta_binomial uniform = {n, 1, 1};
    int is_rough = 0;
    for (double share = 0; share <= 1; share += .125) {
        double y = floor(n * share);
        CHECK(fabs(share_below(&uniform, y, &is_rough) - y) <= 1e-11 * y);
    }
    CHECK(!is_rough);
    CHECK(fabs(log_probability(&uniform, floor(n / 3)) + log(n + 1)) <= 1e-12 * log(n + 1));
}

static void test_all_of(beta_binomial law)
{
    double sum = 0;
    int is_rough = 0;
    for (double y = 0; y < law.n && sum < 1e280; y++) {
        CHECK(fabs(share_below(&law, y, &is_rough) - sum) <= 1e-10 * sum);
        sum = (sum + 1) / rising_ratio(&law, y);
    }
}

int main(void)
{
    test_uniform(10);
    test_uniform(1000);
    test_uniform(1e10);
    test_all_of((beta_binomial){3000, .5, .5});
    test_all_of((beta_binomial){3000, 40.5, 60.5});
    test_all_of((beta_binomial){3000, 40000.5, 60000.5}); /* panels */
    test_all_of((beta_binomial){3000, .001, 10});
    return failures;
}
