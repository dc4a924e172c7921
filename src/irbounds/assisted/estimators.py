"""Intervals on sums over a finite population of which a judge graded everything and people a
sample: exactly by strata; and what people's labels say alone."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irbounds.assisted.judges import join_neighbours
from irbounds.assisted.population import Population
from irbounds.foundation.errors import InputError
from irbounds.queries.student import quantile
from irbounds.samples.posterior.convolution import Part, open_parts, parts_law

if TYPE_CHECKING:
    from irbounds.typing import ArrayLike

PRIOR = 0.5  # of relevant, and of other documents, in each stratum (Jeffreys)
# Up to so many deviations nothing is moved.  A move of d deviations costs about 0.11 d² of
# coverage, φ(1.96) 1.96 d²: 0.001 for this one.
FORGIVEN = 0.1
SAME = 1e-9  # relative: weights that differ in no more are equal

Pair = tuple[float, float]


class Ends(NamedTuple):
    """An interval, before anything is said about it."""

    estimate: float
    low: float
    high: float


class Strata(NamedTuple):
    """Groups of pairs: names, the group of each pair, and counts."""

    grade: np.ndarray  # the lowest of each group
    group: np.ndarray
    size: np.ndarray
    sampled: np.ndarray


def strata_of(p: Population, least: int = 0) -> Strata:
    """A stratum for each of the judge's grades; those with fewer than `least` labels join the next
    lower one, the lowest ones the next higher one."""
    grade, group = np.unique(p.grade, return_inverse=True)
    joined = join_neighbours(np.bincount(group[p.is_labelled], minlength=grade.size), least)
    group = joined[group]
    first = np.searchsorted(joined, np.arange(joined[-1] + 1)) if grade.size else np.zeros(0, int)
    return Strata(
        grade[first],
        group,
        np.bincount(group, minlength=first.size),
        np.bincount(group[p.is_labelled], minlength=first.size),
    )


def is_equally_weighted(p: Population) -> bool:
    """Whether all weights are equal but for their signs, and gains are 0 or 1: then the measure is
    a count."""
    size = np.abs(p.weight)
    return bool(
        size.max() <= size.min() * (1 + SAME)
        and p.most_gain == 1.0
        and np.isin(p.label[p.is_labelled], (0.0, 1.0)).all()
    )


class Cells(NamedTuple):
    """Strata, apart for weights above and below 0: signs, and numbers of pairs, labels, and labels
    that add to the measure: relevant ones, below 0 other ones."""

    sign: np.ndarray
    size: np.ndarray
    sampled: np.ndarray
    adding: np.ndarray

    @property
    def parts(self) -> list[Part]:
        """The labels that add, the pairs without a label, and the posterior's parameters."""
        return list(
            zip(
                self.adding.tolist(),
                self.unseen.tolist(),
                (PRIOR + self.adding).tolist(),
                (PRIOR + self.sampled - self.adding).tolist(),
                strict=True,
            )
        )

    @property
    def unseen(self) -> np.ndarray:
        """The pairs without a label."""
        return self.size - self.sampled

    @property
    def subtracted(self) -> float:
        """Relevant pairs of weight -w count like other ones of weight w, less all of them."""
        return float(self.size[self.sign < 0].sum())


def cells_of(p: Population) -> Cells:
    """The strata by the judge's grades and the signs of weights."""
    grade, group = np.unique(p.grade, return_inverse=True)
    cell, label, is_labelled = 2 * group + (p.weight > 0), p.label, p.is_labelled
    most = 2 * grade.size
    size = np.bincount(cell, minlength=most).astype(float)
    sampled = np.bincount(cell[is_labelled], minlength=most).astype(float)
    relevant = np.bincount(cell[is_labelled], label[is_labelled], most)
    sign = np.tile([-1.0, 1.0], grade.size)
    is_used = size > 0
    adding = np.where(sign > 0, relevant, sampled - relevant)
    return Cells(*(each[is_used] for each in (sign, size, sampled, adding)))


def by_strata(p: Population, alpha: float, is_adjusted: bool = False) -> Ends:
    """The posterior of a count, exact: beta-binomials of grade and sign; with its ends moved
    outward where few labels are of one kind, if `is_adjusted`."""
    return both_by_strata(p, alpha)[is_adjusted]


def both_by_strata(p: Population, alpha: float) -> tuple[Ends, Ends]:
    """The posterior's ends, and those moved outward."""
    if not is_equally_weighted(p):
        raise InputError(
            "method 'strata' needs documents that all count alike, as in P@10 without ties at the "
            "cut-off; use method 'model-assisted-adjusted' or 'posterior', or another rule for ties"
        )
    cells, per_unit = cells_of(p), float(1 / np.abs(p.weight).mean())
    if abs(per_unit - round(per_unit)) <= SAME * per_unit:  # 46 documents of 1/46 are 1
        per_unit = round(per_unit)
    mean, (plain, moved) = count_mean(cells), count_ends(cells, alpha)

    def ends_of(estimate: float, ends: Pair) -> Ends:
        return holding(*((x - cells.subtracted) / per_unit for x in (estimate, *ends)))

    return ends_of(mean, plain), ends_of(mean + prior_pull(cells), moved)


def count_mean(cells: Cells) -> float:
    """The posterior mean of the pairs that add."""
    return float(sum(seen + unseen * a / (a + b) for seen, unseen, a, b in cells.parts))


def holding(mean: float, low: float, high: float) -> Ends:
    """An estimate within its interval: the mean of a skewed posterior may lie beyond a quantile, as
    where one pair without a label is relevant with a probability of 0.99 and the interval has no
    width."""
    return Ends(float(min(max(mean, low), high)), float(low), float(high))


def count_ends(cells: Cells, alpha: float) -> tuple[Pair, Pair]:
    """The ends of the posterior of the pairs that add, and those moved outward."""
    law = parts_law(open_parts(cells.parts))
    low, high = law.quantile(alpha), law.quantile(1 - alpha)
    n, size, adding = cells.sampled.sum(), float(cells.size.sum()), cells.adding.sum()
    if cells.subtracted == 0 and 0 < n < size:  # as intervals on precision have it
        low = 0.0 if adding == 0 else low
        high = size if adding == n else high
    return (low, high), moved_outward(cells, alpha, low, high)


def posterior_variance(cells: Cells) -> np.ndarray:
    """The variance of the number of pairs that add, in each cell."""
    unseen, a, b = cells.unseen, PRIOR + cells.adding, PRIOR + cells.sampled - cells.adding
    return np.asarray(unseen * a * b * (a + b + unseen) / ((a + b) ** 2 * (a + b + 1)))


def prior_pull(cells: Cells) -> float:
    """How far the estimate and an end are moved for what the priors of several strata pull them:
    whole pairs, above 0 upward.

    Every stratum's prior of ½ + ½ documents pulls its share towards ½.  One such prior is right,
    k of them are k - 1 too many where shares are not near ½: with four strata, 20 labels and shares
    of 0.88, 95 % intervals cover 88 % (benchmarks/results/assisted.md).  A prior that is
    centred at the share of all labels, p, does not pull.  The difference of the two means, without
    the part of one stratum, is the pull.
    """
    unseen, n, k = cells.unseen, float(cells.sampled.sum()), int((cells.unseen > 0).sum())
    if not n or not k:
        return 0.0
    relevant = np.where(cells.sign > 0, cells.adding, cells.sampled - cells.adding)
    is_seen = cells.sampled > 0
    share = cells.size[is_seen] @ (relevant[is_seen] / cells.sampled[is_seen])
    centre = (n * share / cells.size[is_seen].sum() + PRIOR) / (n + 2 * PRIOR)
    centre = np.where(cells.sign > 0, centre, 1 - centre)
    # The prior of a stratum, one document, pulls its share towards 1/2 by 1/(m + 1) of the
    # distance. The part that a single stratum would have, too, is left out.
    pulled = float((unseen * (centre - PRIOR) / (cells.sampled + 2 * PRIOR)).sum()) * (1 - 1 / k)
    deviation = float(np.sqrt(posterior_variance(cells).sum()))
    return math.copysign(float(np.rint(max(0.0, abs(pulled) - FORGIVEN * deviation))), pulled)


def moved_outward(cells: Cells, alpha: float, low: float, high: float) -> Pair:
    """Ends of a posterior, the one on the side of the nearer bound moved towards it by what the
    priors pull; both, of a difference, where the sample's variance is larger.  If the labels all
    say the same, the other end is the exact bound without a prior, where that is farther."""
    unseen, n = cells.unseen, float(cells.sampled.sum())
    if not n or not unseen.any():
        return low, high
    move = prior_pull(cells)
    below, above = max(0.0, -move), max(0.0, move)
    least, most = float(cells.adding.sum()), float(cells.adding.sum() + unseen.sum())
    if cells.subtracted > 0:
        mean, longer = count_mean(cells), wider_by(cells)
        below, above = max(below, longer * (mean - low)), max(above, longer * (high - mean))
    low, high = max(least, low - np.rint(below)), min(most, high + np.rint(above))
    if cells.subtracted == 0 and least == n:
        low = min(low, most - most_unseen(cells, alpha))
    if cells.subtracted == 0 and least == 0:
        high = max(high, float(most_unseen(cells, alpha)))
    return low, high


def wider_by(cells: Cells) -> float:
    """The part by which the deviation of the sample's estimate, without a prior, exceeds that of
    the posterior; 0 if it does not.

    Where shares are near ½, the posterior's variance is smaller than that of m labels by about
    3/m of it.
    Differences have twice as many cells, with few labels each: without this, 95 % intervals on
    differences of P@10 cover 89 to 92 % with one judge or another, with it 93 % or more in nearly
    all designs (benchmarks/results/assisted.md).
    """
    m, share = cells.sampled, cells.adding / np.maximum(cells.sampled, 1)
    posterior = posterior_variance(cells)
    # Cochran (1977), chapter 5: N (N - m)/m times the unbiased s² = m/(m - 1) p (1 - p).
    by_sample = cells.size * cells.unseen * share * (1 - share) / np.maximum(m - 1, 1)
    total = float(np.where(m > 1, by_sample, posterior).sum())
    return max(0.0, math.sqrt(total / float(posterior.sum())) - 1)


def most_unseen(cells: Cells, alpha: float) -> int:
    """The most pairs of a kind of which a sample has none with a probability of alpha or more,
    however they are spread over the strata: each goes where it lowers the probability least.  A
    probability that differs from alpha by rounding is alpha."""
    factors = []
    for size, n in zip(cells.size.tolist(), cells.sampled.tolist(), strict=True):
        rest = np.arange(size, n, -1.0)
        # Each further pair of the kind multiplies the probability that the sample has none of them
        # by (rest - n)/rest.
        factors.append(np.log1p(-n / rest))
    in_order = np.sort(np.concatenate(factors))[::-1]
    return int((np.cumsum(in_order) >= np.log(alpha) - SAME).sum())


def least_variance(p: Population, is_here: np.ndarray) -> float:
    """The variance of w y among pairs whose labels all agree, as if one of n + 1 were half of the
    least and half of the largest gain: a sample without differences does not show that there are
    none.  0 where labels differ, or where no pair is without a label."""
    labels = p.label[is_here & p.is_labelled]
    if not labels.size or np.ptp(labels) > 0 or labels.size == is_here.sum():
        return 0.0
    share = PRIOR / (labels.size + 1)
    return p.most_gain**2 * share * (1 - share) * float((p.weight[is_here] ** 2).mean())


def human_alone(p: Population, alpha: float, is_adjusted: bool = False) -> Ends:
    """A simple random sample without the judge: Student's t with the correction for a finite
    population, or the posterior of a count."""
    # Without the judge all pairs are of one grade.
    bare = replace(p, grade=np.zeros_like(p.grade), columns=None)
    if is_equally_weighted(p) and (p.weight > 0).all():
        return by_strata(bare, alpha, is_adjusted)
    value = (p.weight * p.label)[p.is_labelled]
    size, n = float(p.weight.size), float(value.size)
    estimate = size * float(value.mean())
    spread = max(float(value.var(ddof=1)), least_variance(bare, np.ones(p.weight.size, bool)))
    # The variance of a total estimated from n of N pairs without replacement: N (N - n) s²/n.
    error = float(np.sqrt(size * (size - n) * spread / n))
    half = quantile(n - 1, alpha) * error
    return clipped(p, Ends(estimate, estimate - half, estimate + half))


def random_sample_width(p: Population, alpha: float) -> float:
    """About the width of an interval by people alone from as many labels, drawn from all pairs at
    random: `human_alone` of a sample that shows what the strata say of all pairs."""
    strata = strata_of(p, 1)
    n, size, is_labelled = int(strata.sampled.sum()), p.weight.size, p.is_labelled
    if n < 2:
        return float("nan")

    def mean_of(values: np.ndarray) -> np.ndarray:
        return np.bincount(strata.group[is_labelled], values[is_labelled]) / strata.sampled

    mean = mean_of(p.label)
    if is_equally_weighted(p) and (p.weight > 0).all():
        adding = np.rint(n * float(strata.size @ mean) / size)
        cells = Cells(*(np.array([each], float) for each in (1, size, n, adding)))
        low, high = count_ends(cells, alpha)[1]
        return (high - low) * float(p.weight.mean())
    # Within a stratum gains do not go with weights, as far as is known.
    sums, squares = (np.bincount(strata.group, p.weight**k) for k in (1, 2))
    second, estimate = float(squares @ mean_of(p.label**2)), float(sums @ mean)
    spread = max(second - estimate**2 / size, 0.0) / (size - 1)
    # As in `human_alone`.
    half = quantile(n - 1, alpha) * float(np.sqrt(size * (size - n) * spread / n))
    ends = clipped(p, Ends(estimate, estimate - half, estimate + half))
    return ends.high - ends.low


def clipped(p: Population, ends: Ends) -> Ends:
    """Within what the pairs without a label leave possible."""
    known = float(p.weight[p.is_labelled] @ p.label[p.is_labelled])
    rest = p.weight[~p.is_labelled] * p.most_gain
    least, most = known + float(np.minimum(rest, 0).sum()), known + float(np.maximum(rest, 0).sum())
    return Ends(*(float(min(max(x, least), most)) for x in ends))


def correlation(x: ArrayLike, y: ArrayLike) -> float:
    """Pearson's; nan where one of the two is constant."""
    a, b = np.asarray(x, float), np.asarray(y, float)
    if a.size < 2 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return float("nan")
    return float(np.corrcoef(a, b)[0, 1])
