/* Two weak orderings of one query's documents: overlap, rank-biased overlap, rank correlation.
 *
 * An item is a document of either ranking.  A ranking has its documents in groups of equal score;
 * the documents that only the other one has are its last group, in which no depth of Overlap and
 * RBO ends.
 *
 * Means are over all orders of ties in both, each equally likely.  Least and greatest need two
 * pairs of orders only:
 *     aligned: each group in the order of the other ranking, and the documents that share their
 *     groups in both in one order;  opposed: the reverse of it.
 * One pair has the greatest value of every measure here, the other the least.  Overlap: at depth k
 * let t documents of the group g, cut by k, be above it in ranking A, u of h in B, with a, b, c
 * documents in g and wholly above k in B, in h and wholly above k in A, in g and h.  Any order has
 * x of a, y of b, and m of c with m at most min(t - x, u - y, c): x + y + m is greatest if x and y
 * are, which the aligned orders do at all depths at once.  The opposed ones put a and b last, and
 * the c documents in reverse, which is least.  RBO grows with the overlap at each depth.  Tau sums
 * over pairs; each pair that is tied is concordant in one of them, discordant in the other.  TauAP:
 * let u and v be neighbours in B, u the first, with s documents above both.  If A has u before v,
 * v has at most s concordant documents above it more than u, so to swap them gains at most
 * s (1/s - 1/(s + 1)) and loses 1/(s + 1): it does not gain.  Hence a tied group of B is best in
 * the order of A, and worst reversed; a tied pair of A is best as B has it.  Spearman: the
 * rearrangement inequality, for the groups of A and for those of B in turn.
 *
 * Cost: n log n for correlations, else n and sorting; error below 1e-13 down to 10^6 documents.
 */
#ifndef IRBOUNDS_TWO_RANKINGS_H
#define IRBOUNDS_TWO_RANKINGS_H

#include <stdint.h>

#include "numeric/watch.h"

enum { TIES_MEAN, TIES_W, TIES_A, TIES_B }; /* the mean over orders; Corsi & Urbano 2024 */
enum { PAIR_OVERLAP, PAIR_RBO, PAIR_TAU, PAIR_TAU_AP, PAIR_SPEARMAN };

typedef struct {
    int32_t kind, ties;
    int64_t cutoff; /* 0: none; RBO is extrapolated without one */
    double p;
} pair_measure;

typedef struct {
    int64_t n_docs;   /* those that it has: the first places */
    int64_t n_groups; /* and one more, which may be empty, of the others */
    int64_t *start;   /* n_items + 2: the first place of each group, and the end */
    int64_t *group;   /* n_items: of each item */
    int64_t *order;   /* n_items: from the first place to the last */
} weak_ranking;

typedef struct {
    int64_t n_items;
    weak_ranking a, b;
    int64_t *scratch; /* 4 n_items + 4 */
    double *number;   /* 7 (depth + 1), for the greatest depth that is needed, at most n_items */
    work_watch *watch;
} ranking_pair;

/* Fill the weak ranking of n_docs scores.  item[i] is the item of row i, or NULL: row i is item i.
 * `order`, `group` and `start` point to memory for all n_items. */
void pair_rank(const double *score, const int64_t *item, int64_t n_docs, ranking_pair *pair,
               weak_ranking *ranking);

/* Values of n measures; with `low`, which may be NULL, also the least and the greatest.  NaN: the
 * measure with ties B is not defined, as one ranking ties all its documents. */
void pair_evaluate(ranking_pair *pair, const pair_measure *measures, int64_t n, double *value,
                   double *low, double *high);

#endif
