#include "gains.h"

#include <stddef.h>

#include "smooth_sum.h"
#include "tie_groups.h"

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

double discount_sum(const measure_memory *memory, int64_t first, int64_t last)
{
    return total_of(discount_parts(memory, first, last));
}

double ideal_gain(const measure *m, const measure_input *in)
{
    const grade_levels *judged = in->judged;
    int64_t limit = limit_of(m->cutoff), before = 0;
    double sum = 0;
    for (int64_t i = 0; i < judged->n_levels && before < limit && judged->level[i] > 0; i++) {
        int64_t count = judged->count[i];
        sum += gain_of(m, judged->level[i])
               * discount_sum(in->memory, before + 1, before + smaller(count, limit - before));
        before += count;
    }
    return sum;
}
