/* Measures of trec_eval that its users alone ask for: binG, G, ndcg_rel, Rndcg, yaap, infAP, and
 * rank-biased precision as version 10 has it. */
#include <math.h>

#include "count_mean.h"
#include "gains.h"
#include "smooth_sum.h"
#include "tie_groups.h"

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
    double sum, above_one;
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
    ideal_walk walk = {0, 0, 0, 0, 0, 0};
    find_gain(&walk, m, in);
    return walk;
}

static void walk_to(ideal_walk *walk, int64_t place, const measure *m, const measure_input *in)
{
    while (walk->gain > 0 && walk->place < place) {
        int64_t next = smaller(place, walk->level_end);
        walk->sum += walk->gain * discount_sum(in->memory, walk->place + 1, next);
        walk->above_one += fmax(walk->gain - 1, 0) * (double)(next - walk->place);
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

static gain_group get_gains(const measure *m, const weak_order *order, int64_t rank)
{
    int64_t mark = rank > 0 ? order->end[rank - 1] : 0;
    gain_group group = {order->before[rank], order->size[rank], 0, 0};
    for (; mark < order->end[rank]; mark++) {
        double gain = gain_of(m, order->grade[mark]);
        group.n_gains += gain > 0;
        group.gain += gain;
    }
    return group;
}

/* sum of gain/log2(2 + cost - gains so far), the document's own among them, over all gains; the
 * cost of a place is the ideal gain there, at least 1.  Only for orders that are not mixed. */
static double cost_discounted_gain(const measure *m, const measure_input *in)
{
    const weak_order *order = in->order;
    ideal_walk walk = start_walk(m, in);
    double gains = 0;
    dd sum = {0, 0};
    for (int64_t rank = 0, mark = 0; rank < order->n_ranks; rank++) {
        int64_t place = order->before[rank];
        for (; mark < order->end[rank]; mark++) {
            double gain = gain_of(m, order->grade[mark]);
            if (!(gain > 0))
                continue;
            walk_to(&walk, ++place, m, in);
            gains += gain;
            add_to(&sum, gain / log2(2 + (double)place + walk.above_one - gains));
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
        double g = (double)group.size, share = (double)group.n_gains / g, mean = group.gain / g;
        double others = g > 1 ? (double)(group.n_gains - 1) * mean / (g - 1) : 0, before = 0;
        for (int64_t k = 1; k <= group.size && !watch_stops(in->memory->watch, 4); k++) {
            int64_t place = group.before + k;
            double discount = discount_of(in->memory, place);
            if (walk.gain > 0)
                walk_to(&walk, place, m, in);
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
    walk_to(&walk, n, m, in);
    return n > 0 ? (total_of(sum) + (double)(n - found) * gained / walk.sum) / (double)n : 0;
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
                here += group.gain / (double)group.size
                        * discount_sum(in->memory, group.before + 1, step);
            walk_to(&walk, step, m, in);
            sum += here / walk.sum;
            step = walk.level_end;
        }
        if (group.gain > 0)
            gained += group.gain / (double)group.size
                      * discount_sum(in->memory, group.before + 1, group.before + group.size);
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

/* The share of a relevant document in infAP: documents above it; of these the judged ones, the
 * relevant ones, and those in the pool that nobody judged.  trec_eval's epsilon. */
static double inferred_precision(double above, double judged, double relevant, double pooled)
{
    const double epsilon = 1e-5;
    if (!(above > 0))
        return 1;
    return (1 + (judged + pooled) * (relevant + epsilon) / (judged + 2 * epsilon)) / (above + 1);
}

/* Documents above a rank, and those that a relevant document of it has above it inside:
 * `documents`, of `others` judged and `rest` others; of these, relevant ones and pooled ones. */
typedef struct {
    double above, judged, relevant, pooled;
    double documents, others, rest;
    double other_relevant, rest_pooled;
} inferred;

/* With `count` judged ones among the documents above it.  Given these the others are what they are
 * in the mean, since inferred_precision is linear in them. */
static double inferred_given(double count, const void *context)
{
    const inferred *at = context;
    double more = at->documents - count;
    double relevant = at->others > 0 ? count * at->other_relevant / at->others : 0;
    double pooled = at->rest > 0 ? more * at->rest_pooled / at->rest : 0;
    return inferred_precision(at->above + at->documents, at->judged + count,
                              at->relevant + relevant, at->pooled + pooled);
}

/* The mean at a place of the rank, or between two: the chances are polynomials of it. */
static double inferred_at(double first, double x, const void *context)
{
    inferred at = *(const inferred *)context;
    at.documents = first - 1 - at.above + x;
    return count_mean(at.others, at.rest, at.documents, inferred_given, &at);
}

/* One term of infAP, k of the rank above: means over X, the judged ones of these, of 1/(X + b) and
 * of X/(X + b), where b = judged + 2 epsilon.  All parts are positive. */
static double inferred_term(const inferred *at, double k, double inverse, double share)
{
    const double epsilon = 1e-5;
    double n = at->others + at->rest, mean = k * at->others / n;
    double density = at->other_relevant / at->others, pooled = at->rest_pooled / at->rest;
    double b = at->judged + 2 * epsilon, relevant = at->relevant + epsilon;
    double all = at->judged + at->pooled + k * pooled;
    double linear = (all * density + (1 - pooled) * relevant) * share;
    double square = (1 - pooled) * density * fmax(0, mean - b * share);
    return (1 + all * relevant * inverse + linear + square) / (at->above + k + 1);
}

/* The sum of inferred_at over all places of a rank, some of the other documents judged and some
 * not.
 *
 * h(k) = E 1/(X + b), X of s judged ones among k that are drawn from n, has the generating function
 * (1+z)^(n-s) z^-b int_0^z t^(b-1) (1+t)^s dt; its differential equation says
 *     (k + b)(n + 1 - k) h(k) = (n - s - k + 1 - b) k h(k-1) + n + 1,
 * and E X/(X + b) is k s/n times the same of n - 1, s - 1, b + 1 and k - 1, with the same divisor.
 * The steps go up where they make errors smaller, and down from h(n) = 1/(s + b) elsewhere. */
static double inferred_sum(const inferred *at, work_watch *watch)
{
    double s = at->others, n = s + at->rest, b = at->judged + 2e-5;
    double inverse = 1 / b, biased = 1 / (b + 1), k = 0;
    dd sum = {0, 0};
    add_to(&sum, inferred_term(at, 0, inverse, 0));
    for (k = 1; k <= n && !watch_stops(watch, 2); k++) {
        double factor = n - s - k + 1 - b, divisor = (k + b) * (n + 1 - k);
        if (-factor * k > divisor)
            break;
        divisor = 1 / divisor;
        inverse = (factor * k * inverse + n + 1) * divisor;
        if (k > 1)
            biased = (factor * (k - 1) * biased + n) * divisor;
        add_to(&sum, inferred_term(at, k, inverse, k * s / n * biased));
    }
    double first = k;
    inverse = biased = 1 / (s + b);
    for (k = n; k >= first && !watch_stops(watch, 2); k--) {
        add_to(&sum, inferred_term(at, k, inverse, k * s / n * biased));
        double factor = n - s - k + 1 - b, divisor = (k + b) * (n + 1 - k);
        inverse = (divisor * inverse - (n + 1)) / (factor * k);
        if (k > 1)
            biased = (divisor * biased - n) / (factor * (k - 1));
    }
    return total_of(sum);
}

static double inferred_average_precision(const measure *m, const measure_input *in)
{
    const weak_order *order = in->order;
    double from = m->relevant_from, n_relevant = n_relevant_of(m, in);
    inferred at = {0};
    dd sum = {0, 0};
    for (int64_t rank = 0; rank < order->n_ranks; rank++) {
        tie_group group = get_group(order, rank, from);
        int64_t last = order->end[rank], judged = group.mark;
        while (judged < last && order->grade[judged] >= 0)
            judged++;
        double g = (double)group.size, r = (double)group.relevant;
        double s = (double)(judged - group.mark) - r;
        at.above = (double)group.before;
        at.others = r - 1 + s;
        at.rest = g - r - s;
        at.other_relevant = r - 1;
        at.rest_pooled = (double)(last - judged);
        int64_t n_judged = judged - group.mark, k = 0, smooth = group.size - 2 * n_judged;
        if (r > 0 && group.size == 1) {
            add_to(&sum, inferred_precision(at.above, at.judged, at.relevant, at.pooled));
            k = 1;
        } else if (r > 0 && smooth > LONG_TIE) {
            dd inside = long_sum(inferred_at, &at, at.above + 1, (double)smooth,
                                 2 * g / (double)n_judged, in->memory->watch, n_judged);
            add_to(&sum, r / g * total_of(inside));
            k = smooth;
        }
        if (r > 0 && k == 0 && at.others > 0 && at.rest > 0) {
            add_to(&sum, r / g * inferred_sum(&at, in->memory->watch));
            k = group.size;
        }
        for (; r > 0 && k < group.size && !watch_stops(in->memory->watch, last); k++)
            add_to(&sum, r / g * inferred_at(at.above + 1 + (double)k, 0, &at));
        at.judged += r + s;
        at.relevant += r;
        at.pooled += at.rest_pooled;
    }
    return n_relevant > 0 ? total_of(sum) / n_relevant : 0;
}

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

static double retrieved_average_precision(const measure *m, const measure_input *in)
{
    const weak_order *order = in->order;
    int64_t limit = smaller(limit_of(m->cutoff), order->n_docs);
    cut_rank at = {0};
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
    double log_p = log(m->argument[0]);
    int64_t n_judged = 0;
    dd sum = {0, 0};
    for (int64_t rank = 0; rank < order->n_ranks; rank++) {
        tie_group group = get_group(order, rank, 0);
        n_judged += group.relevant;
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
    {"G", cost_discounted_gain, MEASURE_DISCOUNTS},
    {"nDCGrel", mean_normalised_gain, MEASURE_DISCOUNTS},
    {"RnDCG", gain_at_steps, MEASURE_DISCOUNTS},
    {"YAAP", logit_average_precision, 0},
    {"APRet", retrieved_average_precision, 0},
    {"APMin", capped_average_precision, 0},
    {"infAP", inferred_average_precision, 0},
    {"RBPGraded", scaled_rank_biased_precision, 0},
    {"RBPResid", rank_biased_residual, 0},
};
const measure_family TREC_MEASURES = {sizeof kernels / sizeof *kernels, kernels};
