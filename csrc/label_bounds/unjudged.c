/* Least and greatest value of a measure over all labels of unjudged documents.
 * The contract is in unjudged.h. */

#include "label_bounds/unjudged.h"

#include <math.h>
#include <string.h>

#include "ties/cascade.h"
#include "ties/gains.h"
#include "label_bounds/open_gain_levels.h"
#include "label_bounds/open_ranks.h"

void unjudged_harmonics(dd *harmonic, int64_t n)
{
    const double unit = 0x1p-32;
    dd sum = {0, 0};
    harmonic[0] = sum;
    for (int64_t i = 1; i <= n; i++) {
        double x = (double)i, part = 1 / x;
        dd back = dd_two_product(part, x);
        sum = dd_add(sum, (dd){part, ((1 - back.hi) - back.lo) / x});
        double coarse = rint(sum.hi / unit) * unit;
        harmonic[i] = (dd){coarse, (sum.hi - coarse) + sum.lo};
    }
}

void unjudged_discounts(dd *discounts, int64_t n, const measure_memory *memory)
{
    discounts[0] = (dd){0, 0};
    for (int64_t i = 1; i <= n; i++)
        discounts[i] = dd_add(discounts[i - 1], (dd){discount_of(memory, i), 0});
}

static open_counts count_open(const unjudged_query *query, double from, enum unjudged_rule rule)
{
    open_counts counts = {.order = query->order, .from = from, .rule = rule};
    counts.can_be_relevant = query->max_grade >= from;
    counts.n_open = counts.can_be_relevant ? query->order->n_open : 0;
    counts.hidden = counts.can_be_relevant ? query->hidden : 0;
    counts.n_relevant = levels_from(query->judged, from);
    counts.n_others = levels_from(query->judged, -INFINITY) - counts.n_relevant
                      + query->order->n_open + query->hidden;
    return counts;
}

/* The ties and the stretches between them of a stretch with ties, `part`, which the first replaces.
 * Returns how many. */
static int64_t split_part(const open_order *order, open_part *part)
{
    open_part whole = *part;
    int64_t n = 0, done = 0;
    while (done < whole.size) {
        open_tie tie = open_tie_at(order, whole.before + done);
        if (tie.size > 1 || n == 0 || !part[n - 1].apart) {
            part[n] = whole;
            part[n].before = tie.before;
            part[n].size = part[n].open = 0;
            part[n].open_before = whole.open_before + done;
            part[n++].apart = tie.size > 1 ? OPEN_RANK : OPEN_APART;
        }
        part[n - 1].size += tie.size;
        part[n - 1].open += tie.size;
        done += tie.size;
    }
    return n;
}

int64_t open_parts(const open_counts *counts, int is_split, open_part *part)
{
    const open_order *order = counts->order;
    int64_t n = 0, relevant = 0, open = 0;
    for (int64_t i = 0; i < order->n_blocks; i++) {
        open_block block = open_block_at(counts, i);
        part[n] = (open_part){block.before, block.size, block.relevant, block.open,
                              relevant,     open,       block.apart};
        if (is_split && block.apart == OPEN_TIED && block.open > 0)
            n += split_part(order, &part[n]);
        else
            n += block.relevant + block.open > 0; /* one without is overwritten by the next */
        relevant += block.relevant;
        open += block.open;
    }
    return n;
}

/* The value where all open documents have the highest grade, or grade 0, by the measure's own
 * kernel. */
static double value_where_all(const measure *m, const unjudged_query *query,
                              enum unjudged_rule rule, int highest, const unjudged_memory *memory)
{
    weak_order order, refined;
    int64_t depth = m->cutoff > 0 ? m->cutoff : INT64_MAX;
    open_order_expand(query->order, depth, highest ? OPEN_GRADED : OPEN_LEFT_OUT, query->max_grade,
                      memory->expanded, &order);
    if (rule != UNJUDGED_EXPECTED && weak_order_is_mixed(&order)) {
        weak_order_refine(&order, rule == UNJUDGED_BEST, memory->refined, &refined);
        order = refined;
    }
    measure_input in = {&order, query->judged, 0, memory->measure, NULL, TIE_MEAN};
    return measure_value(m, &in);
}

static double value_of_gains(const measure *m, const unjudged_query *query, enum unjudged_rule rule,
                             int greatest, const unjudged_memory *memory)
{
    double end = open_discounted_gain(m, query, rule, greatest, memory);
    return isnan(end) ? value_where_all(m, query, rule, greatest, memory) : end;
}

/* ERR block by block; NAN where documents of one rank have an order. */
static double reciprocal_rank_by_blocks(const measure *m, const unjudged_query *query,
                                        enum unjudged_rule rule, double highest, int64_t limit,
                                        const unjudged_memory *memory)
{
    const open_order *order = query->order;
    double sum = 0, still = 1, scale = exp2(-m->argument[0]);
    double stops = (exp2(highest) - 1) * scale;
    for (int64_t i = 0, judged = 0; i < order->n_blocks && order->before[i] < limit; i++) {
        if (watch_stops(memory->measure->watch, order->size[i]))
            return sum;
        tie_group rank = {.before = order->before[i], .size = order->size[i]};
        int64_t n_open = rank.size - (order->end[i] - judged);
        if (order->apart[i]) {
            double place = (double)rank.before + 1;
            int64_t last = stops > 0 ? smaller(n_open, limit - rank.before) : 0;
            for (int64_t k = 0; k < last; k++) {
                sum += still * (stops / (place + (double)k));
                still *= 1 - stops;
            }
            continue;
        }
        if (rank.size > 1 && rule != UNJUDGED_EXPECTED)
            return NAN;
        double going_on = 1, *stop = memory->measure->scratch;
        int64_t n = 0;
        for (; n < n_open && stops > 0; going_on *= 1 - stops)
            stop[n++] = stops;
        for (; judged < order->end[i]; judged++)
            if (order->grade[judged] > 0) {
                stop[n] = (exp2(order->grade[judged]) - 1) * scale;
                going_on *= 1 - stop[n++];
            }
        if (n > 0 && rank.size == 1)
            sum += still * (stop[0] / ((double)rank.before + 1));
        else if (n > 0)
            sum += still * open_cascade(stop, n, rank, limit, stop + n, memory->measure->watch);
        still *= going_on;
    }
    return sum;
}

/* ERR, down to where nothing counts any more: its reader goes on with probability (1 - s)^i past i
 * open documents of the highest grade, which is below 1e-18 after `left`. */
static double value_of_cascade(const measure *m, const unjudged_query *query,
                               enum unjudged_rule rule, int highest, const unjudged_memory *memory)
{
    const double negligible = 42; /* -log(1e-18) */
    const open_order *order = query->order;
    double stop = (exp2(query->max_grade) - 1) * exp2(-m->argument[0]);
    double enough = negligible / -log1p(-stop);
    int is_wanted = highest && query->max_grade >= 0;
    measure near = *m;
    int64_t left = enough < 1e15 ? (int64_t)enough + 1 : INT64_MAX / 4;
    for (int64_t block = 0, judged = 0; block < order->n_blocks; judged = order->end[block++]) {
        int64_t n_open = order->size[block] - (order->end[block] - judged);
        int64_t end = order->before[block] + order->size[block];
        if (is_wanted && order->apart[block] && n_open > left)
            end = order->before[block] + left;
        left -= is_wanted ? n_open : 0;
        if (left > 0)
            continue;
        if (near.cutoff == 0 || end < near.cutoff)
            near.cutoff = end;
        break;
    }
    double value = reciprocal_rank_by_blocks(m, query, rule, highest ? query->max_grade : 0,
                                             limit_of(near.cutoff), memory);
    return isnan(value) ? value_where_all(&near, query, rule, highest, memory) : value;
}

/* RBP of documents that are relevant or not: those of a block weigh p^before (1 - p^n) together,
 * down to where that is nothing beside the sum. */
static double value_of_persistence(const measure *m, const unjudged_query *query,
                                   enum unjudged_rule rule, int highest,
                                   const unjudged_memory *memory)
{
    const double negligible = 1e-18;
    const open_order *order = query->order;
    if (m->argument[1] != 0) /* by gains, which are not alike */
        return value_where_all(m, query, rule, highest, memory);
    double log_p = log(m->argument[0]), of_one = -expm1(log_p);
    int64_t limit = limit_of(m->cutoff);
    int is_wanted = highest && query->max_grade >= m->relevant_from;
    dd sum = {0, 0};
    for (int64_t block = 0, judged = 0; block < order->n_blocks; block++) {
        int64_t before = order->before[block], size = order->size[block];
        int64_t relevant = is_wanted ? size - (order->end[block] - judged) : 0;
        for (; judged < order->end[block]; judged++)
            relevant += order->grade[judged] >= m->relevant_from;
        double counted = (double)relevant / (double)size;
        if (rule != UNJUDGED_EXPECTED) {
            before += rule == UNJUDGED_WORST ? size - relevant : 0;
            size = relevant;
            counted = 1;
        }
        if (before >= limit || watch_stops(memory->measure->watch, 8))
            break;
        if (relevant == 0)
            continue;
        double weight = exp((double)before * log_p);
        if (weight < negligible * sum.hi)
            break;
        int64_t taken = smaller(size, limit - before);
        add_to(&sum, counted * weight * (taken == 1 ? of_one : -expm1((double)taken * log_p)));
    }
    return total_of(sum);
}

/* The end of a measure that depends on the first relevant document alone. */
static double value_of_first(const measure *m, const unjudged_query *query, enum unjudged_rule rule,
                             int highest, const unjudged_memory *memory)
{
    const open_order *order = query->order;
    open_order above = *order;
    int is_wanted = highest && query->max_grade >= m->relevant_from;
    for (int64_t block = 0, judged = 0; block < order->n_blocks; judged = order->end[block++]) {
        int64_t n_judged = order->end[block] - judged;
        if ((is_wanted && n_judged < order->size[block])
            || (n_judged > 0 && order->grade[judged] >= m->relevant_from)) {
            above.n_blocks = block + 1;
            break;
        }
    }
    measure near = *m; /* of a stretch of open documents its first will do */
    int64_t last = above.n_blocks - 1;
    if (m->cutoff == 0 && last >= 0 && order->apart[last])
        near.cutoff = order->before[last] + 1;
    unjudged_query to_first = *query;
    to_first.order = &above;
    return value_where_all(&near, &to_first, rule, highest, memory);
}

/* Labels do not change who was judged. */
static double share_judged(const measure *m, const unjudged_query *query, enum unjudged_rule rule,
                           int greatest, const unjudged_memory *memory)
{
    (void)greatest;
    return value_where_all(m, query, rule, 0, memory);
}

/* By one of the four functions. */
struct unjudged_bounds {
    const char *name;
    double (*by_query)(const measure *m, const unjudged_query *query, enum unjudged_rule rule,
                       int greatest, const unjudged_memory *memory);
    open_end *by_parts;
    open_value *by_found;
    double (*by_blocks)(const measure *m, const open_counts *counts, int greatest, double *totals,
                        const dd *harmonic, work_watch *watch);
    int (*tries_all)(const open_counts *counts, const open_part *part, int64_t n); /* of by_parts:
        unless so, ties of open documents are parts */
    int grows;   /* with every grade */
    int is_loss; /* its greatest value is in the worst order */
};

const unjudged_bounds *unjudged_find(const char *name)
{
    static const unjudged_bounds rows[] = {
        {"P", .by_query = value_where_all, .grows = 1},
        {"RR", .by_query = value_of_first, .grows = 1},
        {"Success", .by_query = value_of_first, .grows = 1},
        {"NumRet", .by_query = value_where_all, .grows = 1},
        {"NumRelRet", .by_query = value_where_all, .grows = 1},
        {"Judged", .by_query = share_judged},
        {"Hole", .by_query = share_judged, .is_loss = 1},
        {"DCG", .by_query = value_of_gains, .grows = 1},
        {"RBP", .by_query = value_of_persistence, .grows = 1},
        {"ERR", .by_query = value_of_cascade, .grows = 1},
        {"nDCG", .by_query = open_normalized_gain},
        {"AP", .by_blocks = open_average_precision},
        {"IPrec", .by_parts = open_interpolated_precision},
        {"Bpref", .by_parts = open_binary_preference, .tries_all = open_preference_tries_all},
        {"Rprec", .by_parts = open_r_precision},
        {"R", .by_found = open_recall},
        {"ER", .by_found = open_recall},
        {"RelP", .by_found = open_relative_precision},
        {"F", .by_found = open_f_measure},
        {"SetP", .by_found = open_set_precision},
        {"SetR", .by_found = open_recall},
        {"SetF", .by_found = open_f_measure},
        {"SetAP", .by_found = open_set_average_precision},
        {"NumRel", .by_found = open_n_relevant},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

int unjudged_grows(const unjudged_bounds *bounds)
{
    return bounds->grows;
}

int unjudged_is_loss(const unjudged_bounds *bounds)
{
    return bounds->is_loss;
}

/* The number of parts, which are listed unless they are so already. */
static int64_t listed_parts(const open_counts *counts, int is_split, const unjudged_memory *memory)
{
    open_memo *memo = memory->memo;
    if (memo->n_parts < 0 || memo->from != counts->from || memo->is_split != is_split) {
        memo->from = counts->from;
        memo->is_split = is_split;
        memo->n_parts = open_parts(counts, is_split, memory->part);
    }
    return memo->n_parts;
}

double unjudged_end(const unjudged_bounds *bounds, const measure *m, const unjudged_query *query,
                    enum unjudged_rule rule, int greatest, const unjudged_memory *memory)
{
    work_watch *watch = memory->measure->watch;
    if (bounds->by_query)
        return bounds->by_query(m, query, rule, greatest, memory);
    open_counts counts = count_open(query, m->relevant_from, rule);
    counts.judged = &memory->memo->precision;
    counts.scratch = (void *)memory->sum; /* as large, and of no use to measures of parts */
    counts.greatest_cuts = &memory->memo->greatest_cuts;
    counts.least_cuts = &memory->memo->least_cuts;
    counts.rest = memory->sum + 2 * (query->order->n_docs + 1);
    if (bounds->by_parts) {
        int64_t n = listed_parts(&counts, 0, memory);
        if (bounds->tries_all && !bounds->tries_all(&counts, memory->part, n))
            n = listed_parts(&counts, 1, memory);
        return bounds->by_parts(m, &counts, memory->part, n, greatest, watch);
    }
    if (bounds->by_found)
        return open_found_end(m, &counts, greatest, bounds->by_found);
    return bounds->by_blocks(m, &counts, greatest, NULL, memory->harmonic, watch);
}

int64_t unjudged_precision_totals(const measure *m, const unjudged_query *query,
                                  enum unjudged_rule rule, int greatest, double *totals,
                                  const unjudged_memory *memory)
{
    open_counts counts = count_open(query, m->relevant_from, rule);
    counts.judged = &memory->memo->precision;
    open_average_precision(m, &counts, greatest, totals, memory->harmonic, memory->measure->watch);
    return counts.n_open;
}
