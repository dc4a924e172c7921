/* Bounds of interpolated precision over the labels of open documents, in one pass over the parts of
 * a ranking for the greatest and some for the least.
 *
 * The value is the highest precision over cuts c that hold w(R) relevant documents or more; w rises
 * by 0 or 1 where R rises by 1.
 *
 * Greatest: filled from the top.  The precision at a cut rises until all open documents above it
 * are relevant, and the cut stays one that counts, as it finds one more each time and w rises by at
 * most one; beyond, w alone rises.  So each cut is tried with all open documents above it.
 *
 * Least: hidden ones first, then f from the bottom.  The precision at a cut that has one of the f
 * above it rises with f, and such a cut that counts goes on to do so; the other cuts keep their
 * precision, and ever fewer of them count.  So the value is the greater of one number that never
 * falls with f and one that never rises: it is least where they cross.
 */
#include <stddef.h>

#include "open_ranks.h"

/* A precision, found / place; 0 / 1 where there is none. */
typedef struct {
    int64_t found, place;
} share;

/* In whole numbers below 10^9: a tie of 10^9 documents is one part. */
static inline int is_above(share a, share b)
{
    return (double)a.found * (double)b.place > (double)b.found * (double)a.place;
}

static inline double value_of(share s)
{
    return (double)s.found / (double)s.place;
}

static inline double wanted_at(const measure *m, int64_t n_relevant)
{
    return documents_at(m->argument[0], (double)n_relevant, m->argument[1] != 0);
}

/* The place of the last relevant document of a part with so many. */
static inline int64_t last_place(const open_counts *counts, const open_part *part, int64_t relevant)
{
    int is_first = counts->rule == UNJUDGED_BEST && !part->apart;
    return part->before + (is_first ? relevant : part->size);
}

static double greatest_precision(const measure *m, const open_counts *counts, const open_part *part,
                                 int64_t n)
{
    share highest = {0, 1};
    for (int64_t i = 0; i < n; i++) {
        int64_t relevant = part[i].relevant + part[i].open;
        int64_t open = part[i].open_before + part[i].open;
        share here = {part[i].relevant_before + part[i].open_before + relevant,
                      last_place(counts, &part[i], relevant)};
        if (is_above(here, highest)
            && (double)here.found >= wanted_at(m, counts->n_relevant + open))
            highest = here;
    }
    return value_of(highest);
}

/* The highest precision where `filled` documents at the bottom are relevant: with one of them above
 * the cut, and with none. */
typedef struct {
    share rising, falling;
} two_shares;

static two_shares shares_at(const measure *m, const open_counts *counts, const open_part *part,
                            int64_t n, int64_t filled)
{
    two_shares shares = {{0, 1}, {0, 1}};
    double wanted = wanted_at(m, counts->n_relevant + counts->hidden + filled);
    for (int64_t i = n - 1; i >= 0; i--) {
        int64_t below = counts->n_open - part[i].open_before - part[i].open;
        int64_t more = filled > below ? filled - below : 0;
        int64_t relevant = part[i].relevant + smaller(more, part[i].open);
        share here = {part[i].relevant_before + part[i].relevant + more,
                      last_place(counts, &part[i], relevant)};
        if ((double)here.found < wanted)
            break; /* cuts above this one hold fewer */
        share *highest = more > 0 ? &shares.rising : &shares.falling;
        if (relevant > 0 && is_above(here, *highest))
            *highest = here;
        if (part[i].apart == OPEN_TIED && counts->rule == UNJUDGED_BEST && more > 0
            && more < part[i].open) { /* the tie that is filled, relevant ones first */
            int64_t filled_to = part[i].before + part[i].size - more;
            open_tie tie = open_tie_at(counts->order, filled_to);
            int64_t inside = tie.before + tie.size - filled_to;
            here = (share){part[i].relevant_before + inside, tie.before + inside};
            if ((double)here.found >= wanted && is_above(here, shares.rising))
                shares.rising = here;
        }
    }
    return shares;
}

/* The fewest documents from the bottom that lift the precision of some cut, with one of them above
 * it, to `level`, if the cut counts.  Where `level` is the highest of the falling ones at some
 * number, the crossing is no further off in that direction, and seldom nearer. */
static double lifted_from(const open_counts *counts, const open_part *part, int64_t n, double level)
{
    double least = (double)counts->n_open;
    for (int64_t i = 0; i < n; i++) {
        double below = (double)(counts->n_open - part[i].open_before - part[i].open);
        double needed = level * (double)last_place(counts, &part[i], part[i].relevant)
                        - (double)(part[i].relevant_before + part[i].relevant);
        double filled = below + (needed > 1 ? needed : 1);
        least = filled < least ? filled : least;
    }
    return ceil(least);
}

double open_interpolated_precision(const measure *m, const open_counts *counts,
                                   const open_part *part, int64_t n, int greatest,
                                   work_watch *watch)
{
    if (greatest)
        return greatest_precision(m, counts, part, n);
    int64_t few = -1, many = counts->n_open + 1; /* falling above rising at `few` */
    int64_t filled = 0;
    double least = INFINITY;
    for (int step = 1; many - few > 1 && !watch_stops(watch, 8 * n); step++) {
        two_shares shares = shares_at(m, counts, part, n, filled);
        int is_falling = is_above(shares.falling, shares.rising);
        least = fmin(least, value_of(is_falling ? shares.falling : shares.rising));
        if (is_falling)
            few = filled;
        else
            many = filled;
        if (step % 3 == 0) /* so that it ends soon wherever the crossing is */
            filled = few + (many - few) / 2;
        else if (many - few > 1)
            filled = (int64_t)lifted_from(counts, part, n, value_of(shares.falling));
        filled = filled <= few ? few + 1 : smaller(filled, many - 1);
    }
    return least < INFINITY ? least : 0;
}
