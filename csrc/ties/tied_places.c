/* Mean of 1/rank of tied documents in random order. The contract is in tied_places.h. */

#include "ties/tied_places.h"

#include <math.h>

/* F(n) = E 1/(t + K) for the place K of the i-th of n documents among g.  By the quotients of P(K =
 * k), which n - 1 and n share,
 *     F(n-1) = (1 + F(n) (n - i)(g - n + 1)/n)/(g - n + 1 + t + i),
 * where F(g) = 1/(t + i).  All parts are positive, and a step makes the error of F smaller by
 * 1 + x, x = (t + i)/(g - n + 1).  So 38/log(1 + x) steps make it less than 2^-54, which is below
 * 19 + 38/x. */
static double mean_reciprocal(double i, double n, double g, double t)
{
    if (n == 1 && g < 64) { /* divisions that wait for none take half the time of a step */
        double sum = 0;
        for (int k = 1; k <= (int)g; k++)
            sum += 1 / (t + k);
        return sum / g;
    }
    double of = n + 20 < g ? n + 20 + (double)(int64_t)(38 * (g - n + 1) / (t + i)) : g;
    of = of < g ? of : g;
    double mean = 1 / (t + (of < g ? i * (g + 1) / (of + 1) : i));
    for (; of > n; of--) {
        double others = g - of + 1, inverse = 1 / (of * (others + t + i));
        mean = of * inverse + (of - i) * others * inverse * mean;
    }
    return mean;
}

/* E[1/(t + K); K <= m] for the place K of the i-th of n documents among g: from the likeliest place
 * outwards, P(K = k + 1)/P(K = k) = k (g - n + i - k)/((k - i + 1)(g - k)). */
static double mean_reciprocal_above(double i, double n, double g, double t, double m)
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

/* With F(i) = E[1/(t + K(i)); K(i) <= m]: by the quotients of P(K = k), which i and i + 1 share,
 *     i (g - n + t + i + 1) F(i+1) + (t + i)(n - i) F(i) = n P(i or more of n - 1 are above m),
 * and P is 1 for m = g.  Errors get smaller upwards where (t + i)(n - i) is below i (g - n + t + i
 * + 1), which is so from the positive root of a quadratic equation on, and downwards before it: so
 * the steps begin there. */
double tied_places_sum(const double *weight, int64_t most, double n, double g, double t, double m,
                       double *scratch)
{
    double b = g - 2 * n + 2 * t + 1;
    double root = most > 1 ? (sqrt(b * b + 8 * t * n) - b) / 4 : 0; /* 0 or more */
    int64_t from = root < (double)most ? (int64_t)root + 1 : most;  /* at most `most` */
    double first = m < g ? mean_reciprocal_above((double)from, n, g, t, m)
                         : mean_reciprocal((double)from, n, g, t);
    double sum = weight[from] * first, f = first;
    if (m < g)
        fill_tail(n - 1, g, m, most, scratch);
    for (int64_t at = from; at < most; at++) {
        double i = (double)at, right = m < g ? n * scratch[at] : n;
        f = (right - (t + i) * (n - i) * f) / (i * (g - n + t + i + 1));
        sum += weight[at + 1] * f;
    }
    f = first;
    for (int64_t at = from - 1; at > 0; at--) {
        double i = (double)at, right = m < g ? n * scratch[at] : n;
        f = (right - i * (g - n + t + i + 1) * f) / ((t + i) * (n - i));
        sum += weight[at] * f;
    }
    return sum;
}
