"""Values at a target recall, as functions of both yields: precision, documents to
review, and cost."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from irbounds.extrapolation.curve import through, values
from irbounds.extrapolation.review import total_cost

if TYPE_CHECKING:
    from irbounds.typing import ArrayLike, BoolArray, FloatArray, FloatOrArray

LEAST = 1e-300  # what is 0 has no logarithm


class AtTarget(Protocol):
    """A quantity at the target recall, as a function of both yields."""

    @property
    def rises_with_retrieved(self) -> bool:
        """True if it rises with the retrieved yield, False if it rises with the unretrieved
        yield."""

    def __call__(
        self, r1: FloatOrArray, r0: FloatOrArray, n1: FloatOrArray, n0: FloatOrArray, target: float
    ) -> np.ndarray:
        """The value for yields of n1 retrieved and n0 unretrieved documents."""

    def most(self, size: FloatOrArray, target: float) -> Any:
        """The largest possible value for these numbers of documents."""

    def scaled(self, value: ArrayLike) -> Any:
        """The value on a scale on which the function is nearly linear."""

    def unscaled(self, place: float) -> float:
        """The value at a point of that scale."""

    def forced(
        self,
        low: FloatArray,
        high: FloatArray,
        most: FloatArray,
        none_found: BoolArray,
        is_perfect: BoolArray,
    ) -> tuple[Any, Any]:
        """Fixed ends, if a sample contains no relevant document or only relevant documents."""


@dataclass(frozen=True)
class PrecisionAt:
    """X: it rises with R1, and may rise or fall with R0."""

    rises_with_retrieved: ClassVar[bool] = True

    def __call__(
        self, r1: FloatOrArray, r0: FloatOrArray, n1: FloatOrArray, n0: FloatOrArray, target: float
    ) -> np.ndarray:
        """See `AtTarget`."""
        found, extrapolated, _ = _at_target(r1, r0, n1, n0, target)
        return np.where(found > 0, extrapolated, 0.0)

    def most(self, size: FloatOrArray, target: float) -> Any:
        """Precision 1."""
        return np.ones_like(size)

    def scaled(self, value: ArrayLike) -> Any:
        """Log odds."""
        value = np.asarray(value, float)
        # Precision 1 gets the log odds 39: those of the largest double below 1 are 36.7.
        return np.log(np.maximum(value, LEAST)) - np.log(np.maximum(1 - value, 1e-17))

    def unscaled(self, place: float) -> float:
        """From log odds."""
        # exp overflows from 710 on.
        return 1 / (1 + math.exp(-min(max(place, -700.0), 700.0)))

    def forced(
        self,
        low: FloatArray,
        high: FloatArray,
        most: FloatArray,
        none_found: BoolArray,
        is_perfect: BoolArray,
    ) -> tuple[Any, Any]:
        """No relevant document in the retrieved sample: low end 0.  Only relevant ones there, or
        none in the other sample: high end 1."""
        return np.where(none_found, 0.0, low), np.where(is_perfect, most, high)


@dataclass(frozen=True)
class CostAt:
    """Documents to review, or their cost: both rise with R0, and may rise or fall with R1."""

    population: float | None = None
    per_document: float = 1.0
    per_relevant: float = 0.0
    fixed: float = 0.0
    rises_with_retrieved: ClassVar[bool] = False

    def __call__(
        self, r1: FloatOrArray, r0: FloatOrArray, n1: FloatOrArray, n0: FloatOrArray, target: float
    ) -> np.ndarray:
        """See `AtTarget`."""
        found, extrapolated, rho = _at_target(r1, r0, n1, n0, target)
        population = n1 + n0 if self.population is None else self.population
        relevant = population * target * (found / np.maximum(n1 + n0, LEAST))
        # as for precision, what random order needs is the most
        # n = N ρ R_T/X(R_T), with X of at least ρ.
        documents = np.where(
            found > 0,
            np.minimum(relevant / np.maximum(extrapolated, rho), population * target),
            population * target,
        )
        return self._cost(documents, relevant)

    def _cost(self, documents: FloatOrArray, relevant: FloatOrArray) -> Any:
        return total_cost(documents, relevant, self.per_document, self.per_relevant, self.fixed)

    def most(self, size: FloatOrArray, target: float) -> Any:
        """The value if all documents are relevant."""
        documents = (
            size if self.population is None else np.full_like(size, self.population)
        ) * target
        return self._cost(documents, documents)

    def scaled(self, value: ArrayLike) -> Any:
        """Logarithms."""
        return np.log(np.maximum(np.asarray(value, float), LEAST))

    def unscaled(self, place: float) -> float:
        """From logarithms."""
        # exp(710) is beyond the largest double.
        return math.exp(min(place, 700.0))

    def forced(
        self,
        low: FloatArray,
        high: FloatArray,
        most: FloatArray,
        none_found: BoolArray,
        is_perfect: BoolArray,
    ) -> tuple[Any, Any]:
        """No relevant document in the retrieved sample: the high end is the largest value."""
        return low, np.where(none_found, most, high)


def _at_target(
    r1: FloatOrArray, r0: FloatOrArray, n1: FloatOrArray, n0: FloatOrArray, target: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All relevant documents, precision at the target recall, and prevalence."""
    r1, r0 = np.broadcast_arrays(np.asarray(r1, float), np.asarray(r0, float))
    found = r1 + r0
    # The least prevalence for which the kernel of curves keeps its digits
    # (`curve.LEAST_PREVALENCE`).
    rho = np.maximum(found / np.maximum(n1 + n0, LEAST), 1e-100)
    return (
        found,
        _extrapolated(r1 / np.maximum(found, LEAST), r1 / np.maximum(n1, LEAST), rho, target),
        rho,
    )


def _extrapolated(
    recall: np.ndarray, precision: np.ndarray, rho: np.ndarray, target: float
) -> np.ndarray:
    """X at the target; its limit for points without a curve."""
    result = values(
        "precision", np.full(recall.shape, float(target)), rho, through(recall, precision, rho)
    )
    # At its own recall the curve is its point, here to the last digit.
    return np.where((recall == target) & (precision > rho) & (recall < 1), precision, result)
