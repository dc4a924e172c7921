"""The result of `assisted_interval`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from irbounds.foundation.rounding import as_high_end, as_low_end
from irbounds.foundation.writing import InNotebooks


@dataclass(frozen=True)
class JudgeStratum:
    """Pairs with one of the judge's grades: how many, how many people labelled, and the mean gain
    of the labels, nan where there are none.  With several judges `grade` is the lowest mean
    mid-rank of the stratum, with scores the lowest."""

    grade: float
    size: int
    sampled: int
    mean: float


@dataclass(frozen=True)
class AssistedInterval(InNotebooks):
    """An estimate from a judge's grades and people's labels, with its bounds.

    Attributes
    ----------
    estimate, low, high : float
        By strata and "posterior" the estimate is the posterior mean, or the end nearest to it.
    confidence_level : float
    measure : str
    method, unit : str
        As `assisted_interval` has them; "regression" is the default for whole queries.
    population, sampled : int
        Units that count, and how many of them people labelled.
    judge_alone : float
        The measure by the judge's grades alone; the mean of several judges.
    human_alone : (estimate, low, high) or None
        By the same labels without the judge.  None where they are unevenly spread over the judge's
        grades, or over two runs, and so are no simple random sample.
    alone_width : float
        The width of that interval; where there is none, about that of an interval by people alone
        from as many labels, drawn from all pairs at random.  nan with one label.
    strata : tuple of JudgeStratum
        Empty for whole queries.
    correlation : float
        Correlation of people's and the judge's values on the labelled units.
    cautions : tuple of str
        Signs that the sample is not random; each was a warning too.
    judges : tuple of str
        Names of the judges that were used.
    unused : int
        People's labels of pairs that the measure does not count.
    agreement : dict of (estimate, low, high)
        How one judge and people agree on which of the pairs that count are relevant, or have a
        gain: κ, α, accuracy, sensitivity and specificity, as `agreement` has them.
    """

    estimate: float
    low: float
    high: float
    confidence_level: float
    measure: str
    method: str
    unit: str
    population: int
    sampled: int
    judge_alone: float
    human_alone: tuple[float, float, float] | None
    strata: tuple[JudgeStratum, ...]
    correlation: float
    alone_width: float = math.nan
    cautions: tuple[str, ...] = ()
    judges: tuple[str, ...] = ("judge",)
    unused: int = 0
    agreement: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)

    @property
    def least_correlation(self) -> float:
        """1/√(n - 2): below it regression on the judge widens intervals, even by the textbook's
        variance (Mani et al. 2025)."""
        return 1 / math.sqrt(self.sampled - 2) if self.sampled > 2 else math.inf

    @property
    def width_ratio(self) -> float:
        """The width, as a part of the width without the judge; nan where that is 0 or not known."""
        return (self.high - self.low) / self.alone_width if self.alone_width > 0 else math.nan

    @property
    def gain(self) -> str:
        """The judge's gain in words; empty where it is not known."""
        ratio = self.width_ratio
        if math.isnan(ratio):
            return ""
        change = f"{abs(1 - ratio):.0%}".replace("%", " %")
        than = "people alone" if self.human_alone else "people alone, as many labels at random"
        if change == "0 %":
            return f"as wide as by {than}"
        return f"{change} {'narrower' if ratio < 1 else 'wider'} than by {than}"

    def to_dict(self) -> dict[str, Any]:
        """All fields by name, strata as dicts."""
        fields = dict(vars(self))
        fields["human_alone"] = None if self.human_alone is None else list(self.human_alone)
        fields["cautions"], fields["judges"] = list(self.cautions), list(self.judges)
        fields["agreement"] = {kind: list(ends) for kind, ends in self.agreement.items()}
        fields["strata"] = [dict(vars(stratum)) for stratum in self.strata]
        return fields | {
            "least_correlation": self.least_correlation,
            "width_ratio": self.width_ratio,
        }

    def __repr__(self) -> str:
        units = "pairs" if self.unit == "document" else "queries"
        more = f"; {self.unused} other labels unused" if self.unused else ""
        labelled = f"{self.sampled} of {self.population} {units} labelled by people"
        lines = [
            f"{self.measure} {self.estimate:.4f} in [{as_low_end(self.low)}, "
            f"{as_high_end(self.high)}], "
            f"{self.confidence_level:g} two-sided, {self.method}",
            f"  {labelled}, all by the judge{more}",
            f"  judge alone   {self.judge_alone:.4f}",
        ]
        if self.human_alone is not None:
            estimate, low, high = self.human_alone
            ends = f"[{as_low_end(low)}, {as_high_end(high)}]"
            lines.append(f"  people alone  {estimate:.4f} in {ends}")
        said = f"  correlation   {self.correlation:.2f}"
        if self.unit == "query":
            said += f"; below {self.least_correlation:.2f} a judge does not help"
        lines.append(said)
        if self.agreement:
            estimate, low, high = self.agreement["kappa"]
            ends = f"[{as_low_end(low)}, {as_high_end(high)}]"
            lines.append(f"  kappa         {estimate:.4f} in {ends}")
        if self.gain:
            lines.append(f"  gain          {self.gain}")
        if self.method == "posterior":
            lines.append("  assumes that relevance does not go with rank within a grade")
        return "\n".join(lines)
