/* The ideal ranking of measures of subtopics, as ndeval finds it: the document that adds most comes
 * next, of equal ones the first.  It adds (1 - alpha)^(documents above that are relevant on it) for
 * each of its subtopics; sums go from subtopic to subtopic, so that equal ones stay equal.
 *
 * Cost: places x documents x subtopics.
 */
#ifndef IRBOUNDS_NOVEL_GAINS_H
#define IRBOUNDS_NOVEL_GAINS_H

#include <stdint.h>

#include "numeric/watch.h"

/* Lent by the caller. */
typedef struct {
    double *left; /* a number for each subtopic, */
    double *now;  /* and for each document */
} novel_memory;

/* The gains of `depth` places, or fewer where no document adds anything.  relevant[s * n_docs + d]
 * is 1 or 0; documents that are ranked become 0.  Returns how many. */
int64_t novel_gains(double *relevant, int64_t n_subtopics, int64_t n_docs, double alpha,
                    int64_t depth, const novel_memory *memory, double *gain, work_watch *watch);

#endif
