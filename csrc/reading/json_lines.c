/* Reader of JSON lines: query id, document id, value. The contract is in json_lines.h. */

#include "reading/json_lines.h"

#include <string.h>

#include "reading/byte_masks.h"
#include "reading/text_row.h"

typedef struct {
    const char *start, *end; /* of a string, what is within its quotes */
    enum { JSON_LITERAL, JSON_STRING, JSON_WHOLE, JSON_FRACTION } type;
} json_value;

static inline const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t' || *p == '\r')
        p++;
    return p;
}

/* Behind the string whose quote is at p; NULL where it is not plain.  Lines end in \n, a control,
 * so that nothing behind the line is taken. */
static inline const char *read_string(const char *p, json_value *value)
{
    uint32_t ends;
    value->type = JSON_STRING;
    value->start = ++p;
    while ((ends = json_string_ends(p)) == 0)
        p += 16;
    p += lowest_bit(ends);
    value->end = p;
    return *p == '"' ? p + 1 : NULL;
}

static inline int is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

static const char *read_number(const char *p, json_value *value)
{
    value->type = JSON_WHOLE;
    value->start = p;
    p += *p == '-';
    if (!is_digit(*p) || (*p == '0' && is_digit(p[1])))
        return NULL;
    while (is_digit(*p))
        p++;
    if (*p == '.') {
        value->type = JSON_FRACTION;
        if (!is_digit(*++p))
            return NULL;
        while (is_digit(*p))
            p++;
    }
    if (*p == 'e' || *p == 'E') {
        value->type = JSON_FRACTION;
        p++;
        p += *p == '-' || *p == '+';
        if (!is_digit(*p))
            return NULL;
        while (is_digit(*p))
            p++;
    }
    value->end = p;
    return p;
}

static const char *read_value(const char *p, json_value *value)
{
    static const char *const LITERALS[] = {"true", "false", "null"};
    if (*p == '"')
        return read_string(p, value);
    if (*p == '-' || is_digit(*p))
        return read_number(p, value);
    value->type = JSON_LITERAL;
    for (int i = 0; i < 3; i++)
        if (strncmp(p, LITERALS[i], strlen(LITERALS[i])) == 0)
            return p + strlen(LITERALS[i]);
    return NULL;
}

/* An id as its text; whole numbers of at most 18 digits are, but -0, which is 0. */
static int is_id(const json_value *value)
{
    int64_t size = value->end - value->start;
    if (value->type == JSON_STRING)
        return size > 0;
    return value->type == JSON_WHOLE && size <= 18
           && (value->start[0] != '-' || value->start[1] != '0');
}

/* The three members of a plain line; 0 where it is another one. */
static int read_line(const char *p, const char *end, const json_names *names, json_value *found)
{
    int seen = 0;
    p = skip_blanks(p);
    if (*p++ != '{')
        return 0;
    for (;; p++) {
        json_value name, value;
        p = skip_blanks(p);
        if (*p != '"' || (p = read_string(p, &name)) == NULL)
            return 0;
        p = skip_blanks(p);
        if (*p != ':' || (p = read_value(skip_blanks(p + 1), &value)) == NULL)
            return 0;
        for (int i = 0; i < 3; i++)
            if (name.end - name.start == names->size[i]
                && memcmp(name.start, names->name[i], (size_t)names->size[i]) == 0) {
                if (seen >> i & 1)
                    return 0;
                seen |= 1 << i;
                found[i] = value;
            }
        p = skip_blanks(p);
        if (*p == '}')
            break;
        if (*p != ',')
            return 0;
    }
    return seen == 7 && skip_blanks(p + 1) == end && is_id(&found[0]) && is_id(&found[1])
           && (found[2].type == JSON_WHOLE || found[2].type == JSON_FRACTION);
}

enum trec_status json_read(trec_cursor *cursor, trec_rows *rows, const json_names *names,
                           const char *query, int64_t query_size)
{
    const char *limit = cursor->text + cursor->size;
    for (;;) {
        const char *line = cursor->text + cursor->position;
        if (line >= limit)
            return cursor->is_last ? TREC_END : TREC_MORE;
        const char *end = memchr(line, '\n', (size_t)(limit - line));
        if (end == NULL && !cursor->is_last)
            return TREC_MORE;
        if (end == NULL)
            end = limit; /* an end of line is there, too */
        if (skip_blanks(line) == end) {
            cursor->line++;
            cursor->position = end - cursor->text + 1;
            continue;
        }
        json_value found[3] = {{NULL, NULL, JSON_LITERAL}};
        double value;
        if (!read_line(line, end, names, found)
            || trec_number(found[2].start, found[2].end - found[2].start, &value)) {
            cursor->token = line;
            cursor->token_size = end - line;
            return TREC_OTHER;
        }
        enum trec_status status = text_row_append(cursor, rows, query, query_size, found[0].start,
                                                  found[0].end - found[0].start, found[1].start,
                                                  found[1].end - found[1].start);
        if (status != TREC_END)
            return status;
        rows->value[rows->n_rows - 1] = value;
        cursor->position = end - cursor->text + 1;
    }
}
