/* Worked numbers, and what must hold of random rankings: labels drawn at random give values inside
 * the bounds. */
#include "label_bounds/unjudged.h"

#include <math.h>
#include <string.h>

#include "check.h"
#include "label_bounds/unjudged_mean.h"

enum { N = 60, N_DISCOUNTS = 16 };

typedef struct {
    int64_t before[N + 2], size[N + 2], end[N + 2], pairs[2 * (N + 2)];
    double grade[N + 2], sum[4 * (N + 2)], scratch[4 * (N + 2)];
    weak_order_mark mark[N + 2], mark_scratch[N + 2];
} arrays;

static arrays first, second;
static double discount[N_DISCOUNTS], judged_grade[N + 2];
static int64_t block[6][N + 2];
static dd harmonic[N + 2], sums[N + 2];
static open_part part[N + 2], gain_part[N + 2], cut[2][N + 2];

static weak_order_memory memory_of(arrays *a)
{
    return (weak_order_memory){a->before, a->size,         a->end,   a->grade,
                               a->mark,   a->mark_scratch, a->pairs, NULL};
}

static int near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fmax(1, fabs(b));
}

typedef struct {
    int64_t n;
    const double *score, *grade;
    grade_levels judged;
    int64_t hidden;
    double max_grade;
} question;

static double end_of(const char *name, measure m, const question *q, enum unjudged_rule rule,
                     int greatest)
{
    for (int i = 0; i < N_DISCOUNTS; i++)
        discount[i] = 1 / log2(i + 2);
    unjudged_harmonics(harmonic, N);
    open_order order;
    const open_order_memory blocks = {block[0], block[1], block[2],    block[3],
                                      block[4], block[5], judged_grade};
    weak_order_memory refined = memory_of(&second), own = memory_of(&first);
    const doc_names no_names = {NULL, NULL, NULL};
    open_order_build(q->score, q->grade, q->n, TIE_RULE_TOGETHER, no_names, &blocks, &own, &order);
    measure_memory lent = {discount, N_DISCOUNTS, first.scratch, NULL, NULL, 0};
    unjudged_query query = {&order, &q->judged, q->hidden, q->max_grade};
    unjudged_discounts(sums, N, &lent);
    open_memo memo = {
        .n_parts = -1, .greatest_cuts = {.part = cut[0]}, .least_cuts = {.part = cut[1]}};
    unjudged_memory memory = {&lent, &own,      &refined, part, gain_part,
                              &memo, first.sum, harmonic, sums, N};
    m.kernel = measure_find(name);
    return unjudged_end(unjudged_find(name), &m, &query, rule, greatest, &memory);
}

/* + ? - ? +, and one relevant document that is not retrieved */
static void test_worked_numbers(void)
{
    const double score[] = {5, 4, 3, 2, 1}, grade[] = {1, -1, 0, -1, 1};
    const double level[] = {1, 0};
    const int64_t count[] = {3, 1};
    question q = {5, score, grade, {2, level, count}, 0, 1};
    const measure plain = {.relevant_from = 1}, at_5 = {.relevant_from = 1, .cutoff = 5};
    CHECK(near(end_of("AP", plain, &q, UNJUDGED_EXPECTED, 0), 7.0 / 15));
    CHECK(near(end_of("AP", plain, &q, UNJUDGED_EXPECTED, 1), .71));
    CHECK(near(end_of("P", at_5, &q, UNJUDGED_EXPECTED, 0), .4));
    CHECK(near(end_of("R", at_5, &q, UNJUDGED_EXPECTED, 1), .8));
    const measure once = {.relevant_from = 1, .argument = {1}};
    CHECK(near(end_of("Rprec", once, &q, UNJUDGED_WORST, 0), 1.0 / 3));
    CHECK(near(end_of("Bpref", plain, &q, UNJUDGED_BEST, 1), .5));
    CHECK(fabs(end_of("nDCG", at_5, &q, UNJUDGED_EXPECTED, 1) - .830420) < 1e-6);
    q.hidden = 1;
    CHECK(near(end_of("AP", plain, &q, UNJUDGED_EXPECTED, 0), .35));
    q.hidden = INT64_C(1000000000);
    double least = end_of("nDCG", plain, &q, UNJUDGED_WORST, 0);
    CHECK(least > 0 && least < 1e-7);
    CHECK(unjudged_find("ESL") == NULL && unjudged_find("") == NULL);
}

static unsigned long long state = 21;

static double uniform(void)
{
    return (double)(next_random(&state) >> 11) * 0x1p-53;
}

static double value_of(const char *name, measure m, const question *q)
{
    question labelled = *q;
    labelled.hidden = 0;
    return end_of(name, m, &labelled, UNJUDGED_EXPECTED, 0);
}

/* All grades judged: the least is the greatest, and lies inside the bounds of the open query. */
static void test_labels_stay_inside(void)
{
    static const char *const names[] = {"AP", "R", "F", "Rprec", "nDCG", "SetAP", "RR", "Bpref"};
    for (int round = 0; round < 400; round++) {
        double score[N], grade[N], labelled[N];
        double level[2] = {1, 0}, both_level[2] = {1, 0};
        int64_t count[2] = {1, 1}, both_count[2] = {1, 1}, n = 1 + (int64_t)(uniform() * 40);
        for (int64_t i = 0; i < n; i++) {
            score[i] = floor(uniform() * 20);
            grade[i] = floor(uniform() * 3) - 1;
            labelled[i] = grade[i] < 0 ? floor(uniform() * 2) : grade[i];
            count[0] += grade[i] == 1;
            count[1] += grade[i] == 0;
            both_count[0] += labelled[i] == 1;
            both_count[1] += labelled[i] == 0;
        }
        question open = {n, score, grade, {2, level, count}, 0, 1};
        question told = {n, score, labelled, {2, both_level, both_count}, 0, 1};
        for (int k = 0; k < 8; k++) {
            measure m = {.relevant_from = 1, .cutoff = k == 1 || k == 2 ? 5 : 0};
            m.argument[0] = k == 2 || k == 3; /* beta of F, mult of Rprec */
            double value = value_of(names[k], m, &told);
            CHECK(end_of(names[k], m, &open, UNJUDGED_EXPECTED, 0) <= value + 1e-12);
            CHECK(end_of(names[k], m, &open, UNJUDGED_EXPECTED, 1) >= value - 1e-12);
            CHECK(end_of(names[k], m, &open, UNJUDGED_WORST, 0) <= value + 1e-12);
            CHECK(end_of(names[k], m, &open, UNJUDGED_BEST, 1) >= value - 1e-12);
        }
    }
}

/* (+ ? | - ? | +), p = .3: E[RR] = .825 */
static void test_means(void)
{
    const int64_t before[] = {0, 2, 4}, size[] = {2, 2, 1}, end[] = {2, 4, 5};
    const double p[] = {1, .3, 0, .3, 1}, one_more[] = {1};
    label_ranks ranks = {3, before, size, end, p};
    double scratch[4 * 8], term[4], inside[4], mass[8], share[8], mean = 0;
    int64_t sure;
    CHECK(near(label_stop_rank(&ranks, 1, 0, scratch, NULL), .825));
    label_precision_terms(&ranks, 0, term, inside);
    label_terms terms = {term, term, inside};
    int64_t n = label_counts(&ranks, &terms, one_more, 1, &sure, mass, share, scratch, NULL);
    CHECK(n == 2 && sure == 3);
    for (int64_t r = 0; r <= n; r++)
        mean += share[r] / (double)(sure + r);
    CHECK(fabs(mean - .4919833333) < 1e-9);
}

int main(void)
{
    test_worked_numbers();
    test_labels_stay_inside();
    test_means();
    return failures != 0;
}
