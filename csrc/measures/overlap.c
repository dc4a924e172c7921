/* Rank-biased overlap of a ranking with the ideal one (Clarke, Vtyurina & Smucker 2021), and what
 * a ranking gains for one subtopic of a query, where each further document on it is worth less. */
#include <math.h>

#include "ties/count_mean.h"
#include "ties/gains.h"
#include "ties/tie_groups.h"

/* sum of p^(d-1)/d for d > place, down to `depth`. */
typedef struct {
    double p;
    int64_t depth, n; /* tail[i] is that of place i, i = 0 .. n */
    const double *tail;
    const double *weight; /* p^(i-1)/i, i = 1 .. n */
} overlap_weights;

static double sum_tail(double p, int64_t place, int64_t depth)
{
    if (place >= depth)
        return 0;
    double sum = 0, weight = pow(p, (double)place);
    for (int64_t d = place + 1; d <= depth; d++) {
        double here = weight / (double)d;
        sum += here;
        if (here < sum * 1e-17 * (1 - p)) /* all further ones are below here / (1 - p) */
            break;
        weight *= p;
    }
    return sum;
}

static double tail_at(const overlap_weights *w, int64_t place)
{
    if (place >= w->depth || (place > w->n && (double)place * log(w->p) < -650))
        return 0;
    return place <= w->n ? w->tail[place] : sum_tail(w->p, place, w->depth);
}

/* Down to here p^place is a normal number, with room for 1/place. */
static int64_t last_place(double log_p, int64_t n)
{
    double smallest = floor(-650 / log_p);
    return (double)n < smallest ? n : (int64_t)smallest;
}

int64_t overlap_places(const measure *m, int64_t n_docs)
{
    return last_place(log(m->argument[0]), n_docs);
}

/* Blocks, so that rounding of many products does not add up, and loops that need no result of the
 * step before. */
static void fill_tails(double p, int64_t depth, int64_t last, double *tail, double *weights)
{
    enum { BLOCK = 64 };
    double power[BLOCK] = {1, p, p * p, p * p * p}, fourth = p * p * (p * p);
    for (int64_t i = 4; i < BLOCK && i < last; i++)
        power[i] = power[i - 4] * fourth;
    for (int64_t before = 0; before < last; before += BLOCK) {
        int64_t n = smaller(BLOCK, last - before);
        double first = before > 0 ? pow(p, (double)before) : 1;
        for (int64_t i = 0; i < n; i++)
            weights[before + i + 1] = first * power[i] / ((double)before + (double)((int)i + 1));
    }
    double sum = tail[last] = sum_tail(p, last, depth);
    int64_t d = last;
    for (; d >= 4; d -= 4) {
        double two = weights[d] + weights[d - 1], three = two + weights[d - 2];
        tail[d - 1] = sum + weights[d];
        tail[d - 2] = sum + two;
        tail[d - 3] = sum + three;
        sum = tail[d - 4] = sum + (two + (weights[d - 2] + weights[d - 3]));
    }
    for (; d > 0; d--)
        tail[d - 1] = tail[d] + weights[d];
}

/* The documents of one grade of a rank: in the ideal ranking they stand behind `ideal` others. */
typedef struct {
    const overlap_weights *weights;
    int64_t before, size, marked, ideal;
    double share; /* expected_share of the whole rank */
} overlap_group;

/* A document of both rankings counts from the later of its places on. */
static double overlap_from(double place, int64_t above, const void *context)
{
    const overlap_group *group = context;
    int64_t ideal = group->ideal + above, own = (int64_t)place - 1;
    return tail_at(group->weights, own > ideal ? own : ideal);
}

/* The overlap at the depths first + 1 .. last of a rank, divided by its documents of the grade,
 * where any of them may be in the ideal ranking: as many as are expected above. */
static double expected_share(const overlap_weights *weights, int64_t before, int64_t size,
                             int64_t first, int64_t last)
{
    enum { BLOCK = 64 }; /* fewer sums of two parts */
    dd sum = {0, 0};
    for (int64_t d = first + 1; d <= last; d += BLOCK) {
        int n = (int)smaller(BLOCK, last - d + 1);
        double even = 0, odd = 0, above = (double)(d - before);
        for (int i = 0; i + 1 < n; i += 2) {
            even += weights->weight[d + i] * (above + (double)i);
            odd += weights->weight[d + i + 1] * (above + (double)(i + 1));
        }
        if (n % 2)
            even += weights->weight[d + n - 1] * (above + (double)(n - 1));
        add_to(&sum, even + odd);
    }
    return total_of(sum) / (double)size;
}

/* Adds the overlap at the depths ideal + 1 .. last, last < ideal + marked, of a rank that begins
 * above the ideal place of its documents, c places.  With Y marked documents among j = c + m of the
 * rank it is E min(Y, m) at depth ideal + m.  From m to m + 1 it grows by
 *     P(Y > m) + marked/size P(Y' <= m),
 * where Y' leaves out one marked document; the two chances follow from m to m + 1 by
 * P(Y = m + 1), and that from its quotient.  All parts are positive but one, P(Y > m), which begins
 * with the first overlap.  Returns 0, and adds nothing, where the first chance is too small. */
static int add_some_expected(const overlap_group *group, int64_t last, dd *sum)
{
    const double smallest = 1e-290;
    double g = (double)group->size, marked = (double)group->marked;
    double c = (double)(group->ideal - group->before);
    double fewer = 1, above = 0, none = 1; /* P(Y = 1)/(c marked/g), P(Y > 0), P(Y' = 0) at j = c */
    for (double i = 0; i < c; i++) {
        above += (1 - above) * (marked / (g - i));
        none *= (g - marked - i) / (g - 1 - i);
        if (i < c - 1)
            fewer *= (g - marked - i) / (g - 1 - i);
    }
    double chance = fewer * c * marked / g, expected = 0, at_most = none;
    if (chance < smallest)
        return 0;
    for (int64_t d = group->ideal + 1; d <= last; d++) {
        double m = (double)(d - 1 - group->ideal), j = c + m, left = g - j;
        expected += above + marked / g * at_most;
        add_to(sum, group->weights->weight[d] * expected);
        if (left < 2)
            continue;
        double unmarked = g - marked - c + 1;
        above -= chance * unmarked / left;
        at_most += chance * (marked - m - 1) / marked * g / left * unmarked / (left - 1);
        chance *= (marked - m - 1) * (j + 1) / ((m + 2) * left);
    }
    return 1;
}

static double overlap_of_rank(const overlap_group *group, work_watch *watch)
{
    const overlap_weights *weights = group->weights;
    int64_t end = group->before + group->size, last = smaller(end, weights->n);
    if (group->size == 1)
        return group->before <= weights->n ? overlap_from((double)end, 0, group) : 0;
    dd sum = {0, 0};
    int64_t all_from = group->before;
    if (group->ideal > group->before) { /* from here on all of them are in the ideal ranking */
        all_from = group->ideal + group->marked - 1;
        if (group->ideal < last && !add_some_expected(group, smaller(all_from, last), &sum))
            return place_sum(group->before, group->size, group->marked, 0, weights->n + 1, 0,
                             overlap_from, group, watch);
    }
    double share = group->share;
    if (all_from > group->before)
        share = expected_share(weights, group->before, group->size, all_from, last);
    add_to(&sum, (double)group->marked * share);
    watch_stops(watch, group->size);
    for (int64_t i = 0; i < group->marked && end <= weights->n; i++) {
        int64_t ideal = group->ideal + i;
        add_to(&sum, tail_at(weights, end > ideal ? end : ideal));
    }
    return total_of(sum);
}

/* share[i]: expected_share of rank i, which all grades take. */
static void fill_shares(const weak_order *order, const overlap_weights *weights, double *share)
{
    for (int64_t rank = 0; rank < order->n_ranks; rank++) {
        int64_t before = order->before[rank], size = order->size[rank];
        share[rank] = size == 1 ? 0
                                : expected_share(weights, before, size, before,
                                                 smaller(before + size, weights->n));
    }
}

/* The documents of one grade, which stand from place first + 1 on in the ideal ranking. */
static void overlap_of_ranks(const weak_order *order, double level, int64_t first,
                             const overlap_weights *weights, const double *share, work_watch *watch,
                             dd *sum)
{
    for (int64_t rank = 0, mark = 0; rank < order->n_ranks; rank++) {
        int64_t marked = 0;
        for (; mark < order->end[rank]; mark++)
            marked += order->grade[mark] == level;
        overlap_group group = {weights, order->before[rank], order->size[rank], marked,
                               first,   share[rank]};
        if (marked > 0)
            add_to(sum, overlap_of_rank(&group, watch));
        first += marked;
    }
}

/* The same without ties: a step for each mark, which no branch on its grade slows down. */
static void overlap_of_documents(const weak_order *order, double level, int64_t first,
                                 const overlap_weights *weights, dd *sum)
{
    enum { BLOCK = 64 }; /* fewer sums of two parts */
    for (int64_t done = 0; done < order->n_ranks; done += BLOCK) {
        int64_t last = smaller(done + BLOCK, order->n_ranks);
        double inside = 0;
        for (int64_t mark = done; mark < last; mark++) {
            int64_t own = order->before[mark], place = own > first ? own : first;
            int is_of_level = order->grade[mark] == level;
            double tail = place <= weights->n ? weights->tail[place] : tail_at(weights, place);
            inside += is_of_level ? tail : 0;
            first += is_of_level;
        }
        add_to(sum, inside);
    }
}

/* Arguments: p; 1 to divide by the overlap of the ideal ranking with itself.  The ideal ranking has
 * documents of one grade in the order of the ranking, those not retrieved last. */
static double compatibility(const measure *m, const measure_input *in)
{
    const weak_order *order = in->order;
    const grade_levels *judged = in->judged;
    double p = m->argument[0], log_p = log(p);
    int64_t n_ideal = 0, n = last_place(log_p, order->n_docs);
    double *tail = in->memory->scratch, *weight = tail + n + 1;
    for (int64_t i = 0; i < judged->n_levels && judged->level[i] > 0; i++)
        n_ideal += judged->count[i];
    int64_t depth = order->n_docs > n_ideal ? order->n_docs : n_ideal;
    overlap_weights weights = {p, depth, n, tail, weight};
    if (n_ideal == 0 || n == 0)
        return 0;
    fill_tails(p, weights.depth, n, tail, weight);
    int64_t first = 0; /* place of the first document of a grade in the ideal ranking, less 1 */
    int is_strict = weak_order_is_strict(order);
    double *share = weight + n + 1;
    if (!is_strict)
        fill_shares(order, &weights, share);
    dd sum = {0, 0};
    for (int64_t i = 0; i < judged->n_levels && judged->level[i] > 0; i++) {
        if (is_strict)
            overlap_of_documents(order, judged->level[i], first, &weights, &sum);
        else
            overlap_of_ranks(order, judged->level[i], first, &weights, share, in->memory->watch,
                             &sum);
        first += judged->count[i];
    }
    double all = -expm1((double)depth * log_p) / (1 - p);
    if (m->argument[1] != 0)
        all = -expm1((double)n_ideal * log_p) / (1 - p)
              + (double)n_ideal * tail_at(&weights, n_ideal);
    return total_of(sum) / all;
}

/* The worth of a place, and the share of it that each document above on the subtopic leaves. */
typedef struct {
    const measure_input *in;
    double left;
    double log_beta;
} novelty;

static double log_novelty(double place, int64_t above, const void *context)
{
    const novelty *of = context;
    return pow(of->left, (double)above) * discount_between(of->in->memory, place);
}

static double reciprocal_novelty(double place, int64_t above, const void *context)
{
    const novelty *of = context;
    return pow(of->left, (double)above) / place;
}

static double biased_novelty(double place, int64_t above, const void *context)
{
    const novelty *of = context;
    return pow(of->left, (double)above) * exp((place - 1) * of->log_beta);
}

/* sum over relevant documents of (1-alpha)^(relevant ones above) times the worth of the place.
 * Arguments: alpha; beta. */
static double novel_gain(const measure *m, const measure_input *in, place_function worth)
{
    const weak_order *order = in->order;
    int64_t limit = limit_of(m->cutoff), found = 0;
    novelty of = {in, 1 - m->argument[0], m->argument[1] > 0 ? log(m->argument[1]) : -INFINITY};
    dd sum = {0, 0};
    double longest = worth == biased_novelty ? -2 / of.log_beta : INFINITY; /* beta = 0: none */
    for (int64_t rank = 0; rank < order->n_ranks && order->before[rank] < limit; rank++) {
        tie_group group = get_group(order, rank, m->relevant_from);
        if (group.relevant == 0)
            continue;
        add_to(&sum, place_sum(group.before, group.size, group.relevant, found, limit, longest,
                               worth, &of, in->memory->watch));
        found += group.relevant;
    }
    return total_of(sum);
}

static double novel_dcg(const measure *m, const measure_input *in)
{
    return novel_gain(m, in, log_novelty);
}

static double novel_err(const measure *m, const measure_input *in)
{
    return novel_gain(m, in, reciprocal_novelty);
}

static double novel_rbp(const measure *m, const measure_input *in)
{
    return novel_gain(m, in, biased_novelty);
}

static const measure_kernel kernels[] = {
    {"Compat", compatibility, MEASURE_PLACES},
    {"NovelDCG", novel_dcg, MEASURE_DISCOUNTS},
    {"NovelERR", novel_err, 0},
    {"NovelRBP", novel_rbp, 0},
};
const measure_family OVERLAP_MEASURES = {sizeof kernels / sizeof *kernels, kernels};
