/* Tokenizer of CSV and TSV tables. The contract is in table_text.h. */

#include "reading/table_text.h"

#include <string.h>

#include "reading/byte_masks.h"
#include "reading/text_row.h"

typedef struct {
    const char *start, *end;
    int is_doubled; /* it has "" for " */
    int is_quoted;
} table_field;

/* One row: its text, what is found of it, and where it ends. */
typedef struct {
    const char *limit;    /* nothing behind is text */
    const char *base;     /* delimiters and ends of lines in base[0 : 64] */
    uint64_t bits;        /* those not yet passed */
    table_field field[3]; /* query id, document id, value */
    int64_t n_columns;
    int64_t n_lines; /* ends of lines within quotes */
    const char *end; /* behind the last field */
} table_row;

static const char *next_special(table_row *row, const char *p, char delimiter)
{
    if (p - row->base >= 64) {
        row->base = p;
        row->bits = bytes_among(p, delimiter, '\n', '\r');
    } else {
        row->bits &= UINT64_MAX << (p - row->base);
    }
    while (row->bits == 0) {
        row->base += 64;
        if (row->base >= row->limit)
            return row->limit;
        row->bits = bytes_among(row->base, delimiter, '\n', '\r');
    }
    const char *at = row->base + lowest_bit(row->bits);
    return at < row->limit ? at : row->limit;
}

/* The field whose quote is at p; *end is behind its second quote. */
static enum trec_status read_quoted(table_row *row, const char *p, int is_last, table_field *field,
                                    const char **end)
{
    const char *at = p + 1;
    field->start = at;
    field->is_doubled = 0;
    for (;;) {
        const char *quote = at < row->limit ? memchr(at, '"', (size_t)(row->limit - at)) : NULL;
        if (quote == NULL || (quote + 1 == row->limit && !is_last))
            return is_last ? TREC_UNCLOSED : TREC_MORE;
        if (quote + 1 == row->limit || quote[1] != '"') {
            field->end = quote;
            break;
        }
        field->is_doubled = 1;
        at = quote + 2;
    }
    for (at = p; (at = memchr(at, '\n', (size_t)(field->end - at))) != NULL; at++)
        row->n_lines++;
    *end = field->end + 1;
    return TREC_END;
}

/* Read the fields of the row at p.  TREC_END: all are there. */
static enum trec_status read_fields(table_row *row, const char *p, const table_layout *layout,
                                    int is_last)
{
    row->base = p;
    row->bits = bytes_among(p, layout->delimiter, '\n', '\r');
    row->n_columns = row->n_lines = 0;
    for (;; p++) {
        const char *end, *start = p;
        while (layout->has_quotes && *start == ' ')
            start++;
        if (*start == '"') /* blanks before a quote, as after a comma */
            p = start;
        table_field field = {p, NULL, 0, 0};
        if (layout->has_quotes && *p == '"' && p < row->limit) {
            field.is_quoted = 1;
            enum trec_status status = read_quoted(row, p, is_last, &field, &end);
            if (status != TREC_END)
                return status;
        } else {
            field.end = end = next_special(row, p, layout->delimiter);
        }
        for (int i = 0; i < 3; i++)
            if (row->n_columns == layout->place[i])
                row->field[i] = field;
        row->n_columns++;
        if (end >= row->limit) {
            row->end = row->limit;
            return is_last ? TREC_END : TREC_MORE;
        }
        p = end;
        if (*p == layout->delimiter)
            continue;
        if (*p == '\r') {
            if (++p == row->limit && !is_last)
                return TREC_MORE;
            if (p < row->limit && *p != '\n')
                return TREC_RETURN;
        } else if (*p != '\n') {
            return TREC_AFTER_QUOTE;
        }
        row->end = p;
        return TREC_END;
    }
}

static inline int is_blank(char c)
{
    return c == ' ' || (unsigned char)(c - '\t') <= 4;
}

/* The field without blanks around it. */
static table_field stripped(table_field field)
{
    while (field.start < field.end && is_blank(*field.start))
        field.start++;
    while (field.start < field.end && is_blank(field.end[-1]))
        field.end--;
    return field;
}

/* The field with " for "", copied to *scratch, which moves behind it. */
static table_field undoubled(table_field field, char **scratch)
{
    char *to = *scratch;
    const char *from = field.start;
    while (from < field.end) {
        const char *quote = memchr(from, '"', (size_t)(field.end - from));
        const char *stop = quote == NULL ? field.end : quote + 1;
        memcpy(to, from, (size_t)(stop - from));
        to += stop - from;
        from = quote == NULL ? stop : stop + 1;
    }
    table_field plain = {*scratch, to, 0, 1};
    *scratch = to;
    return plain;
}

static int read_value(const char *text, int64_t size, int is_rank, double *value)
{
    if (!is_rank)
        return trec_number(text, size, value);
    int has_digits = size > 0 && size <= 15;
    for (int64_t i = 0; i < size && has_digits; i++)
        has_digits = (unsigned char)(text[i] - '0') < 10;
    if (!has_digits || trec_number(text, size, value))
        return 1;
    *value = -*value;
    return 0;
}

static enum trec_status failed(trec_cursor *cursor, enum trec_status status, int64_t found)
{
    cursor->line++;
    cursor->found = found;
    return status;
}

/* Longer than 60 lines because every step can end a row. */
enum trec_status table_read(trec_cursor *cursor, trec_rows *rows, const table_layout *layout,
                            char *scratch, const char *query, int64_t query_size)
{
    table_row row = {0};
    row.limit = cursor->text + cursor->size;
    for (;;) {
        const char *line = cursor->text + cursor->position;
        if (line >= row.limit)
            return cursor->is_last ? TREC_END : TREC_MORE;
        enum trec_status status = read_fields(&row, line, layout, cursor->is_last);
        if (status == TREC_MORE)
            return status;
        if (cursor->nul != NULL && (status != TREC_END || cursor->nul < row.end))
            return failed(cursor, TREC_NUL, 0);
        if (status != TREC_END)
            return failed(cursor, status, 0);
        if (row.n_columns != layout->n_columns) {
            table_field all = {line, row.end, 0, 0};
            all = stripped(all);
            if (all.start == all.end && row.n_lines == 0) { /* an empty line */
                cursor->line++;
                cursor->position = row.end - cursor->text + 1;
                continue;
            }
            return failed(cursor, TREC_COLUMNS, row.n_columns);
        }

        char *free_scratch = scratch;
        for (int i = 0; i < 3; i++) {
            int same = 0; /* a column read twice is copied once: scratch has no more room */
            while (layout->place[same] != layout->place[i])
                same++;
            if (same < i)
                row.field[i] = row.field[same];
            else if (row.field[i].is_doubled)
                row.field[i] = undoubled(row.field[i], &free_scratch);
            else if (i < 2 && !row.field[i].is_quoted)
                row.field[i] = stripped(row.field[i]); /* as names of columns and values are */
            if (i < 2 && row.field[i].start == row.field[i].end)
                return failed(cursor, TREC_NO_ID, i);
        }
        const char *name = row.field[0].start, *id = row.field[1].start;
        status = text_row_append(cursor, rows, query, query_size, name, row.field[0].end - name, id,
                                 row.field[1].end - id);
        if (status != TREC_END)
            return status;
        int64_t n = rows->n_rows - 1;
        cursor->line += row.n_lines;
        cursor->position = row.end - cursor->text + 1;

        table_field value = stripped(row.field[2]);
        if (read_value(value.start, value.end - value.start, layout->has_ranks, &rows->value[n])) {
            cursor->token = value.start;
            cursor->token_size = value.end - value.start;
            return TREC_NUMBER;
        }
    }
}
