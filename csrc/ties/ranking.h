/* One query's ranking by a tie rule: values of measures, and their bounds over all orders of tied
 * documents.
 *
 * Cost: one order of the ranks (weak_order.h), with bounds or a tie rule of its own up to three,
 * and each measure once for each of them.
 */
#ifndef IRBOUNDS_RANKING_H
#define IRBOUNDS_RANKING_H

#include "ties/measures.h"

enum tie_choice { CHOOSE_EXPECTED, CHOOSE_BEST, CHOOSE_WORST, CHOOSE_DOC_ID, CHOOSE_GIVEN };

/* Rows that are a document each or, in order, times[row] documents. */
typedef struct {
    const double *score;
    const double *grade;
    const int64_t *times; /* or NULL */
    int64_t n_rows;
    doc_names names; /* for CHOOSE_DOC_ID; ids may be NULL until they are asked for */
    grade_levels judged;
    double collection_size; /* 0: unknown */
} ranked_query;

typedef struct {
    int64_t n_measures;
    const measure *measures;
    enum tie_choice choice;
    int bounds;
    double mark_level; /* no measure tells documents of lower grades apart */
} ranking_task;

/* Lent by the caller; the watches of all three are one, or NULL. */
typedef struct {
    weak_order_memory order, refined;
    measure_memory measure;
    int64_t n_unnamed; /* with RANKING_NEEDS_NAMES: the rows whose ids are needed are the first ones
                          of order.pairs; -1: all */
    weak_order waiting; /* for these names */
    int64_t refused;    /* with RANKING_TOO_MANY_ORDERS: the number of the measure */
    enum tie_end refused_end;
} ranking_memory;

/* CHOOSE_DOC_ID, a tie touches a mark, and the query brings no ids. */
enum { RANKING_NEEDS_NAMES = -3 };

/* The ties have too many orders for a measure that needs MEASURE_WORK. */
enum { RANKING_TOO_MANY_ORDERS = -4 };

/* Fill value[] and, with bounds, low[] and high[]: the least and the greatest value over all orders
 * of tied documents, and over value[].  Returns -1, or the first row whose score is NaN, or
 * RANKING_NEEDS_NAMES, or RANKING_TOO_MANY_ORDERS.  Once the watch has stopped the work, what is
 * filled in means nothing. */
int64_t ranking_evaluate(const ranking_task *task, const ranked_query *query,
                         ranking_memory *memory, double *value, double *low, double *high);

/* After RANKING_NEEDS_NAMES, with the names, all else as it was left: the rest of the work. */
int64_t ranking_resume(const ranking_task *task, const ranked_query *query, ranking_memory *memory,
                       double *value, double *low, double *high);

#endif
