/* BUSCAR's least probability over urns, when to stop a review that reads its documents in some
 * order (Callaghan & Mueller-Hansen, Statistical stopping criteria for automated screening in
 * systematic reviews, 2020).
 *
 * n of `population` documents are read and `found` of them are relevant. The target is missed where
 * the total is `total` or more, the least with which so many are too few: c = total - found of u =
 * population - n unread documents are relevant then. An urn holds the last i documents, k of them
 * relevant, and the unread ones. Drawn at random, i documents would leave c or more of its c + k
 * relevant ones unread with the probability
 *
 *     p = P(X <= k), X hypergeometric: u + i documents, c + k relevant, i drawn.
 *
 * One more irrelevant document at an urn's far end lowers p, a relevant one raises it: if the
 * document is drawn first, then what remains is the old urn for the one kind, and an urn with one
 * relevant document less, or more, for the other. The least p is thus that of an urn that begins
 * with the first document, or with an irrelevant one after a relevant one.
 *
 * Counts are doubles, whole and below 2^52. Relative error of the least p below 1e-11 down to
 * 1e-290. Cost of a curve: some 2 ns for each urn and document.
 */
#ifndef IRBOUNDS_STOPPING_URNS_H
#define IRBOUNDS_STOPPING_URNS_H

#include <stdint.h>

#include "numeric/watch.h"

/* The state that all urns share at one time. */
typedef struct {
    double population, read, found;
    double total; /* more than found */
} review_state;

/* P(X <= k) and P(X = k) of the urn that began after so many documents, so many of them relevant;
 * total - found is at most population - read. */
typedef struct {
    double below, point;
} urn_tail;

urn_tail urn_tail_at(const review_state *now, double start, double start_found, work_watch *watch);

/* The urns of a curve: how many documents, and how many irrelevant ones, were read before each;
 * `capacity` of the caller's for each array. */
typedef struct {
    review_state now;
    int64_t n_urns, capacity;
    double *start, *start_others;
    double *below, *point;
    double *peak;       /* the largest `below` since it was last summed */
    int64_t steps;      /* since all were summed */
    int64_t least;      /* the urn of the least p */
    int after_relevant; /* the last document read was relevant */
    int is_certain;     /* no total is left with which the target would be missed */
    work_watch *watch;
} urn_curve;

/* Nothing is read yet; `total` is the least with which none are too few. */
void urn_curve_set(urn_curve *curve, double population, double total);

/* The next documents, label[] != 0 the relevant ones: total[j] is the least total with which j are
 * too few, j = 0, 1, ... all that are found. Writes the least p, and where its urn began. Needs
 * room for one urn more than the curve has and one for each irrelevant document after a relevant
 * one. */
void urn_curve_follow(urn_curve *curve, const uint8_t *label, int64_t n, const double *total,
                      double *least, double *start);

#endif
