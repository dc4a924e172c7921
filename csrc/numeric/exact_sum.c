/* Exact sums of doubles by a superaccumulator. The contract is in exact_sum.h. */

#include "numeric/exact_sum.h"

#include <math.h>
#include <string.h>

#include "numeric/double_double.h"

enum {
    LIMB = 32,
    LOWEST = -1074, /* the exponent of the lowest bit */
    MANTISSA = 52,
    MOST_PENDING = 1 << 30 /* values of less than 2^32 a limb that stay below 2^62 together */
};

void exact_sum_clear(exact_sum *sum)
{
    memset(sum->limb, 0, sizeof sum->limb);
    sum->pending = 0;
    sum->special = 0;
}

/* Brings all limbs but the highest to 0 .. 2^32 - 1; the highest has the sign. */
static void carry(exact_sum *sum)
{
    const int64_t base = INT64_C(1) << LIMB;
    for (int i = 0; i + 1 < EXACT_LIMBS; i++) {
        int64_t rest = sum->limb[i] & (base - 1);
        sum->limb[i + 1] += (sum->limb[i] - rest) / base;
        sum->limb[i] = rest;
    }
    sum->pending = 0;
}

void exact_sum_add(exact_sum *sum, const double *values, int64_t n, int64_t stride)
{
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i * stride], sizeof bits);
        int exponent = (int)(bits >> MANTISSA & 0x7ff);
        uint64_t mantissa = bits & ((UINT64_C(1) << MANTISSA) - 1);
        if (exponent == 0x7ff) {
            sum->special += values[i * stride];
            continue;
        }
        if (exponent > 0) { /* the value is mantissa 2^(exponent - 1 + LOWEST) */
            mantissa |= UINT64_C(1) << MANTISSA;
            exponent--;
        }
        int shift = exponent % LIMB;
        int64_t *limb = sum->limb + exponent / LIMB, sign = bits >> 63 ? -1 : 1;
        uint64_t low = mantissa << shift, high = shift ? mantissa >> (64 - shift) : 0;
        limb[0] += sign * (int64_t)(low & 0xffffffff);
        limb[1] += sign * (int64_t)(low >> LIMB);
        limb[2] += sign * (int64_t)high;
        if (++sum->pending == MOST_PENDING)
            carry(sum);
    }
}

void exact_sum_add_squares(exact_sum *sum, const double *values, int64_t n, int64_t stride,
                           double center)
{
    for (int64_t i = 0; i < n; i++) {
        double distance = values[i * stride] - center, square = distance * distance;
        exact_sum_add(sum, &square, 1, 1);
    }
}

void exact_sum_range(const double *values, int64_t n, int64_t stride, double *least, double *most)
{
    double low = *least, high = *most;
    for (int64_t i = 0; i < n; i++) {
        double value = values[i * stride];
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    *least = low;
    *most = high;
}

/* The sum, rounded, as significand 2^exponent, the significand a whole number of up to 53 bits with
 * its sign. */
static double rounded(const exact_sum *sum, int *exponent)
{
    exact_sum size = *sum;
    carry(&size);
    int is_negative = size.limb[EXACT_LIMBS - 1] < 0, top = EXACT_LIMBS - 1;
    if (is_negative) {
        for (int i = 0; i < EXACT_LIMBS; i++)
            size.limb[i] = -size.limb[i];
        carry(&size);
    }
    while (top > 0 && size.limb[top] == 0)
        top--;
    /* 64 bits from the highest one on, and whether anything is below */
    uint64_t window = (uint64_t)size.limb[top];
    int place = top, missing = 64;
    for (uint64_t bits = window; bits; bits >>= 1)
        missing--;
    int has_rest = 0;
    while (missing > 0 && place > 0) {
        uint64_t next = (uint64_t)size.limb[--place];
        if (missing >= LIMB) {
            window = window << LIMB | next;
            missing -= LIMB;
        } else {
            window = window << missing | next >> (LIMB - missing);
            has_rest = (next & ((UINT64_C(1) << (LIMB - missing)) - 1)) != 0;
            *exponent = LOWEST + LIMB * place + LIMB - missing;
            missing = -1;
        }
    }
    if (missing >= 0)
        *exponent = LOWEST + LIMB * place;
    for (int i = 0; i < place; i++)
        has_rest |= size.limb[i] != 0;
    if (window >> 53) { /* more than a double holds */
        int extra = 0;
        while (extra < 11 && window >> (53 + extra)) /* to 64 bits */
            extra++;
        uint64_t below = window & ((UINT64_C(1) << extra) - 1), half = UINT64_C(1) << (extra - 1);
        window >>= extra;
        *exponent += extra;
        if (below > half || (below == half && (has_rest || window & 1)))
            window++;
    }
    return is_negative ? -(double)window : (double)window;
}

double exact_sum_value(const exact_sum *sum)
{
    if (sum->special != 0)
        return sum->special;
    int exponent;
    double significand = rounded(sum, &exponent);
    return ldexp(significand, exponent);
}

double exact_sum_mean(const exact_sum *sum, int64_t n)
{
    if (sum->special != 0)
        return sum->special;
    int exponent, lower;
    double high = rounded(sum, &exponent), count = (double)n;
    /* The error of the first rounding, to twice the precision.  It is the sum less significand
     * 2^exponent, whose bits lie in the limbs that the exponent says; those of a sum beyond the
     * doubles too. */
    exact_sum rest = *sum;
    carry(&rest);
    int offset = exponent - LOWEST, shift = offset % LIMB;
    uint64_t size = (uint64_t)fabs(high), above = shift ? size >> (64 - shift) : 0;
    int64_t sign = high < 0 ? 1 : -1, *limb = rest.limb + offset / LIMB;
    limb[0] += sign * (int64_t)((size << shift) & 0xffffffff);
    limb[1] += sign * (int64_t)((size << shift) >> LIMB);
    limb[2] += sign * (int64_t)above;
    double low = rounded(&rest, &lower);
    low = low == 0 ? 0 : ldexp(low, lower - exponent);

    double quotient = high / count;
    dd product = dd_two_product(quotient, count);
    double left = (high - product.hi) - product.lo + low;
    return ldexp(quotient + left / count, exponent);
}
