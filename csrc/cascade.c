#include "cascade.h"

#include <math.h>

/* still[k] is the mean over random subsets of k documents of the product of (1 - stop), here[k] =
 * still[k-1] - still[k]; both are built up document by document: a subset of k from N documents has
 * the newest with probability k/N.  All terms are positive. */
static void fill(const double *stop, int64_t n, int64_t g, int64_t taken, double *still,
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

/* E[1/(t + K); K <= m] for the place K of the i-th of n documents among g: from the likeliest place
 * outwards, P(K = k + 1)/P(K = k) = k (g - n + i - k)/((k - i + 1)(g - k)). */
static double mean_reciprocal(double i, double n, double g, double t, double m)
{
    const double negligible = 1e-18;
    double last = g - n + i, mode = n > 1 ? floor(g * (i - 1) / (n - 1)) + 1 : 1;
    mode = fmin(fmax(mode, i), last);
    double sum = mode <= m ? 1 / (t + mode) : 0, all = 1, weight = 1;
    for (double k = mode; k < last; k++) {
        double below = (k - i + 1) * (g - k), place = t + k + 1, inverse = 1 / (below * place);
        weight *= k * (last - k) * place * inverse;
        if (weight < negligible)
            break;
        all += weight;
        sum += k < m ? weight * below * inverse : 0;
    }
    weight = 1;
    for (double k = mode - 1; k >= i; k--) {
        double above = k * (last - k), place = t + k, inverse = 1 / (above * place);
        weight *= (k - i + 1) * (g - k) * place * inverse;
        if (weight < negligible)
            break;
        all += weight;
        sum += k <= m ? weight * above * inverse : 0;
    }
    return sum / all;
}

/* tail[x], x = 0 .. most: the chance of x or more of n documents among m that are drawn from g. */
static void fill_tail(double n, double g, double m, int64_t most, double *tail)
{
    double least = fmax(0, m - (g - n)), last = fmin(n, m);
    double mode = fmin(fmax(floor((m + 1) * (n + 1) / (g + 2)), least), last), all = 0;
    for (int64_t x = 0; x <= most; x++)
        tail[x] = 0;
    double weight = 1;
    for (double x = mode; x <= last; x++) {
        if (x <= (double)most)
            tail[(int64_t)x] = weight;
        weight *= (n - x) * (m - x) / ((x + 1) * (g - n - m + x + 1));
    }
    weight = 1;
    for (double x = mode; x > least; x--) {
        weight *= x * (g - n - m + x) / ((n - x + 1) * (m - x + 1));
        if (x - 1 <= (double)most)
            tail[(int64_t)x - 1] = weight;
    }
    for (int64_t x = most; x >= 0; x--)
        tail[x] = all += tail[x];
    for (int64_t x = 0; x <= most; x++)
        tail[x] /= all;
}

/* sum_i stops[i] F(i), i = 1 .. most <= n, F(i) = E[1/(t + K(i)); K(i) <= m] for the place K(i) of
 * the i-th of n documents among g.  By the quotients of P(K = k), which i and i + 1 share,
 *     i (g - n + t + i + 1) F(i+1) + (t + i)(n - i) F(i) = n P(i or more of n - 1 stand above m),
 * and P is 1 for m = g.  Errors get smaller upwards where (t + i)(n - i) is below i (g - n + t + i
 * + 1), which is so from the positive root of a quadratic equation on, and downwards before it: so
 * the steps begin there. */
static double sum_over_orders(const double *stops, int64_t most, double n, double g, double t,
                              double m, double *tail)
{
    double b = g - 2 * n + 2 * t + 1;
    double root = floor((sqrt(b * b + 8 * t * n) - b) / 4) + 1;
    int64_t from = root < (double)most ? (int64_t)root : most;
    double first = mean_reciprocal((double)from, n, g, t, m), sum = stops[from] * first, f = first;
    if (m < g)
        fill_tail(n - 1, g, m, most, tail);
    for (int64_t at = from; at < most; at++) {
        double i = (double)at, right = m < g ? n * tail[at] : n;
        f = (right - (t + i) * (n - i) * f) / (i * (g - n + t + i + 1));
        sum += stops[at + 1] * f;
    }
    f = first;
    for (int64_t at = from - 1; at > 0; at--) {
        double i = (double)at, right = m < g ? n * tail[at] : n;
        f = (right - i * (g - n + t + i + 1) * f) / ((t + i) * (n - i));
        sum += stops[at] * f;
    }
    return sum;
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
    if (n < g && n * counting > 2 * g) { /* a step of mean_reciprocal takes as long as two */
        int64_t most = places_that_count(stop, n, n, n < taken ? n : taken);
        double *still = scratch, *here = scratch + most + 1;
        fill(stop, n, n, most, still, here, watch);
        watch_stops(watch, g);
        return sum_over_orders(here, most, (double)n, (double)g, (double)before, (double)taken,
                               still);
    }
    double *still = scratch, *here = scratch + counting + 1, sum = 0;
    fill(stop, n, g, counting, still, here, watch);
    for (int64_t k = 1; k <= counting; k++)
        sum += here[k] / ((double)before + (double)k);
    return sum;
}

void cascade_by_number(const double *stop, int64_t n, double *here, work_watch *watch)
{
    int64_t taken = places_that_count(stop, n, n, n);
    fill(stop, n, n, taken, here + taken + 1, here, watch);
    for (int64_t i = 0; i < n; i++)
        here[i] = i < taken ? here[i + 1] : 0;
}
