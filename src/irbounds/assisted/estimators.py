"""Intervals on sums over a finite population of which a judge graded everything and people a
sample: exactly by strata, by draws within strata, model-assisted, and by regression."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from irbounds.assisted.population import Population
from irbounds.foundation.errors import InputError
from irbounds.samples.sums import Part
from irbounds.samples.yields import open_parts, parts_law

PRIOR = 0.5  # of relevant, and of other documents, in each stratum (Jeffreys)
SAME = 1e-9  # relative: weights that differ in no more are equal


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
    sampled = np.bincount(group[p.is_labelled], minlength=grade.size)
    joined, so_far = np.zeros(grade.size, int), 0
    for i in range(1, grade.size):
        if so_far + sampled[i - 1] >= least:
            joined[i], so_far = joined[i - 1] + 1, 0
        else:
            joined[i], so_far = joined[i - 1], so_far + sampled[i - 1]
    if joined[-1] and sampled[joined == joined[-1]].sum() < least:
        joined[joined == joined[-1]] = joined[-1] - 1
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
    return bool(size.max() <= size.min() * (1 + SAME)) and p.most_gain == 1.0


def by_strata(p: Population, alpha: float) -> Ends:
    """The posterior of a count, exact: beta-binomials of grade and sign.  Relevant documents of
    weight -w count like other ones of weight w, less all of them."""
    if not is_equally_weighted(p):
        raise InputError(
            "method 'strata' needs documents that all count alike, as in P@10 without ties at the "
            "cut-off; use method 'model-assisted' or 'posterior', or another rule for ties"
        )
    unit, parts, subtracted = float(np.abs(p.weight).mean()), [], 0.0
    strata = strata_of(p)
    for sign in (1, -1):
        for group in range(strata.size.size):
            is_here = (strata.group == group) & (np.sign(p.weight) == sign)
            if is_here.any():
                parts.append(_part(p.label[is_here], sign))
                subtracted += float(is_here.sum()) if sign < 0 else 0.0
    law = parts_law(open_parts(parts))
    mean = sum(seen + unseen * a / (a + b) for seen, unseen, a, b in parts)
    low, high = law.quantile(alpha), law.quantile(1 - alpha)
    if subtracted == 0 and p.is_labelled.any():  # as intervals on precision have it
        labels = p.label[p.is_labelled]
        low = 0.0 if not labels.any() and labels.size < p.label.size else low
        high = float(p.label.size) if labels.all() and labels.size < p.label.size else high
    return Ends(*(unit * (x - subtracted) for x in (mean, low, high)))


def _part(label: np.ndarray, sign: int) -> Part:
    """The relevant pairs seen, the pairs not seen, and the posterior's parameters."""
    is_open = np.isnan(label)
    seen = label[~is_open] if sign > 0 else 1 - label[~is_open]
    relevant = float(seen.sum())
    return relevant, float(is_open.sum()), PRIOR + relevant, PRIOR + seen.size - relevant


def by_draws(
    p: Population, alpha: float, draws: int, rng: np.random.Generator
) -> tuple[Ends, np.ndarray]:
    """The posterior of a weighted sum: in each stratum gains have a Dirichlet posterior whose prior
    weighs one document, whatever the weights; and the draws."""
    strata, levels = strata_of(p), np.unique([0.0, *p.label[p.is_labelled], *p.judged])
    total = np.full(draws, float(p.weight[p.is_labelled] @ p.label[p.is_labelled]))
    mean = total[0]
    for group in range(strata.size.size):
        is_here = strata.group == group
        labels = p.label[is_here & p.is_labelled]
        seen = (labels[:, None] == levels).sum(axis=0)
        alphas = 1 / levels.size + seen
        shares = rng.dirichlet(alphas, draws) if levels.size > 1 else np.ones((draws, 1))
        weight, counts = np.unique(p.weight[is_here & ~p.is_labelled].round(15), return_counts=True)
        for w, count in zip(weight.tolist(), counts.tolist(), strict=True):
            total += w * (rng.multinomial(count, shares) @ levels)
            mean += w * count * float(alphas @ levels) / alphas.sum()
    low, high = np.quantile(total, [alpha, 1 - alpha])
    return Ends(float(mean), float(low), float(high)), total


def model_assisted(p: Population, alpha: float) -> Ends:
    """The judge's strata predict, the sample corrects: design-based, whatever goes with rank.

    Cochran (1977), chapters 5 and 7, for residuals w (y - ȳ) in strata.
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
        variance += size * (size - sampled) * float(of_sample.var(ddof=1)) / sampled
    half = float(t.isf(alpha, max(1, n - n_strata))) * float(np.sqrt(variance))
    return clipped(p, Ends(estimate, estimate - half, estimate + half))


def human_alone(p: Population, alpha: float) -> Ends:
    """A simple random sample without the judge: Student's t with the correction for a finite
    population, or the posterior of a count."""
    from scipy.stats import t

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
        return by_strata(bare, alpha)
    value = (p.weight * p.label)[p.is_labelled]
    size, n = float(p.weight.size), float(value.size)
    estimate = size * float(value.mean())
    error = float(np.sqrt(size * (size - n) * value.var(ddof=1) / n))
    half = float(t.isf(alpha, n - 1)) * error
    return clipped(p, Ends(estimate, estimate - half, estimate + half))


def clipped(p: Population, ends: Ends) -> Ends:
    """Within what the pairs without a label leave possible."""
    known = float(p.weight[p.is_labelled] @ p.label[p.is_labelled])
    rest = p.weight[~p.is_labelled] * p.most_gain
    least, most = known + float(np.minimum(rest, 0).sum()), known + float(np.maximum(rest, 0).sum())
    return Ends(*(min(max(x, least), most) for x in ends))


def regression(y: np.ndarray, judge: np.ndarray, sampled: np.ndarray, alpha: float) -> Ends:
    """The mean of y over all units, by its regression on the judge's values, which are known for
    all; Student's t with n - 2 degrees of freedom, finite population (Cochran 1977, 7.12)."""
    from scipy.stats import t

    n, size = int(sampled.sum()), sampled.size
    x, values = judge[sampled], y[sampled]
    spread = float(((x - x.mean()) ** 2).sum())
    slope = float(((x - x.mean()) * (values - values.mean())).sum()) / spread if spread else 0.0
    estimate = float(values.mean()) + slope * float(judge.mean() - x.mean())
    residual = values - values.mean() - slope * (x - x.mean())
    df = n - 2 if spread else n - 1
    if df < 1:
        raise InputError(f"`human` must label at least 3 queries for unit='query'; found {n}")
    error = np.sqrt(float((residual**2).sum()) / df * (1 / n) * (1 - n / size))
    half = float(t.isf(alpha, df)) * float(error)
    return Ends(estimate, estimate - half, estimate + half)


def correlation(x: Any, y: Any) -> float:
    """Pearson's; nan where one of both is constant."""
    a, b = np.asarray(x, float), np.asarray(y, float)
    if a.size < 2 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return float("nan")
    return float(np.corrcoef(a, b)[0, 1])
