/* Means over how many documents of a kind stand above a place of a rank, whose order is random.
 *
 * Relative error below 1e-13 for functions of one sign.  Cost: a call of the function for each
 * number whose chance is above 1e-18 of the largest: some 18 standard deviations at most.
 * The functions are here so that compilers put f into their loops. */
#ifndef IRBOUNDS_COUNT_MEAN_H
#define IRBOUNDS_COUNT_MEAN_H

#include "ties/smooth_sum.h"
#include "ties/tie_groups.h"

typedef double (*count_function)(double count, const void *context);

/* E f(X): X documents of a kind among `drawn` of a rank that has `marked` of them and `others`.
 *
 * From the mode of the hypergeometric law outwards, each weight from its neighbour's. */
static inline double count_mean(double marked, double others, double drawn, count_function f,
                                const void *context)
{
    if (marked == 0 || others == 0) /* none, or all that are drawn */
        return f(marked == 0 ? 0 : drawn, context);
    const double negligible = 1e-18; /* below a double's rounding, even thousands of them */
    double least = fmax(0, drawn - others), most = fmin(drawn, marked);
    double middle = floor((drawn + 1) * (marked + 1) / (marked + others + 2));
    double mode = fmin(most, fmax(least, middle));
    double sum = f(mode, context), weights = 1, weight = 1;
    for (double x = mode; x < most; x++) {
        weight *= (marked - x) * (drawn - x) / ((x + 1) * (others - drawn + x + 1));
        if (weight < negligible)
            break;
        weights += weight;
        sum += weight * f(x + 1, context);
    }
    weight = 1;
    for (double x = mode; x > least; x--) {
        weight *= x * (others - drawn + x) / ((marked - x + 1) * (drawn - x + 1));
        if (weight < negligible)
            break;
        weights += weight;
        sum += weight * f(x - 1, context);
    }
    return sum / weights;
}

/* f(place, how many of the kind are above). */
typedef double (*place_function)(double place, int64_t above, const void *context);

typedef struct {
    double place;
    int64_t found;
    place_function f;
    const void *context;
} at_place;

static inline double call_at_place(double count, const void *context)
{
    const at_place *at = context;
    return at->f(at->place, at->found + (int64_t)count, at->context);
}

typedef struct {
    double before, size, marked;
    at_place at;
} rank_terms;

/* With k documents of the rank above it, whole or not: the chances are polynomials of k. */
static inline double rank_term(double first, double x, const void *context)
{
    const rank_terms *rank = context;
    at_place at = rank->at;
    at.place = first + x;
    return rank->marked / rank->size
           * count_mean(rank->marked - 1, rank->size - rank->marked, first - 1 - rank->before + x,
                        call_at_place, &at);
}

/* The sum over places of a rank, down to place `limit`, of the chance that the place holds one of
 * the kind times the mean of f there; `found` of the kind stand above the rank.
 * In ranks of more than 2^14 documents f is also asked between places: it changes little over
 * `longest` of them (0: it must not be asked so, and all places are taken one by one), and ever
 * less. */
static inline double place_sum(int64_t before, int64_t size, int64_t marked, int64_t found,
                               int64_t limit, double longest, place_function f, const void *context,
                               work_watch *watch)
{
    if (size == 1)
        return marked > 0 && before < limit ? f((double)(before + 1), found, context) : 0;
    if (marked == 0)
        return 0;
    int64_t taken = smaller(size, limit - before);
    rank_terms terms = {(double)before, (double)size, (double)marked, {0, found, f, context}};
    double first = terms.before + 1;
    dd sum = {0, 0};
    /* Where fewer are left than there are of the kind, chances of numbers between places have
     * signs. */
    int64_t smooth = smaller(taken, size - 2 * marked), done = 0;
    if (longest > 0 && smooth > LONG_TIE) {
        longest = fmin(longest, 2 * terms.size / terms.marked);
        sum = long_sum(rank_term, &terms, first, (double)smooth, longest, watch, marked);
        done = smooth;
    }
    for (int64_t k = done; k < taken && !watch_stops(watch, marked); k++) {
        double term = rank_term(first + (double)k, 0, &terms);
        add_to(&sum, term);
        if (taken > LONG_TIE && term * (double)(taken - k) < 1e-18 * sum.hi)
            break;
    }
    return total_of(sum);
}

#endif
