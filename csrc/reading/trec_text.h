/* The tokenizer of run and qrels lines.
 *
 *     run     query_id  Q0  doc_id  rank  score  tag [anything]
 *     qrels   query_id  0   doc_id  relevance
 *
 * Columns are separated by blanks as C's isspace has them; lines end in \n or \r\n.  A file of
 * lines that end in \r alone would be one row and a long rest, and is refused.  Empty lines, and
 * lines whose first character is # that lack the columns of a row, are passed over.  Identifiers
 * are bytes: nothing is decoded. Rows of one query go to the caller's arrays until the query
 * changes, the text runs out or the arrays are full; each call goes on where the last one stopped.
 * Cost: one pass, about 15 ns a line.
 */
#ifndef IRBOUNDS_TREC_TEXT_H
#define IRBOUNDS_TREC_TEXT_H

#include <stdint.h>

/* Newlines that must follow the text, and bytes that must be allocated behind the last
 * identifier stored. */
#define TREC_PADDING 64

enum trec_format { TREC_RUN = 6, TREC_QRELS = 4 }; /* the number of columns */

enum trec_status {
    TREC_END,     /* all of the text is read and no more follows */
    TREC_MORE,    /* the next line is not all there: move the rest to the front and append to it */
    TREC_QUERY,   /* the next line has another query than the rows: `token` is its query_id */
    TREC_FULL,    /* the arrays are full */
    TREC_NUMBER,  /* the last row's value, `token`, is no plain decimal number: the caller converts
                     it */
    TREC_COLUMNS, /* error: the line has `found` columns */
    TREC_NUL,     /* error: the line has a NUL byte */
    TREC_RETURN, /* error: the line has more than its columns, and a \r that is not its last byte */
    TREC_UNCLOSED,    /* errors of tables only: a quote is not closed, */
    TREC_AFTER_QUOTE, /* a field goes on behind its quote, */
    TREC_NO_ID,       /* an id is empty, that of the document where `found` is 1 */
    TREC_OTHER        /* of JSON lines: the line is not plain, the caller reads it */
};

typedef struct {
    const char *text; /* `size` bytes, then TREC_PADDING newlines */
    int64_t size;
    int64_t position;  /* of the next line */
    int64_t line;      /* number of the last line read, from 1; in an error, that line */
    int is_last;       /* nothing follows this text */
    const char *nul;   /* the first NUL byte of the text, or NULL */
    const char *token; /* set with TREC_QUERY and TREC_NUMBER */
    int64_t token_size;
    int64_t found; /* set with TREC_COLUMNS */
} trec_cursor;

typedef struct {
    int64_t n_rows, max_rows;
    int64_t max_ids; /* bytes of `ids`, without the padding behind it */
    double *value;   /* score or relevance */
    uint64_t *hash;  /* doc_hash of the document id, with this secret */
    uint64_t secret;
    int64_t *line; /* line number of each row */
    int64_t
        *id_end; /* document i is ids[id_end[i - 1] : id_end[i]]; id_end[-1] must be there (0) */
    char *ids;
} trec_rows;

/* Read rows of the query `query` (`query_size` bytes; negative: none yet, the first line's query is
 * reported). */
enum trec_status trec_read(trec_cursor *cursor, trec_rows *rows, enum trec_format format,
                           const char *query, int64_t query_size);

/* The value of a decimal number such as -12.5e-3 in text[0 : size], correctly rounded; 8 bytes
 * behind are readable. Returns 0, or 1 where this fast way cannot decide (more than 19 digits,
 * large exponents, inf, nan, no number). */
int trec_number(const char *text, int64_t size, double *value);

#endif
