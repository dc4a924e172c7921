/* Tie rules against the orders that they stand for, enumerated. */
#include "ties/ranking.h"

#include <math.h>
#include <stddef.h>

#include "check.h"

enum { N = 6, MEASURES = 4 };

#include "rank_arrays.h"

static measure measures[MEASURES];

typedef struct {
    double value[MEASURES], low[MEASURES], high[MEASURES];
} result;

/* AP, RR, ESL of the first relevant document and Fallout@2 of a ranking. */
static result evaluate(const double *score, const double *grade, int64_t n, enum tie_choice choice,
                       int bounds, doc_names names)
{
    double level[N + 1];
    int64_t count[N + 1];
    ranking_memory memory = {
        memory_of(&first), memory_of(&second), {NULL, 0, scratch, NULL, NULL, 0}, 0, {0}, -1,
        TIE_MEAN};
    ranking_task task = {MEASURES, measures, choice, bounds, 1};
    ranked_query query = {.score = score,
                          .grade = grade,
                          .n_rows = n,
                          .names = names,
                          .judged = {levels_count(grade, NULL, n, level, count), level, count},
                          .collection_size = 10};
    result found = {{0}, {0}, {0}};
    CHECK(ranking_evaluate(&task, &query, &memory, found.value, found.low, found.high) == -1);
    return found;
}

/* The next order of numbers by value, or 0 after the last. */
static int next_order(int *order, int n)
{
    int last = n - 2, other = n - 1;
    while (last >= 0 && order[last] > order[last + 1])
        last--;
    if (last < 0)
        return 0;
    while (order[other] < order[last])
        other--;
    for (int swap = order[last], at = last; at == last; at++) {
        order[last] = order[other];
        order[other] = swap;
    }
    for (int low = last + 1, high = n - 1; low < high; low++, high--) {
        int swap = order[low];
        order[low] = order[high];
        order[high] = swap;
    }
    return 1;
}

/* Mean, least and greatest of all orders of documents in which no score rises. */
static result enumerate(const double *score, const double *grade, int n)
{
    int order[N];
    double n_orders = 0;
    result all = {{0}, {0}, {0}};
    for (int k = 0; k < n; k++)
        order[k] = k;
    do {
        double place[N], ranked[N];
        int falls = 1;
        for (int k = 0; k < n; k++) {
            place[k] = -k;
            ranked[k] = grade[order[k]];
            falls &= k == 0 || score[order[k - 1]] >= score[order[k]];
        }
        if (!falls)
            continue;
        result one = evaluate(place, ranked, n, CHOOSE_EXPECTED, 0, (doc_names){NULL, NULL, NULL});
        for (int m = 0; m < MEASURES; m++) {
            all.value[m] += one.value[m];
            all.low[m] = n_orders > 0 ? fmin(all.low[m], one.value[m]) : one.value[m];
            all.high[m] = n_orders > 0 ? fmax(all.high[m], one.value[m]) : one.value[m];
        }
        n_orders++;
    } while (next_order(order, n));
    for (int m = 0; m < MEASURES; m++)
        all.value[m] /= n_orders;
    return all;
}

static int near(double a, double b)
{
    return a == b || fabs(a - b) <= 1e-14 * fmax(1, fabs(b));
}

static void test_choices(void)
{
    const char ids[] = "badcfe"; /* falling by id: f e d c b a */
    const int64_t start[] = {0, 1, 2, 3, 4, 5}, end[] = {1, 2, 3, 4, 5, 6};
    const int by_id[] = {4, 5, 2, 3, 0, 1};
    const int is_better[] = {1, 1, 0, 0}; /* whether more is better */
    doc_names names = {start, end, ids}, none = {NULL, NULL, NULL};
    unsigned long long seed = 11;
    for (int trial = 0; trial < 200; trial++) {
        int n = (int)(next_random(&seed) % (N + 1));
        double score[N + 1], grade[N + 1];
        for (int k = 0; k < n; k++) {
            score[k] = (double)(next_random(&seed) % 3);
            grade[k] = (double)(next_random(&seed) % 4) - 1;
        }
        result all = enumerate(score, grade, n);
        for (int bounds = 0; bounds < 2; bounds++) {
            result expected = evaluate(score, grade, n, CHOOSE_EXPECTED, bounds, none);
            result best = evaluate(score, grade, n, CHOOSE_BEST, bounds, none);
            result worst = evaluate(score, grade, n, CHOOSE_WORST, bounds, none);
            result given = evaluate(score, grade, n, CHOOSE_GIVEN, bounds, none);
            result by_name = evaluate(score, grade, n, CHOOSE_DOC_ID, bounds, names);
            double input[N + 1], named[N + 1];
            for (int k = 0; k < n; k++)
                input[k] = score[k] - k / 8.0;
            for (int k = 0, place = 0; k < N; k++)
                if (by_id[k] < n)
                    named[by_id[k]] = score[by_id[k]] - place++ / 8.0;
            result in_order = evaluate(input, grade, n, CHOOSE_EXPECTED, 0, none);
            result in_names = evaluate(named, grade, n, CHOOSE_EXPECTED, 0, none);
            for (int m = 0; m < MEASURES; m++) {
                CHECK(near(expected.value[m], all.value[m]));
                CHECK(near(best.value[m], is_better[m] ? all.high[m] : all.low[m]));
                CHECK(near(worst.value[m], is_better[m] ? all.low[m] : all.high[m]));
                CHECK(near(given.value[m], in_order.value[m]));
                CHECK(near(by_name.value[m], in_names.value[m]));
                const result *results[] = {&expected, &best, &worst, &given, &by_name};
                for (int k = 0; bounds && k < 5; k++) {
                    CHECK(near(results[k]->low[m], all.low[m]));
                    CHECK(near(results[k]->high[m], all.high[m]));
                    CHECK(results[k]->low[m] <= results[k]->value[m]
                          && results[k]->value[m] <= results[k]->high[m]);
                }
            }
        }
    }
}

static void test_rows(void)
{
    /* rows of several documents: (+---- | ------ | +) */
    const double score[] = {3, 3, 2, 1}, grade[] = {-1, 1, -1, 1}, level[] = {1};
    const int64_t times[] = {4, 1, 6, 1}, count[] = {2};
    double value[MEASURES], wrong[] = {1, NAN};
    ranking_memory memory = {
        memory_of(&first), memory_of(&second), {NULL, 0, scratch, NULL, NULL, 0}, 0, {0}, -1,
        TIE_MEAN};
    ranking_task task = {MEASURES, measures, CHOOSE_EXPECTED, 0, 1};
    ranked_query query = {score, grade, times, 4, {NULL, NULL, NULL}, {1, level, count}, 20};
    CHECK(ranking_evaluate(&task, &query, &memory, value, NULL, NULL) == -1);
    CHECK(near(value[0], (137.0 / 60 / 5 + 2.0 / 12) / 2) && near(value[1], 137.0 / 60 / 5));
    CHECK(near(value[2], 2) && near(value[3], 2 * 4.0 / 5 / 18));
    ranked_query bad = {wrong, grade, NULL, 2, {NULL, NULL, NULL}, {1, level, count}, 20};
    for (int choice = CHOOSE_EXPECTED; choice <= CHOOSE_GIVEN; choice++) {
        task.choice = (enum tie_choice)choice;
        CHECK(ranking_evaluate(&task, &bad, &memory, value, NULL, NULL) == 1);
    }
}

/* Only ids of ranks of different grades are asked for, and only they are read. */
static void test_names_asked_for(void)
{
    const char ids[] = "ab";
    const double score[] = {1, 2, 1, 3, 3, 2}, grade[] = {-1, 1, 1, 1, 2, 1}, level[] = {2, 1};
    const int64_t count[] = {1, 4}, rows[] = {3, 4, 0, 2}, start[] = {0, 0, 1, 1, 0, 0},
                  end[] = {1, 0, 2, 2, 1, 0}; /* by id: 3 before 4 and 2 before 0 */
    double value[MEASURES];
    ranking_memory memory = {
        memory_of(&first), memory_of(&second), {NULL, 0, scratch, NULL, NULL, 0}, 0, {0}, -1,
        TIE_MEAN};
    ranking_task task = {MEASURES, measures, CHOOSE_DOC_ID, 0, 1};
    ranked_query query = {score, grade, NULL, 6, {NULL, NULL, NULL}, {2, level, count}, 20};
    CHECK(ranking_evaluate(&task, &query, &memory, value, NULL, NULL) == RANKING_NEEDS_NAMES);
    CHECK(memory.n_unnamed == 4);
    for (int i = 0; i < 4; i++)
        CHECK(memory.order.pairs[i] == rows[i]);
    query.names = (doc_names){start, end, ids};
    CHECK(ranking_resume(&task, &query, &memory, value, NULL, NULL) == -1);
    CHECK(near(value[0], 1));
    measures[0].relevant_from = 2;
    CHECK(ranking_evaluate(&task, &query, &memory, value, NULL, NULL) == -1);
    CHECK(near(value[0], 1.0 / 2));
    measures[0].relevant_from = 1;
    CHECK(ranking_evaluate(&task, &query, &memory, value, NULL, NULL) == -1);
    CHECK(near(value[0], 1));
}

int main(void)
{
    measures[0] = (measure){measure_find("AP"), 1, 0, {0}, 0};
    measures[1] = (measure){measure_find("RR"), 1, 0, {0}, 0};
    measures[2] = (measure){measure_find("ESL"), 1, 0, {0, 1}, 2};
    measures[3] = (measure){measure_find("Fallout"), 1, 2, {0}, 0};
    test_choices();
    test_rows();
    test_names_asked_for();
    return failures != 0;
}
