/* Measures of one query's ranking, in expectation over the orders of tied documents.
 *
 * Inside a rank of g documents, r of them relevant, every order is equally likely: each place holds
 * a relevant document with probability r/g and, given that, each other place with probability
 * (r-1)/(g-1).  The expectation over all orders is then a sum over ranks, exact but for rounding
 * (relative error below 1e-13 for ranks of 10^6, measured against enumeration and high precision).
 * A ranking without ties is the case g = 1; the best and the worst order inside ties are the
 * refined orders of weak_order.h.  Cost: one pass over the ranks that hold a mark, for RR and AP
 * one step for each document of those ranks, for ERR one for each pair of (place, relevant
 * document) in a rank.
 */
#ifndef IRBOUNDS_TIES_H
#define IRBOUNDS_TIES_H

#include <stdint.h>

#include "weak_order.h"

enum ties_kind {
    TIES_AP,
    TIES_P,
    TIES_R,
    TIES_F,
    TIES_RR,
    TIES_SUCCESS,
    TIES_RPREC,
    TIES_SET_P,
    TIES_SET_R,
    TIES_SET_F,
    TIES_SET_AP,
    TIES_SET_REL_P,
    TIES_NUM_RET,
    TIES_NUM_REL,
    TIES_NUM_REL_RET,
    TIES_JUDGED,
    TIES_DCG,
    TIES_NDCG,
    TIES_RBP,
    TIES_ERR,
    TIES_BPREF,
    TIES_IPREC, /* exact only for orders that are not mixed */
    TIES_ESL,
    TIES_PRR,
    TIES_PRECALL,
    TIES_EP,
    TIES_ER,
    TIES_FALLOUT,
    TIES_HT
};

enum ties_stop { STOP_AT_RELEVANT, STOP_AT_RECALL, STOP_AT_RECALL_CEILING, STOP_AT_DOCUMENTS };

typedef struct {
    enum ties_kind kind;
    enum ties_stop stop;  /* ESL, PRR, PRECALL, EP: what `at` counts */
    double at;            /* NR, recall level or ND; the recall level of IPREC */
    double relevant_from; /* the lowest relevant grade */
    int64_t cutoff;       /* 0: none */
    double beta, p, max_grade;
    int exponential_gain; /* DCG, nDCG: gain 2^grade - 1 instead of grade */
    int is_graded;        /* RBP: gain grade / max_grade instead of 0 or 1 */
} ties_measure;

/* What is known of the query beside the ranking: how many documents were judged at each grade >= 0,
 * highest first. */
typedef struct {
    int64_t n_levels;
    const double *level;
    const int64_t *count;
    double collection_size; /* 0: unknown */
} ties_judgments;

/* Lent by the caller: 1/log2(i + 1) for i = 1 .. n_discounts, and room for 4 (n_docs + 2) doubles.
 */
typedef struct {
    const double *discount;
    int64_t n_discounts;
    double *scratch;
    work_watch *watch; /* or NULL */
} ties_room;

/* Count the grades >= 0 among `n` ones, each given times[i] times (NULL: once): levels, highest
 * first, to level[] and count[], each with room for n.  Returns the number of levels.  Cost: n log
 * m for m levels. */
int64_t ties_count_levels(const double *grade, const int64_t *times, int64_t n, double *level,
                          int64_t *count);

double ties_value(const ties_measure *measure, const weak_order *order,
                  const ties_judgments *judgments, const ties_room *room);

#endif
