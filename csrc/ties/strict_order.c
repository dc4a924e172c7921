/* Measures of one ranking without ties. The contract is in strict_order.h.
 * Other places of nDCG: see measures/graded.c. */

#include "ties/strict_order.h"

#include <string.h>

#include "ties/gains.h"
#include "ties/tie_groups.h"

void strict_order_begin(const measure_input *in, strict_order *order)
{
    order->in = in;
    order->n_marks = in->order->n_ranks;
    order->has_places = order->has_found = order->has_marks = 0;
    order->has_precisions = order->has_best = order->has_gains = 0;
}

/* Marks among the first k documents. */
static int64_t marks_above(strict_order *order, int64_t k)
{
    const int64_t *before = order->in->order->before;
    int64_t n = order->in->order->n_docs, place = 0;
    if (k >= n)
        return order->n_marks;
    for (int64_t mark = 0; !order->has_places && mark < order->n_marks; mark++)
        for (; place <= before[mark]; place++)
            order->marks_above[place] = (int32_t)mark;
    for (; !order->has_places && place <= n; place++)
        order->marks_above[place] = (int32_t)order->n_marks;
    order->has_places = 1;
    return order->marks_above[k];
}

/* The relevant documents that were retrieved. */
static void find_relevant(const measure *m, strict_order *order)
{
    const weak_order *ranks = order->in->order;
    double from = m->relevant_from;
    int32_t n = 0;
    if (order->has_found && order->from == from)
        return;
    order->has_found = 1;
    order->has_marks = order->has_precisions = order->has_best = 0;
    order->from = from;
    for (int64_t mark = 0; mark < order->n_marks; mark++) {
        order->found[mark] = n;
        order->place[n] = (double)ranks->before[mark] + 1;
        n += ranks->grade[mark] >= from;
    }
    order->found[order->n_marks] = n;
    order->n_found = n;
    order->n_relevant = n_relevant_of(m, order->in);
    /* for measures of sets, which are left to set_measures.c */
    if (from != 0)
        order->in->steps->found_in_all =
            (measure_step){from, 0, order->n_marks, 0, (double)n, 0, 0};
}

static double found_at(const measure *m, strict_order *order, int64_t k)
{
    find_relevant(m, order);
    return (double)order->found[marks_above(order, k)];
}

static double n_relevant(const measure *m, strict_order *order)
{
    find_relevant(m, order);
    return order->n_relevant;
}

static void sum_precisions(const measure *m, strict_order *order)
{
    dd sum = {0, 0};
    find_relevant(m, order);
    if (order->has_precisions)
        return;
    order->has_precisions = 1;
    order->precisions[0] = sum;
    for (int64_t i = 0; i < order->n_found; i++) {
        order->precision[i] = (double)(i + 1) / order->place[i];
        add_to(&sum, order->precision[i]);
        order->precisions[i + 1] = sum;
    }
}

static double average_precision(const measure *m, strict_order *order)
{
    double n = n_relevant(m, order);
    sum_precisions(m, order);
    int32_t found = order->found[marks_above(order, limit_of(m->cutoff))];
    return n > 0 ? total_of(order->precisions[found]) / n : 0;
}

static double reciprocal_rank(const measure *m, strict_order *order)
{
    const weak_order *ranks = order->in->order;
    int64_t limit = limit_of(m->cutoff);
    for (int64_t mark = 0; mark < order->n_marks && ranks->before[mark] < limit; mark++)
        if (ranks->grade[mark] >= m->relevant_from)
            return 1 / ((double)ranks->before[mark] + 1);
    return 0;
}

static double success(const measure *m, strict_order *order)
{
    return reciprocal_rank(m, order) > 0;
}

/* The highest precision where so many relevant documents or more are found. */
static double best_precision(strict_order *order, double wanted)
{
    int64_t n = order->n_found, first = wanted > 1 ? (int64_t)wanted - 1 : 0;
    if (!order->has_best) {
        double best = 0;
        for (int64_t i = n - 1; i >= 0; i--) {
            best = best > order->precision[i] ? best : order->precision[i];
            order->best[i] = best;
        }
        order->has_best = 1;
    }
    return first < n ? order->best[first] : 0;
}

static double interpolated_precision(const measure *m, strict_order *order)
{
    double wanted = documents_at(m->argument[0], n_relevant(m, order), m->argument[1] != 0);
    sum_precisions(m, order);
    return best_precision(order, wanted);
}

/* At tenths; other levels are left to measures.c. */
static double mean_interpolated_precision(const measure *m, strict_order *order)
{
    enum { TENTHS = 11 };
    double n = n_relevant(m, order), sum = 0;
    if (m->n_arguments > 1)
        return measure_value(m, order->in);
    sum_precisions(m, order);
    for (int i = 0; i < TENTHS; i++)
        sum += best_precision(order, documents_at((double)i / 10, n, m->argument[0] != 0));
    return sum / TENTHS;
}

/* The marks of the relevant documents.  Returns whether all marks are judged: then those of other
 * documents above the i-th one, from 0, are mark[i] - i. */
static int find_marks(const measure *m, strict_order *order)
{
    const double *grade = order->in->order->grade;
    int32_t n = 0;
    find_relevant(m, order);
    if (order->has_marks)
        return order->all_judged;
    order->has_marks = order->all_judged = 1;
    for (int64_t i = 0; i < order->n_marks; i++) {
        order->mark[n] = (int32_t)i;
        n += grade[i] >= order->from;
        order->all_judged &= grade[i] >= 0;
    }
    return order->all_judged;
}

/* Each relevant document loses the judged non-relevant ones before it, at most as many as are
 * relevant. */
static double binary_preference(const measure *m, strict_order *order)
{
    if (!find_marks(m, order))
        return measure_value(m, order->in);
    double n = n_relevant(m, order), n_others = (double)levels_from(order->in->judged, 0) - n;
    double least = fmin(n, n_others);
    dd sum = {0, 0};
    for (int64_t i = 0; i < order->n_found; i++) {
        double wrong = (double)(order->mark[i] - i), capped = wrong < n ? wrong : n;
        add_to(&sum, 1 - (capped > 0 ? capped / least : 0));
    }
    return n > 0 ? total_of(sum) / n : 0;
}

/* inferred_precision.c where nothing of the pool is unjudged. */
static double inferred_average_precision(const measure *m, strict_order *order)
{
    const double epsilon = 1e-5;
    if (!find_marks(m, order))
        return measure_value(m, order->in);
    double n = n_relevant(m, order);
    dd sum = {0, 0};
    for (int64_t i = 0; i < order->n_found; i++) {
        double judged = (double)order->mark[i], place = order->place[i];
        double inferred = 1 + judged * ((double)i + epsilon) / (judged + 2 * epsilon);
        add_to(&sum, place > 1 ? inferred / place : 1);
    }
    return n > 0 ? total_of(sum) / n : 0;
}

static double binary_gain(const measure *m, strict_order *order)
{
    double n = n_relevant(m, order);
    dd sum = {0, 0};
    for (int64_t i = 0; i < order->n_found; i++)
        add_to(&sum, discount_of(order->in->memory, (int64_t)order->place[i] - i));
    return n > 0 ? total_of(sum) / n : 0;
}

static double precision(const measure *m, strict_order *order)
{
    return found_at(m, order, m->cutoff) / (double)m->cutoff;
}

static double recall(const measure *m, strict_order *order)
{
    double n = n_relevant(m, order);
    return n > 0 ? found_at(m, order, m->cutoff) / n : 0;
}

static double relative_precision(const measure *m, strict_order *order)
{
    double most = fmin((double)m->cutoff, n_relevant(m, order));
    return most > 0 ? found_at(m, order, m->cutoff) / most : 0;
}

static double r_precision(const measure *m, strict_order *order)
{
    double depth = documents_at(m->argument[0], n_relevant(m, order), 0);
    return depth > 0 ? found_at(m, order, (int64_t)depth) / depth : 0;
}

static double n_relevant_retrieved(const measure *m, strict_order *order)
{
    return found_at(m, order, INT64_MAX);
}

static double discounted_gain(const measure *m, strict_order *order)
{
    const weak_order *ranks = order->in->order;
    if (!order->has_gains || order->gain_argument != m->argument[0]) {
        dd sum = {0, 0};
        order->gains[0] = sum;
        for (int64_t mark = 0; mark < order->n_marks; mark++) {
            double grade = ranks->grade[mark], gain = grade > 0 ? grade : 0;
            if (m->argument[0] != 0)
                gain = gain_of(m, grade);
            /* a sum stays as it is where the gain is 0 */
            add_to(&sum, gain * discount_of(order->in->memory, ranks->before[mark] + 1));
            order->gains[mark + 1] = sum;
        }
        order->has_gains = 1;
        order->gain_argument = m->argument[0];
    }
    return total_of(order->gains[marks_above(order, limit_of(m->cutoff))]);
}

static double normalised_gain(const measure *m, strict_order *order)
{
    double *known = order->in->steps->known_ideal;
    double ideal = known != NULL && *known >= 0 ? *known : ideal_gain(m, order->in);
    if (known != NULL)
        *known = ideal;
    return ideal > 0 ? discounted_gain(m, order) / ideal : 0;
}

static const struct {
    const char *name;
    strict_value *value;
} VALUES[] = {
    {"AP", average_precision},
    {"P", precision},
    {"R", recall},
    {"RR", reciprocal_rank},
    {"Success", success},
    {"Rprec", r_precision},
    {"RelP", relative_precision},
    {"Bpref", binary_preference},
    {"IPrec", interpolated_precision},
    {"IPrec11", mean_interpolated_precision},
    {"NumRelRet", n_relevant_retrieved},
    {"infAP", inferred_average_precision},
    {"binG", binary_gain},
    {"DCG", discounted_gain},
    {"nDCG", normalised_gain},
};

strict_value *strict_value_of(const measure_kernel *kernel)
{
    for (size_t i = 0; i < sizeof VALUES / sizeof *VALUES; i++)
        if (strcmp(VALUES[i].name, kernel->name) == 0)
            return VALUES[i].value;
    return NULL;
}
