/* Bounds on P(A > B + margin) from the tails. The contract is in superiority_bounds.h. */

#include "superiority/superiority_bounds.h"

#include <math.h>

/* P(A > B + margin), margin > 0, is at most P(A > margin) and P(B < 1 - margin). */
static double most_possible(const share_law *a, const share_law *b, double margin)
{
    double at_margin = log(margin) - log1p(-margin);
    return fmin(share_tails(a, at_margin - a->centre).above,
                share_tails(b, -at_margin - b->centre).below);
}

/* P(A > B), and so P(A > B + margin) with margin >= 0, is at most P(A > c) + P(B < c) for any c
   between. */
static double most_beyond(const share_law *a, const share_law *b)
{
    double apart = centre_difference(b, a),
           share = a->ratio.spread / (a->ratio.spread + b->ratio.spread);
    return share_tails(a, apart * share).above + share_tails(b, apart * (share - 1)).below;
}

/* P(A <= B + margin), margin > 0, is at most P(A < c + margin) + P(B > c) for any c. */
static double most_short(const share_law *a, const share_law *b, double margin)
{
    double left = 1 / (1 + exp(-a->centre)) - margin, right = 1 / (1 + exp(a->centre)) + margin;
    double apart = log(left / right) - b->centre; /* nan where left is below 0 */
    if (!(apart > 0))
        return 1;
    double odds = b->centre + apart * b->ratio.spread / (a->ratio.spread + b->ratio.spread);
    double past = 1 / (1 + exp(-odds)) + margin, rest = 1 / (1 + exp(odds)) - margin;
    return share_tails(a, log(past / rest) - a->centre).below
           + share_tails(b, odds - b->centre).above;
}

superiority_bounds superiority_bounds_of(const share_law *a, const share_law *b, double margin)
{
    superiority_bounds m = {1, 1};
    if (margin >= 0)
        m.above = most_beyond(a, b);
    if (margin <= 0)
        m.rest = most_beyond(b, a);
    if (margin > 0) {
        m.above = fmin(m.above, most_possible(a, b, margin));
        m.rest = most_short(a, b, margin);
    }
    if (margin < 0) {
        m.rest = fmin(m.rest, most_possible(b, a, -margin));
        m.above = most_short(b, a, -margin);
    }
    return m;
}
