"""One difference: a run minus another by one measure."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import Any

from irbounds.comparison.data.subtraction import difference_of_means
from irbounds.foundation.distributions import Bounds


@dataclass(frozen=True)
class Difference:
    """The difference between two runs by one measure.

    Attributes
    ----------
    measure, run, against : str
    mean, against_mean : float
        Means of the two runs, over the queries that were compared.
    difference : float
        `mean` less `against_mean`; 0 where they are equal but for rounding.
    estimand : {"mean", "pseudo-median", "median"}
        The quantity that the interval is for: the mean of the differences, or the pseudo-median
        (Wilcoxon) or median (sign test) of those that are not 0.
    estimate, low, high : float
        Estimate of the estimand and the ends of its interval; infinite where the queries are too
        few for an end, nan where there is no variance.  The interval excludes 0 exactly where the
        test rejects at its level; an end that is open at 0 is the next double, 5e-324.
    p_value, adjusted_p_value : float
        Two-sided; nan where a test that divides by a variance finds none, unless nothing differs,
        which gives 1.
    statistic : float
        The test's: the mean difference (permutation), t (also bootstrap and Dunnett), the lesser of
        Wilcoxon's two sums of ranks, the number of positive differences, or with Tukey the
        studentised range or the absolute difference.
    is_significant : bool
        Whether `adjusted_p_value` is below 1 - confidence_level, as decimal numbers: 0.05 is not
        below 0.05.
    wins, losses, same : int
        Queries on which the run is better, worse (by the measure's direction), and neither.
    effect_size : float
        The mean difference over the standard deviation of the differences (of n - 1; Sakai's d);
        with Tukey over the residual standard deviation of all runs.
    superiority : float
        Share of the queries that the run wins, with half of those that nobody does.
    run_ties, against_ties : Bounds or None
        The least and the greatest mean of each run over all orders of its tied documents.
    reason : str or None
        Why there is no interval, or no p-value.
    unjudged_bounds : Bounds or None
        With ``unjudged="bounds"``: the least and the greatest difference over all labels of the
        documents that nobody has judged, the same label for both runs.
    unjudged_is_exact : bool or None
        Whether labels reach both ends.  Bounds that are not exact are outer ones: the difference
        lies inside, possibly far from their ends.
    has_raised_p : bool
        Whether the test's own p-value is below what the signs of the differences allow: `p_value`
        is then that of the sign test.
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
    reason: str | None = None
    unjudged_bounds: Bounds | None = None
    unjudged_is_exact: bool | None = None
    has_raised_p: bool = False

    @property
    def relative(self) -> float:
        """The difference divided by the other run's mean; nan if that is 0."""
        return self.difference / self.against_mean if self.against_mean else math.nan

    @property
    def tie_bounds(self) -> Bounds | None:
        """The smallest and the largest difference over all orders of the documents tied in
        either run."""
        if self.run_ties is None or self.against_ties is None:
            return None
        return Bounds(
            difference_of_means(self.run_ties.low, self.against_ties.high),
            difference_of_means(self.run_ties.high, self.against_ties.low),
        )

    @property
    def is_undone_by_ties(self) -> bool:
        """True if some order of tied documents removes or reverses the difference."""
        bounds = self.tie_bounds
        return bounds is not None and bounds.low < bounds.high and bounds.low <= 0 <= bounds.high

    @property
    def is_made_by_ties(self) -> bool:
        """True if one of the runs, with its ties broken in two ways, differs from itself by as
        much or more."""
        if self.run_ties is None or self.against_ties is None:
            return False
        widest = max(ties.high - ties.low for ties in (self.run_ties, self.against_ties))
        return widest > 0 and abs(self.difference) <= widest

    @property
    def hangs_on_ties(self) -> bool:
        """True if ties alone could remove this difference or make one as large."""
        return self.is_undone_by_ties or self.is_made_by_ties

    @property
    def is_undone_by_unjudged(self) -> bool:
        """True if labels of unjudged documents could remove or reverse the difference; with outer
        bounds, if these do not exclude it."""
        bounds = self.unjudged_bounds
        return bounds is not None and bounds.low < bounds.high and bounds.low <= 0 <= bounds.high

    def turned_round(self, statistic: float) -> Difference:
        """The other run minus this one: signs, ends, wins and losses are exchanged; `statistic`
        is that of the test."""
        return replace(
            self,
            run=self.against,
            against=self.run,
            mean=self.against_mean,
            against_mean=self.mean,
            difference=0.0 - self.difference,
            estimate=0.0 - self.estimate,
            low=0.0 - self.high,
            high=0.0 - self.low,
            statistic=statistic,
            wins=self.losses,
            losses=self.wins,
            effect_size=0.0 - self.effect_size,
            superiority=(self.losses + self.same / 2) / (self.wins + self.losses + self.same),
            run_ties=self.against_ties,
            against_ties=self.run_ties,
            unjudged_bounds=_turned(self.unjudged_bounds),
        )

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain numbers and text; ranges of ties as lists."""
        names = [field.name for field in fields(self)]
        names += ["tie_bounds", "relative", "is_undone_by_ties", "is_made_by_ties"]
        if self.unjudged_bounds is None:  # not asked for
            names = [name for name in names if not name.startswith("unjudged")]
        else:
            names.append("is_undone_by_unjudged")
        values = {name: getattr(self, name) for name in names}
        return {
            name: list(value) if isinstance(value, Bounds) else value
            for name, value in values.items()
        }


def _turned(bounds: Bounds | None) -> Bounds | None:
    """The bounds of the negative number."""
    return None if bounds is None else Bounds(0.0 - bounds.high, 0.0 - bounds.low)
