/* libFuzzer on the tokenizer: any bytes, read at once and in chunks through arrays that are too
 * small, against a slow reading of the same lines.  The first byte chooses the format and the
 * chunk.
 *
 *     clang -g -O1 -fsanitize=fuzzer,address,undefined -Icsrc fuzz/trec_text.c \
 *         csrc/reading/trec_text.c -lm
 */
#include "reading/trec_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reading/doc_index.h"

static void require(int condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "not so: %s\n", what);
        abort();
    }
}

/* Whether a line that begins with # is a comment: it lacks the columns of a row, or has no number
 * where a row has one. */
static int is_comment(const char *text, const int64_t *token, const int64_t *end, int columns,
                      enum trec_format format)
{
    if (columns < (int)format || (format == TREC_QRELS && columns > 4))
        return 1;
    for (int i = 3; i < (format == TREC_RUN ? 5 : 4); i++) {
        const char *at = text + token[i], *last = text + end[i];
        int has_digit = 0, is_number = 1;
        at += *at == '-' || *at == '+';
        if (last - at == 3 && (!memcmp(at, "inf", 3) || !memcmp(at, "nan", 3)))
            continue;
        for (; at < last; at++) {
            has_digit |= *at >= '0' && *at <= '9';
            is_number &= (*at >= '0' && *at <= '9') || (*at && strchr(".eE+-", *at));
        }
        if (!has_digit || !is_number)
            return 1;
    }
    return 0;
}

/* Rows in the order of the text; a number that the fast way cannot decide is nan. */
enum { SECRET = 7 }; /* of hashes: any number */

typedef struct {
    enum trec_status status;
    int64_t line, n_rows, n_queries, found, memory, id_memory;
    double *value;
    uint64_t *hash;
    int64_t *row_line, *ends;
    char *ids;
} reading;

static void *resized(void *memory, int64_t size)
{
    memory = realloc(memory, (size_t)size);
    require(memory != NULL, "there is memory");
    return memory;
}

static void make_memory(reading *r, int64_t rows, int64_t ids)
{
    r->value = resized(r->value, rows * 8);
    r->hash = resized(r->hash, rows * 8);
    r->row_line = resized(r->row_line, rows * 8);
    r->ends = resized(r->ends, (rows + 1) * 8);
    r->ids = resized(r->ids, ids + TREC_PADDING);
    r->memory = rows;
    r->id_memory = ids;
    r->ends[0] = 0;
}

static void release(reading *r)
{
    free(r->value);
    free(r->hash);
    free(r->row_line);
    free(r->ends);
    free(r->ids);
}

static reading read_with_kernel(const char *text, int64_t size, int64_t chunk,
                                enum trec_format format)
{
    reading r = {0};
    make_memory(&r, 1, 1);
    char *buffer = resized(NULL, size + TREC_PADDING), *query = NULL;
    int64_t query_size = -1, taken = 0;
    memset(buffer, '\n', TREC_PADDING);
    trec_cursor cursor = {buffer, 0, 0, 0, 0, NULL, NULL, 0, 0};
    for (;;) {
        trec_rows rows = {.n_rows = r.n_rows,
                          .max_rows = r.memory,
                          .max_ids = r.id_memory,
                          .value = r.value,
                          .hash = r.hash,
                          .secret = SECRET,
                          .line = r.row_line,
                          .id_end = r.ends + 1,
                          .ids = r.ids};
        r.status = trec_read(&cursor, &rows, format, query, query_size);
        r.n_rows = rows.n_rows;
        if (r.status == TREC_QUERY) {
            query_size = cursor.token_size;
            query = resized(query, query_size + 8);
            memcpy(query, cursor.token, (size_t)query_size);
            r.n_queries++;
        } else if (r.status == TREC_FULL) {
            make_memory(&r, 2 * r.memory, 2 * r.id_memory);
        } else if (r.status == TREC_NUMBER) {
            r.value[r.n_rows - 1] = NAN;
        } else if (r.status == TREC_MORE) {
            int64_t left = cursor.size - cursor.position,
                    more = size - taken < chunk ? size - taken : chunk;
            memmove(buffer, buffer + cursor.position, (size_t)left);
            memcpy(buffer + left, text + taken, (size_t)more);
            memset(buffer + left + more, '\n', TREC_PADDING);
            taken += more;
            cursor.size = left + more;
            cursor.position = 0;
            cursor.is_last = more == 0;
            cursor.nul = memchr(buffer, 0, (size_t)cursor.size);
        } else {
            break;
        }
    }
    r.line = cursor.line;
    r.found = cursor.found;
    free(buffer);
    free(query);
    return r;
}

static int is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Line by line, token by token.  The function is longer than 60 lines because the whole rule of a
 * line is read in one place, as the kernel does not. */
static void compare_with_slow_reading(const reading *r, const char *text, int64_t size,
                                      enum trec_format format)
{
    int64_t row = 0, line = 0, n_queries = 0;
    const char *query = "";
    int64_t query_size = -1;
    for (int64_t start = 0, stop; start < size; start = stop + 1) {
        for (stop = start; stop < size && text[stop] != '\n'; stop++)
            ;
        line++;
        int64_t token[7], end[7], columns = 0, all = 0;
        for (int64_t at = start; at < stop;) {
            while (at < stop && is_blank(text[at]))
                at++;
            int64_t first = at;
            while (at < stop && !is_blank(text[at]))
                at++;
            if (first == at)
                break;
            if (columns < 7) {
                token[columns] = first;
                end[columns++] = at;
            }
            all++;
        }
        if (memchr(text + start, 0, (size_t)(stop - start))) {
            require(r->status == TREC_NUL && r->line == line && r->n_rows == row,
                    "the NUL is found where it is");
            return;
        }
        if (columns == 0)
            continue;
        if (text[token[0]] == '#' && is_comment(text, token, end, columns, format))
            continue;
        if (columns < (int)format || (format == TREC_QRELS && columns > 4)) {
            require(r->status == TREC_COLUMNS && r->line == line && r->n_rows == row
                        && r->found == all,
                    "wrong columns are found and counted");
            return;
        }
        if (columns > 6 && memchr(text + start, '\r', (size_t)(stop - start - 1))) {
            require(r->status == TREC_RETURN && r->line == line && r->n_rows == row,
                    "lines within a line are refused");
            return;
        }
        double rank;
        if (columns > 6
            && (trec_number(text + token[3], end[3] - token[3], &rank)
                || !trec_number(text + token[5], end[5] - token[5], &rank))) {
            require(r->status == TREC_COLUMNS && r->line == line && r->n_rows == row
                        && r->found == all,
                    "ids with blanks are refused");
            return;
        }
        if (query_size != end[0] - token[0] || memcmp(query, text + token[0], (size_t)query_size)) {
            query = text + token[0];
            query_size = end[0] - token[0];
            n_queries++;
        }
        require(row < r->n_rows, "no row is left out");
        int64_t id_size = end[2] - token[2];
        require(r->ends[row + 1] - r->ends[row] == id_size
                    && !memcmp(r->ids + r->ends[row], text + token[2], (size_t)id_size),
                "ids are the third column");
        require(r->hash[row] == doc_hash(text + token[2], id_size, SECRET)
                    && r->row_line[row] == line,
                "hash and line");
        int column = format == TREC_RUN ? 4 : 3;
        char number[400] = {0}, *rest;
        int64_t digits = end[column] - token[column];
        if (!isnan(r->value[row]) && digits < (int64_t)sizeof number) {
            memcpy(number, text + token[column], (size_t)digits);
            double value = strtod(number, &rest);
            require(*rest == 0 && !memcmp(&value, &r->value[row], 8),
                    "numbers are those of strtod");
        }
        row++;
    }
    require(r->status == TREC_END && r->n_rows == row && r->line == line
                && r->n_queries == n_queries,
            "the end");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    enum trec_format format = data[0] & 1 ? TREC_RUN : TREC_QRELS;
    const char *text = (const char *)data + 1;
    int64_t n = (int64_t)size - 1;
    reading whole = read_with_kernel(text, n, n ? n : 1, format),
            parts = read_with_kernel(text, n, (data[0] >> 1) + 1, format);
    compare_with_slow_reading(&whole, text, n, format);
    compare_with_slow_reading(&parts, text, n, format);
    release(&whole);
    release(&parts);
    return 0;
}
