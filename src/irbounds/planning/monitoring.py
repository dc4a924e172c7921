"""Intervals while the assessments come in, and what stopping at a pleasing one does to them."""
from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from irbounds.foundation.arguments import check_flag, check_level, check_number, check_rng
from irbounds.foundation.errors import InputError, check_count, fail
from irbounds.planning.assumptions import AssumedReview, check_review
from irbounds.planning.chances import draw_counts
from irbounds.planning.design import check_samples
from irbounds.planning.outlook import IntervalKind
from irbounds.samples.intervals import recall_interval
from irbounds.samples.outcomes import Outcomes, tolerance_of
from irbounds.samples.proportions import Interval
from irbounds.samples.strata import Stratum


class OptionalStoppingWarning(UserWarning):
    """An interval was looked at again: its level holds for one look at a sample whose size was fixed before."""


class SampleMonitor:
    """Recall intervals of a review whose assessments come in one after the other.

    Parameters
    ----------
    retrieved, unretrieved : int
        Documents in the two segments.
    looks : int, optional
        How many intervals will be looked at, if that is planned.  Each then has the level 1 - (1 - confidence_level)
        / looks, so that all together hold with the confidence level whenever one stops (Bonferroni).  Without it every
        interval has the confidence level by itself, and the second look warns.
    method, confidence_level, side
        As in `recall_interval`.

    Attributes
    ----------
    history : list of (Stratum, Stratum, Interval)
        What was assessed at each look, and what followed.

    Examples
    --------
    >>> import irbounds as irb
    >>> monitor = irb.SampleMonitor(500, 2000, looks=2)
    >>> monitor.update(retrieved=(25, 19), unretrieved=(50, 1))
    Interval(0.904762 in [0.639456, 0.992327], 0.975 two-sided, betabinom-half)
    >>> monitor.update(retrieved=(25, 21), unretrieved=(50, 2))
    Interval(0.869565 in [0.696809, 0.965142], 0.975 two-sided, betabinom-half)
    """

    def __init__(self, retrieved: int, unretrieved: int, *, looks: int | None = None, method: str = "betabinom-half",
                 confidence_level: float = 0.95, side: str = "two-sided") -> None:
        kind = IntervalKind(method, confidence_level, side)
        self.looks: int | None = None if looks is None else check_count("looks", looks, 1)
        if self.looks is not None:
            kind = IntervalKind(method, 1 - (1 - confidence_level) / self.looks, side)
        self.kind: IntervalKind = kind
        self._segments = [Stratum(check_count(name, size, 1), 0, 0)
                          for name, size in (("retrieved", retrieved), ("unretrieved", unretrieved))]
        self.history: list[tuple[Stratum, Stratum, Interval]] = []

    def __repr__(self) -> str:
        of = "" if self.looks is None else f" of {self.looks}"
        found = ", ".join(f"{name} {s.relevant} of {s.sampled} of {s.size}" for name, s in
                          zip(("retrieved", "unretrieved"), self._segments, strict=True))
        return f"SampleMonitor({found}; {len(self.history)}{of} looks)"

    def update(self, retrieved: tuple[int, int] = (0, 0), unretrieved: tuple[int, int] = (0, 0)) -> Interval:
        """Adds newly assessed documents, (assessed, relevant) of each segment, and looks at the interval.

        Raises
        ------
        InputError
            For more documents than the segment has, or relevant ones than were assessed; then nothing is added.

        Warns
        -----
        OptionalStoppingWarning
            At the second look if none were planned, and at every look beyond those that were.
        """
        segments = [_added(name, segment, new) for name, segment, new in
                    zip(("retrieved", "unretrieved"), self._segments, (retrieved, unretrieved), strict=True)]
        interval = recall_interval(*segments, method=self.kind.method, confidence_level=self.kind.confidence_level,
                                   side=self.kind.side)
        self._segments = segments
        self.history.append((segments[0], segments[1], interval))
        if self.looks is None and len(self.history) == 2:
            warnings.warn("this interval is looked at again: stopping when it pleases makes it cover less than its "
                          "level; plan the number of looks (`looks`), or fix the sample's size before",
                          OptionalStoppingWarning, stacklevel=2)
        elif self.looks is not None and len(self.history) > self.looks:
            warnings.warn(f"look {len(self.history)} of {self.looks} planned ones: the level no longer holds",
                          OptionalStoppingWarning, stacklevel=2)
        return interval

    @property
    def interval(self) -> Interval:
        """The interval of the last look."""
        if not self.history:
            raise InputError("nothing has been assessed yet")
        return self.history[-1][2]


def _added(name: str, segment: Stratum, new: Any) -> Stratum:
    if not isinstance(new, tuple | list) or len(new) != 2:
        fail(name, "must be (assessed, relevant)", new)
    assessed, relevant = (check_count(f"{name}.{what}", n, 0)
                          for what, n in zip(("assessed", "relevant"), new, strict=True))
    if relevant > assessed:
        fail(f"{name}.relevant", f"must be at most the {assessed} assessed documents", relevant)
    if segment.sampled + assessed > segment.size:
        fail(f"{name}.assessed", f"must leave the sample within the segment, {segment.size} documents, of which "
             f"{segment.sampled} are assessed", assessed)
    return Stratum(segment.size, segment.sampled + assessed, segment.relevant + relevant)


@dataclass(frozen=True)
class StoppingReport:
    """What stopping as soon as an interval pleases does, over simulated reviews.

    Attributes
    ----------
    confidence_level : float
        That the intervals claim.
    coverage : float
        Share of the stopped intervals that hold the true recall.
    standard_error : float
        Of the coverage.
    bias : float
        Mean of the estimate of recall at the stop, less the true recall; fixed_bias is that of the largest sample.
    fixed_coverage, fixed_bias : float
        Of the same reviews at the largest sample, without looking before.
    mean_sample : float
        Documents assessed at the stop.
    stopped : float
        Share of the reviews that stopped before the largest sample.
    """

    confidence_level: float
    coverage: float
    standard_error: float
    bias: float
    fixed_coverage: float
    fixed_bias: float
    mean_sample: float
    stopped: float


def simulate_stopping(review: AssumedReview, retrieved_sample: int, unretrieved_sample: int, *, looks: int = 10,
                      width: float | None = None, target: float | None = None, corrected: bool = False,
                      reviews: int = 2000, method: str = "betabinom-half", confidence_level: float = 0.95,
                      side: str = "two-sided", rng: Any = None) -> StoppingReport:
    """Reviews that look at the interval again and again, and stop when it is narrow, or its lower end high enough.

    Parameters
    ----------
    review : AssumedReview
        Segments of one stratum each, and no ranges.
    retrieved_sample, unretrieved_sample : int
        The largest samples, which are assessed in `looks` equal parts.
    width, target : float
        Stop at an interval no wider than this, or whose lower end reaches that.
    corrected : bool
        Divide the error among the looks, as `SampleMonitor` does when they are planned.
    reviews : int
        How many to simulate.

    Returns
    -------
    StoppingReport

    Examples
    --------
    >>> import irbounds as irb
    >>> review = irb.AssumedReview(20_000, 2000, recall=0.7, precision=0.5)
    >>> report = irb.simulate_stopping(review, 200, 1000, target=0.65, reviews=400, rng=1)
    >>> report.coverage < report.fixed_coverage
    True
    """
    if (width is None) == (target is None):
        raise InputError("give one of `width` and `target`")
    limit = check_number("width" if target is None else "target", width if target is None else target,
                         "must be above 0 and at most 1", lambda x: 0 < x <= 1)
    if len(check_review(review).cases) > 1 or [len(sizes) for sizes in review.sizes] != [1, 1]:
        raise InputError("`review` must have one stratum in each segment, and no ranges")
    samples = check_samples(review, retrieved_sample, unretrieved_sample)
    check_level(confidence_level)
    n_looks, n_reviews = check_count("looks", looks, 1), check_count("reviews", reviews, 1)
    level = confidence_level if not check_flag("corrected", corrected) else 1 - (1 - confidence_level) / n_looks
    kind = IntervalKind(method, level, side)
    case, generator = review.cases[0], check_rng(rng)
    known = [case.retrieved[0], case.unretrieved[0]]
    plans = [np.rint(np.arange(1, n_looks + 1) * part[0] / n_looks) for part in samples]
    found = [_sequences(*stratum, plan, n_reviews, generator) for stratum, plan in zip(known, plans, strict=True)]
    sizes = (known[0].size, known[1].size)

    running = np.ones(n_reviews, bool)
    covered, estimate, sample = np.empty(n_reviews, bool), np.empty(n_reviews), np.empty(n_reviews)
    room = 2 * tolerance_of(sum(sizes))
    for look in range(n_looks):
        sampled = (plans[0][look], plans[1][look])
        counts = np.array([found[0][:, look], found[1][:, look]])
        low, high = _ends(Outcomes(sizes, sampled, kind.method), counts, kind)
        covers = (low <= case.recall + room) & (high >= case.recall - room)
        if look == n_looks - 1:
            estimates = _estimates(sizes, sampled, counts)
            fixed_coverage, fixed_bias = float(covers.mean()), float(np.nanmean(estimates) - case.recall)
        stops = running & ((high - low <= limit) if target is None else (low >= limit - room))
        stops = running if look == n_looks - 1 else stops
        covered[stops], sample[stops] = covers[stops], sum(sampled)
        estimate[stops] = _estimates(sizes, sampled, counts)[stops]
        running = running & ~stops
    coverage = float(covered.mean())
    return StoppingReport(level, coverage, float(np.sqrt(coverage * (1 - coverage) / n_reviews)),
                          float(np.nanmean(estimate) - case.recall), fixed_coverage, fixed_bias, float(sample.mean()),
                          float((sample < sum(plan[-1] for plan in plans)).mean()))


def _sequences(size: float, relevant: float, plan: np.ndarray, reviews: int, rng: np.random.Generator) -> np.ndarray:
    """Relevant documents found up to each look, reviews × looks."""
    found = np.zeros((reviews, len(plan)))
    for look, sampled in enumerate(plan):
        before = found[:, look - 1] if look else np.zeros(reviews)
        taken = plan[look - 1] if look else 0.0
        for count in np.unique(before):
            who = before == count
            found[who, look] = count + draw_counts(size - taken, relevant - count, sampled - taken, int(who.sum()), rng)
    return found


def _ends(outcomes: Outcomes, counts: np.ndarray, kind: IntervalKind) -> tuple[np.ndarray, np.ndarray]:
    distinct, place = np.unique(counts, axis=1, return_inverse=True)
    low, high = outcomes.ends(distinct, kind.confidence_level, kind.side)
    return low[place.ravel()], high[place.ravel()]


def _estimates(sizes: tuple[float, float], sampled: tuple[float, float], counts: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        first, second = (size * found / n for size, n, found in zip(sizes, sampled, counts, strict=True))
        return np.asarray(first / (first + second))
