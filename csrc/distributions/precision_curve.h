/* Reference precision-recall curves (Dimm 2015), and which of them goes through a point.
 *
 * With the odds κ = (1-ρ)/ρ against relevance and c = ln(1+β²)/(2β atan β), eq. 11 is X(R) = 1/(1 +
 * κ H(R)), where H(R) = β/(R atan β) ∫_0^R (r + c)/(1 + β²(1-r)²) dr, and eq. 10 x(R) = 1/(1 + κ
 * β/atan β (R + c)/(1 + β²(1-R)²)). H falls from (1+R)/2 to 0 as β rises from 0, so that no curve
 * of the paper passes between X = 1/(1 + κ(1+R)/2), the limit of β -> 0, and ρ.  For β from -1 to 0
 * the curves here go on from that limit to no better than random, on a straight line: H(R) = 1 -
 * (1+β)(1-R)/2, 1/x(R) = 1 + κ(1 - (1+β)(1/2-R)); at β = -1 X is ρ everywhere.  β = ∞ is X = 1 for
 * R < 1.
 *
 * Where the terms of eq. 11 cancel, other forms take their place: a difference of two angles or
 * logarithms is one, the integral from R to 1 serves where it is the smaller one, and below R = 0.2
 * a Gauss rule of seven points does (the nearest pole of the integrand is as far off as 1; its
 * error is 6e-16). Errors against 50 digits, ρ from 1e-9 to 0.99, β from 1e-8 to 1e12, R from 1e-9
 * to 1: X and x below 6e-15 relative.
 *
 * β by Newton's method for ln(1/H - 1/H_0), H_0 = (1+R)/2, over ln β: its slope is between 1 and 2
 * everywhere, and four steps from a start that is right at both ends leave less than rounding.
 * Brackets and further steps are the fallback. The wanted H is given as 1-H = (P-ρ)/(P(1-ρ)), so
 * that no digits are lost where P is near ρ and R near 1. Errors: X of the β found is P within
 * 1e-14 relative, for ρ and R down to 1e-100.
 *
 * Points go in batches through loops of vector instructions; results have the same bits with every
 * set of these. Cost, with AVX-512: 10 ns for X, 40 to 60 ns for β; without vector instructions
 * four times that.
 */
#ifndef IRBOUNDS_PRECISION_CURVE_H
#define IRBOUNDS_PRECISION_CURVE_H

#include "numeric/vector_math.h"

enum precision_curve_value {
    PRECISION_CURVE_X,    /* precision, eq. 11 */
    PRECISION_CURVE_x,    /* probability of relevance, eq. 10 */
    PRECISION_CURVE_SLOPE /* d ln H / d ln β; for β < 0, where it would be 0, what it is per 1 + β;
                             see the source */
};

/* Values of n curves, each at its recall in [0, 1]; prevalence in [1e-100, 1), β >= -1. */
void precision_curve_values(enum precision_curve_value value, int64_t n, const double *recall,
                            const double *prevalence, const double *beta, double *result,
                            enum vector_instructions instructions);

/* β of the curves through n points, recall in (0, 1]; -1 where precision <= prevalence, ∞ where
 * precision is 1, and where recall is 1 though the precision is above the prevalence. */
void precision_curve_through(int64_t n, const double *recall, const double *precision,
                             const double *prevalence, double *beta,
                             enum vector_instructions instructions);

#endif
