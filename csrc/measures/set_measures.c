/* Measures of the retrieved documents as a set, and numbers of documents; see measures.h. */
#include "ties/measures.h"

#include <math.h>

#include "numeric/double_double.h"
#include "ties/tie_groups.h"

static double n_relevant_retrieved(const measure *m, const measure_input *in)
{
    return expected_found(in, m->relevant_from, in->order->n_docs);
}

/* Without a lowest grade (it is below 0) all documents count. */
static double n_retrieved(const measure *m, const measure_input *in)
{
    return m->relevant_from < 0 ? (double)in->order->n_docs : n_relevant_retrieved(m, in);
}

static double n_nonrelevant_retrieved(const measure *m, const measure_input *in)
{
    int64_t n_docs = in->order->n_docs;
    return expected_found(in, 0, n_docs) - expected_found(in, m->relevant_from, n_docs);
}

static double one(const measure *m, const measure_input *in)
{
    (void)m;
    (void)in;
    return 1;
}

/* The retrieved documents as a set; their order does not matter. */
typedef struct {
    double found, n_docs, n_relevant;
    double precision, recall; /* 0 where nothing relevant was found */
} retrieved_set;

static retrieved_set get_set(const measure *m, const measure_input *in)
{
    retrieved_set set = {n_relevant_retrieved(m, in), (double)in->order->n_docs,
                         n_relevant_of(m, in), 0, 0};
    if (set.found > 0) {
        set.precision = set.found / set.n_docs;
        set.recall = set.found / set.n_relevant;
    }
    return set;
}

/* Argument: 1 for the share of what could be relevant, with as many documents. */
static double set_precision(const measure *m, const measure_input *in)
{
    retrieved_set set = get_set(m, in);
    if (m->argument[0] == 0 || !(set.found > 0))
        return set.precision;
    return set.found / fmin(set.n_docs, set.n_relevant);
}

static double set_recall(const measure *m, const measure_input *in)
{
    return get_set(m, in).recall;
}

/* Argument: the square of beta. */
static double set_f_measure(const measure *m, const measure_input *in)
{
    retrieved_set set = get_set(m, in);
    double weight = m->argument[0];
    if (!(set.found > 0))
        return 0;
    return (1 + weight) * set.precision * set.recall / (weight * set.precision + set.recall);
}

static double set_average_precision(const measure *m, const measure_input *in)
{
    retrieved_set set = get_set(m, in);
    return set.precision * set.recall;
}

/* Arguments: the worth of a relevant document retrieved, of another retrieved, of a relevant one
 * not retrieved, of another not retrieved. */
static double utility(const measure *m, const measure_input *in)
{
    double found = n_relevant_retrieved(m, in), n_docs = (double)in->order->n_docs;
    double n_relevant = n_relevant_of(m, in);
    const double count[] = {found, n_docs - found, n_relevant - found,
                            in->collection_size + found - n_docs - n_relevant};
    dd sum = {0, 0}; /* worths of both signs may cancel */
    double plain = 0;
    for (int i = 0; i < 4; i++) {
        sum = dd_add(sum, dd_two_product(m->argument[i], count[i]));
        plain += m->argument[i] * count[i];
    }
    return isfinite(sum.hi) ? sum.hi : plain; /* a worth above 2^996 has no two halves */
}

static const measure_kernel kernels[] = {
    {"SetP", set_precision, 0},
    {"SetR", set_recall, 0},
    {"SetF", set_f_measure, 0},
    {"SetAP", set_average_precision, 0},
    {"NumRet", n_retrieved, 0},
    {"NumRel", n_relevant_of, 0},
    {"NumRelRet", n_relevant_retrieved, 0},
    {"NumNonrelRet", n_nonrelevant_retrieved, 0},
    {"NumQ", one, 0},
    {"Utility", utility, 0},
};
const measure_family SET_MEASURES = {sizeof kernels / sizeof *kernels, kernels};
