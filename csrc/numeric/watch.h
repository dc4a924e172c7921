/* Long work that can be stopped.  A loop counts its steps; after each some ten milliseconds of them
 * the caller is asked whether to go on.  Once stopped, the work comes to its end by the shortest
 * way and its results mean nothing. */
#ifndef IRBOUNDS_WATCH_H
#define IRBOUNDS_WATCH_H

#include <stdint.h>

#define WATCH_STEPS (INT64_C(1) << 22)

typedef struct {
    int (*asks_to_stop)(void);
    int64_t steps; /* since the caller was asked */
    int is_stopped;
} work_watch;

/* Whether to stop; `steps` are those since the last call, about a nanosecond or two each.  NULL
 * never stops. */
static inline int watch_stops(work_watch *watch, int64_t steps)
{
    if (watch == 0)
        return 0;
    watch->steps += steps;
    if (watch->steps >= WATCH_STEPS && !watch->is_stopped) {
        watch->steps = 0;
        watch->is_stopped = watch->asks_to_stop() != 0;
    }
    return watch->is_stopped;
}

#endif
