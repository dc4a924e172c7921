/* Means over how many documents of a kind stand above a place of a rank, whose order is random.
 *
 * Relative error below 1e-13 for functions of one sign.  Cost: a call of the function for each
 * number whose chance is above 1e-18 of the largest: some 18 standard deviations at most.
 * The functions are here so that compilers put f into their loops. */
#ifndef IRBOUNDS_COUNT_MEAN_H
#define IRBOUNDS_COUNT_MEAN_H

#include "tie_groups.h"

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
typedef double (*place_function)(int64_t place, int64_t above, const void *context);

typedef struct {
    int64_t place, found;
    place_function f;
    const void *context;
} at_place;

static inline double call_at_place(double count, const void *context)
{
    const at_place *at = context;
    return at->f(at->place, at->found + (int64_t)count, at->context);
}

/* The sum over places of a rank, down to place `limit`, of the chance that the place holds one of
 * the kind times the mean of f there; `found` of the kind stand above the rank. */
static inline double place_sum(int64_t before, int64_t size, int64_t marked, int64_t found,
                               int64_t limit, place_function f, const void *context,
                               work_watch *watch)
{
    if (size == 1)
        return marked > 0 && before < limit ? f(before + 1, found, context) : 0;
    int64_t taken = smaller(size, limit - before);
    double chance = (double)marked / (double)size;
    dd sum = {0, 0};
    for (int64_t k = 0; marked > 0 && k < taken && !watch_stops(watch, marked); k++) {
        at_place at = {before + k + 1, found, f, context};
        add_to(&sum, chance
                         * count_mean((double)(marked - 1), (double)(size - marked), (double)k,
                                      call_at_place, &at));
    }
    return total_of(sum);
}

#endif
