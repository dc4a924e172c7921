"""Quick second twins, in NumPy's long doubles, of what others compute with mpmath or fractions.

They are for many questions; tests/reference/test_quick_reference.py and the hunter compare them
with the slow ones. None of them is what irbounds does.
"""

from __future__ import annotations

import functools

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

LONG = np.longdouble
HALVINGS = 56  # of [0, 1], to 1e-17


# F and Beta laws
# ----------------------------------------------------------------------------------------------


def f_moment(power, a, b, c, beta):
    """E F^k for F = g X/(g X + w Z + Y), g = 1 + w, w = beta², of gamma variates with the shapes a,
    c and b.

    1/S^k is the integral of u^(k-1) exp(-u S)/Γ(k), so that E F^k, over v = log u, is the integral
    of g^k (a)_k/Γ(k) u^k (1 + g u)^(-a-k) (1 + w u)^(-c) (1 + u)^(-b).  As functions of v these
    have no narrow peak, whatever the shapes; equally spaced terms leave an error of exp(-π²/step).
    """
    a, b, c, w = LONG(a), LONG(b), LONG(c), LONG(beta) ** 2
    g = 1 + w
    scale = -np.log(g * (a + 1) + w * c + b)
    step = LONG(0.2)
    lows = np.arange(scale - 50, scale + 6, step)
    # u^k beyond 1/shapes falls as u^-(a + b + c), and as less where a scale is far
    high = 48 / min(a + b + c, LONG(1)) - min(scale, 0) + abs(np.log(w)) + 6
    v = np.concatenate([lows, np.arange(lows[-1] + step, high, step)])
    logs = (
        power * (v + np.log(g))
        - (a + power) * np.logaddexp(LONG(0), v + np.log(g))
        - c * np.logaddexp(LONG(0), v + np.log(w))
        - b * np.logaddexp(LONG(0), v)
    )
    factor = a if power == 1 else a * (a + 1)
    return factor * np.exp(logs).sum() * step


def log_odds_integral(a, b, low, high):
    """The integral of exp(a t - (a + b) log(share e^t + 1 - share)), share = a/(a + b): the Beta
    law of log odds less log(a/b), not normed, over Gauss panels of a third of a width."""
    a, b = LONG(a), LONG(b)
    width = max(1e-30, min(1.0, float(np.sqrt(1 / a + 1 / b)))) / 2
    x, w = gauss(20)
    total = LONG(0)
    low, high = max(low, -80 / a - 40 * width), min(high, 80 / b + 40 * width)
    if not low < high:
        return total
    edges = np.concatenate([-growing(width, -low)[::-1], growing(width, high)])
    edges = np.unique(np.clip(edges, low, high).astype(LONG))
    middle, half = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2
    t = middle[:, None] + half[:, None] * x
    share = a / (a + b)
    rise = np.where(
        t > 1,
        t + np.log(share + (1 - share) * np.exp(-np.abs(t))),
        np.log1p(share * np.expm1(np.minimum(t, 1))),
    )
    # next to 0 these cancel; the series has the cumulants of an indicator
    v, skew = share * (b / (a + b)), (b - a) / (a + b)
    cumulants = (
        v,
        v * skew,
        v * (1 - 6 * v),
        v * skew * (1 - 12 * v),
        v * (1 - 30 * v + 120 * v**2),
        v * skew * (1 - 60 * v + 360 * v**2),
        v * (1 - 126 * v + 1680 * v**2 - 5040 * v**3),
    )
    near, power = LONG(0), t * t / 2
    for order, cumulant in enumerate(cumulants, 3):
        near = near + cumulant * power
        power = power * t / order
    logs = np.where(np.abs(t) < 4e-3, -(a + b) * near, a * t - (a + b) * rise)
    return ((np.exp(logs) * w).sum(axis=1) * half).sum()


def growing(width, most):
    """0, width, 2 width, ... 30 width, and then steps that grow, to `most`."""
    edges = [width * k for k in range(31)]
    while edges[-1] < most:
        edges.append(edges[-1] * 1.25)
    return np.array(edges)


@functools.cache
def gauss(n):
    """Nodes and weights on [-1, 1]."""
    return np.polynomial.legendre.leggauss(n)


def beta_above_half(a, b):
    """P(X > 1/2), X ~ Beta(a, b)."""
    place = LONG(b) / LONG(a)
    place = float(np.log1p((LONG(b) - a) / a) if 0.5 < place < 2 else np.log(place))
    above = log_odds_integral(a, b, place, np.inf)
    below = log_odds_integral(a, b, -np.inf, place)
    return float(above / (above + below))


def beta_below(a, b, log_odds):
    """P(log odds of X < log_odds), X ~ Beta(a, b)."""
    place = float(LONG(log_odds) - np.log(LONG(a)) + np.log(LONG(b)))
    above = log_odds_integral(a, b, place, np.inf)
    below = log_odds_integral(a, b, -np.inf, place)
    return float(below / (above + below))


# One proportion
# ----------------------------------------------------------------------------------------------


@functools.cache
def log_choose(n):
    """log C(n, k) for all k, of sums of logarithms."""
    logs = np.concatenate([[0], np.cumsum(np.log(np.arange(1, n + 1, dtype=LONG)))])
    return logs[n] - logs - logs[::-1]


def binomial(n, p, first, last, at_first=1.0):
    """P(first <= X <= last), for any array of p; the first outcome counts `at_first`."""
    p = np.asarray(p, LONG)[..., None]
    k = np.arange(max(first, 0), last + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(k > 0, k * np.log(p), 0) + np.where(k < n, (n - k) * np.log1p(-p), 0)
    terms = np.exp(log_choose(n)[k] + logs)
    if k.size and k[0] == first:
        terms[..., 0] *= at_first
    return terms.sum(axis=-1)


def first_true(holds, low, high):
    """Where a condition that is false at `low` and true at `high` begins, by halving; of arrays,
    too."""
    low, high = (np.asarray(value, LONG) for value in (low, high))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        is_true = holds(middle)
        low, high = np.where(is_true, low, middle), np.where(is_true, middle, high)
    return high


def place_of(probability, alpha, most=1.0):
    """Where a probability that grows from 0 is alpha, by Brent's method on logarithms."""

    def excess(p):
        value = probability(p)
        return float(np.log(value / alpha)) if value > 0 else -1e5

    return float(brentq(excess, 0.0, most, xtol=1e-17, rtol=1e-15, maxiter=500))


def tail_of(level, side):
    """The probability outside of each end; the level is a double."""
    return (1 - LONG(level)) / (2 if side == "two-sided" else 1)


def ends_of(low, x, n):
    """Both ends of a method that is the same for the other outcome."""
    return float(low(x)) if x else 0.0, 1 - float(low(n - x)) if x < n else 1.0


def clopper_pearson(x, n, level, side):
    """Every p that neither binomial tail rejects."""
    alpha = tail_of(level, side)
    return ends_of(lambda x: place_of(lambda p: binomial(n, p, x, n), alpha), x, n)


def mid_p(x, n, level, side):
    """The same, the outcome itself counting half."""
    alpha = tail_of(level, side)

    def low(x):
        if x == n and alpha > 0.5:
            return 1.0
        return place_of(lambda p: binomial(n, p, x, n, 0.5), alpha)

    return ends_of(low, x, n)


def jeffreys(x, n, level, side):
    """Quantiles of Beta(x + 1/2, n - x + 1/2), over angles: p = sin², whose density is a product of
    powers of sine and cosine."""
    alpha = tail_of(level, side)
    nodes, weights = gauss(160)

    def low(x):
        odds = x / (n - x) if x < n else np.inf
        peak = np.arctan(np.sqrt(odds))
        top = x * np.log(x / n) + ((n - x) * np.log1p(-x / n) if x < n else 0)

        def held(start, end):
            angle = start + (end - start) * (nodes + 1) / 2
            with np.errstate(divide="ignore"):
                logs = 2 * x * np.log(np.sin(angle)) + 2 * (n - x) * np.log(np.cos(angle))
            return (np.exp(logs - top) * weights).sum() * (end - start) / 2

        below, above = held(0.0, peak), held(peak, np.pi / 2) if x < n else 0.0

        def probability(angle):
            if angle <= peak:
                return held(0.0, angle) / (below + above)
            return (below + held(peak, angle)) / (below + above)

        return np.sin(place_of(probability, float(alpha), np.pi / 2)) ** 2

    return ends_of(low, x, n)


def blaker(x, n, level, side):
    """The hull of every p whose acceptability is above alpha; stretches as in
    sample_intervals.py."""
    if side != "two-sided":
        return clopper_pearson(x, n, level, side)
    alpha = 1 - LONG(level)

    def low(x):
        y = np.arange(-1, x)

        def below(p):  # P(X <= y), each y at its own p
            terms = np.exp(
                log_choose(n)[: x + 1]
                + np.arange(x + 1) * np.log(p)[:, None]
                + (n - np.arange(x + 1)) * np.log1p(-p)[:, None]
            )
            return np.cumsum(terms, axis=1)

        def ended(p):
            through = below(p)
            return through[np.arange(x), np.arange(x)] <= binomial(n, p, x, n)

        tiny = LONG(10) ** -4000
        ends = first_true(ended, np.full(x, tiny), np.full(x, 1 - LONG(2) ** -60))
        return stretches(n, x, y, ends, alpha)

    return ends_of(low, x, n)


def stretches(n, x, y, ends, alpha):
    """The first accepted p.

    The acceptability may touch alpha where a stretch starts, as p² + (1 - p)² does 1/2. Its root
    then has half the digits, so that alpha itself, to the digits of the sum, is accepted there.
    """
    start = LONG(0)
    for i, last in enumerate(y):
        end = ends[i] if last + 1 < x else LONG(1)

        def accepted(p, last=int(last), least=alpha):
            return binomial(n, p, x, n) + (binomial(n, p, 0, last) if last >= 0 else 0) > least

        if accepted(start, least=alpha * (1 - 16 * LONG(2) ** -63)):
            return start
        if accepted(end - (end - start) * LONG(10) ** -15):
            return first_true(accepted, start, end)
        start = end
    return start


# Queries
# ----------------------------------------------------------------------------------------------


def power_of_t(n, effect, cut, sides):
    """P(|T| > cut), or P(T > cut), of a noncentral t variate: the mean of a normal tail over s, the
    ratio of an estimated standard deviation to the true one; sums over v = log s, whose density is
    proportional to exp(nu (v - s²/2))."""
    nu, shift = n - 1, effect * np.sqrt(n)
    width = 1 / np.sqrt(2 * nu)
    step = min(width, 1 / (1 + abs(shift)), 0.5) / 12
    low = -45 / nu - 12 * width
    high = min(12 * width, 2.4)
    total = held = 0.0
    for v in np.array_split(np.arange(low, high, step), max(1, round((high - low) / step / 10**5))):
        s = np.exp(v)
        weights = np.exp(nu * (v - (np.expm1(2 * v)) / 2))
        tails = ndtr(shift - cut * s) + (ndtr(-shift - cut * s) if sides == 2 else 0)
        held += weights.sum()
        total += weights @ tails
    return total / held


def dirichlet_end(values, tail):
    """The place t with P(Σ w_i x_i > t) = 1 - tail, w ~ Dirichlet(1, …, 1): the divided difference
    of query_means.py in whole numbers, whose denominators do not depend on t."""
    bits, apart = 192, 133  # of a place; equal values are moved apart by 2^-133 of the range
    low, span, n = min(values), max(values) - min(values), len(values) - 1
    places: list[int] = []
    for value in values:
        place = round((value - low) * (1 << bits) / span)
        while place in places:
            place += 1 << (bits - apart)
        places.append(place)
    ties = len(values) - len(set(values))
    scale = 1 << (bits * n + apart * (ties + 1) + 64 * n)  # what cancels, and as much again
    weights = []
    for i, own in enumerate(places):
        below = 1
        for j, other in enumerate(places):
            if j != i:
                below *= own - other
        weights.append(scale // below)
    wanted = round((1 - tail) * scale)
    start, end, t = 0, 1 << bits, 1 << (bits - 1)
    while end - start > 1 << (bits - 66):
        total = slope = 0
        for own, weight in zip(places, weights, strict=True):
            if own > t:
                power = (own - t) ** (n - 1) * weight
                slope += power
                total += power * (own - t)
        start, end = (t, end) if total > wanted else (start, t)
        # Newton's step, and a little more, so that the other end comes near as well
        step = (total - wanted) // (n * slope) if slope > 0 else 0
        step += (step >> 10) + (1 << (bits - 68)) * (1 if total > wanted else -1)
        moved = t + step
        t = moved if start < moved < end else (start + end) // 2
    return float(low + span * start / (1 << bits))
