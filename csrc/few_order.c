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
    memset(marks->tied, 0, (size_t)n * sizeof *marks->tied);
    for (int64_t k = 0; k < n_marks; k++) {
        double mine = score[marks->row[k]];
        if (equal[k] > 1)
            for (int64_t i = 0; i < n; i++)
                marks->tied[i] |= score[i] == mine;
    }
    return FEW_TIED;
}

/* A number for each tied row, whose order is that of the names but where numbers are equal.  Six
 * bytes are a double, which vectors of any processor compare. */
static void number_names(const doc_name *names, int64_t n, const few_marks *marks, double *number)
{
    int64_t first = 0, shared = INT64_MAX;
    while (first < n - 1 && !marks->tied[first])
        first++;
    for (int64_t i = first + 1; i < n; i++)
        if (marks->tied[i])
            shared = shared_bytes(names[first], names[i], shared);
    for (int64_t i = 0; i < n; i++)
        number[i] = marks->tied[i] ? (double)(name_number(names[i], shared) >> 16) : -1.0;
}

/* Rows of a row's score and number that come before it. */
static int64_t count_twins(const double *score, int64_t n, const doc_name *names,
                           const double *number, int64_t row)
{
    int64_t above = 0;
    for (int64_t i = 0; i < n; i++)
        if (score[i] == score[row] && number[i] == number[row] && i != row)
            above += name_is_before(names[i], names[row]);
    return above;
}

static void add_by_name(const double *score, int64_t n, const doc_name *names, few_marks *marks)
{
    double number[FEW_DOCUMENTS];
    number_names(names, n, marks, number);
    for (int64_t k = 0; k < marks->n_marks; k++) {
        int64_t row = marks->row[k], n_above = 0, n_equal = 0;
        double mine = score[row], my_number = number[row];
        if (!marks->tied[row])
            continue;
        for (int64_t i = 0; i < n; i++) {
            n_above += (score[i] == mine) & (number[i] > my_number);
            n_equal += (score[i] == mine) & (number[i] == my_number);
        }
        if (n_equal > 1)
            n_above += count_twins(score, n, names, number, row);
        marks->above[k] += n_above;
    }
}

void few_order_ties(const double *score, int64_t n, const doc_name *names, few_marks *marks)
{
    if (names != NULL) {
        add_by_name(score, n, names, marks);
        return;
    }
    for (int64_t k = 0; k < marks->n_marks; k++)
        for (int64_t i = 0, row = marks->row[k]; i < row; i++)
            marks->above[k] += score[i] == score[row];
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
