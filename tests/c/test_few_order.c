/* Documents are ordered as weak_order_build orders them, by comparison with the marks and by one
 * sort of all: random ones, by row and by id. */
#include "ordering/few_order.h"

#include <math.h>
#include <stddef.h>

#include "check.h"
#include "ordering/single_order.h"
#include "ordering/weak_order.h"

enum { N = 300 };

static double score[N], grade[N];
static int64_t start[N], end[N];
static doc_name names[N], tied[N];
static char ids[N * 48];

/* Whether a comes before b, byte by byte. */
static int falls(doc_name a, doc_name b)
{
    for (int64_t i = 0; i < a.size && i < b.size; i++)
        if (a.text[i] != b.text[i])
            return (unsigned char)a.text[i] > (unsigned char)b.text[i];
    return a.size > b.size;
}

/* Documents before each mark, counted: the sum over marks of it, which no sorting changes. */
static int64_t count_before(int64_t n, int by_id)
{
    int64_t count = 0;
    for (int64_t row = 0; row < n; row++)
        for (int64_t i = 0; grade[row] >= 1 && i < n; i++)
            count += score[i] > score[row]
                     || (score[i] == score[row] && (by_id ? falls(names[i], names[row]) : i < row));
    return count;
}

/* Distinct ids, some the beginning of another one. */
static void make_names(unsigned long long *state, int64_t n)
{
    size_t length = 0, n_shared = next_random(state) % 20, n_more = next_random(state) % 18;
    for (int64_t i = 0; i < n; i++) {
        start[i] = (int64_t)length;
        for (size_t k = 0; k < n_shared; k++)
            ids[length++] = 's';
        for (size_t k = next_random(state) % (n_more + 1); k > 0; k--)
            ids[length++] = next_random(state) % 2 ? '\0' : '\xff';
        if (next_random(state) % 2)
            ids[length++] = 'z';
        ids[length++] = (char)(i % 128);
        if (i >= 128 || next_random(state) % 2)
            ids[length++] = (char)(i / 128);
        end[i] = (int64_t)length;
        names[i] = (doc_name){ids + start[i], end[i] - start[i]};
    }
}

/* Scores that are 32-bit floats: whole, of any sign and size, or huge. */
static void make_scores(unsigned long long *state, int64_t n)
{
    static const double SCALES[] = {1, 1e-40, -0x1p120, 0.1};
    unsigned long long n_scores = 1 + next_random(state) % (next_random(state) % 2 ? 30 : 1000);
    unsigned long long middle = next_random(state) % 3 ? 0 : n_scores / 2;
    double scale = SCALES[next_random(state) % 4];
    unsigned long long most = next_random(state) % 2 ? 4 : 40; /* of which four are marks */
    for (int64_t i = 0; i < n; i++) {
        double whole = (double)(next_random(state) % n_scores) - (double)middle;
        score[i] = (double)(float)(whole * scale);
        if (next_random(state) % 50 == 0)
            score[i] = next_random(state) % 2 ? INFINITY : -INFINITY;
        grade[i] = (double)(next_random(state) % most) - 1;
        grade[i] = grade[i] > 3 ? 0 : grade[i];
    }
}

/* Make them fall from row to row now and then. */
static void sort_scores(unsigned long long *state, int64_t n)
{
    if (next_random(state) % 4)
        return;
    for (int64_t i = 1; i < n; i++)
        for (int64_t at = i; at > 0 && score[at] > score[at - 1]; at--) {
            double moving = score[at];
            score[at] = score[at - 1];
            score[at - 1] = moving;
        }
}

static int64_t few_places(int64_t n, int by_id, int has_names, int64_t *before, double *mark_grade)
{
    static few_marks few;
    enum few_order_kind kind = few_order_scores(score, grade, n, 1, has_names, &few);
    CHECK(kind == FEW_STRICT || kind == FEW_TIED
          || (kind == FEW_DENSE && has_names && n <= FEW_DENSE_DOCUMENTS)
          || (kind == FEW_TOO_MANY && few.n_marks * n > FEW_PAIRS));
    if (kind == FEW_TOO_MANY)
        return -1;
    if (kind == FEW_DENSE)
        return few_order_dense(score, grade, n, 1, names, before, mark_grade);
    if (kind == FEW_TIED) {
        for (int64_t i = 0; i < few.n_tied; i++)
            tied[i] = names[few.tied[i]];
        few_order_ties(by_id ? tied : NULL, &few);
    }
    return few_order_fill(grade, &few, before, mark_grade);
}

static int64_t single_places(int64_t n, int by_id, int64_t *before, double *mark_grade)
{
    static uint64_t key[N], key_scratch[N];
    static int32_t bucket[N + 1], place[N + 1];
    static single_tie ties[N / 2];
    static single_name order[N], scratch[N];
    single_memory memory = {key, key_scratch, bucket, place, ties, order, scratch, 0};
    int64_t n_tied = 0;
    CHECK(single_order_scores(score, grade, n, 1, &memory));
    for (int64_t i = 0; i < memory.n_ties; i++)
        for (int64_t at = ties[i].start; at < ties[i].stop; at++)
            tied[n_tied++] = names[single_order_row(&memory, at)];
    if (by_id)
        single_order_names(tied, &memory);
    return single_order_marks(grade, n, 1, &memory, before, mark_grade);
}

static void test_same_order(unsigned long long *state, int by_id)
{
    static double mark_grade[N + 1], rank_grade[N + 1];
    static int64_t before[N + 1], before_rank[N + 1], size[N + 1], past[N + 1], pairs[2 * (N + 1)];
    static weak_order_mark mark_memory[N + 1], mark_scratch[N + 1];
    int64_t n = (int64_t)(next_random(state) % (next_random(state) % 4 ? 24 : N + 1));
    make_names(state, n);
    make_scores(state, n);
    sort_scores(state, n);
    weak_order_memory memory = {before_rank, size,         past,  rank_grade,
                                mark_memory, mark_scratch, pairs, NULL};
    weak_order order;
    weak_order_build(score, grade, n, 1, by_id ? TIE_RULE_BY_DOC_ID : TIE_RULE_BY_ROW,
                     (doc_names){start, end, ids}, &memory, &order);
    int64_t n_marks = order.n_ranks > 0 ? order.end[order.n_ranks - 1] : 0;
    for (int way = 0; way < 2 + by_id; way++) {
        int64_t counted = 0, found = way == 1 ? single_places(n, by_id, before, mark_grade)
                                              : few_places(n, by_id, way == 2, before, mark_grade);
        if (found < 0)
            continue;
        CHECK(found == n_marks);
        for (int64_t mark = 0; mark < n_marks; mark++)
            counted += before[mark];
        CHECK(counted == count_before(n, by_id));
        for (int64_t rank = 0, mark = 0; rank < order.n_ranks; rank++)
            for (int64_t i = 0; mark < order.end[rank]; mark++, i++)
                CHECK(before[mark] == order.before[rank] + i
                      && mark_grade[mark] == order.grade[mark]);
    }
}

static void test_no_order(void)
{
    static few_marks few;
    int64_t before;
    double mark_grade;
    single_memory memory = {(uint64_t[2]){0}, (uint64_t[2]){0}, NULL, NULL, NULL, NULL, NULL, 0};
    score[0] = 3;
    score[1] = NAN;
    grade[0] = 1;
    grade[1] = 0;
    CHECK(few_order_scores(score, grade, 2, 1, 0, &few) == FEW_NAN);
    names[0] = names[1] = (doc_name){ids, 1};
    CHECK(few_order_dense(score, grade, 2, 1, names, &before, &mark_grade) == -1);
    CHECK(!single_order_scores(score, grade, 2, 1, &memory));
    CHECK(few_order_scores(score, grade, 1, 1, 1, &few) == FEW_STRICT && few.row[0] == 0);
    CHECK(few_order_scores(score, grade, 0, 1, 1, &few) == FEW_STRICT && few.n_marks == 0);
    CHECK(single_order_scores(score, grade, 0, 1, &memory) && memory.n_ties == 0);
}

int main(void)
{
    unsigned long long state = 3;
    for (int i = 0; i < 20000; i++)
        test_same_order(&state, i % 2);
    test_no_order();
    return failures;
}
