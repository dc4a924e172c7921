"""Plans of control samples that certify the recall of a review."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from irbounds.foundation.arguments import check_level
from irbounds.foundation.errors import InputError, check_choice, check_count, fail
from irbounds.stopping.certificates import GUARANTEES, certifying_rank
from irbounds.stopping.urns import exact_target

MOST_DOCUMENTS = 2**52
MOST_PLANNED = 10**7  # control documents beyond which no plan is looked for


@dataclass(frozen=True)
class ControlPlan:
    """A control sample that certifies a recall; see `control_plan`.

    Attributes
    ----------
    target, prevalence, confidence_level : float
    guarantee : str
    found : int
        Relevant documents that the control sample must contain.
    rank : int
        The review stops when it has read this many of them.
    documents : int
        Documents to be judged, on average, until these are found.
    mean_recall : float
        Expected recall at the stop, in a large collection.
    """

    target: float
    prevalence: float
    confidence_level: float
    guarantee: str
    found: int
    rank: int
    documents: int
    mean_recall: float

    def to_dict(self) -> dict[str, Any]:
        """All attributes."""
        return dict(vars(self))


def control_plan(
    target: float | Fraction = 0.8,
    prevalence: float = 0.01,
    *,
    found: int | None = None,
    mean_recall: float | None = None,
    confidence_level: float = 0.95,
    guarantee: str = "probability",
) -> ControlPlan:
    """Plan a control sample that certifies a recall.

    Parameters
    ----------
    target : float or Fraction
        Recall to be certified, above 0 and below 1.
    prevalence : float
        Expected share of relevant documents in the collection.
    found : int, optional
        Relevant documents of the control sample; by default the fewest that can certify the
        target.
    mean_recall : float, optional
        In place of `found`: expected recall at the stop, at most. It is above the target, and near
        to it where the control sample is large; then the review reads less.
    confidence_level, guarantee
        As in `certifying_rank`.

    Returns
    -------
    ControlPlan

    Examples
    --------
    >>> import irbounds as irb
    >>> plan = irb.stopping.control_plan(target=0.8, prevalence=0.01)
    >>> plan.found, plan.rank, plan.documents, round(plan.mean_recall, 3)
    (14, 14, 1400, 0.933)
    >>> irb.stopping.control_plan(0.8, 0.01, mean_recall=0.83).found
    457
    """
    goal = exact_target(target)
    if goal == 1:
        fail("target", "must be below 1: no sample certifies all", target)
    share = exact_share("prevalence", prevalence)
    level = check_level(confidence_level)
    check_choice("guarantee", guarantee, GUARANTEES)
    if found is not None and mean_recall is not None:
        raise InputError("`found` and `mean_recall` cannot both be given")

    def rank_of(r: int) -> int | None:
        return certifying_rank(r, goal, confidence_level=level, guarantee=guarantee)

    if found is not None:
        r = check_count("found", found, 1)
        if rank_of(r) is None:
            fail("found", f"must be at least {_fewest(rank_of)} for this target", r)
    elif mean_recall is None:
        r = _fewest(rank_of)
    else:
        most = exact_share("mean_recall", mean_recall)
        if most <= goal:
            fail("mean_recall", f"must be above `target`, {float(goal):g}", mean_recall)
        r = _fewest_with_mean(rank_of, most)
    rank = rank_of(r)
    assert rank is not None
    if r / share > MOST_DOCUMENTS:
        rule = f"must be at least {r}/2^52, for a sample of at most 2^52 documents"
        fail("prevalence", rule, prevalence)
    return ControlPlan(
        float(goal),
        float(share),
        level,
        guarantee,
        r,
        rank,
        # So many documents hold r relevant ones on average; then the mean of the rank-th of r
        # uniform order statistics.
        math.ceil(r / share),
        rank / (r + 1),
    )


def exact_share(argument: str, value: object) -> Fraction:
    """A share above 0 and at most 1 as it is written."""
    try:
        return exact_target(value)
    except InputError:
        fail(argument, "must be above 0 and at most 1", value)


def _fewest(rank_of: Callable[[int], int | None]) -> int:
    """The least number of control documents that have a rank: once there is one, more have one."""
    high = 1
    # Doubling finds a number that has a rank, bisection the least: some 2 log2 calls.
    while rank_of(high) is None:
        high *= 2
        if high > MOST_PLANNED:
            raise InputError(
                f"no control sample of up to {MOST_PLANNED:,} relevant documents is "
                "enough for this target"
            )
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if rank_of(middle) is None else (low, middle)
    return high


def _fewest_with_mean(rank_of: Callable[[int], int | None], most: Fraction) -> int:
    """The least number whose mean recall is at most so large. It falls in steps: doubling finds
    some number, and below it all of the last octaves are tried."""

    def is_enough(r: int) -> bool:
        rank = rank_of(r)
        return rank is not None and rank <= most * (r + 1)

    high = _fewest(rank_of)
    while not is_enough(high):
        high *= 2
        if high > MOST_PLANNED:
            raise InputError(
                f"no control sample of up to {MOST_PLANNED:,} relevant documents has "
                "a mean recall so near to the target"
            )
    # The mean recall is a whole rank over r + 1, so it goes up and down by 1/(r + 1) on its way: no
    # bisection finds the least r.
    low = high // 4 if high > 1024 else 1
    return next(r for r in range(low, high + 1) if is_enough(r))
