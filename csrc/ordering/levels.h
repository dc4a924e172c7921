/* The grades of one query's judgments: how many documents were judged at each, highest first. */
#ifndef IRBOUNDS_LEVELS_H
#define IRBOUNDS_LEVELS_H

#include <stdint.h>

typedef struct {
    int64_t n_levels;
    const double *level; /* falling, all >= 0 */
    const int64_t *count;
} grade_levels;

/* Count the grades >= 0 among `n` ones, each given times[i] times (NULL: once): levels, highest
 * first, to level[] and count[], each of length n.  Returns the number of levels.  Cost: n log
 * m for m levels. */
int64_t levels_count(const double *grade, const int64_t *times, int64_t n, double *level,
                     int64_t *count);

/* How many grades are `from` or higher. */
int64_t levels_from(const grade_levels *levels, double from);

#endif
