/* A measure of a ranking without ties has the bits that it has alone, whatever was measured before
 * it. */
#include "ties/strict_order.h"

#include <math.h>
#include <string.h>

#include "check.h"

enum { N = 90, N_DISCOUNTS = 60 };

static int64_t before[N], size[N], end[N], count[4];
static double grade[N], discount[N_DISCOUNTS], scratch[4 * (N + 2)];
static const double LEVELS[] = {3, 1, 0.5, 0};

/* Random marks; relevant ones that were not retrieved, too. */
static void make_order(unsigned long long *seed, weak_order *order)
{
    static const double GRADES[] = {3, 1, 0.5, 0, -0.5, -1};
    int64_t n = (int64_t)(next_random(seed) % (N + 1)), n_marks = 0;
    unsigned long long every = 1 + next_random(seed) % 4;
    for (int k = 0; k < 4; k++)
        count[k] = (int64_t)(next_random(seed) % 3 * (next_random(seed) % 4));
    for (int64_t place = 0; place < n; place++) {
        if (next_random(seed) % every)
            continue;
        int which = (int)(next_random(seed) % 6);
        before[n_marks] = place;
        size[n_marks] = 1;
        end[n_marks] = n_marks + 1;
        grade[n_marks++] = GRADES[which];
        if (which < 4)
            count[which]++;
    }
    *order = (weak_order){n, n_marks, before, size, end, grade};
}

static measure make_measure(unsigned long long *seed, const measure_kernel *kernel)
{
    static const double SHARES[] = {0, 0.1, 0.35, 0.7, 1, 2};
    static const double FROM[] = {0, 0.5, 1, 3};
    measure m = {
        kernel, FROM[next_random(seed) % 4], 1 + (int64_t)(next_random(seed) % 100), {0}, 1};
    if ((strcmp(kernel->name, "AP") == 0 || strstr(kernel->name, "DCG") != NULL)
        && next_random(seed) % 2)
        m.cutoff = 0;
    m.argument[0] = (double)(next_random(seed) % 2);
    if (strcmp(kernel->name, "Rprec") == 0 || strcmp(kernel->name, "IPrec") == 0) {
        m.argument[0] = SHARES[next_random(seed) % 6];
        m.argument[1] = (double)(next_random(seed) % 2);
    }
    if (strcmp(kernel->name, "IPrec11") == 0 && next_random(seed) % 2) {
        m.argument[1] = 0.25;
        m.argument[2] = 0.75;
        m.n_arguments = 3;
    }
    return m;
}

static void check_order(unsigned long long *seed, const measure_kernel *const *kernels, int n)
{
    static strict_order strict;
    weak_order order;
    make_order(seed, &order);
    grade_levels judged = {4, LEVELS, count};
    measure_memory lent = {discount, N_DISCOUNTS, scratch, NULL, NULL, 0};
    measure_steps steps;
    measure_input alone = {&order, &judged, 1000, &lent, NULL, TIE_MEAN}, listed = alone;
    measure_steps_begin(&steps);
    listed.steps = &steps;
    strict_order_begin(&listed, &strict);
    for (int i = 0; i < 30; i++) {
        measure m = make_measure(seed, kernels[next_random(seed) % (unsigned)n]);
        double wanted = measure_value(&m, &alone);
        double found = strict_value_of(m.kernel)(&m, &strict);
        CHECK(memcmp(&wanted, &found, sizeof wanted) == 0);
        if (memcmp(&wanted, &found, sizeof wanted) != 0)
            printf("%s %.17g %.17g\n", m.kernel->name, wanted, found);
    }
}

int main(void)
{
    unsigned long long seed = 11;
    const measure_kernel *kernels[64];
    int n = 0;
    for (int k = 0; k < N_DISCOUNTS; k++)
        discount[k] = 1 / log2(k + 2.0);
    for (int at = 0; measure_family_at(at) != NULL; at++)
        for (int k = 0; k < measure_family_at(at)->n_kernels; k++)
            if (strict_value_of(&measure_family_at(at)->kernels[k]) != NULL)
                kernels[n++] = &measure_family_at(at)->kernels[k];
    CHECK(n >= 13);
    for (int i = 0; i < 20000; i++)
        check_order(&seed, kernels, n);
    return failures;
}
