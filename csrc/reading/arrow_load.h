/* Values of Arrow's buffers. */
#ifndef IRBOUNDS_ARROW_LOAD_H
#define IRBOUNDS_ARROW_LOAD_H

#include <string.h>

#include "reading/arrow_column.h"

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

enum { VIEW_SIZE = 16, VIEW_INLINE = 12 }; /* bytes of a view, and of text that is in it */

/* Rows and offsets beyond are damage: 16 bytes for each of the sum of three such numbers fit into
 * 64 bits. */
#define MOST_ROWS (INT64_MAX / 64)

/* The text of a column that has no buffer of text: its ids are all empty. */
extern const char ARROW_NO_TEXT[1];

static inline int is_text(enum arrow_kind kind)
{
    return kind == ARROW_TEXT32 || kind == ARROW_TEXT64 || kind == ARROW_VIEWS;
}

static inline int is_whole(enum arrow_kind kind)
{
    return kind == ARROW_SIGNED || kind == ARROW_UNSIGNED;
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

#endif
