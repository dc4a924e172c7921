/* Probabilities and quantiles from the laws of two segments' yields: P(R0 >= slope R1 + offset) is
 * the distribution function of recall, of F and of the yield.
 *
 * A comparison goes once along both laws.  Where one of them has single documents, it sums over
 * these.  Where both have cells of many documents, it cuts the cells of one at the bounds of the
 * other's, so that in every piece both curves are polynomials, and sums over the documents of a
 * piece by Gauss points.  There the other count is rounded up to whole documents: by all parts of a
 * document equally often, or, for a slope near to b/a with a small a, as multiples of that are.
 * Errors, against full enumeration: of a probability 1e-12 where all documents are single, below
 * 1e-8 elsewhere.
 */
#ifndef IRBOUNDS_YIELD_POSTERIOR_H
#define IRBOUNDS_YIELD_POSTERIOR_H

#include "yields/yield_law.h"

/* P(second >= slope first + offset), or P(second > ...) if strict. */
double yield_compare(const yield_law *first, const yield_law *second, double slope, double offset,
                     int strict);

enum yield_measure { YIELD_RECALL, YIELD_F, YIELD_TOTAL };

/* P(measure <= x) or P(measure < x): recall R1/(R1 + R0), 0 where there is nothing; F of weight
 * `beta`, with `size` R1's segment; R1 + R0. */
double yield_below(const yield_law *retrieved, const yield_law *unretrieved,
                   enum yield_measure measure, double x, double beta, double size, int strict);

/* The least x with P(measure <= x) >= p, 0 <= p <= 1: where both laws have a cell for every count,
 * a value that the measure has; else within the tolerance, which is a part of the distance from the
 * least to the greatest value.  It is likely within `bracket` of a guess. */
double yield_quantile(const yield_law *retrieved, const yield_law *unretrieved,
                      enum yield_measure measure, double p, double beta, double size, double guess,
                      double bracket, double tolerance);

#endif
