"""One difference: a run against another, by one measure."""
from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

from irbounds.foundation.laws import Bounds


@dataclass(frozen=True)
class Difference:
    """What tells one run from another by one measure.

    Attributes
    ----------
    measure, run, against : str
    mean, against_mean : float
        Of the two runs, over the queries that were compared.
    difference : float
        `mean` less `against_mean`.
    estimand : {"mean", "pseudo-median", "median"}
        What of the differences the interval is of.
    estimate, low, high : float
        Of the estimand: a point and the ends of its interval; infinite where the queries are too few for an end.
    p_value, adjusted_p_value : float
        Two-sided; nan where nothing can be said (a t-test on one query).
    statistic : float
        The test's: the mean difference, t, Wilcoxon's sum of ranks, the number of positive differences, or the
        studentised range.
    is_significant : bool
        Whether `adjusted_p_value` is below 1 - confidence_level.
    wins, losses, same : int
        Queries on which the run is better, worse (by the measure's direction), and neither.
    effect_size : float
        The mean difference over the standard deviation of the differences (of n - 1; Sakai's d); with Tukey over the
        residual standard deviation of all runs.
    superiority : float
        Share of the queries that the run wins, with half of those that nobody does.
    run_ties, against_ties : Bounds or None
        The least and the greatest mean of each run over all orders of its tied documents.
    """

    measure: str
    run: str
    against: str
    mean: float
    against_mean: float
    difference: float
    estimand: str
    estimate: float
    low: float
    high: float
    p_value: float
    adjusted_p_value: float
    statistic: float
    is_significant: bool
    wins: int
    losses: int
    same: int
    effect_size: float
    superiority: float
    run_ties: Bounds | None = None
    against_ties: Bounds | None = None

    @property
    def relative(self) -> float:
        """The difference as a share of the other run's mean; nan where that is 0."""
        return self.difference / self.against_mean if self.against_mean else math.nan

    @property
    def tie_bounds(self) -> Bounds | None:
        """The least and the greatest difference over all orders of the documents tied in either run."""
        if self.run_ties is None or self.against_ties is None:
            return None
        return Bounds(self.run_ties.low - self.against_ties.high, self.run_ties.high - self.against_ties.low)

    @property
    def is_undone_by_ties(self) -> bool:
        """Whether some order of tied documents takes the difference away or turns it round."""
        bounds = self.tie_bounds
        return bounds is not None and bounds.low < bounds.high and bounds.low <= 0 <= bounds.high

    @property
    def is_made_by_ties(self) -> bool:
        """Whether one of the runs, its ties broken in two ways, differs from itself by as much or more."""
        if self.run_ties is None or self.against_ties is None:
            return False
        widest = max(ties.high - ties.low for ties in (self.run_ties, self.against_ties))
        return widest > 0 and abs(self.difference) <= widest

    @property
    def hangs_on_ties(self) -> bool:
        """Whether tie-breaking alone could undo this difference, or make one as large."""
        return self.is_undone_by_ties or self.is_made_by_ties

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain numbers and text; ranges of ties as lists."""
        names = [field.name for field in fields(self)]
        names += ["tie_bounds", "relative", "is_undone_by_ties", "is_made_by_ties"]
        values = {name: getattr(self, name) for name in names}
        return {name: list(value) if isinstance(value, Bounds) else value for name, value in values.items()}
