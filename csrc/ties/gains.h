/* Gains of grades and discounts of places, for all measures that discount by the logarithm of the
 * place. */
#ifndef IRBOUNDS_GAINS_H
#define IRBOUNDS_GAINS_H

#include <math.h>

#include "numeric/double_double.h"
#include "ties/measures.h"

/* The discount of one place. */
static inline double discount_of(const measure_memory *memory, int64_t place)
{
    return place <= memory->n_discounts ? memory->discount[place - 1] : 1 / log2((double)place + 1);
}

/* The sum of 1/log2(place + 1) for the places first .. last, from 1; in two parts, to add to. */
dd discount_parts(const measure_memory *memory, int64_t first, int64_t last);

static inline double discount_sum(const measure_memory *memory, int64_t first, int64_t last)
{
    if (first == last) /* the same as below */
        return discount_of(memory, first);
    dd sum = discount_parts(memory, first, last);
    return sum.hi + sum.lo;
}

/* The same between places. */
static inline double discount_between(const measure_memory *memory, double place)
{
    if (place <= (double)memory->n_discounts && place == floor(place))
        return memory->discount[(int64_t)place - 1];
    return 1 / log2(place + 1);
}

/* Argument 0 of a measure of gains is 1 for gains 2^grade - 1 instead of grades. */
static inline double gain_of(const measure *m, double grade)
{
    if (grade <= 0)
        return 0;
    return m->argument[0] != 0 ? exp2(grade) - 1 : grade;
}

/* The discounted gain of all judged documents, best first, as far as the cut-off. */
double ideal_gain(const measure *m, const measure_input *in);

#endif
