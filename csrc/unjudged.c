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

/* The rank that a cut falls into, or the end of the ranking; cuts only grow. */
typedef struct {
    int64_t rank, relevant_before, open_before;
} cut_place;

/* Relevant documents among the first `cut`. */
static double found_at(const open_ranks *ranks, cut_place *place, int64_t cut, open_labels labels)
{
    while (place->rank < ranks->n_ranks
           && ranks->before[place->rank] + ranks->size[place->rank] <= cut) {
        place->relevant_before += ranks->relevant[place->rank];
        place->open_before += ranks->open[place->rank++];
    }
    int64_t below = ranks->n_open - place->open_before;
    int64_t filled_below = labels.from_top
                               ? labels.filled - smaller(labels.filled, place->open_before)
                               : smaller(labels.filled, below);
    double found = (double)(place->relevant_before + labels.filled - filled_below);
    if (place->rank == ranks->n_ranks || cut <= ranks->before[place->rank])
        return found;
    int64_t taken = cut - ranks->before[place->rank], size = ranks->size[place->rank];
    int64_t relevant = ranks->relevant[place->rank]
                       + open_filled_in(ranks, place->rank, place->open_before, labels);
    if (ranks->rule == UNJUDGED_EXPECTED)
        return found + (double)taken * (double)relevant / (double)size;
    if (ranks->rule == UNJUDGED_BEST)
        return found + (double)smaller(taken, relevant);
    return found + (double)(taken - smaller(taken, size - relevant));
}

/* What a measure makes of the relevant documents found down to the cut-off, and of all there are.
 */
typedef double (*found_value)(const measure *m, double found, double n_docs, double n_relevant);

/* R, SetR and Rprec. */
static double value_of_r(const measure *m, double found, double n_docs, double n_relevant)
{
    (void)m;
    (void)n_docs;
    return found > 0 ? found / n_relevant : 0;
}

/* Of SetF the cut-off is the end of the ranking. */
static double value_of_f(const measure *m, double found, double n_docs, double n_relevant)
{
    double weight = m->argument[0] * m->argument[0], k = m->cutoff > 0 ? (double)m->cutoff : n_docs;
    return found > 0 ? (1 + weight) * found / (k + weight * n_relevant) : 0;
}

static double value_of_set_p(const measure *m, double found, double n_docs, double n_relevant)
{
    double retrieved = m->argument[0] != 0 ? fmin(n_docs, n_relevant) : n_docs;
    return found > 0 ? found / retrieved : 0;
}

static double value_of_set_ap(const measure *m, double found, double n_docs, double n_relevant)
{
    (void)m;
    return found > 0 ? found / n_docs * (found / n_relevant) : 0;
}

static double value_of_num_rel(const measure *m, double found, double n_docs, double n_relevant)
{
    (void)m;
    (void)found;
    (void)n_docs;
    return n_relevant;
}

/* With R of no account the ends are where all open documents are relevant, or none is. */
static double end_of_found(const measure *m, const unjudged_query *query, enum unjudged_rule rule,
                           int greatest, int64_t cutoff)
{
    const weak_order *order = query->order;
    double from = m->relevant_from, found = 0;
    int with_open = greatest && query->max_grade >= from;
    int64_t mark = 0;
    for (int64_t rank = 0; rank < order->n_ranks && order->before[rank] < cutoff; rank++) {
        int64_t end = order->end[rank], size = order->size[rank], relevant = 0;
        for (; mark < end; mark++)
            relevant += order->grade[mark] >= from || (with_open && order->grade[mark] < 0);
        int64_t taken = smaller(size, cutoff - order->before[rank]);
        if (taken == size)
            found += (double)relevant;
        else if (rule == UNJUDGED_EXPECTED)
            found += (double)taken * (double)relevant / (double)size;
        else if (rule == UNJUDGED_BEST)
            found += (double)smaller(taken, relevant);
        else
            found += (double)(taken - smaller(taken, size - relevant));
    }
    return found;
}

static double end_of_p(const measure *m, const unjudged_query *query, enum unjudged_rule rule,
                       int greatest, const unjudged_room *room)
{
    (void)room;
    return end_of_found(m, query, rule, greatest, m->cutoff) / (double)m->cutoff;
}

static double end_of_num_rel_ret(const measure *m, const unjudged_query *query,
                                 enum unjudged_rule rule, int greatest, const unjudged_room *room)
{
    (void)room;
    return end_of_found(m, query, rule, greatest, query->order->n_docs);
}

typedef struct {
    const measure *m;
    found_value value;
    int cuts_at_relevant; /* the cut-off is the number of relevant documents */
    const open_ranks *ranks;
    cut_place place;
    int greatest, is_set;
    double end;
} found_scan;

static void take_found(found_scan *scan, open_labels labels)
{
    const open_ranks *ranks = scan->ranks;
    int64_t n_relevant = ranks->n_relevant + labels.filled + labels.hidden;
    int64_t cut = scan->cuts_at_relevant ? n_relevant
                  : scan->m->cutoff > 0  ? scan->m->cutoff
                                         : ranks->n_docs;
    double found = found_at(ranks, &scan->place, cut, labels);
    double value = scan->value(scan->m, found, (double)ranks->n_docs, (double)n_relevant);
    if (!scan->is_set || (scan->greatest ? value > scan->end : value < scan->end))
        scan->end = value;
    scan->is_set = 1;
}

/* Labellings by their number of relevant documents, which never falls.  Relevant hidden documents
 * change nothing but that number: all measures but Rprec rise or fall in it all the way, and Rprec
 * falls once its cut is below the ranking. */
static double scan_found(const measure *m, const open_ranks *ranks, int greatest, found_value value,
                         int cuts_at_relevant)
{
    found_scan scan = {.m = m,
                       .value = value,
                       .cuts_at_relevant = cuts_at_relevant,
                       .ranks = ranks,
                       .greatest = greatest};
    int64_t steps = cuts_at_relevant ? smaller(ranks->hidden, ranks->n_docs) : 0;
    if (greatest)
        for (int64_t filled = 0; filled <= ranks->n_open; filled++)
            take_found(&scan, (open_labels){filled, 0, 1});
    int64_t filled = greatest ? ranks->n_open : 0;
    for (int64_t hidden = 0; hidden <= steps; hidden++)
        take_found(&scan, (open_labels){filled, hidden, greatest});
    take_found(&scan, (open_labels){filled, ranks->hidden, greatest});
    if (!greatest)
        for (filled = 1; filled <= ranks->n_open; filled++)
            take_found(&scan, (open_labels){filled, ranks->hidden, 0});
    return scan.end;
}

/* Judged documents among the first k: labels do not change who was judged. */
static double share_judged(const measure *m, const unjudged_query *query, enum unjudged_rule rule,
                           int greatest, const unjudged_room *room)
{
    (void)greatest;
    open_ranks ranks = split_ranks(query, 0, rule, room);
    int64_t depth = m->cutoff > 0 ? smaller(m->cutoff, ranks.n_docs) : ranks.n_docs;
    cut_place place = {0, 0, 0};
    double found = found_at(&ranks, &place, depth, (open_labels){0, 0, 1});
    return depth > 0 ? found / (double)depth : 0;
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

static double end_of_r(const measure *m, const unjudged_query *query, enum unjudged_rule rule,
                       int greatest, const unjudged_room *room)
{
    open_ranks ranks = split_ranks(query, m->relevant_from, rule, room);
    return scan_found(m, &ranks, greatest, value_of_r, 0);
}

static double end_of_f(const measure *m, const unjudged_query *query, enum unjudged_rule rule,
                       int greatest, const unjudged_room *room)
{
    open_ranks ranks = split_ranks(query, m->relevant_from, rule, room);
    return scan_found(m, &ranks, greatest, value_of_f, 0);
}

static double end_of_r_precision(const measure *m, const unjudged_query *query,
                                 enum unjudged_rule rule, int greatest, const unjudged_room *room)
{
    open_ranks ranks = split_ranks(query, m->relevant_from, rule, room);
    return scan_found(m, &ranks, greatest, value_of_r, 1);
}

static double end_of_set_p(const measure *m, const unjudged_query *query, enum unjudged_rule rule,
                           int greatest, const unjudged_room *room)
{
    open_ranks ranks = split_ranks(query, m->relevant_from, rule, room);
    return scan_found(m, &ranks, greatest, value_of_set_p, 0);
}

static double end_of_set_ap(const measure *m, const unjudged_query *query, enum unjudged_rule rule,
                            int greatest, const unjudged_room *room)
{
    open_ranks ranks = split_ranks(query, m->relevant_from, rule, room);
    return scan_found(m, &ranks, greatest, value_of_set_ap, 0);
}

static double end_of_num_rel(const measure *m, const unjudged_query *query, enum unjudged_rule rule,
                             int greatest, const unjudged_room *room)
{
    open_ranks ranks = split_ranks(query, m->relevant_from, rule, room);
    return scan_found(m, &ranks, greatest, value_of_num_rel, 0);
}

/* With no lowest relevant grade all documents count. */
static double end_of_num_ret(const measure *m, const unjudged_query *query, enum unjudged_rule rule,
                             int greatest, const unjudged_room *room)
{
    if (m->relevant_from < 0)
        return (double)query->order->n_docs;
    return end_of_num_rel_ret(m, query, rule, greatest, room);
}

static double end_of_precision(const measure *m, const unjudged_query *query,
                               enum unjudged_rule rule, int greatest, const unjudged_room *room)
{
    open_ranks ranks = split_ranks(query, m->relevant_from, rule, room);
    return open_average_precision(&ranks, m->cutoff, greatest, NULL, room->measure->watch);
}

static double end_of_interpolated(const measure *m, const unjudged_query *query,
                                  enum unjudged_rule rule, int greatest, const unjudged_room *room)
{
    open_ranks ranks = split_ranks(query, m->relevant_from, rule, room);
    return open_interpolated_precision(&ranks, m->argument[0], greatest, room->measure->watch);
}

static double end_of_preference(const measure *m, const unjudged_query *query,
                                enum unjudged_rule rule, int greatest, const unjudged_room *room)
{
    open_ranks ranks = split_ranks(query, m->relevant_from, rule, room);
    return open_binary_preference(&ranks, greatest, room->measure->watch);
}

unjudged_function unjudged_find(const char *name)
{
    static const struct {
        const char *name;
        unjudged_function end;
    } rows[] = {
        {"P", end_of_p},
        {"R", end_of_r},
        {"F", end_of_f},
        {"SetP", end_of_set_p},
        {"SetR", end_of_r},
        {"SetF", end_of_f},
        {"SetAP", end_of_set_ap},
        {"NumRet", end_of_num_ret},
        {"NumRel", end_of_num_rel},
        {"NumRelRet", end_of_num_rel_ret},
        {"Rprec", end_of_r_precision},
        {"AP", end_of_precision},
        {"IPrec", end_of_interpolated},
        {"Bpref", end_of_preference},
        {"Judged", share_judged},
        {"RR", value_where_all},
        {"Success", value_where_all},
        {"DCG", value_where_all},
        {"RBP", value_where_all},
        {"ERR", value_where_all},
        {"nDCG", open_normalized_gain},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].end;
    return NULL;
}

int64_t unjudged_precision_totals(const measure *m, const unjudged_query *query,
                                  enum unjudged_rule rule, int greatest, double *totals,
                                  const unjudged_room *room)
{
    open_ranks ranks = split_ranks(query, m->relevant_from, rule, room);
    open_average_precision(&ranks, m->cutoff, greatest, totals, room->measure->watch);
    return ranks.n_open;
}
