/* JSON lines: an object in each, of which three members are a query id, a document id and a value.
 *
 * Plain lines are read here: members are strings without escapes, numbers, true, false or null; ids
 * are strings that are not empty or whole numbers; the value is a number; no wanted name comes
 * twice.  All others, wrong ones among them, are left to the caller, so that only one reader
 * decides what JSON is.  Cost: one pass, about 35 ns a row.
 */
#ifndef IRBOUNDS_JSON_LINES_H
#define IRBOUNDS_JSON_LINES_H

#include "reading/trec_text.h"

typedef struct {
    const char *name[3]; /* of query id, document id and value */
    int64_t size[3];
} json_names;

/* Read rows of the query `query` as trec_read does.  TREC_OTHER: the next line is not plain; it is
 * `token`. */
enum trec_status json_read(trec_cursor *cursor, trec_rows *rows, const json_names *names,
                           const char *query, int64_t query_size);

#endif
