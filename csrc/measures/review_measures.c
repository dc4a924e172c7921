/* Measures of document reviews: how much of a collection is read until so many relevant documents
 * are found (Cohen et al. 2006; Kanoulas et al. 2017; Kusa et al. 2023).
 *
 * The collection is that of collection_size or, where that is unknown, what was retrieved or judged
 * for the query.  Documents that were not retrieved follow in one tie, in random order.  Inside a
 * rank of g documents the i-th of r relevant ones stands at place i (g+1)/(r+1) in the mean.
 */
#include <math.h>

#include "ties/tie_groups.h"

typedef struct {
    double size, n_relevant; /* of the collection */
    double found;            /* relevant documents retrieved */
} collection;

/* Marks of at least this grade: a whole number, and so exact in any order. */
static double marks_from(const weak_order *order, double from)
{
    int64_t n_marks = order->n_ranks > 0 ? order->end[order->n_ranks - 1] : 0, n = 0;
    for (int64_t i = 0; i < n_marks; i++)
        n += order->grade[i] >= from;
    return (double)n;
}

static collection get_collection(const measure *m, const measure_input *in)
{
    const weak_order *order = in->order;
    collection all = {in->collection_size, n_relevant_of(m, in), 0};
    all.found = marks_from(order, m->relevant_from);
    if (!(all.size > 0))
        all.size =
            (double)order->n_docs + (double)levels_from(in->judged, 0) - marks_from(order, 0);
    return all;
}

/* The place of the relevant document of this number, from 1; 0 of none. */
static double place_of(const measure *m, const measure_input *in, const collection *all,
                       double number)
{
    const weak_order *order = in->order;
    double found = 0;
    if (number <= 0)
        return 0;
    for (int64_t rank = 0; rank < order->n_ranks; rank++) {
        tie_group group = get_group(order, rank, m->relevant_from);
        double r = (double)group.relevant;
        if (found + r >= number)
            return (double)group.before + (number - found) * ((double)group.size + 1) / (r + 1);
        found += r;
    }
    double left = all->size - (double)order->n_docs;
    return (double)order->n_docs + (number - found) * (left + 1) / (all->n_relevant - found + 1);
}

/* How a number of documents is made whole: argument 1. */
enum wanted { WANTED_UP, WANTED_NEAREST_EVEN, WANTED_DOWN };

/* So many relevant documents are the share of argument 0.  A product that rounding alone keeps from
 * a whole number is that number: levels have few digits. */
static double wanted_of(const measure *m, double n_relevant)
{
    double wanted = m->argument[0] * n_relevant, near = round(wanted);
    if (fabs(wanted - near) <= 1e-12 * near) /* a share above 0 asks for a document */
        return near;
    if (m->argument[1] == WANTED_UP)
        return ceil(wanted);
    return m->argument[1] == WANTED_DOWN ? floor(wanted) : nearbyint(wanted);
}

/* Argument 2: 1 to take off what recall was reached instead of what was asked for. */
static double work_saved(const measure *m, const measure_input *in)
{
    collection all = get_collection(m, in);
    double wanted = wanted_of(m, all.n_relevant);
    if (!(all.n_relevant > 0) || (m->argument[1] == WANTED_NEAREST_EVEN && wanted > all.found))
        return 0; /* as CLEF's program has it */
    double reached = m->argument[2] != 0 ? wanted / all.n_relevant : m->argument[0];
    return (all.size - place_of(m, in, &all, wanted)) / all.size - (1 - reached);
}

static double true_negatives(const measure *m, const measure_input *in)
{
    collection all = get_collection(m, in);
    double wanted = wanted_of(m, all.n_relevant), others = all.size - all.n_relevant;
    if (!(all.n_relevant > 0) || !(others > 0))
        return 0;
    return 1 - (place_of(m, in, &all, wanted) - wanted) / others;
}

static double depth_at_recall(const measure *m, const measure_input *in)
{
    collection all = get_collection(m, in);
    return place_of(m, in, &all, wanted_of(m, all.n_relevant));
}

static double last_relevant(const measure *m, const measure_input *in)
{
    collection all = get_collection(m, in);
    return place_of(m, in, &all, all.n_relevant);
}

/* The sum of the places of all relevant documents. */
static double sum_of_places(const measure *m, const measure_input *in, const collection *all)
{
    const weak_order *order = in->order;
    double sum = 0, n = (double)order->n_docs;
    for (int64_t rank = 0; rank < order->n_ranks; rank++) {
        tie_group group = get_group(order, rank, m->relevant_from);
        sum += (double)group.relevant * ((double)group.before + ((double)group.size + 1) / 2);
    }
    return sum + (all->n_relevant - all->found) * (n + (all->size - n + 1) / 2);
}

static double mean_place(const measure *m, const measure_input *in)
{
    collection all = get_collection(m, in);
    return all.n_relevant > 0 ? sum_of_places(m, in, &all) / all.n_relevant : 0;
}

/* The area below the curve of found documents over read ones, over that of the best ranking. */
static double normalised_area(const measure *m, const measure_input *in)
{
    collection all = get_collection(m, in);
    double r = all.n_relevant, n = all.size;
    return r > 0 ? (r * (n + .5) - sum_of_places(m, in, &all)) / (r * n - r * r / 2) : 0;
}

/* The share of pairs (relevant, other) in the wrong order. */
static double normalised_loss(const measure *m, const measure_input *in)
{
    collection all = get_collection(m, in);
    double r = all.n_relevant, n = all.size;
    return r > 0 && n > r ? (sum_of_places(m, in, &all) - r * (r + 1) / 2) / (r * (n - r)) : 0;
}

/* The mean and the variance of the relevant documents among the first k. */
static double found_at(const measure *m, const measure_input *in, int64_t k, double *variance)
{
    const weak_order *order = in->order;
    double found = 0;
    *variance = 0;
    for (int64_t rank = 0; rank < order->n_ranks && order->before[rank] < k; rank++) {
        tie_group group = get_group(order, rank, m->relevant_from);
        double g = (double)group.size, r = (double)group.relevant;
        double taken = (double)smaller(group.size, k - group.before);
        found += taken * r / g;
        if (taken < g)
            *variance = taken * r / g * (1 - r / g) * (g - taken) / (g - 1);
    }
    return found;
}

/* The first k documents are read, or all that were retrieved. */
static double documents_read(const measure *m, const measure_input *in)
{
    return (double)smaller(limit_of(m->cutoff), in->order->n_docs);
}

static double recall_loss(const measure *m, const measure_input *in)
{
    double n_relevant = n_relevant_of(m, in), variance;
    if (!(n_relevant > 0))
        return 0;
    double missed = 1 - found_at(m, in, limit_of(m->cutoff), &variance) / n_relevant;
    return missed * missed + variance / (n_relevant * n_relevant);
}

static double effort_loss(const measure *m, const measure_input *in)
{
    collection all = get_collection(m, in);
    double read = documents_read(m, in) / (all.n_relevant + 100);
    return all.size > 0 ? (100 / all.size) * (100 / all.size) * read * read : 0;
}

static double total_loss(const measure *m, const measure_input *in)
{
    return recall_loss(m, in) + effort_loss(m, in);
}

/* Argument: the percentage of the collection that is read, rounded up to documents. */
static double recall_at_share(const measure *m, const measure_input *in)
{
    collection all = get_collection(m, in);
    double k = m->argument[0] / 100 * all.size, near = round(k), variance;
    k = fabs(k - near) <= 1e-12 * fmax(1, k) ? near : ceil(k);
    if (!(all.n_relevant > 0))
        return 0;
    double found = found_at(m, in, (int64_t)k, &variance), n = (double)in->order->n_docs;
    if (k > n && all.size > n)
        found += (k - n) * (all.n_relevant - all.found) / (all.size - n);
    return found / all.n_relevant;
}

static const measure_kernel kernels[] = {
    {"WSS", work_saved, 0},           {"TNR", true_negatives, 0},  {"Depth", depth_at_recall, 0},
    {"LastRel", last_relevant, 0},    {"ATD", mean_place, 0},      {"NormArea", normalised_area, 0},
    {"NormLoss", normalised_loss, 0}, {"LossR", recall_loss, 0},   {"LossE", effort_loss, 0},
    {"LossER", total_loss, 0},        {"NCG", recall_at_share, 0},
};
const measure_family REVIEW_MEASURES = {sizeof kernels / sizeof *kernels, kernels};
