/* How many documents of a segment are relevant, given a sample (Webber 2013, section 2.8), and what follows for a linear
 * comparison of two segments: P(R0 >= slope R1 + offset) is the distribution function of recall, of F and of the yield.
 *
 * The posterior of a stratum is r + BetaBin(N - n; a, b), a = prior + r, b = prior + n - r.  It is held as a lattice of
 * cells: single documents where the law is narrow or near an end, elsewhere cells 1/24 as wide as the probability
 * changes, in each of which two Gauss points for sums over equally spaced integers stand for the documents.  Cells and
 * points number some hundreds and at most some 4,000 whatever N.  Probabilities are relative to one anchor, by the
 * recurrence or by Stirling's series with the large terms taken out, and sum to 1 in the end.
 * Errors, against full enumeration: of a probability 1e-12 where all documents are single, below 1e-7 elsewhere.
 */
#ifndef IRBOUNDS_YIELD_POSTERIOR_H
#define IRBOUNDS_YIELD_POSTERIOR_H

#include <stdint.h>

/* Arrays are the caller's. */
typedef struct {
    int64_t n_cells, n_atoms;
    double *left;      /* n_cells + 1: the first count of each cell, and the one after the last */
    double *above;     /* n_cells + 1: P(R >= left) */
    double *slope;     /* n_cells + 1: the density half a document below left */
    double *position;  /* n_atoms: counts that stand for their neighbourhood */
    double *weight;    /* n_atoms: probabilities, sum 1 */
    int64_t n_single;  /* so many cells from the first one on are single documents */
    double mean, std;
} yield_law;

/* How many cells the arrays must hold, none wider than `widest` documents: 1 for every document single, or infinity. */
int64_t yield_count_cells(double unseen, double a, double b, double widest);

/* seen + BetaBin(unseen; a, b), unseen >= 0 whole and below 2^52, a, b > 0; atoms are at most twice the cells. */
void yield_law_set(yield_law *law, double seen, double unseen, double a, double b, double widest);

/* P(second >= slope first + offset), or P(second > ...) if strict. */
double yield_compare(const yield_law *first, const yield_law *second, double slope, double offset, int strict);

enum yield_measure { YIELD_RECALL, YIELD_F, YIELD_TOTAL };

/* P(measure <= x) or P(measure < x): recall R1/(R1 + R0), 0 where there is nothing; F of weight `beta`, with `size` R1's
 * segment; R1 + R0. */
double yield_below(const yield_law *retrieved, const yield_law *unretrieved, enum yield_measure measure, double x,
                   double beta, double size, int strict);

/* The least x with P(measure <= x) >= p, 0 <= p <= 1, within the tolerance, which is a part of the distance from the
 * least to the greatest value; likely within `room` of a guess. */
double yield_quantile(const yield_law *retrieved, const yield_law *unretrieved, enum yield_measure measure, double p,
                      double beta, double size, double guess, double room, double tolerance);

/* The same of one segment's yield alone: a whole number. */
double yield_law_quantile(const yield_law *law, double p);

/* P(R >= x). */
double yield_law_above(const yield_law *law, double x);

#endif
