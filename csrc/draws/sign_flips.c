/* Sums over queries with random signs, for randomisation tests. The contract is in sign_flips.h. */

#include "draws/sign_flips.h"

#include <string.h>

enum { GROUP = 8, SUBSETS = 1 << GROUP };

/* Two flips from one number: 1 where the sign is changed.  A row of two is exchanged where NumPy
 * draws place 0. */
static inline uint64_t two_flips(bit_generator *bits)
{
    uint64_t both = ~bits->next_uint64(bits->state);
    return (both & 1) | (both >> 31 & 2);
}

/* The next flips, 1 to 8 of them. */
static inline unsigned next_flips(flip_stream *stream, int n)
{
    while (stream->n_ready < n) {
        stream->ready |= two_flips(stream->bits) << stream->n_ready;
        stream->n_ready += 2;
    }
    unsigned flips = (unsigned)(stream->ready & ((UINT64_C(1) << n) - 1));
    stream->ready >>= n;
    stream->n_ready -= n;
    return flips;
}

/* The next 8: as many more are drawn, so that as many stay ready. */
static inline unsigned next_group(flip_stream *stream)
{
    uint64_t drawn = two_flips(stream->bits);
    drawn |= two_flips(stream->bits) << 2;
    drawn |= two_flips(stream->bits) << 4;
    drawn |= two_flips(stream->bits) << 6;
    uint64_t ready = stream->ready | drawn << stream->n_ready;
    stream->ready = ready >> GROUP;
    return (unsigned)(ready & 0xff);
}

static inline unsigned count_bits(unsigned byte)
{
    byte -= byte >> 1 & 0x55;
    byte = (byte & 0x33) + (byte >> 2 & 0x33);
    return (byte + (byte >> 4)) & 0x0f;
}

void sign_flips_draw(flip_stream *stream, int64_t n, int64_t resamples, uint8_t *flips,
                     int64_t *flipped, work_watch *watch)
{
    int64_t whole = n / GROUP, rest = n % GROUP;
    for (int64_t r = 0; r < resamples && !watch_stops(watch, n); r++) {
        uint8_t *group = flips + r;
        int64_t count = 0;
        for (int64_t g = 0; g < whole; g++, group += resamples) {
            unsigned drawn = next_group(stream);
            count += count_bits(drawn);
            *group = (uint8_t)drawn;
        }
        if (rest) {
            unsigned drawn = next_flips(stream, (int)rest);
            count += count_bits(drawn);
            *group = (uint8_t)drawn;
        }
        flipped[r] = count;
    }
}

void sign_flips_draw_dense(bit_generator *bits, int64_t n, int64_t resamples, uint8_t *flips,
                           int64_t *flipped, work_watch *watch)
{
    for (int64_t r = 0; r < resamples && !watch_stops(watch, n / 8); r++) {
        uint8_t *group = flips + r;
        int64_t count = 0;
        for (int64_t left = n; left > 0; left -= 64) {
            uint64_t drawn = bits->next_uint64(bits->state);
            if (left < 64)
                drawn &= (UINT64_C(1) << left) - 1;
            for (int64_t i = 0; i < 8 && GROUP * i < left; i++, group += resamples) {
                unsigned byte = (unsigned)(drawn >> GROUP * i & 0xff);
                count += count_bits(byte);
                *group = (uint8_t)byte;
            }
        }
        flipped[r] = count;
    }
}

void sign_flips_sum(const uint8_t *flips, int64_t n, int64_t resamples, const int64_t *values,
                    int64_t *sums, work_watch *watch)
{
    int64_t table[SUBSETS];
    memset(sums, 0, (size_t)resamples * sizeof *sums);
    for (int64_t first = 0; first < n && !watch_stops(watch, resamples + SUBSETS); first += GROUP) {
        table[0] = 0;
        /* The subsets with value i are those without it, and it. */
        for (int64_t i = 0; i < GROUP; i++) {
            int64_t value = first + i < n ? values[first + i] : 0;
            for (int64_t k = 0; k < INT64_C(1) << i; k++)
                table[k + (INT64_C(1) << i)] = table[k] + value;
        }
        for (int64_t r = 0; r < resamples; r++)
            sums[r] += table[flips[r]];
        flips += resamples;
    }
}

/* The sums of all subsets of 8 values, in order: those without the next value and those with it are
 * merged. */
static void ordered_sums(const int64_t *values, int64_t *sums)
{
    int64_t before[SUBSETS / 2];
    sums[0] = 0;
    for (int64_t i = 0; i < GROUP; i++) {
        int64_t size = INT64_C(1) << i, without = 0, with = 0, value = values[i];
        memcpy(before, sums, (size_t)size * sizeof *sums);
        for (int64_t k = 0; k < 2 * size; k++)
            if (with == size || (without < size && before[without] <= before[with] + value))
                sums[k] = before[without++];
            else
                sums[k] = before[with++] + value;
    }
}

int64_t subset_sums_up_to(const int64_t *values, int64_t limit)
{
    int64_t first[SUBSETS], second[SUBSETS], few = SUBSETS, count = 0;
    ordered_sums(values, first);
    ordered_sums(values + GROUP, second);
    /* As a sum of the first half rises, fewer of the second may be added to it. */
    for (int64_t i = 0; i < SUBSETS; i++) {
        while (few > 0 && first[i] + second[few - 1] > limit)
            few--;
        count += few;
    }
    return count;
}

/* A whole number from 0 to `most`, as NumPy's random_interval draws it: bits that are no more,
 * others are drawn again. */
static inline int64_t interval(bit_generator *bits, uint32_t most, uint32_t mask)
{
    uint32_t value;
    do
        value = bits->next_uint32(bits->state) & mask;
    while (value > most);
    return (int64_t)value;
}

static int64_t spread_of(const int64_t *sums, int64_t systems, int64_t baseline)
{
    int64_t low = sums[0], high = sums[0];
    for (int64_t s = 1; s < systems; s++) {
        low = sums[s] < low ? sums[s] : low;
        high = sums[s] > high ? sums[s] : high;
    }
    if (baseline < 0)
        return high - low;
    return high - sums[baseline] > sums[baseline] - low ? high - sums[baseline]
                                                        : sums[baseline] - low;
}

void shuffled_spreads(bit_generator *bits, const int64_t *values, int64_t n, int64_t measures,
                      int64_t systems, int64_t baseline, int64_t resamples, int64_t *spread,
                      int64_t *sums, int64_t *place, work_watch *watch)
{
    for (int64_t r = 0; r < resamples; r++) {
        memset(sums, 0, (size_t)(measures * systems) * sizeof *sums);
        for (int64_t q = 0; q < n; q++) {
            if (watch_stops(watch, (4 + measures) * systems))
                return;
            for (int64_t s = 0; s < systems; s++)
                place[s] = s;
            for (int64_t s = systems - 1; s > 0; s--) {
                uint32_t mask = (uint32_t)s;
                for (int shift = 1; shift < 32; shift *= 2)
                    mask |= mask >> shift;
                int64_t other = interval(bits, (uint32_t)s, mask), kept = place[s];
                place[s] = place[other];
                place[other] = kept;
            }
            const int64_t *value = values + q * measures * systems;
            for (int64_t j = 0; j < measures; j++)
                for (int64_t s = 0; s < systems; s++)
                    sums[j * systems + s] += value[j * systems + place[s]];
        }
        for (int64_t j = 0; j < measures; j++)
            spread[r * measures + j] = spread_of(sums + j * systems, systems, baseline);
    }
}
