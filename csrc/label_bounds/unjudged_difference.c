/* Bounds of the difference of two runs by nDCG and Rprec over all labels.
 * The contract is in unjudged_difference.h. */

#include "label_bounds/unjudged_difference.h"

#include <math.h>

#include "ties/gains.h"
#include "ties/tie_groups.h"

/* The sum of discounts, from n to `more` of them. */
static void lengthen(dd *sum, int64_t n, int64_t more, int64_t limit, const measure_memory *memory)
{
    if (more - n > memory->n_discounts) {
        *sum = discount_parts(memory, 1, smaller(more, limit));
        return;
    }
    for (int64_t place = n + 1; place <= more && place <= limit; place++)
        add_to(sum, discount_of(memory, place));
}

/* One level of the chain, as in open_gain.c, but that the weights are the same at all levels. */
static void add_level(const weight_prefixes *prefixes, double step, int64_t n_judged, int64_t limit,
                      double lambda, int greatest, double *gain, double *ideal,
                      const measure_memory *memory)
{
    dd discounts = discount_parts(memory, 1, smaller(n_judged, limit));
    double best_gain = 0, best_ideal = 0, best_value = 0;
    for (int64_t i = 0; i < prefixes->n; i++) {
        if (i > 0)
            lengthen(&discounts, n_judged + prefixes->count[i - 1], n_judged + prefixes->count[i],
                     limit, memory);
        double own_gain = gain[i] + step * prefixes->sum[i];
        double own_ideal = ideal[i] + step * (discounts.hi + discounts.lo);
        double value = own_gain - lambda * own_ideal;
        if (i == 0 || (greatest ? value > best_value : value < best_value)) {
            best_gain = own_gain;
            best_ideal = own_ideal;
            best_value = value;
        }
        gain[i] = best_gain;
        ideal[i] = best_ideal;
    }
}

void discount_sums_fill(double *through, int64_t n, const measure_memory *memory)
{
    dd sum = {0, 0};
    through[0] = 0;
    for (int64_t i = 1; i <= n; i++) {
        add_to(&sum, discount_of(memory, i));
        through[i] = total_of(sum);
    }
}

typedef struct {
    double gain, ideal;
} chain_sums;

/* The chain of counts that maximises DCG - lambda IDCG where lambda >= 0 (for the least: both with
 * the other sign).  The ideal DCG of a lower level, which has more judged documents, grows less
 * from count to count, so its best count is no smaller than that of the level above: each level
 * may take its own.  And the best counts fall while lambda rises: `count` has those of the last
 * step. */
static chain_sums best_counts(const weight_prefixes *prefixes, const gain_levels *levels,
                              int64_t limit, double lambda, int greatest,
                              const discount_sums *discounts, double *count)
{
    const double *sum = prefixes->sum, *through = discounts->through;
    double sign = greatest ? 1 : -1;
    chain_sums chain = {0, 0};
    int64_t least = 0;
    for (int64_t level = 0; level < levels->n; level++) {
        int64_t n = levels->n_judged[level], best = least, most = (int64_t)count[level];
        double best_value = -INFINITY;
        for (int64_t i = least; i <= most; i++) {
            double value = sign * sum[i] - sign * lambda * through[smaller(n + i, limit)];
            if (value > best_value) {
                best_value = value;
                best = i;
            }
        }
        count[level] = (double)best;
        chain.gain += levels->step[level] * sum[best];
        chain.ideal += levels->step[level] * through[smaller(n + best, limit)];
        least = best;
    }
    return chain;
}

double gain_ratio_beyond_zero(const weight_prefixes *prefixes, const gain_levels *levels,
                              int64_t limit, int greatest, double *count,
                              const discount_sums *discounts, work_watch *watch)
{
    enum { MOST_STEPS = 200 };
    int64_t helping = prefixes->n_helping;
    double sign = greatest ? 1 : -1, end = 0;
    if (levels->n == 0 || smaller(levels->n_judged[levels->n - 1] + helping, limit) > discounts->n)
        return NAN;
    for (int64_t level = 0; level < levels->n; level++)
        count[level] = (double)helping;
    for (int step = 0; step < MOST_STEPS; step++) {
        if (watch_stops(watch, 4 * helping * levels->n))
            return 0;
        chain_sums chain = best_counts(prefixes, levels, limit, end, greatest, discounts, count);
        double top = prefixes->judged + chain.gain;
        if (step == 0 && sign * top < 0)
            return NAN;
        if (!(chain.ideal > 0) || !(sign * (top / chain.ideal) > sign * end))
            break;
        end = top / chain.ideal;
    }
    return end;
}

/* Dinkelbach's iteration, from beyond the end: differences of nDCG are in [-1, 1]. */
static double end_of_chains(const weight_prefixes *prefixes, const gain_levels *levels,
                            int64_t limit, int greatest, double *scratch,
                            const measure_memory *memory)
{
    enum { MOST_STEPS = 200 };
    int64_t n = prefixes->n;
    double *gain = scratch, *ideal = scratch + n, end = greatest ? -2 : 2;
    for (int step = 0; step < MOST_STEPS; step++) {
        for (int64_t i = 0; i < n; i++)
            gain[i] = ideal[i] = 0;
        for (int64_t level = 0; level < levels->n; level++) {
            if (watch_stops(memory->watch, 16 * n))
                return 0;
            add_level(prefixes, levels->step[level], levels->n_judged[level], limit, end, greatest,
                      gain, ideal, memory);
        }
        if (!(ideal[n - 1] > 0))
            break;
        double ratio = (prefixes->judged + gain[n - 1]) / ideal[n - 1];
        if (greatest ? !(ratio > end) : !(ratio < end))
            break;
        end = ratio;
    }
    return end;
}

double gain_difference_end(const weight_prefixes *prefixes, const gain_levels *levels,
                           int64_t cutoff, int greatest, double *scratch,
                           const discount_sums *discounts, const measure_memory *memory)
{
    int64_t limit = cutoff > 0 ? cutoff : INT64_MAX / 4;
    int can_be_zero = levels->n == 0 || levels->n_judged[levels->n - 1] == 0;
    double end = gain_ratio_beyond_zero(prefixes, levels, limit, greatest,
                                        scratch + 2 * prefixes->n, discounts, memory->watch);
    if (isnan(end))
        end = end_of_chains(prefixes, levels, limit, greatest, scratch, memory);
    if (can_be_zero) /* with nothing relevant at all both runs have 0 */
        end = greatest ? fmax(end, 0) : fmin(end, 0);
    return end;
}

/* The share of a document's rank among the first `cut`. */
static inline double share_above(int64_t before, int64_t size, int64_t cut)
{
    if (size == 0 || cut <= before)
        return 0;
    return cut >= before + size ? 1 : (double)(cut - before) / (double)size;
}

/* A cut divides at most one rank of each run: so weights have few different values. */
typedef struct {
    double value[12];
    int64_t times[12];
    int n;
} weight_counts;

static void count_weight(weight_counts *weights, double value, int64_t times)
{
    int at = 0;
    while (at < weights->n && weights->value[at] != value)
        at++;
    if (at == weights->n) {
        if (weights->n == 12)
            return;
        weights->value[weights->n] = value;
        weights->times[weights->n++] = 0;
    }
    weights->times[at] += times;
}

/* The sum of the `wanted` largest (smallest) weights. */
static double sum_of_extremes(weight_counts *weights, int64_t wanted, int greatest)
{
    double sum = 0;
    while (wanted > 0) {
        int best = -1;
        for (int i = 0; i < weights->n; i++)
            if (weights->times[i] > 0
                && (best < 0
                    || (greatest ? weights->value[i] > weights->value[best]
                                 : weights->value[i] < weights->value[best])))
                best = i;
        if (best < 0)
            break;
        int64_t taken = smaller(wanted, weights->times[best]);
        sum += (double)taken * weights->value[best];
        weights->times[best] -= taken;
        wanted -= taken;
    }
    return sum;
}

static inline double weight_at(const ranks_in_two *documents, int64_t i, int64_t cut)
{
    return share_above(documents->before[0][i], documents->size[0][i], cut)
           - share_above(documents->before[1][i], documents->size[1][i], cut);
}

/* Once the cut is below both rankings, only the number of relevant documents changes. */
double rprec_difference_end(const ranks_in_two *documents, int64_t n_open, int64_t n_judged,
                            int64_t n_relevant, int64_t hidden, int greatest, work_watch *watch)
{
    int64_t n_docs = 0, most = n_open + hidden;
    for (int64_t i = 0; i < n_open + n_judged; i++)
        for (int run = 0; run < 2; run++)
            if (documents->before[run][i] + documents->size[run][i] > n_docs)
                n_docs = documents->before[run][i] + documents->size[run][i];
    double end = greatest ? -2 : 2;
    for (int64_t m = 0; m <= most; m++) {
        if (watch_stops(watch, 8 * (n_open + n_judged)))
            break;
        if (m > n_open && n_relevant + m > n_docs + n_open && m < most)
            m = hidden > m ? hidden : m; /* hidden ones only lengthen the denominator */
        int64_t cut = n_relevant + m;
        double judged = 0;
        weight_counts weights = {.n = 0};
        for (int64_t i = 0; i < n_open; i++)
            count_weight(&weights, weight_at(documents, i, cut), 1);
        count_weight(&weights, 0, hidden);
        for (int64_t i = n_open; i < n_open + n_judged; i++)
            judged += weight_at(documents, i, cut);
        double value =
            cut > 0 ? (judged + sum_of_extremes(&weights, m, greatest)) / (double)cut : 0;
        end = greatest ? fmax(end, value) : fmin(end, value);
    }
    return end;
}
