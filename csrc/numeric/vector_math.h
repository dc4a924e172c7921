/* Logarithms, exponentials, angles and uniforms for loops that the compiler turns into vector
 * instructions: their results have the same bits with every instruction set.  And which of these
 * the processor has. */
#ifndef IRBOUNDS_VECTOR_MATH_H
#define IRBOUNDS_VECTOR_MATH_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* NumPy's interface to a bit generator, as numpy/random/bitgen.h has it. */
typedef struct {
    void *state;
    uint64_t (*next_uint64)(void *state);
    uint32_t (*next_uint32)(void *state);
    double (*next_double)(void *state);
    uint64_t (*next_raw)(void *state);
} bit_generator;

enum vector_instructions { VECTOR_BASELINE, VECTOR_AVX2, VECTOR_AVX512 };

#if defined(__GNUC__) && defined(__x86_64__)
#define VECTOR_DISPATCH 1
#define VECTOR_TARGET_AVX2 __attribute__((target("avx2")))
#ifdef __clang__
#define VECTOR_TARGET_AVX512 __attribute__((target("avx512f,avx512dq,avx512vl")))
#else
#define VECTOR_TARGET_AVX512 \
    __attribute__((target("avx512f,avx512dq,avx512vl,prefer-vector-width=512")))
#endif
#endif
#ifdef __GNUC__
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE static inline
#endif

ALWAYS_INLINE uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}

ALWAYS_INLINE double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, 8);
    return x;
}

static const double LN2_HI = 6.93147180369123816490e-01, LN2_LO = 1.90821492927058770002e-10;
static const uint64_t ONE = UINT64_C(0x3FF0000000000000), HALF_STEP = UINT64_C(0x0008000000000000),
                      FRACTION = UINT64_C(0x000FFFFFFFFFFFFF),
                      TWO_52 = UINT64_C(0x4330000000000000);

/* The polynomials are those of tools/make_polynomials.py. */

/* log(p/q) for normal p, q > 0, which differ by `difference`; below 2 ulp.  With p/q = 2^k p'/q and
 * s = (p' - q)/(p' + q) it is k log 2 + 2 atanh(s). */
ALWAYS_INLINE double log_ratio(double p, double q, double difference)
{
    uint64_t shifted = bits_of(p) - bits_of(q) + (ONE + HALF_STEP);
    /* k as a double: its bits go into the fraction of 2^52 */
    double k = double_of(TWO_52 | shifted >> 52) - (4503599627370496.0 + 1023);
    double scaled = double_of(bits_of(p) - ((shifted & ~FRACTION) - ONE));
    double s = (k == 0 ? difference : scaled - q) / (scaled + q), z = s * s, w = z * z;
    double even =
        0.666666666666669435
        + w * (0.285714288394464095 + w * (0.181846320054238317 + w * 0.151232952186141019));
    double odd = 0.399999999993253344 + w * (0.222221823694774123 + w * 0.152831733202977275);
    return k * LN2_HI + (2 * s + (s * z * (even + z * odd) + k * LN2_LO));
}

/* log x within 4e-6 for normal x > 0. */
ALWAYS_INLINE double rough_log(double x)
{
    const uint64_t root = UINT64_C(0x3FE6A09E667F3BCD); /* sqrt(1/2) */
    uint64_t shifted = bits_of(x) + (ONE - root);
    double k = double_of(TWO_52 | shifted >> 52) - (4503599627370496.0 + 1023);
    double f = double_of((shifted & FRACTION) + root) - 1, g = f * f;
    double even = 1.00000374238794654 + g * (0.332659058130 + g * 0.219657084952);
    double odd = -0.499894802403618239 + g * (-0.254333563614 + g * -0.140216232811);
    return k * 0.693147180559945309 + f * (even + f * odd);
}

/* exp(x) and exp(x) - 1, |x| <= 700: x = k log 2 + r, 2^k (exp(r) - 1) + 2^k. */
ALWAYS_INLINE double exp_of(double x, double *less_one)
{
    const double shift = 6755399441055744.0; /* 1.5 2^52: adding it rounds to whole numbers */
    double t = x * 1.44269504088896340736 + shift, k = t - shift;
    double r = (x - k * LN2_HI) - k * LN2_LO, g = r * r;
    double even = 0.500000000000000102
                  + g
                        * (0.0416666666666241619
                           + g
                                 * (0.00138888889171967191
                                    + g * (0.0000248015213223686933 + g * 2.76200758799833666e-7)));
    double odd = 0.166666666666666675
                 + g
                       * (0.00833333333333006445
                          + g
                                * (0.000198412698630405453
                                   + g * (2.75572684803100255e-6 + g * 2.51003758325612337e-8)));
    double p = (even + r * odd) * g + r, power = double_of((bits_of(t) << 52) + ONE);
    *less_one = power * p + (power - 1);
    return power * p + power;
}

/* atan(p/q) for p >= 0, q > 0 whose sum is finite; below 2 ulp.  It is 0, pi/4 or pi/2 more than
 * that of s, |s| <= tan(pi/8). */
ALWAYS_INLINE double angle_of(double p, double q)
{
    const double bend = 2.41421356237309505; /* 1/tan(pi/8) */
    int is_middle = bend * p > q, is_steep = p > bend * q;
    double over = is_steep    ? -q
                  : is_middle ? p - q
                              : p,
           under = is_steep    ? p
                   : is_middle ? p + q
                               : q;
    double start = is_steep ? 1.57079632679489661923 : is_middle ? 0.785398163397448309616 : 0;
    double rest = is_steep    ? 6.12323399573676603587e-17
                  : is_middle ? 3.06161699786838301793e-17
                              : 0;
    double s = over / under, z = s * s, w = z * z;
    double even =
        -0.333333333333333302
        + w
              * (-0.142857142846665429
                 + w
                       * (-0.0909090457812390189
                          + w
                                * (-0.06664511447381948
                                   + w * (-0.0508544973794025986 + w * -0.019176887119062259))));
    double odd = 0.199999999999955207
                 + w
                       * (0.111111110152563617
                          + w
                                * (0.0769218319082608656
                                   + w * (0.0585814891280220988 + w * 0.0392316582955871913)));
    return start + (s + (s * z * (even + z * odd) + rest));
}

/* Uniform on (0, 1), symmetric, never 0 or 1: odd multiples of 2^-53 and of 2^-33. */
ALWAYS_INLINE double first_uniform(uint64_t bits)
{
    return double_of(ONE | bits >> 12) - 0x1.fffffffffffffp-1;
}

ALWAYS_INLINE double second_uniform(uint64_t half)
{
    return (double_of(TWO_52 | half) - (4503599627370496.0 - 0.5)) * 0x1p-32;
}

/* Bits for pairs of uniforms, count of them; arrays of an even length. */
static inline void draw_bits(bit_generator *generator, int count, uint64_t *bits, uint64_t *half)
{
    for (int i = 0; i < count; i += 2) {
        bits[i] = generator->next_uint64(generator->state);
        bits[i + 1] = generator->next_uint64(generator->state);
        uint64_t halves = generator->next_uint64(generator->state);
        half[i] = halves >> 32;
        half[i + 1] = halves & UINT64_C(0xFFFFFFFF);
    }
}

static inline enum vector_instructions widest_instructions(void)
{
#ifdef VECTOR_DISPATCH
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")
        && __builtin_cpu_supports("avx512vl"))
        return VECTOR_AVX512;
    if (__builtin_cpu_supports("avx2"))
        return VECTOR_AVX2;
#endif
    return VECTOR_BASELINE;
}

#endif
