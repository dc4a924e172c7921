/* Integrals over the line of functions that are analytic beside it and fall at both ends, by sums
 * over equally spaced points (the trapezoidal rule; Trefethen & Weideman 2014).
 *
 * If |f| has the integral M on the lines at the distance d from the real one, the error of points
 * at the distance h is at most 2 M/(exp(2 π d/h) - 1): half the distance squares it.  The sum over
 * all points is compared with those over every 2nd, 3rd and 4th one, which are parts of it.  The
 * errors oscillate with h, as the singularities have a phase, and one of them may vanish by chance
 * (once in some 20,000 tails, two sums agreed within 1e-9 though their mean was off by 4e-9); if
 * sums of m steps are off by ε^(1/m) all three must be small.
 */
#ifndef IRBOUNDS_LINE_INTEGRAL_H
#define IRBOUNDS_LINE_INTEGRAL_H

typedef struct {
    double value; /* of the function */
    double size;  /* of what it is the real part of: what the end of the sum is judged by */
} line_value;

typedef struct {
    line_value (*f)(double t, const void *context);
    const void *context;
    double pole;      /* see below; INFINITY for none */
    double decay;     /* f falls as exp(-decay t) beyond `plain`, so that the rest of a sum is a
                         geometric series */
    double plain;     /* INFINITY where it never does */
    double step;      /* of the first sum over every 2nd point */
    double tolerance; /* of twice the difference of the sum over every 2nd point, as a part of the
                       * value or of `least`; the others may be off by as much more as they are
                       * coarser, and the error by its 3/2th power */
    double least;
    int most; /* calls of f, or the sum is left as it is */
} line_integral;

typedef struct {
    double value;
    double difference; /* what the error may be */
    int has_settled;   /* whether all are within their tolerances, or within rounding */
    int calls;
} line_sum;

/* The integral from -inf to inf of a function that is even.  Its pole, if any, is on the imaginary
 * axis, `pole` from the line, with the residue 1/(2 π i) above the line or -1/(2 π i) below it; the
 * sums lack a known part for it. */
line_sum integrate_even(const line_integral *line);

/* The same for a function without poles and symmetry, which falls on both sides of 0. */
line_sum integrate_line(const line_integral *line);

#endif
