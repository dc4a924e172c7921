/* Bounds over the labels of open documents of measures that count the relevant ones down to a
 * cut-off: R, F and Rprec, and those of sets. */
#include <stddef.h>

#include "open_ranks.h"

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

/* R and SetR. */
double open_recall(const measure *m, double found, double n_docs, double n_relevant)
{
    (void)m;
    (void)n_docs;
    return found > 0 ? found / n_relevant : 0;
}

/* Of SetF the cut-off is the end of the ranking. */
double open_f_measure(const measure *m, double found, double n_docs, double n_relevant)
{
    double weight = m->argument[0] * m->argument[0], k = m->cutoff > 0 ? (double)m->cutoff : n_docs;
    return found > 0 ? (1 + weight) * found / (k + weight * n_relevant) : 0;
}

double open_set_precision(const measure *m, double found, double n_docs, double n_relevant)
{
    double retrieved = m->argument[0] != 0 ? fmin(n_docs, n_relevant) : n_docs;
    return found > 0 ? found / retrieved : 0;
}

double open_set_average_precision(const measure *m, double found, double n_docs, double n_relevant)
{
    (void)m;
    return found > 0 ? found / n_docs * (found / n_relevant) : 0;
}

double open_n_relevant(const measure *m, double found, double n_docs, double n_relevant)
{
    (void)m;
    (void)found;
    (void)n_docs;
    return n_relevant;
}

/* Rprec: its cut-off is `mult` times the number of relevant documents. */
static double depth_of(const measure *m, double n_relevant)
{
    return documents_at(m->argument[0], n_relevant, 0);
}

static double value_of_r_precision(const measure *m, double found, double n_docs, double n_relevant)
{
    (void)n_docs;
    return found > 0 ? found / depth_of(m, n_relevant) : 0;
}

typedef struct {
    const measure *m;
    open_value *value;
    const open_ranks *ranks;
    cut_place place;
    int greatest, is_set;
    double end;
} found_scan;

static int64_t cut_of(const found_scan *scan, int64_t n_relevant)
{
    if (scan->value == value_of_r_precision) /* below the ranking all cuts find the same */
        return (int64_t)fmin(depth_of(scan->m, (double)n_relevant), (double)scan->ranks->n_docs);
    return scan->m->cutoff > 0 ? scan->m->cutoff : scan->ranks->n_docs;
}

static void take_found(found_scan *scan, open_labels labels)
{
    const open_ranks *ranks = scan->ranks;
    int64_t n_relevant = ranks->n_relevant + labels.filled + labels.hidden;
    double found = found_at(ranks, &scan->place, cut_of(scan, n_relevant), labels);
    double value = scan->value(scan->m, found, (double)ranks->n_docs, (double)n_relevant);
    if (!scan->is_set || (scan->greatest ? value > scan->end : value < scan->end))
        scan->end = value;
    scan->is_set = 1;
}

/* Labellings by their number of relevant documents, which never falls.  Relevant hidden documents
 * change nothing but that number, of which the first `steps` are tried and the last. */
static double scan_found(const measure *m, const open_ranks *ranks, int greatest, open_value *value,
                         int64_t steps, work_watch *watch)
{
    found_scan scan = {.m = m, .value = value, .ranks = ranks, .greatest = greatest};
    if (greatest)
        for (int64_t filled = 0; filled <= ranks->n_open; filled++)
            take_found(&scan, (open_labels){filled, 0, 1});
    int64_t filled = greatest ? ranks->n_open : 0;
    for (int64_t hidden = 0; hidden <= steps && !watch_stops(watch, 16); hidden++)
        take_found(&scan, (open_labels){filled, hidden, greatest});
    take_found(&scan, (open_labels){filled, ranks->hidden, greatest});
    if (!greatest)
        for (filled = 1; filled <= ranks->n_open; filled++)
            take_found(&scan, (open_labels){filled, ranks->hidden, 0});
    return scan.end;
}

/* These rise or fall in the number of relevant hidden documents all the way. */
double open_found_end(const measure *m, const open_ranks *ranks, int greatest, open_value *value)
{
    return scan_found(m, ranks, greatest, value, 0, NULL);
}

/* Once the cut is below the ranking, more relevant hidden documents only lower it. */
double open_r_precision(const measure *m, const open_ranks *ranks, int greatest, work_watch *watch)
{
    double enough = ceil((double)(ranks->n_docs + 1) / m->argument[0]);
    int64_t steps = (int64_t)fmin(enough, (double)ranks->hidden);
    return scan_found(m, ranks, greatest, value_of_r_precision, steps, watch);
}
