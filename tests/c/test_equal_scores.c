/* Equal scores against the definition, pair by pair. */
#include "ordering/equal_scores.h"

#include <math.h>
#include <stddef.h>

#include "check.h"

enum { MANY = 40 };

static int are_close(double a, double b, double tolerance)
{
    return a == b
           || (isfinite(a) && isfinite(b) && fabs(a - b) <= tolerance * fmax(fabs(a), fabs(b)));
}

/* The highest score that a chain of close ones leads to from score[i]: raised until nothing
 * changes. */
static double highest_of_chain(const double *score, int n, int i, double tolerance)
{
    double highest = score[i];
    for (int changed = 1; changed;) {
        changed = 0;
        for (int k = 0; k < n; k++) {
            if (score[k] > highest && are_close(score[k], highest, tolerance)) {
                highest = score[k];
                changed = 1;
            }
        }
    }
    return highest;
}

static void test_tolerance(void)
{
    double score[MANY], merged[MANY];
    int64_t rows[2 * MANY];
    unsigned long long seed = 5;
    for (int round = 0; round < 2000; round++) {
        int n = (int)(next_random(&seed) % MANY) + 1;
        score_rule rule = {0, ldexp(1.0, -(int)(next_random(&seed) % 12) - 1)};
        for (int i = 0; i < n; i++) {
            double size = 1 + (double)(next_random(&seed) % 4096) / 4096;
            score[i] = next_random(&seed) % 2 ? size : -size;
            if (next_random(&seed) % 16 == 0)
                score[i] *= INFINITY;
        }
        equal_scores(score, n, &rule, merged, rows, NULL);
        for (int i = 0; i < n; i++)
            CHECK(merged[i] == highest_of_chain(score, n, i, rule.tolerance));
    }
}

static void test_single(void)
{
    const double score[] = {1.0, 1.0 + 0x1p-30, 1e300, -1e300, NAN, 0.1};
    double merged[6];
    int64_t rows[12];
    score_rule rule = {1, 0.0};
    equal_scores(score, 6, &rule, merged, NULL, NULL);
    CHECK(merged[0] == 1.0 && merged[1] == 1.0 && merged[2] == INFINITY && merged[3] == -INFINITY);
    CHECK(isnan(merged[4]) && merged[5] == (double)0.1f);
    rule.tolerance = 0.95; /* 1 - 0.1 is within it */
    equal_scores(score, 6, &rule, merged, rows, NULL);
    CHECK(merged[0] == 1.0 && merged[2] == INFINITY && isnan(merged[4]) && merged[5] == 1.0);
}

int main(void)
{
    test_tolerance();
    test_single();
    return failures != 0;
}
