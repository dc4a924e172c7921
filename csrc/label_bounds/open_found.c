/* Bounds over the labels of open documents of measures that count the relevant ones down to a
 * cut-off: R, F, and those of sets. */
#include <stddef.h>

#include "label_bounds/open_cut.h"

/* R and SetR. */
double open_recall(const measure *m, double found, double n_docs, double n_relevant)
{
    (void)m;
    (void)n_docs;
    return found > 0 ? found / n_relevant : 0;
}

/* The denominator bends where R is the cut-off. */
double open_relative_precision(const measure *m, double found, double n_docs, double n_relevant)
{
    (void)n_docs;
    return found > 0 ? found / fmin((double)m->cutoff, n_relevant) : 0;
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
            if (block.open > 0)
                cut_stretch(counts, block.before, cut, &place);
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
 * the way, so the ends are where two lines meet: for RelP also where R is the cut. */
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
    int64_t bend = cut - counts->n_relevant - hidden;
    bend = bend < 0 ? 0 : smaller(bend, n_open);
    const int64_t filled[] = {0, passed, passed + turn, passed + place.open, bend, n_open};
    take_found(&scan, &place, counts->n_relevant, (open_labels){0, 0, greatest});
    for (size_t i = 0; i < sizeof filled / sizeof *filled; i++)
        take_found(&scan, &place, counts->n_relevant, (open_labels){filled[i], hidden, greatest});
    if (greatest)
        take_found(&scan, &place, counts->n_relevant,
                   (open_labels){n_open, counts->hidden, greatest});
    return scan.end;
}
