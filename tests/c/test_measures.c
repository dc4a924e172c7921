/* The paper's examples and what must hold whatever the input, through the C interface. */
#include "ties/measures.h"

#include <math.h>
#include <string.h>

#include "check.h"
#include "reading/doc_index.h"
#include "measures/search_length.h"
#include "ties/smooth_sum.h"

enum { N = 40 };

#include "rank_arrays.h"

static int near(double a, double b)
{
    return fabs(a - b) <= 1e-14 * fmax(1, fabs(b));
}

static void test_worked_examples(void)
{
    /* (+-- | +++-------) and (+++----- | +---): examples 2.1 to 2.4 */
    const double t[] = {0, 1}, j[] = {0, 2}, r[] = {1, 3}, i[] = {2, 7};
    const double t2[] = {0, 3}, j2[] = {0, 5}, r2[] = {3, 1}, i2[] = {5, 3};
    stopping_ranks a = {2, t, j, r, i, 4, NULL}, b = {2, t2, j2, r2, i2, 4, NULL};
    CHECK(near(expected_search_length(&a, 1), 1) && isinf(expected_search_length(&a, 5)));
    CHECK(near(precision_at_stop(&a, STOP_PRECALL, 1), 1.0 / 3)
          && near(precision_at_stop(&b, STOP_PRECALL, 1), .375));
    CHECK(near(precision_at_stop(&a, STOP_PRR, 1), .5)
          && near(precision_at_stop(&b, STOP_PRR, 1), 4.0 / 9));
    CHECK(near(precision_at_stop(&a, STOP_EP, 1), 11.0 / 18)
          && near(precision_at_stop(&b, STOP_EP, 1), 341.0 / 560));
    CHECK(near(precision_at_recall(&a, STOP_PRR, 0, 0), .5)
          && precision_at_recall(&a, STOP_EP, 0, 0) == 1);
    CHECK(near(expected_relevant_at(&a, 8), 1 + 5 * .3) && expected_relevant_at(&a, 0) == 0);
    CHECK(expected_relevant_at(&a, 99) == 4);
}

static void test_probabilities(void)
{
    static double p[1000001];
    const double s[] = {.25, 1, 2.5, 500000, 999999.5, 1000000};
    for (int k = 0; k < 6; k++) {
        double sum = 0, mean = 0;
        search_length_probabilities(s[k], 1e6, 1000000, p, NULL);
        for (int v = 0; v <= 1000000; v++) {
            sum += p[v];
            mean += v * p[v];
        }
        CHECK(fabs(sum - 1) < 1e-12 && fabs(mean / (1e6 * s[k] / 1000001) - 1) < 1e-10);
    }
}

enum { COMMON_FAMILIES = 3 }; /* of the others the Python tests enumerate all orders */

/* A measure at cut-off 5, of documents with grade 1 and higher; without a cut-off where the order
 * by grade need not be the best one, or where all judged documents, or others, are looked at. */
static measure measure_of(const measure_kernel *kernel)
{
    static const char *const others[] = {"Judged", "Bpref",   "IPrec",   "HT",
                                         "ESL",    "PRR",     "EP",      "PRECALL",
                                         "ER",     "Fallout", "IPrec11", "Hole"};
    measure m = {kernel, 1, 5, {1}, 1};
    for (unsigned k = 0; k < sizeof others / sizeof *others; k++)
        if (strcmp(others[k], kernel->name) == 0)
            m.cutoff = 0;
    if (strcmp(kernel->name, "RBP") == 0)
        m.argument[0] = .8;
    if (strcmp(kernel->name, "ERR") == 0)
        m.argument[0] = 3;
    return m;
}

static void test_names(void)
{
    int64_t n = 0;
    for (int at = 0; measure_family_at(at) != NULL; at++)
        for (int k = 0; k < measure_family_at(at)->n_kernels; k++, n++)
            CHECK(measure_find(measure_family_at(at)->kernels[k].name)
                  == &measure_family_at(at)->kernels[k]); /* no name twice */
    CHECK(n >= 28 && measure_find("A") == NULL && measure_find("") == NULL);
    CHECK(strcmp(measure_find("nDCG")->name, "nDCG") == 0);
    CHECK(measure_find("ERR")->needs == MEASURE_TIES && measure_find("AP")->needs == 0);
}

/* Measures one after the other, which go on where sums ended, give what each gives alone. */
static void check_steps(unsigned long long *seed, measure_input alone)
{
    static const char *const names[] = {"AP",     "P",    "R",   "F",     "Rprec", "RelP",
                                        "Judged", "nDCG", "DCG", "IDCG",  "SetP",  "NumRelRet",
                                        "Hole",   "nDCG", "AP",  "SetAP", "P",     "R"};
    measure_steps steps;
    measure_steps_begin(&steps);
    measure_input listed = alone;
    listed.steps = &steps;
    int64_t cutoff = 1;
    for (int i = 0; i < 40; i++) {
        const char *name = names[next_random(seed) % (sizeof names / sizeof *names)];
        measure m = {measure_find(name), 1 + (double)(next_random(seed) % 2), cutoff, {0}, 1};
        m.argument[0] = (double)(next_random(seed) % 2);
        if (strcmp(name, "Rprec") == 0)
            m.argument[0] = (double)(next_random(seed) % 5) / 2;
        if (strcmp(name, "AP") == 0 || strstr(name, "DCG") != NULL)
            m.cutoff = next_random(seed) % 4 ? cutoff : 0;
        double wanted = measure_value(&m, &alone), found = measure_value(&m, &listed);
        CHECK(memcmp(&wanted, &found, sizeof wanted) == 0);
        cutoff = next_random(seed) % 3 ? cutoff + (int64_t)(next_random(seed) % 3)
                                       : 1 + (int64_t)(next_random(seed) % 12);
    }
}

/* Random rankings: refined orders hold the same documents, the expectation lies between them, and
 * sorted input, which takes another way, gives the same ranks. */
static void test_orders(void)
{
    unsigned long long seed = 7;
    double score[N], grade[N], sorted_score[N], sorted_grade[N], level[N];
    int64_t count[N];
    double discount[8];
    weak_order_memory memory = memory_of(&first), other = memory_of(&second);
    doc_names none = {NULL, NULL, NULL};
    for (int k = 0; k < 8; k++)
        discount[k] = 1 / log2(k + 2.0);
    measure_memory lent = {discount, 8, scratch, NULL, NULL, 0};

    for (int trial = 0; trial < 3000; trial++) {
        int64_t n = (int64_t)(next_random(&seed) % (N + 1));
        for (int64_t k = 0; k < n; k++) {
            score[k] = (double)(next_random(&seed) % 6);
            grade[k] = (double)(next_random(&seed) % 5) - 1;
        }
        int64_t m = 0;
        for (int s = 5; s >= 0; s--)
            for (int64_t k = 0; k < n; k++)
                if (score[k] == s) {
                    sorted_score[m] = score[k];
                    sorted_grade[m++] = grade[k];
                }
        weak_order order, same, refined;
        CHECK(weak_order_build(score, grade, n, 1, TIE_RULE_TOGETHER, none, &memory, &order) == -1);
        CHECK(weak_order_build(sorted_score, sorted_grade, n, 1, TIE_RULE_TOGETHER, none, &other,
                               &same)
              == -1);
        CHECK(order.n_ranks == same.n_ranks);
        for (int64_t k = 0; k < order.n_ranks && k < same.n_ranks; k++)
            CHECK(order.before[k] == same.before[k] && order.size[k] == same.size[k]
                  && order.end[k] == same.end[k]);

        grade_levels judged = {levels_count(grade, NULL, n, level, count), level, count};
        check_steps(&seed, (measure_input){&order, &judged, 0, &lent, NULL, TIE_MEAN});
        for (int at = 0; at < COMMON_FAMILIES; at++)
            for (int k = 0; k < measure_family_at(at)->n_kernels; k++) {
                measure one = measure_of(&measure_family_at(at)->kernels[k]);
                if (one.cutoff == 0)
                    continue;
                double value[3];
                measure_input in = {&order, &judged, 0, &lent, NULL, TIE_MEAN},
                              ends = {&refined, &judged, 0, &lent, NULL, TIE_MEAN};
                value[1] = measure_value(&one, &in);
                for (int best = 0; best < 2; best++) {
                    weak_order_refine(&order, best, &other, &refined);
                    CHECK(!weak_order_is_mixed(&refined) && refined.n_docs == n);
                    value[2 * best] = measure_value(&one, &ends);
                }
                CHECK(value[0] <= value[1] + 1e-12 && value[1] <= value[2] + 1e-12);
                if (!weak_order_is_mixed(&order))
                    CHECK(near(value[0], value[2]));
            }
    }
}

/* Rows that are several documents, and a score that is no number. */
static void test_counted_rows(void)
{
    weak_order_memory memory = memory_of(&first);
    doc_names none = {NULL, NULL, NULL};
    const double place[] = {3, 3, 2, 1}, marked[] = {-1, 1, -1, 1};
    const int64_t times[] = {4, 1, 6, 1};
    weak_order counted; /* (+---- | ------ | +) */
    CHECK(weak_order_build(place, marked, 4, 1, TIE_RULE_TOGETHER, none, &memory, &counted) == -1);
    weak_order_expand(times, 4, &memory, &counted);
    CHECK(counted.n_docs == 12 && counted.n_ranks == 2 && counted.end[1] == 2);
    CHECK(counted.before[0] == 0 && counted.size[0] == 5 && counted.before[1] == 11
          && counted.size[1] == 1);
    const double score[] = {1, NAN}, grade[] = {0, 1};
    weak_order order;
    CHECK(weak_order_build(score, grade, 2, 1, TIE_RULE_TOGETHER, none, &memory, &order) == 1);
}

static void test_index(void)
{
    static const char ids[] = "aabbaab"; /* aa, bb, a, ab, and a repeated */
    const int64_t ends[] = {0, 2, 4, 5, 7}, *id_end = ends + 1;
    uint64_t hash[4], slots[8] = {0};
    for (int k = 0; k < 4; k++)
        hash[k] = doc_hash(ids + ends[k], ends[k + 1] - ends[k], 7);
    doc_table table = {4, hash, id_end, ids};
    CHECK(doc_index_size(4) == 8 && doc_index_fill(&table, 0, slots, 8) == -1);
    const double values[] = {10, 20, 30, 40};
    double found[4];
    doc_table wanted = {3, hash + 1, id_end + 1, ids};
    doc_index_look_up(&table, slots, 8, values, &wanted, -1, found);
    CHECK(found[0] == 20 && found[1] == 30 && found[2] == 40);

    static const char twice[] = "xyx";
    const int64_t one[] = {0, 1, 2, 3};
    uint64_t letters[3], empty[8] = {0};
    for (int k = 0; k < 3; k++)
        letters[k] = doc_hash(twice + k, 1, 7);
    doc_table repeated = {3, letters, one + 1, twice};
    CHECK(doc_index_fill(&repeated, 0, empty, 8) == 2);
}

static double power_term(double start, double x, const void *power)
{
    return pow(start + x, *(const double *)power);
}

/* Powers against what is added up one by one. */
static void test_smooth_sums(void)
{
    for (double n = 256; n < 1e6; n = floor(n * 2.7))
        for (double power = -3; power <= 15; power += 1.5) {
            double start = n, sum = 0, lost = 0;
            for (double k = n - 1; k >= 0; k--) { /* Kahan */
                double term = pow(start + k, power) - lost, next = sum + term;
                lost = (next - sum) - term;
                sum = next;
            }
            CHECK(fabs(smooth_sum(power_term, &power, start, n) / sum - 1) < 3e-15);
        }
}

static int stop_calls;

static int stop_at_third(void)
{
    return ++stop_calls == 3;
}

/* A watch asks now and then, and once stopped asks no more. */
static void test_watch(void)
{
    work_watch watch = {stop_at_third, 0, 0};
    static double p[WATCH_STEPS + 1];
    CHECK(!watch_stops(NULL, WATCH_STEPS) && !watch_stops(&watch, WATCH_STEPS - 1)
          && stop_calls == 0);
    CHECK(!watch_stops(&watch, 1) && stop_calls == 1);
    search_length_probabilities(1, 1, WATCH_STEPS, p, &watch);
    CHECK(watch.is_stopped && stop_calls == 3 && watch_stops(&watch, WATCH_STEPS)
          && stop_calls == 3);
}

int main(void)
{
    test_smooth_sums();
    test_watch();
    test_worked_examples();
    test_probabilities();
    test_names();
    test_orders();
    test_counted_rows();
    test_index();
    return failures != 0;
}
