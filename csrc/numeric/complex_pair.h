/* Complex numbers as pairs: C11 need not have them (MSVC does not), and its products look for
 * infinities. */
#ifndef IRBOUNDS_COMPLEX_PAIR_H
#define IRBOUNDS_COMPLEX_PAIR_H

#include <math.h>

typedef struct {
    double re, im;
} complex_pair;

static inline complex_pair c_add(complex_pair a, complex_pair b)
{
    return (complex_pair){a.re + b.re, a.im + b.im};
}

static inline complex_pair c_scale(double a, complex_pair b)
{
    return (complex_pair){a * b.re, a * b.im};
}

static inline complex_pair c_multiply(complex_pair a, complex_pair b)
{
    return (complex_pair){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static inline double c_square(complex_pair a) /* |a|^2 */
{
    return a.re * a.re + a.im * a.im;
}

static inline complex_pair c_divide(complex_pair a, complex_pair b)
{
    double over = 1 / c_square(b);
    return (complex_pair){(a.re * b.re + a.im * b.im) * over, (a.im * b.re - a.re * b.im) * over};
}

static inline complex_pair c_exp(complex_pair a)
{
    double size = exp(a.re);
    return (complex_pair){size * cos(a.im), size * sin(a.im)};
}

/* log(1 + w); relative error of a few units of the last digit.  Near w = -1, 1 + w is exact, and
 * |1 + w|² - 1, whose last digit is 1e-16, has lost the digits of |1 + w|: from 1e-8 on all of
 * them. */
static inline complex_pair c_log1p(complex_pair w)
{
    double size = fabs(w.re) + fabs(w.im);
    if (size > 1e150) /* whose square is out of range */
        return (complex_pair){log(size) + 0.5 * log(c_square(c_scale(1 / size, w))),
                              atan2(w.im, w.re)};
    double re = 1 + w.re, square = re * re + w.im * w.im;
    double twice = square < 0.25 ? log(square) : log1p(w.re * (2 + w.re) + w.im * w.im);
    return (complex_pair){0.5 * twice, atan2(w.im, re)};
}

/* -log(1 - w) - w = w²/2 + w³/3 + …, for |w| < 0.3: 2 artanh v - w with v = w/(2 - w), |v| < 0.177.
 * The first term left out is below v^20/23 < 1e-16 of the first; for |w| < 0.05, |v| < 0.026, below
 * v^10/13 < 1e-16. */
static inline complex_pair c_log_rest(complex_pair w)
{
    complex_pair v = c_divide(w, (complex_pair){2 - w.re, -w.im}), v2 = c_multiply(v, v),
                 sum = {0, 0};
    if (c_square(w) > 0.05 * 0.05) {
        const double high[] = {1 / 21.0, 1 / 19.0, 1 / 17.0, 1 / 15.0, 1 / 13.0};
        for (int k = 0; k < 5; k++) {
            sum.re += high[k];
            sum = c_multiply(sum, v2);
        }
    }
    const double low[] = {1 / 11.0, 1 / 9.0, 1 / 7.0, 1 / 5.0};
    for (int k = 0; k < 4; k++) {
        sum.re += low[k];
        sum = c_multiply(sum, v2);
    }
    sum.re += 1 / 3.0;
    return c_add(c_multiply(w, v), c_scale(2, c_multiply(c_multiply(v, v2), sum)));
}

#endif
