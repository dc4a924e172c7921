/* Scores that count as tied: 32-bit rounding, or a tolerance. The contract is in equal_scores.h. */

#include "ordering/equal_scores.h"

#include <math.h>

#include "ordering/weak_order.h"

/* Whether scores a >= b are equal.  Their difference is infinite where one of them is, and where
 * two of opposite signs are huge: these differ by more than the larger of them. */
static inline int are_equal(double a, double b, double tolerance)
{
    double apart = a - b;
    return a == b || (!isinf(apart) && apart <= tolerance * fmax(fabs(a), fabs(b)));
}

/* Rows of numbers by falling score.  Returns how many there are: NaN is left out. */
static int64_t sorted_rows(const double *score, int64_t n, int64_t *rows, work_watch *watch)
{
    int64_t n_rows = 0;
    int rises = 0;
    double previous = INFINITY;
    for (int64_t i = 0; i < n; i++) {
        if (isnan(score[i]))
            continue;
        rises |= score[i] > previous;
        previous = score[i];
        rows[n_rows++] = i;
    }
    if (rises)
        weak_order_sort(score, rows, n_rows, rows + n, watch);
    return n_rows;
}

void equal_scores(const double *score, int64_t n, const score_rule *rule, double *merged,
                  int64_t *rows, work_watch *watch)
{
    if (rule->is_single) {
        for (int64_t i = 0; i < n; i++)
            merged[i] = (double)(float)score[i];
    } else {
        for (int64_t i = 0; i < n; i++)
            merged[i] = score[i];
    }
    if (!(rule->tolerance > 0))
        return;
    int64_t n_rows = sorted_rows(merged, n, rows, watch);
    double highest = n_rows > 0 ? merged[rows[0]] : 0.0, above = highest;
    for (int64_t i = 1; i < n_rows; i++) {
        double own = merged[rows[i]];
        if (!are_equal(above, own, rule->tolerance))
            highest = own;
        above = own;
        merged[rows[i]] = highest;
    }
}
