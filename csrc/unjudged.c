#include "unjudged.h"

#include <math.h>
#include <string.h>

#include "open_ranks.h"

/* Grades of one rank, highest first. */
static void sort_grades(double *grade, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        double moving = grade[i];
        int64_t at = i;
        for (; at > 0 && grade[at - 1] < moving; at--)
            grade[at] = grade[at - 1];
        grade[at] = moving;
    }
}

void unjudged_order(const double *score, const double *grade, int64_t n_docs, enum tie_rule rule,
                    doc_names names, weak_order_room *room, weak_order *order)
{
    enum { FEW = 16 }; /* documents of a rank that are sorted by insertion */
    int64_t n_ranks = 0, i = 0;
    for (; i < n_docs; n_ranks++) {
        int64_t first = i;
        double tied = score[i];
        do {
            room->grade[i] = grade[i];
            i++;
        } while (i < n_docs && score[i] == tied);
        if (i - first > 1) {
            if (i - first > FEW || rule != TIE_RULE_TOGETHER)
                break;
            sort_grades(room->grade + first, i - first);
        }
        if (i < n_docs && !(score[i] < tied))
            break;
        room->before[n_ranks] = first;
        room->size[n_ranks] = i - first;
        room->end[n_ranks] = i;
    }
    *order = (weak_order){n_docs, n_ranks, room->before, room->size, room->end, room->grade};
    if (n_ranks == 0 ? n_docs > 0 : room->end[n_ranks - 1] < n_docs)
        weak_order_build(score, grade, n_docs, -INFINITY, rule, names, room, order);
}

/* Count the documents of each rank that are of grade `from` or higher, and those that are open. */
static open_ranks split_ranks(const unjudged_query *query, double from, enum unjudged_rule rule,
                              const unjudged_room *room)
{
    const weak_order *order = query->order;
    const grade_levels *judged = query->judged;
    open_ranks ranks = {.n_docs = order->n_docs,
                        .n_ranks = order->n_ranks,
                        .before = order->before,
                        .size = order->size,
                        .relevant = room->count,
                        .open = room->count + order->n_ranks,
                        .hidden = query->hidden,
                        .rule = rule};
    int can_be_relevant = query->max_grade >= from;
    for (int64_t rank = 0, mark = 0; rank < order->n_ranks; rank++) {
        int64_t end = order->end[rank], start = mark;
        if (end - mark == 1) {
            double grade = order->grade[mark++];
            ranks.relevant[rank] = grade >= from;
            ranks.open[rank] = can_be_relevant & (grade < 0);
            ranks.n_open += ranks.open[rank];
            ranks.n_nonrelevant += !can_be_relevant & (grade < 0);
            continue;
        }
        while (mark < end && order->grade[mark] >= from)
            mark++;
        ranks.relevant[rank] = mark - start;
        while (mark < end && order->grade[mark] >= 0)
            mark++;
        ranks.open[rank] = can_be_relevant ? end - mark : 0;
        ranks.n_open += ranks.open[rank];
        ranks.n_nonrelevant += can_be_relevant ? 0 : end - mark;
        mark = end;
    }
    if (!can_be_relevant) {
        ranks.n_nonrelevant += ranks.hidden;
        ranks.hidden = 0;
    }
    for (int64_t i = 0; i < judged->n_levels; i++) {
        if (judged->level[i] >= from)
            ranks.n_relevant += judged->count[i];
        else
            ranks.n_nonrelevant += judged->count[i];
    }
    return ranks;
}

static int64_t ranks_above(const weak_order *order, int64_t cutoff)
{
    int64_t n = smaller(order->n_ranks, cutoff);
    while (n > 0 && order->before[n - 1] >= cutoff)
        n--;
    return n;
}

/* The value where all open documents have the highest grade, or grade 0, by the measure's own
 * kernel. */
static double value_where_all(const measure *m, const unjudged_query *query,
                              enum unjudged_rule rule, int highest, const unjudged_room *room)
{
    weak_order order = *query->order, refined;
    if (m->cutoff > 0)
        order.n_ranks = ranks_above(&order, m->cutoff);
    if (highest) {
        for (int64_t rank = 0, mark = 0; rank < order.n_ranks; rank++) {
            int64_t end = order.end[rank], judged = mark;
            while (judged < end && order.grade[judged] >= 0)
                judged++;
            int64_t n_open = end - judged;
            for (int64_t i = 0; i < n_open; i++)
                room->grade[mark + i] = query->max_grade;
            memcpy(room->grade + mark + n_open, order.grade + mark,
                   (size_t)(judged - mark) * sizeof *room->grade);
            mark = end;
        }
        order.grade = room->grade;
    }
    if (rule != UNJUDGED_EXPECTED && weak_order_is_mixed(&order)) {
        weak_order_refine(&order, rule == UNJUDGED_BEST, room->refined, &refined);
        order = refined;
    }
    measure_input in = {&order, query->judged, 0, room->measure};
    return measure_value(m, &in);
}

/* Labels do not change who was judged. */
static double share_judged(const measure *m, const unjudged_query *query, enum unjudged_rule rule,
                           int greatest, const unjudged_room *room)
{
    (void)greatest;
    return value_where_all(m, query, rule, 0, room);
}

/* By one of the three functions. */
struct unjudged_bounds {
    const char *name;
    double (*by_query)(const measure *m, const unjudged_query *query, enum unjudged_rule rule,
                       int greatest, const unjudged_room *room);
    open_end *by_ranks;
    open_value *by_found;
};

const unjudged_bounds *unjudged_find(const char *name)
{
    static const unjudged_bounds rows[] = {
        {"P", .by_query = value_where_all},
        {"RR", .by_query = value_where_all},
        {"Success", .by_query = value_where_all},
        {"NumRet", .by_query = value_where_all},
        {"NumRelRet", .by_query = value_where_all},
        {"Judged", .by_query = share_judged},
        {"DCG", .by_query = value_where_all},
        {"RBP", .by_query = value_where_all},
        {"ERR", .by_query = value_where_all},
        {"nDCG", .by_query = open_normalized_gain},
        {"AP", .by_ranks = open_average_precision},
        {"IPrec", .by_ranks = open_interpolated_precision},
        {"Bpref", .by_ranks = open_binary_preference},
        {"Rprec", .by_ranks = open_r_precision},
        {"R", .by_found = open_recall},
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

double unjudged_end(const unjudged_bounds *bounds, const measure *m, const unjudged_query *query,
                    enum unjudged_rule rule, int greatest, const unjudged_room *room)
{
    if (bounds->by_query)
        return bounds->by_query(m, query, rule, greatest, room);
    open_ranks ranks = split_ranks(query, m->relevant_from, rule, room);
    if (bounds->by_found)
        return open_found_end(m, &ranks, greatest, bounds->by_found);
    return bounds->by_ranks(m, &ranks, greatest, room->measure->watch);
}

int64_t unjudged_precision_totals(const measure *m, const unjudged_query *query,
                                  enum unjudged_rule rule, int greatest, double *totals,
                                  const unjudged_room *room)
{
    open_ranks ranks = split_ranks(query, m->relevant_from, rule, room);
    open_precision_totals(m, &ranks, greatest, totals, room->measure->watch);
    return ranks.n_open;
}
