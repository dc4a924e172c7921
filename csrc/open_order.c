#include "open_order.h"

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

/* Blocks being built. */
typedef struct {
    const open_order_memory *memory;
    int64_t n_docs, n_blocks, n_judged;
} block_list;

static inline void add_block(block_list *list, int64_t size, int apart)
{
    const open_order_memory *memory = list->memory;
    memory->before[list->n_blocks] = list->n_docs;
    memory->size[list->n_blocks] = size;
    memory->apart[list->n_blocks] = apart;
    memory->end[list->n_blocks++] = list->n_judged;
    list->n_docs += size;
}

/* A rank, which joins the stretch before it where it is one open document. */
static inline void add_group(block_list *list, int64_t size, int is_open)
{
    const open_order_memory *memory = list->memory;
    int64_t block = list->n_blocks - 1;
    if (size > 1 || !is_open || block < 0 || !memory->apart[block]) {
        add_block(list, size, size == 1 && is_open);
        return;
    }
    memory->size[block]++;
    list->n_docs++;
}

/* The rows from the list's end on, up to `last`, that are ranks of their own.  Whether a row is
 * open is hard to foresee, so no branch depends on it until a stretch has been long.  With
 * `is_by_row` equal scores are no tie. */
static void add_single_rows(block_list *list, const double *score, const double *grade,
                            int64_t last, int is_by_row)
{
    enum { LONG = 4 };
    const open_order_memory *memory = list->memory;
    int64_t i = list->n_docs, n_judged = list->n_judged, block = list->n_blocks - 1, first = i;
    int is_stretch = 0;
    for (;; i++) {
        if (is_stretch && i - first >= LONG) {
            while (i < last && grade[i] < 0 && score[i + 1] < score[i])
                i++;
            memory->size[block] = i - first;
        }
        if (i >= last || !(score[i + 1] < score[i] || (is_by_row && score[i + 1] == score[i])))
            break;
        int is_open = grade[i] < 0, is_new = !(is_open & is_stretch);
        first = is_new ? i : first;
        block += is_new;
        memory->grade[n_judged] = grade[i]; /* an open one is overwritten by the next */
        n_judged += !is_open;
        memory->before[block] = first;
        memory->size[block] = i + 1 - first;
        memory->apart[block] = is_open;
        memory->end[block] = n_judged;
        is_stretch = is_open;
    }
    list->n_docs = i;
    list->n_judged = n_judged;
    list->n_blocks = block + 1;
}

/* Rows whose scores never rise; returns how many were taken before one that does, or before a tie
 * that is taken apart by names. */
static int64_t add_rows(block_list *list, const double *score, const double *grade, int64_t n_docs,
                        enum tie_rule rule)
{
    double *judged = list->memory->grade;
    while (list->n_docs < n_docs) {
        add_single_rows(list, score, grade, n_docs - 1, rule == TIE_RULE_BY_ROW);
        int64_t first = list->n_docs, i = first, first_judged = list->n_judged;
        double tied = score[i];
        do {
            judged[list->n_judged] = grade[i];
            list->n_judged += !(grade[i] < 0);
            i++;
        } while (i < n_docs && score[i] == tied);
        if ((i < n_docs && !(score[i] < tied)) || (i - first > 1 && rule != TIE_RULE_TOGETHER))
            return first;
        if (list->n_judged - first_judged > 1)
            sort_grades(judged + first_judged, list->n_judged - first_judged);
        add_group(list, i - first, list->n_judged == first_judged);
    }
    return n_docs;
}

/* All documents as marks, grades falling inside a rank. */
static void add_ranks(block_list *list, const weak_order *order)
{
    for (int64_t rank = 0, mark = 0; rank < order->n_ranks; rank++) {
        int64_t end = order->end[rank], first = rank;
        while (rank < order->n_ranks && order->size[rank] == 1
               && order->grade[order->end[rank] - 1] < 0)
            rank++;
        if (rank > first) {
            mark = order->end[--rank];
            add_block(list, rank - first + 1, 1);
            continue;
        }
        for (; mark < end && order->grade[mark] >= 0; mark++)
            list->memory->grade[list->n_judged++] = order->grade[mark];
        mark = end;
        add_block(list, order->size[rank], 0);
    }
}

void open_order_build(const double *score, const double *grade, int64_t n_docs, enum tie_rule rule,
                      doc_names names, const open_order_memory *memory, weak_order_memory *sorting,
                      open_order *order)
{
    block_list list = {.memory = memory};
    if (add_rows(&list, score, grade, n_docs, rule) < n_docs) {
        weak_order sorted;
        weak_order_build(score, grade, n_docs, -INFINITY, rule, names, sorting, &sorted);
        list = (block_list){.memory = memory};
        add_ranks(&list, &sorted);
    }
    *order = (open_order){list.n_docs,    list.n_blocks, list.n_docs - list.n_judged,
                          memory->before, memory->size,  memory->end,
                          memory->apart,  memory->grade};
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
