"""Assumptions about a review before its assessment."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irbounds.foundation.arguments import as_floats, check_rng
from irbounds.foundation.errors import LARGEST_COUNT, InputError, check_count, fail

if TYPE_CHECKING:
    from irbounds.typing import RNGLike

NODES = {1: 5, 2: 3}  # Gauss points of each range, by the number of ranges


class Known(NamedTuple):
    """A stratum whose relevant documents are known."""

    size: float
    relevant: float


@dataclass(frozen=True)
class Case:
    """One of the possible collections, and its weight."""

    weight: float
    retrieved: tuple[Known, ...]
    unretrieved: tuple[Known, ...]

    @property
    def retrieved_relevant(self) -> float:
        """R1"""
        return sum(stratum.relevant for stratum in self.retrieved)

    @property
    def unretrieved_relevant(self) -> float:
        """R0"""
        return sum(stratum.relevant for stratum in self.unretrieved)

    @property
    def recall(self) -> float:
        """R1/(R1 + R0)"""
        return self.retrieved_relevant / (self.retrieved_relevant + self.unretrieved_relevant)


class AssumedReview:
    """A review to plan for: the known sizes of its segments, and assumptions about its quality.

    Parameters
    ----------
    population, retrieved : int
        Documents in the collection, and those that were retrieved.
    recall : float or (low, high)
        A pair is a uniform distribution between its two numbers, in the other fields too.
    precision, prevalence : float or (low, high)
        Give one of them; the other one follows.

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.AssumedReview(100_000, 10_000, recall=0.8, precision=0.5)
    AssumedReview(retrieved 5000 of 10000, unretrieved 1250 of 90000, recall 0.8)
    """

    def __init__(
        self,
        population: int,
        retrieved: int,
        *,
        recall: float | tuple[float, float],
        precision: float | tuple[float, float] | None = None,
        prevalence: float | tuple[float, float] | None = None,
    ) -> None:
        size = check_count("population", population, 2)
        if check_count("retrieved", retrieved, 1) >= size:
            fail("retrieved", f"must be below the population, {size}", retrieved)
        if (precision is None) == (prevalence is None):
            raise InputError(
                "give one of `precision` and `prevalence`: the other one follows from it and recall"
            )
        name = "precision" if prevalence is None else "prevalence"
        ranges = [
            _check_range("recall", recall),
            _check_range(name, precision if prevalence is None else prevalence),
        ]
        self._settle(ranges, partial(_case, size, int(retrieved), name))

    @classmethod
    def from_strata(cls, retrieved: object, unretrieved: object) -> AssumedReview:
        """Segments as (size, prevalence), or lists of such strata; prevalences may be pairs (low,
        high).

        Examples
        --------
        >>> import irbounds as irb
        >>> irb.AssumedReview.from_strata((10_000, 0.5), [(20_000, 0.05), (70_000, (0, 0.01))])
        AssumedReview(retrieved 5000 of 10000, unretrieved 1033 to 1667 of 90000, recall 0.75 to
        0.83)
        """
        segments = [
            _check_strata("retrieved", retrieved),
            _check_strata("unretrieved", unretrieved),
        ]
        sizes = tuple(size for segment in segments for size, _ in segment)
        review = cls.__new__(cls)
        review._settle(
            [prevalence for segment in segments for _, prevalence in segment],
            partial(_strata, sizes, len(segments[0])),
        )
        return review

    def _settle(
        self, ranges: list[tuple[float, float]], make: Callable[[float, tuple[float, ...]], Case]
    ) -> None:
        self._ranges = ranges
        self._make = make
        self.cases: tuple[Case, ...] = tuple(
            make(weight, values) for weight, values in _nodes(ranges)
        )
        for case in self.cases:
            if sum(stratum.relevant for stratum in (*case.retrieved, *case.unretrieved)) == 0:
                raise InputError(
                    "with these assumptions no document is relevant: recall is not defined"
                )

    def draw(self, count: int, rng: RNGLike = None) -> list[Case]:
        """Randomly drawn possible collections; without ranges there is only one."""
        drawn: list[Case] = []
        generator, tried = check_rng(rng), 0
        while len(drawn) < check_count("count", count, 1):
            tried += 1
            values = tuple(
                float(generator.uniform(low, high)) if low < high else low
                for low, high in self._ranges
            )
            try:
                case = self._make(1.0, values)
            except InputError:
                # Values of ranges that do not go together are drawn again, but not forever.
                if tried > 1000 * count:
                    raise
                continue
            if case.retrieved_relevant + case.unretrieved_relevant > 0:
                drawn.append(case)
        return drawn

    @property
    def sizes(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Documents in the strata of the retrieved and of the unretrieved segment."""
        first = self.cases[0]
        return tuple(int(s.size) for s in first.retrieved), tuple(
            int(s.size) for s in first.unretrieved
        )

    @property
    def recall(self) -> float:
        """Expected recall."""
        return math.fsum(case.weight * case.recall for case in self.cases)

    def __repr__(self) -> str:
        def span(values: list[float], form: str) -> str:
            low, high = min(values), max(values)
            return f"{low:{form}}" if low == high else f"{low:{form}} to {high:{form}}"

        relevant = [
            [sum(s.relevant for s in getattr(case, name)) for case in self.cases]
            for name in ("retrieved", "unretrieved")
        ]
        first, second = (
            f"{span(counts, '.0f')} of {sum(sizes)}"
            for counts, sizes in zip(relevant, self.sizes, strict=True)
        )
        return (
            f"AssumedReview(retrieved {first}, unretrieved {second}, "
            f"recall {span([case.recall for case in self.cases], '.2g')})"
        )


def check_review(value: object) -> AssumedReview:
    """Check that an argument is an assumed review."""
    if not isinstance(value, AssumedReview):
        fail("review", "must be an AssumedReview", value)
    return value


def _strata(
    sizes: tuple[float, ...], n_retrieved: int, weight: float, shares: tuple[float, ...]
) -> Case:
    """A case from the prevalence of each stratum."""
    strata = [
        Known(size, float(round(size * share))) for size, share in zip(sizes, shares, strict=True)
    ]
    return Case(weight, tuple(strata[:n_retrieved]), tuple(strata[n_retrieved:]))


def _case(size: int, retrieved: int, name: str, weight: float, values: tuple[float, ...]) -> Case:
    """A case from recall, and precision or prevalence."""
    recall, share = values
    if recall == 0:
        raise InputError("`recall` must be above 0")
    if name == "precision":
        found = round(retrieved * share)
        # A tiny recall asks for more documents than doubles count; the checks below refuse it.
        relevant = round(min(found / recall, 2 * LARGEST_COUNT))
    else:
        relevant = round(size * share)
        found = round(relevant * recall)
    assumed = f"recall {recall:.3g} and {name} {share:.3g}"
    if found > retrieved:
        raise InputError(
            f"{assumed} require {found} relevant documents among {retrieved} retrieved ones"
        )
    if relevant - found > size - retrieved:
        raise InputError(
            f"{assumed} require {relevant - found} relevant documents among {size - retrieved} "
            "unretrieved ones"
        )
    return Case(
        weight,
        (Known(float(retrieved), float(found)),),
        (Known(float(size - retrieved), float(relevant - found)),),
    )


def _check_range(name: str, value: object) -> tuple[float, float]:
    """A share or a pair of them, as a pair."""
    ends = as_floats(name, value, "must be a number between 0 and 1, or a pair (low, high) of them")
    if ends.shape not in ((), (2,)):
        fail(name, "must be a number between 0 and 1, or a pair (low, high) of them", value)
    low, high = np.broadcast_to(ends, 2).tolist()
    if not 0 <= low <= high <= 1:
        fail(name, "must be between 0 and 1, a pair in rising order", value)
    return low, high


def _check_strata(name: str, value: object) -> list[tuple[float, tuple[float, float]]]:
    strata = value if isinstance(value, list) else [value]
    if not strata:
        raise InputError(f"`{name}` has no strata: it needs one (size, prevalence) at least")
    checked = []
    for i, stratum in enumerate(strata):
        where = f"{name}[{i}]" if len(strata) > 1 else name
        if not isinstance(stratum, tuple | list) or len(stratum) != 2:
            fail(where, "must be (size, prevalence)", stratum)
        checked.append(
            (
                float(check_count(f"{where}.size", stratum[0], 1)),
                _check_range(f"{where}.prevalence", stratum[1]),
            )
        )
    return checked


def _nodes(ranges: list[tuple[float, float]]) -> list[tuple[float, tuple[float, ...]]]:
    """Gauss-Legendre points of all ranges together, with weights that sum to 1."""
    n_open = sum(low < high for low, high in ranges)
    points, weights = np.polynomial.legendre.leggauss(NODES.get(n_open, 2))
    if n_open > 6:
        raise InputError(f"at most 6 quantities can be ranges; found {n_open}")
    # The rule's weights on (-1, 1) sum to 2.
    axes = [
        [
            (float(w) / 2, low + (high - low) * (float(x) + 1) / 2)
            for x, w in zip(points, weights, strict=True)
        ]
        if low < high
        else [(1.0, low)]
        for low, high in ranges
    ]
    return [
        (math.prod(w for w, _ in chosen), tuple(x for _, x in chosen))
        for chosen in itertools.product(*axes)
    ]
