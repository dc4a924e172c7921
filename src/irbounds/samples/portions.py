"""Portions of a segment, which are strata or a pool of strata with very small samples, and their
priors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from irbounds.samples.priors import PerStratum, Prior, prior_of
from irbounds.samples.strata import AuditedCounts, Stratum

# Strata with fewer sampled documents are pooled.  Such samples hardly show the spread within their
# strata: where each of 40 strata has one document, their posteriors, added up, cover .42
# (`benchmarks/studies/strata_portions.py`).
LEAST_SAMPLE = 4
# A portion keeps at least this part of its posterior's weight.
LEAST_WEIGHT = 0.25


class Portion(NamedTuple):
    """A stratum, or several whose samples are pooled.

    `seen` relevant documents are known.  The share of the `unseen` documents that is relevant has
    the posterior of a sample of `sampled` documents, `relevant` of them relevant.  For one stratum
    these are its own numbers.  `audited` is the stratum itself if assessors coded it.
    """

    seen: Any
    unseen: Any
    sampled: Any
    relevant: Any
    is_pool: bool = False
    audited: AuditedCounts | None = None

    @property
    def is_open(self) -> bool:
        """True if there are documents whose relevance is not known."""
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
    """The portions of a segment: those of strata with 1 to 3 sampled documents are one.

    A finite population knows its sampled documents; otherwise no document is known.
    """
    portions: list[Portion] = []
    small: list[Portion] = []
    for s in segment:
        audited = s if isinstance(s, AuditedCounts) else None
        seen, unseen = (s.relevant, s.size - s.sampled) if finite_population else (0.0, s.size)
        portion = Portion(seen, unseen, s.sampled, s.relevant, audited=audited)
        is_small = audited is None and 0 < s.sampled < LEAST_SAMPLE and portion.is_open
        (small if is_small else portions).append(portion)
    return [*portions, _pooled(small)] if small else portions


def _pooled(portions: Sequence[Portion]) -> Portion:
    """One portion: the mean share weighted by unseen documents, and the size of the simple random
    sample that knows it as well (Kish 1965)."""
    if len(portions) == 1:
        return portions[0]._replace(is_pool=True)
    seen, unseen = (sum(getattr(p, field) for p in portions) for field in ("seen", "unseen"))
    # A mean of independent shares with weights w has the variance Σ w²/n times p(1 - p): a simple
    # random sample of 1/Σ(w²/n) documents has the same.
    weights = [p.unseen / unseen for p in portions]
    share = sum(w * p.relevant / p.sampled for w, p in zip(weights, portions, strict=True))
    effective = 1 / sum(w * w / p.sampled for w, p in zip(weights, portions, strict=True))
    return Portion(seen, unseen, effective, effective * share, is_pool=True)


def shares_of(portions: Sequence[Portion]) -> list[float]:
    """The share of the segment's prior that each portion gets.

    The shares of strata that are not completely sampled add up to 1: half of the prior is divided
    equally among them, half in proportion to unseen/(sampled + 1), the documents for which one
    sampled document stands.  A whole prior in every stratum would add half a relevant document for
    each stratum: with 40 strata, 95 % intervals then cover 1 %.  The equal half keeps every
    stratum uncertain.  The other half goes where a relevant document that the sample missed means
    most: without it a large stratum that was sampled too little beside many small ones seems to be
    known.  A pool has a whole prior, as its sample is small.
    `benchmarks/studies/stratified_priors.py` compares rules of sharing.
    """
    shared = [portion.is_open and not portion.is_pool for portion in portions]
    stands_for = [
        portion.unseen / (portion.sampled + 1) if is_shared else 0.0
        for portion, is_shared in zip(portions, shared, strict=True)
    ]
    n_open, total = sum(shared), sum(stands_for)
    # The posterior of a portion that is read in full is a point, whatever its prior is.
    return [
        (1 / n_open + weight / total) / 2 if is_shared else 1.0
        for is_shared, weight in zip(shared, stands_for, strict=True)
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
            for portion in portions_of([s], finite_population)
        ]
    size, sampled = (sum(getattr(s, field) for s in segment) for field in ("size", "sampled"))
    alpha, beta = prior_of(prior, Stratum(size, sampled, 0.0))
    portions = portions_of(segment, finite_population)
    return [
        Shared(portion, (alpha * share, beta * share), 2 * (1 - share))
        for portion, share in zip(portions, shares_of(portions), strict=True)
    ]
