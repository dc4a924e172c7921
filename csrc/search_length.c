#include "search_length.h"

#include <float.h>
#include <math.h>

double stopping_point(double x, double n)
{
    double point = x * n, nearest = nearbyint(point);
    return fabs(point - nearest) <= 8 * DBL_EPSILON * point ? nearest : point;
}

/* The rank that holds the wanted-th relevant document (wanted <= 0: the first rank), or n_ranks. */
static int64_t final_rank(const stopping_ranks *ranks, double wanted)
{
    int64_t low = 0, high = ranks->n_ranks;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (ranks->relevant_before[middle] + ranks->relevant[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double expected_search_length(const stopping_ranks *ranks, double wanted)
{
    int64_t f = final_rank(ranks, wanted);
    if (f == ranks->n_ranks)
        return INFINITY;
    double s = wanted - ranks->relevant_before[f];
    return ranks->nonrelevant_before[f] + ranks->nonrelevant[f] * s / (ranks->relevant[f] + 1);
}

/* P_(v+1) / P_v */
static inline double rising_ratio(double s, double r, double i, double v)
{
    return (s + v) * (i - v) / ((v + 1) * (r - s + i - v));
}

/* Where P_v is largest.  For s <= 1 it falls from v = 0 on. */
static double mode_of_search_length(double s, double r, double i)
{
    if (s <= 1)
        return 0;
    double v = ceil(((s - 1) * i - (r - s)) / (r - 1));
    return v < 0 ? 0 : v > i ? i : v;
}

void search_length_probabilities(double s, double r, int64_t i, double *probability)
{
    double n = (double)i;
    int64_t mode = (int64_t)mode_of_search_length(s, r, n);
    double total = probability[mode] = 1;
    for (int64_t v = mode; v < i; v++)
        total += probability[v + 1] = probability[v] * rising_ratio(s, r, n, (double)v);
    for (int64_t v = mode; v > 0; v--)
        total += probability[v - 1] = probability[v] / rising_ratio(s, r, n, (double)(v - 1));
    for (int64_t v = 0; v <= i; v++)
        probability[v] /= total;
}

/* sum_v P_v wanted/(base + v).  P_v is unimodal, so a side ends where all that is left of it cannot count. */
static double expected_precision_in_rank(double s, double r, double i, double base, double wanted)
{
    double mode = mode_of_search_length(s, r, i);
    double weight = 1, total = 1, sum = wanted / (base + mode);
    for (double v = mode; v < i; v++) {
        weight *= rising_ratio(s, r, i, v);
        total += weight;
        sum += weight * (wanted / (base + v + 1));
        if (weight * (i - v) < 1e-18 * total)
            break;
    }
    weight = 1;
    for (double v = mode; v > 0; v--) {
        weight /= rising_ratio(s, r, i, v - 1);
        total += weight;
        sum += weight * (wanted / (base + v - 1));
        if (weight * v < 1e-18 * total)
            break;
    }
    return sum / total;
}

static double precision_in_rank(const stopping_ranks *ranks, int64_t f, enum stopping_measure measure, double wanted)
{
    double r = ranks->relevant[f], i = ranks->nonrelevant[f], j = ranks->nonrelevant_before[f];
    double s = wanted - ranks->relevant_before[f];
    if (wanted < 1e-290) {  /* so small that s i is no normal number: the limit */
        if (j > 0)
            return 0;
        return measure == STOP_PRR ? (r + 1) / (r + i + 1) : measure == STOP_PRECALL ? r / (r + i) : 1;
    }
    if (measure == STOP_EP)
        return expected_precision_in_rank(s, r, i, wanted + j, wanted);
    return wanted / (wanted + j + i * s / (measure == STOP_PRR ? r + 1 : r));
}

double precision_at_stop(const stopping_ranks *ranks, enum stopping_measure measure, double wanted)
{
    int64_t f = final_rank(ranks, wanted);
    return f == ranks->n_ranks ? 0 : precision_in_rank(ranks, f, measure, wanted);
}

double precision_at_recall(const stopping_ranks *ranks, enum stopping_measure measure, double level, int ceiling)
{
    double wanted = stopping_point(level, ranks->n_relevant);
    if (!ceiling)
        return ranks->n_relevant > 0 ? precision_at_stop(ranks, measure, wanted) : 0;
    double largest = 0;
    wanted = fmax(1, ceil(wanted));
    for (int64_t f = final_rank(ranks, wanted); f < ranks->n_ranks; f++) {
        double last = ranks->relevant_before[f] + ranks->relevant[f];
        double step = measure == STOP_EP ? 1 : fmax(1, last - wanted);  /* PRR and PRECALL are monotone in a rank */
        for (; wanted <= last; wanted += step)
            largest = fmax(largest, precision_in_rank(ranks, f, measure, wanted));
        wanted = last + 1;
    }
    return largest;
}

double expected_relevant_at(const stopping_ranks *ranks, double n_docs)
{
    int64_t low = 0, high = ranks->n_ranks;  /* ranks that begin before the stop */
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (ranks->relevant_before[middle] + ranks->nonrelevant_before[middle] < n_docs)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return 0;
    int64_t f = low - 1;
    double r = ranks->relevant[f], size = r + ranks->nonrelevant[f];
    double taken = fmin(size, n_docs - ranks->relevant_before[f] - ranks->nonrelevant_before[f]);
    return ranks->relevant_before[f] + taken * r / size;
}
