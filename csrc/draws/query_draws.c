/* Sums over bootstrap resamples, and ranks by random weights. The contract: query_draws.h. */
#include "draws/query_draws.h"

#include <math.h>
#include <string.h>

static inline uint32_t next_half(half_stream *stream)
{
    if (stream->has_half) {
        stream->has_half = 0;
        return (uint32_t)(stream->drawn >> 32);
    }
    stream->drawn = stream->bits->next_uint64(stream->bits->state);
    stream->has_half = 1;
    return (uint32_t)stream->drawn;
}

/* The place that NumPy draws with this half, or with those after it: products whose low half is
 * below 2^32 mod end are drawn again. */
static inline uint32_t place_of(half_stream *stream, uint32_t half, uint32_t end, uint32_t least)
{
    uint64_t product = (uint64_t)half * end;
    while ((uint32_t)product < least)
        product = (uint64_t)next_half(stream) * end;
    return (uint32_t)(product >> 32);
}

/* How often each query is drawn: two draws from one number where neither is drawn again. */
static void count_resample(half_stream *stream, uint32_t end, uint32_t least, uint32_t *counts)
{
    uint32_t q = 0;
    while (q < end) {
        if (stream->has_half || end - q < 2) {
            counts[place_of(stream, next_half(stream), end, least)]++;
            q++;
            continue;
        }
        uint64_t both = stream->bits->next_uint64(stream->bits->state);
        uint64_t a = (both & UINT32_MAX) * end, b = (both >> 32) * end;
        if ((uint32_t)a >= least && (uint32_t)b >= least) {
            counts[a >> 32]++;
            counts[b >> 32]++;
            q += 2;
        } else {
            stream->drawn = both;
            stream->has_half = 1;
            counts[place_of(stream, (uint32_t)both, end, least)]++;
            q++;
        }
    }
}

void resampled_shares(half_stream *stream, int64_t n, int64_t resamples, uint32_t *counts,
                      double *shares, work_watch *watch)
{
    const uint32_t end = (uint32_t)n, least = (0 - end) % end; /* 2^32 mod n */
    for (int64_t r = 0; r < resamples && !watch_stops(watch, 4 * n); r++) {
        double *share = shares + r * n;
        if (n == 1) /* NumPy draws nothing where there is one number to draw */
            counts[0] = 1;
        else
            count_resample(stream, end, least, counts);
        for (int64_t q = 0; q < n; q++)
            share[q] = (double)counts[q] / (double)n;
        memset(counts, 0, (size_t)n * sizeof *counts);
    }
}

/* Places of queries, drawn as NumPy draws them, so many pairs of them at a time. */
enum { BLOCK = 512 };

typedef struct {
    pcg64 *bits;
    uint64_t end, least;   /* n, and 2^32 mod n */
    int64_t first, last;   /* those of the places that are not used yet */
    uint64_t pairs[BLOCK]; /* the place that comes first is the low half */
} place_stream;

/* The places of a block of numbers; returns whether one of them is to be drawn again, as the low
 * half of its product is below `least`. */
ALWAYS_INLINE int pairs_of(const uint64_t *numbers, uint64_t end, uint64_t least, uint64_t *pairs)
{
    uint64_t borrows = 0;
    for (int i = 0; i < BLOCK; i++) {
        const uint64_t a = (numbers[i] & UINT32_MAX) * end, b = (numbers[i] >> 32) * end;
        borrows |= ((a & UINT32_MAX) - least) | ((b & UINT32_MAX) - least);
        pairs[i] = a >> 32 | (b & ~(uint64_t)UINT32_MAX);
    }
    return (int)(borrows >> 63);
}

#ifdef VECTOR_DISPATCH
VECTOR_TARGET_AVX2
static int pairs_avx2(const uint64_t *numbers, uint64_t end, uint64_t least, uint64_t *pairs)
{
    return pairs_of(numbers, end, least, pairs);
}

VECTOR_TARGET_AVX512
static int pairs_avx512(const uint64_t *numbers, uint64_t end, uint64_t least, uint64_t *pairs)
{
    return pairs_of(numbers, end, least, pairs);
}
#endif

static void refill(place_stream *stream, enum vector_instructions instructions)
{
    uint64_t numbers[BLOCK], *pairs = stream->pairs;
    const uint64_t end = stream->end, least = stream->least;
    int again;
    pcg64_fill(stream->bits, numbers, BLOCK);
#ifdef VECTOR_DISPATCH
    if (instructions == VECTOR_AVX512)
        again = pairs_avx512(numbers, end, least, pairs);
    else if (instructions == VECTOR_AVX2)
        again = pairs_avx2(numbers, end, least, pairs);
    else
#else
    (void)instructions;
#endif
        again = pairs_of(numbers, end, least, pairs);
    stream->first = 0;
    stream->last = 2 * BLOCK;
    if (!again)
        return;
    stream->last = 0;
    for (int i = 0; i < 2 * BLOCK; i++) {
        const uint64_t product = (numbers[i / 2] >> (32 * (i % 2)) & UINT32_MAX) * end;
        const int64_t k = stream->last;
        if ((product & UINT32_MAX) < least)
            continue;
        pairs[k / 2] = k % 2 ? pairs[k / 2] | (product & ~(uint64_t)UINT32_MAX) : product >> 32;
        stream->last++;
    }
}

static inline uint32_t place_at(const uint64_t *pairs, int64_t k)
{
    return (uint32_t)(pairs[k / 2] >> (32 * (k % 2)));
}

/* One column, at the places from `first` to `last`: four sums that do not wait for one another. */
static int64_t sum_at(const uint64_t *pairs, int64_t first, int64_t last, const int64_t *values)
{
    int64_t sum[4] = {0, 0, 0, 0}, k = first;
    if (k % 2 && k < last)
        sum[0] = values[place_at(pairs, k++)];
    for (; k + 4 <= last; k += 4) {
        const uint64_t one = pairs[k / 2], two = pairs[k / 2 + 1];
        sum[0] += values[(uint32_t)one];
        sum[1] += values[one >> 32];
        sum[2] += values[(uint32_t)two];
        sum[3] += values[two >> 32];
    }
    for (; k < last; k++)
        sum[0] += values[place_at(pairs, k)];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* One column of n queries: the sums of two resamples from n pairs, as many times as the places that
 * are ready allow.  With a number that the compiler knows, all is one straight line. */
ALWAYS_INLINE int64_t few_sums(place_stream *stream, int64_t n, int64_t resamples,
                               const int64_t *values, int64_t *sums)
{
    int64_t r = 0;
    for (; r + 2 <= resamples && stream->first + 2 * n <= stream->last; r += 2) {
        const uint64_t *pairs = stream->pairs + stream->first / 2;
        int64_t one = 0, two = 0;
        for (int64_t k = 0; k < n; k++) { /* 2 n places: the first n are those of the first */
            const int64_t low = values[(uint32_t)pairs[k]], high = values[pairs[k] >> 32];
            one += (2 * k < n ? low : 0) + (2 * k + 1 < n ? high : 0);
            two += (2 * k < n ? 0 : low) + (2 * k + 1 < n ? 0 : high);
        }
        sums[r] = one;
        sums[r + 1] = two;
        stream->first += 2 * n;
    }
    return r;
}

/* How many resamples are summed so: of few queries, the steps between them would take as long. */
static int64_t ready_sums(place_stream *stream, int64_t n, int64_t resamples, const int64_t *values,
                          int64_t *sums)
{
    switch (stream->first % 2 ? 0 : n) {
    case 2:
        return few_sums(stream, 2, resamples, values, sums);
    case 3:
        return few_sums(stream, 3, resamples, values, sums);
    case 4:
        return few_sums(stream, 4, resamples, values, sums);
    case 5:
        return few_sums(stream, 5, resamples, values, sums);
    case 6:
        return few_sums(stream, 6, resamples, values, sums);
    case 7:
        return few_sums(stream, 7, resamples, values, sums);
    default:
        return 0;
    }
}

void resampled_sums(pcg64 *bits, const int64_t *values, int64_t n, int64_t columns,
                    int64_t resamples, int64_t *sums, work_watch *watch)
{
    const enum vector_instructions instructions = widest_instructions();
    place_stream stream;
    stream.bits = bits;
    stream.end = (uint64_t)n;
    stream.least = (UINT64_C(1) << 32) % stream.end;
    stream.first = stream.last = 0;
    memset(sums, 0, (size_t)(resamples * columns) * sizeof *sums);
    for (int64_t r = 0; r < resamples && !watch_stops(watch, n * (1 + columns)); r++) {
        if (columns == 1) {
            const int64_t done = ready_sums(&stream, n, resamples - r, values, sums + r);
            r += done;
            if (r == resamples || watch_stops(watch, 2 * n * done))
                break;
        }
        int64_t *sum = sums + r * columns;
        if (n == 1) /* NumPy draws nothing where there is one number to draw */
            memcpy(sum, values, (size_t)columns * sizeof *sum);
        for (int64_t left = n > 1 ? n : 0; left > 0;) {
            if (stream.first == stream.last)
                refill(&stream, instructions);
            const int64_t ready = stream.last - stream.first, now = left < ready ? left : ready;
            const int64_t last = stream.first + now;
            if (columns == 1)
                *sum += sum_at(stream.pairs, stream.first, last, values);
            for (int64_t k = stream.first; columns > 1 && k < last; k++) {
                const int64_t *row = values + place_at(stream.pairs, k) * columns;
                for (int64_t j = 0; j < columns; j++)
                    sum[j] += row[j];
            }
            stream.first = last;
            left -= now;
        }
    }
}

ALWAYS_INLINE void weighted_sums(const double *weights, int64_t n, const double *values,
                                 int64_t systems, double *sums)
{
    for (int64_t s = 0; s < systems; s++)
        sums[s] = 0;
    for (int64_t q = 0; q < n; q++)
        for (int64_t s = 0; s < systems; s++)
            sums[s] += weights[q] * values[q * systems + s];
}

static void count_best(const double *sums, int64_t systems, double *best)
{
    double highest = sums[0];
    int64_t n_highest = 0;
    for (int64_t s = 1; s < systems; s++)
        highest = sums[s] > highest ? sums[s] : highest;
    for (int64_t s = 0; s < systems; s++)
        n_highest += sums[s] == highest;
    for (int64_t s = 0; s < systems; s++)
        if (sums[s] == highest)
            best[s] += 1.0 / (double)n_highest;
}

/* How many systems are above each: doubles all the way, so that compilers take several at once. */
ALWAYS_INLINE void find_places(const double *sums, int64_t systems, double *places)
{
    for (int64_t s = 0; s < systems; s++) {
        const double own = sums[s];
        double n_above = 0;
        double count[4] = {0, 0, 0, 0};
        int64_t other = 0;
        for (; other + 4 <= systems; other += 4)
            for (int k = 0; k < 4; k++)
                count[k] += sums[other + k] > own ? 1.0 : 0.0;
        for (; other < systems; other++)
            n_above += sums[other] > own ? 1.0 : 0.0;
        places[s] = n_above + (count[0] + count[1]) + (count[2] + count[3]);
    }
}

void count_ranks(const double *weights, int64_t draws, int64_t n, const double *values,
                 int64_t systems, double *memory, int32_t *places, rank_counts *counts,
                 work_watch *watch)
{
    double *sums = memory, *above = memory + systems;
    for (int64_t d = 0; d < draws; d++) {
        if (watch_stops(watch, systems * (n + systems)))
            return;
        weighted_sums(weights + d * n, n, values, systems, sums);
        count_best(sums, systems, counts->best);
        find_places(sums, systems, above);
        for (int64_t s = 0; s < systems; s++)
            places[s] = (int32_t)above[s];
        for (int64_t s = 0; s < systems; s++) {
            const int32_t own = places[s];
            int32_t *wins = counts->above + s * systems;
            for (int64_t other = 0; other < systems; other++)
                wins[other] += own < places[other];
            counts->ranks[s * systems + own]++;
        }
    }
}

/* Takes the squares of t between one system and those after it into their largest.  rows: the
 * values that were drawn less their means, a row for each query with a weight; `spread` is memory.
 */
ALWAYS_INLINE void add_pairs_of(int64_t system, const pair_bootstrap *drawn, const double *rows,
                                const double *squares, int64_t n_rows, double sum_of_squares,
                                const double *mean, double *spread, double *largest)
{
    const int64_t systems = drawn->systems;
    const double none = drawn->least * drawn->least * sum_of_squares, left = 1 - sum_of_squares;
    for (int64_t other = system + 1; other < systems; other++)
        spread[other] = 0;
    for (int64_t q = 0; q < n_rows; q++) {
        const double *row = rows + q * systems;
        const double own = row[system], weight = squares[q];
        for (int64_t other = system + 1; other < systems; other++) {
            const double apart = own - row[other];
            spread[other] += weight * (apart * apart);
        }
    }
    double own = largest[system];
    for (int64_t other = system + 1; other < systems; other++) {
        const double apart = mean[system] - mean[other];
        const double flat = fabs(apart) > drawn->least ? INFINITY : 0.0;
        const double t = spread[other] > none ? apart * apart * left / spread[other] : flat;
        largest[other] = t > largest[other] ? t : largest[other];
        own = t > own ? t : own;
    }
    largest[system] = own;
}

/* One resample. */
ALWAYS_INLINE void largest_in_resample(const pair_bootstrap *drawn, const double *weights,
                                       const double *all_squares, double *memory, double *largest)
{
    const int64_t systems = drawn->systems;
    double *rows = memory, *mean = rows + drawn->n * systems, *spread = mean + systems;
    double *squares = spread + systems;
    int64_t n_rows = 0;
    double sum = 0;
    for (int64_t s = 0; s < systems; s++)
        mean[s] = largest[s] = 0;
    for (int64_t q = 0; q < drawn->n; q++)
        for (int64_t s = 0; weights[q] > 0 && s < systems; s++)
            mean[s] += weights[q] * drawn->values[q * systems + s];
    for (int64_t q = 0; q < drawn->n; q++) {
        if (!(weights[q] > 0))
            continue;
        for (int64_t s = 0; s < systems; s++)
            rows[n_rows * systems + s] = drawn->values[q * systems + s] - mean[s];
        squares[n_rows++] = all_squares[q];
        sum += all_squares[q];
    }
    for (int64_t system = 0; system + 1 < systems; system++)
        add_pairs_of(system, drawn, rows, squares, n_rows, sum, mean, spread, largest);
}

#ifdef VECTOR_DISPATCH
VECTOR_TARGET_AVX2
static void largest_avx2(const pair_bootstrap *drawn, const double *weights, const double *squares,
                         double *memory, double *largest)
{
    largest_in_resample(drawn, weights, squares, memory, largest);
}

VECTOR_TARGET_AVX512
static void largest_avx512(const pair_bootstrap *drawn, const double *weights,
                           const double *squares, double *memory, double *largest)
{
    largest_in_resample(drawn, weights, squares, memory, largest);
}
#endif

void largest_pair_squares(const pair_bootstrap *drawn, int64_t resamples, double *memory,
                          double *largest, work_watch *watch)
{
    const int64_t n = drawn->n, systems = drawn->systems;
    const enum vector_instructions instructions = widest_instructions();
    for (int64_t r = 0; r < resamples; r++) {
        const double *weights = drawn->weights + r * n, *squares = drawn->squares + r * n;
        double *own = largest + r * systems;
        if (watch_stops(watch, n * systems * (systems + 4) / 4))
            return;
#ifdef VECTOR_DISPATCH
        if (instructions == VECTOR_AVX512) {
            largest_avx512(drawn, weights, squares, memory, own);
            continue;
        }
        if (instructions == VECTOR_AVX2) {
            largest_avx2(drawn, weights, squares, memory, own);
            continue;
        }
#else
        (void)instructions;
#endif
        largest_in_resample(drawn, weights, squares, memory, own);
    }
}
