/* Counts and sums are the same with every instruction set; each resample draws n queries. */
#include "draws/query_counts.h"

#include <math.h>
#include <string.h>

#include "check.h"

enum { MOST = 5000, RESAMPLES = 11, COLUMNS = 3 };

static uint64_t next_bits(void *state)
{
    return next_random(state);
}

static uint32_t next_half(void *state)
{
    return (uint32_t)(next_random(state) >> 32);
}

static double values[COLUMNS * MOST], parts[2 * COUNT_TOGETHER * COUNT_PARTS * COLUMNS];
static uint8_t counts[COUNT_TOGETHER * (MOST + 64)], first_counts[MOST + 64];
static double sums[3][2][RESAMPLES * COLUMNS];

static void test_levels(int64_t n)
{
    query_counts drawn;
    for (int level = 0; level <= (int)widest_instructions(); level++) {
        unsigned long long seed = 7;
        bit_generator generator = {&seed, next_bits, next_half, NULL, NULL};
        query_counts_start(&drawn, &generator, n);
        query_counts_draw(&drawn, n, (enum vector_instructions)level, counts);
        int64_t total = 0;
        for (int64_t q = 0; q < n; q++)
            total += counts[q];
        CHECK(total == n);
        if (level == 0)
            memcpy(first_counts, counts, (size_t)n);
        CHECK(memcmp(first_counts, counts, (size_t)n) == 0);
        query_counts_moments(&drawn, values, n, COLUMNS, RESAMPLES, (enum vector_instructions)level,
                             counts, parts, sums[level][0], sums[level][1], NULL);
        CHECK(memcmp(sums[level], sums[0], sizeof sums[0]) == 0);
        for (int r = 0; r < RESAMPLES; r++)
            CHECK(sums[level][0][r * COLUMNS] == (double)n);
    }
}

int main(void)
{
    unsigned long long seed = 3;
    static const int64_t sizes[] = {17, 63, 64, 65, 1023, 1024, 1025, MOST};
    for (int i = 0; i < 8; i++) {
        int64_t n = sizes[i];
        for (int64_t q = 0; q < COLUMNS * n; q++)
            values[q] = q < n ? 1 : (double)next_random(&seed) * 0x1p-64 - 0.5;
        test_levels(n);
    }
    return failures;
}
