"""Portions of a segment: its strata, those with very small samples pooled, and the prior that the
portions share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from irbounds.samples.priors import PerStratum, Prior, prior_of
from irbounds.samples.strata import AuditedCounts, Stratum

# Strata with fewer sampled documents are pooled.  Such samples hardly show the spread within their
# strata: where each of 40 strata has one document, their posteriors, added up, cover .34
# (`benchmarks/studies/small_samples.py`).
LEAST_SAMPLE = 4
# A portion keeps at least this part of its posterior's weight.
LEAST_WEIGHT = 0.25


class Portion(NamedTuple):
    """A stratum, or several whose samples are pooled.

    It has `size` documents; `unseen` of them were not sampled, and `seen` were found relevant.  The
    posterior is that of a sample of `sampled` documents, `relevant` of them relevant: for one
    stratum these are its own numbers.  `audited` is the stratum itself if assessors coded it.
    """

    size: Any
    unseen: Any
    seen: Any
    sampled: Any
    relevant: Any
    audited: AuditedCounts | None = None

    @property
    def is_open(self) -> bool:
        """True if there are documents outside the sample."""
        return bool(self.unseen > 0)


class Shared(NamedTuple):
    """A portion, its prior, and the documents by which its posterior's weight is reduced."""

    portion: Portion
    prior: tuple[float, float]
    excess: float

    @property
    def posterior(self) -> tuple[Any, Any]:
        """The parameters of the beta posterior.

        A sum of posteriors of small samples is too narrow: a sample of n with a share p of relevant
        documents has a variance of p(1 - p)/n, and the posterior has p(1 - p)(n - 1)/(n(n + 1)) on
        average.  With a weight of n - 2, two less, it has p(1 - p)/n.  For a single stratum the
        half-prior covers as it is, so that a portion loses two documents less its share of the two.
        """
        (alpha, beta), sampled, relevant = self.prior, self.portion.sampled, self.portion.relevant
        kept = 1.0
        if self.excess:
            kept = max(LEAST_WEIGHT, 1 - self.excess / (sampled + alpha + beta))
        return kept * (alpha + relevant), kept * (beta + (sampled - relevant))


def portions_of(segment: Sequence[Any], finite_population: bool = True) -> list[Portion]:
    """The portions of a segment.

    Strata of 1 to 3 sampled documents are pooled: those with the same sampling rate together.  A
    pool with fewer than 4 documents joins the pool of the next higher rate, the last one the pool
    before it.  So the order of the strata changes nothing.
    """
    small: dict[float, list[Stratum]] = defaultdict(list)
    portions = []
    for s in segment:
        audited = s if isinstance(s, AuditedCounts) else None
        if audited is None and 0 < s.sampled < min(LEAST_SAMPLE, s.size):
            small[s.sampled / s.size].append(s)
        else:
            portions.append(_portion_of(s, audited))
    pools: list[list[Stratum]] = [[]]
    for rate in sorted(small):
        if sum(s.sampled for s in pools[-1]) >= LEAST_SAMPLE:
            pools.append([])
        pools[-1] += small[rate]
    if len(pools) > 1 and sum(s.sampled for s in pools[-1]) < LEAST_SAMPLE:
        last = pools.pop()
        pools[-1] += last
    return portions + [_pooled(pool, finite_population) for pool in pools if pool]


def _portion_of(s: Any, audited: AuditedCounts | None = None) -> Portion:
    return Portion(s.size, s.size - s.sampled, s.relevant, s.sampled, s.relevant, audited)


def _pooled(strata: Sequence[Stratum], finite_population: bool) -> Portion:
    """One portion of strata: their weighted mean share, and the size of the simple random sample
    that knows it as well (Kish 1965)."""
    if len(strata) == 1:
        return _portion_of(strata[0])
    weights = [float(s.size - s.sampled if finite_population else s.size) for s in strata]
    total = sum(weights)
    share = sum(w * s.relevant / s.sampled for w, s in zip(weights, strata, strict=True)) / total
    sampled = total**2 / sum(w * w / s.sampled for w, s in zip(weights, strata, strict=True))
    size, n, seen = (sum(column) for column in zip(*strata, strict=True))
    return Portion(size, size - n, seen, sampled, sampled * share)


def shares_of(portions: Sequence[Portion]) -> list[float]:
    """The share of the segment's prior that each portion gets; the shares of portions that are not
    completely sampled add up to 1.

    Half of the prior is divided equally among these portions, half in proportion to their sampled
    documents.  A whole prior in every stratum would add half a relevant document for each stratum:
    with 40 strata, 95 % intervals then cover 1 %
    (`benchmarks/results/stratified_priors.md`).  The equal half keeps a portion with a small sample
    uncertain.  The proportional half keeps the posterior nearly the same if a stratum is divided at
    random.  `benchmarks/studies/stratified_priors.py` compares seven
    rules, and other changes of this prior.
    """
    n_open = sum(portion.is_open for portion in portions)
    n_sampled = sum(portion.sampled for portion in portions if portion.is_open)
    # The posterior of a portion that is read in full is a point, whatever its prior is.
    return [
        (1 / n_open + (portion.sampled / n_sampled if n_sampled else 1 / n_open)) / 2
        if portion.is_open
        else 1.0
        for portion in portions
    ]


def shared_priors(
    segment: Sequence[Any], prior: Prior, finite_population: bool = True
) -> list[Shared]:
    """The portions of a segment with their priors; the strata share one prior, unless each of them
    is to have its own."""
    if isinstance(prior, PerStratum) or len(segment) == 1:
        return [
            Shared(portion, prior_of(prior, s), 0.0)
            for s in segment
            for portion in portions_of([s])
        ]
    size, sampled = (sum(getattr(s, field) for s in segment) for field in ("size", "sampled"))
    alpha, beta = prior_of(prior, Stratum(size, sampled, 0.0))
    portions = portions_of(segment, finite_population)
    return [
        Shared(portion, (alpha * share, beta * share), 2 * (1 - share))
        for portion, share in zip(portions, shares_of(portions), strict=True)
    ]
