/* The mean of a measure over independent labels: document d is relevant with probability p_d, 0 or
 * 1 where it is judged; and over the orders of ties.
 *
 * Most measures are T / g(R), R the number of relevant documents and T a sum over the ranking, so
 * the mean is the sum over r of E[T; R = r] / g(r).  Going down the ranks, P(a relevant above) and
 * E[T above; a relevant above] are carried from rank to rank with the distribution of the number s
 * of relevant documents in the rank, of which alone its mean over orders depends: it adds s (c + a
 * u + (s - 1) v), u and v 0 for sums of weights of places.  All terms are positive, so no digits
 * are lost.  RR, Success and ERR are a reader who stops at a document with a probability. Cost: O(n
 * + U^2), U the documents whose p is neither 0 nor 1.  Relative error below 1e-13 against
 * enumeration.
 */
#ifndef IRBOUNDS_UNJUDGED_MEAN_H
#define IRBOUNDS_UNJUDGED_MEAN_H

#include <stdint.h>

#include "numeric/watch.h"

typedef struct {
    int64_t n_ranks;
    const int64_t *before, *size; /* documents before each rank, and in it */
    const int64_t *end;           /* documents up to its end: those listed */
    const double *p;              /* of the documents rank by rank */
} label_ranks;

/* The s relevant documents of a rank add s (first + a above + (s - 1) inside) to T. */
typedef struct {
    const double *first, *above, *inside;
} label_terms;

/* P(R = sure + r) to mass[r] and E[T; R = sure + r] to part[r] for r = 0 .. the number returned;
 * `unseen` are the probabilities of documents that are not retrieved, sure the documents with p
 * = 1. mass, part and the three parts of scratch have room for all documents and one more. */
int64_t label_counts(const label_ranks *ranks, const label_terms *terms, const double *unseen,
                     int64_t n_unseen, int64_t *sure, double *mass, double *part, double *scratch,
                     work_watch *watch);

/* The terms of AP: the mean over orders is s/g sum_k (a + 1 + k (s-1)/(g-1)) / (t + 1 + k), k from
 * 0 for places not beyond the cut-off (0: none). */
void label_precision_terms(const label_ranks *ranks, int64_t cutoff, double *first, double *inside);

/* The mean of 1/place of the document where the reader stops, 0 beyond the cut-off; scratch: 4 (n +
 * 2). */
double label_stop_rank(const label_ranks *ranks, double stop, int64_t cutoff, double *scratch,
                       work_watch *watch);

/* P(a relevant document among the first k); scratch: n + 1. */
double label_success(const label_ranks *ranks, int64_t cutoff, double *scratch, work_watch *watch);

#endif
