/* Superiority against what must hold and closed forms. */
#include "superiority/superiority.h"

#include <math.h>

#include "check.h"

static share_law law_of(double p, double q, double r, double beta)
{
    share_law law;
    share_law_set(&law, p, q, r, beta);
    return law;
}

/* A law against itself, both ways round, and as the margin grows. */
static void test_pair(const share_law *a, const share_law *b)
{
    superiority self = share_superiority(a, a, 0), forth = share_superiority(a, b, 0),
                back = share_superiority(b, a, 0);
    CHECK(fabs(self.probability - 0.5) <= self.error);
    CHECK(fabs(forth.probability + back.probability - 1) <= forth.error + back.error);
    CHECK(forth.error < 1e-9);
    const double margins[] = {-1, -0.999, -0.5, -1e-3, 0, 1e-3, 0.5, 0.999, 1};
    double before = 1;
    for (int i = 0; i < 9; i++) {
        superiority found = share_superiority(a, b, margins[i]);
        CHECK(found.probability <= before + found.error + 1e-12
              && found.probability >= -found.error);
        CHECK(found.error < 1e-9);
        before = found.probability;
    }
    CHECK(before == 0);
}

int main(void)
{
    /* P(Beta(1, 1) > Beta(1, 1) + m) is a triangle; P(U > Beta(p, 1)) is 1/(p + 1), without the
     * mean of x^p. */
    share_law uniform = law_of(1, 1, 0, 0);
    for (double m = -1; m <= 1; m += 0.125) {
        double exact = m < 0 ? 1 - (1 + m) * (1 + m) / 2 : (1 - m) * (1 - m) / 2;
        CHECK(fabs(share_superiority(&uniform, &uniform, m).probability - exact) < 1e-13);
    }
    const double powers[] = {1e-3, 0.1, 0.5, 2, 50, 1e6};
    for (int i = 0; i < 6; i++) {
        share_law law = law_of(powers[i], 1, 0, 0);
        CHECK(fabs(share_superiority(&law, &uniform, 0).probability - powers[i] / (powers[i] + 1))
              < 1e-12);
    }
    share_law pairs[][2] = {{law_of(10.5, 26, 0, 0), law_of(3.5, 6, 0, 0)},
                            {law_of(0.001, 0.5, 0, 0), law_of(5000.5, 0.001, 0, 0)},
                            {law_of(1e6, 3e5, 0, 0), law_of(0.5, 0.5, 0, 0)},
                            {law_of(10.5, 10.5, 5.5, 2), law_of(3.5, 2.5, 3.5, 2)},
                            {law_of(36391.5, 21.5, 0.5, 10), law_of(36391.5, 0.5, 15.5, 10)},
                            {law_of(0.01, 0.01, 0.01, 0.05), law_of(5.5, 0.5, 30000, 0.05)},
                            {law_of(0.5, 1720.5, 0.5, 20), law_of(2.5, 0.5, 40.5, 20)}};
    for (int i = 0; i < 7; i++)
        test_pair(&pairs[i][0], &pairs[i][1]);
    return failures;
}
