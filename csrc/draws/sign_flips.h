/* Sums over the queries whose sign is changed in a randomisation test, and sums of systems whose
 * values are shuffled within each query.
 *
 * Values are whole numbers (fixed point), so that sums are exact: they depend neither on the order
 * of the queries nor on what is summed beside them, and sums that tie do so exactly.  The draws are
 * those of NumPy's `Generator.permuted` with rows of two or more, which SciPy's `permutation_test`
 * calls: one seed, one plan.
 * Cost of a flip: 1 ns for the draw (.2 ns for a dense one), and an eighth of a nanosecond for
 * each column (eight queries at a time, by a table of the 256 sums that eight values can have).  A
 * shuffle of k systems: about 5 ns for each of them.
 */
#ifndef IRBOUNDS_SIGN_FLIPS_H
#define IRBOUNDS_SIGN_FLIPS_H

#include <stdint.h>

#include "numeric/vector_math.h"
#include "numeric/watch.h"

/* A stream of fair bits: the lowest of each 32-bit number, which a 64-bit generator gives as two
 * halves, the low one first, as PCG64 does.  Begins with none ready. */
typedef struct {
    bit_generator *bits;
    uint64_t ready; /* bits drawn and not yet used, the next one lowest, */
    int n_ready;    /* and how many, at most 7 */
} flip_stream;

/* Draws n flips for each of `resamples`, one resample after the other.  Bit i of flips[g *
 * resamples + r] is whether resample r flips query 8 g + i; length: ceil(n/8) resamples. flipped[r]
 * is how many it flips. */
void sign_flips_draw(flip_stream *stream, int64_t n, int64_t resamples, uint8_t *flips,
                     int64_t *flipped, work_watch *watch);

/* The same with 64 flips from each number, and so a plan of its own: 32 times fewer numbers. */
void sign_flips_draw_dense(bit_generator *bits, int64_t n, int64_t resamples, uint8_t *flips,
                           int64_t *flipped, work_watch *watch);

/* sums[r] = the sum of the values that resample r flips, for one column of n values.  The sizes of
 * all values add up to less than 2^63. */
void sign_flips_sum(const uint8_t *flips, int64_t n, int64_t resamples, const int64_t *values,
                    int64_t *sums, work_watch *watch);

/* How many of the 2^16 sums of subsets of 16 values are at most `limit`.  The size of every sum is
 * below 2^63.  A value of 0 doubles all counts, so that fewer values are filled up with zeros.
 * The sums of either half are put in order by merging, and pairs are counted along them: 2 µs. */
int64_t subset_sums_up_to(const int64_t *values, int64_t limit);

/* For each resample and measure, the range of the systems' sums when every query's values are
 * shuffled among the systems, or, with `baseline` 0 .. systems - 1, how far the one that lies
 * farthest from the baseline's sum does. values[(q * measures + j) * systems + s]; spread[r *
 * measures + j]; length: measures * systems sums, systems places. */
void shuffled_spreads(bit_generator *bits, const int64_t *values, int64_t n, int64_t measures,
                      int64_t systems, int64_t baseline, int64_t resamples, int64_t *spread,
                      int64_t *sums, int64_t *place, work_watch *watch);

#endif
