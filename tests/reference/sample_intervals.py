"""Intervals that look at the sample from outside, slowly: Webber 2013 (W), sections 2.5-2.7 and
3.1-3.4.

One proportion, a number of relevant documents in a finite population, a ratio of proportions,
recall by the normal approximation. A stratum is (size, sampled, relevant), a segment a list of
strata. A level, a prior and the like given as a float mean the decimal that it prints as. `side` is
"two-sided"; "lower" or "upper" bound alone spends the whole of alpha = 1 - level on that end and
leaves the other one open.

The file is longer than 400 lines because every method has its definition here.
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
    """No relevant document in the retrieved sample: from 0; none in the unretrieved one: up to 1 (W
    3.3-3.6)."""
    return (mpf(0) if r1 == 0 else low, mpf(1) if r0 == 0 else high)


def bisect(accepted, inside, outside, near=None):
    """The last accepted point on the way from `inside` to `outside`, to nearly all digits or to
    this part of it."""
    near = 8 * mp.eps if near is None else near
    while abs(outside - inside) > near * max(abs(inside), abs(outside)):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if accepted(middle) else (inside, middle)
    return inside


# One proportion
# -----------------------------------------------------------------------------------------


def wald(x, n, level=0.95, side="two-sided", z=None):
    """p +- z sqrt(p (1-p)/n) (W eq. 11), as it is: may leave [0, 1]."""
    p, z = mpf(x) / n, z_of(level, side) if z is None else z
    half = z * sqrt(p * (1 - p) / n)
    return p - half, p + half


def wilson(x, n, level=0.95, side="two-sided", z=None):
    """Every p whose normal test with its own variance accepts x (W eq. 12)."""
    p, z = mpf(x) / n, z_of(level, side) if z is None else z
    half = z * sqrt((p * (1 - p) + z**2 / (4 * n)) / n)
    return tuple((p + z**2 / (2 * n) + sign * half) / (1 + z**2 / n) for sign in (-1, 1))


def agresti_coull(x, n, level=0.95, side="two-sided", z=None):
    """Wald with z^2/2 more of either kind (W 2.6, below eq. 13: the general form, not the rounded
    2)."""
    z = z_of(level, side) if z is None else z
    return wald(x + z**2 / 2, n + z**2, z=z)


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


def wilson_corrected(x, n, level=0.95, side="two-sided", z=None):
    """Every p whose normal test with its own variance accepts x, moved by 1/2 towards np (Newcombe
    1998, method 4)."""
    z, ends = z_of(level, side) if z is None else z, []
    for sign in (-1, 1):
        count = x + mpf(sign) / 2
        root = z * sqrt(max(mpf(0), count * (1 - count / n) + z**2 / 4))
        ends.append((count + z**2 / 2 + sign * root) / (n + z**2))
    return forced(ends[0], ends[1], x, n - x)


def binomial_tail(n, p, first, last):
    """P(first <= X <= last) of a binomial X."""
    return sum(
        comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(max(0, first), min(n, last) + 1)
    )


def mid_p(x, n, level=0.95, side="two-sided"):
    """Every p with P(X > x) + P(X = x)/2 and P(X < x) + P(X = x)/2 above the tail, by bisection."""
    alpha = number(tail(level, side))

    def low(x):
        return bisect(
            lambda p: binomial_tail(n, p, x + 1, n) + binomial_tail(n, p, x, x) / 2 >= alpha,
            mpf(1),
            mpf(0),
        )

    return low(x) if x else mpf(0), 1 - low(n - x) if x < n else mpf(1)


def blaker(x, n, level=0.95, side="two-sided"):
    """The hull of every p whose acceptability is above alpha (Blaker 2000).

    The acceptability of p below x/n is P(X >= x) and the largest P(X <= y) that is no larger.
    Between the points where y moves on it is smooth, and convex enough to cross alpha upwards once:
    each of these stretches is looked at.
    """
    if side != "two-sided":
        return clopper_pearson(x, n, level, side)

    def low(x):
        start = mpf(0)
        for y in range(-1, x):

            def end_comes(p, y=y):  # from the end on P(X <= y + 1) is no larger
                return binomial_tail(n, p, 0, y + 1) <= binomial_tail(n, p, x, n)

            end = bisect(end_comes, mpf(1), start) if y + 1 < x else mpf(1)

            def accepted(p, y=y):
                return binomial_tail(n, p, x, n) + binomial_tail(n, p, 0, y) > alpha

            if accepted(start):
                return start
            inside = end - (end - start) * mpf(10) ** -15
            if accepted(inside):
                return bisect(accepted, inside, start)
            start = end
        return start

    # Where the acceptability touches alpha, as p² + (1 - p)² does 1/2, its root has half the
    # digits.
    with mp.workdps(2 * mp.dps):
        alpha = 1 - number(level)
        return low(x) if x else mpf(0), 1 - low(n - x) if x < n else mpf(1)


def binomial_interval(x, n, method, level=0.95, side="two-sided"):
    """One of those above as reported: inside of [0, 1], open to the side not asked for; n = 0 says
    nothing."""
    return clipped(*(method(x, n, level, side) if n else (0, 1)), side)


# A finite population
# ------------------------------------------------------------------------------------


def hypergeometric_bounds(x, n, size, level=0.95, side="two-sided"):
    """The smallest and the largest K in 0..size that x relevant of n sampled do not reject.

    The lower test rejects K if P(X >= x | K) <= tail, the upper one if P(X <= x | K) <= tail; X ~
    Hypergeometric. Tails are exact, so a tail of exactly alpha/2 rejects.
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


def hypergeometric_mid_p(x, n, size, level=0.95, side="two-sided"):
    """The same where the sample itself counts half; where no K is left, the two beside the gap."""
    alpha = tail(level, side)

    def above(count):
        ways = [comb(count, k) * comb(size - count, n - k) for k in range(n + 1)]
        return Fraction(2 * sum(ways[x + 1 :]) + ways[x], 2 * comb(size, n))

    possible = range(x, size - n + x + 1)
    low = next((K for K in possible if above(K) > alpha), possible[-1])
    high = next((K for K in reversed(possible) if 1 - above(K) > alpha), possible[0])
    return (min(low, high), max(low, high)) if side == "two-sided" else (low, high)


def hypergeometric_blaker(x, n, size, level=0.95, side="two-sided"):
    """The least and the largest K whose acceptability is above alpha (Blaker 2000), by trying
    all."""
    if side != "two-sided":
        return hypergeometric_bounds(x, n, size, level, side)
    alpha, kept = 1 - exact(level), []
    for K in range(x, size - n + x + 1):
        ways = [comb(K, k) * comb(size - K, n - k) for k in range(n + 1)]
        most = sum(ways)
        tails = [min(sum(ways[k:]), sum(ways[: k + 1])) for k in range(n + 1)]
        # as likely as those whose smaller tail is no larger than that of x
        if (
            Fraction(
                sum(way for way, small in zip(ways, tails, strict=True) if small <= tails[x]), most
            )
            > alpha
        ):
            kept.append(K)
    return kept[0], kept[-1]


def scaled(method):
    """The method for a finite population: z² times (size - n)/(size - 1), the ratio of the
    variances."""

    def ends(x, n, size, level=0.95, side="two-sided"):
        z = z_of(level, side) * sqrt(mpf(size - n) / max(1, size - 1))
        return [min(max(size * end, mpf(x)), mpf(size - n + x)) for end in method(x, n, z=z)]

    return ends


# A ratio of proportions
# ---------------------------------------------------------------------------------


def pearson(x, n, p):
    """(x - np)^2 / (np (1-p)); with x at an end one factor cancels, and p may be there, too."""
    if x in (0, n):
        return n * (p / (1 - p) if x == 0 else (1 - p) / p)
    return (x - n * p) ** 2 / (n * p * (1 - p))


def koopman_chi_square(theta, x, m, y, k):
    """Pearson's chi-square at p1/p2 = theta > 0, with the most likely p1, p2 (Koopman 1984, section
    2.2).

    p1 solves (m+k) p^2 - s p + theta (x+y) = 0, s = theta (m+y) + x + k: the smaller root, without
    its cancellation.
    """
    if x == y == 0:
        return mpf(0)
    s = theta * (m + y) + x + k
    p1 = 2 * theta * (x + y) / (s + sqrt(max(mpf(0), s**2 - 4 * theta * (m + k) * (x + y))))
    return pearson(x, m, min(mpf(1), p1)) + pearson(y, k, min(mpf(1), p1 / theta))


def koopman(x1, n1, x2, n2, level=0.95, side="two-sided", near=None):
    """Every ratio (x1/n1) / (x2/n2) that the chi-square accepts: [low, high], high may be infinite.

    Chi-square is 0 at the observed ratio and grows to both sides. x1 = 0: low is 0; x2 = 0: high is
    infinite. With an empty sample nothing is known of the ratio.
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
        # only where the observed ratio is 0 or infinite: 1 may be far from it
        while not accepted(theta):
            theta /= factor
        while accepted(theta * factor):
            theta *= factor
        return bisect(accepted, theta, theta * factor, near)

    if x1 and side != "upper":
        low = end(mpf(1) / 2)
    if x2 and side != "lower":
        high = end(mpf(2))
    return low, high


def koopman_recall(retrieved, unretrieved, level=0.95, side="two-sided"):
    """Recall = 1 / (1 + theta N0/N1), theta = pi0/pi1 (W 3.4); one stratum each, both of them not
    empty.

    W's forced ends come by themselves: r1 = 0 makes theta unbounded, r0 = 0 lets it begin at 0. A
    segment that was sampled whole has a known proportion: the chi-square is then that of the other
    one, whose interval is Wilson's.
    """
    (N1, n1, r1), (N0, n0, r0) = retrieved, unretrieved
    if n1 == N1 and n0 == N0:
        return (mpf(r1) / (r1 + r0),) * 2
    if n1 == N1 or n0 == N0:
        (least1, most1), (least0, most0) = (
            (mpf(r), mpf(r)) if n == N else [N * end for end in wilson(r, n, level, side)]
            for N, n, r in (retrieved, unretrieved)
        )
        low = least1 / (least1 + most0) if least1 > 0 else mpf(0)
        high = most1 / (most1 + least0) if least0 > 0 else mpf(1)
        return clipped(*forced(low, high, r1, r0), side)
    other = {"two-sided": side, "lower": "upper", "upper": "lower"}[side]
    low, high = (
        1 / (1 + theta * N0 / N1) for theta in reversed(koopman(r0, n0, r1, n1, level, other))
    )
    return clipped(low, high, side)


# Recall by the normal distribution
# ----------------------------------------------------------------------


def segment(strata, more=0):
    """Estimated yield of a segment and its variance (W eq. 4, 5, 11, 24, 27), `more` added to
    either count.

    The finite population factor keeps the true n/N. A stratum that was sampled whole (or has no
    documents) adds what was found, and no variance: its yield is known.
    """
    total = variance = mpf(0)
    for N, n, r in strata:
        if n == N:
            total += r
        else:
            p = mpf(r + more) / (n + 2 * more)
            total += N * p
            variance += N**2 * p * (1 - p) / (n + 2 * more) * (1 - mpf(n) / N)
    return total, variance


def normal_recall(retrieved, unretrieved, more=0, level=0.95, side="two-sided"):
    """Recall's midpoint and ends (W eq. 23, 26, 28, 29) as they are: may leave [0, 1].

    `more` is 0 for the MLE, 1 for Laplace, 2 for Agresti-Coull: 2 whatever the level. All nan if
    nothing relevant is expected anywhere.
    """
    (R1, V1), (R0, V0) = segment(retrieved, more), segment(unretrieved, more)
    if R1 + R0 == 0:
        return Estimate(nan, nan, nan)
    middle = R1 / (R1 + R0)
    half = z_of(level, side) * sqrt(V1 * R0**2 + V0 * R1**2) / (R1 + R0) ** 2
    return Estimate(middle, middle - half, middle + half)


def naive_recall(retrieved, unretrieved, level=0.95, side="two-sided"):
    """Wald about the *estimated recall* (W eq. 2), as if from r1 + r0 trials (W eq. 25); as it is.

    Where a stratum was sampled whole, no farther than the least and the greatest recall that are
    possible then.
    """
    relevant = sum(r for _, _, r in [*retrieved, *unretrieved])
    middle = normal_recall(retrieved, unretrieved).estimate
    if not relevant:
        return Estimate(middle, nan, nan)
    low, high = wald(middle * relevant, relevant, level, side)
    if any(N == n > 0 for N, n, _ in [*retrieved, *unretrieved]):
        (r1, rest1), (r0, rest0) = (
            (sum(r for _, _, r in strata), sum(N - n for N, n, _ in strata))
            for strata in (retrieved, unretrieved)
        )
        low = max(low, mpf(r1) / (r1 + r0 + rest0) if r1 else mpf(0))
        high = min(high, mpf(r1 + rest1) / (r1 + rest1 + r0) if r0 else mpf(1))
    return Estimate(middle, low, high)


def reported(interval, retrieved, unretrieved, *, more=0, side="two-sided"):
    """(low, high) inside of [0, 1]; ends are forced for the adjusted methods only (W 3.2, 3.3).

    Where everything was sampled, recall is known: both ends are, whatever the side.
    """
    estimate, low, high = interval
    if all(n == N for N, n, _ in [*retrieved, *unretrieved]) and estimate == estimate:
        return estimate, estimate
    if low != low:
        return mpf(0), mpf(1)
    r1, r0 = (sum(r for _, _, r in strata) for strata in (retrieved, unretrieved))
    return clipped(*(forced(low, high, r1, r0) if more else (low, high)), side)


# Twins for tests/samples/test_methods.py
# --------------------------------------------------------------------------------


def naive_twin(measure, retrieved, unretrieved, level, side):
    """Ends of recall, of one stratum each."""
    assert measure == "recall"
    segments = [retrieved], [unretrieved]
    return reported(naive_recall(*segments, level, side), *segments, side=side)


TWINS = {"naive-binomial": naive_twin}


# The estimator of recall
# --------------------------------------------------------------------------------


def hypergeometric_pmf(size, relevant, drawn):
    """{k: P(k relevant among the drawn)} (W eq. 6)."""
    ways = comb(size, drawn)
    ks = range(max(0, drawn - (size - relevant)), min(drawn, relevant) + 1)
    return {k: Fraction(comb(relevant, k) * comb(size - relevant, drawn - k), ways) for k in ks}


def recall_estimate(retrieved, unretrieved):
    """(r1 N1/n1) / (r1 N1/n1 + r0 N0/n0) (W eq. 2); None if no relevant document was sampled."""
    R1, R0 = (Fraction(r * N, n) for N, n, r in (retrieved, unretrieved))
    return R1 / (R1 + R0) if R1 + R0 else None
