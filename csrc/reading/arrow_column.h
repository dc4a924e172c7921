/* Columns of data frames, read where they lie: ids, which are text or whole numbers, and values.
 *
 * A column is Arrow's layout of a type, whoever holds the memory: a batch of the C data interface,
 * or an array of NumPy.  Ids are compared and stored as text, whole numbers (floats among them) as
 * their decimal digits, so that 7, 7.0 and "7" are one id. Cost of a row: about 2 ns to find where
 * its query ends, 10 ns to store its document and value.
 */
#ifndef IRBOUNDS_ARROW_COLUMN_H
#define IRBOUNDS_ARROW_COLUMN_H

#include <stdint.h>

#include "reading/arrow_abi.h"
#include "reading/doc_index.h"
#include "reading/trec_text.h"

enum arrow_kind {
    ARROW_TEXT32, /* offsets of 32 bits into bytes */
    ARROW_TEXT64, /* the same, of 64 bits */
    ARROW_VIEWS,  /* 16 bytes each: short text itself, or where it is */
    ARROW_SIGNED, /* whole numbers of `width` bytes */
    ARROW_UNSIGNED,
    ARROW_FLOAT,  /* of `width` bytes: 2, 4, 8 */
    ARROW_BITS,   /* booleans */
    ARROW_UNKNOWN /* another type */
};

typedef struct arrow_column {
    enum arrow_kind kind;
    int32_t width;  /* bytes of a number */
    int is_damaged; /* its array cannot hold the rows */
    int64_t n_rows;
    int64_t offset;         /* of row 0, in rows, in all the buffers */
    const uint8_t *valid;   /* bits, or NULL: every row has a value */
    const char *values;     /* numbers, offsets, views or bits */
    const char *text;       /* of TEXT32 and TEXT64 */
    const void **view_text; /* of VIEWS: the buffers that they point into, */
    int64_t n_view_text;    /* how many, and their sizes */
    const void *view_sizes;
    const struct arrow_column *dictionary; /* NULL, or what the whole numbers are the places of */
} arrow_column;

enum {
    ARROW_NUMBER_SIZE = 20,
    ARROW_FAULTY = -2
}; /* digits and sign of a whole number of 64 bits */

/* A column of a batch whose rows begin at `parent_offset` of it.  `dictionary` is storage for its
 * dictionary; a dictionary whose words are a dictionary is ARROW_UNKNOWN. */
void arrow_open(arrow_column *column, arrow_column *dictionary, const struct ArrowSchema *schema,
                const struct ArrowArray *array, int64_t parent_offset, int64_t n_rows);

/* Whether the rows may be ids, that is text or numbers but no bits, and whether they are numbers.
 */
int arrow_has_ids(const arrow_column *column);
int arrow_has_numbers(const arrow_column *column);

/* The first row without a value, or -1; ARROW_FAULTY where a buffer is absent, offsets fall, or a
 * place is outside of the dictionary.  Sizes of buffers are not known, but for the text of views.
 * Only where it returns -1 may rows be read. */
int64_t arrow_first_missing(const arrow_column *column);

/* The first row whose float cannot be an id, or -1: it is not whole, or so large that neighbours
 * are one float (above 2^53, 2^24, 2^11).  Only where it returns -1 may ids be read. */
int64_t arrow_first_broken(const arrow_column *column);

/* The id of a row; whole numbers are written to `digits`, of ARROW_NUMBER_SIZE bytes. */
const char *arrow_id(const arrow_column *column, int64_t row, char *digits, int64_t *size);

/* The number of a row, as a double. */
double arrow_number(const arrow_column *column, int64_t row);

/* The first row behind `row` that has another id, or n_rows. */
int64_t arrow_stretch_end(const arrow_column *column, int64_t row);

/* Bytes that the ids of rows start .. stop need at most. */
int64_t arrow_id_bytes(const arrow_column *column, int64_t start, int64_t stop);

/* Append rows start .. stop; `rows` has memory for them, and TREC_PADDING bytes behind the ids. */
void arrow_append(const arrow_column *doc_id, const arrow_column *value, int64_t start,
                  int64_t stop, trec_rows *rows);

#endif
