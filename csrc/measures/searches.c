/* Measures of a user who reads until satisfied, by Raghavan, Bollmann & Jung 1989: ESL, PRR, EP,
 * PRECALL, ER, Fallout. */
#include <math.h>

#include "measures/search_length.h"
#include "ties/tie_groups.h"

/* The ranks that hold a relevant document; with a known collection size the unretrieved documents
 * can be the last. */
static stopping_ranks get_stopping_ranks(const measure *m, const measure_input *in)
{
    const weak_order *order = in->order;
    int64_t memory = order->n_ranks + 1, n = 0;
    double *t = in->memory->scratch, *j = t + memory, *r = j + memory, *i = r + memory;
    double found = 0, n_relevant = n_relevant_of(m, in);
    for (int64_t rank = 0; rank < order->n_ranks; rank++) {
        tie_group group = get_group(order, rank, m->relevant_from);
        if (group.relevant == 0)
            continue;
        t[n] = found;
        j[n] = (double)group.before - found;
        r[n] = (double)group.relevant;
        i[n] = (double)(group.size - group.relevant);
        found += r[n++];
    }
    double retrieved = (double)order->n_docs;
    if (in->collection_size > 0 && found < n_relevant) {
        t[n] = found;
        j[n] = retrieved - found;
        r[n] = n_relevant - found;
        i[n] = in->collection_size - retrieved - r[n];
        n++;
    }
    return (stopping_ranks){n, t, j, r, i, n_relevant, in->memory->watch};
}

static double expected_recall(const measure *m, const measure_input *in)
{
    stopping_ranks ranks = get_stopping_ranks(m, in);
    double n = ranks.n_relevant;
    return n > 0 ? expected_relevant_at(&ranks, (double)m->cutoff) / n : 0;
}

static double fallout(const measure *m, const measure_input *in)
{
    stopping_ranks ranks = get_stopping_ranks(m, in);
    double read = fmin((double)m->cutoff, in->collection_size);
    double others = in->collection_size - ranks.n_relevant;
    return others > 0 ? expected_nonrelevant_at(&ranks, read) / others : 0;
}

/* Where a search stops: argument 0 says what argument 1 counts. */
enum stop { STOP_AT_RELEVANT, STOP_AT_RECALL, STOP_AT_RECALL_CEILING, STOP_AT_DOCUMENTS };

static enum stop stop_of(const measure *m)
{
    return (enum stop)m->argument[0];
}

static double search_length(const measure *m, const measure_input *in)
{
    stopping_ranks ranks = get_stopping_ranks(m, in);
    double at = m->argument[1];
    double wanted = stop_of(m) == STOP_AT_RELEVANT ? at : stopping_point(at, ranks.n_relevant);
    return expected_search_length(&ranks, wanted);
}

static double precision_when_stopped(const measure *m, const measure_input *in,
                                     enum stopping_measure which)
{
    stopping_ranks ranks = get_stopping_ranks(m, in);
    double at = m->argument[1];
    if (stop_of(m) == STOP_AT_DOCUMENTS)
        return expected_relevant_at(&ranks, at) / at;
    if (stop_of(m) == STOP_AT_RELEVANT)
        return precision_at_stop(&ranks, which, at);
    return precision_at_recall(&ranks, which, at, stop_of(m) == STOP_AT_RECALL_CEILING);
}

static double relevance_probability(const measure *m, const measure_input *in)
{
    return precision_when_stopped(m, in, STOP_PRR);
}

static double expected_precision(const measure *m, const measure_input *in)
{
    return precision_when_stopped(m, in, STOP_EP);
}

static double older_precision(const measure *m, const measure_input *in)
{
    return precision_when_stopped(m, in, STOP_PRECALL);
}

static const measure_kernel kernels[] = {
    {"ESL", search_length, 0},     {"PRR", relevance_probability, 0},
    {"EP", expected_precision, 0}, {"PRECALL", older_precision, 0},
    {"ER", expected_recall, 0},    {"Fallout", fallout, 0},
};
const measure_family SEARCH_MEASURES = {sizeof kernels / sizeof *kernels, kernels};
