/* Shares of gamma variates: Beta variates and F_β, through the law of their odds gain × X/(w2 Y +
 * w3 Z).
 *
 * F_β is (1 + β²) X/((1 + β²) X + Y + β² Z) with X, Y and Z of the shapes of true positives, false
 * positives and false negatives.  Where β = 1 it depends on Y + Z alone, which has one shape.
 */
#ifndef IRBOUNDS_SHARE_LAW_H
#define IRBOUNDS_SHARE_LAW_H

#include "superiority/gamma_contrast.h"

typedef struct {
    log_ratio ratio; /* log odds are centre + t */
    double n;        /* q + r, the shape of Y + Z */
    double w2, w3;   /* at most 1, at least 1e-120 */
    double gain;
    double centre;   /* log(gain × p/(w2 q + w3 r)) */
    double log_peak; /* of a Beta law, the density of log odds at t = 0 */
} share_law;

/* Beta(p, q): r = 0 and beta = 0.  Else F_β of these shapes, 1e-150 <= beta <= 1e150. */
void share_law_set(share_law *law, double p, double q, double r, double beta);

/* X and Y are all that counts: a Beta law, or F_1. */
int is_beta(const share_law *law);

/* The density of log odds at centre + t; closed for a Beta law. */
double share_density(const share_law *law, double t);

/* P(log odds < centre + t) and above. */
gamma_tails share_tails(const share_law *law, double t);

/* t for the share x = 1 - y, of which the smaller one has all its digits. */
double share_offset(const share_law *law, double x, double y);

/* The mean and the variance. */
void share_moments(const share_law *law, double *mean, double *variance);

/* a's centre less b's, for laws with one gain; right where both are nearly equal, too. */
double centre_difference(const share_law *a, const share_law *b);

#endif
