"""Intervals on sums over a finite population of which a judge graded everything and people a
sample: exactly by strata, by draws within strata, model-assisted, and by regression."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from irbounds.assisted.judges import join_neighbours
from irbounds.assisted.population import Population
from irbounds.foundation.errors import InputError
from irbounds.samples.sums import Part, open_parts, parts_law

PRIOR = 0.5  # of relevant, and of other documents, in each stratum (Jeffreys)
# A move of d deviations costs about 0.11 d² of coverage, φ(1.96) 1.96 d²: 0.001 for this one.
FORGIVEN = 0.1
SAME = 1e-9  # relative: weights that differ in no more are equal
# Draws take one multinomial for each stratum and weight, 10^6 of them for a ranking of 10^6
# documents.  Beyond MOST_WEIGHTS, neighbouring weights join at their mean, each group with about
# the same part of the sums of |w| and w².  The mean of draws stays.  Their variance, given shares,
# lost 0.0013 of itself at most, for DCG at up to 10^6 ranks, RBP, differences of both, and uniform
# and log-uniform weights; 20,000 draws have an error of 0.01 there.
MOST_WEIGHTS = 64
MANY_LEVELS = 32  # gains by a judge: one with more has scores, which are not on people's scale

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
            "cut-off; use method 'model-assisted' or 'posterior', or another rule for ties"
        )
    cells, per_unit = cells_of(p), float(1 / np.abs(p.weight).mean())
    if abs(per_unit - round(per_unit)) <= SAME * per_unit:  # 46 documents of 1/46 are 1
        per_unit = round(per_unit)
    mean = sum(seen + unseen * a / (a + b) for seen, unseen, a, b in cells.parts)
    plain, moved = (
        holding(*((x - cells.subtracted) / per_unit for x in (mean, *ends)))
        for ends in count_ends(cells, alpha)
    )
    return plain, moved


def holding(mean: float, low: float, high: float) -> Ends:
    """An estimate within its interval: the mean of a skewed posterior may lie beyond a quantile, as
    where one pair without a label is relevant with a probability of 0.99 and the interval has no
    width."""
    return Ends(min(max(mean, low), high), low, high)


def count_ends(cells: Cells, alpha: float) -> tuple[Pair, Pair]:
    """The ends of the posterior of the pairs that add, and those moved outward."""
    law = parts_law(open_parts(cells.parts))
    low, high = law.quantile(alpha), law.quantile(1 - alpha)
    n, size, adding = cells.sampled.sum(), float(cells.size.sum()), cells.adding.sum()
    if cells.subtracted == 0 and 0 < n < size:  # as intervals on precision have it
        low = 0.0 if adding == 0 else low
        high = size if adding == n else high
    return (low, high), moved_outward(cells, alpha, low, high)


def moved_outward(cells: Cells, alpha: float, low: float, high: float) -> Pair:
    """Ends of a posterior, the one on the side of the nearer bound moved towards it by what the
    priors of several strata pull the posterior from it.

    Every stratum's prior of ½ + ½ documents pulls its share towards ½.  One such prior is right,
    k of them are k - 1 too many where shares are not near ½: with four strata, 20 labels and shares
    of 0.88, 95 % intervals cover 88 % (benchmarks/results/assisted_exact.md).  A prior that is
    centred at the share of all labels, p, does not pull.  The difference of the two means, without
    the part of one stratum, is the move.  Up to `FORGIVEN` deviations nothing is moved.  If the
    labels all say the same, the other end is the exact bound without a prior, where that is
    farther.
    """
    unseen, n, k = cells.unseen, float(cells.sampled.sum()), int((cells.unseen > 0).sum())
    if not n or not unseen.any():
        return low, high
    a, b = PRIOR + cells.adding, PRIOR + cells.sampled - cells.adding
    relevant = np.where(cells.sign > 0, cells.adding, cells.sampled - cells.adding)
    is_seen = cells.sampled > 0
    share = cells.size[is_seen] @ (relevant[is_seen] / cells.sampled[is_seen])
    centre = (n * share / cells.size[is_seen].sum() + PRIOR) / (n + 2 * PRIOR)
    centre = np.where(cells.sign > 0, centre, 1 - centre)
    # The prior of a stratum, one document, pulls its share towards 1/2 by 1/(a + b) of the
    # distance. The part that a single stratum would have, too, is left out.
    pulled = float((unseen * (centre - PRIOR) / (a + b)).sum()) * (1 - 1 / max(k, 1))
    variance = unseen * a * b * (a + b + unseen) / ((a + b) ** 2 * (a + b + 1))
    move = np.rint(max(0.0, abs(pulled) - FORGIVEN * float(np.sqrt(variance.sum()))))
    least, most = float(cells.adding.sum()), float(cells.adding.sum() + unseen.sum())
    if pulled > 0:
        high = min(most, high + move)
    else:
        low = max(least, low - move)
    if cells.subtracted == 0 and least == n:
        low = min(low, most - most_unseen(cells, alpha))
    if cells.subtracted == 0 and least == 0:
        high = max(high, float(most_unseen(cells, alpha)))
    return low, high


def most_unseen(cells: Cells, alpha: float) -> int:
    """The most pairs of a kind of which a sample has none with a probability of alpha or more,
    however they are spread over the strata: each goes where it lowers the probability least."""
    factors = []
    for size, n in zip(cells.size.tolist(), cells.sampled.tolist(), strict=True):
        rest = np.arange(size, n, -1.0)
        # Each further pair of the kind multiplies the probability that the sample has none of them
        # by (rest - n)/rest.
        factors.append(np.log1p(-n / rest))
    in_order = np.sort(np.concatenate(factors))[::-1]
    return int((np.cumsum(in_order) >= np.log(alpha)).sum())


def by_draws(
    p: Population, alpha: float, draws: int, rng: np.random.Generator
) -> tuple[Ends, np.ndarray]:
    """The posterior of a weighted sum: in each stratum gains have a Dirichlet posterior whose prior
    weighs one document, whatever the weights; and the draws.

    Weights above and below 0 are strata of their own: within a grade, documents that the better run
    ranks higher are relevant more often.  By grades alone, 95 % intervals on differences of DCG@10
    and RBP@10 covered 24 to 33 % in the mean of 11 judges.
    """
    levels = gain_levels(p)
    group = 2 * strata_of(p).group + (p.weight > 0)
    total = np.full(draws, float(p.weight[p.is_labelled] @ p.label[p.is_labelled]))
    mean = total[0]
    for each in np.unique(group).tolist():
        is_here = group == each
        labels = p.label[is_here & p.is_labelled]
        seen = (labels[:, None] == levels).sum(axis=0)
        # One document of the prior, divided among the levels.
        alphas = 1 / levels.size + seen
        shares = rng.dirichlet(alphas, draws) if levels.size > 1 else np.ones((draws, 1))
        weight, counts = joined_weights(p.weight[is_here & ~p.is_labelled])
        for w, count in zip(weight.tolist(), counts.tolist(), strict=True):
            total += w * (rng.multinomial(count, shares) @ levels)
            mean += w * count * float(alphas @ levels) / alphas.sum()
    low, high = np.quantile(total, [alpha, 1 - alpha])
    return holding(float(mean), float(low), float(high)), total


def gain_levels(p: Population) -> np.ndarray:
    """The gains that the prior allows: 0, people's, and the judge's unless these are scores."""
    judged = np.unique(p.judged)
    if judged.size > MANY_LEVELS:
        judged = judged[:0]
    return np.unique(np.concatenate([[0.0], p.label[p.is_labelled], judged]))


def joined_weights(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights of one sign and how often each occurs, at most about `MOST_WEIGHTS` of them."""
    # Weights of pairs that count alike differ by rounding only: to 15 decimals they are one.
    weight, counts = np.unique(weights.round(15), return_counts=True)
    if weight.size <= MOST_WEIGHTS:
        return weight, counts
    part = np.abs(weight) * counts
    part = part / part.sum() + weight * part / (weight @ part)
    middle = (np.cumsum(part) - part / 2) / 2
    first = np.flatnonzero(np.diff((middle * MOST_WEIGHTS).astype(int), prepend=-1))
    joined = np.add.reduceat(counts, first)
    return np.add.reduceat(weight * counts, first) / joined, joined


def model_assisted(p: Population, alpha: float) -> Ends:
    """The judge's strata predict, the sample corrects: design-based, whatever goes with rank.

    Cochran (1977), chapters 5 and 7, for residuals w (y - ȳ) in strata; the variance of a stratum
    whose labels all agree is not taken as 0.
    """
    from scipy.stats import t

    strata = strata_of(p, 2)
    n, n_strata = int(strata.sampled.sum()), strata.size.size
    if n < 2 or strata.sampled.min() < 2:
        raise InputError(f"`human` must label at least 2 pairs that count; found {n}")
    mean = np.bincount(strata.group[p.is_labelled], p.label[p.is_labelled]) / strata.sampled
    predicted = p.weight * mean[strata.group]
    residual = np.where(p.is_labelled, p.weight * p.label - predicted, 0.0)
    estimate, variance = float(predicted.sum()), 0.0
    for group in range(n_strata):
        of_sample = residual[(strata.group == group) & p.is_labelled]
        size, sampled = float(strata.size[group]), float(of_sample.size)
        estimate += size * float(of_sample.mean())
        spread = max(float(of_sample.var(ddof=1)), least_variance(p, strata.group == group))
        variance += size * (size - sampled) * spread / sampled
    # Means within strata and their residuals use up a degree of freedom for each stratum.
    half = float(t.isf(alpha, max(1, n - n_strata))) * float(np.sqrt(variance))
    return clipped(p, Ends(estimate, estimate - half, estimate + half))


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
    from scipy.stats import t

    # Without the judge all pairs are of one grade.
    bare = Population(
        p.pairs,
        p.weight,
        np.zeros_like(p.grade),
        p.judged,
        p.label,
        p.n_queries,
        p.n_unused,
        p.most_gain,
    )
    if is_equally_weighted(p) and (p.weight > 0).all():
        return by_strata(bare, alpha, is_adjusted)
    value = (p.weight * p.label)[p.is_labelled]
    size, n = float(p.weight.size), float(value.size)
    estimate = size * float(value.mean())
    spread = max(float(value.var(ddof=1)), least_variance(bare, np.ones(p.weight.size, bool)))
    # The variance of a total estimated from n of N pairs without replacement: N (N - n) s²/n.
    error = float(np.sqrt(size * (size - n) * spread / n))
    half = float(t.isf(alpha, n - 1)) * error
    return clipped(p, Ends(estimate, estimate - half, estimate + half))


def clipped(p: Population, ends: Ends) -> Ends:
    """Within what the pairs without a label leave possible."""
    known = float(p.weight[p.is_labelled] @ p.label[p.is_labelled])
    rest = p.weight[~p.is_labelled] * p.most_gain
    least, most = known + float(np.minimum(rest, 0).sum()), known + float(np.maximum(rest, 0).sum())
    return Ends(*(min(max(x, least), most) for x in ends))


def correlation(x: Any, y: Any) -> float:
    """Pearson's; nan where one of the two is constant."""
    a, b = np.asarray(x, float), np.asarray(y, float)
    if a.size < 2 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return float("nan")
    return float(np.corrcoef(a, b)[0, 1])
