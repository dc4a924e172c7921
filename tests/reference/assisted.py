"""A judge for all pairs and people for a sample, slowly.

A pair is (weight, grade, gain by people or None). The sum of weight × gain is estimated.
"""

from fractions import Fraction
from itertools import permutations
from itertools import product as cartesian
from math import comb, prod

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


def prior_pull(pairs):
    """How far the estimate and an end move: the difference of two means of the unlabelled pairs,
    with priors centred at the share of all labels and at a half, less the part of one stratum and
    a tenth of the deviation, as a whole number.

    A pair has the weight 1 or -1.
    """
    n = sum(label is not None for _, _, label in pairs)
    groups, seen = _cells(pairs)
    if n in (0, len(pairs)):
        return 0
    total = sum(len(group) for group, labels in zip(groups.values(), seen, strict=True) if labels)
    share = sum(
        Fraction(len(group) * sum(labels), len(labels))
        for group, labels in zip(groups.values(), seen, strict=True)
        if labels
    )
    centre = (n * share / total + HALF) / (n + 1)
    pulled, variance, n_open = Fraction(0), Fraction(0), 0
    for ((weight, _), group), labels in zip(groups.items(), seen, strict=True):
        unseen, m = len(group) - len(labels), len(labels)
        n_open += unseen > 0
        pulled += weight * unseen * (centre - HALF) / (m + 1)
        p = (sum(labels) + HALF) / (m + 1)
        variance += unseen * p * (1 - p) * (m + 1 + unseen) / (m + 2)
    pulled *= 1 - Fraction(1, n_open)
    move = round(max(0.0, abs(float(pulled)) - 0.1 * float(variance) ** 0.5))
    return move if pulled > 0 else -move


def _cells(pairs):
    """The labels of each weight and grade, with those of None and without."""
    groups = {}
    for weight, grade, label in sorted(pairs, key=lambda pair: pair[:2]):
        groups.setdefault((weight, grade), []).append(label)
    return groups, [[label for label in group if label is not None] for group in groups.values()]


def wider_by(pairs):
    """The part by which the sample's deviation is greater than the posterior's."""
    groups, seen = _cells(pairs)
    variance = of_sample = Fraction(0)
    for group, labels in zip(groups.values(), seen, strict=True):
        unseen, m = len(group) - len(labels), len(labels)
        p = (sum(labels) + HALF) / (m + 1)
        of_cell = unseen * p * (1 - p) * (m + 1 + unseen) / (m + 2)
        variance += of_cell
        if m > 1:  # N² (1 - m/N) s²/m
            y = Fraction(sum(labels), m)
            square = sum((label - y) ** 2 for label in labels) / (m - 1)
            of_cell = len(group) ** 2 * (1 - Fraction(m, len(group))) * square / m
        of_sample += of_cell
    return max(0.0, float(of_sample / variance) ** 0.5 - 1)


def moved_outward(pairs, low, high, alpha):
    """Ends, as counts less than the pairs of weight below 0, moved by what the priors pull, and of
    differences by what the sample's deviation is greater than the posterior's.

    A pair has the weight 1 or -1.
    """
    groups, seen = _cells(pairs)
    if sum(map(len, seen)) in (0, len(pairs)):
        return low, high
    move = prior_pull(pairs)
    moves = {-1: max(0.0, -move), 1: max(0.0, move)}
    if any(weight < 0 for weight, _ in groups):
        mean, longer = sum(x * p for x, p in strata_pmf(pairs).items()), wider_by(pairs)
        for side, end in ((-1, low), (1, high)):
            moves[side] = max(moves[side], longer * side * float(end - mean))
    added = sum(y if w > 0 else -y for w, _, y in pairs if y is not None)
    least = added - sum(w < 0 and y is None for w, _, y in pairs)
    most = added + sum(w > 0 and y is None for w, _, y in pairs)
    low, high = max(least, low - round(moves[-1])), min(most, high + round(moves[1]))
    labels = {y for _, _, y in pairs if y is not None}
    if len(labels) == 1 and all(w > 0 for w, _, _ in pairs):
        sizes = [(len(group), len(some)) for group, some in zip(groups.values(), seen, strict=True)]
        if labels == {1}:
            low = min(low, len(pairs) - most_unseen(sizes, alpha))
        else:
            high = max(high, most_unseen(sizes, alpha))
    return low, high


def most_unseen(sizes, alpha):
    """The most pairs of a kind that samples of strata (size, sampled) miss altogether with a
    probability of alpha or more, over all ways to spread them.  An alpha of 0.2 is 1/5."""
    alpha = Fraction(alpha).limit_denominator(10**6)
    return max(
        sum(missed)
        for missed in cartesian(*(range(size - n + 1) for size, n in sizes))
        if prod(
            Fraction(comb(size - m, n), comb(size, n))
            for (size, n), m in zip(sizes, missed, strict=True)
        )
        >= alpha
    )


def pair_score(columns):
    """The mean over judges of the share of pairs graded lower, and half of those graded alike."""
    n = len(columns[0])
    return [
        sum(
            Fraction(sum(x < row[i] for x in row) * 2 + row.count(row[i]), 2 * n) for row in columns
        )
        / len(columns)
        for i in range(n)
    ]


def model_assisted(pairs, most=1):
    """Estimate and standard error, a stratum for each grade with two labels or more.

    Labels of a stratum that all agree are taken as n + 1, one of them half 0 and half `most`.
    """
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
        if len({label for _, label in sample}) == 1 and n < size:
            p = mpf(1) / (2 * (n + 1))
            square = sum(w**2 for w, _ in here) / mpf(size)
            spread = max(spread, most**2 * p * (1 - p) * square)
        variance += size**2 * (1 - mpf(n) / size) * spread / n
    return estimate, sqrt(variance)


def fitted(y, x):
    """Intercept and slope of least squares."""
    n = len(y)
    mean_y, mean_x = mpf(sum(y)) / n, mpf(sum(x[:n])) / n
    of_x = sum((a - mean_x) ** 2 for a in x[:n])
    slope = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=False)) / of_x
    return mean_y - slope * mean_x, slope


def regression(y, x, size):
    """Estimate of the mean and standard error, n pairs (y, x) of `size`, all x known: x has them,
    those of the sample first.

    The larger one of two errors: that of the prediction of the mean by a line with equal
    variances, of a finite population (Cochran 1977, 7.12, and the slope's own error), and that of
    MacKinnon and White (1985), HC3, by residuals from lines without the unit.
    """
    n = len(y)
    intercept, slope = fitted(y, x)
    at = mpf(sum(x)) / size
    rest = sum((b - intercept - slope * a) ** 2 for a, b in zip(x, y, strict=False)) / (n - 2)
    mean_x = mpf(sum(x[:n])) / n
    of_slope = (at - mean_x) ** 2 / sum((a - mean_x) ** 2 for a in x[:n])
    finite, infinite = (1 - mpf(n) / size) / n + of_slope, mpf(1) / n + of_slope
    robust = 0
    for i in range(n):
        unit = fitted([int(j == i) for j in range(n)], x)
        others = [j for j in range(n) if j != i]
        if len({x[j] for j in others}) > 1:
            alone = fitted([y[j] for j in others], [x[j] for j in others])
            robust += (unit[0] + unit[1] * at) ** 2 * (y[i] - alone[0] - alone[1] * x[i]) ** 2
    variance = max(rest * finite, robust * finite / infinite)
    return intercept + slope * at, sqrt(variance)


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
