/* Shared by the kernels of measures: ranks as a binary measure sees them, and compensated sums. */
#ifndef IRBOUNDS_TIE_GROUPS_H
#define IRBOUNDS_TIE_GROUPS_H

#include <math.h>
#include <stddef.h>

#include "numeric/double_double.h"
#include "ties/measures.h"

static inline int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t limit_of(int64_t cutoff)
{
    return cutoff > 0 ? cutoff : INT64_MAX;
}

/* Places of one rank that are taken one by one, in some ten microseconds; more are summed as smooth
 * functions. */
enum { LONG_TIE = 1 << 14 };

/* As far as Compat's p^place is a number; see overlap.c. */
int64_t overlap_places(const measure *m, int64_t n_docs);

/* One rank as a binary measure sees it. */
typedef struct {
    int64_t before; /* documents in earlier ranks */
    int64_t size;
    int64_t relevant; /* relevant documents in it */
    int64_t mark;     /* its first mark */
} tie_group;

static inline tie_group get_group(const weak_order *order, int64_t rank, double relevant_from)
{
    int64_t mark = rank > 0 ? order->end[rank - 1] : 0, at = mark;
    while (at < order->end[rank] && order->grade[at] >= relevant_from)
        at++;
    return (tie_group){order->before[rank], order->size[rank], at - mark, mark};
}

static inline int64_t end_of(const weak_order *order, int64_t rank)
{
    return order->before[rank] + order->size[rank];
}

/* Where a sum begins whose measure has these numbers and this cut-off. */
static inline void step_begin(measure_step *step, const weak_order *order, double from,
                              double argument, int64_t limit)
{
    if (step->rank == 0 || step->from != from || step->argument != argument
        || end_of(order, step->rank - 1) > limit)
        *step = (measure_step){from, argument, 0, 0, 0, 0, 0};
}

/* Documents of grade >= `from` expected among the first k. */
static inline double expected_found(const measure_input *in, double from, int64_t k)
{
    const weak_order *order = in->order;
    measure_step own = {0}, *step = &own;
    if (in->steps != NULL && k < order->n_docs)
        step = &in->steps->found;
    else if (in->steps != NULL)
        step = from == 0 ? &in->steps->judged_in_all : &in->steps->found_in_all;
    step_begin(step, order, from, 0, k);
    double found = step->found;
    int64_t rank = step->rank;
    for (; rank < order->n_ranks && end_of(order, rank) <= k; rank++)
        found += (double)get_group(order, rank, from).relevant;
    step->found = found;
    step->rank = rank;
    if (rank == order->n_ranks || order->before[rank] >= k)
        return found;
    tie_group group = get_group(order, rank, from);
    return found + (double)(k - group.before) * (double)group.relevant / (double)group.size;
}

/* Documents that are relevant to the query, retrieved or not. */
static inline double n_relevant_of(const measure *m, const measure_input *in)
{
    return (double)levels_from(in->judged, m->relevant_from);
}

/* The relevant documents that a share of n is: trec_eval 9 adds 0.9 and truncates, which is
 * rounding up for shares of whole tenths; trec_eval 10 rounds to the nearest.  `share n` is rounded
 * on its own (no fused multiply and add), as there. */
static inline double documents_at(double share, double n, int nearest)
{
    double product = share * n;
    return nearest ? round(product) : floor(product + 0.9);
}

/* Terms that are nearly equal round the same way for thousands of steps: what rounding took is kept
 * beside the sum. */
static inline void add_to(dd *sum, double term)
{
    dd both = dd_two_sum(sum->hi, term);
    sum->hi = both.hi;
    sum->lo += both.lo;
}

static inline double total_of(dd sum)
{
    return sum.hi + sum.lo;
}

#endif
