/* Bounds on P(A > B + margin) from tails of both laws alone. */
#ifndef IRBOUNDS_SUPERIORITY_BOUNDS_H
#define IRBOUNDS_SUPERIORITY_BOUNDS_H

#include "superiority/share_law.h"

/* What P(A > B + margin), and the rest, are at most. */
typedef struct {
    double above, rest;
} superiority_bounds;

superiority_bounds superiority_bounds_of(const share_law *a, const share_law *b, double margin);

#endif
