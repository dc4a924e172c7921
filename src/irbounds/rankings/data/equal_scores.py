"""Which scores tie: `score_precision` and `score_tolerance`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from irbounds._core.evaluating.equal_scores import EqualScores
from irbounds.foundation.arguments import check_number
from irbounds.foundation.errors import check_choice

PRECISIONS = ("float64", "float32")


class ScoreRule(NamedTuple):
    """Scores are rounded to floats of this precision; neighbours whose relative difference is at
    most the tolerance tie."""

    precision: str = "float64"
    tolerance: float = 0.0

    @classmethod
    def read(cls, score_precision: str, score_tolerance: float) -> ScoreRule:
        """The rule that these arguments say."""
        return cls(
            check_choice("score_precision", score_precision, PRECISIONS),
            check_number(
                "score_tolerance",
                score_tolerance,
                "must be 0 or more and less than 1",
                lambda x: 0 <= x < 1,
            ),
        )

    def arguments(self) -> dict[str, Any]:
        """The arguments that say this rule."""
        return {"score_precision": self.precision, "score_tolerance": self.tolerance}

    def words(self) -> list[str]:
        """A sentence for each of the two that differs from the default."""
        found = []
        if self.precision != EXACT.precision:
            found.append("Scores were rounded to 32-bit floats before ties were found.")
        if self.tolerance:
            found.append(f"Scores tie up to a relative difference of {self.tolerance:.10g}.")
        return found

    def kernel(self) -> EqualScores:
        """For one job."""
        return EqualScores(self.precision == "float32", self.tolerance)

    def merged(self, scores: np.ndarray) -> np.ndarray:
        """One query's scores, the same number for all that tie."""
        groups = np.array([0, len(scores)], np.int64)
        return np.asarray(self.kernel().merged_groups(np.ascontiguousarray(scores), groups))


EXACT = ScoreRule()
