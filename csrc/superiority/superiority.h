/* P(A > B + margin) for two independent shares, by two methods that have nothing in common but the
 * laws.
 *
 * Without margin: the Mellin transform (mellin.h), and the expectation over the narrower law of the
 * other's tail.  With one: the expectation over the narrower law by panels that are halved where
 * needed, and over the wider one by equally spaced terms.  (Terms over both laws would not do:
 * errors of the two, which add up to that of an exact derivative, agree.) Where terms do not
 * settle, or the two answers differ by more than 1e-12 and rounding, panels over each law in turn
 * take their place.
 */
#ifndef IRBOUNDS_SUPERIORITY_H
#define IRBOUNDS_SUPERIORITY_H

#include "superiority/share_law.h"

typedef struct {
    double probability;
    double error; /* how far the two answers are apart, and what rounding may add: 1e-13 to 7e-12 */
} superiority;

/* -1 <= margin <= 1; without a margin the laws' gains, which are the same, do not matter.  Cost: 50
 * µs for Beta laws, 1 to 3 ms for F_β, 1 and 5 ms with a margin; 0.3 s where a law is narrow as
 * well as wide. */
superiority share_superiority(const share_law *a, const share_law *b, double margin);

#endif
