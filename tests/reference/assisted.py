"""A judge for all pairs and people for a sample, slowly.

A pair is (weight, grade, gain by people or None). The sum of weight × gain is estimated.
"""

from fractions import Fraction
from itertools import permutations
from itertools import product as cartesian

from mpmath import mpf, sqrt

from .samples import HALF, betabinomial_pmf, convolve


def strata_pmf(pairs):
    """{sum: probability} for gains 0 and 1: in each cell of a grade and a weight the relevant pairs
    without a label are beta-binomial."""
    law = {Fraction(0): 1}
    for weight, grade in sorted({pair[:2] for pair in pairs}):
        labels = [label for w, g, label in pairs if (w, g) == (weight, grade)]
        seen = [label for label in labels if label is not None]
        x = sum(seen)
        cell = betabinomial_pmf(len(labels) - len(seen), x + HALF, len(seen) - x + HALF)
        law = convolve(law, {weight * (x + k): p for k, p in cell.items()})
    return law


def model_assisted(pairs):
    """Estimate and standard error, a stratum for each grade with two labels or more."""
    estimate, variance = mpf(0), mpf(0)
    for grade in sorted({grade for _, grade, _ in pairs}):
        here = [(w, label) for w, g, label in pairs if g == grade]
        sample = [(w, label) for w, label in here if label is not None]
        size, n = len(here), len(sample)
        mean = mpf(sum(label for _, label in sample)) / n
        residuals = [w * (label - mean) for w, label in sample]
        centre = sum(residuals) / n
        estimate += sum(w for w, _ in here) * mean + size * centre
        spread = sum((e - centre) ** 2 for e in residuals) / (n - 1)
        variance += size**2 * (1 - mpf(n) / size) * spread / n
    return estimate, sqrt(variance)


def regression(y, x, size):
    """Estimate of the mean and standard error (Cochran 1977, 7.12): n pairs (y, x) of `size`, all x
    known: x has them, those of the sample first."""
    n = len(y)
    mean_y, mean_x = mpf(sum(y)) / n, mpf(sum(x[:n])) / n
    of_x = sum((a - mean_x) ** 2 for a in x[:n])
    slope = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=False)) / of_x
    rest = sum((b - mean_y - slope * (a - mean_x)) ** 2 for a, b in zip(x, y, strict=False)) / (
        n - 2
    )
    return (
        mean_y + slope * (mpf(sum(x)) / size - mean_x),
        sqrt(rest / n * (1 - mpf(n) / size)),
    )


def trend_within(grades, ranks, labels):
    """The correlation of labels and ranks within grades, and the share of all permutations of
    labels within grades whose correlation is as far from 0."""
    groups = [
        [(x, y) for g, x, y in zip(grades, ranks, labels, strict=True) if g == grade]
        for grade in sorted(set(grades))
    ]

    def product(group, ys):
        x_mean = Fraction(sum(x for x, _ in group), len(group))
        y_mean = Fraction(sum(ys), len(ys))
        return sum((x - x_mean) * (y - y_mean) for (x, _), y in zip(group, ys, strict=True))

    def square(group, i):
        mean = Fraction(sum(pair[i] for pair in group), len(group))
        return sum((pair[i] - mean) ** 2 for pair in group)

    sums = [[product(group, ys) for ys in permutations([y for _, y in group])] for group in groups]
    seen = sum(product(group, [y for _, y in group]) for group in groups)
    totals = [sum(chosen) for chosen in cartesian(*sums)]
    scale = sum(square(group, 0) for group in groups) * sum(square(group, 1) for group in groups)
    return (
        float(seen) / float(scale) ** 0.5,
        sum(abs(total) >= abs(seen) for total in totals) / len(totals),
    )
