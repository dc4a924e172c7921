/* Bounds of nDCG over the grades of open documents.  Other places of nDCG: see measures/graded.c.
 *
 * Let v_1 > … > v_L be the gains of the grades that matter (the highest possible one and those
 * judged), d_l = v_l - v_(l+1), N_l the judged documents of gain v_l or more, M_l the open ones,
 * and D(n) the sum of the first n discounts down to the cut-off.  Then the ideal DCG is sum d_l
 * D(N_l + M_l), and DCG is sum d_l f_l(M_l), f_l the sum of the discounts at documents of gain
 * v_l or more; with all M_l fixed it is greatest where each f_l has its open documents filled
 * from the top, least from the bottom with hidden ones first, and both fill all levels alike, as
 * M_1 <= M_2 <= ….  Grades between two judged ones need no level: there f_l and N_l do not change,
 * so the sum over such levels is a multiple of one term, best at one M.
 *
 * DCG - lambda IDCG is then a sum of functions of one M_l each over a chain of counts, and a
 * running best finds its maximum.  Dinkelbach's iteration sets lambda to the ratio of the chain
 * found: it rises (or falls) to the end of the ratio, and stops there exactly, as the chains are
 * finitely many.
 */
#include <stddef.h>

#include "ties/gains.h"
#include "label_bounds/open_gain_levels.h"
#include "label_bounds/open_ranks.h"
#include "label_bounds/unjudged_difference.h"

typedef struct {
    const measure *m;
    const weak_order *order; /* the ranks that begin among the places that count */
    const measure_memory *memory;
    enum unjudged_rule rule;
    int greatest;
    int64_t limit;  /* places that count */
    int64_t n_open; /* open documents in these ranks */
    int64_t below;  /* open documents relevant before the first of these: lower ones, hidden ones */
    double *dcg, *ideal; /* the best chain for each M: n_open + 1 */
} gain_chain;

/* The discounts of the documents of grade `from` or more in a rank that holds so many of them, and
 * those of one more. */
typedef struct {
    int64_t before, size, relevant, n_open;
    double expected; /* the mean discount of a place */
} gain_rank;

static inline gain_rank gain_rank_at(const gain_chain *chain, int64_t rank, double from)
{
    const weak_order *order = chain->order;
    int64_t mark = rank > 0 ? order->end[rank - 1] : 0, end = order->end[rank], at = mark;
    if (end - mark == 1) {
        int64_t before = order->before[rank];
        double grade = order->grade[mark];
        double discount = before < chain->limit ? discount_of(chain->memory, before + 1) : 0;
        return (gain_rank){before, 1, grade >= from, grade < 0, discount};
    }
    while (at < end && order->grade[at] >= from)
        at++;
    gain_rank found = {.before = order->before[rank], .size = order->size[rank]};
    found.relevant = at - mark;
    int64_t low = at, high = end; /* the first open one: grades fall */
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (order->grade[middle] < 0)
            high = middle;
        else
            low = middle + 1;
    }
    found.n_open = end - low;
    if (chain->rule == UNJUDGED_EXPECTED && found.relevant + found.n_open > 0) {
        dd sum = {0, 0};
        int64_t taken = smaller(found.size, chain->limit - found.before);
        for (int64_t k = 1; k <= taken; k++)
            add_to(&sum, discount_of(chain->memory, found.before + k));
        found.expected = (sum.hi + sum.lo) / (double)found.size;
    }
    return found;
}

/* The discount of the next relevant document of a rank that has `relevant` ones. */
static double next_discount(const gain_chain *chain, const gain_rank *rank, int64_t relevant)
{
    if (chain->rule == UNJUDGED_EXPECTED)
        return rank->expected;
    int64_t place = chain->rule == UNJUDGED_BEST ? rank->before + relevant + 1
                                                 : rank->before + rank->size - relevant;
    return place <= chain->limit ? discount_of(chain->memory, place) : 0;
}

/* f_l of judged documents alone. */
static dd judged_discounts(const gain_chain *chain, double from)
{
    dd sum = {0, 0};
    for (int64_t i = 0; i < chain->order->n_ranks; i++) {
        gain_rank rank = gain_rank_at(chain, i, from);
        for (int64_t relevant = 0; relevant < rank.relevant; relevant++)
            add_to(&sum, next_discount(chain, &rank, relevant));
    }
    return sum;
}

typedef struct {
    double dcg, ideal;
} gain_sums;

/* One level of the chain: for each M the best of the levels above with at most M, and of this one.
 */
static void add_level(gain_chain *chain, double lambda, double from, double step, int64_t n_judged)
{
    const measure_memory *memory = chain->memory;
    dd found = judged_discounts(chain, from);
    int64_t depth = smaller(n_judged + chain->below, chain->limit);
    dd ideal = discount_parts(memory, 1, depth);
    gain_sums best = {0, 0};
    double best_value = 0;
    int64_t m = 0, visited = 0;
    for (int64_t i = -1; i < chain->order->n_ranks; i++) {
        gain_rank rank = {0};
        if (i >= 0)
            rank = gain_rank_at(chain, chain->greatest ? i : chain->order->n_ranks - 1 - i, from);
        int64_t n = i < 0 ? 1 : rank.n_open; /* the first is M = 0 */
        visited += rank.size;
        for (int64_t y = 0; y < n; y++, m++) {
            if (i >= 0) {
                add_to(&found, next_discount(chain, &rank, rank.relevant + y));
                if (n_judged + chain->below + m <= chain->limit)
                    add_to(&ideal, discount_of(memory, n_judged + chain->below + m));
            }
            gain_sums own = {chain->dcg[m] + step * (found.hi + found.lo),
                             chain->ideal[m] + step * (ideal.hi + ideal.lo)};
            double value = own.dcg - lambda * own.ideal;
            if (m == 0 || (chain->greatest ? value > best_value : value < best_value)) {
                best = own;
                best_value = value;
            }
            chain->dcg[m] = best.dcg;
            chain->ideal[m] = best.ideal;
        }
    }
    watch_stops(memory->watch, 8 * visited);
}

/* The chain that maximises (minimises) DCG - lambda IDCG; with no_open, that of M = 0. */
static gain_sums best_chain(gain_chain *chain, const unjudged_query *query, double lambda)
{
    const grade_levels *judged = query->judged;
    for (int64_t m = 0; m <= chain->n_open; m++)
        chain->dcg[m] = chain->ideal[m] = 0;
    int64_t n_judged = 0, i = 0;
    double from = query->max_grade;
    while (from > 0) {
        if (chain->memory->watch && chain->memory->watch->is_stopped)
            break;
        if (i < judged->n_levels && judged->level[i] >= from)
            n_judged += judged->count[i++];
        double next = i < judged->n_levels ? fmax(judged->level[i], 0) : 0;
        double step = gain_of(chain->m, from) - gain_of(chain->m, next);
        add_level(chain, lambda, from, step, n_judged);
        from = next;
    }
    return (gain_sums){chain->dcg[chain->n_open], chain->ideal[chain->n_open]};
}

static gain_chain make_chain(const measure *m, const unjudged_query *query, enum unjudged_rule rule,
                             int greatest, const unjudged_memory *memory, weak_order *order)
{
    const open_order *all = query->order;
    gain_chain chain = {.m = m,
                        .order = order,
                        .memory = memory->measure,
                        .rule = rule,
                        .greatest = greatest,
                        .limit = m->cutoff > 0 ? m->cutoff : INT64_MAX / 4,
                        .dcg = memory->sum,
                        .ideal = memory->sum + all->n_docs + 1};
    open_order_expand(all, chain.limit, OPEN_KEPT, -1, memory->expanded, order);
    int64_t n_marks = order->n_ranks > 0 ? order->end[order->n_ranks - 1] : 0;
    for (int64_t i = 0; i < n_marks; i++)
        chain.n_open += order->grade[i] < 0;
    chain.below = greatest ? 0 : query->hidden + all->n_open - chain.n_open;
    return chain;
}

/* Where no tie holds judged and open documents (or ties count by their mean), an open document adds
 * the same to all levels: DCG is J + sum d_l S(M_l), S the sum of discounts of the open documents
 * taken so far.  For the greatest ratio each level may then take its own best count; for the least
 * all take the same one: a lower level, with more judged documents, gains less in the ideal DCG
 * from a larger count than those above it, which may have no larger one, so that where it gains
 * enough they do too. */
static int levels_are_alike(const gain_chain *chain)
{
    const weak_order *order = chain->order;
    for (int64_t i = 0; i < order->n_ranks && chain->rule != UNJUDGED_EXPECTED; i++) {
        int64_t mark = i > 0 ? order->end[i - 1] : 0, end = order->end[i];
        if (order->grade[mark] >= 0 && order->grade[end - 1] < 0)
            return 0;
    }
    return 1;
}

/* S(0 .. n_open) to through[]; returns J. */
static double sum_gains(const gain_chain *chain, double *through)
{
    const weak_order *order = chain->order;
    dd judged = {0, 0}, sum = {0, 0};
    int64_t m = 0;
    through[m++] = 0;
    for (int64_t i = 0; i < order->n_ranks; i++) {
        int64_t number = chain->greatest ? i : order->n_ranks - 1 - i;
        int64_t mark = number > 0 ? order->end[number - 1] : 0, first = mark;
        gain_rank rank = gain_rank_at(chain, number, 0);
        for (; mark < order->end[number] && order->grade[mark] > 0; mark++)
            add_to(&judged, gain_of(chain->m, order->grade[mark])
                                * next_discount(chain, &rank, mark - first));
        for (int64_t y = 0; y < rank.n_open; y++) {
            add_to(&sum, next_discount(chain, &rank, y));
            through[m++] = total_of(sum);
        }
    }
    return total_of(judged);
}

/* The same count for all levels, all tried. */
static double least_of_alike(const gain_chain *chain, const level_list *levels, double judged,
                             const double *sum, const double *ideal, int64_t most)
{
    double least_top = INFINITY, least_ideal = 1, steps = 0;
    for (int64_t l = 0; l < levels->n; l++)
        steps += levels->step[l];
    for (int64_t m = 0; m <= chain->n_open; m++) {
        double whole = 0, top = judged + steps * sum[m];
        for (int64_t l = 0; l < levels->n; l++)
            whole += levels->step[l] * ideal[smaller(levels->n_judged[l] + m, most)];
        if (whole > 0 && top * least_ideal < least_top * whole) {
            least_top = top;
            least_ideal = whole;
        }
    }
    return least_top / least_ideal;
}

/* Sums of discounts are tabled from the lowest that a level may have; NAN where they are more than
 * there is room for. */
static double end_of_alike(const gain_chain *chain, const unjudged_query *query)
{
    const measure_memory *memory = chain->memory;
    level_list levels;
    if (!levels_are_alike(chain) || !list_gain_levels(chain->m, query, &levels) || levels.n == 0)
        return NAN;
    int64_t base = levels.n_judged[0] + chain->below;
    int64_t length = levels.n_judged[levels.n - 1] - levels.n_judged[0] + chain->n_open;
    int64_t most = smaller(length, chain->limit - base); /* beyond it no discount is added */
    if (most < 0 || most > 4 * query->order->n_docs)
        return NAN;
    if (watch_stops(memory->watch, 8 * (query->order->n_docs + most)))
        return 0;
    double *ideal = memory->scratch, *sum = chain->dcg;
    dd discounts = discount_parts(memory, 1, base);
    for (int64_t i = 0; i <= most; i++) {
        if (i > 0)
            add_to(&discounts, discount_of(memory, base + i));
        ideal[i] = total_of(discounts);
    }
    int64_t lowest = levels.n_judged[0];
    for (int64_t l = 0; l < levels.n; l++)
        levels.n_judged[l] -= lowest;
    double judged = sum_gains(chain, sum), count[MOST_GAIN_LEVELS];
    if (!chain->greatest)
        return least_of_alike(chain, &levels, judged, sum, ideal, most);
    const weight_prefixes prefixes = {chain->n_open + 1, NULL, sum, chain->n_open, judged};
    const gain_levels steps = {levels.n, levels.step, levels.n_judged};
    const discount_sums sums = {most, ideal};
    return gain_ratio_beyond_zero(&prefixes, &steps, most, 1, count, &sums, memory->watch);
}

double open_normalized_gain(const measure *m, const unjudged_query *query, enum unjudged_rule rule,
                            int greatest, const unjudged_memory *memory)
{
    enum { MOST_STEPS = 200 };
    int has_relevant = query->judged->n_levels > 0 && query->judged->level[0] > 0;
    if (!has_relevant && !greatest)
        return 0; /* nothing need be relevant */
    double end = open_normalized_by_blocks(m, query, rule, greatest, memory);
    if (!isnan(end))
        return end;
    weak_order order;
    gain_chain chain = make_chain(m, query, rule, greatest, memory, &order);
    end = end_of_alike(&chain, query);
    if (!isnan(end))
        return end;
    end = greatest ? 0 : INFINITY;
    for (int step = 0; step < MOST_STEPS; step++) {
        gain_sums sums = best_chain(&chain, query, step == 0 && !greatest ? 1 : end);
        double ratio = sums.ideal > 0 ? sums.dcg / sums.ideal : 0;
        if (greatest ? !(ratio > end) : !(ratio < end))
            break;
        end = ratio;
        if (memory->measure->watch && memory->measure->watch->is_stopped)
            break;
    }
    return end;
}
