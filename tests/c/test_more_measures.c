/* Kernels of trec_measures.c, user_models.c, overlap.c and review_measures.c: the mean, the best
 * and the worst of all orders of tied documents, and worked values of one order. */
#include "ties/ranking.h"

#include <math.h>
#include <string.h>

#include "check.h"

enum { N = 5 };

#include "rank_arrays.h"

static double discount[N + 4], work[400];

static int near(double a, double b)
{
    return fabs(a - b) <= 1e-14 * fmax(1, fabs(b));
}

/* One measure of documents in ties, or place by place; two relevant ones more, not retrieved. */
static double value_by(enum tie_choice choice, const measure *m, const double *score,
                       const double *grade, int n)
{
    double all[N + 2], level[N + 3], value;
    int64_t count[N + 3];
    memcpy(all, grade, (size_t)n * sizeof *grade);
    all[n] = 1;
    all[n + 1] = 2;
    ranking_memory memory = {memory_of(&first),
                             memory_of(&second),
                             {discount, N + 4, scratch, NULL, work, sizeof work},
                             0,
                             {0},
                             -1,
                             TIE_MEAN};
    ranking_task task = {1, m, choice, 0, -0.5};
    ranked_query query = {.score = score,
                          .grade = grade,
                          .n_rows = n,
                          .judged = {levels_count(all, NULL, n + 2, level, count), level, count},
                          .collection_size = 20};
    CHECK(ranking_evaluate(&task, &query, &memory, &value, NULL, NULL) == -1);
    return value;
}

static double value_of(const measure *m, const double *score, const double *grade, int n)
{
    return value_by(CHOOSE_EXPECTED, m, score, grade, n);
}

/* How many orders there are, the least of their values and the greatest. */
typedef struct {
    double n, least, most;
} all_orders;

/* The sum over the orders of grade[k ..] inside ties. */
static double add_orders(const measure *m, const double *score, double *grade, int n, int k,
                         all_orders *orders)
{
    static const double place[] = {0, -1, -2, -3, -4};
    double sum = 0;
    if (k == n) {
        sum = value_of(m, place, grade, n);
        orders->n += 1;
        orders->least = fmin(orders->least, sum);
        orders->most = fmax(orders->most, sum);
    }
    for (int i = k; i < n && score[i] == score[k]; i++) {
        double swap = grade[k];
        grade[k] = grade[i];
        grade[i] = swap;
        sum += add_orders(m, score, grade, n, k + 1, orders);
        grade[i] = grade[k];
        grade[k] = swap;
    }
    return sum;
}

typedef struct {
    const char *name;
    int64_t cutoff;
    double argument[3];
} question;

static measure measure_of(question q)
{
    measure m = {measure_find(q.name), 1, q.cutoff, {0}, 3};
    CHECK(m.kernel != NULL);
    memcpy(m.argument, q.argument, sizeof q.argument);
    return m;
}

static void test_all_orders(void)
{
    const question questions[] = {
        {"binG", 0, {0}},
        {"nDCGrel", 0, {0}},
        {"RnDCG", 0, {1}},
        {"APRet", 0, {0}},
        {"APRet", 3, {0}},
        {"APMin", 2, {0}},
        {"infAP", 0, {0}},
        {"RBPGraded", 0, {0.7}},
        {"RBPResid", 0, {0.7}},
        {"SDCG", 3, {0, 2, 2.1}},
        {"INSQ", 0, {0, 2, 1.5}},
        {"Accuracy", 0, {0}},
        {"Accuracy", 3, {0}},
        {"Compat", 0, {0.8, 0}},
        {"Compat", 0, {0.95, 1}},
        {"NovelDCG", 3, {0.3, 0}},
        {"NovelERR", 4, {0.5, 0}},
        {"NovelRBP", 0, {0.5, 0.8}},
        {"IPrec", 0, {0.4, 0}},
        {"IPrec", 0, {0.5, 1}},
        {"IPrec11", 0, {0, 0.2, 0.7}},
        {"G", 0, {0}},
        {"BPM", 3, {0, 2, 1}},
        {"BPM", 9, {0, 2, 1.5}},
    };
    const double grades[] = {-1, -0.5, 0, 1, 1, 2};
    unsigned long long seed = 3;
    for (int trial = 0; trial < 60; trial++) {
        double score[N], grade[N];
        int n = 1 + (int)(next_random(&seed) % N);
        for (int k = 0; k < n; k++) {
            grade[k] = grades[next_random(&seed) % 6];
            score[k] = k == 0 ? 0 : score[k - 1] - (double)(next_random(&seed) % 3 == 0);
        }
        for (unsigned i = 0; i < sizeof questions / sizeof *questions; i++) {
            measure m = measure_of(questions[i]);
            all_orders orders = {0, INFINITY, -INFINITY};
            double sum = add_orders(&m, score, grade, n, 0, &orders);
            CHECK(near(value_of(&m, score, grade, n), sum / orders.n));
            if (strncmp(questions[i].name, "Novel", 5) == 0)
                continue; /* without a best and a worst order */
            double best = value_by(CHOOSE_BEST, &m, score, grade, n);
            double worst = value_by(CHOOSE_WORST, &m, score, grade, n);
            CHECK(near(fmax(best, worst), orders.most) && near(fmin(best, worst), orders.least));
        }
    }
}

/* Grades 0 2 1, and grades 1 and 2 not retrieved: four relevant documents. */
static void test_worked_values(void)
{
    const double place[] = {0, -1, -2}, grade[] = {0, 2, 1};
    const struct {
        question q;
        double value;
    } expected[] = {
        {{"binG", 0, {0}}, 2 / log2(3) / 4},
        {{"APRet", 0, {0}}, (1.0 / 2 + 2.0 / 3) / 2},
        {{"APMin", 2, {0}}, 1.0 / 2 / 2},
        {{"YAAP", 0, {0}}, log((1 + 7.0 / 6) / (1 + 4 - 7.0 / 6))},
        {{"RBPGraded", 0, {0.5}}, 0.5 * (0.5 + 0.125)},
        {{"RBPGraded", 0, {0.5, 4}}, 0.5 * (0.25 + 0.0625)}, /* a gain of 4 is given elsewhere */
        {{"RBPResid", 0, {0.5}}, 0},
        {{"Accuracy", 0, {0}}, 0},
        {{"INST", 0, {0, 2, 0.5}}, 0},
        {{"BPM", 3, {0, 2, 1}}, 0.5}, /* stops at the second document */
        {{"NERR8", 3, {0, 4}}, (0.5 + 0.5 * 0.25) / 2.5},
        {{"G", 0, {0}}, (2 / log2(2 + 4 - 2) + 1 / log2(2 + 5 - 3)) / 6}, /* costs 2 + 2 and + 1 */
    };
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++) {
        measure m = measure_of(expected[i].q);
        double found = value_of(&m, place, grade, 3);
        if (strcmp(expected[i].q.name, "INST") != 0)
            CHECK(near(found, expected[i].value));
        else /* w(2) of 1/(i + 2T - S - 1)^2: at least a quarter, less than all */
            CHECK(found > 0.1 && found < 1);
    }
    measure depth = measure_of((question){"ATD", 0, {0}});
    /* the third at place 2 and 3, two more among places 4 .. 20: in the mean at 12 */
    CHECK(near(value_of(&depth, place, grade, 3), (2 + 3 + 12 + 12) / 4.0));
}

int main(void)
{
    for (int i = 0; i < N + 4; i++)
        discount[i] = 1 / log2(i + 2);
    test_all_orders();
    test_worked_values();
    return failures != 0;
}
