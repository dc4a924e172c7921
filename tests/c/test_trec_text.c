/* The tokenizer: numbers against the C library, lines against every way of cutting the text into
 * chunks. */
#include "reading/trec_text.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

/* The number in a text of less than 64 bytes, given the room behind it that the tokenizer needs. */
static int number(const char *text, double *value)
{
    char padded[64 + TREC_PADDING];
    memset(padded, '7', sizeof padded);
    memcpy(padded, text, strlen(text));
    return trec_number(padded, (int64_t)strlen(text), value);
}

static void check_number(const char *text)
{
    double fast, right = strtod(text, NULL);
    int gave_up = number(text, &fast);
    if (!gave_up)
        CHECK(memcmp(&fast, &right, sizeof fast) == 0);
}

static void test_numbers(void)
{
    static const char *decided[] = {"0",
                                    "-0",
                                    "1",
                                    "+1",
                                    "12.345678",
                                    ".5",
                                    "5.",
                                    "1e3",
                                    "1E-3",
                                    "-12.5e-3",
                                    "9007199254740993",
                                    "0.1234567890123456789",
                                    "0.00001234567890123456"};
    static const char *undecided[] = {"",
                                      "-",
                                      ".",
                                      "e5",
                                      "1e",
                                      "1e+",
                                      "nan",
                                      "inf",
                                      "1_0",
                                      "0x10",
                                      "1.2.3",
                                      "12a",
                                      "12345678901234567890",
                                      "1e400",
                                      "--1",
                                      "1 "};
    double value;
    for (size_t i = 0; i < sizeof decided / sizeof *decided; i++) {
        check_number(decided[i]);
        CHECK(number(decided[i], &value) == 0);
    }
    for (size_t i = 0; i < sizeof undecided / sizeof *undecided; i++)
        CHECK(number(undecided[i], &value) == 1);

    unsigned long long seed = 1;
    char text[64];
    int left_over = 0;
    for (int i = 0; i < 400000; i++) {
        double x = (double)(next_random(&seed) >> 11) * 0x1p-53;
        int digits = (int)(next_random(&seed) % 19), exponent = (int)(next_random(&seed) % 40) - 20;
        switch (next_random(&seed) % 3) {
        case 0:
            snprintf(text, sizeof text, "%.*f", digits, x * 100);
            break;
        case 1:
            snprintf(text, sizeof text, "%.17g", x);
            break;
        default:
            snprintf(text, sizeof text, "%.*ge%d", digits, x, exponent);
            break;
        }
        check_number(text);
        left_over += number(text, &value);
    }
    CHECK(left_over < 150000);
}

enum { MOST_ROWS = 64, MOST_IDS = 1 << 14 };

typedef struct {
    int n_rows, n_lines, n_queries;
    double value[MOST_ROWS];
    int64_t line[MOST_ROWS], end[MOST_ROWS];
    char ids[MOST_IDS];
    enum trec_status status;
} outcome;

/* Read text as it would come in chunks of the given size. */
static void read_in_chunks(const char *text, int64_t size, int64_t chunk, enum trec_format format,
                           outcome *out)
{
    static char buffer[MOST_IDS + TREC_PADDING];
    static char ids[MOST_IDS + TREC_PADDING];
    uint64_t hash[MOST_ROWS];
    int64_t ends[MOST_ROWS + 1] = {0};
    trec_rows rows = {0, MOST_ROWS, MOST_IDS, out->value, hash, 7, out->line, ends + 1, ids};
    trec_cursor cursor = {buffer, 0, 0, 0, 0, NULL, NULL, 0, 0};
    char query[128];
    int64_t query_size = -1, taken = 0;
    memset(out->ids, 0, sizeof out->ids);
    out->n_queries = 0;
    memset(buffer, '\n', sizeof buffer);
    for (;;) {
        enum trec_status status = trec_read(&cursor, &rows, format, query, query_size);
        if (status == TREC_QUERY) {
            query_size = cursor.token_size;
            memcpy(query, cursor.token, (size_t)query_size);
            out->n_queries++;
        } else if (status == TREC_NUMBER) {
            out->value[rows.n_rows - 1] = -1;
        } else if (status == TREC_MORE) {
            int64_t left = cursor.size - cursor.position,
                    read = size - taken < chunk ? size - taken : chunk;
            memmove(buffer, buffer + cursor.position, (size_t)left);
            memcpy(buffer + left, text + taken, (size_t)read);
            memset(buffer + left + read, '\n', TREC_PADDING);
            taken += read;
            cursor.size = left + read;
            cursor.position = 0;
            cursor.is_last = read == 0;
            cursor.nul = memchr(buffer, 0, (size_t)cursor.size);
        } else {
            out->status = status;
            break;
        }
    }
    out->n_rows = (int)rows.n_rows;
    out->n_lines = (int)cursor.line;
    memcpy(out->end, ends + 1, sizeof out->end);
    memcpy(out->ids, ids, (size_t)ends[rows.n_rows]);
}

static void test_chunks(void)
{
    static const char text[] = "# a comment\n"
                               "q1 Q0 d1 1 2.5 tag\n"
                               "\r\n"
                               "q1\tQ0\td#2  2 2.25 tag more columns\r\n"
                               "   q1 Q0 "
                               "a-document-with-an-identifier-that-is-longer-than-sixty-four-bytes-"
                               "all-in-one-token 3 1e400 tag\n"
                               "q2 Q0 d1 1 -1 tag\n"
                               "#\n"
                               "q2 Q0 \xff\x01z 2 -2 t";
    outcome whole, parts;
    int64_t size = (int64_t)sizeof text - 1;
    read_in_chunks(text, size, size, TREC_RUN, &whole);
    CHECK(whole.status == TREC_END && whole.n_rows == 5 && whole.n_queries == 2
          && whole.n_lines == 8);
    CHECK(whole.value[0] == 2.5 && whole.value[1] == 2.25 && whole.value[2] == -1
          && whole.value[4] == -2);
    CHECK(whole.line[0] == 2 && whole.line[1] == 4 && whole.line[2] == 5 && whole.line[4] == 8);
    CHECK(memcmp(whole.ids, "d1d#2a-document", 15) == 0);
    for (int64_t chunk = 1; chunk < size; chunk++) {
        read_in_chunks(text, size, chunk, TREC_RUN, &parts);
        CHECK(parts.status == TREC_END && parts.n_rows == whole.n_rows
              && parts.n_lines == whole.n_lines);
        CHECK(memcmp(parts.ids, whole.ids, sizeof whole.ids) == 0);
        CHECK(memcmp(parts.value, whole.value, 5 * sizeof(double)) == 0);
    }
}

static void check_error(const char *text, int64_t size, enum trec_format format,
                        enum trec_status status, int line)
{
    outcome out;
    read_in_chunks(text, size, size, format, &out);
    CHECK(out.status == status && out.n_lines == line);
}

static void test_errors(void)
{
    check_error("q1 0 d1 1\nq1 0 d2\n", 18, TREC_QRELS, TREC_COLUMNS, 2);
    check_error("q1 0 d1 1 extra\n", 16, TREC_QRELS, TREC_COLUMNS, 1);
    check_error("q1 Q0 d1 1 2.5", 14, TREC_RUN, TREC_COLUMNS, 1);
    check_error("q1 Q0 d1 1 2.5 t\nq1 Q0 d\0 1 2 t\n", 33, TREC_RUN, TREC_NUL, 2);
    check_error("q1 Q0 d1 1 2.5 t\rq1 Q0 d2 1 2 t\r", 32, TREC_RUN, TREC_RETURN, 1);
    check_error("q1 Q0 d1 1 2.5 t\r\nq1 Q0 d2 1 2 t\rand more\r\n", 43, TREC_RUN, TREC_RETURN, 2);
    check_error("", 0, TREC_RUN, TREC_END, 0);
    check_error("\n \n#\n", 5, TREC_RUN, TREC_END, 3);
}

int main(void)
{
    test_numbers();
    test_chunks();
    test_errors();
    return failures != 0;
}
