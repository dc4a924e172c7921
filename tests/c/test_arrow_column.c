/* Columns of data frames, over buffers made by hand: types, offsets, nulls, dictionaries, and
 * places that are wrong. */
#include "reading/arrow_column.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

static struct ArrowSchema schema_of(const char *format)
{
    struct ArrowSchema schema = {0};
    schema.format = format;
    return schema;
}

static struct ArrowArray array_of(int64_t length, int64_t offset, int64_t null_count,
                                  const void **buffers)
{
    struct ArrowArray array = {0};
    array.length = length;
    array.offset = offset;
    array.null_count = null_count;
    array.n_buffers = 3;
    array.buffers = buffers;
    return array;
}

/* A copy at an address that is no multiple of anything. */
static char *misaligned(const void *from, size_t size, char *to)
{
    memcpy(to + 1, from, size);
    return to + 1;
}

static int is_id(const arrow_column *column, int64_t row, const char *wanted)
{
    char digits[ARROW_NUMBER_SIZE];
    int64_t size;
    const char *id = arrow_id(column, row, digits, &size);
    return size == (int64_t)strlen(wanted) && memcmp(id, wanted, (size_t)size) == 0;
}

static void test_text(void)
{
    const int32_t ends[] = {0, 2, 2, 5, 8};
    const int64_t wide[] = {0, 2, 2, 5, 8};
    char places[64], wide_places[64];
    const char *text = "abcdecde";
    const void *buffers[] = {NULL, misaligned(ends, sizeof ends, places), text};
    const void *wide_buffers[] = {NULL, misaligned(wide, sizeof wide, wide_places), text};
    struct ArrowSchema schema = schema_of("u"), wide_schema = schema_of("Z");
    struct ArrowArray array = array_of(3, 1, 0, buffers),
                      wide_array = array_of(3, 1, 0, wide_buffers);
    arrow_column column, dictionary;
    arrow_open(&column, &dictionary, &schema, &array, 1,
               2); /* offsets of the array and of its parent add up */
    CHECK(arrow_has_ids(&column) && !arrow_has_numbers(&column));
    CHECK(is_id(&column, 0, "cde") && is_id(&column, 1, "cde"));
    CHECK(arrow_stretch_end(&column, 0) == 2 && arrow_id_bytes(&column, 0, 2) == 6);
    arrow_open(&column, &dictionary, &wide_schema, &wide_array, 0, 2);
    CHECK(is_id(&column, 0, "") && is_id(&column, 1, "cde") && arrow_stretch_end(&column, 0) == 1);
    CHECK(arrow_first_missing(&column) == -1);
}

static void test_views(void)
{
    char views[2 * 16] = {0}, buffer[] = "..a text of twenty bytes";
    const int32_t size = 20, which = 0, at = 2, small = 3;
    memcpy(views, &small, 4);
    memcpy(views + 4, "abc", 3);
    memcpy(views + 16, &size, 4);
    memcpy(views + 24, &which, 4);
    memcpy(views + 28, &at, 4);
    int64_t sizes[] = {22};
    const void *buffers[] = {NULL, views, buffer, sizes};
    struct ArrowSchema schema = schema_of("vu");
    struct ArrowArray array = array_of(2, 0, 0, buffers);
    array.n_buffers = 4;
    arrow_column column, dictionary;
    arrow_open(&column, &dictionary, &schema, &array, 0, 2);
    CHECK(is_id(&column, 0, "abc") && is_id(&column, 1, "a text of twenty byt"));
    CHECK(arrow_id_bytes(&column, 0, 2) == 23 && arrow_first_missing(&column) == -1);
    sizes[0] = 21; /* the text ends behind its buffer */
    CHECK(arrow_first_missing(&column) == ARROW_FAULTY);
    sizes[0] = 22;
    array.n_buffers = 3; /* there is no buffer of text */
    arrow_open(&column, &dictionary, &schema, &array, 0, 2);
    CHECK(arrow_first_missing(&column) == ARROW_FAULTY);
    const uint8_t valid[] = {1}; /* a view of a null may be anything */
    buffers[0] = valid;
    array.null_count = 1;
    arrow_open(&column, &dictionary, &schema, &array, 0, 2);
    CHECK(arrow_first_missing(&column) == 1);
}

/* Digits of numbers beside each power of ten, and of others at random, are those of printf. */
static void test_digits(void)
{
    unsigned long long state = 5;
    char wanted[32];
    uint64_t power = 1;
    for (int round = 0; round < 20000; round++) {
        uint64_t number = next_random(&state) >> (next_random(&state) % 64);
        if (round < 60) {
            number = power + (uint64_t)(round % 3) - 1;
            power *= round % 3 == 2 ? 10 : 1;
        }
        const void *buffers[] = {NULL, &number};
        struct ArrowArray array = array_of(1, 0, 0, buffers);
        struct ArrowSchema whole = schema_of("L"), with_sign = schema_of("l");
        arrow_column column, dictionary;
        arrow_open(&column, &dictionary, &whole, &array, 0, 1);
        snprintf(wanted, sizeof wanted, "%" PRIu64, number);
        CHECK(is_id(&column, 0, wanted));
        arrow_open(&column, &dictionary, &with_sign, &array, 0, 1);
        snprintf(wanted, sizeof wanted, "%" PRId64, (int64_t)number);
        CHECK(is_id(&column, 0, wanted));
    }
}

/* Stretches that are shorter and longer than the blocks in which rows are compared, of each type,
 * end where the first other id is. */
static void test_stretches(void)
{
    enum { ROWS = 130 };
    static const char *FORMATS[] = {"u", "U", "vu", "c", "s", "i", "l", "L"};
    int32_t ends[ROWS + 1] = {0};
    int64_t wide[ROWS + 1] = {0}, longs[ROWS];
    int8_t bytes[ROWS];
    int16_t shorts[ROWS];
    int32_t ints[ROWS];
    char views[ROWS * 16] = {0}, text[3 * ROWS];
    for (int change = 1; change <= ROWS; change++)
        for (int shorter = 0; shorter < 2; shorter++) {
            for (int i = 0; i < ROWS; i++) { /* "ab3" up to the change, then "ab4" or "ab" */
                int32_t size = i < change || !shorter ? 3 : 2;
                int8_t last = (int8_t)(i < change ? 3 : 4);
                memcpy(text + ends[i], i < change ? "ab3" : "ab4", (size_t)size);
                memcpy(views + 16 * i, &size, 4);
                memcpy(views + 16 * i + 4, "ab\0", 3);
                memcpy(views + 16 * i + 4, text + ends[i], (size_t)size);
                ends[i + 1] = ends[i] + size;
                wide[i + 1] = ends[i + 1];
                bytes[i] = last;
                longs[i] = ints[i] = shorts[i] = last;
            }
            const void *values[] = {ends, wide, views, bytes, shorts, ints, longs, longs};
            for (int i = 0; i < 8; i++)
                for (int64_t from = 0; from < change; from += change - from > 3 ? 17 : 1) {
                    const void *buffers[] = {NULL, values[i], text, text};
                    struct ArrowSchema schema = schema_of(FORMATS[i]);
                    struct ArrowArray array = array_of(ROWS, 0, 0, buffers);
                    arrow_column column, dictionary;
                    arrow_open(&column, &dictionary, &schema, &array, 0, ROWS);
                    CHECK(arrow_stretch_end(&column, from) == change);
                }
        }
}

/* The first null, whatever the bytes of validity hold before and behind it. */
static void test_first_null(void)
{
    enum { ROWS = 200 };
    const int8_t bytes[ROWS] = {0};
    for (int offset = 0; offset < 20; offset++)
        for (int null = 0; null <= ROWS - offset; null++) {
            uint8_t valid[ROWS / 8];
            int64_t n = ROWS - offset;
            memset(valid, 0xFF, sizeof valid);
            if (null < n)
                valid[(offset + null) / 8] ^= (uint8_t)(1 << (offset + null) % 8);
            const void *buffers[] = {valid, bytes};
            struct ArrowSchema schema = schema_of("c");
            struct ArrowArray array = array_of(n, offset, -1, buffers);
            arrow_column column, dictionary;
            arrow_open(&column, &dictionary, &schema, &array, 0, n);
            CHECK(arrow_first_missing(&column) == (null < n ? null : -1));
        }
}

static void test_numbers(void)
{
    const int64_t longs[] = {INT64_MIN, -1, 0, INT64_MAX};
    const uint64_t large[] = {UINT64_MAX};
    const uint16_t halves[] = {0x3C00, 0xC000, 0x0001, 0x7C00, 0x7E00, 0x8000};
    const void *buffers[] = {NULL, longs}, *large_buffers[] = {NULL, large},
               *half_buffers[] = {NULL, halves};
    struct ArrowSchema schema = schema_of("l"), large_schema = schema_of("L"),
                       half_schema = schema_of("e");
    struct ArrowArray array = array_of(4, 0, 0, buffers),
                      large_array = array_of(1, 0, 0, large_buffers);
    struct ArrowArray half_array = array_of(6, 0, 0, half_buffers);
    arrow_column column, dictionary;
    arrow_open(&column, &dictionary, &schema, &array, 0, 4);
    CHECK(is_id(&column, 0, "-9223372036854775808") && is_id(&column, 1, "-1")
          && is_id(&column, 2, "0"));
    CHECK(is_id(&column, 3, "9223372036854775807") && arrow_number(&column, 0) == -0x1p63);
    arrow_open(&column, &dictionary, &large_schema, &large_array, 0, 1);
    CHECK(is_id(&column, 0, "18446744073709551615") && arrow_number(&column, 0) == 0x1p64);
    arrow_open(&column, &dictionary, &half_schema, &half_array, 0, 6);
    CHECK(arrow_has_ids(&column) && arrow_has_numbers(&column));
    CHECK(is_id(&column, 0, "1") && is_id(&column, 1, "-2") && arrow_first_broken(&column) == 2);
    CHECK(arrow_number(&column, 0) == 1 && arrow_number(&column, 1) == -2
          && arrow_number(&column, 2) == 0x1p-24);
    CHECK(isinf(arrow_number(&column, 3)) && isnan(arrow_number(&column, 4))
          && signbit(arrow_number(&column, 5)));
}

static void test_missing(void)
{
    const uint8_t valid[] = {0xEF, 0x01}, bits[] = {0x02};
    const int8_t bytes[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    const void *buffers[] = {valid, bytes}, *bit_buffers[] = {NULL, bits};
    struct ArrowSchema schema = schema_of("c"), bit_schema = schema_of("b"),
                       list_schema = schema_of("+l");
    struct ArrowArray array = array_of(9, 0, 1, buffers),
                      bit_array = array_of(2, 0, 0, bit_buffers);
    arrow_column column, dictionary;
    arrow_open(&column, &dictionary, &schema, &array, 0, 9);
    CHECK(arrow_first_missing(&column) == 4);
    array.null_count = -1; /* not counted */
    arrow_open(&column, &dictionary, &schema, &array, 0, 4);
    CHECK(arrow_first_missing(&column) == -1);
    arrow_open(&column, &dictionary, &bit_schema, &bit_array, 0, 2);
    CHECK(arrow_number(&column, 0) == 0 && arrow_number(&column, 1) == 1);
    arrow_open(&column, &dictionary, &list_schema, &array, 0, 2);
    CHECK(!arrow_has_ids(&column) && !arrow_has_numbers(&column));
}

static void test_dictionaries(void)
{
    const int32_t ends[] = {0, 1, 2, 3};
    const int8_t codes[] = {0, 2, 0, 1}; /* the dictionary has "a" twice */
    const void *word_buffers[] = {NULL, ends, "aba"}, *buffers[] = {NULL, codes};
    struct ArrowSchema words = schema_of("u"), schema = schema_of("c");
    struct ArrowArray word_array = array_of(3, 0, 0, word_buffers),
                      array = array_of(4, 0, 0, buffers);
    arrow_column column, dictionary;
    schema.dictionary = &words;
    array.dictionary = &word_array;
    arrow_open(&column, &dictionary, &schema, &array, 0, 4);
    CHECK(arrow_has_ids(&column) && !arrow_has_numbers(&column));
    CHECK(arrow_stretch_end(&column, 0) == 3 && is_id(&column, 1, "a") && is_id(&column, 3, "b"));
    CHECK(arrow_first_missing(&column) == -1);
    word_array.length = 2;
    arrow_open(&column, &dictionary, &schema, &array, 0, 4);
    CHECK(arrow_first_missing(&column) == ARROW_FAULTY);
    array.dictionary = NULL; /* which the schema promises */
    arrow_open(&column, &dictionary, &schema, &array, 0, 4);
    CHECK(arrow_first_missing(&column) == ARROW_FAULTY);
    array.dictionary = &word_array;
    words.dictionary = &schema; /* words that are places in other words */
    arrow_open(&column, &dictionary, &schema, &array, 0, 4);
    CHECK(!arrow_has_ids(&column) && !arrow_has_numbers(&column));
}

/* Arrays that promise rows that they cannot have. */
static void test_damaged_arrays(void)
{
    const int32_t ends[] = {0, 1, 2, 3}, no_ends[] = {0, 0, 0, 0};
    const void *buffers[] = {NULL, ends, "abc"}, *without_text[] = {NULL, ends, NULL},
               *empty[] = {NULL, no_ends, NULL}, *without_places[] = {NULL, NULL, "abc"};
    struct ArrowSchema schema = schema_of("u");
    const struct ArrowArray good = array_of(3, 0, 0, buffers);
    struct ArrowArray array;
    arrow_column column, dictionary;
#define IS_DAMAGED(parent_offset, n_rows)                                          \
    (arrow_open(&column, &dictionary, &schema, &array, (parent_offset), (n_rows)), \
     arrow_has_ids(&column) && arrow_first_missing(&column) == ARROW_FAULTY)
    array = good;
    CHECK(!IS_DAMAGED(0, 3) && IS_DAMAGED(0, 4) && IS_DAMAGED(1, 3) && IS_DAMAGED(-1, 3));
    CHECK(IS_DAMAGED(0, -1) && IS_DAMAGED(INT64_MAX, 3) && IS_DAMAGED(0, INT64_MAX));
    array.offset = -1;
    CHECK(IS_DAMAGED(0, 3));
    array.offset = INT64_MAX;
    CHECK(IS_DAMAGED(0, 3));
    array = good;
    array.n_buffers = 2;
    CHECK(IS_DAMAGED(0, 3));
    array = good;
    array.buffers = without_text;
    CHECK(IS_DAMAGED(0, 3));
    array.buffers = empty;
    CHECK(!IS_DAMAGED(0, 3) && is_id(&column, 2, ""));
    array.buffers = without_places;
    CHECK(IS_DAMAGED(0, 3) && !IS_DAMAGED(0, 0));
}

/* Offsets and codes at random: what is accepted lies inside of the buffers. */
static void test_random_buffers(void)
{
    enum { ROWS = 6, BYTES = 16 };
    unsigned long long state = 1;
    for (int round = 0; round < 20000; round++) {
        int32_t ends[ROWS + 1] = {0};
        char text[BYTES], ids[ROWS * BYTES + TREC_PADDING];
        double values[ROWS] = {0}, value[ROWS];
        uint64_t hash[ROWS];
        int64_t line[ROWS], end[ROWS + 1] = {0};
        memset(text, 'x', sizeof text);
        for (int i = 1; i <= ROWS; i++) {
            ends[i] =
                ends[i - 1] + (int32_t)(next_random(&state) % 4) - (next_random(&state) % 20 == 0);
            if (ends[i] < 0 || ends[i] > BYTES)
                ends[i] = ends[i - 1];
        }
        const void *buffers[] = {NULL, ends, text}, *number_buffers[] = {NULL, values};
        struct ArrowSchema schema = schema_of("u"), number_schema = schema_of("g");
        struct ArrowArray array = array_of(ROWS, 0, 0, buffers),
                          numbers = array_of(ROWS, 0, 0, number_buffers);
        arrow_column column, number, dictionary;
        arrow_open(&column, &dictionary, &schema, &array, 0, ROWS);
        arrow_open(&number, &dictionary, &number_schema, &numbers, 0, ROWS);
        if (arrow_first_missing(&column) != -1)
            continue;
        trec_rows rows = {0, ROWS, ROWS * BYTES, value, hash, 7, line, end + 1, ids};
        CHECK(arrow_id_bytes(&column, 0, ROWS) == ends[ROWS] - ends[0]);
        arrow_append(&column, &number, 0, ROWS, &rows);
        CHECK(rows.n_rows == ROWS && end[ROWS] == ends[ROWS]);
        for (int64_t row = 0; row < ROWS; row = arrow_stretch_end(&column, row))
            CHECK(arrow_stretch_end(&column, row) > row);
    }
}

int main(void)
{
    test_text();
    test_views();
    test_numbers();
    test_digits();
    test_stretches();
    test_missing();
    test_first_null();
    test_dictionaries();
    test_damaged_arrays();
    test_random_buffers();
    return failures != 0;
}
