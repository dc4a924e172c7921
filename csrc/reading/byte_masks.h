/* Sets of bytes as bits. */
#ifndef IRBOUNDS_BYTE_MASKS_H
#define IRBOUNDS_BYTE_MASKS_H

#include <stdint.h>

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define BYTES_SSE2 1
#endif

/* The place of the lowest bit that is set; x is not 0. */
#ifdef BYTES_SSE2

static inline int lowest_bit(uint64_t x)
{
#ifdef _MSC_VER
    unsigned long at;
    _BitScanForward64(&at, x);
    return (int)at;
#else
    return __builtin_ctzll(x);
#endif
}

#else

static inline int lowest_bit(uint64_t x)
{
    int at = 0;
    while (!(x & 1)) {
        x >>= 1;
        at++;
    }
    return at;
}

#endif

/* Bit i tells whether byte i of the 64 from p on is one of three. */
static inline uint64_t bytes_among(const char *p, char a, char b, char c)
{
    uint64_t found = 0;
#ifdef BYTES_SSE2
    const __m128i x = _mm_set1_epi8(a), y = _mm_set1_epi8(b), z = _mm_set1_epi8(c);
    for (int i = 0; i < 4; i++) {
        __m128i at = _mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i));
        __m128i is_one = _mm_or_si128(_mm_cmpeq_epi8(at, x),
                                      _mm_or_si128(_mm_cmpeq_epi8(at, y), _mm_cmpeq_epi8(at, z)));
        found |= (uint64_t)(uint32_t)_mm_movemask_epi8(is_one) << (16 * i);
    }
#else
    for (int i = 0; i < 64; i++)
        found |= (uint64_t)(p[i] == a || p[i] == b || p[i] == c) << i;
#endif
    return found;
}

/* The same of the 16 from p on that end a plain string of JSON: quotes, backslashes, and controls,
 * that is bytes below 32. */
static inline uint32_t json_string_ends(const char *p)
{
#ifdef BYTES_SSE2
    const __m128i quote = _mm_set1_epi8('"'), back = _mm_set1_epi8('\\'),
                  control = _mm_set1_epi8(31);
    __m128i at = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i is_one =
        _mm_or_si128(_mm_cmpeq_epi8(_mm_min_epu8(at, control), at),
                     _mm_or_si128(_mm_cmpeq_epi8(at, quote), _mm_cmpeq_epi8(at, back)));
    return (uint32_t)_mm_movemask_epi8(is_one);
#else
    uint32_t found = 0;
    for (int i = 0; i < 16; i++)
        found |= (uint32_t)(p[i] == '"' || p[i] == '\\' || (unsigned char)p[i] < 32) << i;
    return found;
#endif
}

#endif
