"""The result of a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irbounds.comparison.data.data import ComparisonData
from irbounds.comparison.runs.presentation import (
    as_html_text,
    as_text,
    differences_as_latex,
    runs_as_latex,
)
from irbounds.foundation.errors import fail
from irbounds.foundation.writing import as_csv, as_json

if TYPE_CHECKING:
    from irbounds.comparison.ranks.ranks import Ranks
    from irbounds.typing import MeasureLike, RNGLike

ROWS = ("runs", "differences")


class Comparison(ComparisonData):
    """Runs compared on the same queries.

    Attributes
    ----------
    runs, measures : tuple of str
    query_ids : tuple
        The queries that were compared: those that every run's evaluation has.
    values : ndarray, shape (runs, queries, measures)
        By the chosen tie rule.
    low, high : ndarray of that shape, or None
        The least and the greatest value over all orders of tied documents.
    differences : tuple of Difference
        Differences of every pair, or of every run and the baseline; measure by measure.
    test, correction : str, str or None
        "dunnett" also where "tukey" was asked for with a baseline.
    family : {"all", "measure"}
        The family of the correction: all differences, or those by each measure on its own.
    baseline : str or None
    confidence_level : float
    resamples, seed : int or None
        Settings of the tests that resample; with them the same numbers come out again.
    ties : str
        The tie rule.
    missing_queries, unjudged_queries : dict
        By run: judged queries that it lacks, and queries without judgments, which are left out.
    slices : Slices or None
        With `by`: the differences within slices of the queries, and whether they differ.
    groups : ndarray of int, or None
        The group of each query, 0, 1, …, where they were given.
    n_groups : int or None
    """

    def ranks(
        self,
        measure: MeasureLike | None = None,
        *,
        method: str = "bayesian-bootstrap",
        correction: str | None = "max-t",
        average: str = "mean",
        confidence_level: float | None = None,
        draws: int = 10_000,
        rng: RNGLike = 0,
    ) -> Ranks:
        """Which ranks each run may have, and how likely it is the best, over queries like these.

        Parameters
        ----------
        measure : str or ir_measures object, optional
            The only one, if not given.
        method, correction, average, draws, rng
            As in `compare_scores`.
        confidence_level : float, optional
            That of the comparison, if not given.

        Returns
        -------
        Ranks

        Warns
        -----
        FewUnitsWarning
            There are fewer than 40 queries.
        """
        from irbounds.comparison.ranks.leaderboard import ranks_of

        level = self.confidence_level if confidence_level is None else confidence_level
        return ranks_of(self, measure, (method, correction, average, level, draws, rng))

    def _settings(self) -> dict[str, Any]:
        """Settings of the tests and the means."""
        names = "test correction family baseline confidence_level resamples seed ties"
        names += " n_groups" if self.groups is not None else ""
        return {name: getattr(self, name) for name in names.split()}

    def to_dict(self) -> dict[str, Any]:
        """The settings, the means of the runs and the differences, as plain values by name."""
        bounds = self.mean_bounds
        runs = [
            {
                "run": run,
                "means": self.means[run],
                "bounds": None
                if bounds is None
                else {name: list(pair) for name, pair in bounds[run].items()},
                "missing_queries": list(self.missing_queries[run]),
                "unjudged_queries": list(self.unjudged_queries[run]),
            }
            for run in self.runs
        ]
        return {
            **self._settings(),
            "n_queries": len(self.query_ids),
            "no_relevant_queries": list(self.no_relevant_queries),
            "measures": list(map(str, self.measures)),
            "runs": runs,
            "differences": [difference.to_dict() for difference in self.differences],
            **({} if self.slices is None else {"slices": self.slices.to_dict()}),
        }

    def to_frame(self, backend: str = "pandas", rows: str = "differences") -> Any:
        """A data frame with one row for each difference, or for each run and measure.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}
            Needs narwhals (``pip install "irbounds[frames]"``).
        rows : {"differences", "runs"}
        """
        from irbounds.foundation.frames import make_frame

        header, cells = self._flat(rows)
        columns = zip(*cells, strict=True) if cells else ([] for _ in header)
        return make_frame(
            {name: list(column) for name, column in zip(header, columns, strict=True)}, backend
        )

    def to_csv(self, rows: str = "differences") -> str:
        """The differences as CSV with full precision."""
        return as_csv(*self._flat(rows))

    def to_json(self) -> str:
        """`to_dict` as JSON; infinite numbers and nan become null."""
        return as_json(self.to_dict())

    def to_text(self) -> str:
        """Text tables: the runs, then the differences by each measure."""
        return as_text(self) + ("" if self.slices is None else "\n" + self.slices.to_text())

    def to_latex(self, rows: str = "runs") -> str:
        r"""A LaTeX table with booktabs rules.

        Parameters
        ----------
        rows : {"runs", "differences"}
            A paper's table: means, the best in bold, with the letters of the runs that each is
            significantly better than; or a row for each difference.
        """
        if rows not in ROWS:
            fail("rows", "must be 'runs' or 'differences'", rows)
        return runs_as_latex(self) if rows == "runs" else differences_as_latex(self)

    def _flat(self, rows: str) -> tuple[list[str], list[list[Any]]]:
        if rows not in ROWS:
            fail("rows", "must be 'runs' or 'differences'", rows)
        if rows == "runs":
            bounds = self.mean_bounds
            ends = [] if bounds is None else ["low", "high"]
            return ["run", "measure", "mean", *ends], [
                [run, name, self.means[run][name], *(bounds[run][name] if bounds else ())]
                for run in self.runs
                for name in map(str, self.measures)
            ]
        records = [_flattened(difference.to_dict()) for difference in self.differences]
        return list(records[0]), [list(record.values()) for record in records]

    def _repr_html_(self) -> str:
        """Tables for notebooks."""
        return as_html_text(self)

    def __repr__(self) -> str:
        return self.to_text().rstrip("\n")


def _flattened(record: dict[str, Any]) -> dict[str, Any]:
    """Ranges as two columns each; they are left out if they were not computed."""
    flat: dict[str, Any] = {}
    for name, value in record.items():
        if name in ("run_ties", "against_ties", "tie_bounds"):
            if value is not None:
                flat[f"{name}.low"], flat[f"{name}.high"] = value
        else:
            flat[name] = value
    return flat
