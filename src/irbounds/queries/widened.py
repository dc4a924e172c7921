"""Student's interval of a mean within limits, widened for skewness and for values that a sample may
lack: the default.

Either end is the furthest of three, and no further than Gaffke's bound at a smaller level:

- Student's;
- that of a law with a share p of values at the limit, of which the sample has none: the mean moves
  by p times its distance from the limit, and the other values have Student's interval.  Both
  together have the chance `hidden`: (1 - p)^n for none of them, the rest for Student's tail.  For
  an infinite limit they are twice as far from the mean as the furthest value;
- that of a score test whose variance changes with the mean as the skewness γ says, by γ s per unit
  (of zeros and ones this is Wilson's p (1 - p), nearly).

All are continuous in the values, and so is the interval.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irbounds._core.common.exact_sum import column_means
from irbounds.queries.moments import unbiased
from irbounds.queries.student import quantile, upper_tail

if TYPE_CHECKING:
    from irbounds.queries.groups import GroupedMeans
    from irbounds.queries.moments import Moments

# The chance of `hidden` in parts of 1 - level: 0.7 + 2/n + 60/n² + 20,000/n⁴, at most 1.7. With
# what the other end misses, coverage is 0.93 or more from 25 queries on, 0.90 at 10 to 20, 0.88 at
# 5; with 2 it is 0.88 at 10 to 20. A smaller chance widens intervals that need none: those of
# Beta(5, 2) by 14 % at 10 queries and 1.15, by 7 % here, and by 4 % to 5 % at 11 to 25.
PARTS, MOST_PARTS = (0.7, 2.0, 60.0, 0.0, 20_000.0), 1.7
# Groups whose sizes differ: one that the sample lacks may be as large as the largest one in it.
# With the parts above and the mean size, 14 and 20 groups held the mean in 0.83 to 0.89 where many
# samples lack the few large groups, which score apart.
PARTS_OF_GROUPS = 1.0
STEPS = 8  # of p; twice as many widen no interval by more than 0.3 %
# Of Gaffke's bound: his tail times so much is at most 5 % further away, and approximate.
OF_GAFFKE = 0.8
# Without a limit: ends of normal values are 3 % further away by it, and with 25 queries those of
# exponential values 32 %, where t's end is too near in 0.072 of the samples and this one in 0.043.
BEYOND = 2.0


class Reach(NamedTuple):
    """The parts of the ends, by n and level.

    Attributes
    ----------
    rows : tuple of pair of float
        Shares p, and factors of the standard deviation: Student's own is first, with p = 0.
    score, gaffke : float
        Normal quantiles: of the score test, and of the bound.
    skewness, distance : float
        Up to which the score test's end is no further than Student's; and that of values which the
        sample lacks, in standard deviations.
    """

    rows: tuple[tuple[float, float], ...]
    score: float
    gaffke: float
    skewness: float
    distance: float


@lru_cache(maxsize=512)
def reach(n: float, tail: float, sides: int, heaviest: float = 0.0) -> Reach:
    """That of intervals with `tail` outside of each of so many ends; `heaviest` is the share of the
    largest group where sizes differ.

    Student's tails end at P(T > -0.9): with t > -1 an end moves outward if any value does, as s/√n
    grows by no more than the mean.
    """
    freedom, root = max(n - 1, 1), math.sqrt(n)
    parts = min(sum(part / n**i for i, part in enumerate(PARTS)), MOST_PARTS)
    hidden = min(sides * tail * (PARTS_OF_GROUPS if heaviest else parts), 0.5)
    lacked = heaviest or 1 / n  # of the weights, by one unit that the sample lacks
    last = upper_tail(freedom, -0.9)
    rows = [(0.0, quantile(freedom, tail) / root)]
    for step in range(STEPS):
        own = hidden * (last / hidden) ** (step / (STEPS - 1))
        kept = (hidden / own) ** lacked  # 1 - p
        rows.append((1 - kept, kept * quantile(freedom, own) / root))
    score, gaffke = (quantile(math.inf, each) for each in (hidden, OF_GAFFKE * tail))
    own, square = rows[0][1], score * score / n
    skewness = (own / square - 1 / own) if own > 0 and square > 0 else -math.inf
    # the first row after Student's has no share: its factor is that of the tail `hidden`
    distance = min((own - factor) / share for share, factor in rows[2:])
    distance = distance if own >= rows[1][1] else -math.inf
    return Reach(tuple(rows), score, gaffke, skewness, distance)


class Ends(NamedTuple):
    """By column: both ends, those of Student's interval, and whether they are the same."""

    low: np.ndarray
    high: np.ndarray
    raw_low: np.ndarray
    raw_high: np.ndarray
    are_students: list[bool]


def widened_ends(
    values: np.ndarray, moments: Moments, limits: tuple[float, float], tail: float, sides: int
) -> Ends:
    """Those of columns; a limit may be infinite."""
    n, (least, most) = len(values), limits
    parts = reach(n, tail, sides)
    factor = parts.rows[0][1]
    margins = []
    columns = list(zip(*(moment.tolist() for moment in moments), strict=True))
    skewed = skewness_of(values, moments, columns, parts)
    for (mean, spread, lowest, highest), skew in zip(columns, skewed, strict=True):
        near, far = mean - least, most - mean
        below = margin(n, near, far, mean - lowest, spread, -skew, parts)
        above = margin(n, far, near, highest - mean, spread, skew, parts)
        margins.append((below, above, factor * spread))
    low, high, own = np.array(margins, float).reshape(-1, 3).T
    are_students = [below == above == students > 0 for below, above, students in margins]
    center = moments.mean
    return Ends(center - low, center + high, center - own, center + own, are_students)


def widened_grouped(
    means: GroupedMeans, of_groups: np.ndarray, limits: tuple[float, float], tail: float, sides: int
) -> Ends:
    """Those of means over queries in groups, as of so many equal groups as have their degrees of
    freedom; `of_groups` are the means of the groups.

    With all groups counted, intervals of 14 groups of zeros and ones, of 2 or 40 queries each or of
    lognormal sizes, covered .88 to .93 at a correlation of .5; with this count .95 and more.
    """
    n, (least, most) = means.n, limits
    parts = reach(n, tail, sides, float(means.sizes.max() / means.sizes.sum()))
    spread = means.spread
    skewness = means.skewness * unbiased(max(n, 3.0))
    students = means.margins(tail)
    columns = (
        means.mean,
        spread,
        skewness,
        of_groups.min(axis=0),
        of_groups.max(axis=0),
        *students,
    )
    margins, are_students = [], []
    for center, s, skew, lowest, highest, *own in zip(
        *map(np.ndarray.tolist, columns), strict=True
    ):
        near, far = center - least, most - center
        below = max(margin(n, near, far, center - lowest, s, -skew, parts), min(own[0], near))
        above = max(margin(n, far, near, highest - center, s, skew, parts), min(own[1], far))
        margins.append((below, above))
        are_students.append(own[0] >= below > 0 and own[1] >= above > 0)
    low, high = np.array(margins, float).reshape(-1, 2).T
    center = means.mean
    return Ends(
        center - low, center + high, center - students[0], center + students[1], are_students
    )


def margin(
    n: float, near: float, far: float, seen: float, spread: float, skew: float, parts: Reach
) -> float:
    """How far an end is from the mean, which is `near` its limit and `far` from the other one; the
    furthest value on that side is as far as `seen`.

    The score test has (μ - mean)² = z² (s² + γ s (μ - mean))/n.
    """
    half = parts.score * parts.score * skew / (2 * n)
    found = spread * (half + math.sqrt(half * half + parts.score * parts.score / n))
    is_open = math.isinf(near)
    lacked = BEYOND * seen if is_open else near
    found = max(found, parts.rows[0][1] * spread)
    if lacked > parts.distance * spread:
        found = max(found, max([share * lacked + factor * spread for share, factor in parts.rows]))
    if is_open:
        return found if spread > 0 else near
    if not near > 0:
        return 0.0
    return min(found, near - gaffke_end(n, near, far, spread, parts.gaffke))


def gaffke_end(n: float, near: float, far: float, spread: float, z: float) -> float:
    """How far Gaffke's bound is from the limit.

    It is a quantile of the mean with random weights, of n values and one at the limit, here of the
    Beta law with the same mean and variance, which it is for zeros and ones.  Its quantile is that
    of F in the cube root of Wilson & Hilferty (1931), as Paulson (1942):
    (1 - B) u - (1 - A) = -z √(u² B + A), with A and B one over nine times the parameters.
    """
    mean = n / (n + 1) * near
    share = mean / (near + far)
    ratio = spread / near
    variance = ((n * n - 1) / (n * n) * ratio * ratio + 1 / n) / (n + 2)  # over the mean's square
    first = (1 - share) / variance - share
    if not first > 0:
        return 0.0
    a, b = 1 / (9 * first), share / (9 * first * (1 - share))
    root = z * math.sqrt(max(a * (1 - b) ** 2 + b * (1 - a) ** 2 - z * z * a * b, 0.0))
    numerator, denominator = (1 - a) ** 2 - z * z * a, (1 - a) * (1 - b) + root
    if not (numerator > 0 and denominator > 0):
        return 0.0
    cube = (numerator / denominator) ** 3
    return mean * cube / (1 - share + cube * share)


def skewness_of(
    values: np.ndarray,
    moments: Moments,
    columns: list[tuple[float, float, float, float]],
    parts: Reach,
) -> list[float]:
    """By column, without its bias under a normal law; 0 of equal values and of two, and where no
    column's can move an end: with d the distance of the furthest value, in standard deviations of
    the sample, it is at most d - 1/d."""
    n, spread = len(values), moments.spread
    if n < 3:
        return [0.0] * values.shape[1]
    factor = unbiased(n)
    most = parts.skewness / factor
    if all(is_narrow(n, most, *column) for column in columns):
        return [0.0] * values.shape[1]
    away = values - moments.mean
    away /= spread if all(spread.tolist()) else np.where(spread > 0, spread, math.inf)
    return [factor * third for third in column_means(away * away * away).tolist()]


def is_narrow(
    n: int, skewness: float, mean: float, spread: float, lowest: float, highest: float
) -> bool:
    """Whether the skewness of values can not exceed this one."""
    if not spread > 0:
        return True
    furthest = max(highest - mean, mean - lowest) / (spread * math.sqrt((n - 1) / n))
    return furthest - 1 / furthest <= skewness
