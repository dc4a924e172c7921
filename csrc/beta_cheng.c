#include "beta_cheng.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BATCH = 64 };

static const double ROUGH = 1e-5;  /* more than the error of rough_log */

struct candidates {
    uint64_t bits[BATCH], half[BATCH];
    double V[BATCH], y[BATCH], less[BATCH], x[BATCH], z[BATCH], margin[BATCH];
};

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
static const uint64_t ONE = UINT64_C(0x3FF0000000000000), HALF_STEP = UINT64_C(0x0008000000000000),
                      FRACTION = UINT64_C(0x000FFFFFFFFFFFFF), TWO_52 = UINT64_C(0x4330000000000000);

/* The polynomials are those of tools/make_polynomials.py. */

/* log(p/q) for normal p, q > 0, which differ by `difference`; below 2 ulp.  With p/q = 2^k p'/q and s = (p' - q)/(p' + q)
 * it is k log 2 + 2 atanh(s). */
ALWAYS_INLINE double log_ratio(double p, double q, double difference)
{
    uint64_t shifted = bits_of(p) - bits_of(q) + (ONE + HALF_STEP);
    /* k as a double: its bits go into the fraction of 2^52 */
    double k = double_of(TWO_52 | shifted >> 52) - (4503599627370496.0 + 1023);
    double scaled = double_of(bits_of(p) - ((shifted & ~FRACTION) - ONE));
    double s = (k == 0 ? difference : scaled - q) / (scaled + q), z = s * s, w = z * z;
    double even = 0.666666666666669435 + w * (0.285714288394464095 + w * (0.181846320054238317
                  + w * 0.151232952186141019));
    double odd = 0.399999999993253344 + w * (0.222221823694774123 + w * 0.152831733202977275);
    return k * LN2_HI + (2 * s + (s * z * (even + z * odd) + k * LN2_LO));
}

/* log x within 4e-6 for normal x > 0. */
ALWAYS_INLINE double rough_log(double x)
{
    const uint64_t root = UINT64_C(0x3FE6A09E667F3BCD);  /* sqrt(1/2) */
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
    const double shift = 6755399441055744.0;  /* 1.5 2^52: adding it rounds to whole numbers */
    double t = x * 1.44269504088896340736 + shift, k = t - shift;
    double r = (x - k * LN2_HI) - k * LN2_LO, g = r * r;
    double even = 0.500000000000000102 + g * (0.0416666666666241619 + g * (0.00138888889171967191
                  + g * (0.0000248015213223686933 + g * 2.76200758799833666e-7)));
    double odd = 0.166666666666666675 + g * (0.00833333333333006445 + g * (0.000198412698630405453
                 + g * (2.75572684803100255e-6 + g * 2.51003758325612337e-8)));
    double p = (even + r * odd) * g + r, power = double_of((bits_of(t) << 52) + ONE);
    *less_one = power * p + (power - 1);
    return power * p + power;
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

/* The variate that each candidate would be, W/(b + W) or b/(b + W) with W = a exp(V), its Z, and how far it is above the
 * line of acceptance, within ROUGH. */
ALWAYS_INLINE void judge(const beta_sampler *m, int count, struct candidates *restrict c)
{
    const double beta = m->beta, alpha = m->alpha, share_a = m->share_a, share_b = m->share_b;
    const double above = m->gamma - alpha, below = -m->gamma, side = m->is_first ? -1 : 1;
    const double b_to_a = m->b / m->a, a_to_b = m->a / m->b;
    /* Short loops, so that the steps of several candidates overlap. */
    for (int i = 0; i < count; i++) {
        double u1 = first_uniform(c->bits[i]);
        c->V[i] = beta * log_ratio(u1, 1 - u1, u1 - (1 - u1));
        c->z[i] = u1 * u1 * second_uniform(c->half[i]);
    }
    for (int i = 0; i < count; i++) {
        double distance = fabs(c->V[i]), h, root = exp_of(-0.5 * (distance < 1400 ? distance : 1400), &h);
        c->y[i] = root * root;             /* exp(-|V|), */
        c->less[i] = -h * (2 + h);         /* and 1 less that */
    }
    for (int i = 0; i < count; i++) {
        double V = c->V[i], y = c->y[i], less = c->less[i];
        double fall = (V > 0 ? share_a : share_b) * less + y;  /* (b + W)/alpha by its greater part, */
        double drop = (V > 0 ? share_b : share_a) * -less;     /* and less 1 */
        c->margin[i] = (V > 0 ? above : below) * fabs(V) - alpha * log_ratio(fall, 1, drop);
        double odds = (V > 0 ? b_to_a : a_to_b) * y;           /* at most about 1, so that nothing overflows */
        c->x[i] = (side * V > 0 ? odds : 1) / (1 + odds);
    }
    for (int i = 0; i < count; i++)
        c->margin[i] -= 1.38629436111989061883 + rough_log(c->z[i]);
}

static void judge_baseline(const beta_sampler *m, int count, struct candidates *c)
{
    judge(m, count, c);
}

#ifdef BETA_DISPATCH
__attribute__((target("avx2")))
static void judge_avx2(const beta_sampler *m, int count, struct candidates *c)
{
    judge(m, count, c);
}

__attribute__((target("avx512f,avx512dq,avx512vl,prefer-vector-width=512")))
static void judge_avx512(const beta_sampler *m, int count, struct candidates *c)
{
    judge(m, count, c);
}
#endif

void beta_sampler_set(beta_sampler *m, double first, double second)
{
    double smaller = fmin(first, second), larger = fmax(first, second);
    int is_bb = smaller > 1;
    m->a = is_bb ? smaller : larger;
    m->b = is_bb ? larger : smaller;
    m->alpha = m->a + m->b;
    m->beta = is_bb ? sqrt((m->alpha - 2) / (2 * m->a * m->b - m->alpha)) : 1 / m->b;
    m->gamma = is_bb ? m->a + 1 / m->beta : m->alpha;
    m->share_a = m->a / m->alpha;
    m->share_b = fmax(m->b / m->alpha, DBL_MIN);
    m->is_first = m->a == first;
    m->instructions = BETA_BASELINE;
#ifdef BETA_DISPATCH
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        m->instructions = BETA_AVX512;
    else if (__builtin_cpu_supports("avx2"))
        m->instructions = BETA_AVX2;
#endif
}

static void draw(beta_bit_generator *generator, int count, struct candidates *c)
{
    for (int i = 0; i < count; i += 2) {
        c->bits[i] = generator->next_uint64(generator->state);
        c->bits[i + 1] = generator->next_uint64(generator->state);
        uint64_t halves = generator->next_uint64(generator->state);
        c->half[i] = halves >> 32;
        c->half[i + 1] = halves & UINT64_C(0xFFFFFFFF);
    }
}

/* Moves the accepted to the front of x, and counts them. */
static int keep_accepted(int count, struct candidates *c)
{
    int accepted = 0;
    for (int i = 0; i < count; i++) {
        double margin = c->margin[i], z = c->z[i];
        if (fabs(margin) < ROUGH)
            margin += rough_log(z) - log_ratio(z, 1, z - 1);
        c->x[accepted] = c->x[i];
        accepted += margin >= 0;
    }
    return accepted;
}

void beta_sampler_fill(const beta_sampler *m, beta_bit_generator *generator, int64_t n, double *variate)
{
    struct candidates c;
    int64_t filled = 0;
    while (filled < n) {
        int count = n - filled < BATCH / 2 ? 2 * (int)(n - filled) : BATCH;
        draw(generator, count, &c);
        switch (m->instructions) {
#ifdef BETA_DISPATCH
        case BETA_AVX512:
            judge_avx512(m, count, &c);
            break;
        case BETA_AVX2:
            judge_avx2(m, count, &c);
            break;
#endif
        default:
            judge_baseline(m, count, &c);
        }
        int accepted = keep_accepted(count, &c);
        accepted = accepted < n - filled ? accepted : (int)(n - filled);
        memcpy(variate + filled, c.x, (size_t)accepted * sizeof *c.x);
        filled += accepted;
    }
}
