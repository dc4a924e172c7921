/* libFuzzer on columns of Arrow: schemas and arrays made of any bytes, each buffer in memory of its
 * own exact size, against a slow reading of the same buffers.  Lengths, offsets, types,
 * dictionaries, bits of validity and absent buffers are all chosen by the bytes.
 *
 * The file is longer than 400 lines because it makes the buffers and reads them slowly.
 *
 * Offsets of text stay within the text, as no one can check them: the interface has no sizes of
 * buffers.  They may fall.
 *
 *     clang -g -O1 -fsanitize=fuzzer,address,undefined -Icsrc fuzz/arrow_column.c
 *         csrc/reading/arrow_column.c csrc/reading/arrow_checks.c -lm
 */
#include "reading/arrow_column.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECRET = 7, DEPTH = 3, MEMORY = 64, MOST_ID = 512 };

static void require(int condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "not so: %s\n", what);
        abort();
    }
}

/* Choices out of bytes, zeros behind their end. */
static const uint8_t *source;
static size_t source_size;

static int64_t number(int64_t limit)
{
    if (source_size == 0)
        return 0;
    source_size--;
    return *source++ % limit;
}

/* All memory of an input, so that it is freed at once; each piece has its exact size. */
static void *memory[MEMORY];
static int n_memory;

static void *allocated(int64_t size)
{
    char *made = malloc((size_t)size);
    require(made != NULL && n_memory < MEMORY, "there is memory");
    for (int64_t i = 0; i < size; i++)
        made[i] = (char)number(256);
    return memory[n_memory++] = made;
}

/* The layout of a format: `bytes` of a value or an offset. */
typedef struct {
    const char *format;
    char kind; /* t text, v views, i signed, u unsigned, f floats, b bits, ? not read */
    int bytes;
} layout;

static const layout LAYOUTS[] = {{"u", 't', 4}, {"l", 'i', 8},    {"vu", 'v', 16}, {"g", 'f', 8},
                                 {"U", 't', 8}, {"c", 'i', 1},    {"C", 'u', 1},   {"s", 'i', 2},
                                 {"S", 'u', 2}, {"i", 'i', 4},    {"I", 'u', 4},   {"L", 'u', 8},
                                 {"z", 't', 4}, {"Z", 't', 8},    {"vz", 'v', 16}, {"e", 'f', 2},
                                 {"f", 'f', 4}, {"b", 'b', 0},    {"n", '?', 16},  {"+l", '?', 16},
                                 {"", '?', 16}, {"w:4", '?', 16}, {"tdD", '?', 16}};
enum { N_LAYOUTS = sizeof LAYOUTS / sizeof LAYOUTS[0] };

typedef struct made {
    const layout *layout;
    struct ArrowSchema schema;
    struct ArrowArray array;
    const void *buffers[6];
    int64_t text_size, view_sizes[2], first, n_rows; /* `first`: of row 0, in the array */
    struct made *words;
} made;

static int64_t whole_at(const made *m, int64_t i)
{
    uint64_t bits = 0;
    int bytes = m->layout->bytes;
    memcpy(&bits, (const char *)m->buffers[1] + i * bytes, (size_t)bytes); /* little endian */
    if (m->layout->kind == 'i' && bytes < 8 && bits >> (8 * bytes - 1))
        bits |= ~(uint64_t)0 << (8 * bytes);
    return (int64_t)bits;
}

/* Offsets that lie in the text and seldom fall, views and codes that mostly have a place. */
static void mend_values(made *m, int64_t total)
{
    char *values = (char *)m->buffers[1];
    int bytes = m->layout->bytes;
    int64_t end = 0;
    for (int64_t i = 0; m->layout->kind == 't' && i <= total; i++) {
        int64_t step = (uint8_t)values[i * bytes] % 16;
        end = step == 15 ? end - 1 : end + step % 5;
        end = end > m->text_size ? m->text_size : end;
        memcpy(values + i * bytes, &end, (size_t)bytes);
    }
    for (int64_t i = 0; m->layout->kind == 'v' && i < total; i++) {
        uint8_t *view = (uint8_t *)values + 16 * i;
        int32_t size = view[0] % 40, which = view[8] % 2, at = view[12] % 8;
        if (view[1] % 16 == 0)
            continue; /* any bytes */
        memcpy(view, &size, 4);
        if (size > 12) {
            memcpy(view + 8, &which, 4);
            memcpy(view + 12, &at, 4);
        }
    }
    int has_codes = m->words != NULL && m->words->n_rows > 0 && strchr("iu", m->layout->kind);
    for (int64_t i = 0; has_codes && i < total; i++)
        if (values[i * bytes] % 16 != 0) {
            int64_t code = (uint8_t)values[i * bytes] % m->words->n_rows;
            memcpy(values + i * bytes, &code, (size_t)bytes);
        }
}

/* A promise that the array breaks. */
static void damage(made *m)
{
    switch (number(9)) {
    case 0:
        m->array.length -= 1 + number(3);
        break;
    case 1:
        m->array.offset = number(2) ? -1 : INT64_MAX - number(40);
        break;
    case 2:
        m->array.n_buffers = number(3);
        break;
    case 3:
        m->array.buffers = NULL;
        break;
    case 4:
        m->buffers[1] = NULL;
        break;
    case 5:
        m->buffers[2] = NULL;
        break;
    case 6:
        m->array.dictionary = NULL;
        break;
    case 7:
        m->n_rows = number(2) ? -1 : INT64_MAX - number(40);
        break;
    default:
        m->array.null_count = number(2) ? 0 : INT64_MIN;
    }
}

static made *make_column(int64_t parent_offset, int64_t n_rows, int depth)
{
    made *m = calloc(1, sizeof *m);
    require(m != NULL && n_memory < MEMORY, "there is memory");
    memory[n_memory++] = m;
    m->layout = &LAYOUTS[number(N_LAYOUTS)];
    m->schema.format = m->layout->format;
    m->n_rows = n_rows;
    m->array = (struct ArrowArray){.n_buffers = 3, .buffers = m->buffers};
    m->array.length = parent_offset + n_rows + number(3);
    m->array.null_count = number(3) == 0 ? -1 : 0;
    m->array.offset = number(12);
    if (depth < DEPTH && number(3) == 0) {
        m->words = make_column(0, number(9), depth + 1);
        m->schema.dictionary = &m->words->schema;
        m->array.dictionary = &m->words->array;
        m->words->array.length = m->words->n_rows; /* which is how many words there are */
    }
    int64_t total = m->array.offset + m->array.length;
    if (number(2)) {
        uint8_t *valid = allocated((total + 7) / 8);
        for (int64_t i = 0; i < (total + 7) / 8; i++)
            valid[i] |= (uint8_t)(valid[i] << 1 | valid[i] >> 2 | valid[i] << 4);
        m->buffers[0] = valid;
    }
    int64_t size = m->layout->kind == 'b' ? (total + 7) / 8
                                          : m->layout->bytes * (total + (m->layout->kind == 't'));
    m->buffers[1] = allocated(size);
    m->text_size = number(60);
    m->buffers[2] = allocated(m->text_size);
    if (m->layout->kind == 'v') { /* two buffers of text, and their sizes */
        m->view_sizes[0] = m->text_size;
        m->view_sizes[1] = number(60);
        m->buffers[3] = allocated(m->view_sizes[1]);
        m->buffers[4] = m->view_sizes;
        m->array.n_buffers = 5;
    }
    mend_values(m, total);
    if (number(24) == 1)
        damage(m);
    m->first = m->array.offset > INT64_MAX / 2 ? 0 : m->array.offset + parent_offset;
    return m;
}

/* The slow reading ------------------------------------------------------------------------------*/

static int is_damaged(const made *m, int64_t parent_offset)
{
    int is_text = m->layout->kind == 't';
    if (m->n_rows < 0 || m->n_rows > 1000 || m->array.length < parent_offset + m->n_rows
        || m->array.offset < 0 || m->array.offset > 1000)
        return 1;
    if (m->array.buffers == NULL || m->array.n_buffers < (is_text ? 3 : 2)
        || (m->buffers[1] == NULL && parent_offset + m->n_rows > 0))
        return 1;
    return m->schema.dictionary != NULL && m->array.dictionary == NULL;
}

static int is_valid(const made *m, int64_t row)
{
    const uint8_t *bits = m->buffers[0];
    return m->array.null_count == 0 || bits == NULL
           || bits[(m->first + row) / 8] >> (m->first + row) % 8 & 1;
}

static int64_t offset_at(const made *m, int64_t i)
{
    int32_t small = 0;
    int64_t large = 0;
    const char *at = (const char *)m->buffers[1] + i * m->layout->bytes;
    if (m->layout->bytes == 8)
        memcpy(&large, at, 8);
    else
        memcpy(&small, at, 4);
    return m->layout->bytes == 8 ? large : small;
}

/* A row's place in the text, or NULL where it has none; words of a dictionary are not looked up. */
static const char *place_of(const made *m, int64_t row, int64_t *size)
{
    int64_t i = m->first + row;
    int32_t part[4];
    if (m->layout->kind == 't') {
        int64_t start = offset_at(m, i), end = offset_at(m, i + 1);
        *size = end - start;
        if (start < 0 || end < start || (m->buffers[2] == NULL && end > 0))
            return NULL;
        return m->buffers[2] == NULL ? "" : (const char *)m->buffers[2] + start;
    }
    memcpy(part, (const char *)m->buffers[1] + 16 * i, 16);
    *size = part[0];
    if (part[0] >= 0 && part[0] <= 12)
        return (const char *)m->buffers[1] + 16 * i + 4;
    int64_t n_text = m->array.n_buffers - 3;
    if (part[0] < 0 || part[2] < 0 || part[2] >= n_text || part[3] < 0
        || m->buffers[2 + part[2]] == NULL || (int64_t)part[3] + part[0] > m->view_sizes[part[2]])
        return NULL;
    return (const char *)m->buffers[2 + part[2]] + part[3];
}

/* The result that arrow_first_missing must have. */
static int64_t slow_first_missing(const made *m, int64_t parent_offset)
{
    int64_t missing = -1, size;
    if (is_damaged(m, parent_offset)
        || (m->words != NULL && slow_first_missing(m->words, 0) == ARROW_FAULTY))
        return ARROW_FAULTY;
    for (int64_t row = 0; row < m->n_rows; row++) {
        int valid = is_valid(m, row);
        if (m->words != NULL && valid) {
            uint64_t code = (uint64_t)whole_at(m, m->first + row);
            if (code >= (uint64_t)m->words->n_rows)
                return ARROW_FAULTY;
            valid = is_valid(m->words, (int64_t)code);
        } else if ((m->layout->kind == 't' || (m->layout->kind == 'v' && valid))
                   && place_of(m, row, &size) == NULL)
            return ARROW_FAULTY;
        if (!valid && missing < 0)
            missing = row;
    }
    return missing;
}

static double slow_number(const made *m, int64_t row);

static int64_t slow_id(const made *m, int64_t row, char *id)
{
    int64_t size, whole;
    if (m->words != NULL)
        return slow_id(m->words, whole_at(m, m->first + row), id);
    if (m->layout->kind == 't' || m->layout->kind == 'v') {
        const char *place = place_of(m, row, &size);
        require(place != NULL && size < MOST_ID, "ids are short");
        memcpy(id, place, (size_t)size);
        return size;
    }
    if (m->layout->kind == 'f')
        return snprintf(id, MOST_ID, "%" PRId64, (int64_t)slow_number(m, row));
    whole = whole_at(m, m->first + row);
    return m->layout->kind == 'i' ? snprintf(id, MOST_ID, "%" PRId64, whole)
                                  : snprintf(id, MOST_ID, "%" PRIu64, (uint64_t)whole);
}

static double slow_number(const made *m, int64_t row)
{
    int64_t i = m->first + row;
    const char *at = (const char *)m->buffers[1] + i * m->layout->bytes;
    float single;
    double value;
    uint16_t half;
    if (m->words != NULL)
        return slow_number(m->words, whole_at(m, i));
    if (m->layout->kind == 'b')
        return *((const uint8_t *)m->buffers[1] + i / 8) >> i % 8 & 1;
    if (m->layout->kind == 'i')
        return (double)whole_at(m, i);
    if (m->layout->kind == 'u')
        return (double)(uint64_t)whole_at(m, i);
    if (m->layout->bytes == 4) {
        memcpy(&single, at, 4);
        return single;
    }
    if (m->layout->bytes == 8) {
        memcpy(&value, at, 8);
        return value;
    }
    memcpy(&half, at, 2);
    int exponent = half / 1024 % 32;
    double fraction = half % 1024 / 1024.0;
    value = exponent == 31 ? (fraction > 0 ? NAN : INFINITY)
            : exponent > 0 ? (1 + fraction) * pow(2, exponent - 15)
                           : fraction * pow(2, -14);
    return half >= 32768 ? -value : value;
}

/* Comparisons -----------------------------------------------------------------------------------*/

static int holds(const made *m, const char *kinds)
{
    if (m->words == NULL)
        return strchr(kinds, m->layout->kind) != NULL;
    return m->words->words == NULL && strchr("iu", m->layout->kind) != NULL
           && holds(m->words, kinds);
}

/* Whether floats may be ids: all are whole, and so small that no two numbers are one float. */
static int check_floats(const made *m, const arrow_column *column)
{
    const made *own = m->words == NULL ? m : m->words;
    int64_t broken = -1;
    if (own->layout->kind != 'f')
        return 1;
    double most = ldexp(1, own->layout->bytes == 8 ? 53 : own->layout->bytes == 4 ? 24 : 11);
    for (int64_t row = 0; row < m->n_rows && broken < 0; row++) {
        double value = slow_number(m, row);
        if (!(fabs(value) <= most) || value != floor(value))
            broken = row;
    }
    require(arrow_first_broken(column) == broken, "the first float that is no id");
    return broken < 0;
}

static void check_ids(const made *m, const arrow_column *column)
{
    char id[MOST_ID], next[MOST_ID], digits[ARROW_NUMBER_SIZE];
    int64_t size, bytes = 0, n = m->n_rows;
    for (int64_t row = 0; row < n; row++) {
        int64_t wanted = slow_id(m, row, id), end = row + 1;
        const char *found = arrow_id(column, row, digits, &size);
        require(size == wanted && !memcmp(found, id, (size_t)size), "ids are those of the row");
        bytes += size;
        while (end < n && slow_id(m, end, next) == size && !memcmp(id, next, (size_t)size))
            end++;
        require(arrow_stretch_end(column, row) == end, "a stretch ends at the next other id");
    }
    require(arrow_id_bytes(column, 0, n) >= bytes, "ids have room");
}

static void check_append(const made *ids, const arrow_column *doc, const made *numbers,
                         const arrow_column *value)
{
    int64_t n = ids->n_rows, room = arrow_id_bytes(doc, 0, n), middle = n == 0 ? 0 : number(n + 1);
    trec_rows rows = {.max_rows = n,
                      .max_ids = room,
                      .value = allocated(8 * n),
                      .hash = allocated(8 * n),
                      .secret = SECRET,
                      .line = allocated(8 * n),
                      .ids = allocated(room + TREC_PADDING)};
    int64_t *ends = allocated(8 * (n + 1));
    char id[MOST_ID];
    ends[0] = 0;
    rows.id_end = ends + 1;
    arrow_append(doc, value, 0, middle, &rows);
    arrow_append(doc, value, middle, n, &rows);
    require(rows.n_rows == n, "all rows are appended");
    for (int64_t row = 0; row < n; row++) {
        int64_t size = slow_id(ids, row, id);
        double wanted = slow_number(numbers, row);
        require(ends[row + 1] - ends[row] == size
                    && !memcmp(rows.ids + ends[row], id, (size_t)size),
                "ids are appended");
        require(rows.hash[row] == doc_hash(id, size, SECRET) && rows.line[row] == 0,
                "hash and line");
        require(isnan(wanted) ? isnan(rows.value[row]) : !memcmp(&wanted, &rows.value[row], 8),
                "numbers are those of the row");
    }
}

/* Whether the column can be read as what `kinds` says; everything that the kernel says of it is
 * compared. */
static int check_column(const made *m, arrow_column *column, arrow_column *words,
                        int64_t parent_offset, const char *kinds)
{
    arrow_open(column, words, &m->schema, &m->array, parent_offset, m->n_rows);
    int has = strchr(kinds, 't') != NULL ? arrow_has_ids(column) : arrow_has_numbers(column);
    if (holds(m, kinds))
        require(has, "the type is read");
    else {
        require(!has || is_damaged(m, parent_offset), "another type is not read");
        return 0;
    }
    int64_t missing = arrow_first_missing(column);
    require(missing == slow_first_missing(m, parent_offset), "the first row without a value");
    return missing == -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    source = data;
    source_size = size;
    int64_t n_rows = number(2) ? number(120) : number(6), parent_offset = number(12);
    arrow_column doc, value, doc_words, value_words;
    made *ids = make_column(parent_offset, n_rows, 0);
    made *numbers = make_column(parent_offset, n_rows, 0);
    int has_ids = check_column(ids, &doc, &doc_words, parent_offset, "tviuf");
    int has_numbers = check_column(numbers, &value, &value_words, parent_offset, "iufb");
    if (has_ids && (has_ids = check_floats(ids, &doc)))
        check_ids(ids, &doc);
    if (has_ids && has_numbers && ids->n_rows == numbers->n_rows)
        check_append(ids, &doc, numbers, &value);
    while (n_memory > 0)
        free(memory[--n_memory]);
    return 0;
}
