"""Reference precision-recall curves (Dimm 2015, D), slowly: the printed formulas, at so many digits
that none is lost.

Arguments are numbers of any kind; a float means the double that it is. With odds = (1 - rho)/rho:

The paper's curves, beta > 0, have the limit 1/(1 + odds (1 + R)/2) for beta -> 0, which is above
rho. From there on to rho the project goes along a straight line: at beta in [-1, 0], 1/x and 1/X
are (1 + beta) times those of the limit and -beta times 1/rho. Precision of rho or less belongs to
no curve; for pairs of yields the limit, rho, stands there.
"""

import numpy as np
from mpmath import atan, exp, log, mp, mpf, quad, workdps
from scipy.special import betaln, gammaln

DIGITS = 110  # beta to 1e25 and recall to 1e-9 lose some 70 of them


def relevance(recall, rho, beta):
    """x(R; rho, beta) (D eq. 10)."""
    with workdps(DIGITS):
        R, rho, beta = mpf(recall), mpf(rho), mpf(beta)
        odds = (1 - rho) / rho
        if beta <= 0:
            return 1 / (1 + odds * ((1 + beta) * (R + mpf(1) / 2) - beta))
        numerator = 1 + beta**2 * (1 - R) ** 2
        middle = log(1 + beta**2) / (2 * beta * atan(beta))
        return numerator / (numerator + odds * beta / atan(beta) * (R + middle))


def precision(recall, rho, beta):
    """X(R; rho, beta) (D eq. 11); R > 0."""
    with workdps(DIGITS):
        R, rho, beta = mpf(recall), mpf(rho), mpf(beta)
        odds = (1 - rho) / rho
        if beta <= 0:
            return 1 / (1 + odds * ((1 + beta) * (1 + R) / 2 - beta))
        angle, part = atan(beta), beta * (1 - R)
        rest = 2 * beta * angle
        braces = 1 - atan(part) / angle * (1 + log(1 + beta**2) / rest) + log(1 + part**2) / rest
        return R / (R + odds * braces)


def precision_by_integral(recall, rho, beta):
    """R over the integral of 1/x from 0 to R (D eq. 4)."""
    R, width = mpf(recall), 1 / max(mpf(beta), 1)
    cuts = {c for c in (1 - width * 10**k for k in range(-1, 12)) if 0 < c < R}
    return R / quad(lambda r: 1 / relevance(r, rho, beta), [0, *sorted(cuts), R])


def beta_through(recall, p, rho):
    """The beta with X(R; rho, beta) = P, rho < P < 1, 0 < R < 1, to 50 digits: by lines of log odds
    of X, which bend little, until the sign changes within 1e-50."""
    with workdps(DIGITS):
        R, P, rho = mpf(recall), mpf(p), mpf(rho)
        if precision(R, rho, 0) >= P:
            # 1/P - 1 = odds (1 - (1 + beta)(1 - R)/2)
            share = (1 - (1 / P - 1) / (1 / rho - 1)) * 2 / (1 - R)
            return share - 1
        low, high = mpf(-60), mpf(1)
        while precision(R, rho, exp(high)) < P:
            low, high = high, 2 * high
        aim, least = log(1 / P - 1), mpf(10) ** -DIGITS

        def past_aim(t):
            return log(max(1 / precision(R, rho, exp(t)) - 1, least)) - aim

        return exp(falling_root(past_aim, low, high))


def falling_root(function, low, high):
    """Where a function that falls is 0, between low and high: Illinois' rule, with a halving at
    every fourth step and one just over to the other side of the root before it."""
    near = mpf(10) ** -50
    at_low, at_high, side, turns = function(low), function(high), 0, 0
    while high - low > near:
        turns = turns + 1
        x = (low * at_high - high * at_low) / (at_high - at_low)
        if turns % 4 == 0:
            x = (low + high) / 2
        elif turns % 4 == 3:  # over to the other side of the root
            x += near / 4 if side < 0 else -near / 4
        x = min(max(x, low + near / 8), high - near / 8)
        value = function(x)
        if value == 0:
            return x
        if value > 0:
            if side == -1:
                at_high /= 2
            low, at_low, side = x, value, -1
        else:
            if side == 1:
                at_low /= 2
            high, at_high, side = x, value, 1
    return (low + high) / 2


def extrapolated(recall, p, rho, target):
    """X(target) on the curve through the point."""
    return precision(target, rho, beta_through(recall, p, rho))


def measures_of_yields(retrieved, unretrieved, target, population=None):
    """(precision at the target recall, documents to review) where tp of so many retrieved and fn of
    so many unretrieved documents are relevant: a function of (tp, fn).

    Limits: no better than random order means precision of rho; recall 1 or precision 1 mean 1.
    """
    size = retrieved + unretrieved
    population = size if population is None else population

    def both(tp, fn):
        total = tp + fn
        rho = mpf(total) / size
        if tp * size <= total * retrieved:
            X = rho
        elif fn == 0 or tp == retrieved:
            X = mpf(1) if target < 1 else rho
        else:
            X = extrapolated(mpf(tp) / total, mpf(tp) / retrieved, rho, target)
        return X, population * (rho * target / X if X else mpf(target))

    return both


# All pairs of yields in doubles, for designs of thousands of documents
# ----------------------------------


NODES, WEIGHTS = np.polynomial.legendre.leggauss(10)
# Below it a curve is the mean of eq. 10, to 1e-16 by ten nodes, as no pole is nearer than 1 - R.
# The terms of eq. 11 cancel there: at R = .0012 they leave seven digits, at .1 twelve.
SMALL_RECALL = 0.1


def values_of_pairs(r1, r0, retrieved, unretrieved, target, population=None):
    """`measures_of_yields` for arrays: the printed formula in doubles, and 70 halvings of ln beta;
    target above 0."""
    size = retrieved + unretrieved
    found = r1 + r0
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        rho, R, P = found / size, r1 / found, r1 / retrieved

    def inverse(recall, beta):
        """(1/X - 1)/odds."""
        curved, rest = np.where(beta > 0, beta, 1.0), 1 - recall  # any beta where the line is taken
        angle = np.arctan(curved)
        whole = np.log1p(curved**2) / (2 * curved * angle)
        braces = (
            1
            - np.arctan(curved * rest) / angle * (1 + whole)
            + np.log1p((curved * rest) ** 2) / (2 * curved * angle)
        )
        curve = braces / recall
        small = recall < SMALL_RECALL
        if small.any():
            r = np.multiply.outer((1 + NODES) / 2, recall[small])
            terms = (r + whole[small]) / (1 + (curved[small] * (1 - r)) ** 2)
            curve[small] = (curved / angle)[small] * np.tensordot(WEIGHTS / 2, terms, 1)
        return np.where(beta > 0, curve, (1 + beta) * (1 + recall) / 2 - beta)

    is_point = (r1 * size > found * retrieved) & (r0 > 0) & (r1 < retrieved)
    X = np.where(r1 * size > found * retrieved, 1.0 if target < 1 else rho, rho)
    if is_point.any():
        R, P, rho_at = R[is_point], P[is_point], rho[is_point]
        odds = (1 - rho_at) / rho_at
        wanted = (1 / P - 1) / odds
        low, high = np.full(R.shape, -40.0), np.full(R.shape, 80.0)
        for _ in range(70):
            middle = (low + high) / 2
            is_over = inverse(R, np.exp(middle)) > wanted  # precision is too low there
            low, high = np.where(is_over, middle, low), np.where(is_over, high, middle)
        line = 2 * (1 - wanted) / (1 - R) - 1  # the straight part: wanted = 1 - (1 + beta)(1 - R)/2
        beta = np.where(line <= 0, line, np.exp((low + high) / 2))
        X[is_point] = 1 / (1 + odds * inverse(np.full(R.shape, float(target)), beta))
    X = np.where(found > 0, X, 0.0)
    most = (size if population is None else population) * target
    with np.errstate(divide="ignore", invalid="ignore"):
        documents = np.where(found > 0, np.minimum(most, most * rho / np.maximum(X, rho)), most)
    return X, documents


def yield_law(size, sampled, relevant, prior=0.5, least=1e-16):
    """Counts and probabilities of a yield's posterior, those below `least` left out."""
    k = np.arange(size - sampled + 1.0)
    a, b, m = relevant + prior, sampled - relevant + prior, size - sampled
    p = np.exp(
        gammaln(m + 1)
        - gammaln(k + 1)
        - gammaln(m - k + 1)
        + betaln(a + k, b + m - k)
        - betaln(a, b)
    )
    p /= p.sum()
    return relevant + k[p > least], p[p > least]


def all_pairs(retrieved, unretrieved, target, prior=0.5):
    """(X, documents to review, probability) of all likely pairs of yields."""
    (r1, p1), (r0, p0) = (yield_law(*stratum, prior) for stratum in (retrieved, unretrieved))
    one, other = (grid.ravel() for grid in np.meshgrid(r1, r0, indexing="ij"))
    return *values_of_pairs(one, other, retrieved[0], unretrieved[0], target), np.multiply.outer(
        p1, p0
    ).ravel()


def missing_probability(values, probabilities, end, p, tolerance=2e-8):
    """How far P(value <= end) falls short of p, or P(value < end) exceeds it; with a tolerance for
    the last digits of an end."""
    up_to = probabilities[values <= end + tolerance * abs(end)].sum()
    below = probabilities[values < end - tolerance * abs(end)].sum()
    return max(0.0, p - up_to, below - p)


mp.dps = max(mp.dps, 50)
