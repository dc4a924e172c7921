"""Reference precision-recall curves (Dimm 2015, D), slowly: the printed formulas, at so many digits that none is lost.

Arguments are numbers of any kind; a float means the double that it is. With odds = (1 - rho)/rho:

The paper's curves, beta > 0, have the limit 1/(1 + odds (1 + R)/2) for beta -> 0, which is above rho. From there on to
rho the project goes along a straight line: at beta in [-1, 0], 1/x and 1/X are (1 + beta) times those of the limit and
-beta times 1/rho. Precision of rho or less belongs to no curve; for pairs of yields the limit, rho, stands there.
"""
from mpmath import atan, exp, log, mp, mpf, quad, workdps

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
        angle, rest = atan(beta), 2 * beta * atan(beta)
        braces = (1 - atan(beta * (1 - R)) / angle * (1 + log(1 + beta**2) / rest)
                  + log(1 + beta**2 * (1 - R) ** 2) / rest)
        return R / (R + odds * braces)


def precision_by_integral(recall, rho, beta):
    """R over the integral of 1/x from 0 to R (D eq. 4)."""
    R, width = mpf(recall), 1 / max(mpf(beta), 1)
    cuts = {c for c in (1 - width * 10**k for k in range(-1, 12)) if 0 < c < R}
    return R / quad(lambda r: 1 / relevance(r, rho, beta), [0, *sorted(cuts), R])


def beta_through(recall, p, rho):
    """The beta with X(R; rho, beta) = P, rho < P < 1, 0 < R < 1: by halving ln beta, to 50 digits."""
    with workdps(DIGITS):
        R, P, rho = mpf(recall), mpf(p), mpf(rho)
        if precision(R, rho, 0) >= P:
            share = (1 - (1 / P - 1) / (1 / rho - 1)) * 2 / (1 - R)  # 1/P - 1 = odds (1 - (1 + beta)(1 - R)/2)
            return share - 1
        low, high = mpf(-60), mpf(1)
        while precision(R, rho, exp(high)) < P:
            low, high = high, 2 * high
        while high - low > mpf(10) ** -50:
            middle = (low + high) / 2
            low, high = (middle, high) if precision(R, rho, exp(middle)) < P else (low, middle)
        return exp((low + high) / 2)


def extrapolated(recall, p, rho, target):
    """X(target) on the curve through the point."""
    return precision(target, rho, beta_through(recall, p, rho))


def measures_of_yields(retrieved, unretrieved, target, population=None):
    """(precision at the target recall, documents to review) where tp of so many retrieved and fn of so many unretrieved
    documents are relevant: a function of (tp, fn).

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


mp.dps = max(mp.dps, 50)
