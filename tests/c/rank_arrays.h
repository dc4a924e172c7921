/* Memory of weak orders of up to N documents, for tests that define N before they include this. */
#ifndef RANK_ARRAYS_H
#define RANK_ARRAYS_H

#include "ordering/weak_order.h"

typedef struct {
    int64_t before[N + 1], size[N + 1], end[N + 1], pairs[2 * (N + 1)];
    double grade[N + 1];
    weak_order_mark mark[N + 1], mark_scratch[N + 1];
} arrays;

static arrays first, second;
static double scratch[4 * (N + 2)];

static weak_order_memory memory_of(arrays *a)
{
    return (weak_order_memory){.before = a->before,
                               .size = a->size,
                               .end = a->end,
                               .grade = a->grade,
                               .mark = a->mark,
                               .mark_scratch = a->mark_scratch,
                               .pairs = a->pairs};
}

#endif
