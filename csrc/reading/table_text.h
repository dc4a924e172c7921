/* The tokenizer of tables of text (CSV, TSV): rows of fields between delimiters.
 *
 * Rows end in \n or \r\n.  A field that begins with a quote ends with one, may hold delimiters and
 * ends of lines, and has "" for a quote (RFC 4180); quotes within other fields are themselves.
 * Blanks belong to ids; around numbers they do not count.  Rows of nothing but blanks are passed
 * over.  Calls go on as those of trec_read do.  Cost: one pass, about 20 ns a row.
 */
#ifndef IRBOUNDS_TABLE_TEXT_H
#define IRBOUNDS_TABLE_TEXT_H

#include "reading/trec_text.h"

typedef struct {
    char delimiter;
    int has_quotes; /* 0: quotes are themselves everywhere */
    int has_ranks;  /* values are ranks, whole numbers of at most 15 digits, and count negative */
    int64_t n_columns;
    int64_t place[3]; /* columns of query id, document id and value */
} table_layout;

/* Read rows of the query `query` as trec_read does.  `scratch` has as many bytes as the text and
 * TREC_PADDING more; what `token` points to lies there or in the text. */
enum trec_status table_read(trec_cursor *cursor, trec_rows *rows, const table_layout *layout,
                            char *scratch, const char *query, int64_t query_size);

#endif
