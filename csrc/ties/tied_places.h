/* Places of the documents of a kind in a rank of ties, whose order is random: sums over the first
 * of the kind, the second, and so on, of the mean of 1/place.
 *
 * Relative error below 1e-13 for weights that never rise, or a sum over the whole rank.  Cost: one
 * step for each document of the kind, and one for each document of the rank or, where t documents
 * stand before the rank, 20 + 38 g/t of them if that is less.
 */
#ifndef IRBOUNDS_TIED_PLACES_H
#define IRBOUNDS_TIED_PLACES_H

#include <stdint.h>

/* sum_i weight[i] E[1/(t + K(i)); K(i) <= m], i = 1 .. most <= n, for the place K(i) of the i-th of
 * n documents among the g of a rank behind t others.  Scratch: most + 1 doubles, or NULL for m = g.
 */
double tied_places_sum(const double *weight, int64_t most, double n, double g, double t, double m,
                       double *scratch);

#endif
