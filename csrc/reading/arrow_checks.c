/* Checks of Arrow columns before they are read. The contract is in arrow_column.h. */

#include <math.h>

#include "reading/arrow_load.h"

/* The first row that is null, or n_rows. */
static int64_t first_null(const arrow_column *column)
{
    int64_t row = 0;
    if (column->valid == NULL)
        return column->n_rows;
    while (row < column->n_rows && has_value(column, row)) {
        int64_t i = column->offset + row++;
        if (i % 8 == 7) /* whole bytes from here on */
            while (row + 8 <= column->n_rows && column->valid[(i + 1) >> 3] == 0xFF) {
                row += 8;
                i += 8;
            }
    }
    return row;
}

/* Whether offsets of one of the first n rows fall, are below 0, or lead into text that is absent.
 */
#define HAS_FALLING_OFFSETS(type)                                               \
    static int has_falling_##type(const char *offsets, int64_t n, int has_text) \
    {                                                                           \
        int falls = LOAD(type, offsets) < 0;                                    \
        for (int64_t i = 0; i < n; i++, offsets += sizeof(type))                \
            falls |= LOAD(type, offsets) > LOAD(type, offsets + sizeof(type));  \
        return falls || (!has_text && LOAD(type, offsets) > 0);                 \
    }
HAS_FALLING_OFFSETS(int32_t)
HAS_FALLING_OFFSETS(int64_t)

/* Whether the text of a view lies outside of the buffers. */
static int is_faulty_view(const arrow_column *column, int64_t row)
{
    const char *view = column->values + VIEW_SIZE * (column->offset + row);
    int32_t size = LOAD(int32_t, view);
    if (size >= 0 && size <= VIEW_INLINE)
        return 0;
    int64_t which = LOAD(int32_t, view + 8), at = LOAD(int32_t, view + 12);
    return size < 0 || at < 0 || which < 0 || which >= column->n_view_text
           || column->view_sizes == NULL || column->view_text[which] == NULL
           || at + size > LOAD(int64_t, (const char *)column->view_sizes + 8 * which);
}

/* Whether a row that is not null has a place outside of the buffers. */
static int has_fault(const arrow_column *column)
{
    const int64_t n = column->n_rows;
    const int has_text = column->text != ARROW_NO_TEXT;
    int fault = 0;
    if (column->is_damaged)
        return 1;
    if (n > 0 && column->kind == ARROW_TEXT32)
        return has_falling_int32_t(column->values + 4 * column->offset, n, has_text);
    if (n > 0 && column->kind == ARROW_TEXT64)
        return has_falling_int64_t(column->values + 8 * column->offset, n, has_text);
    for (int64_t row = 0; column->dictionary != NULL && row < n; row++)
        fault |= has_value(column, row)
                 && (uint64_t)whole(column, row) >= (uint64_t)column->dictionary->n_rows;
    for (int64_t row = 0; column->kind == ARROW_VIEWS && row < n; row++)
        fault |= has_value(column, row) && is_faulty_view(column, row);
    return fault;
}

int64_t arrow_first_missing(const arrow_column *column)
{
    const arrow_column *words = column->dictionary;
    if (has_fault(column) || (words != NULL && has_fault(words)))
        return ARROW_FAULTY;
    int64_t n = first_null(column);
    if (words != NULL && first_null(words) < words->n_rows)
        for (int64_t row = 0; row < n; row++)
            if (!has_value(words, whole(column, row)))
                return row;
    return n < column->n_rows ? n : -1;
}

int64_t arrow_first_broken(const arrow_column *column)
{
    const arrow_column *numbers = column->dictionary != NULL ? column->dictionary : column;
    if (numbers->kind != ARROW_FLOAT)
        return -1;
    const double most = ldexp(1, numbers->width == 8 ? 53 : numbers->width == 4 ? 24 : 11);
    for (int64_t row = 0; row < column->n_rows; row++) {
        double number = arrow_number(column, row);
        if (!(fabs(number) <= most) || number != floor(number))
            return row;
    }
    return -1;
}
