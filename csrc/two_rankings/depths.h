/* Overlap of two rankings at each depth, and measures that are sums over depths. */
#ifndef IRBOUNDS_DEPTHS_H
#define IRBOUNDS_DEPTHS_H

#include "two_rankings/two_rankings.h"

/* Fill pair->number for the depths 0 .. depth: of one order of each ranking, where item in place i
 * of B has the place place[i] in A (`count` has room for depth + 1); and over all orders. */
void depths_of_orders(ranking_pair *pair, const int64_t *place, int64_t depth, int64_t *count);
void depths_of_means(ranking_pair *pair, int64_t depth);

/* Overlap or RBO of what the last of the two filled; Corsi & Urbano's agreements are in means. */
double depth_measure(const ranking_pair *pair, const pair_measure *measure, int64_t depth,
                     int is_strict);

#endif
