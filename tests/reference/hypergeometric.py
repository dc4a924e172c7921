"""The hypergeometric distribution, slowly: quotients of binomial coefficients, and sums of their
ratios.

`drawn` documents come from `population`, of which `relevant` are relevant; X of the drawn ones are.
Numbers are mpmath's, of 50 digits; at least 25 of them hold.

A sum goes from its largest term outwards. Each term is the one before times a quotient of whole
numbers, kept as a whole number of 2^-192. Sums of more than LONGEST terms are integrals, with the
corrections of Euler and Maclaurin; `tests/reference/test_hypergeometric_reference.py` holds both
against fractions and against each other.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import comb, sqrt

from mpmath import exp, inf, log, log1p, loggamma, mp, mpf, psi, workdps
from mpmath.calculus.quadrature import GaussLegendre

DIGITS = 50
BITS = 192  # of a term; a sum ends with terms of its 2^-96
LONGEST = 20_000  # terms summed one by one
SMALL = 3000  # documents whose binomial coefficients are quick


@dataclass(frozen=True)
class Distribution:
    """P(X = x), P(X <= x), P(X > x) for one x, which may be anything."""

    point: mpf
    below: mpf
    above: mpf


def law(x, population, relevant, drawn, longest=LONGEST):
    """All three: the smaller tail is summed, and the larger one is its complement."""
    with workdps(DIGITS):
        least, most = max(0, relevant + drawn - population), min(relevant, drawn)
        if x < least:
            return Distribution(mpf(0), mpf(0), mpf(1))
        if x > most:
            return Distribution(mpf(0), mpf(1), mpf(0))
        point = probability(x, population, relevant, drawn)
        if x == most:
            return Distribution(point, mpf(1), mpf(0))
        # P(X <= x) is the tail of relevant - X, what is left over: the same law with other letters
        if x * (population + 2) < (relevant + 1) * (drawn + 1):
            below = point * tail(relevant - x, population, relevant, population - drawn, longest)
            return Distribution(point, below, 1 - below)
        above = point * (tail(x, population, relevant, drawn, longest) - 1)
        return Distribution(point, 1 - above, above)


def logs(x, population, relevant, drawn):
    """The logarithms of the three, with the digits that numbers near 1 have no room for."""
    found = law(x, population, relevant, drawn)
    with workdps(DIGITS):
        point = log(found.point) if found.point else -inf
        below, above = (
            (log(one) if one < 0.5 else log1p(-other)) if one else -inf
            for one, other in ((found.below, found.above), (found.above, found.below))
        )
        return Distribution(point, below, above)


def probability(x, population, relevant, drawn):
    """P(X = x) for an x that can be."""
    if population <= SMALL:
        ways = comb(relevant, x) * comb(population - relevant, drawn - x)
        return mpf(ways) / comb(population, drawn)
    with workdps(DIGITS + 20):  # logarithms of up to 20 digits before the point
        return +exp(
            log_choose(relevant, x)
            + log_choose(population - relevant, drawn - x)
            - log_choose(population, drawn)
        )


def log_choose(n, k):
    """log C(n, k)."""
    return loggamma(mpf(n) + 1) - loggamma(mpf(k) + 1) - loggamma(mpf(n - k) + 1)


def tail(x, population, relevant, drawn, longest=LONGEST):
    """P(X >= x) / P(X = x), where terms fall from x on."""
    rest = population - relevant - drawn
    most = min(relevant, drawn)
    ratio = (relevant - x) * (drawn - x) / ((x + 1) * (rest + x + 1))
    spread = (
        sqrt(
            relevant
            / population
            * drawn
            / population
            * (population - relevant)
            * (population - drawn)
            / max(1, population - 1)
        )
        if population
        else 0.0
    )
    if min(most - x, 14 * spread, 90 / max(1 - ratio, 1e-300)) > longest:
        return long_tail(x, population, relevant, drawn, 1 - ratio, spread)
    one = 1 << BITS
    term = total = one
    for k in range(x, most):
        term = term * ((relevant - k) * (drawn - k)) // ((k + 1) * (rest + k + 1))
        if term << 96 < total:
            break
        total += term
    return mpf(total) / one


def long_tail(x, population, relevant, drawn, fall, spread):
    """The same, of a density so wide that its steps hardly count: terms fall by a share of `fall`
    at first."""
    rest = population - relevant - drawn
    # of factorials: gamma(sign x + shift)
    signs = ((1, 1), (-1, relevant + 1), (-1, drawn + 1), (1, rest + 1))

    def log_density(t):
        return -sum(loggamma(sign * t + shift) for sign, shift in signs)

    with workdps(DIGITS + 20):
        start = mpf(x)
        at_start = log_density(start)
        # derivatives of the logarithm: of order m + 1 from polygamma functions
        g = [
            -sum(sign ** (m + 1) * psi(m, sign * start + shift) for sign, shift in signs)
            for m in range(5)
        ]
        first, third, fifth = (
            g[0],
            g[0] ** 3 + 3 * g[0] * g[1] + g[2],
            (
                g[0] ** 5
                + 10 * g[0] ** 3 * g[1]
                + 15 * g[0] * g[1] ** 2
                + 10 * g[0] ** 2 * g[2]
                + 10 * g[1] * g[2]
                + 5 * g[0] * g[3]
                + g[4]
            ),
        )
        width = 3 / (max(fall, 0) + 1 / mpf(spread))
        total, low = mpf(0), start
        while True:
            part = (
                sum(
                    weight * exp(log_density(low + width * (node + 1) / 2) - at_start)
                    for node, weight in nodes()
                )
                * width
                / 2
            )
            total += part
            low += width
            if part < total * mpf(10) ** -32:
                break
        return +(total + mpf(1) / 2 - first / 12 + third / 720 - fifth / 30240)


@lru_cache(1)
def nodes():
    """Gauss and Legendre's, 48 of them."""
    with workdps(DIGITS + 20):
        return GaussLegendre(mp).calc_nodes(5, mp.prec)
