"""P(A > B + margin) of Beta laws with small shapes, down to margins that doubles hardly hold.

An integral over v, the log odds of the place of A between margin and 1, by Gauss's rule on panels
of one length. Shares are logarithms; Beta tails are SciPy's, or the first term of their series
where the share is below e^-300. Counts to some hundreds: the panels do not follow narrower laws.
"""

import numpy as np
from scipy.special import betainc, betaincc, betaln

NODES, WEIGHTS = np.polynomial.legendre.leggauss(16)
LENGTH = 0.5
FALLEN = 60  # e^-60 of a density that falls as e^v or faster


def log_below(log_x, log_y, p, q):
    """log P(share < x), y = 1 - x."""
    with np.errstate(all="ignore"):
        middle = np.log(
            np.where(
                log_x < np.log(0.5),
                betainc(p, q, np.minimum(np.exp(log_x), 0.5)),
                betaincc(q, p, np.minimum(np.exp(log_y), 0.5)),
            )
        )
        first = p * log_x - np.log(p) - betaln(p, q)
        last = np.log1p(-np.exp(q * log_y - np.log(q) - betaln(p, q)))
    return np.where(log_x < -300, first, np.where(log_y < -300, last, middle))


def superior(first, second, margin):
    """For shapes (p, q) of two laws and a margin other than 0."""
    if margin < 0:
        return 1 - superior(second, first, -margin)
    (p, q), log_margin, log_rest = first, np.log(margin), np.log1p(-margin)
    ends = log_margin - FALLEN, FALLEN + 45 / q
    edges = np.linspace(*ends, int((ends[1] - ends[0]) / LENGTH) + 1)
    half = np.diff(edges) / 2
    v = (edges[:-1] + half)[:, None] + half[:, None] * NODES
    log_share, log_left = log_rest - np.logaddexp(0, -v), log_rest - np.logaddexp(0, v)
    log_x, log_other_y = np.logaddexp(log_margin, log_share), np.logaddexp(log_margin, log_left)
    log_terms = (
        (p - 1) * log_x
        + (q - 1) * log_left
        - betaln(p, q)
        + (log_share + log_left - log_rest)  # the derivative of x
        + log_below(log_share, log_other_y, *second)
    )
    return float((np.exp(log_terms) @ WEIGHTS) @ half)
