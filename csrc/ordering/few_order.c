/* Order of one query's documents if few of them are judged. The contract is in few_order.h. */

#include "ordering/few_order.h"

#include <math.h>
#include <string.h>

/* Whether scores fall from row to row: then a mark's row is its place, and no score is NaN. */
static int is_in_order(const double *score, int64_t n)
{
    int falls = n > 0 && score[0] == score[0];
    for (int64_t i = 1; i < n; i++)
        falls &= score[i] < score[i - 1];
    return falls;
}

/* Rows in whole lanes: the loops that compare need no other steps. */
static int64_t n_lanes(int64_t n)
{
    return (n + FEW_LANES - 1) / FEW_LANES;
}

static int32_t count_above(const float *score, int64_t lanes, float mine, int32_t *equal)
{
    int32_t n_above = 0, n_equal = 0;
    for (int64_t i = 0; i < lanes * FEW_LANES; i++) {
        n_above += score[i] > mine;
        n_equal += score[i] == mine;
    }
    *equal = n_equal;
    return n_above;
}

enum few_order_kind few_order_scores(const double *score, const double *grade, int64_t n,
                                     double mark_level, int has_names, few_marks *marks)
{
    int64_t n_marks = 0, lanes = n_lanes(n);
    int has_tie = 0, has_nan = 0;
    for (int64_t i = 0; i < n; i++) {
        marks->row[n_marks] = (int32_t)i;
        n_marks += grade[i] >= mark_level;
    }
    marks->n_docs = n;
    marks->n_marks = n_marks;
    marks->is_in_order = is_in_order(score, n);
    if (marks->is_in_order)
        return FEW_STRICT;
    if (has_names && n <= FEW_DENSE_DOCUMENTS && 2 * n_marks > n)
        return FEW_DENSE;
    if (n_marks * n > FEW_PAIRS)
        return FEW_TOO_MANY;
    for (int64_t i = 0; i < n; i++) {
        has_nan |= score[i] != score[i];
        marks->score[i] = (float)score[i];
    }
    if (has_nan)
        return FEW_NAN;
    for (int64_t i = n; i < lanes * FEW_LANES; i++)
        marks->score[i] = NAN;
    memset(marks->number, 0, (size_t)(lanes * FEW_LANES) * sizeof *marks->number);
    for (int64_t k = 0; k < n_marks; k++) {
        float mine = marks->score[marks->row[k]];
        int32_t equal;
        marks->above[k] = count_above(marks->score, lanes, mine, &equal);
        if (equal == 1)
            continue;
        has_tie = 1;
        if (marks->number[marks->row[k]]) /* as are those of its score */
            continue;
        for (int64_t i = 0; i < lanes * FEW_LANES; i++)
            marks->number[i] |= marks->score[i] == mine;
    }
    if (!has_tie)
        return FEW_STRICT;
    marks->n_tied = 0;
    for (int64_t i = 0; i < n; i++) {
        marks->tied[marks->n_tied] = (int32_t)i;
        marks->n_tied += marks->number[i];
    }
    return FEW_TIED;
}

/* A number for each tied row, whose order is that of the names but where numbers are equal: four
 * bytes, the lowest ones as the lowest int. */
static void number_rows(const doc_name *names, few_marks *marks)
{
    uint64_t number[FEW_DOCUMENTS];
    number_names(names, marks->n_tied, number);
    for (int64_t i = 0; i < marks->n_tied; i++) {
        int64_t top = (int64_t)(number[i] >> 32);
        marks->number[marks->tied[i]] = (int32_t)(top - (INT64_C(1) << 31));
    }
}

/* Tied rows of a row's score and number that come before it. */
static int32_t count_twins(const doc_name *names, const few_marks *marks, int32_t row)
{
    int32_t above = 0;
    int64_t mine = 0;
    while (marks->tied[mine] != row)
        mine++;
    for (int64_t i = 0; i < marks->n_tied; i++) {
        int32_t other = marks->tied[i];
        if (marks->score[other] == marks->score[row] && marks->number[other] == marks->number[row])
            above += name_is_before(names[i], names[mine]);
    }
    return above;
}

static void add_by_name(const doc_name *names, few_marks *marks)
{
    int64_t lanes = n_lanes(marks->n_docs);
    number_rows(names, marks);
    for (int64_t k = 0; k < marks->n_marks; k++) {
        int32_t row = marks->row[k], n_above = 0, n_equal = 0, my_number = marks->number[row];
        float mine = marks->score[row];
        for (int64_t i = 0; i < lanes * FEW_LANES; i++) {
            n_above += (marks->score[i] == mine) & (marks->number[i] > my_number);
            n_equal += (marks->score[i] == mine) & (marks->number[i] == my_number);
        }
        if (n_equal > 1)
            n_above += count_twins(names, marks, row);
        marks->above[k] += n_above;
    }
}

/* Scores as numbers that rise with them, above the first bits of the ids' numbers.  Returns whether
 * no score is NaN. */
static int dense_keys(const double *score, int64_t n, const doc_name *names, uint64_t *key)
{
    uint64_t number[FEW_DENSE_DOCUMENTS];
    int has_nan = 0;
    number_names(names, n, number);
    for (int64_t i = 0; i < n; i++) {
        float own = (float)score[i] + 0.0F; /* no -0 */
        uint32_t bits;
        has_nan |= own != own;
        memcpy(&bits, &own, sizeof bits);
        bits ^= bits >> 31 ? UINT32_MAX : UINT32_C(1) << 31;
        key[i] = ((uint64_t)bits << 32 | number[i] >> 32) >> 1;
    }
    return !has_nan;
}

/* Where keys are equal the ids decide: most are no longer than what the keys hold. */
static void part_twins(const doc_name *names, const uint64_t *key, int64_t n, uint64_t *above)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            above[i] += key[i] == key[j] && name_is_before(names[j], names[i]);
}

int64_t few_order_dense(const double *score, const double *grade, int64_t n, double mark_level,
                        const doc_name *names, int64_t *before, double *mark_grade)
{
    uint64_t key[FEW_DENSE_DOCUMENTS + 1], above[FEW_DENSE_DOCUMENTS], taken = 0;
    int32_t row[FEW_DENSE_DOCUMENTS];
    int64_t n_marks = 0;
    if (!dense_keys(score, n, names, key))
        return -1;
    key[n] = 0; /* to a whole number of pairs */
    for (int64_t i = 0; i < n; i++) {
        uint64_t n_above = 0;
        for (int64_t j = 0; j < (n + 1) / 2 * 2; j++)
            n_above += (key[i] - key[j]) >> 63; /* 1 if key j is higher: both have 63 bits */
        above[i] = n_above;
        taken |= UINT64_C(1) << n_above;
    }
    if (taken != (UINT64_C(1) << n) - 1)
        part_twins(names, key, n, above);
    for (int64_t i = 0; i < n; i++)
        row[above[i]] = (int32_t)i;
    for (int64_t place = 0; place < n; place++) {
        before[n_marks] = place;
        mark_grade[n_marks] = grade[row[place]];
        n_marks += grade[row[place]] >= mark_level;
    }
    return n_marks;
}

void few_order_ties(const doc_name *names, few_marks *marks)
{
    if (names != NULL) {
        add_by_name(names, marks);
        return;
    }
    for (int64_t k = 0; k < marks->n_marks; k++)
        for (int32_t i = 0, row = marks->row[k]; i < row; i++)
            marks->above[k] += marks->score[i] == marks->score[row];
}

/* The lowest bit that is set; x is not 0. */
static inline int64_t lowest_bit(uint64_t x)
{
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_ctzll(x);
#else
    int64_t n = 0;
    for (; !(x & 1); x >>= 1)
        n++;
    return n;
#endif
}

int64_t few_order_fill(const double *grade, const few_marks *marks, int64_t *before,
                       double *mark_grade)
{
    uint64_t taken[FEW_DOCUMENTS / 64]; /* places of marks */
    int32_t row[FEW_DOCUMENTS];
    int64_t n = 0;
    for (int64_t k = 0; marks->is_in_order && k < marks->n_marks; k++) {
        before[k] = marks->row[k];
        mark_grade[k] = grade[marks->row[k]];
    }
    if (marks->is_in_order)
        return marks->n_marks;
    for (int64_t word = 0; word * 64 < marks->n_docs; word++)
        taken[word] = 0;
    for (int64_t k = 0; k < marks->n_marks; k++) {
        taken[marks->above[k] / 64] |= UINT64_C(1) << marks->above[k] % 64;
        row[marks->above[k]] = marks->row[k];
    }
    for (int64_t start = 0; start < marks->n_docs; start += 64) {
        for (uint64_t left = taken[start / 64]; left != 0; left &= left - 1) {
            before[n] = start + lowest_bit(left);
            mark_grade[n] = grade[row[before[n]]];
            n++;
        }
    }
    return n;
}
