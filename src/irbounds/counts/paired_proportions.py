"""Tests and confidence intervals for the difference of two proportions of the same objects.

There are n objects; `wins` count for the first system alone, `losses` for the second alone, and
`both` for both.
"""

from __future__ import annotations

import numpy as np

from irbounds.foundation.distributions import log_beta_density

MCNEMAR = ("exact", "mid-p", "asymptotic")
# Halvings of an interval of length 1: to 1e-24, below the last digit of any end except 0.
HALVINGS = 80


def mcnemar(wins: np.ndarray, losses: np.ndarray, method: str) -> np.ndarray:
    """Two-sided p-values of the hypothesis that wins are as frequent as losses.

    "exact": twice the binomial tail; "mid-p": the same with half the probability of the observed
    value (Lancaster 1961); "asymptotic": McNemar's chi-square (1947), without a correction.
    """
    from scipy.special import betainc, chdtrc

    n, most = wins + losses, np.maximum(wins, losses)
    if method == "asymptotic":
        chi_square = (wins - losses) ** 2 / np.maximum(n, 1)
        return np.where(n > 0, chdtrc(1, chi_square), 1.0)
    tail = np.where(
        most > 0, betainc(np.maximum(most, 1), n - most + 1, 0.5), 1.0
    )  # P(X >= most), X ~ B(n, 1/2)
    if method == "exact":
        return np.minimum(2 * tail, 1.0)
    # The binomial probability of what was seen, by the density of a Beta variate at 1/2.
    half = np.full(n.shape, 0.5)
    seen = np.exp(log_beta_density(most + 1, n - most + 1, half, half)) / (n + 1)
    return np.where(wins == losses, 1 - seen / 2, 2 * tail - seen)


def newcombe(
    both: np.ndarray, wins: np.ndarray, losses: np.ndarray, n: np.ndarray, z: float
) -> tuple[np.ndarray, np.ndarray]:
    """Newcombe's square-and-add interval (1998, method 10).

    It combines Wilson's intervals of both proportions with their correlation phi, whose numerator
    is reduced by n/2 if it is positive.
    """
    first, second, neither = both + wins, both + losses, n - both - wins - losses
    (low_1, high_1), (low_2, high_2) = (_wilson_distances(x, n, z) for x in (first, second))
    product = both * neither - wins * losses
    product = np.where(product > 0, np.maximum(product - n / 2, 0), product)
    root = np.sqrt(first * second) * np.sqrt((n - first) * (n - second))
    phi = np.where(root > 0, product / np.where(root > 0, root, 1), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        difference = (wins - losses) / n
    low = difference - np.sqrt(np.maximum(low_1**2 - 2 * phi * low_1 * high_2 + high_2**2, 0))
    high = difference + np.sqrt(np.maximum(high_1**2 - 2 * phi * high_1 * low_2 + low_2**2, 0))
    return np.where(n > 0, low, -1.0), np.where(n > 0, high, 1.0)


def _wilson_distances(x: np.ndarray, n: np.ndarray, z: float) -> tuple[np.ndarray, np.ndarray]:
    """The distances of the ends of Wilson's interval from x/n."""
    with np.errstate(divide="ignore", invalid="ignore"):
        p, square = x / n, z * z
        half = z * np.sqrt(p * (1 - p) / n + square / (4 * n * n))
        # The end (p + z²/2n ± half)/(1 + z²/n) less p, with p itself taken out by formula.
        shift = square * (0.5 - p) / n
        return (half - shift) / (1 + square / n), (half + shift) / (1 + square / n)


def tango(
    wins: np.ndarray, losses: np.ndarray, n: np.ndarray, z: float
) -> tuple[np.ndarray, np.ndarray]:
    """Tango's score interval (1998): all differences that the score test does not reject."""
    wins, losses, n = np.broadcast_arrays(wins, losses, n)
    seen = (wins - losses) / np.maximum(n, 1)

    def end(limit: float) -> np.ndarray:
        inside, outside = seen.copy(), np.full(seen.shape, limit)
        for _ in range(HALVINGS):
            middle = (inside + outside) / 2
            is_inside = _score(middle, wins, losses, n) <= z
            inside, outside = (
                np.where(is_inside, middle, inside),
                np.where(is_inside, outside, middle),
            )
        # Halving comes near the limit but never reaches it: whether it belongs is asked by itself.
        return np.where(_score(np.full(seen.shape, limit), wins, losses, n) <= z, limit, inside)

    return np.where(n > 0, end(-1.0), -1.0), np.where(n > 0, end(1.0), 1.0)


def _score(
    difference: np.ndarray, wins: np.ndarray, losses: np.ndarray, n: np.ndarray
) -> np.ndarray:
    """Absolute value of the score statistic; q is the maximum likelihood estimate of the
    probability of a loss, given d.

    For differences below 0 wins and losses are exchanged, so that nothing cancels in the root.
    """
    is_less = difference < 0
    more, fewer = np.where(is_less, losses, wins), np.where(is_less, wins, losses)
    d = np.abs(difference)
    # q is the positive root of 2 n q² + linear q - fewer d (1 - d), in the form without a
    # difference.
    linear = (2 * n - more + fewer) * d - more - fewer
    root = np.sqrt(linear * linear + 8 * n * fewer * d * (1 - d))
    with np.errstate(divide="ignore", invalid="ignore"):
        q = np.where(
            linear > 0, 2 * fewer * d * (1 - d) / (linear + root), (root - linear) / (4 * n)
        )
        distance = np.abs(more - fewer - n * d)
        score = distance / np.sqrt(n * (2 * np.nan_to_num(q) + d * (1 - d)))
    return np.where(distance == 0, 0.0, score)
