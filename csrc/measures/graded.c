/* Measures of graded relevance: DCG, nDCG, RBP, ERR. */
/* nDCG has four places: measures/graded.c where documents tie, ties/strict_order.c where none does,
 * label_bounds/open_gain.c (bounds over labels), and in Python unjudged/expected_labels.py (means
 * over labels). ties/gains.c has the gains and discounts of all. */
#include <math.h>
#include <string.h>

#include "ties/cascade.h"
#include "ties/gains.h"
#include "ties/tie_groups.h"

/* (mean gain of the rank) x (sum of its discounts), as far as the cut-off. */
static double gain_of_rank(double gain, const measure_input *in, int64_t rank, int64_t limit)
{
    int64_t before = in->order->before[rank], size = in->order->size[rank];
    if (size == 1) /* most ranks; the same as below */
        return gain * discount_of(in->memory, before + 1);
    return gain / (double)size
           * discount_sum(in->memory, before + 1, before + smaller(size, limit - before));
}

static double discounted_gain(const measure *m, const measure_input *in)
{
    const weak_order *order = in->order;
    int64_t limit = limit_of(m->cutoff);
    measure_step own = {0}, *step = in->steps != NULL ? &in->steps->gain : &own;
    step_begin(step, order, 0, m->argument[0], limit);
    dd sum = {step->sum, step->lost};
    int64_t rank = step->rank, mark = step->mark;
    for (; rank < order->n_ranks && end_of(order, rank) <= limit; rank++) {
        double gain = 0;
        for (; mark < order->end[rank]; mark++)
            gain += gain_of(m, order->grade[mark]);
        if (gain > 0)
            add_to(&sum, gain_of_rank(gain, in, rank, limit));
    }
    *step = (measure_step){0, m->argument[0], rank, mark, 0, sum.hi, sum.lo};
    if (rank < order->n_ranks && order->before[rank] < limit) {
        double gain = 0;
        for (; mark < order->end[rank]; mark++)
            gain += gain_of(m, order->grade[mark]);
        if (gain > 0)
            add_to(&sum, gain_of_rank(gain, in, rank, limit));
    }
    return total_of(sum);
}

static double normalised_gain(const measure *m, const measure_input *in)
{
    double *known = in->steps != NULL ? in->steps->known_ideal : NULL;
    double ideal = known != NULL && *known >= 0 ? *known : ideal_gain(m, in);
    if (known != NULL)
        *known = ideal;
    return ideal > 0 ? discounted_gain(m, in) / ideal : 0;
}

/* Moffat & Zobel 2008: sum over ranks (mean gain) p^t (1 - p^g).  Arguments: p; the highest grade,
 * by which gains are divided, or 0 where documents are relevant or not. */
static double rank_biased_precision(const measure *m, const measure_input *in)
{
    const weak_order *order = in->order;
    double highest = m->argument[1];
    int64_t limit = limit_of(m->cutoff);
    double log_p = log(m->argument[0]);
    dd sum = {0, 0};
    for (int64_t rank = 0, mark = 0; rank < order->n_ranks && order->before[rank] < limit; rank++) {
        int64_t before = order->before[rank], size = order->size[rank];
        double gain = 0;
        for (; mark < order->end[rank]; mark++) {
            double grade = order->grade[mark];
            gain += highest > 0 ? fmax(grade, 0) / highest : grade >= m->relevant_from;
        }
        if (gain > 0)
            add_to(&sum, gain / (double)size * exp((double)before * log_p)
                             * -expm1((double)smaller(size, limit - before) * log_p));
    }
    return total_of(sum);
}

/* Chapelle et al. 2009: sum_i (1/i) R_i prod_{j<i} (1 - R_j), R = (2^grade - 1)/2^max_grade.
 * Argument: max_grade. */
static double expected_reciprocal_rank(const measure *m, const measure_input *in)
{
    const weak_order *order = in->order;
    int64_t limit = limit_of(m->cutoff);
    double sum = 0, still = 1, scale = exp2(-m->argument[0]);
    for (int64_t rank = 0, mark = 0; rank < order->n_ranks && order->before[rank] < limit; rank++) {
        tie_group group = {.before = order->before[rank], .size = order->size[rank]};
        if (group.size == 1) { /* most ranks; the same as below */
            for (; mark < order->end[rank]; mark++) {
                if (order->grade[mark] <= 0)
                    continue;
                double stops = (exp2(order->grade[mark]) - 1) * scale;
                sum += still * (stops / ((double)group.before + 1));
                still *= 1 - stops;
            }
            continue;
        }
        int64_t n = 0;
        double going_on = 1, *stop = in->memory->scratch;
        for (; mark < order->end[rank]; mark++) {
            if (order->grade[mark] <= 0)
                continue;
            stop[n] = (exp2(order->grade[mark]) - 1) * scale;
            going_on *= 1 - stop[n++];
        }
        if (n > 0)
            sum += still * cascade_to_limit(stop, n, group, limit, stop + n, in->memory->watch);
        still *= going_on;
    }
    return sum;
}

static const measure_kernel kernels[] = {
    {"DCG", discounted_gain, MEASURE_DISCOUNTS},     {"nDCG", normalised_gain, MEASURE_DISCOUNTS},
    {"IDCG", ideal_gain, MEASURE_DISCOUNTS},         {"RBP", rank_biased_precision, 0},
    {"ERR", expected_reciprocal_rank, MEASURE_TIES},
};
const measure_family GRADED_MEASURES = {sizeof kernels / sizeof *kernels, kernels};
