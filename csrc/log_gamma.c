#include "log_gamma.h"

#include <math.h>

#include "log_table.h"

const dd log_of_2 = {LOG_2_HI, LOG_2_LO};
static const dd half_log_of_2_pi = {HALF_LOG_2_PI_HI, HALF_LOG_2_PI_LO};

/* log x = e log 2 + log c + 2 artanh r, r = (m - c)/(m + c), m in [1, 2), c the nearest of 1, 1 + 1/128, …: |r| < 1/512 */
dd dd_log(double x)
{
    int exponent;
    double m = 2 * frexp(x, &exponent);
    int i = (int)((m - 1) * 128 + 0.5);
    double c = 1 + i / 128.0;
    dd r = dd_divide((dd){m - c, 0}, dd_two_sum(m, c));
    dd square = dd_multiply(r, r);
    double s = square.hi;
    double tail = r.hi * s * s * (1 / 5.0 + s * (1 / 7.0 + s * (1 / 9.0 + s / 11.0)));
    dd third = dd_scale(dd_multiply(r, square), 2);
    third = dd_divide(third, (dd){3, 0});
    dd sum = dd_add((dd){log_table[i][0], log_table[i][1]}, dd_scale(log_of_2, exponent - 1));
    sum = dd_add(sum, dd_scale(r, 2));
    return dd_add(sum, dd_add(third, (dd){2 * tail, 0}));
}

/* Stirling's series; the terms are B_2k / (2k (2k-1) x^(2k-1)). */
static dd stirling(double x)
{
    double y = 1 / x, z = y * y;
    double series = y * (1 / 12.0 - z * (1 / 360.0 - z * (1 / 1260.0 - z * (1 / 1680.0 - z * (1 / 1188.0
                    - z * (691 / 360360.0 - z * (1 / 156.0 - z * (3617 / 122400.0))))))));
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
    double slope = log(shifted.hi) - 0.5 / shifted.hi;  /* of log Γ, for what the sum x + m lost */
    return dd_subtract(dd_add(stirling(shifted.hi), (dd){shifted.lo * slope, 0}), log_product);
}

dd log_choose(double n, double k)
{
    return dd_subtract(log_gamma(n + 1), dd_add(log_gamma(k + 1), log_gamma(n - k + 1)));
}
