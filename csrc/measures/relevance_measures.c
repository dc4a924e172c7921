/* Measures of relevant documents in a ranking with ties: AP, RR, P, R and others. */

#include "ties/measures.h"

#include <math.h>
#include <string.h>

#include "measures/highest_precision.h"
#include "distributions/hypergeometric.h"
#include "ties/smooth_sum.h"
#include "ties/tie_groups.h"

/* Where a relevant document stands in a rank: (1 + those expected above it)/place. */
typedef struct {
    double before, found, others;
} precision_terms;

static double precision_at(double first, double x, const void *context)
{
    const precision_terms *at = context;
    return (at->found + 1 + (first - 1 - at->before + x) * at->others) / (first + x);
}

/* (r/g) sum_k (t_r + 1 + (k-1) a)/(t + k), a = (r-1)/(g-1), of one rank behind `found` relevant
 * documents, as far as the cut-off. */
static double precision_of_rank(tie_group group, double found, int64_t limit, work_watch *watch)
{
    double t = (double)group.before, g = (double)group.size, r = (double)group.relevant;
    int64_t taken = smaller(group.size, limit - group.before);
    double others = g > 1 ? (r - 1) / (g - 1) : 0;
    dd inside = {0, 0};
    precision_terms terms = {t, found, others};
    if (group.relevant == 0)
        return 0;
    if (taken > LONG_TIE)
        inside = long_sum(precision_at, &terms, t + 1, (double)taken, INFINITY, watch, 2);
    for (int64_t k = 0; taken <= LONG_TIE && k < taken; k++)
        add_to(&inside, (found + 1 + (double)k * others) / (t + 1 + (double)k));
    watch_stops(watch, smaller(taken, LONG_TIE));
    return r / g * total_of(inside);
}

/* (1/n) times the sum over ranks. */
static double average_precision(const measure *m, const measure_input *in)
{
    const weak_order *order = in->order;
    double from = m->relevant_from, n_relevant = n_relevant_of(m, in);
    int64_t limit = limit_of(m->cutoff);
    measure_step own = {0}, *step = in->steps != NULL ? &in->steps->precision : &own;
    step_begin(step, order, from, 0, limit);
    dd sum = {step->sum, step->lost};
    double found = step->found;
    int64_t rank = step->rank;
    for (; rank < order->n_ranks && end_of(order, rank) <= limit; rank++) {
        tie_group group = get_group(order, rank, from);
        if (group.relevant > 0 && group.size == 1) /* most ranks; the same as any */
            add_to(&sum, (found + 1) / ((double)group.before + 1));
        else if (group.relevant > 0)
            add_to(&sum, precision_of_rank(group, found, limit, in->memory->watch));
        found += (double)group.relevant;
    }
    *step = (measure_step){from, 0, rank, 0, found, sum.hi, sum.lo};
    if (rank < order->n_ranks && order->before[rank] < limit)
        add_to(&sum,
               precision_of_rank(get_group(order, rank, from), found, limit, in->memory->watch));
    return n_relevant > 0 ? total_of(sum) / n_relevant : 0;
}

/* The chance that the first of r relevant documents of g is the k-th, C(g-k, r-1)/C(g, r), over its
 * place. */
typedef struct {
    double before, size, relevant;
} first_place;

static double first_at(double first, double x, const void *context)
{
    const first_place *at = context;
    double g = at->size, k = first - at->before + x, chance = at->relevant / g;
    for (double i = 0; i < at->relevant - 1; i++)
        chance *= (g - k - i) / (g - 1 - i);
    return chance / (first + x);
}

/* The first relevant document's place in its rank is negative hypergeometric: P(1) = r/g,
 * P(k+1) = P(k) (g-k-r+1)/(g-k). */
static double reciprocal_rank(const measure *m, const measure_input *in)
{
    const weak_order *order = in->order;
    double from = m->relevant_from;
    int64_t limit = limit_of(m->cutoff);
    for (int64_t rank = 0; rank < order->n_ranks && order->before[rank] < limit; rank++) {
        tie_group group = get_group(order, rank, from);
        if (group.relevant == 0)
            continue;
        double t = (double)group.before, g = (double)group.size, r = (double)group.relevant;
        double probability = r / g;
        dd sum = {0, 0};
        int64_t last = smaller(group.size - group.relevant + 1, limit - group.before);
        /* the chance falls as (1 - k/g)^(r-1): by e in g/r places */
        first_place at = {t, g, r};
        if (last > LONG_TIE && 4 * g / r >= LONG_TIE)
            return total_of(long_sum(first_at, &at, t + 1, (double)last, 4 * g / r,
                                     in->memory->watch, group.relevant));
        for (int64_t k = 1; k <= last && !watch_stops(in->memory->watch, 1); k++) {
            add_to(&sum, probability / (t + (double)k));
            probability *= (g - (double)k - r + 1) / (g - (double)k);
            if (probability * g < 1e-18 * r * sum.hi) /* of the chance that none is among these */
                break;
        }
        return total_of(sum);
    }
    return 0;
}

/* P(a relevant document among the first k): a sum of positive terms, one for each document taken or
 * relevant. */
static double success(const measure *m, const measure_input *in)
{
    const weak_order *order = in->order;
    double from = m->relevant_from;
    int64_t k = limit_of(m->cutoff);
    for (int64_t rank = 0; rank < order->n_ranks && order->before[rank] < k; rank++) {
        tie_group group = get_group(order, rank, from);
        if (group.relevant == 0)
            continue;
        int64_t taken = k - group.before;
        if (taken > group.size - group.relevant)
            return 1;
        int64_t fewer = smaller(taken, group.relevant), more = taken + group.relevant - fewer;
        double found = 0;
        for (int64_t i = 0; i < fewer && found < 1; i++)
            found += (1 - found) * ((double)more / (double)(group.size - i));
        return found;
    }
    return 0;
}

/* Each relevant document of a rank has v = 0 .. i of the rank's judged non-relevant ones before it,
 * equally likely. */
static double binary_preference(const measure *m, const measure_input *in)
{
    const weak_order *order = in->order;
    double from = m->relevant_from, n_relevant = n_relevant_of(m, in);
    double n_nonrelevant = (double)levels_from(in->judged, 0) - n_relevant;
    double least = fmin(n_relevant, n_nonrelevant), wrong = 0;
    dd sum = {0, 0};
    for (int64_t rank = 0; rank < order->n_ranks; rank++) {
        tie_group group = get_group(order, rank, from);
        double inside = (double)(get_group(order, rank, 0).relevant - group.relevant);
        if (group.relevant > 0) {
            double below =
                fmax(0, fmin(inside + 1, n_relevant - wrong)); /* values of v with wrong + v < n */
            double capped =
                below * wrong + below * (below - 1) / 2 + (inside + 1 - below) * n_relevant;
            double lost = capped > 0 ? capped / (inside + 1) / least : 0;
            add_to(&sum, (double)group.relevant * (1 - lost));
        }
        wrong += inside;
    }
    return n_relevant > 0 ? total_of(sum) / n_relevant : 0;
}

/* fmax is a call. */
static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

/* The highest precision at `level n` relevant documents or more.  Arguments: the level; 1 for the
 * nearest number. */
static double interpolated_precision(const measure *m, const measure_input *in)
{
    const weak_order *order = in->order;
    double from = m->relevant_from, n_relevant = n_relevant_of(m, in);
    double wanted = documents_at(m->argument[0], n_relevant, m->argument[1] != 0);
    double found = 0, best = 0;
    int is_mixed = 0;
    for (int64_t rank = 0; rank < order->n_ranks; rank++) {
        tie_group group = get_group(order, rank, from);
        found += (double)group.relevant;
        is_mixed |= group.relevant > 0 && group.relevant < group.size;
        if (group.relevant > 0 && found >= wanted)
            best = larger(best, found / (double)(group.before + group.size));
    }
    int64_t steps = HIGHEST_PRECISION_STEPS;
    return is_mixed ? highest_precision_mean(order, from, wanted, best, in->memory, &steps) : best;
}

/* The mean of interpolated_precision at 0, 0.1, .., 1, or at levels that rise.  Arguments: 1 for
 * the nearest number; the levels, if others. */
static double mean_interpolated_precision(const measure *m, const measure_input *in)
{
    enum { TENTHS = 11 };
    const weak_order *order = in->order;
    double from = m->relevant_from, n_relevant = n_relevant_of(m, in), found = 0, sum = 0;
    double wanted[MEASURE_ARGUMENTS] = {0}, best[MEASURE_ARGUMENTS] = {0};
    int is_given = m->n_arguments > 1, n_levels = is_given ? m->n_arguments - 1 : TENTHS;
    int reached = 0, is_mixed = 0;
    for (int i = 0; i < n_levels; i++)
        wanted[i] = documents_at(is_given ? m->argument[i + 1] : (double)i / 10, n_relevant,
                                 m->argument[0] != 0);
    for (int64_t rank = 0; rank < order->n_ranks; rank++) {
        tie_group group = get_group(order, rank, from);
        found += (double)group.relevant;
        is_mixed |= group.relevant > 0 && group.relevant < group.size;
        while (reached < n_levels && wanted[reached] <= found)
            reached++;
        if (group.relevant > 0 && reached > 0)
            best[reached - 1] =
                larger(best[reached - 1], found / (double)(group.before + group.size));
    }
    /* what is reached at a level is reached at those below */
    for (int i = n_levels - 1; i > 0; i--)
        best[i - 1] = larger(best[i - 1], best[i]);
    int64_t steps = HIGHEST_PRECISION_STEPS;
    for (int i = 0; i < n_levels && is_mixed; i++)
        best[i] = i > 0 && wanted[i] == wanted[i - 1]
                      ? best[i - 1]
                      : highest_precision_mean(order, from, wanted[i], best[i], in->memory, &steps);
    for (int i = 0; i < n_levels; i++)
        sum += best[i];
    return sum / n_levels;
}

/* sum_y P(y relevant documents are taken from the rank that the cut divides) P(X < t_r + y), X a
 * random draw of k */
static double random_draw_does_worse(const measure *m, const measure_input *in)
{
    const weak_order *order = in->order;
    double from = m->relevant_from, n_relevant = n_relevant_of(m, in);
    int64_t cutoff = m->cutoff;
    double found = 0, size = 0, relevant = 0, taken = 0;
    for (int64_t rank = 0; rank < order->n_ranks && order->before[rank] < cutoff; rank++) {
        tie_group group = get_group(order, rank, from);
        if (group.before + group.size <= cutoff) {
            found += (double)group.relevant;
        } else {
            size = (double)group.size;
            relevant = (double)group.relevant;
            taken = (double)(cutoff - group.before);
        }
    }
    hypergeometric draw, inside;
    hypergeometric_set(&draw, in->collection_size, n_relevant, (double)cutoff);
    hypergeometric_set(&inside, size, relevant, taken);
    double sum = 0,
           tail = hypergeometric_value(&draw, HYPERGEOMETRIC_CDF, found + inside.least - 1, 0);
    double weight = hypergeometric_value(&inside, HYPERGEOMETRIC_PMF, inside.least, 0);
    for (double y = inside.least;; y++) {
        sum += weight * tail;
        if (y >= inside.most)
            return sum;
        tail += hypergeometric_value(&draw, HYPERGEOMETRIC_PMF, found + y, 0);
        weight = hypergeometric_value(&inside, HYPERGEOMETRIC_PMF, y + 1, 0);
        if (y >= inside.mode
            && weight * (inside.most - y) < 1e-18 * sum) /* weights fall, and tails end at 1 */
            return sum;
    }
}

static double found_at(const measure *m, const measure_input *in, int64_t k)
{
    return expected_found(in, m->relevant_from, k);
}

static double precision(const measure *m, const measure_input *in)
{
    return found_at(m, in, m->cutoff) / (double)m->cutoff;
}

static double recall(const measure *m, const measure_input *in)
{
    double n_relevant = n_relevant_of(m, in);
    return n_relevant > 0 ? found_at(m, in, m->cutoff) / n_relevant : 0;
}

/* Argument: the square of beta. */
static double f_measure(const measure *m, const measure_input *in)
{
    double weight = m->argument[0];
    return (1 + weight) * found_at(m, in, m->cutoff)
           / ((double)m->cutoff + weight * n_relevant_of(m, in));
}

/* Relevant documents among the first k, of those that could be there. */
static double relative_precision(const measure *m, const measure_input *in)
{
    double most = fmin((double)m->cutoff, n_relevant_of(m, in));
    return most > 0 ? found_at(m, in, m->cutoff) / most : 0;
}

/* Argument: how many times the number of relevant documents is read, rounded as trec_eval does. */
static double r_precision(const measure *m, const measure_input *in)
{
    double depth = documents_at(m->argument[0], n_relevant_of(m, in), 0);
    return depth > 0 ? found_at(m, in, (int64_t)depth) / depth : 0;
}

static double judged_share(const measure *m, const measure_input *in)
{
    int64_t depth = smaller(limit_of(m->cutoff), in->order->n_docs);
    return depth > 0 ? expected_found(in, 0, depth) / (double)depth : 0;
}

/* Unjudged documents among the first k, divided by k. */
static double unjudged_share(const measure *m, const measure_input *in)
{
    int64_t depth = smaller(m->cutoff, in->order->n_docs);
    return ((double)depth - expected_found(in, 0, depth)) / (double)m->cutoff;
}

static const measure_kernel kernels[] = {
    {"AP", average_precision, 0},
    {"P", precision, 0},
    {"R", recall, 0},
    {"F", f_measure, 0},
    {"RR", reciprocal_rank, 0},
    {"Success", success, 0},
    {"Rprec", r_precision, 0},
    {"RelP", relative_precision, 0},
    {"Hole", unjudged_share, 0},
    {"Judged", judged_share, 0},
    {"Bpref", binary_preference, 0},
    {"IPrec", interpolated_precision, MEASURE_WORK},
    {"IPrec11", mean_interpolated_precision, MEASURE_WORK},
    {"HT", random_draw_does_worse, 0},
};
const measure_family BINARY_MEASURES = {sizeof kernels / sizeof *kernels, kernels};
