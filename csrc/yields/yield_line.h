/* Lines over the counts of one law, and the least count of the other that reaches them. */
#ifndef IRBOUNDS_YIELD_LINE_H
#define IRBOUNDS_YIELD_LINE_H

#include <math.h>

#include "yields/yield_posterior.h"

static const double NEAR_WHOLE = 1e-12;
static const double ROUNDED = 1e-15; /* a few times 2^-52 */

/* The least whole number that is at least x, or above x; numbers within rounding of a whole one are
 * that one. */
static inline double next_whole(double x, double tolerance, int strict)
{
    const double shift = 6755399441055744.0; /* 1.5 2^52: adding it rounds to whole numbers */
    double near = x + shift - shift;
    if (!(fabs(x) < 0x1p51))
        return x;
    if (fabs(x - near) <= tolerance)
        return near + strict;
    return near < x ? near + 1 : near;
}

/* y = slope x + offset, and the relative error of the slope by rounding */
typedef struct {
    double slope, offset, error;
    int strict;
} line;

/* A slope of a measure is a/x - 1, a = 1 for recall: near x = 1 it keeps a part of the digits of
 * a/x, which is slope + 1. */
static inline line line_of(double slope, double offset, int strict)
{
    return (line){slope, offset, ROUNDED * (1 + 1 / fabs(slope)), strict};
}

/* The same points, as x over y. */
static inline line turned(line l, int strict)
{
    return (line){1 / l.slope, -l.offset / l.slope, l.error, strict};
}

/* The distance from a whole number within which y is that one: less than a half, even where y has
 * no digit left. */
static inline double rounding_at(const line *l, double y)
{
    double size = fabs(y),
           found = NEAR_WHOLE * (size > 1 ? size : 1) + l->error * (size + fabs(l->offset));
    return found < 0.25 ? found : 0.25;
}

static inline double needed(const line *l, double x)
{
    double y = l->slope * x + l->offset;
    return next_whole(y, rounding_at(l, y), l->strict);
}

/* The line that the unretrieved yield reaches where recall or F, of R1 = x, is at most `value`:
 * R0 >= R1 (1 - value)/value, or (1 + b^2) R1 <= value (b^2 (R1 + R0) + size). */
static inline line line_of_measure(enum yield_measure measure, double value, double beta,
                                   double size, int strict)
{
    double square = beta * beta;
    return measure == YIELD_F
               ? line_of(((1 + square) / value - square) / square, -size / square, strict)
               : line_of((1 - value) / value, 0, strict);
}

#endif
