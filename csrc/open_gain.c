/* Bounds of nDCG over the grades of open documents.
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
#include "open_ranks.h"

#include "smooth_sum.h"

static double smooth_discount(double first, double x, const void *unused)
{
    (void)unused;
    return 1 / log2(first + x + 1);
}

/* The first n discounts.  Beyond the table by lengths that double, as log2 is smooth there. */
dd open_discounts_to(const measure_room *room, int64_t n)
{
    enum { FEW = 1024 };
    dd sum = {0, 0};
    int64_t place = 1, single = room->n_discounts > FEW ? room->n_discounts : FEW;
    for (; place <= n && place <= single; place++)
        add_to(&sum, open_discount_at(room, place));
    while (n - place >= FEW) {
        int64_t length = smaller(place, n - place + 1);
        add_to(&sum, smooth_sum(smooth_discount, 0, (double)place, (double)length));
        place += length;
    }
    for (; place <= n; place++)
        add_to(&sum, open_discount_at(room, place));
    return sum;
}

typedef struct {
    const measure *m;
    const weak_order *order; /* the ranks that begin among the places that count */
    const measure_room *room;
    enum unjudged_rule rule;
    int greatest;
    int64_t limit;  /* places that count */
    int64_t n_open; /* open documents in these ranks */
    int64_t below;  /* open documents relevant before the first of these: lower ones, hidden ones */
    double *dcg, *ideal; /* the best chain for each M: n_open + 1 */
} gain_chain;

static inline double gain_of(const measure *m, double grade)
{
    if (grade <= 0)
        return 0;
    return m->argument[0] != 0 ? exp2(grade) - 1 : grade;
}

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
        double discount = before < chain->limit ? open_discount_at(chain->room, before + 1) : 0;
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
            add_to(&sum, open_discount_at(chain->room, found.before + k));
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
    return place <= chain->limit ? open_discount_at(chain->room, place) : 0;
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
    const measure_room *room = chain->room;
    dd found = judged_discounts(chain, from);
    int64_t depth = smaller(n_judged + chain->below, chain->limit);
    dd ideal = open_discounts_to(room, depth);
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
                    add_to(&ideal, open_discount_at(room, n_judged + chain->below + m));
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
    watch_stops(room->watch, 8 * visited);
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
        if (chain->room->watch && chain->room->watch->is_stopped)
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
                             int greatest, const unjudged_room *room, weak_order *order)
{
    const open_order *all = query->order;
    gain_chain chain = {.m = m,
                        .order = order,
                        .room = room->measure,
                        .rule = rule,
                        .greatest = greatest,
                        .limit = m->cutoff > 0 ? m->cutoff : INT64_MAX / 4,
                        .dcg = room->sum,
                        .ideal = room->sum + all->n_docs + 1};
    open_order_expand(all, chain.limit, OPEN_KEPT, -1, room->expanded, order);
    int64_t n_marks = order->n_ranks > 0 ? order->end[order->n_ranks - 1] : 0;
    for (int64_t i = 0; i < n_marks; i++)
        chain.n_open += order->grade[i] < 0;
    chain.below = greatest ? 0 : query->hidden + all->n_open - chain.n_open;
    return chain;
}

double open_normalized_gain(const measure *m, const unjudged_query *query, enum unjudged_rule rule,
                            int greatest, const unjudged_room *room)
{
    enum { MOST_STEPS = 200 };
    int has_relevant = query->judged->n_levels > 0 && query->judged->level[0] > 0;
    if (!has_relevant && !greatest)
        return 0; /* nothing need be relevant */
    weak_order order;
    gain_chain chain = make_chain(m, query, rule, greatest, room, &order);
    double end = greatest ? 0 : INFINITY;
    for (int step = 0; step < MOST_STEPS; step++) {
        gain_sums sums = best_chain(&chain, query, step == 0 && !greatest ? 1 : end);
        double ratio = sums.ideal > 0 ? sums.dcg / sums.ideal : 0;
        if (greatest ? !(ratio > end) : !(ratio < end))
            break;
        end = ratio;
        if (room->measure->watch && room->measure->watch->is_stopped)
            break;
    }
    return end;
}
