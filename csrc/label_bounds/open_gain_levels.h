/* The levels of gain of open_gain.c: thresholds, highest first. */
#ifndef IRBOUNDS_OPEN_GAIN_LEVELS_H
#define IRBOUNDS_OPEN_GAIN_LEVELS_H

#include "ties/gains.h"
#include "label_bounds/unjudged.h"

enum { MOST_GAIN_LEVELS = 64 };

typedef struct {
    int64_t n;
    double from[MOST_GAIN_LEVELS];      /* the lowest grade of each */
    double step[MOST_GAIN_LEVELS];      /* of gain down to the next */
    int64_t n_judged[MOST_GAIN_LEVELS]; /* at or above it */
} level_list;

/* Returns 0 if they are too many. */
static inline int list_gain_levels(const measure *m, const unjudged_query *query, level_list *list)
{
    const grade_levels *judged = query->judged;
    int64_t n_judged = 0, i = 0;
    list->n = 0;
    for (double from = query->max_grade, next; from > 0; from = next) {
        if (list->n == MOST_GAIN_LEVELS)
            return 0;
        if (i < judged->n_levels && judged->level[i] >= from)
            n_judged += judged->count[i++];
        next = i < judged->n_levels ? fmax(judged->level[i], 0) : 0;
        list->from[list->n] = from;
        list->step[list->n] = gain_of(m, from) - gain_of(m, next);
        list->n_judged[list->n++] = n_judged;
    }
    return 1;
}

/* In open_gain_blocks.c; NAN where they do not serve. */
double open_discounted_gain(const measure *m, const unjudged_query *query, enum unjudged_rule rule,
                            int greatest, const unjudged_memory *memory);
double open_normalized_by_blocks(const measure *m, const unjudged_query *query,
                                 enum unjudged_rule rule, int greatest,
                                 const unjudged_memory *memory);

#endif
