#include "few_order.h"

#include <string.h>

/* Whether scores fall from row to row: then a mark's row is its place, and no score is NaN. */
static int is_in_order(const double *score, int64_t n)
{
    int falls = n > 0 && score[0] == score[0];
    for (int64_t i = 1; i < n; i++)
        falls &= score[i] < score[i - 1];
    return falls;
}

static void count_above(const double *score, int64_t n, double mine, int64_t *above, int64_t *equal)
{
    int64_t n_above = 0, n_equal = 0;
    for (int64_t i = 0; i < n; i++) {
        n_above += score[i] > mine;
        n_equal += score[i] == mine;
    }
    *above = n_above;
    *equal = n_equal;
}

enum few_order_kind few_order_scores(const double *score, const double *grade, int64_t n,
                                     double mark_level, few_marks *marks)
{
    int64_t n_marks = 0, has_tie = 0, has_nan = 0;
    for (int64_t i = 0; i < n; i++) {
        marks->row[n_marks] = i;
        n_marks += grade[i] >= mark_level;
    }
    marks->n_marks = n_marks;
    if (is_in_order(score, n)) {
        memcpy(marks->above, marks->row, (size_t)n_marks * sizeof *marks->row);
        return FEW_STRICT;
    }
    if (n_marks * n > FEW_PAIRS)
        return FEW_TOO_MANY;
    for (int64_t i = 0; i < n; i++)
        has_nan |= score[i] != score[i];
    if (has_nan)
        return FEW_NAN;
    int64_t equal[FEW_DOCUMENTS];
    for (int64_t k = 0; k < n_marks; k++) {
        count_above(score, n, score[marks->row[k]], &marks->above[k], &equal[k]);
        has_tie |= equal[k] > 1;
    }
    if (!has_tie)
        return FEW_STRICT;
    memset(marks->tied, 0, (size_t)n);
    for (int64_t k = 0; k < n_marks; k++)
        for (int64_t i = 0; equal[k] > 1 && i < n; i++)
            marks->tied[i] |= score[i] == score[marks->row[k]];
    return FEW_TIED;
}

/* Whether a comes before b: by falling bytes. */
static int is_before(few_name a, few_name b)
{
    int sign = memcmp(a.text, b.text, (size_t)(a.size < b.size ? a.size : b.size));
    return sign != 0 ? sign > 0 : a.size > b.size;
}

void few_order_ties(const double *score, int64_t n, const few_name *names, few_marks *marks)
{
    for (int64_t k = 0; k < marks->n_marks; k++) {
        int64_t row = marks->row[k];
        for (int64_t i = 0; marks->tied[row] && i < n; i++)
            if (marks->tied[i] && i != row && score[i] == score[row])
                marks->above[k] += names != NULL ? is_before(names[i], names[row]) : i < row;
    }
}

void few_order_fill(const double *grade, few_marks *marks, int64_t *before, double *mark_grade)
{
    for (int64_t k = 0; k < marks->n_marks; k++) {
        int64_t above = marks->above[k], at = k;
        for (; at > 0 && before[at - 1] > above; at--) {
            before[at] = before[at - 1];
            mark_grade[at] = mark_grade[at - 1];
        }
        before[at] = above;
        mark_grade[at] = grade[marks->row[k]];
    }
}
