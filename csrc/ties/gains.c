/* Gains of grades and discounts of ranks, for DCG and nDCG. The contract is in gains.h.
 * The places of nDCG: see measures/graded.c. */

#include "ties/gains.h"

#include <stddef.h>

#include "ties/smooth_sum.h"
#include "ties/tie_groups.h"

static double discount_at(double first, double x, const void *unused)
{
    (void)unused;
    return 1 / log2(first + x + 1);
}

/* Where there are many, as where most relevant documents are not ranked, by lengths that double:
 * log2 is smooth there. */
dd discount_parts(const measure_memory *memory, int64_t first, int64_t last)
{
    enum { FEW = 1024 };
    dd sum = {0, 0};
    int64_t in_table = smaller(last, memory->n_discounts);
    int64_t place = first;
    for (; place <= in_table; place++)
        add_to(&sum, memory->discount[place - 1]);
    for (; place <= last && place < FEW; place++)
        add_to(&sum, discount_at((double)place, 0, NULL));
    while (last - place >= FEW) {
        int64_t n = smaller(place, last - place + 1);
        add_to(&sum, smooth_sum(discount_at, NULL, (double)place, (double)n));
        place += n;
    }
    for (; place <= last; place++)
        add_to(&sum, discount_at((double)place, 0, NULL));
    return sum;
}

double ideal_gain(const measure *m, const measure_input *in)
{
    const grade_levels *judged = in->judged;
    int64_t limit = limit_of(m->cutoff);
    measure_step own = {0}, *step = in->steps != NULL ? &in->steps->ideal : &own;
    if (step->rank == 0 || step->argument != m->argument[0] || step->mark > limit)
        *step = (measure_step){0, m->argument[0], 0, 0, 0, 0, 0};
    /* levels that are in the sum as a whole, and their documents */
    int64_t level = step->rank, before = step->mark;
    double sum = step->sum;
    for (; level < judged->n_levels && judged->level[level] > 0
           && judged->count[level] <= limit - before;
         level++) {
        sum += gain_of(m, judged->level[level])
               * discount_sum(in->memory, before + 1, before + judged->count[level]);
        before += judged->count[level];
    }
    *step = (measure_step){0, m->argument[0], level, before, 0, sum, 0};
    if (level < judged->n_levels && judged->level[level] > 0 && before < limit)
        sum += gain_of(m, judged->level[level]) * discount_sum(in->memory, before + 1, limit);
    return sum;
}
