/* The numbers of open_preference.c of relevant open documents: shared by its two ways to try them.
 */
#ifndef IRBOUNDS_OPEN_PREFERENCE_H
#define IRBOUNDS_OPEN_PREFERENCE_H

#include "label_bounds/open_ranks.h"

typedef struct {
    double constant, linear, square; /* of R */
} polynomial;

enum stage { NOT_FILLED, FILLING, FILLED };

typedef struct {
    const open_counts *counts;
    const open_part *part;
    int64_t n;
    int from_top;
    int64_t n_judged;           /* relevant documents retrieved that are judged */
    int64_t total;              /* open and hidden documents */
    double judged, all;         /* R - m; all documents */
    polynomial lost;            /* of all parts but the divided one */
    int64_t capped;             /* the first capped part */
    int64_t next_uncapped;      /* the m of the next event of `capped` or `divided` */
    int64_t next_loss;          /* the next such m where `lost` changes, as stages are now */
    int64_t divided;            /* the tie whose range holds R, or -1 */
    int64_t filling;            /* the part that is filled now or next */
    enum stage stage;           /* its stage */
    double end_lost, end_found; /* the end so far */
    int64_t end_m;
    double end_top, end_bottom; /* it is their ratio */
    int greatest;
} preference_scan;

static inline int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline enum stage stage_of(const preference_scan *scan, int64_t i)
{
    if (i == scan->filling)
        return scan->stage;
    return (i < scan->filling) == scan->from_top ? FILLED : NOT_FILLED;
}

/* The number m from which a part is filled; it is full `open` later. */
static inline int64_t filled_from(const preference_scan *scan, const open_part *part)
{
    if (scan->from_top)
        return part->open_before;
    return scan->total - part->open_before - part->open;
}

/* Whether its relevant documents stand last in a part, where they have the fewest (or, `most`, the
 * most) others above them. */
static inline int stands_last(const preference_scan *scan, const open_part *part, int most)
{
    if (part->apart)
        return !scan->from_top;
    if (scan->counts->rule == UNJUDGED_EXPECTED)
        return most;
    return scan->counts->rule == UNJUDGED_WORST;
}

/* The judged documents above that are not relevant, and the open ones. */
typedef struct {
    int64_t judged, open;
} others_above;

static inline others_above others_of(const open_part *part, int last)
{
    others_above others = {part->before - part->relevant_before - part->open_before,
                           part->open_before};
    if (last) {
        others.judged += part->size - part->relevant - part->open;
        others.open += part->open;
    }
    return others;
}

/* The least m where so many above a part are at most R. */
static inline int64_t uncapped_from(const preference_scan *scan, const open_part *part, int most)
{
    others_above others;
    if (part->apart | (part->size == 1)) /* one document, or open ones: most parts, so no branch */
        others = others_of(part, !scan->from_top);
    else
        others = others_of(part, stands_last(scan, part, most));
    int64_t judged = others.judged - scan->counts->n_relevant;
    if (scan->from_top)
        return larger((judged + others.open + 1) / 2, judged);
    return smaller(judged + others.open, (judged + scan->total + 1) / 2);
}

static inline int64_t filled_at(const preference_scan *scan, int64_t m)
{
    return scan->from_top ? smaller(m, scan->counts->n_open) : larger(0, m - scan->counts->hidden);
}

/* In open_preference_all.c. */
void try_all(preference_scan *scan);

#endif
