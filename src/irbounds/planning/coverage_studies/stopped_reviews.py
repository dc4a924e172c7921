"""Coverage of intervals in simulated reviews that stop once the interval reaches a goal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.chance.sampling_chances import draw_counts
from irbounds.foundation.arguments import check_flag, check_level, check_number, check_rng
from irbounds.foundation.errors import InputError, check_count
from irbounds.planning.assumptions.known_review import SampledReview
from irbounds.planning.assumptions.review import AssumedReview, check_review
from irbounds.planning.design.expected_width import check_samples
from irbounds.planning.design.outcomes import IntervalKind
from irbounds.samples.intervals.pipeline import tolerance_of
from irbounds.samples.intervals.table import usual_method
from irbounds.samples.model.point_estimates import recall_ratio
from irbounds.samples.model.strata import Stratum

if TYPE_CHECKING:
    from irbounds.typing import RNGLike


@dataclass(frozen=True)
class StoppingReport:
    """The effects of early stopping, over simulated reviews.

    Attributes
    ----------
    confidence_level : float
        The claimed level.
    coverage : float
        Share of the stopped intervals that contain the true recall.
    standard_error : float
        Standard error of the coverage.
    bias : float
        Mean of the estimate of recall at the stop, less the true recall; fixed_bias is that of the
        largest sample.
    fixed_coverage, fixed_bias : float
        Coverage and bias of the same reviews at the largest sample, without looking before.
    mean_sample : float
        Documents assessed at the stop.
    stopped : float
        Share of the reviews that stopped before the largest sample.
    look_level : float
        Confidence level of the interval at each look: the claimed one, or a higher one where the
        error is divided among the looks.
    simultaneous_coverage : float
        Share of the reviews in which the intervals of all looks contain the true recall, stopped or
        not.
    """

    confidence_level: float
    coverage: float
    standard_error: float
    bias: float
    fixed_coverage: float
    fixed_bias: float
    mean_sample: float
    stopped: float
    look_level: float
    simultaneous_coverage: float


def simulate_stopping(
    review: AssumedReview,
    retrieved_sample: int | Sequence[int] | None,
    unretrieved_sample: int | Sequence[int] | None,
    *,
    looks: int = 10,
    width: float | None = None,
    target: float | None = None,
    corrected: bool = False,
    reviews: int = 2000,
    method: str | None = None,
    confidence_level: float = 0.95,
    side: str = "two-sided",
    rng: RNGLike = None,
) -> StoppingReport:
    """Simulate reviews that compute the interval repeatedly, and stop when it is narrow enough or
    its lower end is high enough.

    Parameters
    ----------
    review : AssumedReview
        Without ranges.
    retrieved_sample, unretrieved_sample : int, or sequence of int over strata
        The largest samples, which are assessed in `looks` equal parts.
    looks : int
    width, target : float
        Stop at an interval no wider than this, or whose lower end reaches that.  As in
        `expected_width` the width of a one-sided interval is the distance of its end from the
        assumed recall.
    corrected : bool
        Divide the error among the looks, as `SampleMonitor` does when they are planned.
    reviews : int
        How many to simulate.
    method, confidence_level, side
        As in `recall_interval`.
    rng : None, int or numpy.random.Generator

    Returns
    -------
    StoppingReport

    Examples
    --------
    >>> import irbounds as irb
    >>> review = irb.AssumedReview(20_000, 2000, recall=0.7, precision=0.5)
    >>> report = irb.planning.simulate_stopping(review, 200, 1000, target=0.65, reviews=400, rng=1)
    >>> report.coverage < report.fixed_coverage
    True
    """
    if (width is None) == (target is None):
        raise InputError("give one of `width` and `target`")
    limit = check_number(
        "width" if target is None else "target",
        width if target is None else target,
        "must be above 0 and at most 1",
        lambda x: 0 < x <= 1,
    )
    if len(check_review(review).cases) > 1:
        raise InputError("`review` must have no ranges")
    samples = check_samples(review, retrieved_sample, unretrieved_sample)
    check_level(confidence_level)
    n_looks, n_reviews = check_count("looks", looks, 1), check_count("reviews", reviews, 1)
    level = (
        confidence_level
        if not check_flag("corrected", corrected)
        else 1 - (1 - confidence_level) / n_looks
    )
    method = usual_method(side, method)
    kind = IntervalKind(method, level, side)
    case, generator = review.cases[0], check_rng(rng)
    known = [*case.retrieved, *case.unretrieved]
    plans = np.array(
        [np.rint(np.arange(1, n_looks + 1) * n / n_looks) for n in (*samples[0], *samples[1])]
    )
    found = np.array(
        [
            _sequences(*stratum, plan, n_reviews, generator)
            for stratum, plan in zip(known, plans, strict=True)
        ]
    )
    judged = []
    for look in range(n_looks):
        rows = np.array([[*stratum, n] for stratum, n in zip(known, plans[:, look], strict=True)])
        seen = SampledReview(rows[: len(case.retrieved)], rows[len(case.retrieved) :])
        # Many reviews have the same counts at a look: their interval is computed once.
        outcomes, place = np.unique(found[:, :, look], axis=1, return_inverse=True)
        ends = seen.ends(method, method, outcomes, level, side)
        values = _judged(seen, outcomes, ends, kind, limit, target)
        judged.append([value[place.ravel()] for value in values])
    return _report(judged, plans.sum(axis=0), case.recall, confidence_level, level)


def _report(
    judged: list[list[np.ndarray]],
    assessed: np.ndarray,
    recall: float,
    confidence_level: float,
    look_level: float,
) -> StoppingReport:
    """The effects of stopping at the first look that pleases, or at the last one."""
    covers, pleases, estimate = (np.array(rows) for rows in zip(*judged, strict=True))
    # At the last look every review stops.
    pleases[-1] = True
    stop = pleases.argmax(axis=0), np.arange(pleases.shape[1])  # look and review
    coverage, sample = float(covers[stop].mean()), assessed[stop[0]]
    return StoppingReport(
        confidence_level,
        coverage,
        float(np.sqrt(coverage * (1 - coverage) / sample.size)),
        float(np.nanmean(estimate[stop]) - recall),
        float(covers[-1].mean()),
        float(np.nanmean(estimate[-1]) - recall),
        float(sample.mean()),
        float((sample < assessed[-1]).mean()),
        look_level,
        float(covers.all(axis=0).mean()),
    )


def _judged(
    seen: SampledReview,
    outcomes: np.ndarray,
    ends: tuple[Any, Any],
    kind: IntervalKind,
    limit: float,
    target: float | None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tell for each outcome whether the interval contains recall, whether the review stops there,
    and return the
    estimate."""
    low, high = ends
    above, below = seen.covers(low, high)
    tolerance = 2 * tolerance_of(seen.population)
    width = kind.width(seen.recall, low, high)
    pleases = width <= limit + tolerance if target is None else low >= limit - tolerance
    retrieved, unretrieved = seen.assessed(outcomes)
    segments = ([part] if isinstance(part, Stratum) else part for part in (retrieved, unretrieved))
    return (
        ~above & ~below,
        np.asarray(pleases),
        np.broadcast_to(recall_ratio(*segments), outcomes.shape[1:]),
    )


def _sequences(
    size: float, relevant: float, plan: np.ndarray, reviews: int, rng: np.random.Generator
) -> np.ndarray:
    """Relevant documents found up to each look, reviews × looks."""
    found = np.zeros((reviews, len(plan)))
    for look, sampled in enumerate(plan):
        before = found[:, look - 1] if look else np.zeros(reviews)
        taken = plan[look - 1] if look else 0.0
        # Given what was found before, what a look adds is hypergeometric in what is left: one call
        # for all reviews with the same past.
        for count in np.unique(before):
            who = before == count
            found[who, look] = count + draw_counts(
                size - taken, relevant - count, sampled - taken, int(who.sum()), rng
            )
    return found
