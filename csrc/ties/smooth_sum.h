/* Sums of smooth functions over many whole numbers, at the cost of a few of them: Gauss quadrature
 * for equally spaced points, whose orthogonal polynomials are Gram's (Szegő, Orthogonal
 * Polynomials, 2.8).  Exact for polynomials of degree below 32; for functions that are analytic as
 * far away as the points reach, relative error below 1e-15. */
#ifndef IRBOUNDS_SMOOTH_SUM_H
#define IRBOUNDS_SMOOTH_SUM_H

#include "numeric/double_double.h"
#include "numeric/watch.h"

/* f(first + x), given apart so that x keeps its digits where `first` is large. */
typedef double (*smooth_function)(double first, double x, const void *context);

/* f(first) + … + f(first + n - 1), n >= 256.  Cost: 16 calls, and about 3 µs. */
double smooth_sum(smooth_function f, const void *context, double first, double n);

/* The same for any n and a positive f that is analytic but near 0 and changes little over `longest`
 * numbers: one by one where first + i is below 1024, then by lengths that double as far as that.
 * Ends where the rest, if terms rise no more, is below 1e-18 of the sum.  In two parts, to add to;
 * a call of f is so many steps to the watch. */
dd long_sum(smooth_function f, const void *context, double first, double n, double longest,
            work_watch *watch, int64_t steps);

#endif
