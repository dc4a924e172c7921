"""When a review that reads its documents in some order may stop: two rules along one review."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike

from irbounds._core.samples import stopping as kernel
from irbounds.foundation.arguments import as_floats, check_level, check_number
from irbounds.foundation.errors import InputError, check_choice, check_count, fail
from irbounds.foundation.writing import InNotebooks
from irbounds.stopping.random_batches import BatchEvidence, batches_of
from irbounds.stopping.urns import (
    as_batches,
    as_given,
    biased_tails,
    check_labels,
    exact_target,
    missing_totals,
    urn_starts,
)
from irbounds.warnings import OptionalStoppingWarning

if TYPE_CHECKING:
    from irbounds.typing import ArrayLike, FloatOrArray, LabelsLike

METHODS = ("certified", "buscar")
FEW_LOOKS = 64  # up to so many looks, one sum for each urn costs less than a whole curve


@dataclass(frozen=True, eq=False)
class StoppingCurve(InNotebooks):
    """The values of a stopping rule along a review; see `stopping_curve`.

    Attributes
    ----------
    method : str
    population : int
    target, confidence_level, odds : float
    looks : ndarray of int, shape (looks,)
        Documents read at each look.
    found : ndarray of int, shape (looks,)
        Relevant documents among them.
    values : ndarray, shape (looks,)
        "certified": the lower bound of recall, ``found / total_bound``, 1 where both are 0.
        "buscar": the least probability over urns.
    total_bound : ndarray of int, shape (looks,), or None
        "certified": the largest number of relevant documents in the collection that is not
        refused. None with "buscar".
    urn_start : ndarray of int, shape (looks,), or None
        "buscar": documents read before the urn of the least probability. None with "certified".
    stops : ndarray of bool, shape (looks,)
        Whether the rule allows the review to stop.
    first_stop : int or None
        Documents read at the first look at which the rule allows the review to stop.
    contradicted_at : int or None
        "certified": documents read at the first look at which every possible total is refused.
        Either a rare event happened, whose chance is at most 1 - confidence_level, or the order
        did not keep the rule's assumption. From there on nothing is claimed: `total_bound` is the
        largest possible total.
    """

    method: str
    population: int
    target: float
    confidence_level: float
    looks: np.ndarray = field(repr=False)
    found: np.ndarray = field(repr=False)
    values: np.ndarray = field(repr=False)
    total_bound: np.ndarray | None = field(repr=False)
    stops: np.ndarray = field(repr=False)
    odds: float = 1.0
    urn_start: np.ndarray | None = field(default=None, repr=False)
    contradicted_at: int | None = None

    @property
    def first_stop(self) -> int | None:
        """Documents read at the first look at which the rule allows the review to stop."""
        at = np.flatnonzero(self.stops)
        return int(self.looks[at[0]]) if at.size else None

    @property
    def recall_low(self) -> np.ndarray | None:
        """The lower bounds of recall of "certified"."""
        return self.values if self.method == "certified" else None

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, item: Any) -> Any:
        return self.values[item]

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.values, dtype=dtype) if copy is not False else self.values

    def __repr__(self) -> str:
        read = int(self.looks[-1]) if len(self.looks) else 0
        found = int(self.found[-1]) if len(self.found) else 0
        stop = "no stop" if self.first_stop is None else f"first stop after {self.first_stop}"
        return (
            f"StoppingCurve({self.method}, target {self.target:g}: {found} relevant in {read} of "
            f"{self.population} documents, {stop})"
        )

    def to_dict(self) -> dict[str, Any]:
        """All attributes as numbers, text and lists."""
        named = {
            "method": self.method,
            "population": self.population,
            "target": self.target,
            "confidence_level": self.confidence_level,
            "odds": self.odds,
            "first_stop": self.first_stop,
            "contradicted_at": self.contradicted_at,
        }
        arrays = ("looks", "found", "values", "total_bound", "urn_start", "stops")
        for name in arrays:
            array = getattr(self, name)
            named[name] = None if array is None else array.tolist()
        return named


def stopping_curve(
    labels: LabelsLike,
    population: int,
    target: float | Fraction = 0.95,
    method: str = "certified",
    *,
    odds: float = 1.0,
    at_random: ArrayLike | None = None,
    confidence_level: float = 0.95,
    looks: ArrayLike | None = None,
) -> StoppingCurve:
    """Tell after each document of a review whether recall has reached its target.

    Parameters
    ----------
    labels : array_like of 0 and 1, shape (read,)
        Relevance of the documents in the order in which they were read.
    population : int
        Documents in the collection, read or not.
    target : float or Fraction
        Recall to be reached, above 0 and at most 1; 0.95 counts as 19/20.
    method : {"certified", "buscar"}
        "certified" bounds the number of relevant documents in the collection from above, at all
        looks together with the confidence level. It assumes that no next document is less likely
        relevant than a random unread one, given what was read before; documents that a ranking
        cannot read break the assumption (see `at_random`). The bound is proved on the page
        "Stopping rules" of the documentation.

        "buscar" is the least probability, over urns that hold the last documents read and all
        unread ones, that so few relevant ones are drawn although the target is missed (Callaghan &
        Müller-Hansen 2020). It is a heuristic, not a p-value, and stops below the target in many
        reviews whose order is near random.
    odds : float
        "buscar" only: how many times as likely a relevant unread document is to be read next as
        another one. A sensitivity analysis, no level: an assumption that is too high stops reviews
        far below their targets.
    at_random : array_like of bool or int, shape (read,), optional
        "certified" only: the documents that were drawn at random from the unread ones. Then these
        alone count as evidence, and nothing is assumed about the others. A run of True, or of one
        number that is not 0, is a batch: only its counts matter, not the order within it, and
        bounds change where it ends. ``range(1, read + 1)`` has a batch for each document; then the
        documents must be in the order in which they were drawn.
    confidence_level : float
        "certified": the probability with which all bounds hold. "buscar" stops where its value is
        below 1 - confidence_level.
    looks : array_like of int, optional
        Numbers of documents read, rising, at which to look; by default after each document. With
        `odds`, and for single looks of "buscar", this saves time. The bounds of "certified" are
        the same at fewer looks.

    Returns
    -------
    StoppingCurve
        `first_stop` is the number of documents read at the first stop, or None.

    Raises
    ------
    InputError
        For labels other than 0 and 1, more labels than documents, a target that is not above 0 or
        is above 1, and options of the other method.

    Warns
    -----
    OptionalStoppingWarning
        With "buscar" at more than one look.

    Notes
    -----
    Both take some 2 ns for each document and urn, or total that is not refused. The relative error
    of "buscar" is below 1e-11 down to 1e-290. Beyond 65,536 documents neighbouring totals of
    "certified" share a bound, which makes it larger by at most a part 2^-9.

    Examples
    --------
    >>> import irbounds as irb
    >>> labels = [1] * 20 + [0] * 180
    >>> curve = irb.stopping_curve(labels, 200, target=0.5)
    >>> curve
    StoppingCurve(certified, target 0.5: 20 relevant in 200 of 200 documents, first stop after 116)
    >>> curve.total_bound[[19, 59, 119]]
    array([200,  86,  39])
    >>> curve.values[[19, 59, 119]].round(4)
    array([0.1   , 0.2326, 0.5128])
    """
    check_choice("method", method, METHODS)
    size = check_count("population", population, 0)
    goal = exact_target(target)
    level = check_level(confidence_level)
    factor = check_number("odds", odds, "must be above 0 and finite", lambda x: 0 < x < np.inf)
    marks = check_labels(labels, size)
    at = _check_looks(looks, marks.size)
    if method == "certified" and factor != 1:
        raise InputError("`odds` is for method 'buscar' only")
    if method == "buscar" and at_random is not None:
        raise InputError("`at_random` is for method 'certified' only")
    found = np.cumsum(marks, dtype=np.int64)
    totals = missing_totals(goal, int(found[-1]) if marks.size else 0, size)
    if method == "certified":
        if at_random is None:
            _, largest = kernel.Bets(size, 1 - level).follow(marks)
        else:
            largest = largest_totals(marks, _check_numbers(at_random, marks.size), size, 1 - level)
        return _certified(largest, found, at, totals, (size, goal, level))
    if at.size > 1:
        warnings.warn(
            "the value of 'buscar' is no p-value: it is the least of many, and looked at "
            "repeatedly; reviews stop below their target more often than 1 - confidence_level "
            "where the order is little better than random",
            OptionalStoppingWarning,
            stacklevel=2,
        )
    values, start = least_probabilities(marks, found, at, totals, size, factor)
    return StoppingCurve(
        method=method,
        population=size,
        target=float(goal),
        confidence_level=level,
        looks=at,
        found=found[at - 1],
        values=values,
        total_bound=None,
        stops=values < 1 - level,
        odds=factor,
        urn_start=start.astype(np.int64),
    )


def _certified(
    largest: np.ndarray,
    found: np.ndarray,
    at: np.ndarray,
    totals: np.ndarray,
    design: tuple[int, Fraction, float],
) -> StoppingCurve:
    """The curve from the largest totals that are left, -1 where none is."""
    size, goal, level = design
    refused = np.flatnonzero(largest[at - 1] < 0)
    bound = total_bounds(largest[at - 1], at, found[at - 1], size)
    return StoppingCurve(
        method="certified",
        population=size,
        target=float(goal),
        confidence_level=level,
        looks=at,
        found=found[at - 1],
        values=recall_bounds(found[at - 1], bound),
        total_bound=bound,
        stops=bound < totals[found[at - 1]],
        contradicted_at=int(at[refused[0]]) if refused.size else None,
    )


def largest_totals(
    marks: np.ndarray, numbers: np.ndarray, population: int, alpha: float, step: int = 1
) -> np.ndarray:
    """The largest total that random batches leave after each document, -1 where none is left; they
    are weighed after each `step` of them."""
    batches, end = batches_of(marks, numbers, population)
    _, bounds = BatchEvidence.none(population, alpha).follow(batches, step)
    read, found = np.arange(1, marks.size + 1), np.cumsum(marks, dtype=np.int64)
    # after the last batch that ends by then, or before the first
    largest = np.r_[float(population), bounds][np.searchsorted(end, read, side="right")]
    largest = np.minimum(largest, population - (read - found))
    return np.where(largest < found, -1.0, largest)


def total_bounds(
    largest: np.ndarray, read: FloatOrArray, found: FloatOrArray, population: int
) -> np.ndarray:
    """The largest totals that are left; where none is, the largest possible ones."""
    possible = population - (read - found)
    return np.where(largest < 0, possible, largest).astype(np.int64)


def recall_bounds(found: np.ndarray, bound: np.ndarray) -> np.ndarray:
    """The share found of each bound, 1 where nothing is to be found."""
    return np.divide(found, bound, out=np.ones(np.shape(bound)), where=bound > 0)


def least_probabilities(
    marks: np.ndarray,
    found: np.ndarray,
    at: np.ndarray,
    totals: np.ndarray,
    population: int,
    odds: float,
) -> tuple[np.ndarray, np.ndarray]:
    """The least probability over urns at each look, and the documents read before the urn."""
    if odds == 1 and at.size > FEW_LOOKS:
        _, least, start = kernel.Urns(population, totals[0]).follow(marks, totals)
        return least[at - 1], start[at - 1]
    begins = urn_starts(marks)
    found_before = np.concatenate([[0], found]).astype(float)
    values, starts = np.zeros(at.size), np.zeros(at.size)
    for i, read in enumerate(at):
        total, unread = totals[found[read - 1]], population - read
        missed = total - found[read - 1]
        if missed > unread:
            continue  # so many cannot be left
        start = begins[begins < read]
        before = found_before[start.astype(np.int64)]
        if odds == 1:
            tails = kernel.urns_at(population, read, found[read - 1], total, start, before)
        else:
            same = np.ones(start.size)
            tails = biased_tails(
                unread * same, missed * same, read - start, found[read - 1] - before, odds
            )
        best = int(np.argmin(tails))
        values[i], starts[i] = tails[best], start[best]
    return values, starts


def _check_looks(looks: ArrayLike | None, read: int) -> np.ndarray:
    if looks is None:
        return np.arange(1, read + 1)
    rule = f"must be rising whole numbers from 1 to {read}, the number of labels"
    at = np.atleast_1d(as_floats("looks", looks, rule))
    if at.ndim != 1:
        fail("looks", rule, looks)
    wrong = (at != np.floor(at)) | ~((at >= 1) & (at <= read))
    wrong[1:] |= ~(np.diff(at) > 0)
    if wrong.any():
        i = int(np.flatnonzero(wrong)[0])
        fail("looks", rule, as_given(looks, i) if np.ndim(looks) else looks, f"at index {i}")
    return at.astype(np.int64)


def _check_numbers(at_random: ArrayLike, read: int) -> np.ndarray:
    numbers = as_batches(at_random)
    if numbers.size != read:
        fail("at_random", f"must have one element for each of the {read} labels", numbers.size)
    return numbers
