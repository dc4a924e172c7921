/* Rank-biased overlap of a ranking with the ideal one (Clarke, Vtyurina & Smucker 2021), and what
 * a ranking gains for one subtopic of a query, where each further document on it is worth less. */
#include <math.h>

#include "count_mean.h"
#include "gains.h"
#include "tie_groups.h"

/* sum of p^(d-1)/d for d > place, down to `depth`. */
typedef struct {
    double p;
    int64_t depth, n; /* tail[i] is that of place i, i = 0 .. n */
    const double *tail;
} overlap_weights;

static double sum_tail(double p, int64_t place, int64_t depth)
{
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
static int64_t last_place(double p, int64_t n)
{
    double smallest = floor(-650 / log(p));
    return (double)n < smallest ? n : (int64_t)smallest;
}

int64_t overlap_places(const measure *m, int64_t n_docs)
{
    return last_place(m->argument[0], n_docs);
}

static void fill_tails(double p, int64_t depth, int64_t last, double *tail)
{
    tail[last] = sum_tail(p, last, depth);
    double weight = pow(p, (double)(last - 1)), back = 1 / p;
    for (int64_t d = last; d > 0; d--) {
        if (d % 64 == 0) /* so that rounding of many products does not add up */
            weight = pow(p, (double)(d - 1));
        tail[d - 1] = tail[d] + weight / (double)d;
        weight *= back;
    }
}

/* Documents of one grade stand in the ideal ranking behind `first` others. */
typedef struct {
    const overlap_weights *weights;
    int64_t first;
} ideal_grade;

/* A document of both rankings counts from the later of its places on. */
static double overlap_from(double place, int64_t above, const void *context)
{
    const ideal_grade *grade = context;
    int64_t ideal = grade->first + above;
    int64_t own = (int64_t)place - 1;
    return tail_at(grade->weights, own > ideal ? own : ideal);
}

/* Arguments: p; 1 to divide by the overlap of the ideal ranking with itself.  The ideal ranking has
 * documents of one grade in the order of the ranking, those not retrieved last. */
static double compatibility(const measure *m, const measure_input *in)
{
    const weak_order *order = in->order;
    const grade_levels *judged = in->judged;
    double p = m->argument[0], *tail = in->memory->scratch;
    int64_t n_ideal = 0, n = last_place(p, order->n_docs);
    for (int64_t i = 0; i < judged->n_levels && judged->level[i] > 0; i++)
        n_ideal += judged->count[i];
    int64_t depth = order->n_docs > n_ideal ? order->n_docs : n_ideal;
    overlap_weights weights = {p, depth, n, tail};
    if (n_ideal == 0 || n == 0)
        return 0;
    fill_tails(p, weights.depth, n, tail);
    ideal_grade grade = {&weights, 0};
    dd sum = {0, 0};
    for (int64_t i = 0; i < judged->n_levels && judged->level[i] > 0; i++) {
        int64_t found = 0, mark = 0;
        for (int64_t rank = 0; rank < order->n_ranks && found < judged->count[i]; rank++) {
            int64_t marked = 0;
            for (; mark < order->end[rank]; mark++)
                marked += order->grade[mark] == judged->level[i];
            if (marked > 0)
                add_to(&sum, place_sum(order->before[rank], order->size[rank], marked, found, n + 1,
                                       0, overlap_from, &grade, in->memory->watch));
            found += marked;
        }
        grade.first += judged->count[i];
    }
    double all = -expm1((double)weights.depth * log(p)) / (1 - p);
    if (m->argument[1] != 0)
        all = -expm1((double)n_ideal * log(p)) / (1 - p)
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
