/* Marks are sorted as comparisons of all pairs sort them: spread, tied, skewed, infinite ones. */
#include "ordering/mark_sort.h"

#include <math.h>

#include "check.h"

enum { MOST = 700, KINDS = 8 };

static double uniform(unsigned long long *state)
{
    return (double)(next_random(state) % 1000003) / 1000003;
}

static double drawn(unsigned long long *state, int kind)
{
    double x = uniform(state);
    switch (kind) {
    case 0:
        return x;
    case 1:
        return floor(20 * x); /* tied */
    case 2:
        return exp(700 * (2 * x - 1)); /* most in one bucket */
    case 3:
        return x < 0.02 ? INFINITY : x < 0.04 ? -INFINITY : x;
    case 4:
        return 4e-324 * floor(5 * x); /* a range whose inverse overflows */
    case 5:
        return (x < 0.5 ? -1 : 1) * 1.7e308 * x; /* a range that overflows */
    case 6:
        return 1 + 2.3e-16 * floor(3 * x);
    default:
        return x < 0.5 ? -0.0 : 0.0;
    }
}

/* The number of marks that must come before mark i. */
static int64_t rank_of(const weak_order_mark *mark, int64_t n, int64_t i)
{
    int64_t before = 0;
    for (int64_t k = 0; k < n; k++)
        before += mark[k].score > mark[i].score
                  || (mark[k].score == mark[i].score && mark[k].grade > mark[i].grade);
    return before;
}

static void test_order(unsigned long long *state, int kind)
{
    static weak_order_mark mark[MOST], sorted[MOST], scratch[MOST];
    static int64_t count[MOST + 1];
    int64_t n = (int64_t)(next_random(state) % (MOST + 1));
    for (int64_t i = 0; i < n; i++) {
        mark[i] = (weak_order_mark){drawn(state, kind), (double)(next_random(state) % 4)};
        sorted[i] = mark[i];
    }
    mark_sort(sorted, n, scratch, count, NULL);
    for (int64_t i = 1; i < n; i++)
        CHECK(
            sorted[i - 1].score > sorted[i].score
            || (sorted[i - 1].score == sorted[i].score && sorted[i - 1].grade >= sorted[i].grade));
    for (int64_t i = 0; i < n; i++) { /* none is lost: each is where its rank says */
        int64_t rank = rank_of(mark, n, i);
        CHECK(sorted[rank].score == mark[i].score && sorted[rank].grade == mark[i].grade);
    }
}

int main(void)
{
    unsigned long long state = 20261124;
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < 60; i++)
            test_order(&state, kind);
    return failures;
}
