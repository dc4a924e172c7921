/* Which scores of a ranking count as equal: rounded to 32-bit floats, or within a tolerance.
 *
 * Two neighbours in the order of scores, a >= b, are equal where a - b <= tolerance max(|a|, |b|),
 * computed in doubles; and so are all that such neighbours connect.  An infinite score equals only
 * itself.  Cost: n; with a tolerance n log n, unless the scores already fall from row to row.
 */
#ifndef IRBOUNDS_EQUAL_SCORES_H
#define IRBOUNDS_EQUAL_SCORES_H

#include <stdint.h>

#include "numeric/watch.h"

typedef struct {
    int is_single;    /* round to 32-bit floats first; those out of range become infinite */
    double tolerance; /* 0 <= tolerance < 1 */
} score_rule;

/* merged[i]: the highest of the scores that equal score[i]; NaN stays NaN, and equals nothing.
 * `rows` has room for 2 n elements, or is NULL where the tolerance is 0.  Once the watch has
 * stopped the work, what is filled in means nothing. */
void equal_scores(const double *score, int64_t n, const score_rule *rule, double *merged,
                  int64_t *rows, work_watch *watch);

#endif
