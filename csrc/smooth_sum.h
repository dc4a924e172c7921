/* Sums of smooth functions over many whole numbers, at the cost of a few of them: Gauss quadrature
 * for equally spaced points, whose orthogonal polynomials are Gram's (Szegő, Orthogonal
 * Polynomials, 2.8).  Exact for polynomials of degree below 32; for functions that are analytic as
 * far away as the points reach, relative error below 1e-15. */
#ifndef IRBOUNDS_SMOOTH_SUM_H
#define IRBOUNDS_SMOOTH_SUM_H

/* f(first + x), given apart so that x keeps its digits where `first` is large. */
typedef double (*smooth_function)(double first, double x, const void *context);

/* f(first) + … + f(first + n - 1), n >= 256.  Cost: 16 calls, and about 3 µs. */
double smooth_sum(smooth_function f, const void *context, double first, double n);

#endif
