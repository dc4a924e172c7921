/* Exact sums against sums that are known: cancellation, all sizes of doubles, halves, overflow,
 * order. */
#include "numeric/exact_sum.h"

#include <float.h>
#include <math.h>

#include "check.h"

static double sum_of(const double *values, int64_t n, int64_t stride)
{
    exact_sum sum;
    exact_sum_clear(&sum);
    exact_sum_add(&sum, values, n, stride);
    return exact_sum_value(&sum);
}

static double mean_of(const double *values, int64_t n)
{
    exact_sum sum;
    exact_sum_clear(&sum);
    exact_sum_add(&sum, values, n, 1);
    return exact_sum_mean(&sum, n);
}

static void test_known_sums(void)
{
    const double smallest = DBL_TRUE_MIN, ulp = DBL_EPSILON;
    const double cancelling[] = {DBL_MAX, DBL_MAX, smallest, -DBL_MAX, -DBL_MAX};
    CHECK(sum_of(cancelling, 5, 1) == smallest);
    const double half[] = {1, ulp / 2}, above_half[] = {1, ulp / 2, smallest},
                 odd_half[] = {1 + ulp, ulp / 2};
    CHECK(sum_of(half, 2, 1) == 1); /* ties to even */
    CHECK(sum_of(above_half, 3, 1) == 1 + ulp);
    CHECK(sum_of(odd_half, 2, 1) == 1 + 2 * ulp);
    const double large[] = {DBL_MAX, DBL_MAX};
    CHECK(sum_of(large, 2, 1) == INFINITY);
    CHECK(mean_of(large, 2) == DBL_MAX);
    const double negative[] = {-3, 0.5, -DBL_MIN, 2.5};
    CHECK(sum_of(negative, 4, 1) == -DBL_MIN);
    CHECK(sum_of(negative, 2, 2) == -3 - DBL_MIN);
    CHECK(sum_of(negative, 0, 1) == 0);
    const double infinite[] = {1, INFINITY}, undefined[] = {INFINITY, -INFINITY};
    CHECK(sum_of(infinite, 2, 1) == INFINITY);
    CHECK(isnan(sum_of(undefined, 2, 1)));
}

static void test_any_order_and_size(void)
{
    enum { N = 1000 };
    double values[N + 1], reversed[N + 1];
    unsigned long long state = 7;
    for (int i = 0; i < N / 2; i++) { /* each with its opposite, of sizes 2^-1074 to 2^1023 */
        double value = ldexp((double)(next_random(&state) >> 11) + 1,
                             (int)(next_random(&state) % 2040) - 1074);
        values[i] = value;
        values[N - 1 - i] = -value;
    }
    values[N] = 0.1;
    for (int i = 0; i <= N; i++)
        reversed[i] = values[N - i];
    CHECK(sum_of(values, N + 1, 1) == 0.1);
    CHECK(sum_of(reversed, N + 1, 1) == 0.1);
    CHECK(mean_of(values, N + 1) == 0.1 / (N + 1));
}

static void test_means_of_equal_values(void)
{
    double values[99];
    unsigned long long state = 3;
    for (int exponent = -1074; exponent < 971; exponent += 5) {
        double value = ldexp((double)(next_random(&state) >> 11), exponent);
        for (int i = 0; i < 99; i++)
            values[i] = exponent % 2 ? value : -value;
        CHECK(mean_of(values, 99) == values[0]);
    }
}

static void test_squares_and_ranges(void)
{
    const double values[] = {3, 9, -1, 9, 0.5, 9};
    exact_sum squares;
    exact_sum_clear(&squares);
    exact_sum_add_squares(&squares, values, 3, 2, 0.5);
    CHECK(exact_sum_value(&squares) == 2.5 * 2.5 + 1.5 * 1.5);
    double least = INFINITY, most = -INFINITY;
    exact_sum_range(values, 3, 2, &least, &most);
    CHECK(least == -1 && most == 3);
    exact_sum_range(values + 1, 2, 2, &least, &most);
    CHECK(least == -1 && most == 9);
}

int main(void)
{
    test_known_sums();
    test_any_order_and_size();
    test_means_of_equal_values();
    test_squares_and_ranges();
    return failures;
}
