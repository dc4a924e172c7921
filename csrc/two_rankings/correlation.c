/* Rank correlations. The contract is in correlation.h. */

#include "two_rankings/correlation.h"

#include <math.h>
#include <string.h>

#include "numeric/double_double.h"

/* A tree of counts (Fenwick 1994): element i counts those at (i - (i & -i), i]. */
static inline void add_at(int64_t *tree, int64_t n, int64_t i)
{
    for (i++; i <= n; i += i & -i)
        tree[i]++;
}

static inline int64_t count_before(const int64_t *tree, int64_t i)
{
    int64_t sum = 0;
    for (; i > 0; i -= i & -i)
        sum += tree[i];
    return sum;
}

static inline double total(dd sum)
{
    return sum.hi + sum.lo;
}

tau_sums correlate_orders(const int64_t *place, int64_t n, int64_t *tree, work_watch *watch)
{
    int64_t concordant = 0;
    dd shares = {0, 0}, squares = {0, 0};
    memset(tree, 0, (size_t)(n + 1) * sizeof *tree);
    for (int64_t i = 0; i < n && !watch_stops(watch, 16); i++) {
        int64_t above = count_before(tree, place[i]);
        double apart = (double)(place[i] - i);
        concordant += above;
        if (i > 0)
            shares = dd_add(shares, (dd){(double)above / (double)i, 0});
        squares = dd_add(squares, (dd){apart * apart, 0});
        add_at(tree, n, place[i]);
    }
    return (tau_sums){(double)concordant, total(shares), total(squares)};
}

static inline double pairs_of(int64_t n)
{
    return (double)n * (double)(n - 1) / 2;
}

double strict_correlation(const pair_measure *measure, const tau_sums *sums, int64_t n)
{
    double count = (double)n;
    if (n < 2)
        return 1;
    if (measure->kind == PAIR_TAU)
        return 2 * sums->concordant / pairs_of(n) - 1;
    if (measure->kind == PAIR_TAU_AP)
        return 2 * sums->shares / (count - 1) - 1;
    return 1 - 6 * sums->squares / (count * (count - 1) * (count + 1));
}

static double tied_pairs(const weak_ranking *ranking)
{
    double sum = 0;
    for (int64_t g = 0; g <= ranking->n_groups; g++)
        sum += pairs_of(ranking->start[g + 1] - ranking->start[g]);
    return sum;
}

/* The mean of TauAP.  The documents of a group of B with s above it are in its g places equally
 * often: j of its own are above place s + j + 1, half of them concordant, and of the s those that A
 * has above, too, and half of those tied with it. */
static double mean_tau_ap(const ranking_pair *pair)
{
    const weak_ranking *a = &pair->a, *b = &pair->b;
    int64_t n = pair->n_items, n_groups = a->n_groups + 1, *tree = pair->scratch;
    dd shares = {0, 0};
    memset(tree, 0, (size_t)(n_groups + 1) * sizeof *tree);
    for (int64_t g = 0; g <= b->n_groups && !watch_stops(pair->watch, 1); g++) {
        int64_t start = b->start[g], end = b->start[g + 1], twice = 0;
        for (int64_t i = start; i < end && start > 0 && !watch_stops(pair->watch, 32); i++) {
            int64_t group = a->group[b->order[i]];
            twice += count_before(tree, group) + count_before(tree, group + 1);
        }
        double before = (double)twice / 2 / (double)(end - start);
        for (int64_t i = start > 0 ? start : 1; i < end; i++)
            shares = dd_add(shares, (dd){(before + (double)(i - start) / 2) / (double)i, 0});
        for (int64_t i = start; i < end; i++)
            add_at(tree, n_groups, a->group[b->order[i]]);
    }
    return 2 * total(shares) / (double)(n - 1) - 1;
}

/* Twice the distance of a group's mean place from the middle. */
static inline double deviation(const weak_ranking *ranking, int64_t group, int64_t n)
{
    return (double)(ranking->start[group] + ranking->start[group + 1] - n);
}

/* The mean product of places, all of them from the middle; divided by their spread in strict orders
 * or, with ties B, by that of mean places. */
static double tied_spearman(const ranking_pair *pair, int ties)
{
    int64_t n = pair->n_items;
    double count = (double)n, spread = count * (count - 1) * (count + 1) / 3;
    dd product = {0, 0}, a = {0, 0}, b = {0, 0};
    for (int64_t i = 0; i < n; i++) {
        double x = deviation(&pair->a, pair->a.group[i], n);
        double y = deviation(&pair->b, pair->b.group[i], n);
        product = dd_add(product, (dd){x * y, 0});
        a = dd_add(a, (dd){x * x, 0});
        b = dd_add(b, (dd){y * y, 0});
    }
    return total(product) / (ties == TIES_B ? sqrt(total(a)) * sqrt(total(b)) : spread);
}

double tied_correlation(const ranking_pair *pair, const pair_measure *measure,
                        const tau_sums *aligned, const tau_sums *opposed)
{
    int64_t n = pair->n_items;
    if (n < 2)
        return 1;
    if (measure->kind == PAIR_TAU_AP)
        return mean_tau_ap(pair);
    if (measure->kind == PAIR_SPEARMAN)
        return tied_spearman(pair, measure->ties);
    double more = aligned->concordant + opposed->concordant - pairs_of(n);
    if (measure->ties != TIES_B)
        return more / pairs_of(n);
    double a = pairs_of(n) - tied_pairs(&pair->a), b = pairs_of(n) - tied_pairs(&pair->b);
    return more / (sqrt(a) * sqrt(b));
}
