/* Ends of recall intervals for many outcomes of one design: the quantile p of R1/(R1 + R0) for
 * pairs of laws.
 *
 * Outcomes of a design share the laws of their segments, and neighbouring pairs have neighbouring
 * quantiles: the search for each begins at the normal approximation of log(R1/R0), shifted as the
 * pair before asked for.  Outcomes should come sorted.  Secants on log odds take two or three
 * evaluations of yield_below a pair, the safe search of yield_quantile about six: it is left to
 * laws of single documents, whose distribution function has steps, and to ends of the law.  Errors
 * are those of yield_quantile at the tolerance.
 */
#ifndef IRBOUNDS_RECALL_ENDS_H
#define IRBOUNDS_RECALL_ENDS_H

#include "yields/yield_posterior.h"

/* ends[i] for retrieved[first[i]] and unretrieved[second[i]], from <= i < to; normal is the
 * standard normal's p. */
void recall_ends(const yield_law *retrieved, const yield_law *unretrieved, const int64_t *first,
                 const int64_t *second, int64_t from, int64_t to, double p, double normal,
                 double tolerance, double *ends);

#endif
