/* APRet, the mean precision at the relevant documents that were retrieved: its mean over orders of
 * ties, and its ends. */
#include <math.h>

#include "ties/count_mean.h"
#include "ties/tie_groups.h"

/* Sums of precisions where a cut divides a rank: `sum` of `found` relevant documents above it; of
 * `taken` of its documents the k-th, from 0, stands at place before + 1 + k: sums over k of
 * 1/place and of k/place. */
typedef struct {
    double sum, found, taken, reciprocals, shares;
} cut_rank;

/* The mean precision at relevant documents, `count` of them among those taken, in random order. */
static double mean_precision(double count, const void *context)
{
    const cut_rank *at = context;
    double others = at->taken > 1 ? (count - 1) / (at->taken - 1) : 0;
    double inside = at->taken > 0 ? count / at->taken
                                        * ((at->found + 1) * at->reciprocals + others * at->shares)
                                  : 0;
    return at->found + count > 0 ? (at->sum + inside) / (at->found + count) : 0;
}

/* The same of the best or the worst order: places of a rank, the relevant documents first or last.
 * The number of those among the `taken` places of the rank that the cut divides is free. */
static double retrieved_precision_end(const measure *m, const measure_input *in)
{
    const weak_order *order = in->order;
    int best = in->end == TIE_BEST;
    int64_t limit = smaller(limit_of(m->cutoff), order->n_docs);
    double found = 0, end = 0;
    dd sum = {0, 0};
    for (int64_t rank = 0; rank < order->n_ranks && order->before[rank] < limit; rank++) {
        tie_group group = get_group(order, rank, m->relevant_from);
        int64_t taken = smaller(group.size, limit - group.before);
        int64_t least = taken - smaller(taken, group.size - group.relevant);
        int64_t most = smaller(taken, group.relevant);
        double last = (double)(group.before + taken), found_above = found;
        dd below = {0, 0}; /* sum of 1/place of those that are last */
        end = NAN;
        for (int64_t h = 0;; h++) { /* h relevant documents of the rank */
            double value = found > 0 ? total_of(sum) / found : 0;
            if (h >= least)
                end = best ? fmax(end, value) : fmin(end, value);
            if (h == most || watch_stops(in->memory->watch, 4))
                break;
            double place = best ? (double)(group.before + 1 + h) : last - (double)h;
            add_to(&sum, total_of(below) + (best ? found + 1 : found_above + 1) / place);
            add_to(&below, best ? 0 : 1 / place);
            found++;
        }
    }
    return end;
}

static double retrieved_average_precision(const measure *m, const measure_input *in)
{
    const weak_order *order = in->order;
    int64_t limit = smaller(limit_of(m->cutoff), order->n_docs);
    cut_rank at = {0};
    if (in->end != TIE_MEAN)
        return retrieved_precision_end(m, in);
    for (int64_t rank = 0; rank < order->n_ranks && order->before[rank] < limit; rank++) {
        tie_group group = get_group(order, rank, m->relevant_from);
        if (group.relevant == 0)
            continue;
        double r = (double)group.relevant;
        dd reciprocals = {0, 0}, shares = {0, 0};
        int64_t taken = smaller(group.size, limit - group.before);
        for (int64_t k = 0; k < taken && !watch_stops(in->memory->watch, 2); k++) {
            add_to(&reciprocals, 1 / (double)(group.before + 1 + k));
            add_to(&shares, (double)k / (double)(group.before + 1 + k));
        }
        at.taken = (double)taken;
        at.reciprocals = total_of(reciprocals);
        at.shares = total_of(shares);
        if (taken < group.size)
            return count_mean(r, (double)group.size - r, at.taken, mean_precision, &at);
        at.sum = mean_precision(r, &at) * (at.found + r);
        at.found += r;
    }
    return at.found > 0 ? at.sum / at.found : 0;
}

static const measure_kernel kernels[] = {{"APRet", retrieved_average_precision, MEASURE_ENDS}};
const measure_family RETRIEVED_MEASURES = {1, kernels};
