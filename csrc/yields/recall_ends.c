/* Ends of recall intervals for many outcomes of one design. The contract is in recall_ends.h. */

#include "yields/recall_ends.h"

#include <math.h>

enum { STEPS = 6 };

static double log_odds(double q)
{
    return log(q / (1 - q));
}

static double odds_to_share(double t)
{
    return 1 / (1 + exp(-t));
}

/* The state that the search for one end leaves to the next: how far the log odds of the end were
 * from the normal approximation's, and how fast the log odds of P(recall <= q) rise over those of
 * q, in spreads. */
typedef struct {
    double shift, slope;
} hint;

/* The quantile by secants on log odds; 0 where these do not settle, as near an end of the law. */
static double by_secants(const yield_law *one, const yield_law *other, double p, double middle,
                         double spread, double tolerance, hint *h)
{
    double t = middle + h->shift, before = NAN, value_before = NAN, wanted = log_odds(p),
           slope = h->slope / spread;
    for (int i = 0; i < STEPS; i++) {
        double q = odds_to_share(t), reached = yield_below(one, other, YIELD_RECALL, q, 1, 0, 0);
        if (!(reached > 1e-9 && reached < 1 - 1e-9))
            return 0;
        double value = log_odds(reached) - wanted;
        if (i > 0 && value != value_before)
            slope = (value - value_before) / (t - before);
        double step = -value / slope;
        if (!(slope > 0) || fabs(step) > 2 * spread)
            return 0;
        before = t;
        value_before = value;
        t += step;
        if (fabs(step) * q * (1 - q) < tolerance / 2) {
            *h = (hint){t - middle, slope * spread};
            return odds_to_share(t);
        }
    }
    return 0;
}

void recall_ends(const yield_law *retrieved, const yield_law *unretrieved, const int64_t *first,
                 const int64_t *second, int64_t from, int64_t to, double p, double normal,
                 double tolerance, double *ends)
{
    const double root_of_2_pi = 2.5066282746310002;
    const hint fresh = {0, exp(-normal * normal / 2) / root_of_2_pi / (p * (1 - p))};
    hint h = fresh;
    for (int64_t i = from; i < to; i++) {
        const yield_law *one = &retrieved[first[i]], *other = &unretrieved[second[i]];
        double middle = 0, guess = 0, spread = 0, found = 0;
        if (one->mean > 0 && other->mean > 0) {
            spread = hypot(one->std / one->mean, other->std / other->mean);
            middle = log(one->mean / other->mean) + normal * spread;
            guess = odds_to_share(middle + h.shift);
        }
        if (spread > 0 && !(is_all_single(one) && is_all_single(other)))
            found = by_secants(one, other, p, middle, spread, tolerance, &h);
        if (found > 0) {
            ends[i] = found;
            continue;
        }
        double bracket = (h.shift != 0 ? 0.02 : 0.1) * guess * (1 - guess) * spread;
        ends[i] = yield_quantile(one, other, YIELD_RECALL, p, 1, 0, guess, bracket, tolerance);
        h = fresh;
        if (bracket > 0 && ends[i] > 0 && ends[i] < 1)
            h.shift = log_odds(ends[i]) - middle;
    }
}
