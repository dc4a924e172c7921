/* A ranking with open documents as a measure of relevant documents sees it: of each block the
 * number of relevant and of open documents.  See unjudged.h. */
#ifndef IRBOUNDS_OPEN_RANKS_H
#define IRBOUNDS_OPEN_RANKS_H

#include <math.h>
#include <stdint.h>

#include "ties/tie_groups.h"
#include "label_bounds/unjudged.h"

/* A labelling: `filled` open retrieved documents are relevant, those at the top or those at the
 * bottom, and `hidden` ones. */
typedef struct {
    int64_t filled, hidden;
    int from_top;
} open_labels;

/* The documents of a query as a measure of relevant documents counts them: n_open is 0 where no
 * open document can be relevant. */
typedef struct {
    const open_order *order;
    double from; /* the lowest relevant grade */
    enum unjudged_rule rule;
    int can_be_relevant;
    int64_t n_open, hidden, n_relevant;    /* n_relevant: judged, retrieved or not */
    int64_t n_others;                      /* known or open, and not relevant with certainty */
    int64_t *scratch;                      /* of 2 (n_docs + 1), for Bpref */
    double *rest;                          /* the same */
    open_judged_sums *judged;              /* for AP */
    open_cuts *greatest_cuts, *least_cuts; /* for IPrec */
} open_counts;

/* One block of them. */
typedef struct {
    int64_t before, size, relevant, open;
    int apart;
} open_block;

static inline open_block open_block_at(const open_counts *counts, int64_t block)
{
    const open_order *order = counts->order;
    int64_t judged = block > 0 ? order->end[block - 1] : 0, end = order->end[block];
    int64_t n_judged = end - judged, n_open = order->size[block] - n_judged;
    /* most blocks hold one judged document or none, who knows which: no branch */
    int64_t relevant = (n_judged > 0) & (order->grade[judged] >= counts->from);
    if (n_judged > 1)
        while (relevant < n_judged && order->grade[judged + relevant] >= counts->from)
            relevant++;
    return (open_block){order->before[block], order->size[block], relevant,
                        counts->can_be_relevant ? n_open : 0, (int)order->apart[block]};
}

/* The blocks that hold a relevant or an open document; all others are judged not relevant; with
 * `is_split` ties of open documents apart from the stretches between them.  Returns how many they
 * are. */
int64_t open_parts(const open_counts *counts, int is_split, open_part *part);

/* The greatest (or the least) value over all labels, for n parts: of IPrec in open_interpolated.c,
 * of Bpref in open_preference.c, which wants ties of open documents as parts unless it tries all
 * numbers of relevant ones, of Rprec in open_depth.c. */
typedef double open_end(const measure *m, const open_counts *counts, const open_part *part,
                        int64_t n, int greatest, work_watch *watch);
open_end open_interpolated_precision, open_binary_preference, open_r_precision;

int open_preference_tries_all(const open_counts *counts, const open_part *part, int64_t n);

/* The ends of AP, in open_precision.c; totals, unless NULL, has room for n_open + 1: AP times the
 * number of relevant documents by the number of relevant open ones, filled from the top (greatest)
 * or the bottom. */
double open_average_precision(const measure *m, const open_counts *counts, int greatest,
                              double *totals, const dd *harmonic, work_watch *watch);

/* cascade_to_limit of stops that fall. */
double open_cascade(const double *stop, int64_t n, tie_group rank, int64_t limit, double *scratch,
                    work_watch *watch);

/* In open_found.c: what a measure makes of the relevant documents found down to the cut-off, and of
 * all there are; and its ends. */
typedef double open_value(const measure *m, double found, double n_docs, double n_relevant);
open_value open_recall, open_relative_precision, open_f_measure, open_set_precision,
    open_set_average_precision, open_n_relevant;
double open_found_end(const measure *m, const open_counts *counts, int greatest, open_value *value);

/* The ends of nDCG, in open_gain.c. */
double open_normalized_gain(const measure *m, const unjudged_query *query, enum unjudged_rule rule,
                            int greatest, const unjudged_memory *memory);

#endif
