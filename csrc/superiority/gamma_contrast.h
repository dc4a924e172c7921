/* Tails of R = X/(w2 Y + w3 Z), X, Y and Z independent gamma variates with shapes p, q and r and
 * one scale.
 *
 * Shares of beta and Dirichlet variates are such ratios: Beta(p, q) has the odds X/Y; F_β has the
 * odds (1 + β²) X/(Y + β² Z); and π1 - π2 of a Dirichlet law is above d where (1 - d) X > (1 + d) Y
 * + d Z.
 *
 * With the generating function exp K(z) = (1 - z)^-p (1 + ρ2 z)^-q (1 + ρ3 z)^-r of L = X - ρ2 Y -
 * ρ3 Z,
 *
 *     P(L > 0) = 1/(2 π i) ∫ exp K(z) dz/z   over a line that crosses the real axis between 0 and
 * 1,
 *
 * and 1 minus it left of 0.  The line goes through the saddle point, where exp K(z) is least on the
 * real axis, so that its terms are not larger than the tail is (the "exact saddle point method";
 * Rice 1980 has such a sum for quadratic forms).  It is bent towards the side whose variates are
 * the wider ones, or another way where sums do not settle so.
 *
 * Domain: 1e-300 <= p, q <= 1e15 or so, r the same or 0, ratios of the weights to 1e200.
 * Errors (measured: tests/c/test_gamma_contrast.c, benchmarks/hunts/counts.py) below 1e-13, and
 * relative 1e-12 of tails above 1e-300 but for shapes below 0.01.  Where all shapes are below 1e-5
 * errors to 1e-11 were seen; Beta laws with small shapes have tails of their own (share_law.c).
 * Cost: 2 to 10 µs, up to 200 µs for shapes of 0.001 and less.
 */
#ifndef IRBOUNDS_GAMMA_CONTRAST_H
#define IRBOUNDS_GAMMA_CONTRAST_H

typedef struct {
    double below, above; /* P(L < 0), P(L > 0) */
} gamma_tails;

/* `mean` is p - ρ2 q - ρ3 r, given apart as it has lost its digits otherwise; r may be 0. */
gamma_tails gamma_contrast_tails(double p, double q, double r, double rho2, double rho3,
                                 double mean);

/* 1/(2 π i) ∫ z^power exp K(z) dz: the density of L at 0, or its slope with power 1. */
double gamma_contrast_at_0(double p, double q, double r, double rho2, double rho3, double mean,
                           int power);

/* Shapes below this are next to 0: lines beside 0 do not settle, tails of 1e-4 were 0. */
#define TINY_SHAPE 2e-3

/* The density of L at 0 where Y or Z is next to 0, the one with the shape number `tiny`: where the
 * density without it is far less than at its centre, what it adds is, too.  So both are summed
 * apart. */
double gamma_contrast_with_tiny(double p, double q, double r, double rho2, double rho3, double mean,
                                int tiny);

/* π1 - π2 below and above x, of a Dirichlet law with parameters a, b and c. */
gamma_tails dirichlet_difference_tails(double a, double b, double c, double x);

/* The law of log R about its centre log(p/(w2 q + w3 r)). */
typedef struct {
    double p, q, r;
    double rho2, rho3; /* at the centre, where L has the mean 0 */
    double low, high;  /* beyond these tails are powers of R within rounding */
    double spread; /* about the standard deviation of log R, or that of its bulk where shapes are
                      small */
} log_ratio;

void log_ratio_set(log_ratio *law, double p, double q, double r, double w2, double w3);

/* P(log R < centre + t), P(log R > centre + t) */
gamma_tails log_ratio_tails(const log_ratio *law, double t);

/* The density there. */
double log_ratio_density(const log_ratio *law, double t);

/* The derivative of the density's logarithm there. */
double log_ratio_slope(const log_ratio *law, double t);

/* The t below which log R - centre is with probability `below`, above which with `above` = 1 -
 * below. */
double log_ratio_quantile(const log_ratio *law, double below, double above);

#endif
