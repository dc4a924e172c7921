"""Measures of samples: how each is estimated, computed from yields, and what its interval must keep
to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.foundation.arguments import plain
from irbounds.foundation.interval import HIGH, LOW, one_sided, with_known
from irbounds.samples.model.point_estimates import estimated_yield, recall_ratio
from irbounds.samples.model.strata import Segment, common_shape, is_census, total

if TYPE_CHECKING:
    from irbounds.typing import FloatOrArray


Ends = tuple[Any, Any]


class SampleMeasure:
    """A measure of the yields R1 and R0 of the retrieved and of the unretrieved segment.

    Attributes
    ----------
    name : str
        As methods list it.
    kernel : str
        The name in `YieldPair` of the measure, or of a multiple of it.
    beta : float
        The weight of recall; 1 where there is none.
    rises_with_both : bool
        Whether it grows with both yields; otherwise it falls with the other one.
    """

    name: str
    kernel = "yield"
    beta: float = 1.0
    rises_with_both = True

    def estimate(self, one: Segment, other: Segment) -> Any:
        """The value at the estimated yields; nan if it is not defined there."""
        with np.errstate(divide="ignore", invalid="ignore"):
            first, second = estimated_yield(one), estimated_yield(other)
        return self.of(first, second, total(one, "size"))

    def of(self, r1: FloatOrArray, r0: FloatOrArray, size: FloatOrArray) -> Any:
        """The value at yields, given the size of the first segment, on the scale of `kernel`."""
        raise NotImplementedError

    def ends_of(self, end: str) -> tuple[str, str]:
        """The ends of both yields at which the low or the high end of the measure lies."""
        if self.rises_with_both:
            return end, end
        return (LOW, HIGH) if end == LOW else (HIGH, LOW)

    def finished(
        self,
        low: np.ndarray,
        high: np.ndarray,
        one: Segment,
        other: Segment,
        side: str,
        forces: bool,
    ) -> Ends:
        """Ends within what is possible, forced where samples force them and the method does so, the
        side that was not asked for open, and the value itself where all is known."""
        low, high = self._possible(low, high, one, other, forces)
        low, high = one_sided(low, high, side, 0.0, self._most(one, other))
        is_known = is_census(one, other)
        if not np.any(is_known):
            return low, high
        estimate = np.broadcast_to(self.estimate(one, other), common_shape(one, other))
        return with_known(low, high, estimate, is_known & (estimate == estimate))

    def _possible(
        self, low: FloatOrArray, high: FloatOrArray, one: Segment, other: Segment, forces: bool
    ) -> Ends:
        """Both ends, as far as no side is open and not all is known."""
        raise NotImplementedError

    def _most(self, one: Segment, other: Segment) -> Any:
        """The greatest possible value."""
        return 1.0

    def scaled_errors(self, errors: FloatOrArray, one: Segment) -> Any:
        """Standard errors of the ends, from those on the scale of `kernel`."""
        return errors


def recall_of(r1: FloatOrArray, r0: FloatOrArray, size: FloatOrArray = None) -> Any:
    """R1/(R1 + R0), 0 where there is nothing."""
    return r1 / np.maximum(r1 + r0, 1e-300)


@dataclass(frozen=True)
class Recall(SampleMeasure):
    """R1/(R1 + R0)."""

    name = kernel = "recall"
    rises_with_both = False

    def estimate(self, one: Segment, other: Segment) -> Any:
        """See `SampleMeasure`."""
        return recall_ratio(one, other)

    def of(self, r1: FloatOrArray, r0: FloatOrArray, size: FloatOrArray) -> Any:
        """See `SampleMeasure`."""
        return recall_of(r1, r0)

    def _possible(
        self, low: FloatOrArray, high: FloatOrArray, one: Segment, other: Segment, forces: bool
    ) -> Ends:
        """Nothing relevant among the retrieved: from 0; none among the others: up to 1."""
        shape = common_shape(one, other)
        low, high = (np.clip(np.broadcast_to(end, shape), 0, 1) for end in (low, high))
        r1, r0 = total(one, "relevant"), total(other, "relevant")
        if forces:
            low = np.where(r1 == 0, 0.0, low)
            high = np.where(_may_be_all(r0, one, other), 1.0, high)
        # nan stands for a quotient of yields that are all 0: nothing is known of recall then.
        nothing = np.isnan(low) | np.isnan(high) | (r1 + r0 == 0)
        return np.where(nothing, 0.0, low), np.where(nothing, 1.0, high)


def _may_be_all(r0: FloatOrArray, one: Segment, other: Segment) -> Any:
    """Nothing found in the unretrieved sample forces the high end, unless nothing can be found in
    the retrieved segment and something can in the other."""
    # If no retrieved document is relevant for sure, recall is 0 as soon as one unretrieved document
    # is, and finding none does not make it 1.
    none_retrieved = (total(one, "relevant") == 0) & (total(one, "size") == total(one, "sampled"))
    return (r0 == 0) & ~none_retrieved


@dataclass(frozen=True)
class FScore(SampleMeasure):
    """(1 + β²) R1/(β² (R1 + R0) + N1)."""

    beta: float
    name = "F"
    kernel = "f"
    rises_with_both = False

    def of(self, r1: FloatOrArray, r0: FloatOrArray, size: FloatOrArray) -> Any:
        """See `SampleMeasure`."""
        square = self.beta * self.beta
        with np.errstate(divide="ignore", invalid="ignore"):
            return (1 + square) * r1 / (square * (r1 + r0) + size)

    def _possible(
        self, low: FloatOrArray, high: FloatOrArray, one: Segment, other: Segment, forces: bool
    ) -> Ends:
        """Nothing relevant among the retrieved: from 0; nothing else there and none among the
        others: up to 1."""
        if not forces:
            return low, high
        sure = (
            (total(other, "relevant") == 0)
            & (total(one, "relevant") == total(one, "sampled"))
            & (total(one, "sampled") > 0)
        )
        return np.where(total(one, "relevant") == 0, 0.0, low), np.where(sure, 1.0, high)


@dataclass(frozen=True)
class Yield(SampleMeasure):
    """R1 + R0."""

    name = "yield"

    def of(self, r1: FloatOrArray, r0: FloatOrArray, size: FloatOrArray) -> Any:
        """See `SampleMeasure`."""
        return r1 + r0

    def _most(self, one: Segment, other: Segment) -> Any:
        return total(one, "size") + total(other, "size")

    def _possible(
        self, low: FloatOrArray, high: FloatOrArray, one: Segment, other: Segment, forces: bool
    ) -> Ends:
        """Nothing relevant in the samples: from 0; nothing else: up to all documents."""
        if not forces:
            return low, high
        relevant, sampled = (total([*one, *other], field) for field in ("relevant", "sampled"))
        most = self._most(one, other)
        return np.where(relevant == 0, 0.0, low), np.where(relevant == sampled, most, high)


@dataclass(frozen=True)
class Share(SampleMeasure):
    """R/N of one segment, from ends of its yield R: precision of the retrieved one, elusion of the
    other."""

    name: str

    def estimate(self, one: Segment, other: Segment) -> Any:
        """See `SampleMeasure`."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return estimated_yield(one) / total(one, "size")

    def of(self, r1: FloatOrArray, r0: FloatOrArray, size: FloatOrArray) -> Any:
        """See `SampleMeasure`; the yield itself."""
        return r1

    def _possible(
        self, low: FloatOrArray, high: FloatOrArray, one: Segment, other: Segment, forces: bool
    ) -> Ends:
        """Nothing relevant in the sample: from 0; nothing else: up to 1."""
        size = total(one, "size")
        with np.errstate(divide="ignore", invalid="ignore"):
            low, high = low / size, high / size
        if forces:
            r, n = total(one, "relevant"), total(one, "sampled")
            low, high = np.where(r == 0, 0.0, low), np.where(r == n, 1.0, high)
        return np.where(size > 0, low, 0.0), np.where(size > 0, high, 1.0)

    def scaled_errors(self, errors: FloatOrArray, one: Segment) -> Any:
        """Parts of the segment."""
        if errors is None:
            return None
        size = total(one, "size")
        with np.errstate(divide="ignore", invalid="ignore"):
            return tuple(plain(np.asarray(error) / size) for error in errors)
