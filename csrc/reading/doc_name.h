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

/* Four bytes, the first one highest. */
static inline uint64_t four_bytes(const char *p)
{
    const unsigned char *b = (const unsigned char *)p;
    return (uint64_t)b[0] << 24 | (uint64_t)b[1] << 16 | (uint64_t)b[2] << 8 | (uint64_t)b[3];
}

/* All of a name of less than eight bytes, the first one highest, and 0 behind the end. */
static inline uint64_t short_number(doc_name name)
{
    const unsigned char *b = (const unsigned char *)name.text;
    if (name.size >= 4) {
        uint64_t last = four_bytes(name.text + name.size - 4) << 8 * (8 - name.size);
        return four_bytes(name.text) << 32 | (last & UINT32_C(0xFFFFFFFF));
    }
    uint64_t number = 0;
    for (int64_t i = 0; i < name.size; i++)
        number |= (uint64_t)b[i] << (56 - 8 * i);
    return number;
}

/* The eight bytes from `start` on, the first one highest, and 0 behind the end. */
static inline uint64_t name_number(doc_name name, int64_t start)
{
    int64_t left = name.size - start;
    if (left >= 8)
        return eight_bytes(name.text + start);
    if (left <= 0)
        return 0;
    if (name.size >= 8)
        return eight_bytes(name.text + name.size - 8) << 8 * (8 - left);
    return short_number(name) << 8 * start;
}

/* The first bytes that all names share, as if 0 were behind their ends; n > 0. */
static inline int64_t shared_bytes(const doc_name *names, int64_t n)
{
    for (int64_t at = 0;; at += 8) {
        uint64_t first = name_number(names[0], at), differ = 0;
        int64_t longest = 0;
        for (int64_t i = 0; i < n; i++) {
            differ |= name_number(names[i], at) ^ first;
            longest = names[i].size > longest ? names[i].size : longest;
        }
        if (differ != 0)
            return at + zero_bytes_above(differ);
        if (at + 8 >= longest)
            return at;
    }
}

/* Numbers in the order of the names, but where they are equal.  Names of one size, of 8 to 16
 * bytes, as counted ones are, are their first eight bytes and their last. */
static inline void number_names(const doc_name *names, int64_t n, uint64_t *number)
{
    int64_t size = names[0].size, shared = 0;
    uint64_t first_differ = 0, last_differ = 0;
    int is_short = size >= 8 && size <= 16;
    for (int64_t i = 1; i < n; i++)
        is_short &= names[i].size == size;
    if (!is_short) {
        shared = shared_bytes(names, n);
        for (int64_t i = 0; i < n; i++)
            number[i] = name_number(names[i], shared);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        number[i] = eight_bytes(names[i].text + size - 8);
        last_differ |= number[i] ^ number[0];
        first_differ |= eight_bytes(names[i].text) ^ eight_bytes(names[0].text);
    }
    if (first_differ != 0)
        shared = zero_bytes_above(first_differ);
    else if (last_differ != 0)
        shared = size - 8 + zero_bytes_above(last_differ);
    int64_t beyond = shared - (size - 8); /* bytes of the last eight that all share */
    for (int64_t i = 0; i < n; i++)
        number[i] = beyond < 0 ? eight_bytes(names[i].text + shared) : number[i] << 8 * beyond;
}

/* Whether a comes before b. */
static inline int name_is_before(doc_name a, doc_name b)
{
    int sign = memcmp(a.text, b.text, (size_t)(a.size < b.size ? a.size : b.size));
    return sign != 0 ? sign > 0 : a.size > b.size;
}

#endif
