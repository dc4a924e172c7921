/* From the scores of one query to its ranks (tie groups). The contract is in weak_order.h. */

#include "ordering/weak_order.h"

#include <string.h>

#include "reading/doc_name.h"
#include "numeric/merge_sort.h"

typedef struct {
    const double *score;
    doc_names names;
    enum tie_rule rule;
} row_key;

static inline doc_name name_of(const doc_names *names, int64_t row)
{
    return (doc_name){names->ids + names->start[row], names->end[row] - names->start[row]};
}

/* Whether row b must come before row a: by falling score; then in the given order, or by falling
 * document id. */
static inline int row_follows(const row_key *key, int64_t a, int64_t b)
{
    if (key->score[a] != key->score[b])
        return key->score[a] < key->score[b];
    if (key->rule == TIE_RULE_BY_ROW)
        return 0;
    return name_is_before(name_of(&key->names, b), name_of(&key->names, a));
}

MERGE_SORT(sort_rows, int64_t, const row_key *, row_follows)

void weak_order_sort(const double *score, int64_t *rows, int64_t n, int64_t *scratch,
                     work_watch *watch)
{
    const row_key key = {score, {NULL, NULL, NULL}, TIE_RULE_BY_ROW};
    sort_rows(rows, n, scratch, &key, watch);
}

enum { FEW = 32 };

/* The rows of a rank by their names, where they are few. */
static void sort_few_names(int64_t *rows, int64_t n, const doc_names *names)
{
    uint64_t number[FEW];
    doc_name all[FEW];
    for (int64_t i = 0; i < n; i++)
        all[i] = name_of(names, rows[i]);
    int64_t shared = shared_bytes(all, n);
    for (int64_t i = 0; i < n; i++) {
        int64_t row = rows[i], at = i;
        uint64_t mine = name_number(name_of(names, row), shared);
        for (; at > 0 && number[at - 1] <= mine; at--) {
            if (number[at - 1] == mine
                && !name_is_before(name_of(names, row), name_of(names, rows[at - 1])))
                break;
            number[at] = number[at - 1];
            rows[at] = rows[at - 1];
        }
        number[at] = mine;
        rows[at] = row;
    }
}

/* Ranks of documents whose scores never rise from row to row. */
static int64_t ranks_in_order(const double *score, const double *grade, int64_t n_docs,
                              double mark_level, weak_order_memory *memory)
{
    int64_t n_ranks = 0, n_marks = 0, past = 0;
    for (int64_t i = 0; i < n_docs; i++) {
        if (!(grade[i] >= mark_level))
            continue;
        int64_t first = i, start_mark = n_marks;
        double tied = score[i];
        while (first > past && score[first - 1] == tied)
            first--;
        do { /* once at least, also where another thread writes to the scores */
            memory->mark[n_marks] = (weak_order_mark){tied, grade[i]};
            n_marks += grade[i] >= mark_level;
            i++;
        } while (i < n_docs && score[i] == tied);
        past = i--;
        if (n_marks - start_mark > 1)
            mark_sort(memory->mark + start_mark, n_marks - start_mark, memory->mark_scratch,
                      memory->pairs, memory->watch);
        memory->before[n_ranks] = first;
        memory->size[n_ranks] = past - first;
        memory->end[n_ranks++] = n_marks;
    }
    return n_ranks;
}

enum { BLOCK = 128 };

/* For each of `size` scores, the number of the `n` falling levels that are above it.  The searches
 * go side by side: their steps are the same, so none waits for the memory of another. */
static inline void levels_above(const double *level, int64_t n, const double *x, int size,
                                int64_t *above)
{
    for (int k = 0; k < size; k++)
        above[k] = 0;
    for (int64_t half; n > 1; n -= half) {
        half = n / 2;
        for (int k = 0; k < size; k++)
            above[k] += level[above[k] + half - 1] > x[k] ? half : 0;
    }
    for (int k = 0; k < size && n == 1; k++)
        above[k] += level[above[k]] > x[k];
}

/* Count documents that are no marks: count[2 rank] are between a rank and the one above it, count[2
 * rank + 1] in it. */
static void place_block(const double *level, int64_t n_ranks, const double *x, int size,
                        int64_t *count)
{
    int64_t above[BLOCK];
    levels_above(level, n_ranks, x, size, above);
    for (int k = 0; k < size; k++) {
        int64_t rank = above[k];
        int is_tied = rank < n_ranks && level[rank] == x[k];
        count[2 * rank + is_tied]++;
    }
}

/* Ranks of documents in any order: sort the marks, find each other document's place among them. */
static int64_t ranks_by_search(const double *score, const double *grade, int64_t n_docs,
                               double mark_level, weak_order_memory *memory)
{
    int64_t n_marks = 0, n_ranks = 0;
    for (int64_t i = 0; i < n_docs; i++) {
        memory->mark[n_marks] = (weak_order_mark){score[i], grade[i]};
        n_marks += grade[i] >= mark_level;
    }
    mark_sort(memory->mark, n_marks, memory->mark_scratch, memory->pairs, memory->watch);

    double *level = memory->grade; /* free until the marks' grades are written */
    for (int64_t i = 0; i < n_marks; i++) {
        double tied = memory->mark[i].score;
        if (i == 0 || tied != level[n_ranks - 1]) {
            level[n_ranks] = tied;
            memory->size[n_ranks++] = 0;
        }
        memory->size[n_ranks - 1]++;
        memory->end[n_ranks - 1] = i + 1;
    }
    int64_t *count = memory->pairs;
    memset(count, 0, 2 * (size_t)(n_ranks + 1) * sizeof *count);
    double block[BLOCK] = {0};
    int filled = 0;
    for (int64_t i = 0; i < n_docs; i++) {
        if (i % BLOCK == 0 && watch_stops(memory->watch, BLOCK * 8))
            break;
        block[filled] = score[i];
        filled += !(grade[i] >= mark_level);
        if (filled == BLOCK) {
            place_block(level, n_ranks, block, BLOCK, count);
            filled = 0;
        }
    }
    place_block(level, n_ranks, block, filled, count);
    int64_t before = 0;
    for (int64_t rank = 0; rank < n_ranks; rank++) {
        before += count[2 * rank];
        memory->before[rank] = before;
        memory->size[rank] += count[2 * rank + 1];
        if (memory->size[rank]
            > n_docs) /* another thread writes to the grades: measures count on memory for n_docs */
            memory->size[rank] = n_docs;
        before += memory->size[rank];
    }
    return n_ranks;
}

int64_t weak_order_build(const double *score, const double *grade, int64_t n_docs,
                         double mark_level, enum tie_rule rule, doc_names names,
                         weak_order_memory *memory, weak_order *order)
{
    int has_nan = 0, rises = 0;
    double previous = n_docs > 0 ? score[0] : 0.0;
    for (int64_t i = 0; i < n_docs; i++) {
        has_nan |= score[i] != score[i];
        rises |= score[i] > previous;
        previous = score[i];
    }
    if (has_nan)
        for (int64_t i = 0; i < n_docs; i++)
            if (score[i] != score[i])
                return i;

    int64_t n_ranks = rises ? ranks_by_search(score, grade, n_docs, mark_level, memory)
                            : ranks_in_order(score, grade, n_docs, mark_level, memory);
    int64_t n_marks = n_ranks > 0 ? memory->end[n_ranks - 1] : 0;
    for (int64_t i = 0; i < n_marks; i++)
        memory->grade[i] = memory->mark[i].grade;
    *order =
        (weak_order){n_docs, n_ranks, memory->before, memory->size, memory->end, memory->grade};
    if (rule != TIE_RULE_TOGETHER && !weak_order_is_strict(order))
        weak_order_split(score, grade, mark_level, rule, names, memory, order);
    return -1;
}

/* Whether the order inside a rank matters. */
static int rank_is_mixed(const weak_order *order, int64_t rank)
{
    int64_t mark = rank > 0 ? order->end[rank - 1] : 0, end = order->end[rank];
    return end - mark < order->size[rank] || order->grade[mark] != order->grade[end - 1];
}

int64_t weak_order_mixed_rows(const double *score, const weak_order *order,
                              weak_order_memory *memory)
{
    int64_t *rows = memory->pairs, *end = rows + order->n_docs + 1;
    double *level = &memory->mark_scratch->score;
    int64_t n_mixed = 0, n_rows = 0;
    for (int64_t rank = 0; rank < order->n_ranks; rank++) {
        if (!rank_is_mixed(order, rank))
            continue;
        level[n_mixed] = memory->mark[order->end[rank] - 1].score;
        end[n_mixed++] = n_rows; /* as yet: where the rows of the rank begin */
        n_rows += order->size[rank];
        if (n_rows > order->n_docs) /* another thread writes to the scores */
            return -1;
    }
    memset(rows, 0, (size_t)n_rows * sizeof *rows);
    for (int64_t first = 0; n_mixed > 0 && first < order->n_docs; first += BLOCK) {
        int64_t above[BLOCK], n_left = order->n_docs - first;
        int size = n_left < BLOCK ? (int)n_left : BLOCK;
        if (watch_stops(memory->watch, BLOCK * 8))
            break;
        levels_above(level, n_mixed, score + first, size, above);
        for (int k = 0; k < size; k++) {
            int64_t rank = above[k];
            if (rank < n_mixed && level[rank] == score[first + k] && end[rank] < n_rows)
                rows[end[rank]++] = first + k;
        }
    }
    return n_rows;
}

/* One document for each rank: those of a rank of one grade, or those of `rows` that are marks. */
static void split_rank(const double *grade, double mark_level, const int64_t *rows, int64_t rank,
                       weak_order_memory *memory)
{
    int64_t mark = rank > 0 ? memory->end[rank - 1] : 0, end = memory->end[rank];
    int64_t before = memory->before[rank], size = memory->size[rank];
    for (int64_t k = 0; k < size && mark < end; k++) {
        int is_mark = 1;
        if (rows != NULL) {
            memory->mark[mark].grade = grade[rows[k]];
            is_mark = grade[rows[k]] >= mark_level || size - k <= end - mark;
        }
        memory->before[mark] = before + k;
        memory->size[mark] = 1;
        memory->end[mark] = mark + 1;
        mark += is_mark;
    }
}

void weak_order_split(const double *score, const double *grade, double mark_level,
                      enum tie_rule rule, doc_names names, weak_order_memory *memory,
                      weak_order *order)
{
    int64_t past = weak_order_mixed_rows(score, order, memory);
    weak_order_split_rows(score, grade, mark_level, rule, names, past, memory, order);
}

void weak_order_split_rows(const double *score, const double *grade, double mark_level,
                           enum tie_rule rule, doc_names names, int64_t past,
                           weak_order_memory *memory, weak_order *order)
{
    const row_key key = {score, names, rule};
    int64_t n_marks = order->end[order->n_ranks - 1], *rows = memory->pairs;
    if (past < 0 || watch_stops(memory->watch, 0))
        return;
    /* from the last rank on: each goes where it does not cover one before it */
    for (int64_t rank = order->n_ranks - 1; rank >= 0; rank--) {
        int64_t size = memory->size[rank], *here = NULL;
        if (rank_is_mixed(order, rank)) {
            past -= size;
            here = rows + past;
            if (rule == TIE_RULE_BY_DOC_ID && size <= FEW)
                sort_few_names(here, size, &names);
            else if (rule == TIE_RULE_BY_DOC_ID)
                sort_rows(here, size, rows + order->n_docs + 1, &key, memory->watch);
        }
        split_rank(grade, mark_level, here, rank, memory);
    }
    for (int64_t i = 0; i < n_marks; i++)
        memory->grade[i] = memory->mark[i].grade;
    order->n_ranks = n_marks;
}

void weak_order_expand(const int64_t *times, int64_t n_rows, weak_order_memory *memory,
                       weak_order *order)
{
    int64_t row = 0, documents = 0;
    for (int64_t rank = 0; rank < order->n_ranks; rank++) {
        int64_t past = memory->before[rank] + memory->size[rank];
        for (; row < memory->before[rank]; row++)
            documents += times[row];
        memory->before[rank] = documents;
        for (; row < past; row++)
            documents += times[row];
        memory->size[rank] = documents - memory->before[rank];
    }
    for (; row < n_rows; row++)
        documents += times[row];
    order->n_docs = documents;
}

int weak_order_is_strict(const weak_order *order)
{
    for (int64_t rank = 0; rank < order->n_ranks; rank++)
        if (order->size[rank] != 1)
            return 0;
    return 1;
}

int weak_order_is_mixed(const weak_order *order)
{
    for (int64_t rank = 0; rank < order->n_ranks; rank++)
        if (rank_is_mixed(order, rank))
            return 1;
    return 0;
}

void weak_order_refine(const weak_order *order, int best, weak_order_memory *memory,
                       weak_order *refined)
{
    int64_t n_ranks = 0, mark = 0;
    for (int64_t rank = 0; rank < order->n_ranks; rank++) {
        int64_t start = mark, end = order->end[rank], n_marks = end - start;
        int64_t before = order->before[rank] + (best ? 0 : order->size[rank] - n_marks);
        for (int64_t i = 0; i < n_marks; i++, mark++) {
            double grade = order->grade[best ? start + i : end - 1 - i];
            if (i == 0 || grade != memory->grade[mark - 1]) {
                memory->before[n_ranks] = before;
                memory->size[n_ranks++] = 0;
            }
            memory->grade[mark] = grade;
            memory->size[n_ranks - 1]++;
            memory->end[n_ranks - 1] = mark + 1;
            before++;
        }
    }
    *refined = (weak_order){order->n_docs, n_ranks,     memory->before,
                            memory->size,  memory->end, memory->grade};
}
