/* A ranking with unjudged documents, in few blocks. The contract is in open_order.h. */

#include "label_bounds/open_order.h"

#include <math.h>
#include <string.h>

static void sift_down(double *grade, int64_t root, int64_t n)
{
    for (int64_t child; (child = 2 * root + 1) < n; root = child) {
        child += child + 1 < n && grade[child + 1] < grade[child];
        if (grade[root] <= grade[child])
            return;
        double moving = grade[root];
        grade[root] = grade[child];
        grade[child] = moving;
    }
}

/* The highest ones first while they are few different ones, the others by heap sort. */
static void sort_many_grades(double *grade, int64_t n)
{
    enum { FEW_LEVELS = 8 };
    int64_t first = 0;
    for (int level = 0; level < FEW_LEVELS && first < n; level++) {
        double highest = grade[first];
        for (int64_t i = first + 1; i < n; i++)
            highest = grade[i] > highest ? grade[i] : highest;
        for (int64_t i = first; i < n; i++)
            if (grade[i] == highest) {
                grade[i] = grade[first];
                grade[first++] = highest;
            }
    }
    grade += first;
    n -= first;
    for (int64_t root = n / 2 - 1; root >= 0; root--)
        sift_down(grade, root, n);
    for (int64_t last = n - 1; last > 0; last--) {
        double lowest = grade[0];
        grade[0] = grade[last];
        grade[last] = lowest;
        sift_down(grade, 0, last);
    }
}

/* Grades of one rank, highest first. */
static void sort_grades(double *grade, int64_t n)
{
    enum { FEW = 32 };
    if (n > FEW) {
        sort_many_grades(grade, n);
        return;
    }
    for (int64_t i = 1; i < n; i++) {
        double moving = grade[i];
        int64_t at = i;
        for (; at > 0 && grade[at - 1] < moving; at--)
            grade[at] = grade[at - 1];
        grade[at] = moving;
    }
}

/* Ranks of rows, and the judged documents among them. */
typedef struct {
    const open_order_memory *memory;
    int64_t n_ranks, n_judged;
} ranked_rows;

/* The ranks of rows whose scores never rise.  Neither where a rank begins nor who was judged can be
 * foreseen, so no branch depends on it: what is no rank, or not judged, is overwritten by the next.
 * Returns whether scores rise somewhere. */
static int list_rows(const double *score, const double *grade, int64_t n_docs, int is_by_row,
                     ranked_rows *rows)
{
    int64_t *rank = rows->memory->rank, *rank_of = rows->memory->rank_of_judged;
    double *judged = rows->memory->grade, previous = INFINITY;
    int64_t n_ranks = 0, n_judged = 0;
    int rises = 0;
    for (int64_t i = 0; i < n_docs; i++) {
        rises |= score[i] > previous;
        rank[n_ranks] = i;
        n_ranks += (score[i] < previous) | is_by_row | (i == 0);
        previous = score[i];
        rank_of[n_judged] = n_ranks - 1;
        judged[n_judged] = grade[i];
        n_judged += !(grade[i] < 0);
    }
    rank[n_ranks] = n_docs;
    rows->n_ranks = n_ranks;
    rows->n_judged = n_judged;
    return rises;
}

/* The same of an order with all documents as marks, grades falling inside a rank: so as many are
 * before a rank as marks. */
static void list_marks(const weak_order *order, ranked_rows *rows)
{
    const open_order_memory *memory = rows->memory;
    rows->n_ranks = order->n_ranks;
    rows->n_judged = 0;
    for (int64_t rank = 0, mark = 0; rank < order->n_ranks; mark = order->end[rank++]) {
        memory->rank[rank] = mark;
        for (; mark < order->end[rank] && order->grade[mark] >= 0; mark++) {
            memory->rank_of_judged[rows->n_judged] = rank;
            memory->grade[rows->n_judged++] = order->grade[mark];
        }
    }
    memory->rank[order->n_ranks] = order->n_ranks > 0 ? order->end[order->n_ranks - 1] : 0;
}

/* Returns how many. */
static int64_t list_blocks(const ranked_rows *rows)
{
    const open_order_memory *memory = rows->memory;
    const int64_t *first_of = memory->rank, *rank_of = memory->rank_of_judged;
    int64_t n = 0, past = 0; /* blocks; ranks in them */
    for (int64_t judged = 0; past < rows->n_ranks; n++) {
        int64_t rank = judged < rows->n_judged ? rank_of[judged] : rows->n_ranks;
        int64_t before = first_of[past], n_open = first_of[rank] - before;
        memory->before[n] = before;
        memory->size[n] = n_open;
        memory->end[n] = judged;
        memory->apart[n] = n_open > rank - past ? OPEN_TIED : OPEN_APART;
        past = rank;
        if (rank == rows->n_ranks)
            continue;
        n += n_open > 0;
        int64_t first = judged++;
        while (judged < rows->n_judged && rank_of[judged] == rank)
            judged++;
        if (judged - first > 1)
            sort_grades(memory->grade + first, judged - first);
        memory->before[n] = before + n_open;
        memory->size[n] = first_of[rank + 1] - before - n_open;
        memory->end[n] = judged;
        memory->apart[n] = OPEN_RANK;
        past++;
    }
    return n;
}

void open_order_build(const double *score, const double *grade, int64_t n_docs, enum tie_rule rule,
                      doc_names names, const open_order_memory *memory, weak_order_memory *sorting,
                      open_order *order)
{
    ranked_rows rows = {.memory = memory};
    int rises = list_rows(score, grade, n_docs, rule == TIE_RULE_BY_ROW, &rows);
    if (rises || (rule == TIE_RULE_BY_DOC_ID && rows.n_ranks < n_docs)) {
        weak_order sorted;
        weak_order_build(score, grade, n_docs, -INFINITY, rule, names, sorting, &sorted);
        list_marks(&sorted, &rows);
    }
    int64_t n_blocks = list_blocks(&rows);
    *order = (open_order){.n_docs = n_docs,
                          .n_blocks = n_blocks,
                          .n_open = n_docs - rows.n_judged,
                          .before = memory->before,
                          .size = memory->size,
                          .end = memory->end,
                          .apart = memory->apart,
                          .grade = memory->grade,
                          .n_ranks = rows.n_ranks,
                          .rank = memory->rank};
}

static int64_t rank_around(const open_order *order, int64_t place)
{
    int64_t low = 0, n = order->n_ranks;
    for (int64_t half; n > 1; n -= half) {
        half = n / 2;
        low += order->rank[low + half] <= place ? half : 0;
    }
    return low;
}

open_tie open_tie_at(const open_order *order, int64_t place)
{
    const int64_t *rank = order->rank + rank_around(order, place);
    return (open_tie){rank[0], rank[1] - rank[0]};
}

/* Ranks being built. */
typedef struct {
    weak_order_memory *memory;
    int64_t n_ranks, n_marks;
} rank_list;

static inline void add_rank(rank_list *list, int64_t before, int64_t size)
{
    list->memory->before[list->n_ranks] = before;
    list->memory->size[list->n_ranks] = size;
    list->memory->end[list->n_ranks++] = list->n_marks;
}

static void add_marks(rank_list *list, double grade, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        list->memory->grade[list->n_marks++] = grade;
}

void open_order_expand(const open_order *order, int64_t depth, enum open_as as, double grade,
                       weak_order_memory *memory, weak_order *expanded)
{
    rank_list list = {.memory = memory};
    for (int64_t block = 0, judged = 0; block < order->n_blocks; block++) {
        int64_t before = order->before[block], size = order->size[block];
        int64_t n_judged = order->end[block] - judged, n_open = size - n_judged;
        if (before >= depth)
            break;
        if (order->apart[block] == OPEN_TIED && as == OPEN_KEPT) {
            int64_t rank = rank_around(order, before);
            for (; order->rank[rank] < before + size && order->rank[rank] < depth; rank++) {
                add_marks(&list, -1, order->rank[rank + 1] - order->rank[rank]);
                add_rank(&list, order->rank[rank], order->rank[rank + 1] - order->rank[rank]);
            }
            continue;
        }
        if (order->apart[block]) {
            int64_t last = before + size < depth ? before + size : depth;
            for (int64_t at = before; as != OPEN_LEFT_OUT && at < last; at++) {
                memory->grade[list.n_marks++] = as == OPEN_KEPT ? -1 : grade;
                add_rank(&list, at, 1);
            }
            continue;
        }
        if (as == OPEN_GRADED)
            add_marks(&list, grade, n_open);
        for (; judged < order->end[block]; judged++)
            memory->grade[list.n_marks++] = order->grade[judged];
        if (as == OPEN_KEPT)
            add_marks(&list, -1, n_open);
        if (as != OPEN_LEFT_OUT || n_judged > 0)
            add_rank(&list, before, size);
    }
    *expanded = (weak_order){order->n_docs, list.n_ranks, memory->before,
                             memory->size,  memory->end,  memory->grade};
}
