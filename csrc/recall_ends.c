#include "recall_ends.h"

#include <math.h>

static double log_odds(double q)
{
    return log(q / (1 - q));
}

void recall_ends(const yield_law *retrieved, const yield_law *unretrieved, const int64_t *first, const int64_t *second,
                 int64_t from, int64_t to, double p, double normal, double tolerance, double *ends)
{
    double shift = 0, share = 0.1;  /* of the spread, by which the guess may be wrong */
    for (int64_t i = from; i < to; i++) {
        const yield_law *one = &retrieved[first[i]], *other = &unretrieved[second[i]];
        double middle = 0, guess = 0, room = 0;
        if (one->mean > 0 && other->mean > 0) {
            double spread = hypot(one->std / one->mean, other->std / other->mean);
            middle = log(one->mean / other->mean) + normal * spread;
            guess = 1 / (1 + exp(-middle - shift));
            room = share * guess * (1 - guess) * spread;
        }
        ends[i] = yield_quantile(one, other, YIELD_RECALL, p, 1, 0, guess, room, tolerance);
        if (room > 0 && ends[i] > 0 && ends[i] < 1) {
            shift = log_odds(ends[i]) - middle;
            share = 0.02;
        } else {
            shift = 0;
            share = 0.1;
        }
    }
}
