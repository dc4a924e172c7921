/* Sums along the orders of a tie, where each document adds what depends on how many of each kind
 * are above it: the mean over all orders, the greatest, or the least.
 *
 * The documents of a kind are alike, so an order is a path through counts of kinds, and what a path
 * adds from some counts on does not depend on how it came there.  From the end to the start:
 *     f(counts) = mean (greatest, least) over the kinds left of their reward + f(counts + 1).
 * In the mean each document left is as likely as another.  Relative error of sums of positive
 * rewards below 1e-13 (each step rounds three times).  Cost: the product of (documents + 1) over
 * the kinds, times the kinds; memory: the product without the kind of most documents.
 */
#ifndef IRBOUNDS_TIE_LATTICE_H
#define IRBOUNDS_TIE_LATTICE_H

#include "ties/measures.h"

/* 21 kinds of one document have more counts than the memory. */
enum { LATTICE_KINDS = 20 };

/* Steps are counts times kinds: some 1.3 seconds where each needs a logarithm. */
#define LATTICE_STEPS (INT64_C(1) << 26)

/* reward[k] for a document of each kind k, with `taken` of them above it.  Returns whether the sum
 * ends here: then nothing is filled. */
typedef int (*lattice_reward)(const int64_t *taken, double *reward, const void *context);

/* The documents of a tie by their kinds. */
typedef struct {
    int n_kinds;
    int64_t count[LATTICE_KINDS];
    double worth[LATTICE_KINDS]; /* of each document */
    int64_t most[LATTICE_KINDS]; /* no sum goes on behind so many, if they are fewer */
} tie_lattice;

/* Add a kind, if it has documents.  Returns whether there is room for it. */
int lattice_add(tie_lattice *lattice, int64_t count, double worth);

/* Add the kinds of a rank, by what their grades are worth: more for a higher grade, or nothing.
 * Returns whether there is room for all. */
int lattice_add_rank(tie_lattice *lattice, const weak_order *order, int64_t rank,
                     double (*worth)(const measure *m, double grade), const measure *m);

/* The sum over all documents.  NAN where LATTICE_STEPS, or `size` doubles of memory, do not
 * suffice. */
double lattice_sum(const tie_lattice *lattice, enum tie_end end, lattice_reward reward,
                   const void *context, double *memory, int64_t size, work_watch *watch);

#endif
