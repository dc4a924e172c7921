/* Sums over bootstrap resamples of many queries, by multinomial counts.
 * The contract is in query_counts.h. */

#include "draws/query_counts.h"

#include <string.h>

enum {
    BLOCK = 64, /* queries whose numbers are drawn before their counts */
    ALWAYS = 7, /* comparisons for every query; one block of 190 has a query that needs more */
    TILE = 1024 /* queries whose values stay in the nearest memory */
};

void query_counts_start(query_counts *drawn, bit_generator *bits, int64_t n)
{
    const double mean = 1 - 4 / sqrt((double)n);
    double less_one, chance = exp_of(-mean, &less_one), below = 0;
    drawn->bits = bits;
    for (int i = 0; i < 4; i++)
        for (int lane = 0; lane < COUNT_STREAMS; lane += 2) {
            uint64_t both = bits->next_uint64(bits->state);
            drawn->state[i][lane] = (uint32_t)both;
            drawn->state[i][lane + 1] = (uint32_t)(both >> 32);
        }
    for (int lane = 0; lane < COUNT_STREAMS; lane++) /* a state of zeros would stay so */
        drawn->state[0][lane] |= 1;
    for (int k = 0; k < COUNT_MOST; k++) {
        below += chance;
        chance *= mean / (k + 1);
        double cut = floor(below * 0x1p32 + 0.5) - 0x1p31;
        drawn->cut[k] = cut < 0x1p31 ? (int32_t)cut : INT32_MAX;
    }
}

ALWAYS_INLINE uint32_t rotated(uint32_t x, int places)
{
    return x << places | x >> (32 - places);
}

/* The next BLOCK numbers, less 2^31. */
ALWAYS_INLINE void next_numbers(uint32_t state[4][COUNT_STREAMS], int32_t *numbers)
{
    for (int i = 0; i < BLOCK; i += COUNT_STREAMS)
        for (int lane = 0; lane < COUNT_STREAMS; lane++) {
            uint32_t a = state[0][lane], b = state[1][lane], c = state[2][lane], d = state[3][lane];
            uint32_t bits = rotated(a + d, 7) + a, moved = b << 9;
            c ^= a;
            d ^= b;
            state[1][lane] = b ^ c;
            state[0][lane] = a ^ d;
            state[2][lane] = c ^ moved;
            state[3][lane] = rotated(d, 11);
            numbers[i + lane] = (int32_t)(bits ^ UINT32_C(0x80000000));
        }
}

/* Poisson numbers of a whole number of blocks; the total of the first n of them. */
ALWAYS_INLINE int64_t poisson_counts(query_counts *drawn, int64_t n, uint8_t *counts)
{
    uint32_t state[4][COUNT_STREAMS];
    int32_t numbers[BLOCK], cut[COUNT_MOST];
    int64_t total = 0;
    memcpy(state, drawn->state, sizeof state);
    memcpy(cut, drawn->cut, sizeof cut);
    for (int64_t first = 0; first < n; first += BLOCK) {
        int32_t sum = 0, n_more = 0;
        uint8_t *count = counts + first;
        next_numbers(state, numbers);
        for (int i = 0; i < BLOCK; i++) {
            int32_t number = numbers[i], above = 0;
            for (int k = 0; k < ALWAYS; k++)
                above += number >= cut[k];
            n_more += number >= cut[ALWAYS];
            sum += above;
            count[i] = (uint8_t)above;
        }
        for (int i = 0; n_more > 0 && i < BLOCK; i++)
            for (int k = ALWAYS; k < COUNT_MOST && numbers[i] >= cut[k]; k++) {
                count[i]++;
                sum++;
            }
        for (int64_t i = n - first; i < BLOCK; i++)
            sum -= count[i];
        total += sum;
    }
    memcpy(drawn->state, state, sizeof state);
    return total;
}

#ifdef VECTOR_DISPATCH
VECTOR_TARGET_AVX2
static int64_t poisson_avx2(query_counts *drawn, int64_t n, uint8_t *counts)
{
    return poisson_counts(drawn, n, counts);
}

VECTOR_TARGET_AVX512
static int64_t poisson_avx512(query_counts *drawn, int64_t n, uint8_t *counts)
{
    return poisson_counts(drawn, n, counts);
}
#endif

static int64_t poisson_with(query_counts *drawn, int64_t n, enum vector_instructions instructions,
                            uint8_t *counts)
{
#ifdef VECTOR_DISPATCH
    if (instructions == VECTOR_AVX512)
        return poisson_avx512(drawn, n, counts);
    if (instructions == VECTOR_AVX2)
        return poisson_avx2(drawn, n, counts);
#else
    (void)instructions;
#endif
    return poisson_counts(drawn, n, counts);
}

void query_counts_draw(query_counts *drawn, int64_t n, enum vector_instructions instructions,
                       uint8_t *counts)
{
    const uint32_t end = (uint32_t)n, least = (0 - end) % end; /* 2^32 mod n */
    int64_t total;
    do
        total = poisson_with(drawn, n, instructions, counts);
    while (total > n);
    for (; total < n; total++) {
        uint64_t product;
        do
            product = (uint64_t)drawn->bits->next_uint32(drawn->bits->state) * end;
        while ((uint32_t)product < least);
        counts[product >> 32]++; /* 255 would need a chance below 1e-300 */
    }
}

/* Adds the values of a tile, which begins at a multiple of COUNT_PARTS, to the parts of its sums
 * and of its squares. */
ALWAYS_INLINE void add_tile(const double *values, const uint8_t *counts, int64_t n, double *parts)
{
    double sum[COUNT_PARTS], square[COUNT_PARTS];
    memcpy(sum, parts, sizeof sum);
    memcpy(square, parts + COUNT_PARTS, sizeof square);
    for (int64_t first = 0; first < n; first += COUNT_PARTS) {
        const double *value = values + first;
        const uint8_t *count = counts + first;
        const int length = n - first < COUNT_PARTS ? (int)(n - first) : COUNT_PARTS;
        for (int i = 0; i < length; i++) {
            double times = (double)count[i] * value[i];
            sum[i] += times;
            square[i] += times * value[i];
        }
    }
    memcpy(parts, sum, sizeof sum);
    memcpy(parts + COUNT_PARTS, square, sizeof square);
}

#ifdef VECTOR_DISPATCH
VECTOR_TARGET_AVX2
static void add_tile_avx2(const double *values, const uint8_t *counts, int64_t n, double *parts)
{
    add_tile(values, counts, n, parts);
}

VECTOR_TARGET_AVX512
static void add_tile_avx512(const double *values, const uint8_t *counts, int64_t n, double *parts)
{
    add_tile(values, counts, n, parts);
}
#endif

static void add_tile_with(enum vector_instructions instructions, const double *values,
                          const uint8_t *counts, int64_t n, double *parts)
{
#ifdef VECTOR_DISPATCH
    if (instructions == VECTOR_AVX512)
        add_tile_avx512(values, counts, n, parts);
    else if (instructions == VECTOR_AVX2)
        add_tile_avx2(values, counts, n, parts);
    else
        add_tile(values, counts, n, parts);
#else
    (void)instructions;
    add_tile(values, counts, n, parts);
#endif
}

static double sum_of_parts(const double *parts)
{
    double sum[COUNT_PARTS];
    memcpy(sum, parts, sizeof sum);
    for (int half = COUNT_PARTS / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            sum[i] += sum[i + half];
    return sum[0];
}

void query_counts_moments(query_counts *drawn, const double *values, int64_t n, int64_t columns,
                          int64_t resamples, enum vector_instructions instructions, uint8_t *counts,
                          double *parts, double *sums, double *squares, work_watch *watch)
{
    const int64_t length = (n + BLOCK - 1) / BLOCK * BLOCK;
    for (int64_t start = 0; start < resamples; start += COUNT_TOGETHER) {
        int64_t size = resamples - start < COUNT_TOGETHER ? resamples - start : COUNT_TOGETHER;
        for (int64_t r = 0; r < size; r++) {
            if (watch_stops(watch, n * (1 + columns)))
                return;
            query_counts_draw(drawn, n, instructions, counts + r * length);
        }
        memset(parts, 0, (size_t)(2 * COUNT_PARTS * size * columns) * sizeof *parts);
        for (int64_t first = 0; first < n; first += TILE) {
            int64_t in_tile = n - first < TILE ? n - first : TILE;
            for (int64_t j = 0; j < columns; j++)
                for (int64_t r = 0; r < size; r++)
                    add_tile_with(instructions, values + j * n + first, counts + r * length + first,
                                  in_tile, parts + 2 * COUNT_PARTS * (r * columns + j));
        }
        for (int64_t i = 0; i < size * columns; i++) {
            sums[start * columns + i] = sum_of_parts(parts + 2 * COUNT_PARTS * i);
            squares[start * columns + i] = sum_of_parts(parts + 2 * COUNT_PARTS * i + COUNT_PARTS);
        }
    }
}
