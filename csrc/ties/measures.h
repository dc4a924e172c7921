/* Measures of one query's ranking, in expectation over the orders of tied documents.
 *
 * Inside a rank of g documents, r of them relevant, every order is equally likely: each place holds
 * a relevant document with probability r/g and, given that, each other place with probability
 * (r-1)/(g-1).  The expectation over all orders is then a sum over ranks, exact but for rounding
 * (relative error below 1e-13 for ranks of 10^6, measured against enumeration and high precision).
 * A ranking without ties is the case g = 1; the best and the worst order inside ties are the
 * refined orders of weak_order.h.  Cost: one pass over the ranks that hold a mark, for RR and AP
 * one step for each document of those ranks, for ERR one for each pair of (place, relevant
 * document) in a rank.  IPrec, G, BPM and the ends of infAP search the orders of a rank instead
 * (highest_precision.h, tie_lattice.h).
 *
 * A measure is one function and one row in the table that ends its file: measures.c (relevant or
 * not), set_measures.c (what was retrieved, in any order), graded.c (gains), searches.c (a user who
 * reads until satisfied), trec_measures.c (what trec_eval has beside), inferred_precision.c
 * (infAP), retrieved_precision.c (APRet), user_models.c (C/W/L), overlap.c (other rankings,
 * subtopics), review_measures.c (how much is read).
 */
#ifndef IRBOUNDS_MEASURES_H
#define IRBOUNDS_MEASURES_H

#include <stdint.h>

#include "ordering/levels.h"
#include "ordering/weak_order.h"

/* Lent by the caller: 1/log2(i + 1) for i = 1 .. n_discounts, scratch of 4 (n + 2) doubles for
 * n documents, and work_size bytes for measures that need MEASURE_WORK. */
typedef struct {
    const double *discount;
    int64_t n_discounts;
    double *scratch;
    work_watch *watch; /* or NULL */
    void *work;
    int64_t work_size;
} measure_memory;

/* How far a sum over ranks went for one cut-off: a deeper one goes on there. */
typedef struct {
    double from, argument;   /* of the measure */
    int64_t rank, mark;      /* ranks that are in the sum as a whole, and their marks; rank 0: none,
                                and nothing else is set */
    double found, sum, lost; /* the sum in two parts */
} measure_step;

typedef struct {
    measure_step found, found_in_all, judged_in_all, precision, gain, ideal;
    double *known_ideal; /* of the next measure and these judgments; below 0: not yet; or NULL */
} measure_steps;

static inline void measure_steps_begin(measure_steps *steps)
{
    steps->found.rank = steps->found_in_all.rank = steps->judged_in_all.rank = 0;
    steps->precision.rank = steps->gain.rank = steps->ideal.rank = 0;
    steps->known_ideal = 0;
}

/* The orders inside ties that a value is for: the mean over all, the best one, or the worst. */
enum tie_end { TIE_MEAN, TIE_BEST, TIE_WORST };

/* The input of a measure. */
typedef struct {
    const weak_order *order;
    const grade_levels *judged; /* of the query, retrieved or not */
    double collection_size;     /* 0: unknown */
    const measure_memory *memory;
    measure_steps *steps; /* of measures of this order and these judgments; or NULL */
    enum tie_end end;     /* of a measure that has MEASURE_ENDS */
} measure_input;

typedef struct measure measure;

/* The needs of a kernel beside one step for each mark. */
enum measure_need {
    MEASURE_DISCOUNTS = 1, /* measure_memory.discount, as far as the cut-off */
    MEASURE_PLACES = 2,    /* scratch for each document, not only for each row (see `times` of
                              ranking.h), as far as p^place is a number; p is argument 0 */
    MEASURE_TIES = 4,      /* scratch for each document of a tie, up to 2^14 of them */
    MEASURE_WORK = 8,      /* measure_memory.work; NAN where it, or time, does not suffice for the
                              ties */
    MEASURE_ENDS = 16      /* its best and worst orders are not those by grade: it finds them
                              itself, as measure_input.end says */
};

typedef struct {
    const char *name;
    double (*value)(const measure *m, const measure_input *in);
    int needs; /* of enum measure_need */
} measure_kernel;

enum { MEASURE_ARGUMENTS = 16 };

struct measure {
    const measure_kernel *kernel;
    double relevant_from;               /* the lowest relevant grade */
    int64_t cutoff;                     /* 0: none */
    double argument[MEASURE_ARGUMENTS]; /* what the kernel says, in its order */
    int n_arguments;                    /* given */
};

typedef struct {
    int64_t n_kernels;
    const measure_kernel *kernels;
} measure_family;

extern const measure_family BINARY_MEASURES, SET_MEASURES, GRADED_MEASURES, SEARCH_MEASURES,
    TREC_MEASURES, RETRIEVED_MEASURES, INFERRED_MEASURES, USER_MEASURES, OVERLAP_MEASURES,
    REVIEW_MEASURES;

/* The documents for which a measure needs scratch, however few the rows are. */
int64_t measure_places(const measure *m, int64_t n_docs);

/* The kernel of this name, or NULL. */
const measure_kernel *measure_find(const char *name);

/* The family of this number, from 0 on, or NULL: for who goes through them all. */
const measure_family *measure_family_at(int64_t number);

static inline double measure_value(const measure *m, const measure_input *in)
{
    return m->kernel->value(m, in);
}

#endif
