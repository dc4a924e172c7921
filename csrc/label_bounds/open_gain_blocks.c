/* Bounds of DCG, and of nDCG where ties are filled from the side that the end asks for, in a few
 * steps for each block of open_order.h.
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
 *
 * In a tie that has an order and holds judged documents too, the open ones of level l stand behind
 * the j_l judged ones that reach it (greatest), or above them (least), so that S is another for
 * each level.  Least: S_l of a lower level, where j_l is larger, grows by more with each document,
 * and D by less.  So all m_l are one m still: if a level had a larger count than those above it,
 * either it would gain by theirs, or they by its.  Greatest: each level takes its own best count,
 * and if these do not rise from level to level, as they must, open_gain.c finds the end.
 *
 * The file is longer than 400 lines because both ends share the sums of the parts.
 */
#include <stddef.h>

#include "ties/gains.h"
#include "label_bounds/open_gain_levels.h"
#include "label_bounds/open_ranks.h"

typedef struct {
    const measure *m;
    const open_order *order;
    const measure_memory *memory;
    open_judged_sums *judged;
    const dd *through; /* sums of the first 0 .. n_through discounts */
    int64_t n_through;
    enum unjudged_rule rule;
    int greatest;
    int64_t limit; /* places that count */
    /* The blocks that hold open documents down to it.  In a tie with judged documents that has an
     * order `relevant_before` is the place of the first of their grades, and `relevant` how many
     * reach the level that is looked at. */
    open_part *part;
    double *filled;    /* S where all open documents of the parts before each are relevant */
    int64_t stride;    /* from one level to the next in filled[]; 0 where no tie is such a one */
    int64_t n, n_open; /* parts; their open documents */
} gain_blocks;

static gain_blocks blocks_of(const measure *m, const unjudged_query *query, enum unjudged_rule rule,
                             int greatest, const unjudged_memory *memory)
{
    return (gain_blocks){.m = m,
                         .order = query->order,
                         .memory = memory->measure,
                         .judged = &memory->memo->gain,
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
    open_judged_sums *known = blocks->judged;
    dd sum = {0, 0};
    if (gain == 0 && known->is_set && known->rule == blocks->rule && known->limit == blocks->limit
        && known->from == blocks->m->argument[0])
        return total_of(known->total);
    for (int64_t i = 0, judged = 0; i < order->n_blocks; judged = order->end[i++]) {
        if (order->before[i] >= blocks->limit)
            break;
        int64_t n_open = order->size[i] - (order->end[i] - judged);
        if (order->end[i] > judged || gain > 0)
            add_block(blocks, i, gain, n_open, &sum);
    }
    if (gain == 0)
        *known = (open_judged_sums){.is_set = 1,
                                    .rule = blocks->rule,
                                    .from = blocks->m->argument[0],
                                    .limit = blocks->limit,
                                    .total = sum};
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

static void add_open_part(gain_blocks *blocks, open_part part)
{
    part.open_before = blocks->n_open;
    blocks->part[blocks->n++] = part;
    blocks->n_open += part.open;
}

/* A stretch with ties that goes on below the cut-off: the tie that is divided is a part. */
static void cut_last_tie(gain_blocks *blocks, open_part *part)
{
    open_tie tie = open_tie_at(blocks->order, blocks->limit - 1);
    open_part last = *part;
    part->size = part->open = tie.before - part->before;
    if (part->size > 0)
        add_open_part(blocks, *part);
    last.before = tie.before;
    last.size = last.open = tie.size;
    last.apart = OPEN_RANK;
    add_open_part(blocks, last);
}

/* The parts, in the order in which they are filled.  Returns 0 where a rank that has an order is
 * filled from the wrong side. */
static int find_parts(gain_blocks *blocks)
{
    const open_order *order = blocks->order;
    int has_mixed = 0;
    for (int64_t i = 0, judged = 0; i < order->n_blocks; judged = order->end[i++]) {
        int64_t before = order->before[i], size = order->size[i];
        int64_t n_judged = order->end[i] - judged, n_open = size - n_judged;
        if (before >= blocks->limit)
            break;
        if (n_open == 0)
            continue;
        int is_tie = size > 1 && !order->apart[i];
        int is_mean = is_tie && blocks->rule == UNJUDGED_EXPECTED;
        if (is_tie && !is_mean && (blocks->rule == UNJUDGED_BEST) != blocks->greatest)
            return 0;
        has_mixed |= is_tie && !is_mean && n_judged > 0;
        if (order->apart[i])
            size = n_open = smaller(size, blocks->limit - before);
        enum open_stretch apart = is_mean ? OPEN_RANK : OPEN_APART;
        if (order->apart[i] == OPEN_TIED) {
            if (blocks->rule == UNJUDGED_EXPECTED)
                apart = OPEN_TIED;
            else if ((blocks->rule == UNJUDGED_BEST) != blocks->greatest)
                return 0;
        }
        open_part part = {.before = before,
                          .size = size,
                          .open = n_open,
                          .relevant_before = judged,
                          .apart = apart};
        if (apart == OPEN_TIED && order->size[i] > size)
            cut_last_tie(blocks, &part);
        else
            add_open_part(blocks, part);
    }
    blocks->stride = has_mixed ? blocks->n + 1 : 0;
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

/* Count the judged documents of a part that reach a level, where they matter. */
static inline void look_at_level(const gain_blocks *blocks, open_part *part, double from)
{
    int64_t n_judged = part->size - part->open;
    if (blocks->stride == 0 || !part->apart || n_judged == 0)
        return;
    const double *grade = blocks->order->grade + part->relevant_before;
    while (part->relevant > 0 && grade[part->relevant - 1] < from)
        part->relevant--;
    while (part->relevant < n_judged && grade[part->relevant] >= from)
        part->relevant++;
}

/* The discounts of the first m open documents of a part. */
static inline double discounts_of_part(const gain_blocks *blocks, const open_part *part, int64_t m)
{
    int64_t first = part->before, end = first + part->size;
    if (!part->apart)
        return (double)m * (discounts_between(blocks, first, end) / (double)part->size);
    first = smaller(first + part->relevant, blocks->limit);
    if (blocks->greatest)
        return discounts_between(blocks, first, first + m);
    end -= part->relevant;
    return discounts_between(blocks, smaller(end - m, blocks->limit), end);
}

/* Returns 0 where levels have sums of their own for which there is no room. */
static int sum_parts(gain_blocks *blocks, const level_list *levels)
{
    int64_t n_tables = blocks->stride > 0 ? levels->n : 1;
    if (blocks->stride > 0) {
        if (n_tables * blocks->stride > 4 * blocks->order->n_docs)
            return 0;
        blocks->filled = blocks->memory->scratch;
    }
    for (int64_t l = 0; l < n_tables; l++) {
        double *filled = blocks->filled + l * blocks->stride;
        dd sum = {0, 0};
        for (int64_t i = 0; i < blocks->n; i++) {
            filled[i] = total_of(sum);
            look_at_level(blocks, &blocks->part[i], levels->from[l]);
            add_to(&sum, discounts_of_part(blocks, &blocks->part[i], blocks->part[i].open));
        }
        filled[blocks->n] = total_of(sum);
    }
    return 1;
}

static inline double ideal_through(const gain_blocks *blocks, int64_t n)
{
    return blocks->through[smaller(n, blocks->limit)].hi;
}

/* The least ratio being looked for. */
typedef struct {
    const gain_blocks *blocks;
    const level_list *levels;
    double judged; /* J */
    double steps;  /* of all levels */
    int64_t below; /* documents that are relevant before the first of the parts */
} least_scan;

/* The value where m = part.open_before + taken, and whether one more lowers it. */
typedef struct {
    double value;
    int falls;
} ratio_here;

static ratio_here ratio_at(const least_scan *scan, int64_t i, int64_t taken)
{
    const gain_blocks *blocks = scan->blocks;
    const level_list *levels = scan->levels;
    open_part *part = &blocks->part[i];
    double ideal = 0, more = 0, sum = 0, next = 0;
    for (int64_t l = 0; l < levels->n; l++) {
        int64_t n = levels->n_judged[l] + scan->below + part->open_before + taken;
        ideal += levels->step[l] * ideal_through(blocks, n);
        more += levels->step[l] * discount_at_place(blocks, n + 1);
    }
    int64_t n_tables = blocks->stride > 0 ? levels->n : 1;
    for (int64_t l = 0; l < n_tables; l++) {
        double step = blocks->stride > 0 ? levels->step[l] : scan->steps;
        double filled = blocks->filled[l * blocks->stride + i];
        look_at_level(blocks, part, levels->from[l]);
        sum += step * (filled + (taken > 0 ? discounts_of_part(blocks, part, taken) : 0));
        int64_t place = part->before + part->size - part->relevant - taken;
        if (taken < part->open)
            next += step
                    * (part->apart ? discount_at_place(blocks, place)
                                   : discounts_of_part(blocks, part, 1));
    }
    double top = scan->judged + sum;
    return (ratio_here){top / ideal, taken < part->open && next * ideal < top * more};
}

/* How many documents of a part lower the value. */
static int64_t first_that_raises(const least_scan *scan, int64_t at)
{
    int64_t low = 0, high = scan->blocks->part[at].open;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (ratio_at(scan, at, middle).falls)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Bisection over the parts, then over the documents of one; then over those of a tie that counts by
 * its mean, if that is where the value would be least without ties: they raise it but at their
 * ends. */
static double least_ratio(const gain_blocks *blocks, const level_list *levels, double judged,
                          int64_t below)
{
    least_scan scan = {blocks, levels, judged, 0, below};
    for (int64_t l = 0; l < levels->n; l++)
        scan.steps += levels->step[l];
    if (blocks->n == 0) {
        blocks->part[0] = (open_part){.apart = 1};
        return ratio_at(&scan, 0, 0).value;
    }
    int64_t low = 0, high = blocks->n; /* the first part at whose beginning the value rises */
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (ratio_at(&scan, middle, 0).falls)
            low = middle + 1;
        else
            high = middle;
    }
    int64_t at = low > 0 ? low - 1 : 0;
    open_part *part = &blocks->part[at];
    low = first_that_raises(&scan, at);
    if (part->apart == OPEN_TIED && part->open > 0) {
        int64_t end = part->before + part->size;
        open_tie tie = open_tie_at(blocks->order, end - (low > 0 ? low : 1));
        int64_t lower = end - tie.before - tie.size;
        if (lower + tie.size == low) /* without ties, too */
            return ratio_at(&scan, at, low).value;
        blocks->filled[at] += discounts_of_part(blocks, part, lower);
        *part = (open_part){.before = tie.before,
                            .size = tie.size,
                            .open = tie.size,
                            .open_before = part->open_before + lower,
                            .apart = OPEN_RANK};
        low = first_that_raises(&scan, at);
    }
    return ratio_at(&scan, at, low).value;
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

/* The best count of one level. */
typedef struct {
    double sum, ideal, value; /* S, D, S - lambda D */
    int64_t count, part;      /* m, and the part where it is */
} best_count;

static inline void take_count(best_count *best, double sum, double ideal, double lambda,
                              int64_t count, int64_t part)
{
    double value = sum - lambda * ideal;
    if (value > best->value)
        *best = (best_count){sum, ideal, value, count, part};
}

/* Among the parts from `first` to `last`. */
static best_count best_of_level(const gain_blocks *blocks, const level_list *levels, int64_t l,
                                double lambda, int64_t first, int64_t last)
{
    const double *filled = blocks->filled + l * blocks->stride;
    int64_t n_judged = levels->n_judged[l];
    int64_t before = first < blocks->n ? blocks->part[first].open_before : 0;
    best_count best = {filled[first], ideal_through(blocks, n_judged + before), 0, before, first};
    best.value = best.sum - lambda * best.ideal;
    for (int64_t i = first; i <= last; i++) {
        open_part *part = &blocks->part[i];
        int64_t n = n_judged + part->open_before;
        /* each place that is above its place in the ideal raises the difference */
        int all_raise = part->before + part->size - part->open <= n;
        if (part->apart && part->open > 1 && !all_raise) {
            look_at_level(blocks, part, levels->from[l]);
            int64_t start = part->before + part->relevant;
            int64_t reach = smaller(part->open, blocks->limit - start); /* below it S rests */
            int64_t taken = first_that_lowers(blocks, start, n, reach, lambda), more = taken;
            if (part->apart == OPEN_TIED && taken > 0 && taken < part->open) {
                open_tie tie = open_tie_at(blocks->order, part->before + taken);
                taken = tie.before - part->before;
                more = taken + tie.size;
            }
            for (;; taken = more) { /* the ends of a tie, between which the value is no higher */
                if (taken > 0 && taken < part->open)
                    take_count(&best, filled[i] + discounts_of_part(blocks, part, taken),
                               ideal_through(blocks, n + taken), lambda, part->open_before + taken,
                               i);
                if (taken == more)
                    break;
            }
        }
        take_count(&best, filled[i + 1], ideal_through(blocks, n + part->open), lambda,
                   part->open_before + part->open, i);
    }
    return best;
}

/* The sums of the counts that maximise DCG - lambda IDCG.  A lower level, which has more judged
 * documents, gains less in its ideal DCG from each further one, so where levels have the same sums
 * its best count is no smaller than that of the level above; and best counts fall while lambda
 * rises.  part_of[l]: the part where the best count of the last step was, or of this one.  Returns
 * 0 where a level with sums of its own has a smaller count than the one above. */
static int best_counts(const gain_blocks *blocks, const level_list *levels, double lambda,
                       int64_t *part_of, double *gain, double *ideal)
{
    int64_t first = 0, count = 0;
    for (int64_t l = 0; l < levels->n; l++) {
        best_count best = best_of_level(blocks, levels, l, lambda, first, part_of[l]);
        if (blocks->stride > 0 && best.count < count)
            return 0;
        part_of[l] = best.part;
        count = best.count;
        if (blocks->stride == 0)
            first = best.part;
        *gain += levels->step[l] * best.sum;
        *ideal += levels->step[l] * best.ideal;
    }
    return 1;
}

/* Dinkelbach's iteration; lambda = 0 takes all.  NAN where best counts do not rise with levels. */
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
            gain += levels->step[l] * blocks->filled[l * blocks->stride + blocks->n];
            ideal += levels->step[l] * ideal_through(blocks, levels->n_judged[l] + blocks->n_open);
        }
        if (step > 0 && !best_counts(blocks, levels, end, part_of, &gain, &ideal))
            return NAN;
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
    if (!sum_parts(&blocks, &levels))
        return NAN;
    double judged = gain_of_blocks(&blocks, 0);
    return greatest ? greatest_ratio(&blocks, &levels, judged)
                    : least_ratio(&blocks, &levels, judged, below);
}
