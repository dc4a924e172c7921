/* Document ids by hash: which row of a table holds a document, and which document stands in two
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

/* A power of two at least twice n_rows: the slots that a table needs. */
int64_t doc_index_size(int64_t n_rows);

/* Enter the rows from `first` on into slots that have those before it (none: are empty).  Returns
 * -1, or the first row whose document an earlier row has. */
int64_t doc_index_fill(const doc_table *table, int64_t first, uint64_t *slots, int64_t n_slots);

/* value[i] of the row of `table` that has the document of row i of `wanted`, or `otherwise`. */
void doc_index_look_up(const doc_table *table, const uint64_t *slots, int64_t n_slots,
                       const double *values, const doc_table *wanted, double otherwise,
                       double *found);

/* The row of `table` that has this id, whose hash is given, or -1. */
int64_t doc_index_find(const doc_table *table, const uint64_t *slots, int64_t n_slots,
                       const char *id, int64_t size, uint64_t hash);

/* Mixes `size` bytes; equal on every platform of one byte order. */
static inline uint64_t doc_hash(const char *p, int64_t size)
{
    const uint64_t k1 = UINT64_C(0x9E3779B97F4A7C15), k2 = UINT64_C(0xD6E8FEB86659FD93);
    uint64_t h = (uint64_t)size * k1, a = 0, b = 0;
    for (; size > 16; size -= 16, p += 16) {
        memcpy(&a, p, 8);
        memcpy(&b, p + 8, 8);
        h = (h ^ a) * k1;
        h = ((h >> 29 | h << 35) ^ b) * k2;
    }
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
    h = (h ^ a) * k1;
    h = ((h >> 29 | h << 35) ^ b) * k2;
    h = (h ^ h >> 32) * k1;
    return h ^ h >> 29;
}

#endif
