/* Beta-binomial posterior of the yield of one stratum. The contract is in beta_binomial.h. */

#include "yields/beta_binomial.h"

#include <math.h>

/* Tails below exp(-37), 9e-17, of the anchor's probability are left out. */
static const double TAIL = 37;

/* Γ(k + a)/Γ(k + 1) as a multiple of its value at an anchor.  For moderate a its logarithm is
 * (a - 1) log((k + 1)/(anchor + 1)), which is never large where it matters, and a rest whose error
 * is a few 1e-16 a. */
typedef struct {
    double a, anchor, rest;
} gamma_ratio;

typedef struct {
    double unseen, a, b, least, most;
    double anchor; /* a count of which all probabilities are multiples */
    gamma_ratio relevant, other;
} beta_binomial;

static const double LARGE = 1e4; /* from here on a few 1e-16 a would be seen */

/* log Γ(x) less its main terms, x >= 12 */
static double stirling_rest(double x)
{
    double z = 1 / (x * x);
    return (1 / 12.0 - z * (1 / 360.0 - z * (1 / 1260.0 - z * (1 / 1680.0 - z / 1188.0)))) / x;
}

static double ratio_rest(double k, double a)
{
    if (k < 12)
        return lgamma(k + a) - lgamma(k + 1) - (a - 1) * log(k + 1);
    return (k + a - 0.5) * log1p((a - 1) / (k + 1)) - (a - 1) + stirling_rest(k + a)
           - stirling_rest(k + 1);
}

/* (1 + x) log(1 + x) - x: by its series where the difference would lose digits */
static double entropy(double x)
{
    double sum = 0;
    if (fabs(x) > 0.1)
        return (1 + x) * log1p(x) - x;
    for (int n = 16; n >= 2; n--) /* 0.1^15 is less than 1e-14 of the first term, x^2/2 */
        sum = 1.0 / (n * (n - 1)) - x * sum;
    return x * x * sum;
}

/* At k, which is d from the anchor.  For large a by Stirling's series at z = anchor + a and anchor
 * + 1, d from there: z entropy(d/z) is all that is left of its terms of the size d, so that errors
 * are some 1e-16 d^2/z: for d of a few standard deviations 1e-15 (anchor + a)/a, as against 1e-16
 * a. */
static double log_ratio_at(const gamma_ratio *g, double k, double d)
{
    double a = g->a, from = g->anchor, z = from + a, one = from + 1;
    if (a > LARGE && a * a > one && k >= 12 && from >= 12)
        return d * log1p((a - 1) / one) + z * entropy(d / z) - one * entropy(d / one)
               - 0.5 * (log1p(d / z) - log1p(d / one))
               + ((stirling_rest(z + d) - stirling_rest(z))
                  - (stirling_rest(one + d) - stirling_rest(one)));
    return (a - 1) * log((k + 1) / (from + 1)) + (ratio_rest(k, a) - g->rest);
}

/* log P(k)/P(anchor), k real */
static double log_relative(const beta_binomial *m, double k)
{
    return log_ratio_at(&m->relevant, k, k - m->anchor)
           + log_ratio_at(&m->other, m->unseen - k, m->anchor - k);
}

/* The last count from the anchor to an end beyond which probability does not matter. */
static double reach(const beta_binomial *m, double end, double power)
{
    double inside = m->anchor, outside = end, depth = -TAIL - log1p(m->unseen);
    if (power < 1 || log_relative(m, end) >= depth)
        return end; /* probability grows towards this end, or does not vanish on the way */
    while (fabs(outside - inside) > 1) {
        double middle = floor((inside + outside) / 2);
        *(log_relative(m, middle) >= depth ? &inside : &outside) = middle;
    }
    return inside;
}

static void beta_binomial_set(beta_binomial *m, double unseen, double a, double b)
{
    double mode = a > 1 && b > 1 ? (unseen + 1) * ((a - 1) / (a + b - 2)) : unseen * (a / (a + b));
    double anchor = fmin(unseen, floor(mode));
    *m = (beta_binomial){unseen,
                         a,
                         b,
                         0,
                         unseen,
                         anchor,
                         {a, anchor, ratio_rest(anchor, a)},
                         {b, unseen - anchor, ratio_rest(unseen - anchor, b)}};
    m->least = reach(m, 0, a);
    m->most = reach(m, unseen, b);
}

/* The same at k + rest, k whole: distances to both ends and to the anchor keep their digits. */
static double relative(const void *context, double k, double rest)
{
    const beta_binomial *m = context;
    double d = k - m->anchor + rest;
    return exp(log_ratio_at(&m->relevant, k + rest, d)
               + log_ratio_at(&m->other, m->unseen - k - rest, -d));
}

/* P(k + 1)/P(k) */
static double step_up(const void *context, double k)
{
    const beta_binomial *m = context;
    return (k + m->a) * (m->unseen - k) / ((k + 1) * (m->unseen - k - 1 + m->b));
}

/* The length over which log P bends: 1/sqrt of its second derivative, nearly. */
static double scale_at(const beta_binomial *m, double k)
{
    double rest = m->unseen - k;
    return 1
           / sqrt(fabs(1 / (k + m->a) - 1 / (k + 1) + 1 / (rest + m->b) - 1 / (rest + 1)) + 1e-300);
}

/* Near an end documents are single; elsewhere a cell is short against the way to the singularities,
 * -a and N + b, and against the scale of the bulk, and its polynomial says whether it must be
 * shorter still. */
static double widest_at(const void *context, double k)
{
    const beta_binomial *m = context;
    if (fmin(k, m->unseen - k) < SINGLES)
        return 1;
    double to_most = fmin(m->unseen - SINGLES, m->most) + 1 - k;
    double to_ends = fmin((k + m->a) / 2, (m->unseen - k + m->b) / 3);
    return fmin(fmin(to_ends, 1.5 * scale_at(m, k)), to_most);
}

void yield_likely_ends(double unseen, double a, double b, double *least, double *most)
{
    beta_binomial m;
    beta_binomial_set(&m, unseen, a, b);
    *least = m.least;
    *most = m.most;
}

double yield_likely(double unseen, double a, double b)
{
    double least, most;
    yield_likely_ends(unseen, a, b, &least, &most);
    return most - least + 1;
}

/* Single documents next to each other take their probabilities from one another, for 512 steps at
 * most. */
static void set_singles(yield_law *law, const beta_binomial *m)
{
    double previous = 0;
    int64_t n = (int64_t)(m->most - m->least) + 1;
    for (int64_t i = 0; i < n; i++) {
        double k = m->least + (double)i;
        previous = i % RESTART && previous > 1e-290 ? previous * step_up(m, k - 1)
                                                    : exp(log_relative(m, k));
        law->weight[i] = previous;
    }
    yield_law_of_counts(law, m->least, n);
}

int yield_law_set(yield_law *law, int64_t most_cells, int64_t most_curves, double seen,
                  double unseen, double a, double b, int is_single)
{
    beta_binomial m;
    beta_binomial_set(&m, unseen, a, b);
    if (is_single) {
        if (m.most - m.least + 1 > (double)most_cells)
            return 0;
        set_singles(law, &m);
    } else {
        double bulk =
            m.anchor > SINGLES && m.anchor < unseen - SINGLES ? scale_at(&m, m.anchor) : 1;
        yield_source source = {relative,
                               widest_at,
                               step_up,
                               0,
                               &m,
                               4e-16 * (10 + fmin(fmax(LARGE, sqrt(unseen)), fmax(a, b))),
                               fmax(1, fmin(bulk, m.most - m.least) / 2)};
        if (yield_law_build(law, most_cells, most_curves, &source, m.least, m.most) == 0)
            return 0;
    }
    for (int64_t i = 0; i <= law->n_cells; i++)
        law->left[i] += seen;
    law->mean += seen;
    return 1;
}
