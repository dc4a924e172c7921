/* Two weak orderings. The contract, and why two orders suffice, are in two_rankings.h. */

#include "two_rankings/two_rankings.h"

#include <math.h>
#include <string.h>

#include "ordering/mark_sort.h"
#include "two_rankings/correlation.h"
#include "two_rankings/depths.h"

void pair_rank(const double *score, const int64_t *item, int64_t n_docs, ranking_pair *pair,
               weak_ranking *ranking)
{
    weak_order_mark *mark = (weak_order_mark *)pair->scratch;
    int64_t place = n_docs;
    for (int64_t i = 0; i < n_docs; i++)
        mark[i] = (weak_order_mark){score[i], -(double)i}; /* ties stay in the order of rows */
    mark_sort(mark, n_docs, mark + pair->n_items, ranking->start, pair->watch);
    for (int64_t i = 0; i < pair->n_items; i++)
        ranking->group[i] = -1;
    ranking->n_docs = n_docs;
    ranking->n_groups = 0;
    for (int64_t i = 0; i < n_docs; i++) {
        int64_t row = (int64_t)-mark[i].grade;
        if (i == 0 || mark[i].score != mark[i - 1].score)
            ranking->start[ranking->n_groups++] = i;
        ranking->order[i] = item == NULL ? row : item[row];
        ranking->group[ranking->order[i]] = ranking->n_groups - 1;
    }
    ranking->start[ranking->n_groups] = n_docs;
    ranking->start[ranking->n_groups + 1] = pair->n_items;
    for (int64_t i = 0; i < pair->n_items; i++) {
        if (ranking->group[i] < 0) {
            ranking->group[i] = ranking->n_groups;
            ranking->order[place++] = i;
        }
    }
}

/* The items by their groups in a ranking, each group in the order of `from`, or its reverse. */
static void by_group(const weak_ranking *ranking, const int64_t *from, int is_reverse, int64_t n,
                     int64_t *next, int64_t *to)
{
    memcpy(next, ranking->start, (size_t)(ranking->n_groups + 1) * sizeof *next);
    for (int64_t i = 0; i < n; i++) {
        int64_t item = from[is_reverse ? n - 1 - i : i];
        to[next[ranking->group[item]]++] = item;
    }
}

/* The needs of measures, and how deep they go. */
typedef struct {
    int overlaps, correlations;
    int64_t depth;
} wanted;

static wanted wanted_of(const ranking_pair *pair, const pair_measure *measures, int64_t n)
{
    wanted found = {0, 0, 0};
    int64_t longest = pair->a.n_docs > pair->b.n_docs ? pair->a.n_docs : pair->b.n_docs;
    for (int64_t i = 0; i < n; i++) {
        if (measures[i].kind > PAIR_RBO) {
            found.correlations = 1;
            continue;
        }
        int64_t depth = measures[i].cutoff;
        if (depth == 0 || depth > longest)
            depth = longest;
        found.overlaps = 1;
        found.depth = depth > found.depth ? depth : found.depth;
    }
    return found;
}

/* The values in one order of each ranking, aligned or opposed. */
static void evaluate_orders(ranking_pair *pair, const pair_measure *measures, int64_t n,
                            const wanted *needs, int is_opposed, double *value, tau_sums *sums)
{
    int64_t items = pair->n_items, *first = pair->scratch, *second = first + items;
    int64_t *work = second + items;
    by_group(&pair->a, pair->b.order, is_opposed, items, work, first);
    by_group(&pair->b, first, is_opposed, items, work, second);
    for (int64_t i = 0; i < items; i++)
        work[first[i]] = i; /* the place in A of each item */
    for (int64_t i = 0; i < items; i++)
        second[i] = work[second[i]]; /* the place in A of each place in B */
    if (needs->overlaps)
        depths_of_orders(pair, second, needs->depth, work);
    if (needs->correlations)
        *sums = correlate_orders(second, items, work, pair->watch);
    for (int64_t i = 0; i < n; i++)
        value[i] = measures[i].kind <= PAIR_RBO
                       ? depth_measure(pair, &measures[i], needs->depth, 1)
                       : strict_correlation(&measures[i], sums, items);
}

void pair_evaluate(ranking_pair *pair, const pair_measure *measures, int64_t n, double *value,
                   double *low, double *high)
{
    wanted needs = wanted_of(pair, measures, n);
    tau_sums aligned, opposed;
    /* The mean of Tau is half the way from the least to the greatest, as that of each pair is. */
    if (low != NULL || needs.correlations) {
        evaluate_orders(pair, measures, n, &needs, 0, low == NULL ? value : high, &aligned);
        evaluate_orders(pair, measures, n, &needs, 1, low == NULL ? value : low, &opposed);
    }
    if (needs.overlaps)
        depths_of_means(pair, needs.depth);
    for (int64_t i = 0; i < n; i++)
        value[i] = measures[i].kind <= PAIR_RBO
                       ? depth_measure(pair, &measures[i], needs.depth, 0)
                       : tied_correlation(pair, &measures[i], &aligned, &opposed);
}
