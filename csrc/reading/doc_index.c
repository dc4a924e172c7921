/* Hash index of document ids. The contract is in doc_index.h. */

#include "reading/doc_index.h"

static inline int same_document(const doc_table *a, int64_t i, const doc_table *b, int64_t j)
{
    int64_t size = a->id_end[i] - a->id_end[i - 1];
    return size == b->id_end[j] - b->id_end[j - 1]
           && memcmp(a->ids + a->id_end[i - 1], b->ids + b->id_end[j - 1], (size_t)size) == 0;
}

/* One bit for each of 4096 hashes tells most documents that are not there without a probe, whose
 * branch, taken as often as not, costs more than all the rest.  Larger tables would fill it. */
enum { FILTER_WORDS = 64, FILTER_SHIFT = 58, MOST_FILTERED = 1024 };

int64_t doc_index_size(int64_t n_rows)
{
    /* Behind the filter few probes fail, so that fuller tables, of half the memory, are as fast. */
    int64_t size = 4, least = n_rows > MOST_FILTERED ? 2 * n_rows : n_rows + n_rows / 2;
    while (size < least)
        size *= 2;
    return size;
}

int64_t doc_index_fill(const doc_table *table, int64_t first, uint64_t *slots, int64_t n_slots)
{
    uint64_t mask = (uint64_t)n_slots - 1;
    for (int64_t i = first; i < table->n_rows; i++) {
        uint64_t hash = table->hash[i], at = hash & mask;
        for (; slots[at] != 0; at = (at + 1) & mask)
            if ((slots[at] ^ hash) >> 32 == 0
                && same_document(table, i, table, (int64_t)(uint32_t)slots[at] - 1))
                return i;
        slots[at] = (hash >> 32 << 32) | (uint64_t)(i + 1);
    }
    return -1;
}

int64_t doc_index_find(const doc_table *table, const uint64_t *slots, int64_t n_slots,
                       const char *id, int64_t size, uint64_t hash)
{
    uint64_t mask = (uint64_t)n_slots - 1;
    for (uint64_t at = hash & mask; slots[at] != 0; at = (at + 1) & mask) {
        int64_t row = (int64_t)(uint32_t)slots[at] - 1, start = table->id_end[row - 1];
        if ((slots[at] ^ hash) >> 32 == 0 && table->id_end[row] - start == size
            && memcmp(table->ids + start, id, (size_t)size) == 0)
            return row;
    }
    return -1;
}

int64_t doc_index_look_up(const doc_table *table, const uint64_t *slots, int64_t n_slots,
                          const double *values, const doc_table *wanted, double otherwise,
                          double *found)
{
    uint64_t mask = (uint64_t)n_slots - 1, filter[FILTER_WORDS];
    memset(filter, table->n_rows > MOST_FILTERED ? 0xFF : 0, sizeof filter);
    for (int64_t i = 0; i < table->n_rows && table->n_rows <= MOST_FILTERED; i++)
        filter[table->hash[i] >> FILTER_SHIFT] |= UINT64_C(1) << (table->hash[i] & 63);
    int64_t n_least = 0;
    for (int64_t i = 0; i < wanted->n_rows; i++) {
        uint64_t hash = wanted->hash[i], at = hash & mask;
        double value = otherwise;
        if (!(filter[hash >> FILTER_SHIFT] >> (hash & 63) & 1)) {
            found[i] = otherwise;
            continue;
        }
        for (; slots[at] != 0; at = (at + 1) & mask) {
            int64_t row = (int64_t)(uint32_t)slots[at] - 1;
            if ((slots[at] ^ hash) >> 32 == 0 && same_document(wanted, i, table, row)) {
                value = values[row];
                n_least += value >= 0;
                break;
            }
        }
        found[i] = value;
    }
    return n_least;
}
