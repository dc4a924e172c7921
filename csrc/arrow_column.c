#include "arrow_column.h"

#include <math.h>
#include <string.h>

/* Buffers of the interface need not be aligned: everything is loaded by memcpy, which costs nothing
 * where it is. */
#define LOAD(type, place) load_##type((const char *)(place))
#define LOADER(type)                                 \
    static inline type load_##type(const char *from) \
    {                                                \
        type value;                                  \
        memcpy(&value, from, sizeof value);          \
        return value;                                \
    }
LOADER(int8_t)
LOADER(int16_t)
LOADER(int32_t)
LOADER(int64_t)
LOADER(uint8_t)
LOADER(uint16_t)
LOADER(uint32_t)
LOADER(uint64_t)
LOADER(float)
LOADER(double)

enum { VIEW_SIZE = 16, VIEW_INLINE = 12 };

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

void arrow_open(arrow_column *column, arrow_column *dictionary, const struct ArrowSchema *schema,
                const struct ArrowArray *array, int64_t parent_offset, int64_t n_rows)
{
    read_format(column, schema->format);
    column->n_rows = n_rows;
    column->offset = parent_offset + array->offset;
    column->valid = NULL;
    column->values = column->text = NULL;
    column->view_text = NULL;
    column->dictionary = NULL;
    if (column->kind == ARROW_UNKNOWN)
        return;
    column->valid = array->null_count == 0 ? NULL : array->buffers[0];
    column->values = array->buffers[1];
    if (column->kind == ARROW_TEXT32 || column->kind == ARROW_TEXT64)
        column->text =
            array->buffers[2] != NULL ? array->buffers[2] : ""; /* no byte of text at all */
    if (column->kind == ARROW_VIEWS)
        column->view_text = array->buffers + 2;
    if (schema->dictionary != NULL) {
        arrow_open(dictionary, NULL, schema->dictionary, array->dictionary, 0,
                   array->dictionary->length);
        column->dictionary = dictionary;
        if (schema->dictionary->dictionary != NULL)
            column->kind = ARROW_UNKNOWN;
    }
}

static int is_text(enum arrow_kind kind)
{
    return kind == ARROW_TEXT32 || kind == ARROW_TEXT64 || kind == ARROW_VIEWS;
}

static int is_whole(enum arrow_kind kind)
{
    return kind == ARROW_SIGNED || kind == ARROW_UNSIGNED;
}

int arrow_has_ids(const arrow_column *column)
{
    if (column->dictionary != NULL)
        return is_whole(column->kind) && arrow_has_ids(column->dictionary);
    return is_text(column->kind) || is_whole(column->kind);
}

int arrow_has_numbers(const arrow_column *column)
{
    if (column->dictionary != NULL)
        return is_whole(column->kind) && arrow_has_numbers(column->dictionary);
    return is_whole(column->kind) || column->kind == ARROW_FLOAT || column->kind == ARROW_BITS;
}

static inline int has_value(const arrow_column *column, int64_t row)
{
    int64_t i = column->offset + row;
    return column->valid == NULL || (column->valid[i >> 3] >> (i & 7) & 1);
}

/* A whole number; those above 2^63 wrap. */
static inline int64_t whole(const arrow_column *column, int64_t row)
{
    const char *at = column->values + (column->offset + row) * column->width;
    int is_signed = column->kind == ARROW_SIGNED;
    switch (column->width) {
    case 1:
        return is_signed ? LOAD(int8_t, at) : (int64_t)LOAD(uint8_t, at);
    case 2:
        return is_signed ? LOAD(int16_t, at) : (int64_t)LOAD(uint16_t, at);
    case 4:
        return is_signed ? LOAD(int32_t, at) : (int64_t)LOAD(uint32_t, at);
    default:
        return LOAD(int64_t, at);
    }
}

static int is_faulty(const arrow_column *column, int64_t row)
{
    int64_t i = column->offset + row;
    if (column->dictionary != NULL) {
        int64_t place = whole(column, row);
        return place < 0 || place >= column->dictionary->n_rows;
    }
    switch (column->kind) {
    case ARROW_TEXT32:
        return LOAD(int32_t, column->values + 4 * i) > LOAD(int32_t, column->values + 4 * (i + 1));
    case ARROW_TEXT64:
        return LOAD(int64_t, column->values + 8 * i) > LOAD(int64_t, column->values + 8 * (i + 1));
    case ARROW_VIEWS:
        return LOAD(int32_t, column->values + VIEW_SIZE * i) < 0;
    default:
        return 0;
    }
}

int64_t arrow_first_missing(const arrow_column *column)
{
    const arrow_column *words = column->dictionary;
    for (int64_t row = 0; row < column->n_rows; row++) {
        if (!has_value(column, row))
            return row;
        if (is_faulty(column, row))
            return ARROW_FAULTY;
        if (words != NULL
            && (!has_value(words, whole(column, row)) || is_faulty(words, whole(column, row))))
            return row;
    }
    return -1;
}

/* The decimal digits of a whole number. */
static int64_t write_digits(int64_t value, int is_signed, char *digits)
{
    char last_first[ARROW_NUMBER_SIZE];
    int is_negative = is_signed && value < 0;
    uint64_t left = is_negative ? 0 - (uint64_t)value : (uint64_t)value;
    int64_t n = 0, size = 0;
    do
        last_first[n++] = (char)('0' + left % 10);
    while ((left /= 10) != 0);
    if (is_negative)
        digits[size++] = '-';
    while (n > 0)
        digits[size++] = last_first[--n];
    return size;
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

int64_t arrow_stretch_end(const arrow_column *column, int64_t row)
{
    int64_t end = row + 1, size, other_size;
    if (is_whole(column->kind)) {
        int64_t number = whole(column, row);
        while (end < column->n_rows && whole(column, end) == number)
            end++;
        if (column->dictionary == NULL || end == column->n_rows)
            return end; /* else the dictionary may have the id a second time */
    }
    char digits[ARROW_NUMBER_SIZE], other_digits[ARROW_NUMBER_SIZE];
    const char *id = arrow_id(column, row, digits, &size);
    for (; end < column->n_rows; end++) {
        const char *other = arrow_id(column, end, other_digits, &other_size);
        if (size != other_size || memcmp(id, other, (size_t)size) != 0)
            break;
    }
    return end;
}

int64_t arrow_id_bytes(const arrow_column *column, int64_t start, int64_t stop)
{
    int64_t i = column->offset + start, j = column->offset + stop;
    if (column->dictionary == NULL && column->kind == ARROW_TEXT32)
        return LOAD(int32_t, column->values + 4 * j)
               - (int64_t)LOAD(int32_t, column->values + 4 * i);
    if (column->dictionary == NULL && column->kind == ARROW_TEXT64)
        return LOAD(int64_t, column->values + 8 * j) - LOAD(int64_t, column->values + 8 * i);
    if (column->dictionary == NULL && is_whole(column->kind))
        return ARROW_NUMBER_SIZE * (stop - start);
    int64_t bytes = 0, size;
    char digits[ARROW_NUMBER_SIZE];
    for (int64_t row = start; row < stop; row++) {
        arrow_id(column, row, digits, &size);
        bytes += size;
    }
    return bytes;
}

void arrow_append(const arrow_column *doc_id, const arrow_column *value, int64_t start,
                  int64_t stop, trec_rows *rows)
{
    char digits[ARROW_NUMBER_SIZE];
    int64_t n = rows->n_rows, end = rows->id_end[n - 1], size;
    for (int64_t row = start; row < stop; row++, n++) {
        const char *id = arrow_id(doc_id, row, digits, &size);
        memcpy(rows->ids + end, id, (size_t)size);
        rows->hash[n] = doc_hash(id, size, rows->secret);
        rows->id_end[n] = end += size;
        rows->value[n] = arrow_number(value, row);
        rows->line[n] = 0;
    }
    rows->n_rows = n;
}
