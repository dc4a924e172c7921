/* Upper bounds for the number of relevant documents, at every moment of a review at once.
 *
 * Documents are read in some order in which no next document is less likely relevant than a random
 * unread one. For each possible total R two bettors hold a wealth, at first 1 each. Before a
 * document, with u unread ones and `found` relevant ones so far, a random one is relevant with the
 * chance p = (R - found)/u. A bettor forecasts q <= p from the past alone; the wealth is multiplied
 * by q/p if the document is relevant, else by (1 - q)/(1 - p). If the true chance is P >= p, the
 * factor's mean is 1 - (P - p)(p - q)/(p(1 - p)) <= 1: a nonnegative supermartingale, whose mean of
 * the two reaches 1/alpha with a probability of at most alpha (Ville). R is then refused for good.
 *
 * q is p, or (S + 1/2)/(T + 1) if that is less: S of the T documents read were relevant, both with
 * weights that halve every 50 documents for the one bettor, every 500 for the other.
 *
 * A bet won against R is won against every larger total too, because its p is larger. Totals of a
 * cell can thus share the wealth of the smallest one, and a cell can be parted at any time: its
 * parts go on with its wealth. Collections of up to 2^16 documents have a cell for each total; of
 * larger ones cells have a part 2^-9 of their totals at first, and are halved where few are left.
 *
 * Counts are doubles, whole and at most 2^52. Wealths have a relative error below 1e-10 over 10^5
 * documents. Cost: some 2 ns for each cell and document.
 */
#ifndef IRBOUNDS_STOPPING_BETS_H
#define IRBOUNDS_STOPPING_BETS_H

#include <stdint.h>

#include "numeric/watch.h"

enum { BETTORS = 2 };

typedef struct {
    double population, read, found;
    double bar; /* the wealth that refuses, of both bettors together: 2/alpha */
    double relevant[BETTORS], seen[BETTORS]; /* S and T */
    int64_t first, last;                     /* the cells that are left: first <= j < last */
    double *least, *most;                    /* their totals; the caller's, bet_cells() of each */
    double *wealth[BETTORS], *unit[BETTORS]; /* a wealth is wealth * unit; infinite once refused */
    double *scale[BETTORS];                  /* unit is 2^(-400 scale) */
    int64_t bets;                            /* so far */
    work_watch *watch;
} bet_state;

/* Cells for which a state needs memory. */
int64_t bet_cells(double population);

/* Nothing is read yet. */
void bet_set(bet_state *state, double population, double alpha);

/* The next documents: label[] != 0 marks the relevant ones. Writes the largest total that is left
 * after each; -1 where none is. */
void bet_follow(bet_state *state, const uint8_t *label, int64_t n, double *largest);

#endif
