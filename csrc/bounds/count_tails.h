/* Tails of the number S of relevant documents in the samples of one or more strata, of whose
 * documents R are relevant.
 *
 * One stratum: S is hypergeometric.  Several: bounds that no division of R among the strata
 * exceeds.  Those of small strata are the greatest tails of all divisions; others are near the
 * law of a single sample, as long as the sampling fractions are alike.
 *
 * Counts are doubles, whole and at most 2^49.  Tails are never below the true ones but for
 * rounding, 2^-51 of them for each step of the table, and above them by at most the cut.  Cost: two
 * to four nanoseconds for each count within some 8 standard deviations, three times that for
 * several strata.
 */
#ifndef IRBOUNDS_COUNT_TAILS_H
#define IRBOUNDS_COUNT_TAILS_H

#include <stdint.h>

#include "numeric/watch.h"

/* Strata in the order of rising sampling fractions: the first i of them have size[i] documents,
 * sampled[i] of which were sampled. */
typedef struct {
    int64_t n_strata;
    double *size, *sampled; /* the caller's, n_strata + 1 */
    double *exact; /* the caller's, count_tails_exact(), from count_tails_divide(); 0: none */
} sampled_group;

/* P(X >= x) or P(X <= x) at x = first, first + 1, ..., first + n - 1, as a bound for X = S, or X =
 * reflected - S. */
typedef struct {
    double *storage; /* the caller's, `size` values */
    int64_t size;
    double *value; /* in the storage */
    double first, reflected;
    double valid; /* from here on, or up to here, it holds */
    int64_t n;
    int is_upper, is_reflected;
} tail_table;

enum { TABLES_OF_A_GROUP = 3 };

typedef struct {
    tail_table table[TABLES_OF_A_GROUP];
    int n_tables; /* 1 for a single stratum, or all */
    double cut;   /* what a tail is beyond its table */
} count_tails;

static inline double group_size(const sampled_group *g)
{
    return g->size[g->n_strata];
}

static inline double group_sample(const sampled_group *g)
{
    return g->sampled[g->n_strata];
}

/* Values that each table of a group needs, if the cut is 2^-101 or more. */
int64_t count_tails_storage(const sampled_group *group);

/* Values that the tails of several small strata need, where all divisions of R among these are
 * tried, in some milliseconds; 0 for others. */
int64_t count_tails_exact(const sampled_group *group);

/* Sets them: for each R the greatest P(S >= x), x = 0 to n; then likewise P(S <= x). */
void count_tails_divide(sampled_group *group);

/* P(S >= x) if is_upper, else P(S <= x), for so many relevant documents. */
void count_tails_set(count_tails *tails, const sampled_group *group, double relevant, int is_upper,
                     double cut, work_watch *watch);

/* Upper tails are 1 below this x. */
double count_tails_certain(const count_tails *tails);

/* Steps that the tables took. */
double count_tails_steps(const count_tails *tails);

static inline double table_at(const tail_table *t, double x, double cut)
{
    double i = x - t->first;
    if (t->is_upper)
        return i <= 0 ? 1 : i >= (double)t->n ? cut : t->value[(int64_t)i];
    return i < 0 ? cut : i >= (double)(t->n - 1) ? 1 : t->value[(int64_t)i];
}

static inline double count_tail_at(const count_tails *tails, double x)
{
    if (tails->n_tables == 1)
        return table_at(tails->table, x, tails->cut);
    double least = 1;
    for (int i = 0; i < tails->n_tables; i++) {
        const tail_table *t = &tails->table[i];
        double y = t->is_reflected ? t->reflected - x : x;
        if (t->is_upper ? y >= t->valid : y <= t->valid) {
            double value = table_at(t, y, tails->cut);
            least = value < least ? value : least;
        }
    }
    return least;
}

#endif
