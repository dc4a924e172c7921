"""Portions of a segment, which are strata or a pool of strata with very small samples, and their
priors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irbounds.samples.model.priors import PerStratum, Prior, prior_of
from irbounds.samples.model.strata import AuditedCounts, Stratum

if TYPE_CHECKING:
    from irbounds.typing import FloatOrArray

# Strata with fewer sampled documents are pooled.  Such samples hardly show the spread within their
# strata: where each of 40 strata has one document, their posteriors, added up, cover .42
# (`docs/how_we_chose.md`).
LEAST_SAMPLE = 4
# A portion keeps at least this part of its posterior's weight.
LEAST_WEIGHT = 0.25
ROUNDING = 1e-12  # of shares


class Portion(NamedTuple):
    """A stratum, or several whose samples are pooled.

    `seen` relevant documents are known.  The share of the `unseen` documents that is relevant has
    the posterior of a sample of `sampled` documents, `relevant` of them relevant.  For one stratum
    these are its own numbers.  `audited` is the stratum itself if assessors coded it.
    """

    seen: FloatOrArray
    unseen: FloatOrArray
    sampled: FloatOrArray
    relevant: FloatOrArray
    is_pool: bool = False
    audited: AuditedCounts | None = None

    @property
    def is_open(self) -> bool:
        """True if there are documents whose relevance is not known."""
        return bool(self.unseen > 0)


class Share(NamedTuple):
    """A portion's share of its segment's prior: of α, of β, and of the whole before the samples."""

    relevant: FloatOrArray
    other: Any
    whole: float

    def of(self, prior: tuple[Any, Any]) -> tuple[Any, Any]:
        """The portion's own prior."""
        return prior[0] * self.relevant, prior[1] * self.other

    @property
    def excess(self) -> float:
        """The documents by which the weight of the portion's posterior is reduced."""
        return 2 * (1 - self.whole)


WHOLE = Share(1.0, 1.0, 1.0)


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
        kept: Any = 1.0
        if self.excess:
            left = 1 - self.excess / (sampled + alpha + beta)
            kept = max(LEAST_WEIGHT, left) if np.ndim(left) == 0 else left.clip(LEAST_WEIGHT)
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


def shares_of(portions: Sequence[Portion]) -> list[Share]:
    """The share of the segment's prior that each portion gets.

    Before the samples are seen, the shares of strata that are not completely sampled add up to 1:
    half of the prior is divided equally among them, half in proportion to unseen/(sampled + 1), the
    documents for which one sampled document stands.  A whole prior in every stratum would add half
    a relevant document for each stratum: with 40 strata, 95 % intervals then cover 1 %.  The equal
    half keeps every stratum uncertain.  The other half goes where a relevant document that the
    sample missed means most: without it a large stratum that was sampled too little beside many
    small ones seems to be known.  A pool has a whole prior, as its sample is small.
    `docs/how_we_chose.md` compares rules of sharing.

    The side of the prior that is rare in the samples then goes to the strata that show least of it:
    β, if at most half of the segment is estimated to be relevant.  Each stratum shares it with
    those that show no more other documents than it does; α is shared as before.  A stratum
    whose whole sample is relevant, among strata that show nothing relevant, is the only one of its
    kind: with a small share of β it would seem to be relevant throughout, and 95 % intervals cover
    34 % (`docs/how_we_chose.md`).  If more than half is relevant it is α.  The
    usual side is left as it is: many strata show none of it, and a large one that gets more of it
    covers less (TREC 2009, topic 203: .90 for .95).
    """
    shared = np.array([portion.is_open and not portion.is_pool for portion in portions])
    strata = [portion for portion, is_shared in zip(portions, shared, strict=True) if is_shared]
    if not strata:
        return [WHOLE] * len(portions)
    stands_for = np.array([portion.unseen / (portion.sampled + 1) for portion in strata], float)
    whole = (1 / len(strata) + stands_for / stands_for.sum()) / 2
    expected = np.stack([p.relevant / max(p.sampled, 1) * p.unseen for p in strata])
    share = expected.sum(axis=0) / sum(p.unseen for p in strata)
    column = whole.reshape(-1, *[1] * (expected.ndim - 1))
    # A half is a half however its terms are rounded.
    relevant, other = (
        np.where(is_rare, _among_no_more(np.stack(list(map(_least, strata, side))), whole), column)
        for is_rare, side in (
            (share >= 0.5 - ROUNDING, [p.relevant for p in strata]),
            (share <= 0.5 + ROUNDING, [p.sampled - p.relevant for p in strata]),
        )
    )
    found = (
        Share(w, w, w) if portion.audited is not None else Share(a, b, w)
        for portion, a, b, w in zip(strata, relevant, other, whole.tolist(), strict=True)
    )
    return [next(found) if is_shared else WHOLE for is_shared in shared]


def _least(portion: Portion, seen: FloatOrArray) -> Any:
    """The documents of one side that a stratum shows.  Audited strata, where some show nothing in
    one of two classes, count as showing the least and keep their shares."""
    return np.asarray(seen, float) if portion.audited is None else -np.ones(np.shape(seen))


def _among_no_more(seen: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Each stratum's part of the weights of those strata (first axis) that have seen no more."""
    order = seen.argsort(axis=0, kind="stable")
    ordered = np.take_along_axis(seen, order, axis=0)
    total = weights[order].cumsum(axis=0)
    total[:-1][ordered[:-1] == ordered[1:]] = np.inf
    total = np.minimum.accumulate(total[::-1], axis=0)[::-1]  # equal strata have the last one's
    share = np.empty_like(seen)
    np.put_along_axis(share, order, weights[order] / total, axis=0)
    return share


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
        Shared(portion, share.of((alpha, beta)), share.excess)
        for portion, share in zip(portions, shares_of(portions), strict=True)
    ]
