/* Unjudged documents: the least and the greatest value of a measure over all labels that they could
 * have.
 *
 * Open documents are those retrieved but not judged, and `hidden` ones that are neither.  Each may
 * have any grade from 0 to max_grade, whatever the others have.  A measure of relevant documents
 * needs only the number m of relevant open documents: with m fixed, moving a relevant label up the
 * ranking never lowers it, so the best labelling fills the retrieved documents from the top and the
 * worst one fills the hidden ones first, then from the bottom; a scan over m does the rest.
 * Measures that grow with every grade (P, RR, Success, DCG, RBP, ERR) take their ends where all
 * open documents have the same grade.  nDCG is a ratio of two sums over thresholds of grade: chains
 * of counts maximise DCG - lambda IDCG, and Dinkelbach's iteration finds lambda.  All ends are
 * exact but for rounding: relative error below 1e-14 against enumeration of all labels and all
 * orders.
 *
 * Cost: O(n) for the measures of P, R, F and AP; O(n + open) for Rprec; O(open x ranks) for IPrec
 * and Bpref; O(levels x open documents down to the cut-off) for each step of nDCG's iteration, of
 * which there are seldom more than four.
 */
#ifndef IRBOUNDS_UNJUDGED_H
#define IRBOUNDS_UNJUDGED_H

#include <stdint.h>

#include "measures.h"

/* The order that counts inside a tie: the mean over all orders, or the order with relevant
 * documents first or last. */
enum unjudged_rule { UNJUDGED_EXPECTED, UNJUDGED_BEST, UNJUDGED_WORST };

typedef struct {
    const weak_order
        *order; /* of which every document is a mark; an open one has a grade below 0 */
    const grade_levels *judged; /* retrieved or not */
    int64_t hidden;
    double max_grade; /* at least the highest judged one */
} unjudged_query;

/* Lent by the caller: for n documents and L levels of judged grades. */
typedef struct {
    const measure_room *measure;
    weak_order_room *refined; /* for n documents */
    int64_t *count;           /* 2 (n + 1) */
    double *sum;              /* 2 (n + 1) */
    double *grade;            /* n + 1 */
} unjudged_room;

/* How the bounds of one measure are found. */
typedef struct unjudged_bounds unjudged_bounds;

/* Those of the measure whose kernel has this name; NULL where it has none. */
const unjudged_bounds *unjudged_find(const char *name);

/* The greatest (or the least) value over all labels.  IPrec takes no UNJUDGED_EXPECTED. */
double unjudged_end(const unjudged_bounds *bounds, const measure *m, const unjudged_query *query,
                    enum unjudged_rule rule, int greatest, const unjudged_room *room);

/* The ranks of all documents, open ones with a negative grade, for `order` of a query.  As
 * weak_order_build, at less cost where scores fall from row to row.  No score is NaN. */
void unjudged_order(const double *score, const double *grade, int64_t n_docs, enum tie_rule rule,
                    doc_names names, weak_order_room *room, weak_order *order);

/* AP times the number of relevant documents, by the number 0 .. n_open of relevant open ones,
 * placed as well (or as badly) as can be; totals[] has room for one more than there are documents.
 * Returns n_open. */
int64_t unjudged_precision_totals(const measure *m, const unjudged_query *query,
                                  enum unjudged_rule rule, int greatest, double *totals,
                                  const unjudged_room *room);

#endif
