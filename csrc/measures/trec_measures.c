/* Measures of trec_eval that its users alone ask for: binG, G, ndcg_rel, Rndcg, yaap, and
 * rank-biased precision as version 10 has it. */
#include <math.h>

#include "ties/gains.h"
#include "ties/smooth_sum.h"
#include "ties/tie_groups.h"
#include "ties/tie_lattice.h"

/* (1/n) sum over relevant documents of 1/log2(2 + others before it), of which a rank's i others are
 * 0 .. i with equal chances. */
static double binary_gain(const measure *m, const measure_input *in)
{
    const weak_order *order = in->order;
    double from = m->relevant_from, n_relevant = n_relevant_of(m, in);
    int64_t found = 0;
    dd sum = {0, 0};
    for (int64_t rank = 0; rank < order->n_ranks; rank++) {
        tie_group group = get_group(order, rank, from);
        if (group.relevant == 0)
            continue;
        int64_t above = group.before - found, inside = group.size - group.relevant;
        if (group.size == 1) { /* most ranks; the same as below */
            add_to(&sum, discount_of(in->memory, above + 1));
            found++;
            continue;
        }
        add_to(&sum, (double)group.relevant / (double)(inside + 1)
                         * discount_sum(in->memory, above + 1, above + inside + 1));
        found += group.relevant;
    }
    return n_relevant > 0 ? total_of(sum) / n_relevant : 0;
}

/* The ideal ranking, place by place: its DCG so far, and its gains above 1. */
typedef struct {
    int64_t place, level,
        level_end; /* documents passed; the level of the next, and where it ends */
    double gain;   /* of the next document, 0 behind the last that has one */
    double sum;
    dd above_one; /* twice the digits: gains so far are taken off, which may be nearly as many */
} ideal_walk;

static void find_gain(ideal_walk *walk, const measure *m, const measure_input *in)
{
    const grade_levels *judged = in->judged;
    int is_over = walk->level >= judged->n_levels;
    walk->gain = is_over ? 0 : gain_of(m, judged->level[walk->level]);
    walk->level_end += is_over ? 0 : judged->count[walk->level];
}

static ideal_walk start_walk(const measure *m, const measure_input *in)
{
    ideal_walk walk = {0, 0, 0, 0, 0, {0, 0}};
    find_gain(&walk, m, in);
    return walk;
}

/* Which of the two sums a measure needs. */
enum ideal_sum { IDEAL_GAIN, GAIN_ABOVE_ONE };

static inline void walk_to(ideal_walk *walk, enum ideal_sum needed, int64_t place, const measure *m,
                           const measure_input *in)
{
    while (walk->gain > 0 && walk->place < place) {
        int64_t next = smaller(place, walk->level_end);
        double n = (double)(next - walk->place);
        if (needed == IDEAL_GAIN)
            walk->sum += walk->gain * discount_sum(in->memory, walk->place + 1, next);
        else if (walk->gain > 1)
            walk->above_one =
                dd_add(walk->above_one, dd_subtract(dd_two_product(walk->gain, n), (dd){n, 0}));
        walk->place = next;
        if (next == walk->level_end) {
            walk->level++;
            find_gain(walk, m, in);
        }
    }
}

/* A rank's documents with a gain, and the sum of their gains. */
typedef struct {
    int64_t before, size, n_gains;
    double gain;
} gain_group;

static inline gain_group get_gains(const measure *m, const weak_order *order, int64_t rank)
{
    int64_t mark = rank > 0 ? order->end[rank - 1] : 0;
    if (order->size[rank] == 1 && mark + 1 == order->end[rank]) { /* most; the same as below */
        double gain = gain_of(m, order->grade[mark]);
        return (gain_group){order->before[rank], 1, gain > 0, gain};
    }
    gain_group group = {order->before[rank], order->size[rank], 0, 0};
    for (; mark < order->end[rank]; mark++) {
        double gain = gain_of(m, order->grade[mark]);
        group.n_gains += gain > 0;
        group.gain += gain;
    }
    return group;
}

/* gain/log2(2 + cost - gains so far), the document's own among them. */
static inline double gain_at_cost(double gain, double place, dd above_one, dd gains)
{
    dd beyond = dd_subtract(above_one, gains);
    return gain / log2(2 + place + beyond.hi + beyond.lo);
}

/* A rank of several gains, and the ideal gains above 1 at each of its places. */
typedef struct {
    tie_lattice lattice;
    int64_t before, size;
    dd gains_above;
    dd *above_one;
} cost_rank;

static int cost_reward(const int64_t *taken, double *reward, const void *context)
{
    const cost_rank *rank = context;
    dd gains = rank->gains_above;
    int64_t n_taken = 0;
    for (int k = 0; k < rank->lattice.n_kinds; k++) {
        gains = dd_add(gains, dd_two_product(rank->lattice.worth[k], (double)taken[k]));
        n_taken += taken[k];
    }
    for (int k = 0; k < rank->lattice.n_kinds; k++) {
        double gain = rank->lattice.worth[k];
        reward[k] = 0;
        if (gain > 0)
            reward[k] = gain_at_cost(gain, (double)(rank->before + n_taken + 1),
                                     rank->above_one[n_taken], dd_add(gains, (dd){gain, 0}));
    }
    return 0;
}

/* The sum over a rank of several gains; NAN where it has too many kinds or documents. */
static double gain_at_costs(cost_rank *kinds, ideal_walk *walk, const measure *m,
                            const measure_input *in)
{
    int64_t size = kinds->size;
    int64_t room = in->memory->work_size / (int64_t)sizeof(double) - 2 * size;
    if (room <= 0)
        return NAN;
    kinds->above_one = in->memory->work;
    for (int64_t i = 0; i < size; i++) {
        walk_to(walk, GAIN_ABOVE_ONE, kinds->before + i + 1, m, in);
        kinds->above_one[i] = walk->above_one;
    }
    return lattice_sum(&kinds->lattice, in->end, cost_reward, kinds,
                       (double *)in->memory->work + 2 * size, room, in->memory->watch);
}

/* sum of gain/log2(2 + cost - gains so far), the document's own among them, over all gains; the
 * cost of a place is the ideal gain there, at least 1. */
static double cost_discounted_gain(const measure *m, const measure_input *in)
{
    const weak_order *order = in->order;
    ideal_walk walk = start_walk(m, in);
    dd sum = {0, 0}, gains = {0, 0};
    for (int64_t rank = 0, mark = 0; rank < order->n_ranks; rank++) {
        int64_t place = order->before[rank];
        int is_open = 0;
        if (order->size[rank] > 1) {
            cost_rank kinds = {.before = place,
                               .size = order->size[rank],
                               .gains_above = dd_normal(gains.hi, gains.lo)};
            int has_room = lattice_add_rank(&kinds.lattice, order, rank, gain_of, m);
            is_open = !has_room || kinds.lattice.n_kinds > 1;
            if (is_open)
                add_to(&sum, has_room ? gain_at_costs(&kinds, &walk, m, in) : NAN);
        }
        for (; mark < order->end[rank]; mark++) {
            double gain = gain_of(m, order->grade[mark]);
            if (!(gain > 0))
                continue;
            add_to(&gains, gain);
            if (is_open)
                continue;
            walk_to(&walk, GAIN_ABOVE_ONE, ++place, m, in);
            add_to(&sum, gain_at_cost(gain, (double)place, walk.above_one, gains));
        }
    }
    double all = 0;
    for (int64_t i = 0; i < in->judged->n_levels; i++)
        all += gain_of(m, in->judged->level[i]) * (double)in->judged->count[i];
    return all > 0 ? total_of(sum) / all : 0;
}

static int64_t n_with_gain(const measure *m, const measure_input *in)
{
    const grade_levels *judged = in->judged;
    int64_t n = 0;
    for (int64_t i = 0; i < judged->n_levels && gain_of(m, judged->level[i]) > 0; i++)
        n += judged->count[i];
    return n;
}

/* From a place to the end of its rank: the discount of a place, for each of those behind it. */
typedef struct {
    const measure_memory *memory;
    double place, n;
} rank_rest;

static double discounts_above(double first, double x, const void *context)
{
    const rank_rest *rest = context;
    return (rest->n - 1 - (first - rest->place) - x) * discount_between(rest->memory, first + x);
}

/* The mean over documents with a gain of DCG/ideal DCG at their places; those not retrieved count
 * where the ranking ends.  In a rank of g documents, n of them with a gain, their sum G: place k
 * holds one with a gain with probability n/g, its mean gain is G/g, and that of each place before
 * it, where it holds one, is (n-1) G/(g (g-1)). */
static double mean_normalised_gain(const measure *m, const measure_input *in)
{
    const weak_order *order = in->order;
    int64_t n = n_with_gain(m, in), found = 0;
    ideal_walk walk = start_walk(m, in);
    double gained = 0;
    dd sum = {0, 0};
    for (int64_t rank = 0; rank < order->n_ranks; rank++) {
        gain_group group = get_gains(m, order, rank);
        if (group.n_gains == 0)
            continue;
        if (group.size == 1) { /* most ranks; the same as below */
            double own = group.gain * discount_of(in->memory, group.before + 1);
            walk_to(&walk, IDEAL_GAIN, group.before + 1, m, in);
            add_to(&sum, (gained + own) / walk.sum);
            gained += own;
            found++;
            continue;
        }
        double g = (double)group.size, share = (double)group.n_gains / g, mean = group.gain / g;
        double others = g > 1 ? (double)(group.n_gains - 1) * mean / (g - 1) : 0, before = 0;
        for (int64_t k = 1; k <= group.size && !watch_stops(in->memory->watch, 4); k++) {
            int64_t place = group.before + k;
            double discount = discount_of(in->memory, place);
            if (walk.gain > 0)
                walk_to(&walk, IDEAL_GAIN, place, m, in);
            else if (group.size - k > LONG_TIE) { /* the ideal is reached: all divide by one sum */
                rank_rest rest = {in->memory, (double)place, (double)(group.size - k + 1)};
                dd discounts = discount_parts(in->memory, place, group.before + group.size);
                double sums = rest.n * before
                              + total_of(long_sum(discounts_above, &rest, (double)place, rest.n,
                                                  INFINITY, in->memory->watch, 2));
                add_to(&sum, (share * gained * rest.n + mean * total_of(discounts) + others * sums)
                                 / walk.sum);
                before += total_of(discounts);
                break;
            }
            add_to(&sum, (share * gained + mean * discount + others * before) / walk.sum);
            before += discount;
        }
        gained += mean * before;
        found += group.n_gains;
    }
    walk_to(&walk, IDEAL_GAIN, n, m, in);
    return n > 0 ? (total_of(sum) + (double)(n - found) * gained / walk.sum) / (double)n : 0;
}

/* The gains of a rank's documents up to a place in it, each the mean one, discounted. */
static inline double gained_to(const gain_group *group, int64_t place, const measure_memory *memory)
{
    if (group->size == 1) /* most ranks; the same as below */
        return group->gain * discount_of(memory, place);
    return group->gain / (double)group->size * discount_sum(memory, group->before + 1, place);
}

/* The mean of DCG/ideal DCG at the places where the ideal gain falls, and behind the last document
 * if at least two follow the last of those places. */
static double gain_at_steps(const measure *m, const measure_input *in)
{
    const weak_order *order = in->order;
    if (!(n_relevant_of(m, in) > 0)) /* as trec_eval, also where documents have gains */
        return 0;
    int64_t n = n_with_gain(m, in), steps = 0;
    ideal_walk walk = start_walk(m, in);
    int64_t step = walk.level_end;
    double gained = 0, sum = 0;
    for (int64_t rank = 0; rank <= order->n_ranks; rank++) {
        int is_end = rank == order->n_ranks;
        gain_group group = {INT64_MAX, 1, 0, 0};
        if (!is_end)
            group = get_gains(m, order, rank);
        for (; walk.gain > 0 && (is_end || step < group.before + group.size); steps++) {
            double here = gained;
            if (step > group.before)
                here += gained_to(&group, step, in->memory);
            walk_to(&walk, IDEAL_GAIN, step, m, in);
            sum += here / walk.sum;
            step = walk.level_end;
        }
        if (group.gain > 0)
            gained += gained_to(&group, group.before + group.size, in->memory);
    }
    if (n > 0 && order->n_docs > n + 1) {
        sum += gained / walk.sum;
        steps++;
    }
    return steps > 0 ? sum / (double)steps : 0;
}

/* log((1 + s)/(1 + n - s)), s = n AP.  Exact only for orders that are not mixed. */
static double logit_average_precision(const measure *m, const measure_input *in)
{
    double n = n_relevant_of(m, in), s = n * measure_find("AP")->value(m, in);
    return log((1 + s) / (1 + n - s));
}

static double capped_average_precision(const measure *m, const measure_input *in)
{
    double n = n_relevant_of(m, in), most = fmin((double)m->cutoff, n);
    return most > 0 ? measure_find("AP")->value(m, in) * n / most : 0;
}

/* Rank-biased precision of all judged documents: 1 minus it is what unjudged ones, and those not
 * retrieved, could add.  0 if all documents retrieved are judged, as trec_eval has it. */
static double rank_biased_residual(const measure *m, const measure_input *in)
{
    const weak_order *order = in->order;
    double log_p = log(m->argument[0]), one_place = -expm1(log_p);
    int64_t n_judged = 0;
    dd sum = {0, 0};
    for (int64_t rank = 0; rank < order->n_ranks; rank++) {
        tie_group group = get_group(order, rank, 0);
        n_judged += group.relevant;
        if (group.relevant == 1 && group.size == 1) { /* most ranks; the same as below */
            add_to(&sum, exp((double)group.before * log_p) * one_place);
            continue;
        }
        add_to(&sum, (double)group.relevant / (double)group.size * exp((double)group.before * log_p)
                         * -expm1((double)group.size * log_p));
    }
    return n_judged < order->n_docs ? 1 - total_of(sum) : 0;
}

/* Gains are those of the judged documents over the highest of them, at least 1 and argument 1. */
static double scaled_rank_biased_precision(const measure *m, const measure_input *in)
{
    measure scaled = *m;
    scaled.argument[1] = fmax(1, m->argument[1]);
    if (in->judged->n_levels > 0)
        scaled.argument[1] = fmax(scaled.argument[1], in->judged->level[0]);
    return measure_find("RBP")->value(&scaled, in);
}

static const measure_kernel kernels[] = {
    {"binG", binary_gain, MEASURE_DISCOUNTS},
    {"G", cost_discounted_gain, MEASURE_DISCOUNTS | MEASURE_WORK | MEASURE_ENDS},
    {"nDCGrel", mean_normalised_gain, MEASURE_DISCOUNTS},
    {"RnDCG", gain_at_steps, MEASURE_DISCOUNTS},
    {"YAAP", logit_average_precision, 0},
    {"APMin", capped_average_precision, 0},
    {"RBPGraded", scaled_rank_biased_precision, 0},
    {"RBPResid", rank_biased_residual, 0},
};
const measure_family TREC_MEASURES = {sizeof kernels / sizeof *kernels, kernels};
