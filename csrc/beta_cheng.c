#include "beta_cheng.h"

#include <math.h>
#include <string.h>

enum { BATCH = 128 };

#if defined(__GNUC__) && defined(__x86_64__)
#define BETA_DISPATCH 1
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

/* log x for normal x > 0: x = 2^k (1 + f), f in [sqrt(1/2) - 1, sqrt(2) - 1); s = f/(2 + f), log(1 + f) =
 * 2s + s R(s^2), R the minimax polynomial of fdlibm's e_log.c.  Below 1 ulp. */
ALWAYS_INLINE double log_of(double x)
{
    const uint64_t one = UINT64_C(0x3FF0000000000000), root = UINT64_C(0x3FE6A09E667F3BCD);
    uint64_t shifted = bits_of(x) + (one - root);
    /* the exponent as a double: its bits go into the fraction of 2^52 */
    double k = double_of(UINT64_C(0x4330000000000000) | shifted >> 52) - (4503599627370496.0 + 1023);
    double f = double_of((shifted & UINT64_C(0x000FFFFFFFFFFFFF)) + root) - 1;
    double half_square = 0.5 * f * f, s = f / (2 + f), z = s * s, w = z * z;
    double even = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
    double odd = z * (6.666666666666735130e-01 + w * (2.857142874366239149e-01
                 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
    return s * (half_square + (even + odd)) + k * LN2_LO - half_square + f + k * LN2_HI;
}

/* exp(x) and exp(x) - 1, |x| <= 700: x = k log 2 + r, 2^k (exp(r) - 1) + 2^k, the series of exp(r) - 1 to r^13/13! */
ALWAYS_INLINE double exp_of(double x, double *less_one)
{
    const double shift = 6755399441055744.0;  /* 1.5 2^52: adding it rounds to whole numbers */
    double t = x * 1.44269504088896340736 + shift, k = t - shift;
    double r = (x - k * LN2_HI) - k * LN2_LO;
    double p = 1 / 6227020800.0;
    p = p * r + 1 / 479001600.0;
    p = p * r + 1 / 39916800.0;
    p = p * r + 1 / 3628800.0;
    p = p * r + 1 / 362880.0;
    p = p * r + 1 / 40320.0;
    p = p * r + 1 / 5040.0;
    p = p * r + 1 / 720.0;
    p = p * r + 1 / 120.0;
    p = p * r + 1 / 24.0;
    p = p * r + 1 / 6.0;
    p = p * r + 0.5;
    p = p * (r * r) + r;
    double power = double_of((bits_of(t) << 52) + UINT64_C(0x3FF0000000000000));
    *less_one = power * p + (power - 1);
    return power * p + power;
}

/* log(1 + y), y > -1: what 1 + y lost is put back to first order, as far as it counts. */
ALWAYS_INLINE double log1p_of(double y)
{
    double u = 1 + y, lost = y - (u - 1);
    return log_of(u) + (u < 2 ? lost : 0);
}

/* The variate that each candidate would be, W/(b + W) or b/(b + W) with W = a exp(V), and how far the candidate is above
 * the line of acceptance. */
ALWAYS_INLINE void judge(const beta_sampler *m, int count, const double *restrict u1, const double *restrict u2,
                         double *restrict x, double *restrict margin)
{
    const double log_4 = 1.38629436111989061883;
    const double a = m->a, b = m->b, alpha = m->alpha, beta = m->beta, gamma = m->gamma, log_ratio = m->log_ratio;
    const double sign = m->is_bb ? 1 : -1, share = (m->is_bb ? a : b) / alpha, limit = m->is_bb ? -1e300 : -600;
    const double b_to_a = b / a, a_to_b = a / b, side = m->is_first ? -1 : 1;
    for (int i = 0; i < count; i++) {
        double V = beta * log_of(u1[i] / (1 - u1[i])), distance = fabs(V);
        double h, root = exp_of(-0.5 * (distance < 1400 ? distance : 1400), &h);
        double y = root * root, d = h * (2 + h);               /* exp(-|V|), and less 1 */
        double other = -d / (y > 1e-300 ? y : 1e-300);         /* exp(|V|) - 1 */
        double log_z = log_of(u1[i] * u1[i] * u2[i]);
        double change = sign * V > 0 ? other : d;              /* BB: exp(V) - 1, BC: exp(-V) - 1 */
        double height = gamma * V - alpha * log1p_of(share * change), far = alpha * (V - log_ratio);
        height = V >= limit ? height : far;
        double odds = (V > 0 ? b_to_a : a_to_b) * y;           /* at most about 1, so that nothing overflows */
        x[i] = (side * V > 0 ? odds : 1) / (1 + odds);
        margin[i] = height - log_4 - log_z;
    }
}

static void judge_baseline(const beta_sampler *m, int count, const double *u1, const double *u2, double *x,
                  double *margin)
{
    judge(m, count, u1, u2, x, margin);
}

#ifdef BETA_DISPATCH
__attribute__((target("avx2")))
static void judge_avx2(const beta_sampler *m, int count, const double *u1, const double *u2, double *x,
                  double *margin)
{
    judge(m, count, u1, u2, x, margin);
}

__attribute__((target("avx512f,avx512dq,avx512vl,prefer-vector-width=512")))
static void judge_avx512(const beta_sampler *m, int count, const double *u1, const double *u2, double *x,
                  double *margin)
{
    judge(m, count, u1, u2, x, margin);
}
#endif

void beta_sampler_set(beta_sampler *m, double first, double second)
{
    double smaller = fmin(first, second), larger = fmax(first, second);
    m->is_bb = smaller > 1;
    m->a = m->is_bb ? smaller : larger;
    m->b = m->is_bb ? larger : smaller;
    m->alpha = m->a + m->b;
    m->beta = m->is_bb ? sqrt((m->alpha - 2) / (2 * m->a * m->b - m->alpha)) : 1 / m->b;
    m->gamma = m->is_bb ? m->a + 1 / m->beta : 0;
    m->log_ratio = log_of(m->b) - log_of(m->alpha);
    m->is_first = m->a == first;
    m->instructions = BETA_BASELINE;
#ifdef BETA_DISPATCH
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        m->instructions = BETA_AVX512;
    else if (__builtin_cpu_supports("avx2"))
        m->instructions = BETA_AVX2;
#endif
}

void beta_sampler_fill(const beta_sampler *m, beta_bit_generator *generator, int64_t n, double *variate)
{
    const double least = 0x1p-54;
    double u1[BATCH], u2[BATCH], x[BATCH], margin[BATCH];
    int64_t filled = 0;
    while (filled < n) {
        int count = n - filled < BATCH / 2 ? 2 * (int)(n - filled) : BATCH;
        for (int i = 0; i < count; i++) {
            double u = generator->next_double(generator->state), w = generator->next_double(generator->state);
            u1[i] = u < least ? least : u;
            u2[i] = w < least ? least : w;
        }
        switch (m->instructions) {
#ifdef BETA_DISPATCH
        case BETA_AVX512:
            judge_avx512(m, count, u1, u2, x, margin);
            break;
        case BETA_AVX2:
            judge_avx2(m, count, u1, u2, x, margin);
            break;
#endif
        default:
            judge_baseline(m, count, u1, u2, x, margin);
        }
        int accepted = 0;
        for (int i = 0; i < count; i++) {
            x[accepted] = x[i];
            accepted += margin[i] >= 0;
        }
        accepted = accepted < n - filled ? accepted : (int)(n - filled);
        memcpy(variate + filled, x, (size_t)accepted * sizeof *x);
        filled += accepted;
    }
}
