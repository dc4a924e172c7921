"""One review that is known, and the samples that may be drawn from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.chance.sampling_chances import draw_counts, likely_counts
from irbounds.foundation.errors import InputError
from irbounds.samples.intervals.pipeline import Outcomes, recall_ends_of, tolerance_of
from irbounds.samples.model.strata import Stratum, check_segments

if TYPE_CHECKING:
    from irbounds.typing import FloatArray

MOST_OUTCOMES = 10**6  # that are summed exactly

Method = str | Callable[[Any, Any, float], tuple[Any, Any]]
Segments = tuple[Any, Any]


@dataclass(frozen=True)
class SampledReview:
    """Strata as arrays of (size, relevant, sampled), strata × 3; with one sample of the whole
    collection the numbers sampled are unknown.

    An outcome is a column: the relevant documents found in each stratum, the retrieved ones first;
    with one sample of the whole collection the documents drawn from the retrieved segment come
    before them.
    """

    retrieved: np.ndarray
    unretrieved: np.ndarray
    sample: int | None = None

    @property
    def strata(self) -> np.ndarray:
        """All of them."""
        return np.concatenate([self.retrieved, self.unretrieved])

    @property
    def recall(self) -> float:
        """R1/(R1 + R0)"""
        found, missed = (
            float(segment[:, 1].sum()) for segment in (self.retrieved, self.unretrieved)
        )
        return found / (found + missed)

    @property
    def population(self) -> float:
        """Documents."""
        return float(self.strata[:, 0].sum())

    @property
    def is_plain(self) -> bool:
        """Tell whether each segment is one stratum with a sample of its own."""
        return len(self.strata) == 2 and self.sample is None

    def draw_outcomes(
        self, samples: int, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Distinct outcomes and their shares of the samples."""
        if self.sample is None:
            found = [
                draw_counts(size, relevant, n, samples, rng)
                for size, relevant, n in self.strata.tolist()
            ]
        else:
            (size1, relevant1, _), (size0, relevant0, _) = self.strata.tolist()
            # The number of retrieved documents in the sample is hypergeometric. Given it, both
            # parts are simple random samples of their segments.
            first = draw_counts(size1 + size0, size1, self.sample, samples, rng)
            found = [first, np.zeros(samples), np.zeros(samples)]
            for n in np.unique(first).tolist():
                who = first == n
                found[1][who] = draw_counts(size1, relevant1, n, int(who.sum()), rng)
                found[2][who] = draw_counts(size0, relevant0, self.sample - n, int(who.sum()), rng)
        outcomes, counts = np.unique(np.array(found), axis=1, return_counts=True)
        return outcomes, counts / samples

    def all_outcomes(self) -> tuple[np.ndarray, np.ndarray]:
        """Likely outcomes and their probabilities."""
        if self.sample is None:
            return _grid([likely_counts(*row) for row in self.strata.tolist()])
        (size1, relevant1, _), (size0, relevant0, _) = self.strata.tolist()
        firsts = likely_counts(size1 + size0, size1, self.sample)
        columns, weights, n_all = [], [], 0
        for n, chance in zip(firsts[0].tolist(), firsts[1].tolist(), strict=True):
            outcomes, shares = _grid(
                [
                    likely_counts(size1, relevant1, n),
                    likely_counts(size0, relevant0, self.sample - n),
                ],
                n_all,
            )
            columns.append(np.concatenate([np.full((1, shares.size), n), outcomes]))
            weights.append(chance * shares)
            n_all += shares.size
        return np.concatenate(columns, axis=1), np.concatenate(weights)

    def assessed(self, outcomes: np.ndarray) -> Segments:
        """Both segments as `recall_interval` takes them, with arrays of outcomes."""
        if self.sample is not None:
            (size1, _, _), (size0, _, _) = self.strata.tolist()
            return Stratum(size1, outcomes[0], outcomes[1]), Stratum(
                size0, self.sample - outcomes[0], outcomes[2]
            )
        known = [
            Stratum(row[0], row[2], found)
            for row, found in zip(self.strata.tolist(), outcomes, strict=True)
        ]
        n = len(self.retrieved)
        return known[0] if n == 1 else known[:n], known[n] if len(known) == n + 1 else known[n:]

    def ends(
        self, name: str, method: Method, outcomes: np.ndarray, level: float, side: str
    ) -> tuple[Any, Any]:
        """Low and high ends for all outcomes."""
        if callable(method):
            return _own_ends(name, method(*self.assessed(outcomes), level), outcomes.shape[1:])
        if self.is_plain:
            (size1, _, n1), (size0, _, n0) = self.strata.tolist()
            return Outcomes((size1, size0), (n1, n0), method).ends(outcomes, level, side)
        if self.sample is not None:
            return self._by_split(method, outcomes, level, side)
        retrieved, unretrieved = self.assessed(outcomes)
        first, second = check_segments(retrieved=retrieved, unretrieved=unretrieved)
        return recall_ends_of(first, second, method, level, side)

    def _by_split(
        self, method: str, outcomes: np.ndarray, level: float, side: str
    ) -> tuple[Any, Any]:
        """Compute ends for one sample of the collection; outcomes with the same split are taken
        together."""
        low, high = np.empty(outcomes.shape[1]), np.empty(outcomes.shape[1])
        (size1, _, _), (size0, _, _) = self.strata.tolist()
        for n in np.unique(outcomes[0]).tolist():
            who = outcomes[0] == n
            low[who], high[who] = Outcomes((size1, size0), (n, self.sample - n), method).ends(
                outcomes[1:, who], level, side
            )
        return low, high

    def covers(self, low: FloatArray, high: FloatArray) -> tuple[np.ndarray, np.ndarray]:
        """Tell whether recall is below the intervals, and above them; the ends are inside."""
        # Ends are within a tolerance of theirs, and recall may be an end itself: where all is
        # known.
        tolerance = 2 * tolerance_of(self.population)
        return low > self.recall + tolerance, high < self.recall - tolerance


def _grid(
    laws: list[tuple[np.ndarray, np.ndarray]], n_before: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """All combinations of independent counts."""
    n = n_before + int(np.prod([float(counts.size) for counts, _ in laws]))
    if n > MOST_OUTCOMES:
        raise InputError(
            f"samples of these strata have more than {MOST_OUTCOMES:,} outcomes: use `exact=False`"
        )
    outcomes, weights = np.zeros((0, 1)), np.ones(1)
    for counts, chances in laws:
        outcomes = np.concatenate(
            [np.repeat(outcomes, counts.size, axis=1), np.tile(counts, weights.size)[None]]
        )
        # In the order of `np.repeat` and `np.tile` above: what was there before varies slowest.
        weights = np.outer(weights, chances).ravel()
    return outcomes, weights


def _own_ends(name: str, ends: Any, shape: tuple[int, ...]) -> tuple[Any, Any]:
    """Check that a user's function gave an interval for every outcome."""
    try:
        low, high = (np.broadcast_to(np.asarray(end, float), shape) for end in ends)
    except (TypeError, ValueError):
        raise InputError(
            f"method {name!r} must return (low, high), numbers or arrays with one for each "
            f"of {shape[0]} "
            "outcomes"
        ) from None
    wrong = ~(low <= high)
    if wrong.any():
        i = int(np.argmax(wrong))
        raise InputError(
            f"method {name!r} must return low <= high; found {low[i]:g} and {high[i]:g}"
        )
    return low, high
