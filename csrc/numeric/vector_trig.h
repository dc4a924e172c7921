/* Cosines and sines, and complex powers of them, for loops that the compiler turns into vector
 * instructions (vector_math.h). */
#ifndef IRBOUNDS_VECTOR_TRIG_H
#define IRBOUNDS_VECTOR_TRIG_H

#include "numeric/vector_math.h"

/* cos x and sin x, |x| < 8e8: x = k π/2 + r.  π/2 is a sum of parts of 24, 24, 24 and 53 bits, so
 * that their products with k < 2^29 are exact; the polynomials are those of fdlibm, good to 2^-58
 * for |r| <= π/4.  Error: below 1.2e-16 + 1e-32 |x|. */
ALWAYS_INLINE void cos_sin_of(double x, double *cosine, double *sine)
{
    const double shift = 6755399441055744.0; /* 1.5 2^52: adding it rounds to whole numbers */
    double t = x * 0.636619772367581343076 + shift, k = t - shift;
    double r = ((x - k * 0x1.921fb4p+0) - k * 0x1.4442d0p-24) - k * 0x1.846988p-48;
    r -= k * 0x1.8cc51701b839ap-72;
    double z = r * r, w = z * z;
    double s = r
               + r * z
                     * (-1.66666666666666324348e-01
                        + z
                              * ((8.33333333332248946124e-03 + z * -1.98412698298579493134e-04)
                                 + w
                                       * (2.75573137070700676789e-06
                                          + z
                                                * (-2.50507602534068634195e-08
                                                   + z * 1.58969099521155010221e-10))));
    double c = 1
               - (0.5 * z
                  - w
                        * ((4.16666666666666019037e-02 + z * -1.38888888888741095749e-03)
                           + w
                                 * (2.48015872894767294178e-05
                                    + z
                                          * (-2.75573143513906633035e-07
                                             + z
                                                   * (2.08757232129817482790e-09
                                                      + z * -1.13596475577881948265e-11)))));
    uint64_t quadrant = bits_of(t);
    uint64_t is_odd = UINT64_C(0) - (quadrant & 1); /* all bits, or none */
    uint64_t even = bits_of(s) ^ bits_of(c), swap = even & is_odd;
    /* sin is negative in quadrants 2 and 3, cos in 1 and 2 */
    *sine = double_of((bits_of(s) ^ swap) ^ (quadrant & 2) << 62);
    *cosine = double_of((bits_of(c) ^ swap) ^ ((quadrant + 1) & 2) << 62);
}

/* exp(real + i imaginary), real <= 0; 0 where real < -60, so that no product of it is subnormal. */
ALWAYS_INLINE void exp_of_pair(double real, double imaginary, double *to_real, double *to_imaginary)
{
    double less_one, cosine, sine, kept = real < -60 ? -60 : real;
    double size = exp_of(kept, &less_one);
    size = real < -60 ? 0 : size;
    cos_sin_of(imaginary, &cosine, &sine);
    *to_real = size * cosine;
    *to_imaginary = size * sine;
}

#endif
