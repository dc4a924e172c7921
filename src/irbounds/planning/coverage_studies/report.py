"""The results of a coverage study."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.foundation.arguments import check_numbers
from irbounds.foundation.errors import counted, fail
from irbounds.foundation.writing import InNotebooks
from irbounds.planning.coverage_studies.scenarios import Realisations

if TYPE_CHECKING:
    from irbounds.typing import ArrayLike

TIED = 1e-9  # distances from nominal coverage that differ by less are equal


@dataclass(frozen=True, eq=False)
class CoverageReport(InNotebooks):
    """Coverage of interval methods over the realisations of a scenario.

    Attributes
    ----------
    scenario : str
    methods : tuple of str
    confidence_level : float
    side : {"two-sided", "lower", "upper"}
    samples : int or None
        Pairs of samples drawn from each realisation; None where all outcomes were summed.
    realisations : Realisations
        Collections, retrievals and sizes of samples.
    coverage, width : ndarray, realisations × methods
        Share of the samples whose interval contains the true recall, and the mean width of the
        intervals.
    gap_below, gap_above : ndarray, realisations × methods
        Share of the samples whose interval lies wholly above recall (recall in the gap below it),
        and wholly below.
    interrupted : bool
        Whether the simulation stopped before its last realisation.
    """

    scenario: str
    methods: tuple[str, ...]
    confidence_level: float
    side: str
    samples: int | None
    realisations: Realisations
    coverage: np.ndarray
    width: np.ndarray
    gap_below: np.ndarray
    gap_above: np.ndarray
    interrupted: bool = False

    def _by_method(self, values: np.ndarray) -> dict[str, float]:
        return dict(zip(self.methods, values.tolist(), strict=True))

    @property
    def mean_coverage(self) -> dict[str, float]:
        """The mean coverage over the realisations."""
        return self._by_method(self.coverage.mean(axis=0))

    @property
    def standard_error(self) -> dict[str, float]:
        """The standard error of the mean coverage; the realisations are a sample."""
        n = len(self.coverage)
        return self._by_method(
            self.coverage.std(axis=0, ddof=1) / np.sqrt(n) if n > 1 else self.coverage[0] * np.nan
        )

    @property
    def mean_width(self) -> dict[str, float]:
        """The mean width over the realisations."""
        return self._by_method(self.width.mean(axis=0))

    @property
    def rmse(self) -> dict[str, float]:
        """Root mean squared error of coverage from the confidence level (table X)."""
        return self._by_method(np.sqrt(((self.coverage - self.confidence_level) ** 2).mean(axis=0)))

    @property
    def closest(self) -> dict[str, float]:
        """Share of the realisations where a method's coverage is nearest to nominal; ties are split
        (figure 13)."""
        distance = np.abs(self.coverage - self.confidence_level)
        # Coverages of all outcomes are sums whose last digits depend on the order.
        nearest = distance <= distance.min(axis=1, keepdims=True) + TIED
        return self._by_method((nearest / nearest.sum(axis=1, keepdims=True)).mean(axis=0))

    def quantiles(self, probabilities: ArrayLike = (0.25, 0.5, 0.75)) -> np.ndarray:
        """Quantiles of coverage over the realisations, probabilities × methods."""
        p = check_numbers(
            "probabilities", probabilities, "must be from 0 to 1", lambda x: (x >= 0) & (x <= 1)
        )
        return np.quantile(self.coverage, p, axis=0)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """``{method: {figure: value}}``: one row of the summary for each method."""
        first, middle, third = (self._by_method(row) for row in self.quantiles())
        columns = {
            "mean_coverage": self.mean_coverage,
            "standard_error": self.standard_error,
            "median": middle,
            "q1": first,
            "q3": third,
            "min": self._by_method(self.coverage.min(axis=0)),
            "rmse": self.rmse,
            "mean_width": self.mean_width,
            "gap_below": self._by_method(self.gap_below.mean(axis=0)),
            "gap_above": self._by_method(self.gap_above.mean(axis=0)),
            "closest": self.closest,
        }
        return {
            method: {name: column[method] for name, column in columns.items()}
            for method in self.methods
        }

    def to_frame(self, backend: str = "pandas", rows: str = "methods") -> Any:
        """A data frame with a row for each method, or for each realisation and method.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}
            Needs narwhals (``pip install "irbounds[frames]"``).
        rows : {"methods", "realisations"}
        """
        from irbounds.foundation.frames import make_frame

        return make_frame(self.columns(rows), backend)

    def columns(self, rows: str = "methods") -> dict[str, Any]:
        """The columns of `to_frame`."""
        if rows == "methods":
            table = self.to_dict().values()
            return {
                "method": list(self.methods),
                **{name: [row[name] for row in table] for name in next(iter(table))},
            }
        if rows != "realisations":
            fail("rows", "must be 'methods' or 'realisations'", rows)
        n = len(self.methods)
        columns: dict[str, Any] = {"realisation": np.repeat(np.arange(len(self.coverage)), n)}
        for name in (
            "population",
            "relevant",
            "retrieved",
            "retrieved_relevant",
            "retrieved_sample",
            "unretrieved_sample",
            "recall",
            "precision",
        ):
            columns[name] = np.repeat(getattr(self.realisations, name), n)
        columns["method"] = list(self.methods) * len(self.coverage)
        for name in ("coverage", "width", "gap_below", "gap_above"):
            columns[name] = getattr(self, name).ravel().copy()
        return columns

    def _table(self) -> tuple[list[str], list[list[Any]]]:
        columns = self.columns()
        rows = zip(*columns.values(), strict=True)
        return [name.replace("_", " ") for name in columns], [list(row) for row in rows]

    def __repr__(self) -> str:
        drawn = (
            "all outcomes" if self.samples is None else counted(self.samples, "sample", "samples")
        )
        title = (
            f"Coverage of {self.confidence_level:g} {self.side} intervals, scenario "
            f"{self.scenario!r}: "
            f"{counted(len(self.coverage), 'realisation', 'realisations')}, {drawn} each"
            + (", interrupted" if self.interrupted else "")
        )
        width = max(map(len, self.methods))
        shown = {
            "mean": "mean_coverage",
            "median": "median",
            "min": "min",
            "RMSE": "rmse",
            "width": "mean_width",
            "gap below": "gap_below",
            "gap above": "gap_above",
            "closest": "closest",
        }
        lines = [title, f"  {'':<{width}}" + "".join(f"{head:>11}" for head in shown)]
        for method, row in self.to_dict().items():
            lines.append(
                f"  {method:<{width}}" + "".join(f"{row[name]:>11.4f}" for name in shown.values())
            )
        return "\n".join(lines)
