/* Where a user stops in a rank of tied documents (ERR). The contract is in cascade.h. */

#include "ties/cascade.h"

#include <math.h>

#include "ties/count_mean.h"
#include "ties/tied_places.h"

/* Both are built up document by document: a subset of k from N documents has the newest with
 * probability k/N.  All terms are positive. */
void cascade_fill(const double *stop, int64_t n, int64_t g, int64_t taken, double *still,
                  double *here, work_watch *watch)
{
    for (int64_t k = 0; k <= taken; k++) {
        still[k] = 1;
        here[k] = 0;
    }
    for (int64_t i = 0; i < n && !watch_stops(watch, taken); i++) {
        double documents = (double)(g - n + i + 1), share = 1 / documents;
        double stopped = stop[i] * share, going_on = (1 - stop[i]) * share;
        int64_t last = taken < g - n + i + 1 ? taken : g - n + i + 1; /* no more places so far */
        for (int64_t k = last; k > 0; k--) {
            double without = (documents - (double)k) * share, with = (double)k * going_on;
            here[k] = without * here[k] + (double)(k - 1) * going_on * here[k - 1]
                      + stopped * still[k - 1];
            still[k] = without * still[k] + with * still[k - 1];
        }
    }
}

/* still[k] <= (1 - mean stop)^k: later places than these count less than 1e-18. */
static int64_t places_that_count(const double *stop, int64_t n, int64_t g, int64_t taken)
{
    double mean_stop = 0;
    for (int64_t i = 0; i < n; i++)
        mean_stop += stop[i] / (double)g;
    double needed = 45 / mean_stop;
    return needed < (double)taken ? (int64_t)needed + 1 : taken;
}

static int are_alike(const double *stop, int64_t n)
{
    for (int64_t i = 1; i < n; i++)
        if (stop[i] != stop[0])
            return 0;
    return 1;
}

double cascade_in_rank(const double *stop, int64_t n, int64_t g, int64_t before, int64_t taken,
                       double *scratch, work_watch *watch)
{
    int64_t counting = places_that_count(stop, n, g, taken);
    if (n == g && are_alike(stop, n)) { /* no order matters */
        double left = 1, all = 0;
        for (int64_t k = 1; k <= counting && !watch_stops(watch, 1); k++) {
            all += left * stop[0] / ((double)before + (double)k);
            left *= 1 - stop[0];
        }
        return all;
    }
    if (n == 1) {
        double all = 0;
        for (int64_t k = 1; k <= taken; k++)
            all += 1 / ((double)before + (double)k);
        watch_stops(watch, taken);
        return all * stop[0] / (double)g;
    }
    if (n < g && n * counting > g) {
        int64_t most = places_that_count(stop, n, n, n < taken ? n : taken);
        double *still = scratch, *here = scratch + most + 1;
        cascade_fill(stop, n, n, most, still, here, watch);
        watch_stops(watch, g);
        return tied_places_sum(here, most, (double)n, (double)g, (double)before, (double)taken,
                               still);
    }
    double *still = scratch, *here = scratch + counting + 1, sum = 0;
    cascade_fill(stop, n, g, counting, still, here, watch);
    for (int64_t k = 1; k <= counting; k++)
        sum += here[k] / ((double)before + (double)k);
    return sum;
}

void cascade_by_number(const double *stop, int64_t n, double *here, work_watch *watch)
{
    int64_t taken = places_that_count(stop, n, n, n);
    cascade_fill(stop, n, n, taken, here + taken + 1, here, watch);
    for (int64_t i = 0; i < n; i++)
        here[i] = i < taken ? here[i + 1] : 0;
}

/* The chance that the reader stops at a document that may stop, behind `above` others of its rank,
 * over its place. */
static double stop_at(double place, int64_t above, const void *context)
{
    const double *here = context;
    return here[above] / place;
}

double cascade_to_limit(const double *stop, int64_t n, tie_group rank, int64_t limit,
                        double *scratch, work_watch *watch)
{
    int64_t taken = smaller(rank.size, limit - rank.before);
    if (taken <= LONG_TIE)
        return cascade_in_rank(stop, n, rank.size, rank.before, taken, scratch, watch);
    cascade_by_number(stop, n, scratch, watch);
    return place_sum(rank.before, rank.size, n, 0, limit, INFINITY, stop_at, scratch, watch);
}
