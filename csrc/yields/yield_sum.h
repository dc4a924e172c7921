/* Laws of sums of independent yields, strata of a segment, on lattices whose Fourier transforms are
 * multiplied.
 *
 * One lattice is not enough: the law of a stratum in which nothing was found has probabilities like
 * k^(a - 1) from 1 to 10^9 documents.  So there are lattices of steps 4, 16, ... times as fine
 * about a centre, the sum of a count for each stratum where its law is singular or has its mean.
 * With the laws cut off smoothly at W from the centres, the product of their transforms on the
 * finer lattice, less the same product on the coarser one, is what the coarser one does not see;
 * the finest lattice is that at which the product is smooth, or that of single documents. Points go
 * to a lattice by a kernel of Kaiser and Bessel's, by whose transform the lattice's is divided
 * (Fourier transforms of unequally spaced points): within 1e-11 for waves of 7 steps and longer, to
 * which all on a lattice is confined.  They come from it by Lagrange's polynomials through 10
 * points.
 */
#ifndef IRBOUNDS_YIELD_SUM_H
#define IRBOUNDS_YIELD_SUM_H

#include <stdint.h>

#include "yields/yield_law.h"

enum { KERNEL_WIDTH = 12 };

enum yield_part { YIELD_WHOLE, YIELD_LOW, YIELD_HIGH };

/* A law about its centre.  One whose density is singular at both ends may be taken as the sum of
 * two, its low and its high part, each with the centre at its end. */
typedef struct {
    const yield_law *law;
    double centre;
    enum yield_part part;
} centred_law;

/* log E exp(tilt (R - centre)), or more, of what lies within `cut` of the centre. */
double yield_log_moment(const centred_law *c, double cut, double tilt);

/* Adds what lies within `cut` of the centre, with a smooth edge, to the n points of a lattice, n a
 * power of 2, which is a ring and whose point 0 is the centre; INFINITY is no cut.  A step of 1 is
 * single documents. */
void yield_law_spread(const centred_law *c, double step, double cut, int64_t n, double *lattice);

/* Masses at first + step i; those on single documents have step 1. */
typedef struct {
    double first, step;
    int64_t n;
    const double *mass;
} yield_lattice;

/* The law whose probabilities are the sum of those of all lattices, from least to most.  Returns
 * what they sum to, which is near to 1 if all is well, or 0 if the arrays were too small. */
double yield_law_of_lattices(yield_law *law, int64_t most_cells, int64_t most_curves,
                             const yield_lattice *lattices, int64_t n_lattices, double least,
                             double most);

#endif
