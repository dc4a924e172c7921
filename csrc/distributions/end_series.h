/* The Fourier transform of the yield of a coded and audited segment (two_phase.h) away from
 * frequency 0, by what happens at both ends of the law.
 *
 * With w = 1/(1 - z), z = exp(i t), the transform of BetaBin(T; a, b) is an integral of
 * (1 - q + q z)^T over the beta density of q, whose path goes from 0 through w, where the power is
 * 0, to 1.  The first part is
 *     L = w^a B(a, T + 1)/B(a, b) 2F1(1 - b, a; a + T + 1; w),
 * the second is z^T times the conjugate of L with a and b exchanged.  (A. & S. 15.3.6.)  A series
 * of L has the coefficients (1 - b)_m (a)_m/((a + T + 1)_m m!); it terminates or is asymptotic,
 * with an error near that of the first term that is left out.
 *
 * The product of both classes' L, and its mean over the numbers of calls, is one series in w, and
 * so is that of both other parts.  Each frequency takes two sums of a few terms.  Products of an L
 * and another part turn with the number of calls, and are left out: the caller finds a frequency
 * from which on they do not matter. */
#ifndef IRBOUNDS_END_SERIES_H
#define IRBOUNDS_END_SERIES_H

#include <stdint.h>

#include "numeric/vector_math.h"

enum { END_TERMS = 32, END_LANES = 16 };

/* The sum of coefficient[m] (w/s)^(m + power), m < n, where log s is that of |w| at the first of
 * the frequencies, where it is largest. */
typedef struct {
    int64_t n;
    double power, log_first;
    double coefficient[END_TERMS], bound[END_TERMS]; /* sums of sizes */
} end_series;

/* Beta parameters of a class, and its documents that were not audited for each number of calls. */
typedef struct {
    double a, b;
    const double *count;
} end_class;

/* The series of the lower end, for n numbers of calls with these weights.  It has as many terms as
 * make the bound of the first one left out least, which is returned; it is not set if that is more
 * than `most`. */
double end_series_set(end_series *to, const end_class *one, const end_class *other,
                      const double *weight, int64_t n, double log_first, double most);

/* low + exp(i turn) conj(high) at END_LANES increasing frequencies 0 < t <= π.  Terms below 1e-18
 * are left out.  Error: below 1e-15. */
void end_series_values(const end_series *low, const end_series *high, const double *t,
                       const double *turn, double *real, double *imaginary,
                       enum vector_instructions instructions);

#endif
