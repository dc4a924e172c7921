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
 * Cost: one step for each block of open_order.h and a logarithm of its length for AP, IPrec,
 * R, F and sets; some steps for each block for RBP, Bpref and Rprec (with `mult` for each depth);
 * O(levels x open documents down to the cut-off) for each step of nDCG's iteration, of which there
 * are seldom more than four; for others that of the measure down to its cut-off.
 */
#ifndef IRBOUNDS_UNJUDGED_H
#define IRBOUNDS_UNJUDGED_H

#include <stdint.h>

#include "numeric/double_double.h"
#include "ties/measures.h"
#include "label_bounds/open_order.h"

/* The order that counts inside a tie: the mean over all orders, or the order with relevant
 * documents first or last. */
enum unjudged_rule { UNJUDGED_EXPECTED, UNJUDGED_BEST, UNJUDGED_WORST };

typedef struct {
    const open_order *order;
    const grade_levels *judged; /* retrieved or not */
    int64_t hidden;
    double max_grade; /* at least the highest judged one */
} unjudged_query;

/* A block of open_order.h as a measure of relevant documents sees it. */
typedef struct {
    int64_t before, size;                 /* documents */
    int64_t relevant, open;               /* of them: judged relevant, open */
    int64_t relevant_before, open_before; /* among those before */
    int64_t apart;                        /* an open_stretch */
} open_part;

/* Sums over the judged documents, which the two ends of a measure share: for AP those of
 * open_precision.c, for DCG and nDCG the discounted gain. */
typedef struct {
    int is_set;
    enum unjudged_rule rule;
    double from; /* for gains: whether they are 2^grade - 1 */
    int64_t limit;
    dd total, below;
    double above;
} open_judged_sums;

/* The cuts that matter to an end of IPrec at whatever level: see open_interpolated.c. */
typedef struct {
    int is_set;
    enum unjudged_rule rule;
    double from;
    int64_t n;
    open_part *part; /* lent by the caller: n_docs + 1 */
} open_cuts;

/* Things that several ends of one query need, found once.  The parts of a ranking are the same for
 * all measures with one lowest relevant grade. */
typedef struct {
    double from;
    int64_t n_parts; /* in `part`; -1 until they are found */
    int is_split;    /* whether ties of open documents are parts */
    open_judged_sums precision, gain;
    open_cuts greatest_cuts, least_cuts;
} open_memo;

/* Lent by the caller: for n documents and L levels of judged grades. */
typedef struct {
    const measure_memory *measure;
    weak_order_memory *expanded, *refined; /* for n documents */
    open_part *part, *gain_part;           /* n + 1 each */
    open_memo *memo;                       /* of this query */
    double *sum;                           /* 4 (n + 1) */
    const dd *harmonic;                    /* of 0 .. n; for AP alone */
    const dd *discounts;                   /* sums of the first 0 .. n_discounts; for DCG, nDCG */
    int64_t n_discounts;
} unjudged_memory;

/* The sums of 1/i for i = 1 .. 0, 1 .. 1, …, 1 .. n, each in two parts: a multiple of 2^-32, and
 * the rest. */
void unjudged_harmonics(dd *harmonic, int64_t n);

/* The sums of 1/log2(i + 1) for i = 1 .. 0, 1 .. 1, …, 1 .. n. */
void unjudged_discounts(dd *discounts, int64_t n, const measure_memory *memory);

/* How the bounds of one measure are found. */
typedef struct unjudged_bounds unjudged_bounds;

/* Those of the measure whose kernel has this name; NULL where it has none. */
const unjudged_bounds *unjudged_find(const char *name);

/* Whether the value grows with every grade, so that it is least where no open document counts. */
int unjudged_grows(const unjudged_bounds *bounds);

/* Whether the value is least in the best order of a tie: of Hole alone. */
int unjudged_is_loss(const unjudged_bounds *bounds);

/* The greatest (or the least) value over all labels.  IPrec takes no UNJUDGED_EXPECTED. */
double unjudged_end(const unjudged_bounds *bounds, const measure *m, const unjudged_query *query,
                    enum unjudged_rule rule, int greatest, const unjudged_memory *memory);

/* AP times the number of relevant documents, by the number 0 .. n_open of relevant open ones,
 * placed as well (or as badly) as can be; totals[] has room for one more than there are documents.
 * Returns n_open. */
int64_t unjudged_precision_totals(const measure *m, const unjudged_query *query,
                                  enum unjudged_rule rule, int greatest, double *totals,
                                  const unjudged_memory *memory);

#endif
