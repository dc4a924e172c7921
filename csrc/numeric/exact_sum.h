/* Sums of doubles without any rounding, and their means (Neal 2015, "Fast exact summation using
 * small and large superaccumulators", arXiv:1505.05571, the small one).
 *
 * The sum is one long fixed-point number in limbs of 32 bits, the lowest of which begins at
 * 2^-1074, where the smallest double lies.  A double touches three limbs.  The order of the values
 * makes no difference, nor does what is summed beside them.  Infinities and nan are added up apart,
 * as doubles, and take the place of the sum. Cost: about 3 ns a value.
 */
#ifndef IRBOUNDS_EXACT_SUM_H
#define IRBOUNDS_EXACT_SUM_H

#include <stdint.h>

/* A double's bits end at 2^1023: 2098 bits above 2^-1074, 66 limbs.  2^62 values add 62 bits, one
 * limb more for the sign. */
enum { EXACT_LIMBS = 69 };

typedef struct {
    int64_t limb[EXACT_LIMBS]; /* of weight 2^(32 i - 1074), not carried: each may hold more than 32
                                  bits */
    int64_t pending;           /* values since the last carry */
    double special;            /* the sum of infinities and nan; 0 without them */
} exact_sum;

void exact_sum_clear(exact_sum *sum);

/* Adds n values that lie `stride` doubles apart. */
void exact_sum_add(exact_sum *sum, const double *values, int64_t n, int64_t stride);

/* Adds the squares of the distances of n values to a center, each distance and each square rounded
 * to a double. */
void exact_sum_add_squares(exact_sum *sum, const double *values, int64_t n, int64_t stride,
                           double center);

/* Lowers `least` and raises `most` to the values that are beyond them. */
void exact_sum_range(const double *values, int64_t n, int64_t stride, double *least, double *most);

/* The sum, rounded once, to nearest, ties to even; infinite where no double is so large. */
double exact_sum_value(const exact_sum *sum);

/* The sum over n, 1 to 2^52.  It is the double nearest to the quotient but for an error of 2^-100
 * of it, which matters only within that of the middle between two doubles; subnormal means may be
 * off by 2^-1074.  Between the least and the greatest of the values, and equal to them where they
 * are equal. */
double exact_sum_mean(const exact_sum *sum, int64_t n);

#endif
