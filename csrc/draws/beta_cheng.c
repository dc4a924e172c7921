/* Beta variates by Cheng's algorithms BB and BC. The contract is in beta_cheng.h. */

#include "draws/beta_cheng.h"

#include <float.h>

enum { BATCH = 64 };

static const double ROUGH = 1e-5; /* more than the error of rough_log */

struct candidates {
    uint64_t bits[BATCH], half[BATCH];
    double V[BATCH], y[BATCH], less[BATCH], x[BATCH], z[BATCH], margin[BATCH];
};

/* The variate that each candidate would be, W/(b + W) or b/(b + W) with W = a exp(V), its Z, and
 * how far it is above the line of acceptance, within ROUGH. */
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
        double distance = fabs(c->V[i]), h,
               root = exp_of(-0.5 * (distance < 1400 ? distance : 1400), &h);
        c->y[i] = root * root;     /* exp(-|V|), */
        c->less[i] = -h * (2 + h); /* and 1 less that */
    }
    for (int i = 0; i < count; i++) {
        double V = c->V[i], y = c->y[i], less = c->less[i];
        double fall =
            (V > 0 ? share_a : share_b) * less + y;        /* (b + W)/alpha by its greater part, */
        double drop = (V > 0 ? share_b : share_a) * -less; /* and less 1 */
        c->margin[i] = (V > 0 ? above : below) * fabs(V) - alpha * log_ratio(fall, 1, drop);
        double odds =
            (V > 0 ? b_to_a : a_to_b) * y; /* at most about 1, so that nothing overflows */
        c->x[i] = (side * V > 0 ? odds : 1) / (1 + odds);
    }
    for (int i = 0; i < count; i++)
        c->margin[i] -= 1.38629436111989061883 + rough_log(c->z[i]);
}

static void judge_baseline(const beta_sampler *m, int count, struct candidates *c)
{
    judge(m, count, c);
}

#ifdef VECTOR_DISPATCH
VECTOR_TARGET_AVX2
static void judge_avx2(const beta_sampler *m, int count, struct candidates *c)
{
    judge(m, count, c);
}

VECTOR_TARGET_AVX512
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
    m->instructions = widest_instructions();
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

int64_t beta_sampler_fill(const beta_sampler *m, bit_generator *generator, int64_t n, int64_t most,
                          double *variate)
{
    struct candidates c;
    int64_t filled = 0;
    while (filled < n && filled < most) {
        int count = n - filled < BATCH / 2 ? 2 * (int)(n - filled) : BATCH;
        draw_bits(generator, count, c.bits, c.half);
        switch (m->instructions) {
#ifdef VECTOR_DISPATCH
        case VECTOR_AVX512:
            judge_avx512(m, count, &c);
            break;
        case VECTOR_AVX2:
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
    return filled;
}
