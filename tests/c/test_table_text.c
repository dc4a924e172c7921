/* Tables of text: random bytes are read alike in one piece and in pieces of any size, and nothing
 * outside of the buffers is touched (they have their exact sizes, for sanitizers). */
#include "reading/table_text.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { MOST = 160, ROWS = 64 };

typedef struct {
    char text[4 * MOST]; /* every row as query, id, value and line */
    int64_t size;
    enum trec_status status; /* the last one */
    int64_t line;
} outcome;

static const table_layout LAYOUTS[] = {
    {',', 1, 0, 3, {0, 1, 2}}, {';', 1, 0, 4, {3, 0, 1}}, {'\t', 0, 1, 3, {0, 1, 2}}};

/* Take the rows of a query from the arrays. */
static void take(outcome *out, trec_rows *rows, const char *query, int64_t query_size)
{
    for (int64_t i = 0; i < rows->n_rows; i++) {
        int64_t start = rows->id_end[i - 1], size = rows->id_end[i] - start;
        memcpy(out->text + out->size, query, (size_t)query_size);
        out->size += query_size;
        memcpy(out->text + out->size, rows->ids + start, (size_t)size);
        out->size += size;
        out->text[out->size++] = (char)rows->line[i];
    }
    rows->n_rows = 0;
}

static outcome read_in_pieces(const char *data, int64_t n, int64_t piece,
                              const table_layout *layout)
{
    outcome out = {0};
    char *buffer = malloc((size_t)n + TREC_PADDING), *scratch = malloc((size_t)n + TREC_PADDING);
    double value[ROWS];
    uint64_t hash[ROWS];
    int64_t line[ROWS], ends[ROWS + 1] = {0}, given = 0;
    char ids[MOST + TREC_PADDING], query[MOST];
    int64_t query_size = -1;
    trec_rows rows = {0, ROWS, MOST, value, hash, 7, line, ends + 1, ids};
    trec_cursor cursor = {0};
    cursor.text = buffer;
    for (;;) {
        enum trec_status status = table_read(&cursor, &rows, layout, scratch, query, query_size);
        if (status == TREC_MORE) {
            int64_t left = cursor.size - cursor.position, more = n - given;
            if (more > piece)
                more = piece;
            memmove(buffer, buffer + cursor.position, (size_t)left);
            memcpy(buffer + left, data + given, (size_t)more);
            memset(buffer + left + more, '\n', TREC_PADDING);
            given += more;
            cursor.size = left + more;
            cursor.position = 0;
            cursor.is_last = more == 0;
            cursor.nul = memchr(buffer, 0, (size_t)cursor.size);
        } else if (status == TREC_QUERY) {
            take(&out, &rows, query, query_size);
            memcpy(query, cursor.token, (size_t)cursor.token_size);
            query_size = cursor.token_size;
        } else if (status != TREC_NUMBER) {
            take(&out, &rows, query, query_size);
            out.status = status;
            out.line = cursor.line;
            break;
        }
    }
    free(buffer);
    free(scratch);
    return out;
}

int main(void)
{
    static const char ALPHABET[] = "ab1,,;;\t\t\n\n\r\"\" .";
    unsigned long long state = 11;
    int counts[TREC_NO_ID + 1] = {0};
    for (int round = 0; round < 60000; round++) {
        char data[MOST];
        const table_layout *layout = &LAYOUTS[round % 3];
        int64_t n = (int64_t)(next_random(&state) % MOST), plain = round % 4;
        for (int64_t i = 0; i < n; i++)
            data[i] = next_random(&state) % 500 == 0
                          ? '\0'
                          : ALPHABET[next_random(&state) % (sizeof ALPHABET - 1)];
        for (int64_t i = 0, columns = 0; plain && i < n; i++) { /* mostly right rows */
            if (i % 2 == 0)
                data[i] = "ab19"[next_random(&state) % 4];
            else if (next_random(&state) % 30)
                data[i] = ++columns % layout->n_columns == 0 ? '\n' : layout->delimiter;
        }
        outcome whole = read_in_pieces(data, n, MOST, layout);
        outcome pieces = read_in_pieces(data, n, 1 + (int64_t)(next_random(&state) % 9), layout);
        counts[whole.status]++;
        /* a NUL is seen when the piece that has it comes */
        if (whole.status == TREC_NUL || pieces.status == TREC_NUL)
            continue;
        CHECK(whole.status == pieces.status && whole.line == pieces.line);
        CHECK(whole.size == pieces.size
              && memcmp(whole.text, pieces.text, (size_t)whole.size) == 0);
    }
    const enum trec_status expected[] = {TREC_END,      TREC_COLUMNS,     TREC_NUL,  TREC_RETURN,
                                         TREC_UNCLOSED, TREC_AFTER_QUOTE, TREC_NO_ID};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        CHECK(counts[expected[i]] > 50);
    return failures != 0;
}
