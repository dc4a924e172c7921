/* Overlap at each depth. The contract is in depths.h. */

#include "two_rankings/depths.h"

#include <math.h>
#include <string.h>

#include "numeric/double_double.h"

/* pair->number: at each depth the overlap; the same where a group counts as a whole once it has
 * begun; sums of shares and of squared shares; the mean share of the documents of the longer
 * ranking alone that have begun. */
enum { OVERLAP, WHOLE, SUM_A, SUM_B, SQUARES_A, SQUARES_B, MEAN_ALONE };

static inline double *row(const ranking_pair *pair, int64_t depth, int which)
{
    return pair->number + which * (depth + 1);
}

static inline int64_t least(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

void depths_of_orders(ranking_pair *pair, const int64_t *place, int64_t depth, int64_t *count)
{
    double *overlap = row(pair, depth, OVERLAP);
    memset(count, 0, (size_t)(depth + 1) * sizeof *count);
    for (int64_t i = 0; i < least(pair->b.n_docs, depth); i++) {
        int64_t later = place[i] > i ? place[i] : i;
        count[place[i] < pair->a.n_docs && later < depth ? later + 1 : 0]++;
    }
    overlap[0] = 0;
    for (int64_t d = 1; d <= depth; d++)
        overlap[d] = overlap[d - 1] + (double)count[d];
}

/* A ranking read down: its group that the depth cuts, and how many documents of it are above. */
typedef struct {
    const weak_ranking *ranking;
    int64_t group, alone_before, alone_inside; /* documents that the other ranking lacks */
    double above, size;
} reading;

/* How many documents are in each state in both: 0 below the depth, 1 in a cut group, 2 above. */
typedef struct {
    int8_t *state[2];
    int64_t n[3][3];
} states;

static void set_state(states *of, int side, int64_t item, int8_t to)
{
    int other = of->state[1 - side][item], from = of->state[side][item];
    if (side == 0) {
        of->n[from][other]--;
        of->n[to][other]++;
    } else {
        of->n[other][from]--;
        of->n[other][to]++;
    }
    of->state[side][item] = to;
}

/* One document deeper. */
static void read_on(reading *r, int side, int64_t d, const weak_ranking *other, states *of)
{
    const weak_ranking *own = r->ranking;
    if (d > own->n_docs) {
        r->above = r->size; /* the end of the last group */
        return;
    }
    if (r->group < 0 || d > own->start[r->group + 1]) {
        if (r->group >= 0)
            for (int64_t i = own->start[r->group]; i < own->start[r->group + 1]; i++)
                set_state(of, side, own->order[i], 2);
        r->group++;
        r->alone_before += r->alone_inside;
        r->alone_inside = 0;
        for (int64_t i = own->start[r->group]; i < own->start[r->group + 1]; i++) {
            set_state(of, side, own->order[i], 1);
            r->alone_inside += other->group[own->order[i]] == other->n_groups;
        }
        r->size = (double)(own->start[r->group + 1] - own->start[r->group]);
    }
    r->above = (double)(d - own->start[r->group]);
}

void depths_of_means(ranking_pair *pair, int64_t depth)
{
    double *number[7];
    for (int i = 0; i < 7; i++) {
        number[i] = row(pair, depth, i);
        number[i][0] = 0;
    }
    states of = {{(int8_t *)pair->scratch, (int8_t *)(pair->scratch + pair->n_items)}, {{0}}};
    memset(of.state[0], 0, (size_t)pair->n_items);
    memset(of.state[1], 0, (size_t)pair->n_items);
    of.n[0][0] = pair->n_items;
    const weak_ranking *ranking[2] = {&pair->a, &pair->b};
    reading side[2] = {{&pair->a, -1, 0, 0, 0, 1}, {&pair->b, -1, 0, 0, 0, 1}};
    int longer = pair->b.n_docs > pair->a.n_docs;
    for (int64_t d = 1; d <= depth; d++) {
        double share[2];
        for (int s = 0; s < 2; s++) {
            read_on(&side[s], s, d, ranking[1 - s], &of);
            share[s] = side[s].above / side[s].size;
            int64_t end = least(d, ranking[s]->n_docs);
            double before = (double)end - side[s].above, unseen = (double)(d - end);
            int has_group = side[s].group >= 0;
            number[SUM_A + s][d] = unseen + (has_group ? before + side[s].size : 0);
            number[SQUARES_A + s][d] = unseen + before + side[s].above * share[s];
        }
        number[OVERLAP][d] = (double)of.n[2][2] + share[0] * (double)of.n[1][2]
                             + share[1] * (double)of.n[2][1]
                             + share[0] * share[1] * (double)of.n[1][1];
        number[WHOLE][d] = (double)(of.n[2][2] + of.n[1][2] + of.n[2][1] + of.n[1][1]);
        double before = (double)side[longer].alone_before;
        double inside = (double)side[longer].alone_inside;
        number[MEAN_ALONE][d] = before + inside > 0
                                    ? (before + inside * share[longer]) / (before + inside)
                                    : 0;
    }
}

/* The agreement at depth d, where `more` documents are added to the overlap that is seen. */
static double agreement(const ranking_pair *pair, int64_t depth, int ties, int64_t d, double more)
{
    int64_t at = least(d, depth);
    double x = row(pair, depth, OVERLAP)[at] + more, beyond = (double)(d - at);
    if (ties == TIES_W)
        return 2 * (row(pair, depth, WHOLE)[at] + more)
               / (row(pair, depth, SUM_A)[at] + row(pair, depth, SUM_B)[at] + 2 * beyond);
    if (ties != TIES_B)
        return x / (double)d;
    return x
           / sqrt((row(pair, depth, SQUARES_A)[at] + beyond)
                  * (row(pair, depth, SQUARES_B)[at] + beyond));
}

/* Extrapolated: documents below the end of the shorter ranking agree as those above it do. */
static double extrapolated(const ranking_pair *pair, const pair_measure *measure, int64_t depth,
                           int ties)
{
    int64_t a = pair->a.n_docs, b = pair->b.n_docs, s = least(a, b), longest = a > b ? a : b;
    if (s == 0)
        return 0;
    double p = measure->p, power = 1, at_end = agreement(pair, depth, ties, s, 0);
    const double *alone = row(pair, depth, MEAN_ALONE);
    dd sum = {0, 0};
    for (int64_t d = 1; d <= longest && power > 0; d++) {
        double more = d > s ? (double)(d - s) * at_end : 0;
        if (d > s && (ties == TIES_A || ties == TIES_B))
            more *= alone[d];
        sum = dd_add(sum, (dd){power * agreement(pair, depth, ties, d, more), 0});
        power = d % 64 ? power * p : pow(p, (double)d);
    }
    double last = row(pair, depth, OVERLAP)[longest] + (double)(longest - s) * at_end;
    return (1 - p) * (sum.hi + sum.lo)
           + pow(p, (double)longest) * last / (double)longest;
}

double depth_measure(const ranking_pair *pair, const pair_measure *measure, int64_t depth,
                     int is_strict)
{
    int ties = is_strict ? TIES_MEAN : measure->ties;
    int64_t k = measure->cutoff;
    if (measure->kind == PAIR_OVERLAP)
        return row(pair, depth, OVERLAP)[least(k, depth)] / (double)k;
    if (k == 0)
        return extrapolated(pair, measure, depth, ties);
    double p = measure->p, power = 1;
    dd sum = {0, 0};
    for (int64_t d = 1; d <= k && power > 0; d++) {
        sum = dd_add(sum, (dd){power * agreement(pair, depth, ties, d, 0), 0});
        power = d % 64 ? power * p : pow(p, (double)d);
    }
    return (1 - p) * (sum.hi + sum.lo);
}
