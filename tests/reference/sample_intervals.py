"""Intervals that look at the sample from outside, slowly: Webber 2013 (W), sections 2.5-2.7 and 3.1-3.4.

One proportion, a number of relevant documents in a finite population, a ratio of proportions, recall by the normal
approximation. A stratum is (size, sampled, relevant), a segment a list of strata. A level, a prior and the like
given as a float mean the decimal that it prints as. `side` is "two-sided"; "lower" or "upper" bound alone spends the
whole of alpha = 1 - level on that end and leaves the other one open.
"""

from collections import namedtuple
from fractions import Fraction
from math import comb

from mpmath import erfinv, inf, mp, mpf, nan, sqrt

from .beta_laws import beta_ppf
from .weak_orderings import exact

Estimate = namedtuple("Estimate", "estimate low high")


def number(x):
    """The mpmath number that was meant: 0.95 is 19/20."""
    return mp.convert(exact(x))


def tail(level, side):
    """The probability left outside of each end: alpha/2, or alpha where there is but one end."""
    return (1 - exact(level)) / {"two-sided": 2, "lower": 1, "upper": 1}[side]


def z_of(level, side):
    """The normal quantile of 1 - tail."""
    return sqrt(2) * erfinv(1 - 2 * number(tail(level, side)))


def clipped(low, high, side="two-sided"):
    """Both ends inside of [0, 1]; an end that nobody asked for is 0 or 1."""
    low, high = (max(mpf(0), min(mpf(1), end)) for end in (low, high))
    return (mpf(0) if side == "upper" else low, mpf(1) if side == "lower" else high)


def forced(low, high, r1, r0):
    """No relevant document in the retrieved sample: from 0; none in the unretrieved one: up to 1 (W 3.3-3.6)."""
    return (mpf(0) if r1 == 0 else low, mpf(1) if r0 == 0 else high)


def bisect(accepted, inside, outside):
    """The last accepted point on the way from `inside` to `outside`, to nearly all digits."""
    while abs(outside - inside) > 8 * mp.eps * max(abs(inside), abs(outside)):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if accepted(middle) else (inside, middle)
    return inside


# One proportion -----------------------------------------------------------------------------------------


def wald(x, n, level=0.95, side="two-sided"):
    """p +- z sqrt(p (1-p)/n) (W eq. 11), as it is: may leave [0, 1]."""
    p, z = mpf(x) / n, z_of(level, side)
    half = z * sqrt(p * (1 - p) / n)
    return p - half, p + half


def wilson(x, n, level=0.95, side="two-sided"):
    """Every p whose normal test with its own variance accepts x (W eq. 12)."""
    p, z = mpf(x) / n, z_of(level, side)
    half = z * sqrt((p * (1 - p) + z**2 / (4 * n)) / n)
    return tuple((p + z**2 / (2 * n) + sign * half) / (1 + z**2 / n) for sign in (-1, 1))


def agresti_coull(x, n, level=0.95, side="two-sided"):
    """Wald with z^2/2 more of either kind (W 2.6, below eq. 13: the general form, not the rounded 2)."""
    more = z_of(level, side) ** 2 / 2
    return wald(x + more, n + 2 * more, level, side)


def clopper_pearson(x, n, level=0.95, side="two-sided"):
    """Every p that neither binomial tail rejects (W 2.5), by bisection on the tail's sum."""
    alpha = number(tail(level, side))

    def between(p, first, last):
        return sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(first, last + 1))

    p = mpf(x) / n
    low = p and bisect(lambda p: between(p, x, n) >= alpha, p, mpf(0))
    return low, p if p == 1 else bisect(lambda p: between(p, 0, x) >= alpha, p, mpf(1))


def jeffreys(x, n, level=0.95, side="two-sided"):
    """Quantiles of Beta(x + 1/2, n - x + 1/2); 0 if x = 0, 1 if x = n (W 2.7, figure 7)."""
    a, b, p = mpf(x) + mpf(1) / 2, mpf(n - x) + mpf(1) / 2, number(tail(level, side))
    return forced(beta_ppf(p, a, b), 1 - beta_ppf(p, b, a), x, n - x)


def binomial_interval(x, n, method, level=0.95, side="two-sided"):
    """One of the five above as reported: inside of [0, 1], open to the side not asked for; n = 0 says nothing."""
    return clipped(*(method(x, n, level, side) if n else (0, 1)), side)


# A finite population ------------------------------------------------------------------------------------


def hypergeometric_bounds(x, n, size, level=0.95, side="two-sided"):
    """The smallest and the largest K in 0..size that x relevant of n sampled do not reject.

    The lower test rejects K if P(X >= x | K) <= tail, the upper one if P(X <= x | K) <= tail; X ~ Hypergeometric.
    Tails are exact, so a tail of exactly alpha/2 rejects.
    """
    alpha = tail(level, side) * comb(size, n)

    def ways(of, first, last):
        return sum(comb(of, k) * comb(size - of, n - k) for k in range(first, last + 1))

    kept = [
        K
        for K in range(size + 1)
        if (side == "upper" or ways(K, x, n) > alpha) and (side == "lower" or ways(K, 0, x) > alpha)
    ]
    return kept[0], kept[-1]


# A ratio of proportions ---------------------------------------------------------------------------------


def pearson(x, n, p):
    """(x - np)^2 / (np (1-p)); with x at an end one factor cancels, and p may be there, too."""
    if x in (0, n):
        return n * (p / (1 - p) if x == 0 else (1 - p) / p)
    return (x - n * p) ** 2 / (n * p * (1 - p))


def koopman_chi_square(theta, x, m, y, k):
    """Pearson's chi-square at p1/p2 = theta > 0, with the most likely p1, p2 (Koopman 1984, section 2.2).

    p1 solves (m+k) p^2 - s p + theta (x+y) = 0, s = theta (m+y) + x + k: the smaller root, without its cancellation.
    """
    if x == y == 0:
        return mpf(0)
    s = theta * (m + y) + x + k
    p1 = 2 * theta * (x + y) / (s + sqrt(max(mpf(0), s**2 - 4 * theta * (m + k) * (x + y))))
    return pearson(x, m, min(mpf(1), p1)) + pearson(y, k, min(mpf(1), p1 / theta))


def koopman(x1, n1, x2, n2, level=0.95, side="two-sided"):
    """Every ratio (x1/n1) / (x2/n2) that the chi-square accepts: [low, high], high may be infinite.

    Chi-square is 0 at the observed ratio and grows to both sides. x1 = 0: low is 0; x2 = 0: high is infinite. With
    an empty sample nothing is known of the ratio.
    """
    low, high = mpf(0), inf
    if n1 == 0 or n2 == 0 or x1 == x2 == 0:
        return low, high
    limit = z_of(level, side) ** 2

    def accepted(theta):
        return koopman_chi_square(theta, x1, n1, x2, n2) <= limit

    def end(factor):
        """From a ratio that is accepted by steps of a factor to one that is not, then back."""
        theta = mpf(x1) * n2 / (n1 * x2) if x1 and x2 else mpf(1)
        while not accepted(theta):  # only where the observed ratio is 0 or infinite: 1 may be far from it
            theta /= factor
        while accepted(theta * factor):
            theta *= factor
        return bisect(accepted, theta, theta * factor)

    if x1 and side != "upper":
        low = end(mpf(1) / 2)
    if x2 and side != "lower":
        high = end(mpf(2))
    return low, high


def koopman_recall(retrieved, unretrieved, level=0.95, side="two-sided"):
    """Recall = 1 / (1 + theta N0/N1), theta = pi0/pi1 (W 3.4); one stratum each, both of them not empty.

    W's forced ends come by themselves: r1 = 0 makes theta unbounded, r0 = 0 lets it begin at 0.
    """
    (N1, n1, r1), (N0, n0, r0) = retrieved, unretrieved
    other = {"two-sided": side, "lower": "upper", "upper": "lower"}[side]
    low, high = (1 / (1 + theta * N0 / N1) for theta in reversed(koopman(r0, n0, r1, n1, level, other)))
    return clipped(low, high, side)


# Recall by the normal distribution ----------------------------------------------------------------------


def segment(strata, more=0):
    """Estimated yield of a segment and its variance (W eq. 4, 5, 11, 24, 27), `more` added to either count.

    The finite population factor keeps the true n/N. A stratum without documents adds nothing.
    """
    total = variance = mpf(0)
    for N, n, r in strata:
        if N:
            p = mpf(r + more) / (n + 2 * more)
            total += N * p
            variance += N**2 * p * (1 - p) / (n + 2 * more) * (1 - mpf(n) / N)
    return total, variance


def normal_recall(retrieved, unretrieved, more=0, level=0.95, side="two-sided"):
    """Recall's midpoint and ends (W eq. 23, 26, 28, 29) as they are: may leave [0, 1].

    `more` is 0 for the MLE, 1 for Laplace, 2 for Agresti-Coull: 2 whatever the level. All nan if nothing relevant
    is expected anywhere.
    """
    (R1, V1), (R0, V0) = segment(retrieved, more), segment(unretrieved, more)
    if R1 + R0 == 0:
        return Estimate(nan, nan, nan)
    middle = R1 / (R1 + R0)
    half = z_of(level, side) * sqrt(V1 * R0**2 + V0 * R1**2) / (R1 + R0) ** 2
    return Estimate(middle, middle - half, middle + half)


def naive_recall(retrieved, unretrieved, level=0.95, side="two-sided"):
    """Wald about the *estimated recall* (W eq. 2), as if from r1 + r0 trials (W eq. 25); as it is."""
    relevant = sum(r for _, _, r in [*retrieved, *unretrieved])
    middle = normal_recall(retrieved, unretrieved).estimate
    return Estimate(middle, *(wald(middle * relevant, relevant, level, side) if relevant else (nan, nan)))


def reported(interval, retrieved, unretrieved, *, more=0, side="two-sided"):
    """(low, high) inside of [0, 1]; ends are forced for the adjusted methods only (W 3.2, 3.3)."""
    _, low, high = interval
    if low != low:
        return mpf(0), mpf(1)
    r1, r0 = (sum(r for _, _, r in strata) for strata in (retrieved, unretrieved))
    return clipped(*(forced(low, high, r1, r0) if more else (low, high)), side)


# The estimator of recall --------------------------------------------------------------------------------


def hypergeometric_pmf(size, relevant, drawn):
    """{k: P(k relevant among the drawn)} (W eq. 6)."""
    ways = comb(size, drawn)
    ks = range(max(0, drawn - (size - relevant)), min(drawn, relevant) + 1)
    return {k: Fraction(comb(relevant, k) * comb(size - relevant, drawn - k), ways) for k in ks}


def recall_estimate(retrieved, unretrieved):
    """(r1 N1/n1) / (r1 N1/n1 + r0 N0/n0) (W eq. 2); None if no relevant document was sampled."""
    R1, R0 = (Fraction(r * N, n) for N, n, r in (retrieved, unretrieved))
    return R1 / (R1 + R0) if R1 + R0 else None
