/* Marks of a ranking, sorted by falling score, and by falling grade where scores are equal. */
#ifndef IRBOUNDS_MARK_SORT_H
#define IRBOUNDS_MARK_SORT_H

#include <stdint.h>

#include "numeric/watch.h"

typedef struct {
    double score, grade;
} weak_order_mark;

/* No score is NaN.  `scratch` has room for n marks, `count` for n + 1 numbers.  Cost: n where
 * scores are spread, n log n where most of them are close to each other. */
void mark_sort(weak_order_mark *mark, int64_t n, weak_order_mark *scratch, int64_t *count,
               work_watch *watch);

#endif
