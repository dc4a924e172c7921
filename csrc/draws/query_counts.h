/* Sums of values and of their squares over bootstrap resamples of many queries.
 *
 * How often each of n queries is drawn in a resample is a multinomial law.  It is drawn as Poisson
 * numbers of mean 1 - 4/sqrt(n), one for each query, which given their total are multinomial, and
 * as many single queries as the total lacks of n.  A total above n, which is 4 of its standard
 * deviations off and comes once in 30,000 times, is drawn again.
 * So a query costs 32 bits and a few comparisons, which compilers do for many queries at once; a
 * place in 0 .. n - 1 costs as many bits and a read and a write anywhere in memory.
 *
 * Poisson numbers are made of the 32-bit numbers of xoshiro128++ (Blackman and Vigna 2021,
 * "Scrambled linear pseudorandom number generators") by inversion, in 16 streams whose states are
 * drawn from the generator.
 * Their chances are multiples of 2^-32, each within 2^-32.  Single queries are drawn by the
 * generator (Lemire 2019, "Fast random integer generation in an interval").  The numbers are the
 * same with every instruction set.
 * Cost for each query of a resample, and for each column: .4 and .25 ns with AVX-512, .5 and .3 ns
 * with AVX2, .9 and .45 ns without.
 */
#ifndef IRBOUNDS_QUERY_COUNTS_H
#define IRBOUNDS_QUERY_COUNTS_H

#include <stdint.h>

#include "numeric/vector_math.h"
#include "numeric/watch.h"

enum {
    COUNT_STREAMS = 16,
    COUNT_MOST = 12,    /* no more: the chance of 13 or more, 6e-11, is no multiple of 2^-32 */
    COUNT_TOGETHER = 8, /* resamples whose sums are taken together */
    COUNT_PARTS = 64 /* sums of every 64th query: they do not wait for one another, and GCC unrolls
                        shorter loops before it makes vectors of them */
};

typedef struct {
    bit_generator *bits;
    uint32_t state[4][COUNT_STREAMS];
    int32_t cut[COUNT_MOST]; /* a number is above k where its bits, less 2^31, are cut[k] or more */
} query_counts;

/* For 17 <= n < 2^32 queries. */
void query_counts_start(query_counts *drawn, bit_generator *bits, int64_t n);

/* counts[q] = how often query q is drawn in the next resample; length: n up to a multiple of 64. */
void query_counts_draw(query_counts *drawn, int64_t n, enum vector_instructions instructions,
                       uint8_t *counts);

/* sums[r * columns + j] and squares[...] = the sums of values[j * n + q] and of their squares over
 * the queries q of resample r.  Memory: counts, COUNT_TOGETHER times n up to a multiple of 64;
 * parts, 2 * COUNT_TOGETHER * COUNT_PARTS * columns. */
void query_counts_moments(query_counts *drawn, const double *values, int64_t n, int64_t columns,
                          int64_t resamples, enum vector_instructions instructions, uint8_t *counts,
                          double *parts, double *sums, double *squares, work_watch *watch);

#endif
