/* Bounds of interpolated precision over the labels of open documents, in one pass over the parts of
 * a ranking, which all recall levels share, and some over the few cuts that it leaves.
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
 *
 * A cut counts where those above it do.  So for the greatest only a cut matters that has a higher
 * precision than all below it.  For the least a cut does not matter if another one below it has no
 * lower precision where nothing is filled, and none where all is: in between, from where the cut
 * itself begins to be filled, both are straight lines of f.  In a tie with its relevant documents
 * first the precision rises faster at first; the other one must be no lower than where it is full.
 */
#include <stddef.h>

#include "label_bounds/open_ranks.h"

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

/* A cut with all open documents above it relevant. */
static inline share full_share(const open_counts *counts, const open_part *part)
{
    int64_t relevant = part->relevant + part->open;
    return (share){part->relevant_before + part->open_before + relevant,
                   last_place(counts, part, relevant)};
}

/* From where a straight line of f is no lower than a cut: with none of its own open documents
 * relevant, or, where they stand first in a tie, with all of them. */
static inline double full_alone(const open_counts *counts, const open_part *part)
{
    int64_t relevant = part->relevant;
    if (counts->rule == UNJUDGED_BEST)
        relevant += part->open;
    int64_t place = counts->rule == UNJUDGED_BEST && part->apart != OPEN_APART
                        ? part->before + relevant
                        : part->before + part->size;
    return (double)(part->relevant_before + relevant) / (double)place;
}

static inline int are_known(const open_counts *counts, const open_cuts *cuts)
{
    return cuts->is_set && cuts->rule == counts->rule && cuts->from == counts->from;
}

/* The cuts that matter, in the order of the ranking, at the end of an array of n. */
static const open_part *note_cuts(const open_counts *counts, open_cuts *cuts, int64_t n,
                                  int64_t n_cuts)
{
    cuts->is_set = 1;
    cuts->rule = counts->rule;
    cuts->from = counts->from;
    cuts->n = n_cuts;
    return cuts->part + n - n_cuts;
}

static const open_part *find_greatest(const open_counts *counts, const open_part *part, int64_t n)
{
    open_cuts *cuts = counts->greatest_cuts;
    if (are_known(counts, cuts))
        return cuts->part + n - cuts->n;
    int64_t n_cuts = 0;
    share highest = {0, 1};
    for (int64_t i = n - 1; i >= 0; i--) {
        share here = full_share(counts, &part[i]);
        if (is_above(here, highest)) {
            highest = here;
            cuts->part[n - ++n_cuts] = part[i];
        }
    }
    return note_cuts(counts, cuts, n, n_cuts);
}

static const open_part *find_least(const open_counts *counts, const open_part *part, int64_t n)
{
    enum { MOST_LOOKED_AT = 8 };
    open_cuts *cuts = counts->least_cuts;
    if (are_known(counts, cuts))
        return cuts->part + n - cuts->n;
    double *start = counts->rest, *full = start + n; /* precision of the cuts so far */
    int64_t n_cuts = 0, last = 0;                    /* the last one that stood for another */
    for (int64_t i = n - 1; i >= 0; i--) {
        double own = value_of(full_share(counts, &part[i])), alone = full_alone(counts, &part[i]);
        int64_t by = last;
        if (n_cuts == 0 || !(start[by] >= alone && full[by] >= own)) {
            int64_t first = n_cuts > MOST_LOOKED_AT ? n_cuts - MOST_LOOKED_AT : 0;
            by = n_cuts - 1;
            while (by >= first && !(start[by] >= alone && full[by] >= own))
                by--;
            by = by >= first ? by : -1;
        }
        if (by >= 0) {
            last = by;
            continue;
        }
        share none = {part[i].relevant_before + part[i].relevant,
                      last_place(counts, &part[i], part[i].relevant)};
        start[n_cuts] = part[i].relevant > 0 ? value_of(none) : -1;
        full[n_cuts++] = own;
        cuts->part[n - n_cuts] = part[i];
    }
    return note_cuts(counts, cuts, n, n_cuts);
}

static double greatest_precision(const measure *m, const open_counts *counts, const open_part *part,
                                 int64_t n)
{
    for (int64_t i = 0; i < n; i++) { /* precision falls */
        share here = full_share(counts, &part[i]);
        int64_t open = part[i].open_before + part[i].open;
        if ((double)here.found >= wanted_at(m, counts->n_relevant + open))
            return value_of(here);
    }
    return 0;
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
    if (greatest) {
        part = find_greatest(counts, part, n);
        return greatest_precision(m, counts, part, counts->greatest_cuts->n);
    }
    part = find_least(counts, part, n);
    n = counts->least_cuts->n;
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
