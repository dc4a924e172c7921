/* Cooper's expected search length and what Raghavan, Bollmann & Jung (1989) derive from it.
 *
 * A searcher reads a weak ordering from the top, each rank in random order, and stops at the NR-th
 * relevant document (NR real) or at the ND-th document.  In the rank where that happens are r
 * relevant and i non-relevant documents, before it t_r relevant and j non-relevant ones; s = NR -
 * t_r.  Equations are those of the paper.
 */
#ifndef IRBOUNDS_SEARCH_LENGTH_H
#define IRBOUNDS_SEARCH_LENGTH_H

#include <stdint.h>

#include "numeric/watch.h"

/* The ranks that hold a relevant document; counts as doubles, exact to 2^53. */
typedef struct {
    int64_t n_ranks;
    const double *relevant_before, *nonrelevant_before; /* t_r and j of each rank */
    const double *relevant, *nonrelevant;               /* r and i */
    double n_relevant;                                  /* of the query, in these ranks or not */
    work_watch *watch;                                  /* or NULL */
} stopping_ranks;

enum stopping_measure { STOP_PRR, STOP_PRECALL, STOP_EP };

/* x n, where x n within rounding of an integer is that integer: a rank ends exactly where its last
 * document is. */
double stopping_point(double x, double n);

/* j + i s/(r+1), Lemma 3.1; infinity where the ranks hold fewer than `wanted` relevant documents.
 * wanted -> 0 gives the non-relevant documents before the first rank that has a relevant one. */
double expected_search_length(const stopping_ranks *ranks, double wanted);

/* NR/(NR + ESL) (3.3), NR/(NR + j + i s/r) (2.2) or sum_v P_v NR/(NR + j + v), 0 where the stop is
 * never reached. wanted = 0 is the limit: (r+1)/(r+i+1), r/(r+i) or 1 where the first rank has a
 * relevant document, else 0. EP costs the spread of P_v up to 32768, then a few hundred values of
 * it: below 1 ms for any rank.  Relative error below 1e-12 for ranks of 10^12 (against closed
 * forms). */
double precision_at_stop(const stopping_ranks *ranks, enum stopping_measure measure, double wanted);

/* The same at recall `level` in [0, 1]; ceiling: the largest value at any integer NR >= max(1,
 * ceil(level n)). */
double precision_at_recall(const stopping_ranks *ranks, enum stopping_measure measure, double level,
                           int ceiling);

/* Expected number of relevant documents among the first n_docs ones: t_r + k r/(r+i), Lemma 3.2. */
double expected_relevant_at(const stopping_ranks *ranks, double n_docs);

/* The others among them; not a difference, which would have no digits where nearly all are
 * relevant. */
double expected_nonrelevant_at(const stopping_ranks *ranks, double n_docs);

/* P_v, v = 0 .. i: v non-relevant documents of a rank are read until its s-th relevant one, 0 < s
 * <= r, s real: Γ(s+v) Γ(r-s+i-v+1) / (Γ(s) v! Γ(r-s+1) (i-v)!) / C(r+i, i)     (Lemma 3.1) by the
 * ratio of neighbours, from the mode outwards, divided by their sum: nothing can underflow but what
 * is below 1e-300 of the mode.  Relative error below 1e-13 for ranks of 10^6. */
void search_length_probabilities(double s, double r, int64_t i, double *probability,
                                 work_watch *watch);

#endif
