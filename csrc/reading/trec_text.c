/* Tokenizer of run and qrels lines. The contract is in trec_text.h. */

#include "reading/trec_text.h"

#include <math.h>
#include <string.h>

#include "reading/byte_masks.h"
#include "reading/doc_index.h"

/* Bit i of `blank` and of `newline` tells of byte i of the 64 from p on. */
typedef struct {
    uint64_t blank, newline;
} byte_masks;

#ifdef BYTES_SSE2

static inline byte_masks classify(const char *p)
{
    byte_masks m = {0, 0};
    const __m128i space = _mm_set1_epi8(' '), tab = _mm_set1_epi8('\t'), four = _mm_set1_epi8(4),
                  newline = _mm_set1_epi8('\n');
    for (int i = 0; i < 4; i++) {
        __m128i c = _mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i));
        __m128i from_tab = _mm_sub_epi8(c, tab); /* \t \n \v \f \r become 0 .. 4 */
        __m128i blank = _mm_or_si128(_mm_cmpeq_epi8(c, space),
                                     _mm_cmpeq_epi8(_mm_min_epu8(from_tab, four), from_tab));
        m.blank |= (uint64_t)(uint32_t)_mm_movemask_epi8(blank) << (16 * i);
        m.newline |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(c, newline)) << (16 * i);
    }
    return m;
}

#else

static inline byte_masks classify(const char *p)
{
    byte_masks m = {0, 0};
    for (int i = 0; i < 64; i++) {
        unsigned char c = (unsigned char)p[i];
        m.blank |= (uint64_t)(c == ' ' || (unsigned char)(c - '\t') <= 4) << i;
        m.newline |= (uint64_t)(c == '\n') << i;
    }
    return m;
}

#endif

/* The places where blank and not blank meet: start of a token, its end, start of the next, … */
typedef struct {
    const char *base, *limit; /* nothing behind the limit is read */
    uint64_t bits;            /* the edges in base[0 : 64] not yet taken */
    uint64_t carry;           /* 1 where base[63] is blank */
} edge_list;

static inline void find_edges(edge_list *e, uint64_t blank)
{
    e->bits = blank ^ (blank << 1 | e->carry);
    e->carry = blank >> 63;
}

static inline const char *next_edge(edge_list *e)
{
    while (e->bits == 0) {
        e->base += 64;
        if (e->base > e->limit)
            return e->limit;
        find_edges(e, classify(e->base).blank);
    }
    const char *at = e->base + lowest_bit(e->bits);
    e->bits &= e->bits - 1;
    return at;
}

/* m 10^-scale for m below 2^64 and 0 < scale <= 22, rounded correctly, by a quotient in two doubles
 * (Dekker 1971). Returns 1 where the quotient lies too near the middle of two doubles to tell. */
static int divide_by_power(uint64_t m, double power, double *value)
{
    const double splitter = 134217729.0; /* 2^27 + 1 */
    double high = (double)(m >> 11 << 11), low = (double)(m & 2047);
    double q = high / power;
    double c = splitter * q, q1 = c - (c - q), q2 = q - q1;
    c = splitter * power;
    double p1 = c - (c - power), p2 = power - p1;
    double product = q * power;
    double error = ((q1 * p1 - product) + q1 * p2 + q2 * p1) + q2 * p2;
    double rest = ((high - product) - error) + low;
    double correction = rest / power;
    double sum = q + correction;
    double lost = correction - (sum - q);
    int exponent;
    int is_power_of_two = frexp(sum, &exponent) == 0.5;
    double half_unit = ldexp(1.0, exponent - 54);
    *value = sum;
    return is_power_of_two || fabs(fabs(lost) - half_unit) < half_unit * 1e-9;
}

/* Take the digits text[0 : end] into m: eight at a time where all are digits, one by one up to the
 * first that is none. Reads up to 8 bytes behind the end.  The steps for eight: Lemire, "Quickly
 * parsing eight digits", 2018. */
static const char *read_digits(const char *p, const char *end, uint64_t *m)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    static const uint64_t power_of_ten[] = {1,      10,      100,      1000,     10000,
                                            100000, 1000000, 10000000, 100000000};
    while (p < end) {
        int64_t count = end - p < 8 ? end - p : 8;
        uint64_t x;
        memcpy(&x, p, 8);
        x = (x ^ UINT64_C(0x3030303030303030)) << (64 - 8 * count);
        if (((x + UINT64_C(0x7676767676767676)) | x) & UINT64_C(0x8080808080808080))
            break;
        x = x * 10 + (x >> 8);
        x = ((x & UINT64_C(0x000000FF000000FF)) * UINT64_C(0x000F424000000064)
             + ((x >> 16) & UINT64_C(0x000000FF000000FF)) * UINT64_C(0x0000271000000001))
            >> 32;
        *m = *m * power_of_ten[count] + x;
        p += count;
    }
#endif
    for (unsigned digit; p < end && (digit = (unsigned)(unsigned char)*p - '0') < 10; p++)
        *m = 10 * *m + digit;
    return p;
}

int trec_number(const char *text, int64_t size, double *value)
{
    static const double power_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                          1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                          1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *p = text, *end = text + size;
    int negative = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');

    uint64_t m = 0;
    int64_t digits, scale = 0; /* significant digits; the number is m 10^-scale */
    unsigned digit;
    const char *first = p;
    while (p < end && *p == '0')
        p++;
    const char *start = p;
    for (; p < end && (digit = (unsigned)(unsigned char)*p - '0') < 10; p++)
        m = 10 * m + digit;
    digits = p - start;
    int64_t written = p - first;
    if (p < end && *p == '.') {
        first = ++p;
        while (digits == 0 && p < end && *p == '0')
            p++;
        start = p;
        p = read_digits(p, end, &m);
        digits += p - start;
        scale = p - first;
        written += scale;
    }
    if (written == 0 || digits > 19)
        return 1;
    if (p < end && (*p == 'e' || *p == 'E')) {
        p++;
        int below_one = p < end && *p == '-';
        p += p < end && (*p == '-' || *p == '+');
        int64_t exponent = 0;
        start = p;
        for (; p < end && p - start < 4 && (digit = (unsigned)(unsigned char)*p - '0') < 10; p++)
            exponent = 10 * exponent + digit;
        if (p == start)
            return 1;
        scale += below_one ? exponent : -exponent;
    }
    if (p != end)
        return 1;

    double magnitude;
    if (m >> 53 == 0 && scale >= -22 && scale <= 22) { /* one rounding: Clinger 1990 */
        magnitude = scale >= 0 ? (double)m / power_of_ten[scale] : (double)m * power_of_ten[-scale];
    } else if (m == 0) {
        magnitude = 0.0;
    } else if (scale == 0) {
        magnitude = (double)m;
    } else if (scale < 0 || scale > 22 || divide_by_power(m, power_of_ten[scale], &magnitude)) {
        return 1;
    }
    *value = negative ? -magnitude : magnitude;
    return 0;
}

/* Columns of a line, for an error message. */
static int64_t count_columns(const char *line, const char *line_end)
{
    int64_t columns = 0;
    int in_token = 0;
    for (const char *p = line; p < line_end; p++) {
        int blank = *p == ' ' || (unsigned char)(*p - '\t') <= 4;
        columns += !blank && !in_token;
        in_token = !blank;
    }
    return columns;
}

static inline int same_bytes(const char *a, const char *b, int64_t size)
{
    for (; size >= 8; size -= 8, a += 8, b += 8) {
        uint64_t x, y;
        memcpy(&x, a, 8);
        memcpy(&y, b, 8);
        if (x != y)
            return 0;
    }
    while (size-- > 0)
        if (*a++ != *b++)
            return 0;
    return 1;
}

/* Whether a field is written as a number: digits with a sign, a point or an exponent, inf, nan. */
static int is_written_number(const char *p, const char *end)
{
    p += p < end && (*p == '-' || *p == '+');
    if (end - p == 3)
        if (strncmp(p, "inf", 3) == 0 || strncmp(p, "nan", 3) == 0)
            return 1;
    int n_digits = 0;
    for (; p < end; p++) {
        int is_digit = (unsigned)*p - '0' < 10;
        if (!is_digit && strchr(".eE+-", *p) == NULL)
            return 0;
        n_digits += is_digit;
    }
    return n_digits > 0;
}

/* Whether a line that begins with # is a row: with its columns, and numbers where a row has some.
 * A query's id may begin so. */
static int is_row(enum trec_format format, int columns, const char *const *start,
                  const char *const *end)
{
    if (columns < (int)format)
        return 0;
    for (int i = 3; i < (format == TREC_RUN ? 5 : 4); i++)
        if (!is_written_number(start[i], end[i]))
            return 0;
    return 1;
}

/* One pass over the bytes: the first 64 of a line are classified at once, which finds its end and
 * the edges of its columns together; most lines are shorter.  Nothing is taken before its line is
 * whole, so that a caller can add text and call again.  A row is added before its value is read,
 * because the caller converts values that are not plain decimal numbers, in the last row.  It is
 * longer than 60 lines because every step uses the edges of the line and can end it. */
enum trec_status trec_read(trec_cursor *cursor, trec_rows *rows, enum trec_format format,
                           const char *query, int64_t query_size)
{
    const char *text_end = cursor->text + cursor->size;
    const char *start[6], *end[6];

    for (;;) {
        const char *line = cursor->text + cursor->position;
        if (line >= text_end)
            return cursor->is_last ? TREC_END : TREC_MORE;

        byte_masks masks = classify(line);
        const char *line_end = masks.newline ? line + lowest_bit(masks.newline) : NULL;
        if (line_end == NULL && text_end - line > 64)
            line_end = memchr(line + 64, '\n', (size_t)(text_end - line - 64));
        if (line_end == NULL || line_end >= text_end) {
            if (!cursor->is_last)
                return TREC_MORE;
            line_end = text_end;
        }
        if (cursor->nul != NULL && cursor->nul < line_end) {
            cursor->line++;
            return TREC_NUL;
        }

        edge_list edges = {line, line_end, 0, 1};
        find_edges(&edges, masks.blank);
        int columns = 0;
        while (columns < (int)format) {
            start[columns] = next_edge(&edges);
            if (start[columns] >= line_end)
                break;
            end[columns] = next_edge(&edges);
            columns++;
        }
        int is_comment = columns > 0 && *start[0] == '#' && !is_row(format, columns, start, end);
        if (is_comment || columns == 0) {
            cursor->line++;
            cursor->position = line_end - cursor->text + 1;
            continue;
        }
        if (columns < (int)format || (format == TREC_QRELS && next_edge(&edges) < line_end)) {
            cursor->line++;
            if (columns == (int)format && *start[0] == '#') { /* "# q 0 d 1" has five fields */
                cursor->position = line_end - cursor->text + 1;
                continue;
            }
            cursor->found = count_columns(line, line_end);
            return TREC_COLUMNS;
        }
        /* The tag of a run may have blanks.  A document id that has some moves the columns: then
         * no number is where the rank should be, or one is where the tag begins.  A \r within a
         * line is a file of the old Mac: all of it is one line, and its first row would be all
         * that is read. */
        if (format == TREC_RUN && next_edge(&edges) < line_end) {
            double number;
            cursor->line++;
            if (memchr(line, '\r', (size_t)(line_end - line - 1)) != NULL)
                return TREC_RETURN;
            if (trec_number(start[3], end[3] - start[3], &number)
                || !trec_number(start[5], end[5] - start[5], &number)) {
                cursor->found = count_columns(line, line_end);
                return TREC_COLUMNS;
            }
            cursor->line--;
        }
        if (end[0] - start[0] != query_size || !same_bytes(start[0], query, query_size)) {
            cursor->token = start[0];
            cursor->token_size = end[0] - start[0];
            return TREC_QUERY;
        }
        int64_t n = rows->n_rows, id_size = end[2] - start[2], id_start = rows->id_end[n - 1];
        if (n == rows->max_rows || id_start + id_size > rows->max_ids)
            return TREC_FULL;

        /* Short ids are copied with a constant size, which is one or two instructions. */
        if (id_size <= TREC_PADDING)
            memcpy(rows->ids + id_start, start[2], TREC_PADDING);
        else
            memcpy(rows->ids + id_start, start[2], (size_t)id_size);
        rows->id_end[n] = id_start + id_size;
        rows->hash[n] = doc_hash(start[2], id_size, rows->secret);
        rows->line[n] = ++cursor->line;
        rows->n_rows = n + 1;
        cursor->position = line_end - cursor->text + 1;

        int value_column = format == TREC_RUN ? 4 : 3;
        if (trec_number(start[value_column], end[value_column] - start[value_column],
                        &rows->value[n])) {
            cursor->token = start[value_column];
            cursor->token_size = end[value_column] - start[value_column];
            return TREC_NUMBER;
        }
    }
}
