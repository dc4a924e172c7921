/* Bounds over the labels of open documents of measures that count the relevant ones down to a
 * cut-off: R, F and Rprec, and those of sets. */
#include <stddef.h>

#include "open_ranks.h"

/* The rank that a cut divides, with what stands above it; size 0: none. */
typedef struct {
    int64_t relevant_before, open_before;
    int64_t taken, size, relevant, open;
    int64_t n_open; /* in the whole ranking */
    enum unjudged_rule rule;
} cut_place;

/* Relevant open documents of the rank. */
static int64_t filled_in(const cut_place *place, open_labels labels)
{
    int64_t passed =
        labels.from_top ? place->open_before : place->n_open - place->open_before - place->open;
    int64_t left = labels.filled - passed;
    return left < 0 ? 0 : smaller(left, place->open);
}

/* Relevant documents among the first ones, down to the cut. */
static double found_at(const cut_place *place, open_labels labels)
{
    int64_t below = place->n_open - place->open_before;
    int64_t filled_below = labels.from_top
                               ? labels.filled - smaller(labels.filled, place->open_before)
                               : smaller(labels.filled, below);
    double found = (double)(place->relevant_before + labels.filled - filled_below);
    if (place->size == 0)
        return found;
    int64_t taken = place->taken, size = place->size;
    int64_t relevant = place->relevant + filled_in(place, labels);
    if (place->rule == UNJUDGED_EXPECTED)
        return found + (double)taken * (double)relevant / (double)size;
    if (place->rule == UNJUDGED_BEST)
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

/* Argument: the square of beta.  The cut-off of SetF is the end of the ranking. */
double open_f_measure(const measure *m, double found, double n_docs, double n_relevant)
{
    double weight = m->argument[0], k = m->cutoff > 0 ? (double)m->cutoff : n_docs;
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
    double n_docs;
    int greatest, is_set;
    double end;
} found_scan;

static void take_found(found_scan *scan, const cut_place *place, int64_t n_judged,
                       open_labels labels)
{
    int64_t n_relevant = n_judged + labels.filled + labels.hidden;
    double found = found_at(place, labels);
    double value = scan->value(scan->m, found, scan->n_docs, (double)n_relevant);
    if (!scan->is_set || (scan->greatest ? value > scan->end : value < scan->end))
        scan->end = value;
    scan->is_set = 1;
}

static cut_place place_of(const open_counts *counts, int64_t cut)
{
    cut_place place = {.n_open = counts->n_open, .rule = counts->rule};
    for (int64_t i = 0; i < counts->order->n_blocks; i++) {
        open_block block = open_block_at(counts, i);
        if (block.before >= cut)
            break;
        if (block.before + block.size <= cut) {
            place.relevant_before += block.relevant;
            place.open_before += block.open;
        } else if (block.apart) {
            place.open_before += block.open > 0 ? cut - block.before : 0;
        } else {
            place.taken = cut - block.before;
            place.size = block.size;
            place.relevant = block.relevant;
            place.open = block.open;
        }
    }
    return place;
}

/* With `filled` relevant open documents (and all or none of the hidden ones), the documents found
 * and those relevant both grow along straight lines: those of the rank that the cut divides count
 * at their share, or from some number on, or up to one.  Ratios of straight lines rise or fall all
 * the way, so the ends are where two lines meet. */
double open_found_end(const measure *m, const open_counts *counts, int greatest, open_value *value)
{
    const open_order *order = counts->order;
    int64_t cut = m->cutoff > 0 ? m->cutoff : order->n_docs;
    cut_place place = place_of(counts, cut);
    found_scan scan = {m, value, (double)order->n_docs, greatest, 0, 0};
    int64_t n_open = counts->n_open, hidden = greatest ? 0 : counts->hidden;
    int64_t passed = greatest ? place.open_before : n_open - place.open_before - place.open;
    int64_t turn = place.rule == UNJUDGED_BEST ? place.taken - place.relevant
                                               : place.size - place.taken - place.relevant;
    turn = turn < 0 ? 0 : smaller(turn, place.open);
    const int64_t filled[] = {0, passed, passed + turn, passed + place.open, n_open};
    take_found(&scan, &place, counts->n_relevant, (open_labels){0, 0, greatest});
    for (size_t i = 0; i < sizeof filled / sizeof *filled; i++)
        take_found(&scan, &place, counts->n_relevant, (open_labels){filled[i], hidden, greatest});
    if (greatest)
        take_found(&scan, &place, counts->n_relevant,
                   (open_labels){n_open, counts->hidden, greatest});
    return scan.end;
}

/* The same by the ranks for a cut that only grows: `rank` is the first that ends below it. */
static void move_to(const open_ranks *ranks, int64_t cut, int64_t *rank, cut_place *place)
{
    for (; *rank < ranks->n_ranks && ranks->before[*rank] + ranks->size[*rank] <= cut; ++*rank) {
        place->relevant_before += ranks->relevant[*rank];
        place->open_before += ranks->open[*rank];
    }
    place->size = place->open = 0;
    if (*rank == ranks->n_ranks || cut <= ranks->before[*rank])
        return;
    place->taken = cut - ranks->before[*rank];
    place->size = ranks->size[*rank];
    place->relevant = ranks->relevant[*rank];
    place->open = ranks->open[*rank];
}

/* Labellings by their number of relevant documents, which never falls.  Once the cut is below the
 * ranking, more relevant hidden documents only lower the value. */
double open_r_precision(const measure *m, const open_ranks *ranks, int greatest, work_watch *watch)
{
    double enough = ceil((double)(ranks->n_docs + 1) / m->argument[0]);
    int64_t steps = (int64_t)fmin(enough, (double)ranks->hidden), rank = 0;
    cut_place place = {.n_open = ranks->n_open, .rule = ranks->rule};
    found_scan scan = {m, value_of_r_precision, (double)ranks->n_docs, greatest, 0, 0};
    open_labels labels = {0, 0, greatest};
    for (int64_t step = 0; step <= steps + ranks->n_open && !watch_stops(watch, 16); step++) {
        labels.filled = greatest ? smaller(step, ranks->n_open) : step > steps ? step - steps : 0;
        labels.hidden = step - labels.filled;
        if (!greatest && step >= steps)
            labels.hidden = ranks->hidden;
        int64_t n_relevant = ranks->n_relevant + labels.filled + labels.hidden;
        double depth = fmin(depth_of(m, (double)n_relevant), (double)ranks->n_docs);
        move_to(ranks, (int64_t)depth, &rank, &place);
        take_found(&scan, &place, ranks->n_relevant, labels);
    }
    return scan.end;
}
