/* Binomial variates by transformed rejection (BTRS). The contract is in binomial_draws.h. */

#include "draws/binomial_draws.h"

enum { BATCH = 64 };

static const double FEW = 10; /* expected successes below which inversion is used */

/* A batch of candidates: p <= 1/2, u = U - 1/2, v; the count that u leads to; whether the squeeze
 * takes it. */
typedef struct {
    int64_t place[BATCH];
    uint64_t bits[BATCH], half[BATCH];
    double p[BATCH], u[BATCH], v[BATCH], k[BATCH], margin[BATCH];
} candidates;

/* The constants that depend on p: names are the paper's. */
typedef struct {
    double spread, a, b, c, v_r;
} constants;

ALWAYS_INLINE constants constants_of(double n, double p)
{
    double spread = sqrt(n * p * (1 - p)), b = 1.15 + 2.53 * spread;
    return (constants){spread, -0.0873 + 0.0248 * b + 0.01 * p, b, n * p + 0.5, 0.92 - 4.2 / b};
}

ALWAYS_INLINE double floor_of(double x)
{
    const double shift = 6755399441055744.0; /* 1.5 2^52: adding it rounds to whole numbers */
    double near = x + shift - shift;
    return near > x ? near - 1 : near;
}

ALWAYS_INLINE void propose(double n, int count, candidates *restrict c)
{
    for (int i = 0; i < count; i++) {
        double p = c->p[i], u = first_uniform(c->bits[i]) - 0.5, v = second_uniform(c->half[i]),
               us = 0.5 - fabs(u);
        constants m = constants_of(n, p);
        c->u[i] = u;
        c->v[i] = v;
        c->k[i] = floor_of((2 * m.a / us + m.b) * u + m.c);
        c->margin[i] = us >= 0.07 && v <= m.v_r ? 1 : 0;
    }
}

/* log k! less the main terms of Stirling's formula at k + 1, k >= 9 */
ALWAYS_INLINE double factorial_rest(double k)
{
    double y = 1 / (k + 1), z = y * y;
    return y * (1 / 12.0 - z * (1 / 360.0 - z * (1 / 1260.0 - z * (1 / 1680.0 - z / 1188.0))));
}

/* The distance of candidates below the line of acceptance; counts near the ends are left to
 * exact_margin. */
ALWAYS_INLINE void judge(double n, int count, candidates *restrict c)
{
    for (int i = 0; i < count; i++) {
        double p = c->p[i], q = 1 - p, us = 0.5 - fabs(c->u[i]), k = c->k[i];
        constants m = constants_of(n, p);
        double mode = floor_of((n + 1) * p), k_in = k < 0 ? 0 : k > n ? n : k;
        double rest = n - mode + 1, k_rest = n - k_in + 1;
        double hat = c->v[i] * ((2.83 + 5.1 / m.b) * m.spread) / (m.a / (us * us) + m.b);
        double x = (mode + 1) * q, y = rest * p, z = k_rest * p, w = (k_in + 1) * q;
        double line = (mode + 0.5) * log_ratio(x, y, x - y)
                      + (n + 1) * log_ratio(rest, k_rest, k_in - mode)
                      + (k_in + 0.5) * log_ratio(z, w, z - w);
        line += factorial_rest(mode) + factorial_rest(n - mode) - factorial_rest(k_in)
                - factorial_rest(n - k_in);
        c->margin[i] = k == k_in ? line - log_ratio(hat, 1, hat - 1) : -1;
    }
}

static void propose_baseline(double n, int count, candidates *c)
{
    propose(n, count, c);
}

static void judge_baseline(double n, int count, candidates *c)
{
    judge(n, count, c);
}

#ifdef VECTOR_DISPATCH
VECTOR_TARGET_AVX2
static void propose_avx2(double n, int count, candidates *c)
{
    propose(n, count, c);
}

VECTOR_TARGET_AVX2
static void judge_avx2(double n, int count, candidates *c)
{
    judge(n, count, c);
}

VECTOR_TARGET_AVX512
static void propose_avx512(double n, int count, candidates *c)
{
    propose(n, count, c);
}

VECTOR_TARGET_AVX512
static void judge_avx512(double n, int count, candidates *c)
{
    judge(n, count, c);
}
#endif

typedef struct {
    void (*propose)(double n, int count, candidates *c);
    void (*judge)(double n, int count, candidates *c);
} steps;

static steps steps_with(enum vector_instructions instructions)
{
#ifdef VECTOR_DISPATCH
    if (instructions == VECTOR_AVX512)
        return (steps){propose_avx512, judge_avx512};
    if (instructions == VECTOR_AVX2)
        return (steps){propose_avx2, judge_avx2};
#endif
    (void)instructions;
    return (steps){propose_baseline, judge_baseline};
}

/* Successes by inversion, p small: from 0 upwards. */
static double invert(bit_generator *generator, double n, double p)
{
    for (;;) {
        double u = first_uniform(generator->next_uint64(generator->state));
        double term = exp(n * log1p(-p)), odds = p / (1 - p);
        for (double k = 0; k <= n && k < 200; k++) {
            if (u <= term)
                return k;
            u -= term;
            term *= (n - k) / (k + 1) * odds;
        }
    }
}

/* As judge, for counts within 9 of an end, whose factorials Stirling's series misses. */
static double exact_margin(double n, const candidates *c, int i)
{
    double p = c->p[i], us = 0.5 - fabs(c->u[i]), k = c->k[i], mode = floor_of((n + 1) * p);
    if (k < 0 || k > n)
        return -1;
    constants m = constants_of(n, p);
    double hat = c->v[i] * ((2.83 + 5.1 / m.b) * m.spread) / (m.a / (us * us) + m.b);
    double rise = lgamma(mode + 1) - lgamma(k + 1) + lgamma(n - mode + 1) - lgamma(n - k + 1);
    return rise + (k - mode) * log(p / (1 - p)) - log(hat);
}

/* Fills the batch with the next probabilities that need rejection; what inversion serves is drawn
 * at once. */
static int refill(bit_generator *generator, double n, const double *share, int64_t total,
                  int64_t *next, int count, candidates *c, double *variate)
{
    while (count < BATCH && *next < total) {
        int64_t place = (*next)++;
        double p = share[place] <= 0.5 ? share[place] : 1 - share[place];
        if (n * p < FEW) {
            double k = p > 0 && n > 0 ? invert(generator, n, p) : 0;
            variate[place] = share[place] <= 0.5 ? k : n - k;
        } else {
            c->place[count] = place;
            c->p[count++] = p;
        }
    }
    return count;
}

static void move(candidates *to, int i, const candidates *from, int j)
{
    to->place[i] = from->place[j];
    to->p[i] = from->p[j];
    to->u[i] = from->u[j];
    to->v[i] = from->v[j];
    to->k[i] = from->k[j];
}

void binomial_fill(bit_generator *generator, double n, const double *share, int64_t total,
                   enum vector_instructions instructions, double *variate)
{
    steps step = steps_with(instructions);
    candidates c, doubtful;
    int64_t next = 0;
    int count = 0;
    while ((count = refill(generator, n, share, total, &next, count, &c, variate)) > 0) {
        int left = 0, n_doubtful = 0;
        draw_bits(generator, count, c.bits, c.half);
        step.propose(n, count, &c);
        for (int i = 0; i < count; i++) {
            if (c.margin[i] > 0)
                variate[c.place[i]] = share[c.place[i]] <= 0.5 ? c.k[i] : n - c.k[i];
            else
                move(&doubtful, n_doubtful++, &c, i);
        }
        step.judge(n, n_doubtful, &doubtful);
        for (int i = 0; i < n_doubtful; i++) {
            double k = doubtful.k[i];
            double margin = k < 9 || n - k < 9 ? exact_margin(n, &doubtful, i) : doubtful.margin[i];
            if (margin >= 0)
                variate[doubtful.place[i]] = share[doubtful.place[i]] <= 0.5 ? k : n - k;
            else
                move(&c, left++, &doubtful, i);
        }
        count = left;
    }
}
