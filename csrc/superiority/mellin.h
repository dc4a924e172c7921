/* P(A > B) for two shares, by the Mellin transform of the ratio of their odds.
 *
 * The logarithm D of that ratio is a sum of independent parts, so that E exp(z D) is a product: of
 * Γ(p + z)/Γ(p) for each gamma variate, and for F_β of an integral over W = Z/(Y + Z), a Beta
 * variate.  P(D > 0) is 1/(2 π i) ∫ E exp(z D) dz/z over a vertical line, on which the product
 * falls as a normal density, then as exp(-2 π |z|).  No distribution function and no density of a
 * share is used.
 */
#ifndef IRBOUNDS_MELLIN_H
#define IRBOUNDS_MELLIN_H

#include "superiority/share_law.h"

typedef struct {
    double value;
    int has_settled; /* whether the sums agreed; where W's law is wide and the others are narrow
                        they need too many terms */
} mellin_value;

mellin_value mellin_above(const share_law *a, const share_law *b);

#endif
