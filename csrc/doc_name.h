/* Document ids as sort keys: falling bytes, trec_eval's order of equal scores.
 *
 * Ids that tie share their first bytes more often than not ("doc00001234"), so a number is made of
 * the bytes behind those that all of them share.  Where two numbers differ they are in the order of
 * the ids; where they are equal the ids themselves are compared.
 */
#ifndef IRBOUNDS_DOC_NAME_H
#define IRBOUNDS_DOC_NAME_H

#include <stdint.h>
#include <string.h>

typedef struct {
    const char *text;
    int64_t size;
} doc_name;

/* Eight bytes, the first one highest: compilers make one load of it. */
static inline uint64_t eight_bytes(const char *p)
{
    const unsigned char *b = (const unsigned char *)p;
    return (uint64_t)b[0] << 56 | (uint64_t)b[1] << 48 | (uint64_t)b[2] << 40 | (uint64_t)b[3] << 32
           | (uint64_t)b[4] << 24 | (uint64_t)b[5] << 16 | (uint64_t)b[6] << 8 | (uint64_t)b[7];
}

/* The bytes before the highest that is not 0; x is not 0. */
static inline int64_t zero_bytes_above(uint64_t x)
{
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_clzll(x) >> 3;
#else
    int64_t n = 0;
    for (; !(x >> 56); x <<= 8)
        n++;
    return n;
#endif
}

/* The first bytes that two ids share, `most` at most. */
static inline int64_t shared_bytes(doc_name a, doc_name b, int64_t most)
{
    int64_t n = 0;
    most = a.size < most ? a.size : most;
    most = b.size < most ? b.size : most;
    for (; n + 8 <= most; n += 8) {
        uint64_t other = eight_bytes(a.text + n) ^ eight_bytes(b.text + n);
        if (other != 0)
            return n + zero_bytes_above(other);
    }
    while (n < most && a.text[n] == b.text[n])
        n++;
    return n;
}

/* The eight bytes from `start` on, the first one highest, and 0 behind the end. */
static inline uint64_t name_number(doc_name name, int64_t start)
{
    int64_t left = name.size - start;
    if (left >= 8)
        return eight_bytes(name.text + start);
    if (name.size >= 8)
        return left > 0 ? eight_bytes(name.text + name.size - 8) << (8 * (8 - left)) : 0;
    uint64_t number = 0;
    for (int i = 0; i < 8; i++)
        number = number << 8 | (i < left ? (unsigned char)name.text[start + i] : 0);
    return number;
}

/* Whether a comes before b. */
static inline int name_is_before(doc_name a, doc_name b)
{
    int sign = memcmp(a.text, b.text, (size_t)(a.size < b.size ? a.size : b.size));
    return sign != 0 ? sign > 0 : a.size > b.size;
}

#endif
