"""Sample sizes for a goal (Webber 2013, section 4.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from irbounds.foundation.arguments import check_number
from irbounds.foundation.errors import InputError, check_choice, check_count
from irbounds.foundation.rounding import as_low_end
from irbounds.foundation.writing import InNotebooks
from irbounds.planning.assumptions.review import AssumedReview, check_review
from irbounds.planning.design.designs import Designs
from irbounds.planning.design.expected_width import plain
from irbounds.planning.design.least_sample import check_target, least_sample
from irbounds.planning.design.one_sample import SingleSample
from irbounds.planning.design.outcomes import IntervalKind
from irbounds.planning.design.search import Goal, Sizes, first_and_last
from irbounds.samples.intervals.table import usual_method

DESIGNS = ("stratified", "single-sample")


@dataclass(frozen=True)
class SampleSize(InNotebooks):
    """The number of documents to assess for a goal, and their division.

    Attributes
    ----------
    reached : bool
        Whether the goal is reached; if not, these are the largest samples.
    sample : int
        Documents to assess in all.  The best split of this number reaches the goal; of up to 600
        documents, every larger number up to `at_most` does so too.
    retrieved_sample, unretrieved_sample : int, tuple of int over strata, or None
        The best split; None for a single sample of the whole collection.
    goal : {"width", "lower bound"}
    target : float
        The width, or the recall to be shown.
    value : float
        The expected width there, or the probability that the lower bound reaches the target.
    first_size : int or None
        The least number of documents that reaches the goal.  It may be below `sample` where that is
        at most 600, because probabilities also fall from one size to the next: some larger numbers
        miss the goal by a little.  None where the goal is not reached.
    probability : float or None
        The probability asked for.
    shown : float or None
        Where a target is not reached: the recall that the samples show with that probability.
    least_sample : int or None
        For a lower bound: the number of documents that would be enough if the samples had the best
        possible labels; None where no number is.
    design : {"stratified", "single-sample"}
    method : str
        Method of the interval.
    """

    reached: bool
    sample: int
    retrieved_sample: int | Sequence[int] | None
    unretrieved_sample: int | Sequence[int] | None
    goal: str
    target: float
    value: float
    first_size: int | None = None
    probability: float | None = None
    shown: float | None = None
    least_sample: int | None = None
    design: str = "stratified"
    method: str = "betabinom-half"

    def to_dict(self) -> dict[str, Any]:
        """All fields by name."""
        return dict(vars(self))

    def __repr__(self) -> str:
        what = (
            f"expected width {self.value:.4g}"
            if self.goal == "width"
            else f"recall {self.target:g} shown with probability {self.value:.4g}"
        )
        answer = "" if self.reached else "not reached: "
        if self.shown is not None:
            what += f", recall {as_low_end(self.shown)} with probability {self.probability:g}"
        where = (
            f"{self.retrieved_sample} retrieved and {self.unretrieved_sample} unretrieved"
            if self.design == "stratified"
            else "a single sample of the collection"
        )
        return f"SampleSize({answer}{self.sample} documents, {where}: {what})"


def sample_size(
    review: AssumedReview,
    *,
    width: float | None = None,
    target: float | None = None,
    probability: float = 0.8,
    at_most: int | None = None,
    design: str = "stratified",
    method: str | None = None,
    confidence_level: float = 0.95,
    side: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> SampleSize:
    """The size of the smallest sample for a narrow interval, or for a lower bound that is likely to
    reach a target.

    Parameters
    ----------
    review : AssumedReview
    width : float
        Expected width of the interval, above 0.
    target : float
        Recall that the lower end of the interval is to reach, instead of a width.
    probability : float
        How likely that should be.
    at_most : int, optional
        Documents that can be assessed at most; without it the whole collection.
    design : {"stratified", "single-sample"}
        A sample of each stratum, split in the best way; or one simple random sample of the whole
        collection, split afterwards by what was retrieved (a control sample).
    method : str, optional
        As in `recall_interval`: without it one-sided bounds are the guaranteed ones, two-sided
        intervals those of "betabinom-half".
    confidence_level : float
    side : {"two-sided", "lower", "upper"}, optional
        Side of the interval; by default two-sided for a width, lower for a target.
    progress : function, optional
        Called as ``progress(tried, documents)`` for each size that is tried, with their number.

    Returns
    -------
    SampleSize
        `sample` documents reach the goal. `reached` is False where no sample does it; then it is
        the largest one, and `shown` what that can show.

    Raises
    ------
    InputError
        For a target above 1, and the like.

    Notes
    -----
    A size reaches the goal if one of its splits between the segments does, to 1e-6 of a width or a
    probability, by exact intervals.  In a collection of at most 1000 documents with at most 60
    splits all of them are compared.  Else sizes and splits are searched by approximate intervals in
    closed form, fitted to exact ones; so the number of documents may be above the least by a per
    cent or two.  Up to 600 documents the sizes next to the answer are examined one by one, as
    probabilities go up and down from one to the next.  They are not with strata or ranges of
    assumptions, and for guaranteed widths in collections of more than 1000 documents.

    `value` is exact as in `expected_width`.  With several strata a probability is that of the test
    of the bound itself, over 1024 outcomes: it may miss by two hundredths. The split is then
    between the one for the narrowest posterior and equal sampling rates, because the test takes the
    worst yields of the strata.

    Examples
    --------
    >>> import irbounds as irb
    >>> review = irb.AssumedReview(20_000, 5_000, recall=0.85, precision=0.6)
    >>> irb.sample_size(review, target=0.6)
    SampleSize(90 documents, 21 retrieved and 69 unretrieved: recall 0.6 shown with
    probability 0.8094)
    """
    if (width is None) == (target is None):
        raise InputError("give one of `width` and `target`")
    chance = check_number(
        "probability", probability, "must be between 0 and 1", lambda x: 0 < x < 1
    )
    check_choice("design", design, DESIGNS)
    sizes = check_review(review).sizes
    fewest = sum(map(len, sizes)) if design == "stratified" else 1
    largest = sum(map(sum, sizes))
    most = largest if at_most is None else min(largest, check_count("at_most", at_most, fewest))
    used = side or ("two-sided" if target is None else "lower")
    chosen = usual_method(used, method)
    kind = IntervalKind(chosen, confidence_level, used)
    if target is None:
        limit = check_number("width", width, "must be above 0 and at most 1", lambda x: 0 < x <= 1)
        goal = Goal("width", limit, limit)
    else:
        goal = Goal("lower bound", check_target(target, kind), chance)
    is_single = design == "single-sample"
    candidates = Sizes(
        (SingleSample if is_single else Designs)(review, kind), goal, progress=progress
    )
    first, last = first_and_last(candidates, fewest, most)
    # The size from which on all reach the goal: the probability goes up and down from one size to
    # the next, as counts are whole.
    n = most if last is None else last
    shown, floor = None, None
    if target is not None and last is None:
        shown, best = candidates.shown(n)
    else:
        best = candidates.best(n)
    if target is not None and fewest == 2:
        floor = least_sample(
            largest,
            sum(sizes[0]),
            goal.at,
            method=chosen,
            confidence_level=confidence_level,
            side=kind.side,
        )
    return SampleSize(
        reached=last is not None,
        sample=n,
        retrieved_sample=None if is_single else plain(best[0]),
        unretrieved_sample=None if is_single else plain(best[1]),
        goal=goal.name,
        target=goal.at,
        value=candidates.value(best),
        first_size=first,
        probability=None if target is None else chance,
        shown=shown,
        least_sample=floor,
        design=design,
        method=chosen,
    )
