/* Relevant documents down to a cut in a ranking with open documents. */
#ifndef IRBOUNDS_OPEN_CUT_H
#define IRBOUNDS_OPEN_CUT_H

#include "label_bounds/open_ranks.h"

/* The rank that a cut divides, with what stands above it; size 0: none. */
typedef struct {
    int64_t relevant_before, open_before;
    int64_t taken, size, relevant, open;
    int64_t n_open; /* in the whole ranking */
    enum unjudged_rule rule;
} cut_place;

/* Relevant open documents of the rank. */
static inline int64_t filled_in(const cut_place *place, open_labels labels)
{
    int64_t passed =
        labels.from_top ? place->open_before : place->n_open - place->open_before - place->open;
    int64_t left = labels.filled - passed;
    return left < 0 ? 0 : smaller(left, place->open);
}

/* Relevant documents among the first ones, down to the cut. */
static inline double found_at(const cut_place *place, open_labels labels)
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

/* A cut in a stretch of open documents that begins at `before`. */
static inline void cut_stretch(const open_counts *counts, int64_t before, int64_t cut,
                               cut_place *place)
{
    open_tie tie = open_tie_at(counts->order, cut);
    place->open_before += tie.before - before;
    if (tie.before == cut)
        return;
    place->taken = cut - tie.before;
    place->size = place->open = tie.size;
    place->relevant = 0;
}

#endif
