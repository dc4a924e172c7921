/* Bounds of DCG, and of nDCG where open documents add the same at all levels, in a few steps for
 * each block of open_order.h.
 *
 * With S(m) the discounts of m open documents, filled from the top (or the bottom), J the gains of
 * the judged ones, d_l the steps of gain and D the sums of the first discounts (open_gain.c),
 *
 *   nDCG = (J + sum_l d_l S(m_l)) / sum_l d_l D(N_l + m_l).
 *
 * Least: all m_l are one m.  Filled from the bottom, S grows by more and more, and D by less and
 * less: a convex function over a concave one falls and then rises, so bisection finds the end.
 *
 * Greatest: S(m) - lambda D(N_l + m) is largest for each l by itself.  In a stretch of places m + c
 * it grows by 1/log2(m + c + 1) - lambda/log2(N_l + m + 1), positive where
 *
 *   g(m) = log(N_l + m + 1) - lambda log(m + c + 1) > 0,  lambda <= 1;
 *
 * g' has the sign of (1 - lambda) m + (c + 1) - lambda (N_l + 1): g falls and then rises.  So the
 * largest is at an end of a stretch, or where g first falls below 0, which bisection finds.  In a
 * tie that counts by its mean S grows evenly and D ever less: the largest is at an end.
 */
#include <stddef.h>

#include "gains.h"
#include "open_gain_levels.h"
#include "open_ranks.h"

typedef struct {
    const measure *m;
    const open_order *order;
    const measure_memory *memory;
    const dd *through; /* sums of the first 0 .. n_through discounts */
    int64_t n_through;
    enum unjudged_rule rule;
    int greatest;
    int64_t limit;     /* places that count */
    open_part *part;   /* the blocks that hold open documents down to it */
    double *filled;    /* S where all open documents of the parts before each are relevant */
    int64_t n, n_open; /* parts; their open documents */
} gain_blocks;

static gain_blocks blocks_of(const measure *m, const unjudged_query *query, enum unjudged_rule rule,
                             int greatest, const unjudged_memory *memory)
{
    return (gain_blocks){.m = m,
                         .order = query->order,
                         .memory = memory->measure,
                         .through = memory->discounts,
                         .n_through = memory->n_discounts,
                         .rule = rule,
                         .greatest = greatest,
                         .limit = m->cutoff > 0 ? m->cutoff : INT64_MAX / 4,
                         .part = memory->gain_part,
                         .filled = memory->sum};
}

/* The discounts of the places behind `before` down to `last`. */
static inline double discounts_between(const gain_blocks *blocks, int64_t before, int64_t last)
{
    dd low = blocks->through[before], high = blocks->through[smaller(last, blocks->limit)];
    return (high.hi - low.hi) + (high.lo - low.lo);
}

static inline double discount_at_place(const gain_blocks *blocks, int64_t place)
{
    return place <= blocks->limit ? discount_of(blocks->memory, place) : 0;
}

/* Whether the sums of discounts go down to where the ranking counts. */
static int has_discounts(const gain_blocks *blocks)
{
    return smaller(blocks->order->n_docs, blocks->limit) <= blocks->n_through;
}

/* The discounted gains of a block: `n_open` open documents of this gain, first, then judged ones.
 */
static void add_block(const gain_blocks *blocks, int64_t block, double gain, int64_t n_open,
                      dd *sum)
{
    const open_order *order = blocks->order;
    int64_t before = order->before[block], size = order->size[block];
    int64_t judged = block > 0 ? order->end[block - 1] : 0, end = order->end[block];
    if (size == 1 || order->apart[block]) {
        if (end > judged)
            add_to(sum, gain_of(blocks->m, order->grade[judged])
                            * discount_of(blocks->memory, before + 1));
        else if (gain > 0)
            add_to(sum, gain * discounts_between(blocks, before, before + size));
        return;
    }
    if (blocks->rule == UNJUDGED_EXPECTED) {
        double gains = gain * (double)n_open;
        for (; judged < end; judged++)
            gains += gain_of(blocks->m, order->grade[judged]);
        add_to(sum, gains * (discounts_between(blocks, before, before + size) / (double)size));
        return;
    }
    int is_best = blocks->rule == UNJUDGED_BEST;
    if (gain > 0)
        add_to(sum, gain
                        * (is_best ? discounts_between(blocks, before, before + n_open)
                                   : discounts_between(
                                         blocks, smaller(before + size - n_open, blocks->limit),
                                         before + size)));
    else
        n_open = 0; /* of grade 0: last */
    for (int64_t taken = n_open; judged < end && order->grade[judged] > 0; judged++, taken++)
        add_to(sum, gain_of(blocks->m, order->grade[judged])
                        * discount_at_place(blocks,
                                            is_best ? before + taken + 1 : before + size - taken));
}

static double gain_of_blocks(const gain_blocks *blocks, double gain)
{
    const open_order *order = blocks->order;
    dd sum = {0, 0};
    for (int64_t i = 0, judged = 0; i < order->n_blocks; judged = order->end[i++]) {
        if (order->before[i] >= blocks->limit)
            break;
        int64_t n_open = order->size[i] - (order->end[i] - judged);
        if (order->end[i] > judged || gain > 0)
            add_block(blocks, i, gain, n_open, &sum);
    }
    return total_of(sum);
}

double open_discounted_gain(const measure *m, const unjudged_query *query, enum unjudged_rule rule,
                            int greatest, const unjudged_memory *memory)
{
    gain_blocks blocks = blocks_of(m, query, rule, greatest, memory);
    if (!has_discounts(&blocks))
        return NAN;
    return gain_of_blocks(&blocks, greatest ? gain_of(m, query->max_grade) : 0);
}

/* The parts, in the order in which they are filled.  Returns 0 where a rank holds judged and open
 * documents and has an order, or is filled from the wrong side. */
static int find_parts(gain_blocks *blocks)
{
    const open_order *order = blocks->order;
    for (int64_t i = 0, judged = 0; i < order->n_blocks; judged = order->end[i++]) {
        int64_t before = order->before[i], size = order->size[i];
        int64_t n_judged = order->end[i] - judged, n_open = size - n_judged;
        if (before >= blocks->limit)
            break;
        if (n_open == 0)
            continue;
        int is_tie = size > 1 && !order->apart[i];
        if (is_tie && blocks->rule != UNJUDGED_EXPECTED
            && (n_judged > 0 || (blocks->rule == UNJUDGED_BEST) != blocks->greatest))
            return 0;
        int is_mean = is_tie && blocks->rule == UNJUDGED_EXPECTED;
        if (order->apart[i])
            size = n_open = smaller(size, blocks->limit - before);
        blocks->part[blocks->n++] = (open_part){.before = before,
                                                .size = size,
                                                .open = n_open,
                                                .open_before = blocks->n_open,
                                                .apart = !is_mean};
        blocks->n_open += n_open;
    }
    if (!blocks->greatest) {
        for (int64_t i = 0, j = blocks->n - 1; i < j; i++, j--) {
            open_part swapped = blocks->part[i];
            blocks->part[i] = blocks->part[j];
            blocks->part[j] = swapped;
        }
        for (int64_t i = 0, open = 0; i < blocks->n; open += blocks->part[i++].open)
            blocks->part[i].open_before = open;
    }
    return 1;
}

/* The discounts of the first m open documents of a part. */
static inline double discounts_of_part(const gain_blocks *blocks, const open_part *part, int64_t m)
{
    int64_t end = part->before + part->size;
    if (!part->apart)
        return (double)m * (discounts_between(blocks, part->before, end) / (double)part->size);
    if (blocks->greatest)
        return discounts_between(blocks, part->before, part->before + m);
    return discounts_between(blocks, smaller(end - m, blocks->limit), end);
}

static void sum_parts(gain_blocks *blocks)
{
    dd sum = {0, 0};
    for (int64_t i = 0; i < blocks->n; i++) {
        blocks->filled[i] = total_of(sum);
        add_to(&sum, discounts_of_part(blocks, &blocks->part[i], blocks->part[i].open));
    }
    blocks->filled[blocks->n] = total_of(sum);
}

static inline double ideal_through(const gain_blocks *blocks, int64_t n)
{
    return blocks->through[smaller(n, blocks->limit)].hi;
}

/* The value where m = part.open_before + taken, and whether one more lowers it. */
typedef struct {
    double value;
    int falls;
} ratio_here;

static ratio_here ratio_at(const gain_blocks *blocks, const level_list *levels, double judged,
                           double steps, int64_t below, const open_part *part, int64_t taken,
                           double filled)
{
    double ideal = 0, more = 0;
    int64_t m = part->open_before + taken;
    for (int64_t l = 0; l < levels->n; l++) {
        int64_t n = levels->n_judged[l] + below + m;
        ideal += levels->step[l] * ideal_through(blocks, n);
        more += levels->step[l] * discount_at_place(blocks, n + 1);
    }
    double top =
        judged + steps * (filled + (taken > 0 ? discounts_of_part(blocks, part, taken) : 0));
    ratio_here here = {top / ideal, 0};
    if (taken == part->open)
        return here;
    double next = part->apart ? discount_at_place(blocks, part->before + part->size - taken)
                              : discounts_of_part(blocks, part, 1);
    here.falls = steps * next * ideal < top * more;
    return here;
}

/* Bisection over the parts, then over the documents of one. */
static double least_ratio(const gain_blocks *blocks, const level_list *levels, double judged,
                          int64_t below)
{
    double steps = 0;
    for (int64_t l = 0; l < levels->n; l++)
        steps += levels->step[l];
    const open_part none = {.apart = 1};
    if (blocks->n == 0)
        return ratio_at(blocks, levels, judged, steps, below, &none, 0, 0).value;
    int64_t low = 0, high = blocks->n; /* the first part at whose beginning the value rises */
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (ratio_at(blocks, levels, judged, steps, below, &blocks->part[middle], 0,
                     blocks->filled[middle])
                .falls)
            low = middle + 1;
        else
            high = middle;
    }
    int64_t at = low > 0 ? low - 1 : 0;
    const open_part *part = &blocks->part[at];
    double filled = blocks->filled[at];
    low = 0;
    high = part->open; /* the first document that does not lower it */
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (ratio_at(blocks, levels, judged, steps, below, part, middle, filled).falls)
            low = middle + 1;
        else
            high = middle;
    }
    return ratio_at(blocks, levels, judged, steps, below, part, low, filled).value;
}

/* Whether document m + 1 of a stretch that begins behind place `before` raises S - lambda D. */
static inline int raises(const gain_blocks *blocks, int64_t before, int64_t n_judged, int64_t m,
                         double lambda)
{
    return discount_at_place(blocks, before + m + 1)
           > lambda * discount_at_place(blocks, n_judged + m + 1);
}

/* The first of `n` documents of a stretch that lowers S - lambda D after others that raise it; n
 * where there is none.  n_judged: judged and open ones before the stretch. */
static int64_t first_that_lowers(const gain_blocks *blocks, int64_t before, int64_t n_judged,
                                 int64_t n, double lambda)
{
    n = smaller(n, blocks->limit - n_judged); /* behind them the ideal does not grow */
    if (n < 1 || !raises(blocks, before, n_judged, 0, lambda))
        return n < 0 ? 0 : n;
    int64_t low = 1, high = n - 1; /* where g is least, if it falls */
    if (raises(blocks, before, n_judged, n - 1, lambda)) {
        double turn =
            (lambda * ((double)n_judged + 1) - ((double)before + 1)) / (1 - lambda); /* m + 1 */
        if (!(turn > 1 && turn < (double)n))
            return n;
        high = (int64_t)turn;
        if (!raises(blocks, before, n_judged, high - 1, lambda))
            high--;
        else if (raises(blocks, before, n_judged, high, lambda))
            return n;
    }
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (raises(blocks, before, n_judged, middle, lambda))
            low = middle + 1;
        else
            high = middle;
    }
    return high;
}

/* The sums of the counts that maximise DCG - lambda IDCG.  A lower level, which has more judged
 * documents, gains less in its ideal DCG from each further one, so its best count is no smaller
 * than that of the level above; and best counts fall while lambda rises.  part_of[l]: the part
 * where the best count of the last step was, or of this one. */
static void best_counts(const gain_blocks *blocks, const level_list *levels, double lambda,
                        int64_t *part_of, double *gain, double *ideal)
{
    int64_t first = 0;
    for (int64_t l = 0; l < levels->n; l++) {
        int64_t n_judged = levels->n_judged[l], last = part_of[l];
        int64_t before = first < blocks->n ? blocks->part[first].open_before : 0;
        double best_sum = blocks->filled[first];
        double best_ideal = ideal_through(blocks, n_judged + before);
        double best = best_sum - lambda * best_ideal;
        part_of[l] = first;
        for (int64_t i = first; i <= last; i++) {
            const open_part *part = &blocks->part[i];
            int64_t n = n_judged + part->open_before;
            if (part->apart && part->open > 1) {
                int64_t taken = first_that_lowers(blocks, part->before, n, part->open, lambda);
                if (taken > 0 && taken < part->open) {
                    double sum = blocks->filled[i] + discounts_of_part(blocks, part, taken);
                    double own = ideal_through(blocks, n + taken);
                    if (sum - lambda * own > best) {
                        best = sum - lambda * own;
                        best_sum = sum;
                        best_ideal = own;
                        part_of[l] = i;
                    }
                }
            }
            double own = ideal_through(blocks, n + part->open);
            if (blocks->filled[i + 1] - lambda * own > best) {
                best = blocks->filled[i + 1] - lambda * own;
                best_sum = blocks->filled[i + 1];
                best_ideal = own;
                part_of[l] = i;
            }
        }
        first = part_of[l];
        *gain += levels->step[l] * best_sum;
        *ideal += levels->step[l] * best_ideal;
    }
}

/* Dinkelbach's iteration; lambda = 0 takes all. */
static double greatest_ratio(const gain_blocks *blocks, const level_list *levels, double judged)
{
    enum { MOST_STEPS = 200 };
    double end = 0;
    int64_t part_of[MOST_GAIN_LEVELS];
    for (int64_t l = 0; l < levels->n; l++)
        part_of[l] = blocks->n - 1;
    for (int step = 0; step < MOST_STEPS; step++) {
        double gain = judged, ideal = 0;
        if (watch_stops(blocks->memory->watch, 8 * levels->n * blocks->n))
            return 0;
        for (int64_t l = 0; step == 0 && l < levels->n; l++) {
            gain += levels->step[l] * blocks->filled[blocks->n];
            ideal += levels->step[l] * ideal_through(blocks, levels->n_judged[l] + blocks->n_open);
        }
        if (step > 0)
            best_counts(blocks, levels, end, part_of, &gain, &ideal);
        if (!(ideal > 0) || !(gain / ideal > end))
            break;
        end = gain / ideal;
    }
    return end;
}

double open_normalized_by_blocks(const measure *m, const unjudged_query *query,
                                 enum unjudged_rule rule, int greatest,
                                 const unjudged_memory *memory)
{
    gain_blocks blocks = blocks_of(m, query, rule, greatest, memory);
    level_list levels;
    if (!has_discounts(&blocks) || !list_gain_levels(m, query, &levels) || levels.n == 0
        || !find_parts(&blocks))
        return NAN;
    int64_t below = greatest ? 0 : query->hidden + query->order->n_open - blocks.n_open;
    int64_t most = levels.n_judged[levels.n - 1] + below + blocks.n_open;
    if (smaller(most, blocks.limit) > blocks.n_through)
        return NAN;
    if (watch_stops(memory->measure->watch, 8 * query->order->n_blocks))
        return 0;
    sum_parts(&blocks);
    double judged = gain_of_blocks(&blocks, 0);
    return greatest ? greatest_ratio(&blocks, &levels, judged)
                    : least_ratio(&blocks, &levels, judged, below);
}
