/* One query's ranking by a tie rule: values of measures and bounds over ties.
 * The contract is in ranking.h. */

#include "ties/ranking.h"

#include <math.h>
#include <string.h>

static int64_t build_together(const ranking_task *task, const ranked_query *query,
                              ranking_memory *memory, weak_order *order)
{
    return weak_order_build(query->score, query->grade, query->n_rows, task->mark_level,
                            TIE_RULE_TOGETHER, query->names, &memory->order, order);
}

static int64_t expanded(int64_t bad, const ranked_query *query, ranking_memory *memory,
                        weak_order *order)
{
    if (bad < 0 && query->times != NULL)
        weak_order_expand(query->times, query->n_rows, &memory->order, order);
    return bad;
}

/* By document id or by row.  Most rankings have no tie that touches a mark: then both are the order
 * of scores, which needs no ids. */
static int64_t build_apart(const ranking_task *task, const ranked_query *query,
                           ranking_memory *memory, weak_order *order)
{
    int by_id = task->choice == CHOOSE_DOC_ID;
    int64_t bad = build_together(task, query, memory, order);
    if (bad < 0 && !weak_order_is_strict(order)) {
        if (by_id && query->names.ids == NULL && weak_order_is_mixed(order)) {
            memory->n_unnamed = weak_order_mixed_rows(query->score, order, &memory->order);
            memory->waiting = *order;
            return RANKING_NEEDS_NAMES;
        }
        weak_order_split(query->score, query->grade, task->mark_level,
                         by_id ? TIE_RULE_BY_DOC_ID : TIE_RULE_BY_ROW, query->names, &memory->order,
                         order);
    }
    return expanded(bad, query, memory, order);
}

/* Each measure of an order; those that find their own end inside ties see the `tied` one. */
static void measure_order(const ranking_task *task, const ranked_query *query,
                          const weak_order *order, const weak_order *tied, enum tie_end end,
                          ranking_memory *memory, double *value)
{
    measure_steps steps;
    measure_input in = {order,  &query->judged, query->collection_size, &memory->measure,
                        &steps, TIE_MEAN};
    measure_input own = in;
    own.order = tied;
    own.steps = NULL;
    own.end = end;
    measure_steps_begin(&steps);
    for (int64_t i = 0; i < task->n_measures; i++) {
        const measure *m = &task->measures[i];
        int needs = m->kernel->needs;
        if (watch_stops(memory->measure.watch, order->n_docs))
            return;
        value[i] = measure_value(m, end != TIE_MEAN && (needs & MEASURE_ENDS) ? &own : &in);
        if ((needs & MEASURE_WORK) && isnan(value[i])) {
            memory->refused = i;
            memory->refused_end = end;
        }
    }
}

/* The best or the worst order inside ties. */
static void measure_end(const ranking_task *task, const ranked_query *query,
                        const weak_order *order, int best, ranking_memory *memory, double *value)
{
    weak_order refined = *order;
    if (weak_order_is_mixed(order))
        weak_order_refine(order, best, &memory->refined, &refined);
    measure_order(task, query, &refined, order, best ? TIE_BEST : TIE_WORST, memory, value);
}

/* Low and high are numbers: for ESL and Fallout the best is the lowest.  The last digit of the
 * value may lie outside, by rounding. */
static void sort_bounds(int64_t n, const double *value, double *low, double *high)
{
    for (int64_t i = 0; i < n; i++) {
        double least = low[i], most = high[i];
        if (least > most) {
            low[i] = most;
            high[i] = least;
        }
        low[i] = fmin(low[i], value[i]);
        high[i] = fmax(high[i], value[i]);
    }
}

/* The rest of the work, where the order is known. */
static int64_t finish(const ranking_task *task, const ranked_query *query, const weak_order *order,
                      ranking_memory *memory, double *value, double *low, double *high)
{
    if (order != NULL)
        measure_order(task, query, order, order, TIE_MEAN, memory, value);
    if (task->bounds)
        sort_bounds(task->n_measures, value, low, high);
    return memory->refused >= 0 ? RANKING_TOO_MANY_ORDERS : -1;
}

int64_t ranking_resume(const ranking_task *task, const ranked_query *query, ranking_memory *memory,
                       double *value, double *low, double *high)
{
    if (memory->n_unnamed < 0)
        return ranking_evaluate(task, query, memory, value, low, high);
    weak_order order = memory->waiting;
    weak_order_split_rows(query->score, query->grade, task->mark_level, TIE_RULE_BY_DOC_ID,
                          query->names, memory->n_unnamed, &memory->order, &order);
    expanded(-1, query, memory, &order);
    return finish(task, query, &order, memory, value, low, high);
}

int64_t ranking_evaluate(const ranking_task *task, const ranked_query *query,
                         ranking_memory *memory, double *value, double *low, double *high)
{
    enum tie_choice choice = task->choice;
    int apart = choice == CHOOSE_DOC_ID || choice == CHOOSE_GIVEN;
    size_t size = (size_t)task->n_measures * sizeof *value;
    weak_order order;
    int64_t bad;
    memory->refused = -1;
    if (!apart || task->bounds) {
        bad = expanded(build_together(task, query, memory, &order), query, memory, &order);
        if (bad >= 0)
            return bad;
        if (choice == CHOOSE_EXPECTED)
            measure_order(task, query, &order, &order, TIE_MEAN, memory, value);
        if (task->bounds || choice == CHOOSE_BEST)
            measure_end(task, query, &order, 1, memory, task->bounds ? high : value);
        if (task->bounds || choice == CHOOSE_WORST)
            measure_end(task, query, &order, 0, memory, task->bounds ? low : value);
        if (task->bounds && choice == CHOOSE_BEST)
            memcpy(value, high, size);
        if (task->bounds && choice == CHOOSE_WORST)
            memcpy(value, low, size);
    }
    if (apart) {
        bad = build_apart(task, query, memory, &order);
        if (bad != -1)
            return bad;
    }
    return finish(task, query, apart ? &order : NULL, memory, value, low, high);
}
