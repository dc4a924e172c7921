"""Two systems on the same objects, slowly: from the joint table of truth, label of a, label of b.

The reading: the shares of the eight cells are Dirichlet, that is, proportional to independent
Gammas, X of relevant objects and Y of the others, indexed by the labels of a and b. The table is
`table[truth][a][b]`.

Without a margin F_a > F_b is U > V, where U and V are independent:

    U = (X10 + X11)/(X01 + X11),  V = (Y10 + C)/(Y01 + C),  C = Y11 + b^2 R.

For u > 1, with G = X01 + X11 and W = X01/G, U > u is X10/G > u - 1 + W: an average over W of a tail
of a Beta law. The library integrates a product instead. For u < 1 the same holds of 1/U. Sums are
over equally spaced log odds, in doubles.
"""

from fractions import Fraction
from math import comb

import mpmath
import numpy as np
from mpmath import mp, mpf, sqrt
from scipy.special import betainc, betaln, expit, log_expit

from .beta_laws import below, density, integral

STEP = 0.05  # of log odds, for counts up to some 300: their standard deviations are above 0.08


DEPTH = 38  # powers of a Beta's ends are followed down to e^-38


def grid(low_power, high_power, step):
    """Equally spaced log odds, to where the powers of a Beta's ends have fallen to e^-38."""
    reach = DEPTH / min(low_power, 1) + 20, DEPTH / min(high_power, 1) + 20
    return np.arange(-reach[0], reach[1], step)


def beta_density(t, a, b):
    """Density at t of ln(x/(1-x)), x ~ Beta(a, b)."""
    return np.exp(a * log_expit(t) + b * log_expit(-t) - betaln(a, b))


def ratio(s, first, second, both, step):
    """P((G_first + G_both)/(G_second + G_both) > 1 + e^s), and minus its derivative by s."""
    w = grid(second, both, step)
    weights = beta_density(w, second, both) * step
    k = np.exp(s)[:, None] + expit(w)
    tail = betainc(second + both, first, 1 / (1 + k)) @ weights
    slope = (beta_density(np.log(k), first, second + both) / k) @ weights
    return tail, np.exp(s) * slope


def ratios_ordered(x, y, step):
    """P(U > V): the signs of U - 1 and V - 1, and where they are equal an integral over ln(V - 1),
    or ln(1/U - 1)."""
    (x10, x01, x11), (y10, y01, c) = x, y
    total = betainc(x01, x10, 0.5) * betainc(y10, y01, 0.5)
    for law, other in (((y10, y01, c), (x10, x01, x11)), ((x01, x10, x11), (y01, y10, c))):
        for s in np.array_split(grid(min(law[0] + law[1], 1), law[1] + law[2], step), 20):
            total += step * float(ratio(s, *law, step)[1] @ ratio(s, *other, step)[0])
    return total


def prob_superior(table, measure, prior=0.5, step=STEP):
    """P(M_a > M_b) for precision, recall, F1 and accuracy."""
    (_, y01, y10, y11), (x00, x01, x10, x11) = np.reshape(table, (2, 4)) + prior
    if measure == "recall":
        return betainc(x01, x10, 0.5)
    if measure == "accuracy":
        return betainc(x01 + y10, x10 + y01, 0.5)
    c = y11 if measure == "precision" else y11 + x11 + x10 + x01 + x00
    return ratios_ordered((x10, x01, x11), (y10, y01, c), step)


def mixed_share_above(j, t, y, r, beta):
    """P(T/(T + 2 (Y + b^2 R)) > j): R below b^-2 (T (1-j)/(2j) - Y), over S = T/(T + Y) beyond
    where that is 0."""
    j, b2 = mp.convert(j), mp.convert(beta) ** 2
    low = 2 * j / (1 + j)

    def at_v(v):
        e = mpmath.exp(v)
        odds, slope = mpmath.log((e + low) / (1 - low)), e / (e + low)
        return (
            density(odds, t, y)
            * slope
            * below(mpmath.log(e / (1 + e) * (1 - j) / (2 * j * b2)), r, t + y)
        )

    return integral(at_v)


# Tests and intervals of confidence ------------------------------------------------------------


def mcnemar(wins, losses, method):
    """Two-sided p-value, by counting all outcomes of wins + losses fair coins."""
    n, least = wins + losses, min(wins, losses)
    tail = Fraction(sum(comb(n, k) for k in range(least + 1)), 2**n)
    seen = Fraction(comb(n, least), 2**n)
    if method == "exact":
        return min(Fraction(1), 2 * tail)
    return 2 * (tail - seen / 2) if wins != losses else 1 - seen / 2


def tango_statistic(d, wins, losses, n):
    """Tango's (1998) z of the hypothesis that the difference is d."""
    a, b, c = 2 * n, -wins - losses + (2 * n - wins + losses) * d, -losses * d * (1 - d)
    q = (sqrt(max(mpf(0), b * b - 4 * a * c)) - b) / (2 * a)  # below 0 by rounding alone
    distance, variance = wins - losses - n * d, n * (2 * q + d * (1 - d))
    if variance <= 0:  # at d = -1 and 1, which bisection reaches: any other difference is excluded
        return mpf("inf") * distance if distance else mpf(0)
    return distance / sqrt(variance)


def tango(wins, losses, n, z):
    """The differences at which the statistic is z and -z, by bisection; -1 or 1 where there are
    none."""
    ends = []
    for sign in (1, -1):
        low, high = mpf(-1), mpf(1)
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (
                (middle, high)
                if tango_statistic(middle, wins, losses, n) > sign * z
                else (low, middle)
            )
        ends.append(low)
    return ends


def newcombe(both, wins, losses, n, z):
    """Newcombe's (1998) method 10, as he writes it: e, f, g, h, with l2, u2, l3, u3 of Wilson's
    intervals."""
    e, f, g, h = (mpf(v) for v in (both, wins, losses, n - both - wins - losses))
    n, z = mpf(n), mp.convert(z)

    def wilson(x):
        root = z * sqrt(z * z + 4 * x * (n - x) / n)
        return (2 * x + z * z - root) / (2 * (n + z * z)), (2 * x + z * z + root) / (
            2 * (n + z * z)
        )

    (l2, u2), (l3, u3) = wilson(e + f), wilson(e + g)
    p2, p3 = (e + f) / n, (e + g) / n
    product = (e + f) * (g + h) * (e + g) * (f + h)
    top = e * h - f * g
    if top > n / 2:
        top -= n / 2
    elif top >= 0:
        top = mpf(0)
    phi = top / sqrt(product) if product else mpf(0)
    delta = sqrt((p2 - l2) ** 2 - 2 * phi * (p2 - l2) * (u3 - p3) + (u3 - p3) ** 2)
    epsilon = sqrt((u2 - p2) ** 2 - 2 * phi * (u2 - p2) * (p3 - l3) + (p3 - l3) ** 2)
    return p2 - p3 - delta, p2 - p3 + epsilon


def single_ends(tp, errors, outward, level):
    """Quantiles of Beta(tp + 1/2 ∓ outward, errors + 1/2 ± outward), by bisection; 0 and 1 without
    true positives or errors."""
    half, tail = mpf(1) / 2, (1 - mp.convert(level)) / 2
    ends = []
    for sign, p, known in ((-1, tail, tp == 0), (1, 1 - tail, errors == 0)):
        a, b = tp + half + sign * outward, errors + half - sign * outward
        low, high = mpf(0), mpf(1)
        for _ in range(45):
            middle = (low + high) / 2
            is_below = mp.betainc(a, b, 0, middle, regularized=True) < p
            low, high = (middle, high) if is_below else (low, middle)
        ends.append(mpf(max(sign, 0)) if known else low)
    return ends


def linear_terms(table, measure):
    """The objects of each cell (truth, a, b), and what one of them adds to the linear terms of both
    systems' measures: what it adds to the numerator, less the measure times what it adds to the
    denominator."""
    weight = {"precision": 0.0, "f": 0.5, "recall": 1.0}[measure]
    objects, terms = np.ravel(table).astype(float), []
    truth, *labels = np.indices((2, 2, 2)).reshape(3, 8)
    for label in labels:
        hit, below = truth * label, weight * truth + (1 - weight) * label
        terms.append(hit - (objects @ hit) / (objects @ below) * below)
    return objects, *terms


def correlation(table, measure):
    """The correlation of the linear terms; 0 if one of them has no variance."""
    objects, first, second = linear_terms(table, measure)
    variance = (objects @ first**2) * (objects @ second**2)
    return (objects @ (first * second)) / variance**0.5 if variance > 0 else 0.0


def recovered(table, measure, level, outward, steps=100_000):
    """The interval of a difference from those of both systems: the least and the greatest
    difference on the ellipse of their correlation, whose axes are the distances of the ends."""
    table = np.array(table, float)
    (_, y01, y10, y11), (x00, x01, x10, x11) = np.reshape(table, (2, 4))
    singles = []
    for tp, fp, fn in ((x11 + x10, y11 + y10, x01 + x00), (x11 + x01, y11 + y01, x10 + x00)):
        errors = {"precision": fp, "recall": fn, "f": fp + fn}[measure]
        three = [tp / (tp + errors), *map(float, single_ends(tp, errors, outward, level))]
        singles.append([2 * q / (1 + q) if measure == "f" else q for q in three])
    (p, low_p, high_p), (q, low_q, high_q) = singles
    z = mp.sqrt(2) * mp.erfinv(level)
    more = table.copy()
    more[:, 1, 0] += float(z) ** 2 / 3
    more[:, 0, 1] += float(z) ** 2 / 3
    phi = max(-1.0, min(correlation(table, measure), correlation(more, measure)))
    # with the angles at which x or y is 0, where the axes change
    edges = [np.pi / 2, 3 * np.pi / 2, -np.arcsin(phi), np.pi - np.arcsin(phi)]
    angle = np.append(np.linspace(0, 2 * np.pi, steps), edges)
    x = np.cos(angle)
    y = phi * x + (1 - phi * phi) ** 0.5 * np.sin(angle)
    x *= np.where(x < 0, p - low_p, high_p - p)
    y *= np.where(y < 0, q - low_q, high_q - q)
    return p - q + (x - y).min(), p - q + (x - y).max()
