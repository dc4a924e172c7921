/* Queries drawn again: sums over bootstrap resamples, and how systems rank under random weights.
 *
 * Resamples are those that `scipy.stats.bootstrap` draws with the same generator: NumPy's
 * `Generator.integers` row by row (Lemire 2019, "Fast random integer generation in an interval").
 * Values are whole numbers (fixed point), so that sums are exact and those that tie do so exactly.
 * Cost: 1 ns for each query drawn with one column of values, 0.7 ns for each further column.
 *
 * Weighted sums are doubles, added in the order of the queries.  Cost of ranks: 0.5 ns for each
 * query and system, and 0.5 ns for each pair of systems, in every draw.
 */
#ifndef IRBOUNDS_QUERY_DRAWS_H
#define IRBOUNDS_QUERY_DRAWS_H

#include <stdint.h>

#include "draws/pcg64.h"
#include "numeric/vector_math.h"
#include "numeric/watch.h"

/* A stream of 32-bit numbers: the halves of 64-bit ones, the low one first, as PCG64 gives them.
 * Begins with none ready. */
typedef struct {
    bit_generator *bits;
    uint64_t drawn;
    int has_half; /* whether the high half of `drawn` is ready */
} half_stream;

/* shares[r * n + q] = how often query q was drawn in resample r, divided by n, 1 <= n < 2^32.  The
 * stream goes on where the last call ended.  Memory: counts, n numbers, 0 before and after.  Cost:
 * 2.6 ns for each query drawn, of 20,000 and of 100,000. */
void resampled_shares(half_stream *stream, int64_t n, int64_t resamples, uint32_t *counts,
                      double *shares, work_watch *watch);

/* sums[r * columns + j] = the sum of values[q * columns + j] over the n queries q of resample r, 1
 * <= n < 2^32.  The sizes of n times the largest value are below 2^63. */
void resampled_sums(pcg64 *bits, const int64_t *values, int64_t n, int64_t columns,
                    int64_t resamples, int64_t *sums, work_watch *watch);

/* Sums over draws; all arrays begin with zeros. */
typedef struct {
    double *best;   /* systems: in how many draws each is best, of k equal ones 1/k each */
    int32_t *above; /* systems × systems: in how many draws the first is above the second */
    int32_t *ranks; /* systems × systems: in how many draws so many others are above the first */
} rank_counts;

/* Adds `draws` draws.  weights[d * n + q], values[q * systems + s], higher ones better; memory:
 * 2 systems doubles, systems places.  Fewer than 2^31 draws in all. */
void count_ranks(const double *weights, int64_t draws, int64_t n, const double *values,
                 int64_t systems, double *memory, int32_t *places, rank_counts *counts,
                 work_watch *watch);

/* A bootstrap of Student's t of all pairs of systems: n queries, drawn again with their weights. */
typedef struct {
    const double *values; /* [q * systems + s], less their weighted means */
    const double
        *weights; /* [r * n + q]: how often q was drawn, times its weight; their sum is 1 */
    const double *squares; /* the same with the squares of the weights */
    int64_t n, systems;
    double least; /* means and deviations up to this are rounding */
} pair_bootstrap;

/* largest[r * systems + s] = the greatest square of t between s and another system in resample r:
 * of (m_s - m_o)^2 (1 - Q) / sum of squares_q (d_q - (m_s - m_o))^2 with d_q the difference of the
 * values, m the weighted means and Q the sum of squares_q.  Where the deviation is none it is
 * infinite, and 0 where the mean is none, too.  Memory: (n + 2) systems + n doubles.  Cost: 0.3 ns
 * for each pair of systems and query that was drawn. */
void largest_pair_squares(const pair_bootstrap *drawn, int64_t resamples, double *memory,
                          double *largest, work_watch *watch);

#endif
