"""`Interval`, the result of all interval functions: an estimate, its ends, and the method."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.foundation.arguments import check_level
from irbounds.foundation.errors import check_choice
from irbounds.foundation.read_only import EqualFields
from irbounds.foundation.writing import InNotebooks

if TYPE_CHECKING:
    from irbounds.typing import FloatOrArray

SIDES = ("two-sided", "lower", "upper")
LOW, HIGH = "low", "high"  # ends


@dataclass(frozen=True, eq=False)
class Interval(EqualFields, InNotebooks):
    """An estimate with its bounds; arrays if the arguments had arrays.

    ``low, high = interval`` unpacks the ends.

    Attributes
    ----------
    estimate, low, high : float or ndarray
        The estimate and the ends.  The other end of a one-sided interval is the least or the
        greatest possible value.  If everything was sampled, both ends are the true value.  Estimate
        and ends are computed separately: an estimate from samples is a ratio without a prior,
        posterior ends have one.  So the estimate can lie outside a posterior interval of a very low
        level, or where the prior outweighs the samples.
    confidence_level : float
    side : {"two-sided", "lower", "upper"}
    method : str
    engine : str
        "exact", "monte-carlo" or "formula".
    standard_error : pair or None
        Standard errors of the two ends, where they were drawn.
    raw_low, raw_high : float, ndarray or None
        Ends of a normal approximation before they were clipped to [0, 1].
    n_groups : int or None
        Groups of queries, or clusters of documents, where the sample is of such.
    inflation : float, ndarray or None
        The width over that of the same queries without groups.
    design_effect : float, pair of float or None
        Kish's, of a sample of clusters of documents; of recall that of each segment.
    """

    estimate: FloatOrArray
    low: FloatOrArray
    high: FloatOrArray
    confidence_level: float
    side: str
    method: str
    engine: str = "formula"
    standard_error: FloatOrArray = None
    raw_low: FloatOrArray = None
    raw_high: FloatOrArray = None
    n_groups: int | None = None
    inflation: FloatOrArray = None
    design_effect: FloatOrArray = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "confidence_level", float(self.confidence_level))

    def to_dict(self) -> dict[str, Any]:
        """All fields by name, arrays as lists."""

        def simple(value: Any) -> Any:
            if isinstance(value, tuple):
                return [simple(item) for item in value]
            return value.tolist() if isinstance(value, np.ndarray) else value

        found = {name: simple(value) for name, value in vars(self).items()}
        for name in ("n_groups", "inflation", "design_effect"):  # the sample has no groups
            if found[name] is None:
                del found[name]
        return found

    def __iter__(self) -> Iterator[Any]:
        return iter((self.low, self.high))

    def _table(self) -> tuple[list[str], list[list[Any]]]:
        names = ["estimate", "low", "high"]
        columns = np.broadcast_arrays(*(getattr(self, name) for name in names))
        rows = np.stack([column.ravel() for column in columns], axis=1).tolist()
        more = [f"{self.confidence_level:.10g} {self.side}", self.method]
        return [*names, "level", "method"], [[*row, *more] for row in rows]

    def __repr__(self) -> str:
        if np.ndim(self.low):
            return f"Interval(low={self.low}, high={self.high}, method={self.method!r})"
        return (
            f"Interval({self.estimate:.6g} in [{self.low:.6g}, {self.high:.6g}], "
            f"{self.confidence_level:.10g} {self.side}, {self.method})"
        )


def tail_probability(level: float, side: str) -> float:
    """The error probability of each end."""
    level = check_level(level)
    return (1 - level) / 2 if check_choice("side", side, SIDES) == "two-sided" else 1 - level


def normal_quantile(level: float, side: str) -> float:
    """The normal quantile of an interval's end.

    Near 0 it is computed from the probability between the ends, because the probability outside of
    them has too few digits there.
    """
    tail = tail_probability(level, side)
    # erfinv of the probability between the ends keeps the digits that 1 - level loses near 0.
    if 0.25 < tail < 0.75:
        from scipy.special import erfinv

        return math.sqrt(2) * float(erfinv(level if side == "two-sided" else 2 * level - 1))
    from statistics import NormalDist  # here, as it imports much

    return -NormalDist().inv_cdf(tail)


def one_sided(
    low: FloatOrArray,
    high: FloatOrArray,
    side: str,
    least: FloatOrArray = 0.0,
    most: FloatOrArray = 1.0,
) -> tuple[Any, Any]:
    """The ends, with the end that was not requested open."""
    low = np.broadcast_to(least, np.shape(low)).astype(float) if side == "upper" else low
    return low, (np.broadcast_to(most, np.shape(high)).astype(float) if side == "lower" else high)


def with_known(
    low: FloatOrArray, high: FloatOrArray, value: Any, is_known: FloatOrArray
) -> tuple[Any, Any]:
    """The ends; both equal the value itself if it is known because everything was sampled."""
    return np.where(is_known, value, low), np.where(is_known, value, high)
