/* Logarithms of factorials and Gamma in double-double precision. The contract is in log_gamma.h. */

#include "numeric/log_gamma.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "numeric/log_table.h"

const dd log_of_2 = {LOG_2_HI, LOG_2_LO};
static const dd half_log_of_2_pi = {HALF_LOG_2_PI_HI, HALF_LOG_2_PI_LO};

enum { BELOW_1 = 25 }; /* rows of the fine table before that of 1 */

/* log x = e log 2 - log b - log c + log(1 + r), r = b c m - 1, m in [1, 2), b the table's
 * reciprocal of about m and c that of about b m: |r| < 2^-10, and both have so few digits that b m
 * is exact in two doubles, and b c m nearly so. */
dd dd_log(double x)
{
    const uint64_t fraction = UINT64_C(0x000FFFFFFFFFFFFF), one = UINT64_C(0x3FF0000000000000);
    uint64_t bits;
    memcpy(&bits, &x, 8);
    int exponent = (int)(bits >> 52) - 1023;
    const double *coarse = coarse_log_table[bits >> 47 & 31];
    bits = (bits & fraction) | one;
    double m;
    memcpy(&m, &bits, 8);
    dd near_1 = dd_two_product(m, coarse[0]);
    const double *fine = fine_log_table[(int)((near_1.hi - 1) * 1024 + (BELOW_1 + 0.5))];
    dd product = dd_two_product(near_1.hi, fine[0]);
    dd r = dd_normal(product.hi - 1, product.lo + near_1.lo * fine[0]);
    dd square = dd_two_product(r.hi, r.hi);
    dd third = dd_multiply(square, (dd){ONE_THIRD_HI, ONE_THIRD_LO});
    double y = r.hi, s = square.hi;
    double rest =
        s * (r.lo - s * (1 / 4.0 - y * (1 / 5.0 - y * (1 / 6.0 - y * (1 / 7.0 - y / 8)))));
    dd sum = dd_add((dd){coarse[1], coarse[2]}, dd_scale(log_of_2, exponent));
    sum = dd_add(sum, (dd){fine[1], fine[2]});
    sum = dd_add(sum, r);
    sum = dd_add(sum, (dd){-0.5 * s, -0.5 * square.lo - r.hi * r.lo});
    dd cube = dd_scale(third, y);
    return dd_add(sum, (dd){cube.hi, cube.lo + rest});
}

/* Stirling's series; the terms are B_2k / (2k (2k-1) x^(2k-1)). */
static dd stirling(double x)
{
    double y = 1 / x, z = y * y;
    double series =
        y
        * (1 / 12.0
           - z
                 * (1 / 360.0
                    - z
                          * (1 / 1260.0
                             - z
                                   * (1 / 1680.0
                                      - z
                                            * (1 / 1188.0
                                               - z
                                                     * (691 / 360360.0
                                                        - z
                                                              * (1 / 156.0
                                                                 - z * (3617 / 122400.0))))))));
    dd sum = dd_multiply(dd_log(x), dd_two_sum(x, -0.5));
    sum = dd_add(sum, (dd){-x, 0});
    sum = dd_add(sum, half_log_of_2_pi);
    return dd_add(sum, (dd){series, 0});
}

dd log_gamma(double x)
{
    if (x <= 128 && x == floor(x))
        return (dd){log_factorial_table[(int)x - 1][0], log_factorial_table[(int)x - 1][1]};
    if (x >= 24)
        return stirling(x);
    dd product = {x, 0}, shifted = {x, 0};
    for (int k = 1; shifted.hi < 23; k++) {
        shifted = dd_two_sum(x, k);
        product = dd_multiply(product, shifted);
    }
    shifted = dd_add(shifted, (dd){1, 0});
    double relative = product.lo / product.hi;
    dd log_product = dd_add(dd_log(product.hi), (dd){relative, 0});
    double slope = log(shifted.hi) - 0.5 / shifted.hi; /* of log Γ, for what the sum x + m lost */
    return dd_subtract(dd_add(stirling(shifted.hi), (dd){shifted.lo * slope, 0}), log_product);
}

dd log_choose(double n, double k)
{
    return dd_subtract(log_gamma(n + 1), dd_add(log_gamma(k + 1), log_gamma(n - k + 1)));
}
