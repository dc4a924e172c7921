/* Laws of yields against the beta-binomial's own sums, and comparisons against sums over all pairs.
 */
#include "yields/beta_binomial.h"
#include "yields/yield_posterior.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"

enum { MOST = 70000, CURVES = 512, CELLS = 1024 };

typedef struct {
    double left[MOST], above[MOST], weight[MOST], curve[CURVES * CURVE_SIZE], position[MOST],
        atom[MOST];
    int32_t which[MOST];
} arrays;

static arrays memory[4];

static yield_law law_of(int i, double seen, double unseen, double a, double b, int is_single)
{
    arrays *r = &memory[i];
    yield_law law = {0, 0, r->left, r->above, r->weight, r->which, r->curve, 0, 0};
    CHECK(yield_law_set(&law, is_single ? MOST - 1 : CELLS, CURVES, seen, unseen, a, b, is_single));
    CHECK(law.n_cells > 0 && (!is_single || is_all_single(&law)));
    CHECK(yield_law_atoms(&law, r->position, r->atom)
          == law.n_cells + (CELL_ATOMS - 1) * law.n_curves);
    return law;
}

/* Probability 1, mean and variance by formula, tails that fall. */
static void test_one_law(double seen, double unseen, double a, double b)
{
    for (int is_single = 0; is_single < 2; is_single++) {
        if (is_single && yield_likely(unseen, a, b) >= MOST - 1)
            continue;
        yield_law law = law_of(0, seen, unseen, a, b, is_single);
        double sum = 0, mean = seen + unseen * (a / (a + b));
        double variance = unseen * (a / (a + b)) * (b / (a + b)) * ((a + b + unseen) / (a + b + 1));
        for (int64_t j = 0; j < law.n_cells + (CELL_ATOMS - 1) * law.n_curves; j++)
            sum += memory[0].atom[j];
        CHECK(fabs(sum - 1) < 1e-11); /* four points for a polynomial of degree 8 */
        CHECK(fabs(law.above[0] - 1) < 1e-12 && law.above[law.n_cells] == 0);
        CHECK(fabs(law.mean - mean) <= 1e-11 * fmax(1, mean)
              && fabs(law.std * law.std - variance) <= 1e-9 * fmax(1, variance));
        for (int64_t j = 0; j < law.n_cells; j++)
            CHECK(law.left[j + 1] > law.left[j] && law.above[j + 1] <= law.above[j]);
        for (double p = 0.01; p < 1; p += 0.07) {
            double x = yield_law_quantile(&law, p);
            CHECK(1 - yield_law_above(&law, x + 1) >= p - 1e-9
                  && 1 - yield_law_above(&law, x) < p + 1e-9);
        }
    }
}

/* P(second >= slope first + offset) over all pairs of single documents. */
static void test_comparison(const yield_law *first, const yield_law *second, double slope,
                            double offset)
{
    for (int strict = 0; strict < 2; strict++) {
        double expected = 0;
        for (int64_t i = 0; i < first->n_cells; i++)
            for (int64_t j = 0; j < second->n_cells; j++) {
                double gap = second->left[j] - slope * first->left[i] - offset;
                if (strict ? gap > 1e-9 : gap >= -1e-9)
                    expected += first->weight[i] * second->weight[j];
            }
        CHECK(fabs(yield_compare(first, second, slope, offset, strict) - expected) < 1e-12);
    }
}

/* Cells of many documents against single ones. */
static void test_curves(double seen, double unseen, double a, double b)
{
    static double mass[MOST];
    yield_law wide = law_of(2, seen, unseen, a, b, 0), all = law_of(3, seen, unseen, a, b, 1);
    CHECK(wide.n_curves > 0 && wide.n_cells < all.n_cells);
    for (int64_t i = 0; i < all.n_cells; i++)
        CHECK(fabs(yield_law_above(&wide, all.left[i]) - all.above[i]) < 1e-12);
    yield_law_masses(&wide, mass);
    for (double x = fmax(wide.left[0], all.left[0]);
         x < fmin(wide.left[wide.n_cells], all.left[all.n_cells]); x++)
        CHECK(fabs(mass[(int64_t)(x - wide.left[0])] - all.weight[(int64_t)(x - all.left[0])])
              < 1e-12);
}

static void test_quantiles(const yield_law *first, const yield_law *second, double size)
{
    const enum yield_measure measures[] = {YIELD_RECALL, YIELD_F, YIELD_TOTAL};
    for (int m = 0; m < 3; m++)
        for (double p = 0.01; p < 1; p += 0.049) {
            double x = yield_quantile(first, second, measures[m], p, 1.5, size, 0.5, 0.01, 1e-11);
            double step = measures[m] == YIELD_TOTAL ? 1 : 1e-9;
            CHECK(yield_below(first, second, measures[m], x, 1.5, size, 0) >= p - 1e-12);
            CHECK(x <= 0
                  || yield_below(first, second, measures[m], x - step, 1.5, size, 0) < p + 1e-12);
        }
}

int main(void)
{
    test_one_law(0, 0, .5, .5);
    test_one_law(3, 1, .5, 7.5);
    test_one_law(40, 450, 40.5, 10.5);
    test_one_law(0, 60000, .5, 100.5);
    test_one_law(0, 1e9, 1.5, 2000.5);
    test_one_law(7, 1e9, 700.5, 300.5);
    test_one_law(0, 1e6, .5, .5);
    test_one_law(0, 1e9, 1e-6, 1e-6);
    test_one_law(0, 1e9, 1e5, .01);
    test_one_law(0, 2e4, 1e3, 1e3);
    test_curves(3, 60000, .5, .5);
    test_curves(0, 60000, 1e-6, .01);
    test_curves(40, 60000, 40.5, 1.5);
    test_curves(0, 60000, 1e5, 2e4);
    yield_law a = law_of(0, 4, 60, 4.5, 6.5, 1), b = law_of(1, 1, 300, 1.5, 18.5, 1);
    const double slopes[] = {.3, 1, 2.5, 1.0 / 3, -1};
    for (int i = 0; i < 5; i++)
        for (double offset = -20; offset < 100; offset += 17) {
            test_comparison(&a, &b, slopes[i], offset);
            test_comparison(&b, &a, slopes[i], offset);
        }
    test_quantiles(&a, &b, 70);
    test_quantiles(&b, &a, 400);
    /* wide cells against single ones */
    yield_law c = law_of(2, 350, 9500, 350.5, 150.5, 0), d = law_of(3, 12, 59000, 12.5, 988.5, 0);
    a = law_of(0, 350, 9500, 350.5, 150.5, 1);
    b = law_of(1, 12, 59000, 12.5, 988.5, 1);
    for (double q = .8; q < .99; q += .0137) {
        double exact = yield_below(&a, &b, YIELD_RECALL, q, 1, 0, 0);
        CHECK(fabs(yield_below(&a, &d, YIELD_RECALL, q, 1, 0, 0) - exact) < 1e-12);
        CHECK(fabs(yield_below(&c, &b, YIELD_RECALL, q, 1, 0, 0) - exact) < 1e-12);
        CHECK(fabs(yield_below(&c, &d, YIELD_RECALL, q, 1, 0, 0) - exact) < 1e-6);
    }
    return failures;
}
