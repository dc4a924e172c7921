/* Few documents are ordered as weak_order_build orders them: random ones, by row and by id. */
#include "few_order.h"

#include <math.h>
#include <stddef.h>

#include "check.h"
#include "weak_order.h"

enum { N = 24 };

/* Whether a comes before b, byte by byte. */
static int falls(doc_name a, doc_name b)
{
    for (int64_t i = 0; i < a.size && i < b.size; i++)
        if (a.text[i] != b.text[i])
            return (unsigned char)a.text[i] > (unsigned char)b.text[i];
    return a.size > b.size;
}

/* Documents before each mark, counted: the sum over marks of it, which no sorting changes. */
static int64_t count_before(const double *score, const double *grade, const doc_name *names,
                            int64_t n, int by_id)
{
    int64_t count = 0;
    for (int64_t row = 0; row < n; row++)
        for (int64_t i = 0; grade[row] >= 1 && i < n; i++)
            count += score[i] > score[row]
                     || (score[i] == score[row] && (by_id ? falls(names[i], names[row]) : i < row));
    return count;
}

static void test_same_order(unsigned long long *state, int by_id)
{
    double score[N], grade[N], mark_grade[N];
    int64_t start[N], end[N], before[N], n = (int64_t)(next_random(state) % (N + 1));
    unsigned long long n_scores = 1 + next_random(state) % 30;
    doc_name names[N];
    char ids[N * 40];
    size_t length = 0, n_shared = next_random(state) % 20, n_more = next_random(state) % 18;
    for (int64_t i = 0; i < n; i++) {
        score[i] = (double)(next_random(state) % n_scores);
        grade[i] = (double)(next_random(state) % 4) - 1;
        start[i] = (int64_t)length; /* distinct, some the beginning of another one */
        for (size_t k = 0; k < n_shared; k++)
            ids[length++] = 's';
        for (size_t k = next_random(state) % (n_more + 1); k > 0; k--)
            ids[length++] = next_random(state) % 2 ? '\0' : '\xff';
        for (int64_t k = next_random(state) % 2 ? 0 : i; k >= 0; k -= 8)
            ids[length++] = (char)(k < 8 ? i : 'z');
        end[i] = (int64_t)length;
        names[i] = (doc_name){ids + start[i], end[i] - start[i]};
    }
    int64_t before_rank[N + 1], size[N + 1], past[N + 1], pairs[2 * (N + 1)];
    double rank_grade[N + 1];
    weak_order_mark mark_memory[N + 1], mark_scratch[N + 1];
    weak_order_memory memory = {before_rank, size,         past,  rank_grade,
                                mark_memory, mark_scratch, pairs, NULL};
    weak_order order;
    weak_order_build(score, grade, n, 1, by_id ? TIE_RULE_BY_DOC_ID : TIE_RULE_BY_ROW,
                     (doc_names){start, end, ids}, &memory, &order);
    few_marks marks;
    enum few_order_kind kind = few_order_scores(score, grade, n, 1, &marks);
    CHECK(kind == FEW_STRICT || kind == FEW_TIED
          || (kind == FEW_TOO_MANY && n * order.n_ranks > 0));
    if (kind == FEW_TOO_MANY)
        return;
    if (kind == FEW_TIED)
        few_order_ties(score, n, by_id ? names : NULL, &marks);
    few_order_fill(grade, &marks, before, mark_grade);
    int64_t n_marks = order.n_ranks > 0 ? order.end[order.n_ranks - 1] : 0;
    CHECK(marks.n_marks == n_marks);
    int64_t counted = 0;
    for (int64_t mark = 0; mark < n_marks; mark++)
        counted += before[mark];
    CHECK(counted == count_before(score, grade, names, n, by_id));
    for (int64_t rank = 0, mark = 0; rank < order.n_ranks; rank++)
        for (int64_t i = 0; mark < order.end[rank]; mark++, i++)
            CHECK(before[mark] == order.before[rank] + i && mark_grade[mark] == order.grade[mark]);
}

static void test_no_order(void)
{
    double score[N] = {3, NAN}, grade[N] = {1, 0};
    few_marks marks;
    CHECK(few_order_scores(score, grade, 2, 1, &marks) == FEW_NAN);
    CHECK(few_order_scores(score, grade, 1, 1, &marks) == FEW_STRICT && marks.above[0] == 0);
    CHECK(few_order_scores(score, grade, 0, 1, &marks) == FEW_STRICT && marks.n_marks == 0);
}

int main(void)
{
    unsigned long long state = 3;
    for (int i = 0; i < 20000; i++)
        test_same_order(&state, i % 2);
    test_no_order();
    return failures;
}
