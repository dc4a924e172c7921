/* Document ids by hash: which row of a table holds a document, and which document is in two
 * rows.
 *
 * Open addressing with linear probing.  A slot is 0 when empty, else (upper half of the hash) << 32
 * | (row + 1); equal halves are settled by comparing the bytes, so answers are exact.  A table of
 * rows holds one query's documents as trec_rows has them: document i is ids[id_end[i - 1] :
 * id_end[i]].
 */
#ifndef IRBOUNDS_DOC_INDEX_H
#define IRBOUNDS_DOC_INDEX_H

#include <stdint.h>
#include <string.h>

typedef struct {
    int64_t n_rows; /* below 2^32 - 1 */
    const uint64_t *hash;
    const int64_t *id_end; /* id_end[-1] is there */
    const char *ids;
} doc_table;

/* A power of two at least half as much again as n_rows, twice n_rows for large tables: the slots
 * that a table needs. */
int64_t doc_index_size(int64_t n_rows);

/* Enter the rows from `first` on into slots that have those before it (none: are empty).  Returns
 * -1, or the first row whose document an earlier row has. */
int64_t doc_index_fill(const doc_table *table, int64_t first, uint64_t *slots, int64_t n_slots);

/* value[i] of the row of `table` that has the document of row i of `wanted`, or `otherwise`.
 * Returns how many of the values that were there are at least 0: another pass over them costs a
 * fortieth of an evaluation. */
int64_t doc_index_look_up(const doc_table *table, const uint64_t *slots, int64_t n_slots,
                          const double *values, const doc_table *wanted, double otherwise,
                          double *found);

/* The row of `table` that has this id, whose hash is given, or -1. */
int64_t doc_index_find(const doc_table *table, const uint64_t *slots, int64_t n_slots,
                       const char *id, int64_t size, uint64_t hash);

/* The halves of a 128-bit product, folded. */
static inline uint64_t doc_mix(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32), other = a0 * b1 + (uint32_t)middle;
    return (other << 32 | (uint32_t)low) ^ (a1 * b1 + (middle >> 32) + (other >> 32));
#endif
}

/* Mixes `size` bytes with a secret: whoever does not know it can make no ids that collide, as every
 * product has an unknown factor on each side (the construction of wyhash). */
static inline uint64_t doc_hash(const char *p, int64_t size, uint64_t secret)
{
    const uint64_t k1 = UINT64_C(0x9E3779B97F4A7C15), k2 = UINT64_C(0xD6E8FEB86659FD93);
    uint64_t h = secret ^ k2, a = 0, b = 0, n = (uint64_t)size;
    for (; size > 16; size -= 16, p += 16) {
        memcpy(&a, p, 8);
        memcpy(&b, p + 8, 8);
        h = doc_mix(a ^ secret, b ^ h);
    }
    a = b = 0;
    if (size >= 8) {
        memcpy(&a, p, 8);
        memcpy(&b, p + size - 8, 8);
    } else if (size >= 4) {
        uint32_t x, y;
        memcpy(&x, p, 4);
        memcpy(&y, p + size - 4, 4);
        a = (uint64_t)x << 32 | y;
    } else if (size > 0) {
        a = (uint64_t)(unsigned char)p[0] << 16 | (uint64_t)(unsigned char)p[size >> 1] << 8
            | (unsigned char)p[size - 1];
    }
    return doc_mix(doc_mix(a ^ secret, b ^ h) ^ n, secret ^ k1);
}

#endif
