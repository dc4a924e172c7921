/* Counts of grades against plain loops. */
#include "ordering/levels.h"

#include <stddef.h>

#include "check.h"

/* As many grades as documents are sorted, few are counted: with the same result. */
static void test_levels(void)
{
    enum { MANY = 3000 };
    static double grade[MANY], level[MANY];
    static int64_t count[MANY], times[MANY];
    unsigned long long seed = 3;
    for (unsigned distinct = 1; distinct < 5000; distinct = 3 * distinct + 1) {
        int64_t seen = 0;
        for (int k = 0; k < MANY; k++) {
            grade[k] = (double)(next_random(&seed) % distinct) - (double)(distinct / 10);
            times[k] = (int64_t)(next_random(&seed) % 3) + 1;
            seen += grade[k] >= 0 ? times[k] : 0;
        }
        int64_t n = levels_count(grade, times, MANY, level, count);
        for (int64_t at = 0; at < n; at++) {
            CHECK(level[at] >= 0 && (at == 0 || level[at - 1] > level[at]));
            int64_t found = 0;
            for (int k = 0; k < MANY; k++)
                found += level[at] == grade[k] ? times[k] : 0;
            CHECK(count[at] == found);
            seen -= found;
            grade_levels levels = {n, level, count};
            CHECK(levels_from(&levels, level[at]) - levels_from(&levels, level[at] + .5) == found);
        }
        CHECK(seen == 0);
    }
}

int main(void)
{
    test_levels();
    return failures != 0;
}
