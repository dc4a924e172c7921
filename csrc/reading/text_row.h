/* A row of text, appended to those of its query. */
#ifndef IRBOUNDS_TEXT_ROW_H
#define IRBOUNDS_TEXT_ROW_H

#include <string.h>

#include "reading/doc_index.h"
#include "reading/trec_text.h"

/* Append a row without its value.  TREC_END: it was, with the number of the next line; TREC_QUERY:
 * its query, now `token`, is another one; TREC_FULL.  TREC_PADDING bytes behind the id are
 * readable. */
static inline enum trec_status text_row_append(trec_cursor *cursor, trec_rows *rows,
                                               const char *query, int64_t query_size,
                                               const char *name, int64_t name_size, const char *id,
                                               int64_t id_size)
{
    if (name_size != query_size || memcmp(name, query, (size_t)name_size) != 0) {
        cursor->token = name;
        cursor->token_size = name_size;
        return TREC_QUERY;
    }
    int64_t n = rows->n_rows, start = rows->id_end[n - 1];
    if (n == rows->max_rows || start + id_size > rows->max_ids)
        return TREC_FULL;
    /* short ids by a constant size, which is one or two instructions */
    memcpy(rows->ids + start, id, id_size <= TREC_PADDING ? TREC_PADDING : (size_t)id_size);
    rows->id_end[n] = start + id_size;
    rows->hash[n] = doc_hash(id, id_size, rows->secret);
    rows->line[n] = ++cursor->line;
    rows->n_rows = n + 1;
    return TREC_END;
}

#endif
