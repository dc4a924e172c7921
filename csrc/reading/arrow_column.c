/* Columns of data frames in Arrow's layout, read in place. The contract is in arrow_column.h. */

#include <math.h>
#include <string.h>

#include "reading/arrow_load.h"
#include "reading/digits.h"

const char ARROW_NO_TEXT[1] = "";

static void set_type(arrow_column *column, enum arrow_kind kind, int32_t width)
{
    column->kind = kind;
    column->width = width;
}

/* Kind and width of a format string of the C data interface. */
static void read_format(arrow_column *column, const char *format)
{
    static const char NUMBERS[] = "cCsSiIlLefg";
    static const int8_t WIDTHS[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8};
    set_type(column, ARROW_UNKNOWN, 0);
    if (format[0] == 'v' && (format[1] == 'u' || format[1] == 'z') && format[2] == '\0')
        set_type(column, ARROW_VIEWS, VIEW_SIZE);
    if (format[0] == '\0' || format[1] != '\0')
        return;
    if (format[0] == 'u' || format[0] == 'z')
        set_type(column, ARROW_TEXT32, 4);
    else if (format[0] == 'U' || format[0] == 'Z')
        set_type(column, ARROW_TEXT64, 8);
    else if (format[0] == 'b')
        set_type(column, ARROW_BITS, 0);
    const char *at = strchr(NUMBERS, format[0]);
    if (at != NULL) {
        int64_t i = at - NUMBERS;
        set_type(column, i >= 8 ? ARROW_FLOAT : i % 2 ? ARROW_UNSIGNED : ARROW_SIGNED, WIDTHS[i]);
    }
}

/* Whether an array cannot hold rows up to `end`: by its numbers, or because a buffer is absent. */
static int is_damaged(const arrow_column *column, const struct ArrowArray *array, int64_t end)
{
    const int is_offset_text = column->kind == ARROW_TEXT32 || column->kind == ARROW_TEXT64;
    if (array->length < end || array->offset < 0 || array->offset > MOST_ROWS
        || array->n_buffers < 2 + is_offset_text || array->buffers == NULL)
        return 1;
    return end > 0 && array->buffers[1] == NULL;
}

void arrow_open(arrow_column *column, arrow_column *dictionary, const struct ArrowSchema *schema,
                const struct ArrowArray *array, int64_t parent_offset, int64_t n_rows)
{
    memset(column, 0, sizeof *column);
    read_format(column, schema->format);
    if (schema->dictionary != NULL && schema->dictionary->dictionary != NULL)
        column->kind = ARROW_UNKNOWN; /* words that are places in other words */
    if (column->kind == ARROW_UNKNOWN)
        return;
    column->n_rows = n_rows;
    column->is_damaged = n_rows < 0 || n_rows > MOST_ROWS || parent_offset < 0
                         || parent_offset > MOST_ROWS
                         || is_damaged(column, array, parent_offset + n_rows)
                         || (schema->dictionary != NULL && array->dictionary == NULL);
    if (column->is_damaged)
        return;
    column->offset = parent_offset + array->offset;
    column->valid = array->null_count == 0 ? NULL : array->buffers[0];
    column->values = array->buffers[1];
    if (column->kind == ARROW_TEXT32 || column->kind == ARROW_TEXT64)
        column->text = array->buffers[2] != NULL ? array->buffers[2] : ARROW_NO_TEXT;
    if (column->kind == ARROW_VIEWS) {
        column->view_text = array->buffers + 2;
        column->n_view_text = array->n_buffers - 3; /* the last buffer has their sizes */
        if (column->n_view_text > 0)
            column->view_sizes = array->buffers[array->n_buffers - 1];
    }
    if (schema->dictionary != NULL) {
        arrow_open(dictionary, NULL, schema->dictionary, array->dictionary, 0,
                   array->dictionary->length);
        column->dictionary = dictionary;
    }
}

int arrow_has_ids(const arrow_column *column)
{
    if (column->dictionary != NULL)
        return is_whole(column->kind) && arrow_has_ids(column->dictionary);
    return is_text(column->kind) || is_whole(column->kind) || column->kind == ARROW_FLOAT;
}

int arrow_has_numbers(const arrow_column *column)
{
    if (column->dictionary != NULL)
        return is_whole(column->kind) && arrow_has_numbers(column->dictionary);
    return is_whole(column->kind) || column->kind == ARROW_FLOAT || column->kind == ARROW_BITS;
}

const char *arrow_id(const arrow_column *column, int64_t row, char *digits, int64_t *size)
{
    if (column->dictionary != NULL)
        return arrow_id(column->dictionary, whole(column, row), digits, size);
    int64_t i = column->offset + row;
    if (column->kind == ARROW_TEXT32) {
        int32_t start = LOAD(int32_t, column->values + 4 * i);
        *size = LOAD(int32_t, column->values + 4 * (i + 1)) - start;
        return column->text + start;
    }
    if (column->kind == ARROW_TEXT64) {
        int64_t start = LOAD(int64_t, column->values + 8 * i);
        *size = LOAD(int64_t, column->values + 8 * (i + 1)) - start;
        return column->text + start;
    }
    if (column->kind == ARROW_VIEWS) {
        const char *view = column->values + VIEW_SIZE * i;
        *size = LOAD(int32_t, view);
        if (*size <= VIEW_INLINE)
            return view + 4;
        return (const char *)column->view_text[LOAD(int32_t, view + 8)] + LOAD(int32_t, view + 12);
    }
    if (column->kind == ARROW_FLOAT)
        *size = write_digits((int64_t)arrow_number(column, row), 1, digits);
    else
        *size = write_digits(whole(column, row), column->kind == ARROW_SIGNED, digits);
    return digits;
}

/* A number of IEEE 754's binary16: sign, 5 bits of exponent, 10 of fraction. */
static double half(uint16_t bits)
{
    int exponent = bits >> 10 & 31;
    double fraction = bits & 1023, value;
    if (exponent == 31)
        value = fraction == 0 ? INFINITY : NAN;
    else
        value = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
    return bits >> 15 ? -value : value;
}

double arrow_number(const arrow_column *column, int64_t row)
{
    if (column->dictionary != NULL)
        return arrow_number(column->dictionary, whole(column, row));
    int64_t i = column->offset + row;
    const char *at = column->values + i * column->width;
    if (column->kind == ARROW_FLOAT)
        return column->width == 8   ? LOAD(double, at)
               : column->width == 4 ? LOAD(float, at)
                                    : half(LOAD(uint16_t, at));
    if (column->kind == ARROW_BITS)
        return (uint8_t)column->values[i >> 3] >> (i & 7) & 1;
    if (column->kind == ARROW_UNSIGNED)
        return (double)(uint64_t)whole(column, row);
    return (double)whole(column, row);
}

enum { BLOCK = 32 }; /* rows that are compared at once, without a branch each */

static inline int64_t text_size(const arrow_column *column, int64_t row)
{
    int64_t i = column->offset + row;
    if (column->kind == ARROW_TEXT32)
        return LOAD(int32_t, column->values + 4 * (i + 1))
               - (int64_t)LOAD(int32_t, column->values + 4 * i);
    return LOAD(int64_t, column->values + 8 * (i + 1)) - LOAD(int64_t, column->values + 8 * i);
}

/* Whether rows `row` .. row + BLOCK all have what row - 1 has, because each has what the one before
 * it has; 0 where other comparisons must tell. */
static int is_block_of_one(const arrow_column *column, int64_t row)
{
    if (is_text(column->kind) && column->kind != ARROW_VIEWS) {
        char digits[ARROW_NUMBER_SIZE];
        int64_t size, differs = 0;
        const char *text = arrow_id(column, row - 1, digits, &size);
        for (int64_t i = row; i < row + BLOCK; i++)
            differs |= size ^ text_size(column, i);
        return !differs && memcmp(text, text + size, (size_t)(BLOCK * size)) == 0;
    }
    if (column->width < 4)
        return 0;
    const int64_t width = column->width, words = BLOCK * width / 4;
    const char *at = column->values + width * (column->offset + row);
    uint32_t differs = 0;
    for (int64_t i = 0; i < words; i++)
        differs |= LOAD(uint32_t, at + 4 * i) ^ LOAD(uint32_t, at + 4 * i - width);
    return !differs;
}

static inline int has_id(const arrow_column *column, int64_t row, const char *id, int64_t size)
{
    char digits[ARROW_NUMBER_SIZE];
    int64_t other_size;
    const char *other = arrow_id(column, row, digits, &other_size);
    return size == other_size && memcmp(id, other, (size_t)size) == 0;
}

int64_t arrow_stretch_end(const arrow_column *column, int64_t row)
{
    char digits[ARROW_NUMBER_SIZE];
    int64_t end = row + 1, size;
    const char *id = arrow_id(column, row, digits, &size);
    if (end < column->n_rows && !has_id(column, end, id, size))
        return end; /* rows in no order */
    while (end + BLOCK <= column->n_rows && is_block_of_one(column, end))
        end += BLOCK;
    while (end < column->n_rows && has_id(column, end, id, size))
        end++;
    return end;
}

int64_t arrow_id_bytes(const arrow_column *column, int64_t start, int64_t stop)
{
    int64_t i = column->offset + start, j = column->offset + stop;
    if (start >= stop)
        return 0; /* a column without rows may have no buffers */
    if (column->dictionary == NULL && column->kind == ARROW_TEXT32)
        return LOAD(int32_t, column->values + 4 * j)
               - (int64_t)LOAD(int32_t, column->values + 4 * i);
    if (column->dictionary == NULL && column->kind == ARROW_TEXT64)
        return LOAD(int64_t, column->values + 8 * j) - LOAD(int64_t, column->values + 8 * i);
    if (column->dictionary == NULL && !is_text(column->kind))
        return ARROW_NUMBER_SIZE * (stop - start);
    int64_t bytes = 0, size;
    char digits[ARROW_NUMBER_SIZE];
    for (int64_t row = start; row < stop; row++) {
        arrow_id(column, row, digits, &size);
        bytes += size;
    }
    return bytes;
}

/* Ids of rows start .. stop behind `end` bytes, their ends to `id_end`: text whose bytes follow
 * each other is copied at once. */
static void append_text(const arrow_column *column, int64_t start, int64_t stop, int64_t end,
                        char *ids, int64_t *id_end)
{
    char digits[ARROW_NUMBER_SIZE];
    int64_t size;
    const char *text = arrow_id(column, start, digits, &size);
    memcpy(ids + end, text, (size_t)arrow_id_bytes(column, start, stop));
    for (int64_t row = start; row < stop; row++) {
        arrow_id(column, row, digits, &size);
        *id_end++ = end += size;
    }
}

static void append_ids(const arrow_column *column, int64_t start, int64_t stop, int64_t end,
                       char *ids, int64_t *id_end)
{
    char digits[ARROW_NUMBER_SIZE];
    int64_t size;
    if (column->dictionary == NULL && is_whole(column->kind)) {
        int is_signed = column->kind == ARROW_SIGNED;
        for (int64_t row = start; row < stop; row++)
            *id_end++ = end += write_digits(whole(column, row), is_signed, ids + end);
        return;
    }
    for (int64_t row = start; row < stop; row++) {
        const char *id = arrow_id(column, row, digits, &size);
        if (size <= VIEW_INLINE && column->kind == ARROW_VIEWS)
            memcpy(ids + end, id, VIEW_INLINE); /* a constant size: no call */
        else
            memcpy(ids + end, id, (size_t)size);
        *id_end++ = end += size;
    }
}

void arrow_append(const arrow_column *doc_id, const arrow_column *value, int64_t start,
                  int64_t stop, trec_rows *rows)
{
    int64_t n = rows->n_rows, count = stop - start, at = rows->id_end[n - 1];
    if (count <= 0)
        return;
    if (doc_id->dictionary == NULL
        && (doc_id->kind == ARROW_TEXT32 || doc_id->kind == ARROW_TEXT64))
        append_text(doc_id, start, stop, at, rows->ids, rows->id_end + n);
    else
        append_ids(doc_id, start, stop, at, rows->ids, rows->id_end + n);
    for (int64_t i = n; i < n + count; i++) {
        rows->hash[i] = doc_hash(rows->ids + at, rows->id_end[i] - at, rows->secret);
        at = rows->id_end[i];
    }
    if (value->dictionary == NULL && value->kind == ARROW_FLOAT && value->width == 8)
        memcpy(rows->value + n, value->values + 8 * (value->offset + start), 8 * (size_t)count);
    else
        for (int64_t row = start; row < stop; row++)
            rows->value[n + row - start] = arrow_number(value, row);
    memset(rows->line + n, 0, (size_t)count * sizeof *rows->line);
    rows->n_rows = n + count;
}
