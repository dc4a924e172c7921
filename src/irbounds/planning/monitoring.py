"""Recall intervals while the assessments come in: each alone, or true together at all interim
analyses."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.foundation.arguments import check_number
from irbounds.foundation.errors import InputError, check_choice, check_count, fail
from irbounds.foundation.interval import Interval, tail_probability
from irbounds.planning.design.outcomes import IntervalKind
from irbounds.samples.bounds import anytime
from irbounds.samples.bounds import anytime_strata as strata
from irbounds.samples.intervals.intervals import recall_interval
from irbounds.samples.intervals.table import INTERVAL_METHODS, usual_method
from irbounds.samples.model.point_estimates import recall_ratio
from irbounds.samples.model.strata import Stratum
from irbounds.warnings import OptionalStoppingWarning, SampleWarning

if TYPE_CHECKING:
    from irbounds.typing import PriorLike

ANY = "any"


class SampleMonitor:
    """Recall intervals of a review while its assessments arrive.

    Parameters
    ----------
    retrieved, unretrieved : int, or list of int
        Documents in the two segments, or in each of their strata.
    looks : int or "any", optional
        "any": any number, by the method "anytime". All intervals are true together with the
        confidence level, whichever segment and stratum each next document is drawn from; each is
        the intersection of all so far. Where no possible recall is in all of them, the interval is
        that of this look alone, with a SampleWarning.

        A number: how many intervals are planned.  Each then has the level 1 - (1 -
        confidence_level) / looks (Bonferroni).  With method "guaranteed", the default of one-sided
        bounds, all of them together hold with the confidence level at least, whenever one stops.
        Other methods promise nothing for all looks together; `simulate_stopping` measures it.

        Without `looks` every interval has the confidence level by itself, and the second look
        warns.
    method, confidence_level, side
        As in `recall_interval`: without a method one-sided bounds are the guaranteed ones.
    prior : float or pair of float, optional
        For ``looks="any"`` and one stratum in each segment: as in `recall_interval`.

    Attributes
    ----------
    history : list of (retrieved, unretrieved, Interval)
        The sample at each look, a Stratum for each segment or a list of them, and what
        followed.

    Examples
    --------
    >>> import irbounds as irb
    >>> monitor = irb.SampleMonitor(500, 2000, looks=2)
    >>> monitor.update(retrieved=(25, 19), unretrieved=(50, 1))
    Interval(0.904762 in [0.639456, 0.992327], 0.975 two-sided, betabinom-half)
    >>> monitor.update(retrieved=(25, 21), unretrieved=(50, 2))
    Interval(0.869565 in [0.696809, 0.965142], 0.975 two-sided, betabinom-half)
    """

    def __init__(
        self,
        retrieved: int | Sequence[int],
        unretrieved: int | Sequence[int],
        *,
        looks: int | str | None = None,
        method: str | None = None,
        confidence_level: float = 0.95,
        side: str = "two-sided",
        prior: PriorLike | None = None,
    ) -> None:
        if isinstance(looks, str):
            check_choice("looks", looks, (ANY,))
            method = _method_for_all_looks(method)
        method = usual_method(side, method)
        kind = IntervalKind(method, confidence_level, side)
        self.looks: int | str | None = looks
        if looks is not None and looks != ANY:
            self.looks = check_count("looks", looks, 1)
            # Bonferroni: each of the looks may fail with an equal part of alpha.
            kind = IntervalKind(method, 1 - (1 - confidence_level) / self.looks, side)
        self.kind: IntervalKind = kind
        if prior is not None and self.looks != ANY:
            raise InputError("`prior` is for looks='any'")
        self._segments = [
            _empty(name, sizes)
            for name, sizes in (("retrieved", retrieved), ("unretrieved", unretrieved))
        ]
        self._all_looks = AllLooks(kind, prior, self._segments) if self.looks == ANY else None
        self.history: list[tuple[Any, Any, Interval]] = []

    def __repr__(self) -> str:
        of = "" if self.looks is None else f" of {self.looks}"
        totals = [
            [sum(column) for column in zip(*segment, strict=True)] for segment in self._segments
        ]
        found = ", ".join(
            f"{name} {relevant} of {sampled} of {size}"
            for name, (size, sampled, relevant) in zip(
                ("retrieved", "unretrieved"), totals, strict=True
            )
        )
        return f"SampleMonitor({found}; {len(self.history)}{of} looks)"

    def update(
        self, retrieved: int | Sequence[int] = (0, 0), unretrieved: int | Sequence[int] = (0, 0)
    ) -> Interval:
        """Add newly assessed documents, (assessed, relevant) of each segment, and compute the
        interval.

        Several strata take a list with (assessed, relevant) for each; a segment that is omitted
        gets no new documents.

        Raises
        ------
        InputError
            For more documents than the segment has, or relevant ones than were assessed; then
            nothing is added.

        Warns
        -----
        OptionalStoppingWarning
            At the second look if none were planned, and at every look beyond those that were.
        SampleWarning
            If the looks contradict each other, which they do in 1 - confidence_level of reviews at
            most.
        """
        segments = [
            _added(name, segment, new)
            for name, segment, new in zip(
                ("retrieved", "unretrieved"), self._segments, (retrieved, unretrieved), strict=True
            )
        ]
        if self._all_looks is not None:
            interval = self._all_looks.updated(self._segments, segments)
        else:
            interval = recall_interval(
                *segments,
                method=self.kind.method,
                confidence_level=self.kind.confidence_level,
                side=self.kind.side,
            )
        self._segments = segments
        one, other = (segment[0] if len(segment) == 1 else segment for segment in segments)
        self.history.append((one, other, interval))
        if self.looks is None and len(self.history) == 2:
            warnings.warn(
                "this interval was computed more than once: if the review stops as soon as the "
                "interval looks good, it covers less often than its level; plan the number of "
                "looks (`looks`), or fix the sample size in advance",
                OptionalStoppingWarning,
                stacklevel=2,
            )
        elif isinstance(self.looks, int) and len(self.history) > self.looks:
            warnings.warn(
                f"look {len(self.history)}, but {self.looks} were planned: intervals cover less "
                "often than their level",
                OptionalStoppingWarning,
                stacklevel=2,
            )
        return interval

    def e_value(self, target: float) -> float:
        """The evidence that recall has reached a target, of this look alone.

        If it has not, the mean of this number is at most 1, whenever one stops: it reaches 20 with
        a probability of at most 1/20. Needs ``looks="any"``.
        """
        if self._all_looks is None:
            raise InputError("`e_value` needs a monitor with looks='any'")
        goal = check_number("target", target, "must be from 0 to 1", lambda x: 0 <= x <= 1)
        return self._all_looks.e_value(self._segments, goal)

    @property
    def interval(self) -> Interval:
        """The interval of the last look."""
        if not self.history:
            raise InputError("nothing has been assessed yet")
        return self.history[-1][2]


def _method_for_all_looks(method: str | None) -> str:
    names = [name for name, row in INTERVAL_METHODS.items() if row.holds_at_all_looks]
    return names[0] if method is None else check_choice("method", method, names)


def _empty(name: str, sizes: object) -> list[Stratum]:
    """Strata without assessed documents."""
    if not isinstance(sizes, list | tuple | np.ndarray):
        return [Stratum(check_count(name, sizes, 1), 0, 0)]
    if len(sizes) == 0:
        raise InputError(f"`{name}` has no strata: it needs one size at least")
    return [Stratum(check_count(f"{name}[{i}]", size, 1), 0, 0) for i, size in enumerate(sizes)]


def _added(name: str, segment: list[Stratum], new: object) -> list[Stratum]:
    if len(segment) == 1 and not (
        isinstance(new, list) and len(new) == 1 and isinstance(new[0], tuple | list)
    ):
        return [_added_to(name, segment[0], new)]
    if isinstance(new, tuple) and new == (0, 0):
        return list(segment)
    if not isinstance(new, tuple | list) or len(new) != len(segment):
        fail(name, f"must have (assessed, relevant) for each of {len(segment)} strata", new)
    return [
        _added_to(f"{name}[{i}]", stratum, pair)
        for i, (stratum, pair) in enumerate(zip(segment, new, strict=True))
    ]


def _added_to(name: str, stratum: Stratum, new: object) -> Stratum:
    if not isinstance(new, tuple | list) or len(new) != 2:
        fail(name, "must be (assessed, relevant)", new)
    assessed, relevant = (
        check_count(f"{name}.{what}", n, 0)
        for what, n in zip(("assessed", "relevant"), new, strict=True)
    )
    if relevant > assessed:
        fail(f"{name}.relevant", f"must be at most the {assessed} assessed documents", relevant)
    if stratum.sampled + assessed > stratum.size:
        fail(
            f"{name}.assessed",
            f"must leave the sample within the segment, {stratum.size} documents, of which "
            f"{stratum.sampled} are assessed",
            assessed,
        )
    return Stratum(stratum.size, stratum.sampled + assessed, stratum.relevant + relevant)


MOST_EVIDENCE = 1e15  # 1/alpha; what is beyond counts as this
# Less counts as none; evidence about strata is sought from 1 on,
# where some totals are always left.
LEAST_EVIDENCE, LEAST_OF_STRATA = 1e-3, 1.0
# Halves of log 1e18: to 4e-17 for one stratum in each segment. Strata take a tenth of a second for
# each, and get 24: to 3e-6.
SEARCHES, SEARCHES_OF_STRATA = 60, 24

ROUNDED = 1 + 1e-12
CONTRADICTION = (
    "the looks contradict each other: earlier ones leave no recall that is possible now; the "
    "interval is that of this look alone"
)

Samples = list[anytime.Sample]


class AllLooks:
    """Bounds of recall at all looks so far.

    Evidence about both segments, and about all their strata, is merged, whichever the next document
    is drawn from. Where one of them is read whole before the first look, all evidence is that about
    the others. After the first look it is too late: who reads a segment to its end only if the
    evidence about it is poor makes the error of all looks as large as 0.32 at 0.2 (6 and 10
    documents).
    """

    def __init__(
        self, kind: IntervalKind, prior: PriorLike | None, segments: list[list[Stratum]]
    ) -> None:
        self.kind = kind
        self._has_strata = anytime.has_strata(*segments)
        if self._has_strata:
            anytime.check_strata(prior, *segments)
        self._prior = anytime.check_prior(prior)
        self._ends = 0.0, 1.0
        self._known = [[False] * len(segment) for segment in segments]

    def _low(self, one: Samples, other: Samples, alpha: float, is_exchanged: bool = False) -> float:
        known = self._known[::-1] if is_exchanged else self._known
        if self._has_strata:
            return strata.recall_low(one, other, alpha, *known)
        # Whether a segment was read whole before the first look decides how evidence is split.
        split = not any(map(any, known))
        return anytime.recall_low(one[0], other[0], alpha, self._prior, split)

    def updated(self, before: list[list[Stratum]], after: list[list[Stratum]]) -> Interval:
        """The interval after new documents."""
        one, other = (_samples(segment) for segment in after)
        if not any(stratum.sampled for segment in before for stratum in segment):  # the first look
            self._known = [strata.read_whole(one), strata.read_whole(other)]
        alpha = tail_probability(self.kind.confidence_level, self.kind.side)
        low, high = 0.0, 1.0
        if self.kind.side != "upper":
            low = self._low(one, other, alpha)
        if self.kind.side != "lower":
            # 1 - recall is the recall of the other segment.
            high = 1 - self._low(other, one, alpha, is_exchanged=True)
        # Bounds of all looks hold together with the level, so their intersection does, and it never
        # widens.
        joint = max(low, self._ends[0]), min(high, self._ends[1])
        least, most = _possible(one, other)
        if joint[0] <= min(joint[1], most * ROUNDED) and least <= joint[1] * ROUNDED:
            low, high = joint
        else:  # the truth was refused: this look speaks for itself
            warnings.warn(CONTRADICTION, SampleWarning, stacklevel=3)
        self._ends = low, high
        estimate = recall_ratio(
            *([Stratum(*map(np.asarray, x)) for x in samples] for samples in (one, other))
        )
        is_all_read = all(map(all, map(strata.read_whole, (one, other))))
        if is_all_read and any(x for samples in (one, other) for _, _, x in samples):
            low = high = float(estimate)
        return Interval(
            float(estimate),
            low,
            high,
            self.kind.confidence_level,
            self.kind.side,
            self.kind.method,
            "exact",
        )

    def e_value(self, segments: list[list[Stratum]], target: float) -> float:
        """The largest 1/alpha with which the lower bound reaches the target."""
        one, other = (_samples(segment) for segment in segments)

        def reaches(evidence: float) -> bool:
            return self._low(one, other, 1 / evidence) >= target * (1 - 1e-12)

        # The lower bound rises with alpha: what evidence reaches, less evidence reaches too.
        if reaches(MOST_EVIDENCE):
            return MOST_EVIDENCE
        least = LEAST_OF_STRATA if self._has_strata else LEAST_EVIDENCE
        low, high = math.log(least), math.log(MOST_EVIDENCE)
        if not reaches(least):
            return 0.0
        for _ in range(SEARCHES_OF_STRATA if self._has_strata else SEARCHES):
            middle = (low + high) / 2
            low, high = (middle, high) if reaches(math.exp(middle)) else (low, middle)
        return math.exp(low)


def _possible(one: Samples, other: Samples) -> tuple[float, float]:
    """The least and the greatest recall that the counts leave."""
    (found, unread), (missed, left) = (
        (sum(x for _, _, x in samples), sum(size - n for size, n, _ in samples))
        for samples in (one, other)
    )
    least = found / (found + missed + left) if found else 0.0
    most = 1.0 if not missed else (found + unread) / (found + unread + missed)
    return least, most


def _samples(segment: list[Stratum]) -> Samples:
    return [(float(size), float(sampled), float(x)) for size, sampled, x in segment]
