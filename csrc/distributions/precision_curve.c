/* Dimm's precision-recall curves, and the curve through a point.
 * The contract is in precision_curve.h. */

#include "distributions/precision_curve.h"

enum { BATCH = 64, POINTS = 7 };

static const double NEAR_0 = 0.2;        /* recall below which the Gauss rule serves */
static const double SMALL_BETA = 2e-4;   /* below it terms of β⁴ do not count, */
static const double LEAST_BETA = 1e-140; /* as 0 has no logarithm, */
static const double MOST_BETA = 1e140;   /* and above it precision is 1 */
/* Squares of residuals, after which Newton's step leaves less than rounding. */
static const double SETTLED = 2e-14;

static const double NODE[POINTS] = {
    0.025446043828620737737, 0.12923440720030278007, 0.29707742431130141655, 0.5,
    0.70292257568869858345,  0.87076559279969721993, 0.97455395617137926226};
static const double WEIGHT[POINTS] = {
    0.064742483084434846635, 0.13985269574463833395, 0.19091502525255947248, 0.20897959183673469388,
    0.19091502525255947248,  0.13985269574463833395, 0.064742483084434846635};

/* Curves side by side.  s = 1-R; β = n/d with the greater of n and d 1, so that no square
 * overflows. */
typedef struct {
    double R[BATCH], s[BATCH], beta[BATCH], n[BATCH], d[BATCH];
    double angle[BATCH], log[BATCH], c[BATCH];  /* atan β, ln(1+β²), c, */
    double angle_rise[BATCH], c_rise[BATCH];    /* and d/d ln β of the first, and of c */
    double H[BATCH], fall[BATCH], slope[BATCH]; /* H, H_0 - H and d ln H/d ln β */
    double odds[BATCH], result[BATCH];          /* κ, and what is asked for */
    double wanted[BATCH], wanted_fall[BATCH];   /* H and H_0 - H of a point */
    double low[BATCH], high[BATCH], residual[BATCH];
    int64_t place[BATCH];
    int count;
} curves;

/* H_0 - H is β² times this, and terms of β⁴. */
ALWAYS_INLINE double square_term(double R, double s)
{
    return s * (5 + 3 * R * s) / 12;
}

ALWAYS_INLINE void set_constants(int count, curves *restrict m)
{
    for (int i = 0; i < count; i++) {
        double beta = m->beta[i];
        m->n[i] = beta > 1 ? 1 : beta;
        m->d[i] = beta > 1 ? 1 / beta : 1;
    }
    for (int i = 0; i < count; i++)
        m->angle[i] = angle_of(m->n[i], m->d[i]);
    for (int i = 0; i < count; i++) {
        double n2 = m->n[i] * m->n[i], d2 = m->d[i] * m->d[i];
        m->log[i] = log_ratio(n2 + d2, d2, n2);
    }
    for (int i = 0; i < count; i++) {
        double n = m->n[i], d = m->d[i], both = n * n + d * d;
        m->c[i] = m->log[i] * d / (2 * n * m->angle[i]);
        m->angle_rise[i] = n * d / both;
        m->c_rise[i] =
            d * n / (both * m->angle[i]) - m->c[i] * (1 + m->angle_rise[i] / m->angle[i]);
    }
}

/* By the Gauss rule. */
ALWAYS_INLINE void integrate_near_0(int count, curves *restrict m)
{
    for (int i = 0; i < count; i++) {
        double n2 = m->n[i] * m->n[i], d2 = m->d[i] * m->d[i], R = m->R[i], c = m->c[i];
        double sum = 0, share = 0, level = 0;
        for (int k = 0; k < POINTS; k++) {
            double r = NODE[k] * R, u = 1 - r, part = WEIGHT[k] / (d2 + n2 * u * u),
                   term = (r + c) * part;
            sum += term;
            level += part;
            share += term * (d2 / (d2 + n2 * u * u));
        }
        m->H[i] = m->n[i] * m->d[i] / m->angle[i] * sum;
        m->slope[i] = (2 * share + m->c_rise[i] * level) / sum - 1 - m->angle_rise[i] / m->angle[i];
        m->fall[i] = (1 + R) / 2 - m->H[i];
    }
}

/* In closed form: ((1+c) a - l/(2β))/atan β, where a and l belong to the integral from 0 to R, or
 * to that from R to 1 where β(1-R) < 1, so that it is the smaller one, or not much larger. */
ALWAYS_INLINE void integrate_elsewhere(int count, curves *restrict m)
{
    double a[BATCH], l[BATCH];
    for (int i = 0; i < count; i++) {
        double n = m->n[i], d = m->d[i], R = m->R[i], s = m->s[i];
        int is_rest = n * s < d;
        a[i] = angle_of(is_rest ? n * s : n * d * R, is_rest ? d : d * d + n * n * s);
    }
    for (int i = 0; i < count; i++) {
        double n = m->n[i], d = m->d[i], R = m->R[i], s = m->s[i], n2 = n * n, d2 = d * d;
        int is_rest = n * s < d;
        double least = d2 + n2 * s * s;
        l[i] = log_ratio(is_rest ? least : d2 + n2, is_rest ? d2 : least,
                         is_rest ? n2 * s * s : n2 * R * (1 + s));
    }
    for (int i = 0; i < count; i++) {
        double n = m->n[i], d = m->d[i], R = m->R[i], s = m->s[i], n2 = n * n, d2 = d * d,
               c = m->c[i];
        int is_rest = n * s < d;
        double least = d2 + n2 * s * s, most = d2 + n2, half = d / (2 * n);
        double a_rise = is_rest ? n * d * s / least : n * d * R * (d2 - n2 * s) / (least * most);
        double l_rise =
            is_rest ? 2 * n2 * s * s / least : 2 * n2 * d2 * R * (1 + s) / (least * most);
        double top = c * a[i] + (a[i] - half * l[i]);
        double rise = m->c_rise[i] * a[i] + (1 + c) * a_rise - half * (l_rise - l[i]);
        double part = top / m->angle[i], part_rise = (rise - part * m->angle_rise[i]) / m->angle[i];
        double G = is_rest ? 1 - part : part, G_0 = R * (1 + R) / 2;
        m->H[i] = G / R;
        m->slope[i] = (is_rest ? -part_rise : part_rise) / G;
        m->fall[i] = (is_rest ? part - s * (3 - s) / 2 : G_0 - G) / R;
    }
}

ALWAYS_INLINE void integrate(int is_near_0, int count, curves *restrict m)
{
    set_constants(count, m);
    if (is_near_0)
        integrate_near_0(count, m);
    else
        integrate_elsewhere(count, m);
}

/* β where 1/H - 1/H_0 = D(sqrt(1 + e β²) - 1), which is right for small β and nearly so for large
 * ones. */
ALWAYS_INLINE void guess(int count, curves *restrict m)
{
    const double two_by_pi = 0.636619772367581343, quarter_pi = 0.785398163397448310;
    for (int i = 0; i < count; i++) {
        double R = m->R[i], s = m->s[i], h = m->wanted[i];
        /* for large β, H is 2/(πβ)(C + c/(1-R)), C = (R/(1-R) + ln(1-R))/R */
        double C = R < 0.003 ? R * (0.5 + R * 0.66666666666666667) : (R / s + rough_log(s)) / R;
        double log_beta = 0.5 * rough_log(1 + 1 / h), first = two_by_pi * C;
        m->beta[i] =
            (first + sqrt(first * first + 4 * two_by_pi * two_by_pi * h * log_beta / s)) / (2 * h);
        m->residual[i] = C;
    }
    set_constants(count, m);
    for (int i = 0; i < count; i++) {
        double R = m->R[i], s = m->s[i], H_0 = (1 + R) / 2, C = m->residual[i] + m->c[i] / s;
        double root_e = square_term(R, s) / (H_0 * H_0) * C / quarter_pi;
        double x = m->wanted_fall[i] / (m->wanted[i] * H_0) * C * root_e / (2 * quarter_pi);
        m->beta[i] = sqrt(x * (2 + x)) / root_e;
        m->low[i] = 0;
        m->high[i] = 2 * MOST_BETA;
    }
}

/* One step of Newton's method, within the bracket that signs of residuals have made. */
ALWAYS_INLINE void improve(int count, curves *restrict m)
{
    for (int i = 0; i < count; i++) {
        double H_0 = (1 + m->R[i]) / 2, h = m->wanted[i], H = m->H[i];
        /* 1-H is as near as h-H where H came from the integral from R to 1 */
        int is_rest = m->n[i] * m->s[i] < m->d[i] && m->R[i] >= NEAR_0;
        double short_of = is_rest ? m->fall[i] - m->wanted_fall[i] : h - H;
        m->residual[i] = log_ratio(m->fall[i] * h, m->wanted_fall[i] * H, H_0 * short_of);
    }
    for (int i = 0; i < count; i++) {
        double H_0 = (1 + m->R[i]) / 2, beta = m->beta[i], f = m->residual[i];
        double steep = -m->slope[i] * H_0 / m->fall[i];
        double step = -f / (steep < 0.9 ? 0.9 : steep > 2.1 ? 2.1 : steep), less;
        double next = beta * exp_of(step > 5 ? 5 : step < -5 ? -5 : step, &less);
        double low = f < 0 ? beta : m->low[i], high = f > 0 ? beta : m->high[i];
        int is_small = beta < SMALL_BETA, is_within = next >= low && next <= high;
        m->residual[i] = is_small ? 0 : f * f * (beta < 1 ? beta * beta : 1);
        /* where the residual is mere rounding its sign makes no bracket */
        next = is_within || m->residual[i] < SETTLED ? next : 0.5 * (low + high);
        m->beta[i] = is_small ? beta : next;
        m->low[i] = low;
        m->high[i] = high;
    }
}

ALWAYS_INLINE void find_beta(int is_near_0, int count, curves *restrict m)
{
    guess(count, m);
    for (int step = 0; step < 60; step++) {
        double worst = 0;
        integrate(is_near_0, count, m);
        improve(count, m);
        for (int i = 0; i < count; i++)
            worst = m->residual[i] > worst ? m->residual[i] : worst;
        if (worst < SETTLED)
            break;
    }
}

ALWAYS_INLINE void evaluate(int is_near_0, enum precision_curve_value value, int count,
                            curves *restrict m)
{
    integrate(is_near_0, count, m);
    for (int i = 0; i < count; i++) {
        double R = m->R[i], s = m->s[i], n = m->n[i], d = m->d[i], relevance, slope;
        relevance =
            1
            / (1 + m->odds[i] * (R + m->c[i]) * (n * d / (m->angle[i] * (d * d + n * n * s * s))));
        slope = n < SMALL_BETA ? -square_term(R, s) / ((1 + R) / 2)
                               : m->slope[i] * (n * n + d * d) / (2 * n * n);
        m->result[i] = value == PRECISION_CURVE_X   ? 1 / (1 + m->odds[i] * m->H[i])
                       : value == PRECISION_CURVE_x ? relevance
                                                    : slope;
    }
}

enum { FIND_BETA = -1 }; /* what there is to do: this, or a precision_curve_value */

ALWAYS_INLINE void work(int is_near_0, int what, int count, curves *m)
{
    if (what == FIND_BETA)
        find_beta(is_near_0, count, m);
    else
        evaluate(is_near_0, (enum precision_curve_value)what, count, m);
}

static void work_baseline(int is_near_0, int what, int count, curves *m)
{
    if (is_near_0)
        work(1, what, count, m);
    else
        work(0, what, count, m);
}

#ifdef VECTOR_DISPATCH
VECTOR_TARGET_AVX2
static void work_avx2(int is_near_0, int what, int count, curves *m)
{
    if (is_near_0)
        work(1, what, count, m);
    else
        work(0, what, count, m);
}

VECTOR_TARGET_AVX512
static void work_avx512(int is_near_0, int what, int count, curves *m)
{
    if (is_near_0)
        work(1, what, count, m);
    else
        work(0, what, count, m);
}
#endif

/* Does the work of a batch, and takes the results to their places. */
static void flush(int is_near_0, int what, curves *m, double *result,
                  enum vector_instructions instructions)
{
    const double *from = what == FIND_BETA ? m->beta : m->result;
    switch (instructions) {
#ifdef VECTOR_DISPATCH
    case VECTOR_AVX512:
        work_avx512(is_near_0, what, m->count, m);
        break;
    case VECTOR_AVX2:
        work_avx2(is_near_0, what, m->count, m);
        break;
#endif
    default:
        work_baseline(is_near_0, what, m->count, m);
    }
    for (int i = 0; i < m->count; i++)
        result[m->place[i]] = from[i];
    m->count = 0;
}

/* Puts a curve into the batch of its kind; returns its place there.  Full batches are worked off.
 */
static int put(curves batch[2], int64_t place, double R, int what, double *result,
               enum vector_instructions instructions)
{
    int is_near_0 = R < NEAR_0;
    curves *m = &batch[is_near_0];
    if (m->count == BATCH)
        flush(is_near_0, what, m, result, instructions);
    m->R[m->count] = R;
    m->s[m->count] = 1 - R;
    m->place[m->count] = place;
    return m->count++;
}

/* Beside the curves of the paper: lines from the limit of small β to random order, and perfect
 * ones. */
static double simple_value(enum precision_curve_value value, double R, double odds, double beta)
{
    double share = 1 + beta, s = 1 - R;
    if (beta > 0)
        return value == PRECISION_CURVE_SLOPE ? -0.5
               : R < 1                        ? 1
               : value == PRECISION_CURVE_X   ? 1 / (1 + odds)
                                              : 0;
    if (value == PRECISION_CURVE_SLOPE)
        return -s / (2 - share * s);
    return 1
           / (1 + odds * (value == PRECISION_CURVE_X ? 1 - share * s / 2 : 1 - share * (0.5 - R)));
}

void precision_curve_values(enum precision_curve_value value, int64_t n, const double *recall,
                            const double *prevalence, const double *beta, double *result,
                            enum vector_instructions instructions)
{
    curves batch[2];
    batch[0].count = batch[1].count = 0;
    for (int64_t i = 0; i < n; i++) {
        double R = recall[i], odds = (1 - prevalence[i]) / prevalence[i];
        if (beta[i] < 0 || beta[i] > MOST_BETA) {
            result[i] = simple_value(value, R, odds, beta[i]);
        } else {
            int at = put(batch, i, R, (int)value, result, instructions);
            batch[R < NEAR_0].odds[at] = odds;
            batch[R < NEAR_0].beta[at] = beta[i] < LEAST_BETA ? LEAST_BETA : beta[i];
        }
    }
    for (int k = 0; k < 2; k++)
        flush(k, (int)value, &batch[k], result, instructions);
}

void precision_curve_through(int64_t n, const double *recall, const double *precision,
                             const double *prevalence, double *beta,
                             enum vector_instructions instructions)
{
    curves batch[2];
    batch[0].count = batch[1].count = 0;
    for (int64_t i = 0; i < n; i++) {
        double R = recall[i], P = precision[i], rho = prevalence[i], s = 1 - R;
        double less = (P - rho) / (P * (1 - rho)), fall = less - s / 2; /* 1-H and H_0 - H */
        if (P <= rho) {
            beta[i] = -1;
        } else if (P >= 1 || R >= 1) {
            beta[i] = INFINITY;
        } else if (fall <= 0) {
            beta[i] = 2 * less / s - 1;
        } else {
            int at = put(batch, i, R, FIND_BETA, beta, instructions);
            batch[R < NEAR_0].wanted[at] = (1 - P) / P * (rho / (1 - rho));
            batch[R < NEAR_0].wanted_fall[at] = fall;
        }
    }
    for (int k = 0; k < 2; k++)
        flush(k, FIND_BETA, &batch[k], beta, instructions);
}
