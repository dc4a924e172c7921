"""`irbounds compare`: runs, query by query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import irbounds
from irbounds.cli.input import options
from irbounds.cli.input import scores as tables
from irbounds.cli.input.read import check_read_once, names_of_runs
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.notes import notes_on_queries, notes_on_tests
from irbounds.cli.terminal.output import Provenance, hash_of, plot_measures
from irbounds.cli.terminal.render import Report, Table, rounded_rows
from irbounds.cli.terminal.screen import complain
from irbounds.foundation.rounding import as_decimals
from irbounds.foundation.writing import as_json_text

if TYPE_CHECKING:
    from irbounds.comparison.ranks.ranks import Ranks
    from irbounds.comparison.runs.comparison import Comparison

TABLES = ("runs", "differences", "ranks", "slices")
OTHER_ROWS = ("runs", "ranks", "slices")  # than differences
RANK_CORRECTION = "max-t"
# Options of tests, which hold for scores as well.
OF_TESTS = (*("test", "correction", "baseline", "confidence_level", "family", "resamples", "rng"),)
# Columns of a table in Markdown.
SHOWN = (
    *("measure", "run", "against", "mean", "against_mean", "difference", "low", "high"),
    *("p_value", "adjusted_p_value", "has_raised_p", "is_undone_by_ties"),
)


@declare(
    "compare",
    {
        "Input": (
            options.qrels_or_scores,
            options.runs_or_scores,
            *tables.SCORES,
            options.option("--by", "With --scores: also compare the slices of this column."),
            options.baseline(),
            options.columns,
            options.run_name,
        ),
        "Measures": options.EVALUATING,
        "Tests and intervals": (
            options.test,
            options.correction(
                ("holm", "bonferroni", "tukey", "dunnett"),
                "Correction for several comparisons: holm, bonferroni, tukey (all pairs) or "
                "dunnett (with --baseline), both with permutation or t, or none",
            ),
            options.family,
            options.groups,
            options.confidence_level,
            options.count(
                "--resamples", "Resamples of the permutation test and the bootstrap.", default=9999
            ),
            options.seed("Seed of the permutation test, the bootstrap and --ranks.", default=0),
        ),
        "Ranks": (
            options.flag(
                "--ranks", "Add an interval of the rank of each run, and the probability P(best)."
            ),
            options.correction(
                ("max-t", "bonferroni", "holm"),
                "Correction of --ranks for several pairs: max-t (default, allows for skewed "
                "scores), bonferroni and holm (rely on nearly normal differences), or none",
                "--rank-correction",
                RANK_CORRECTION,
            ),
        ),
        "Unjudged documents": options.UNJUDGED,
        "Output": (
            *options.OUTPUT,
            options.plot("the differences with their intervals"),
            options.one_of(
                "--rows",
                TABLES,
                "Rows in formats other than table and json",
                notes={
                    "runs": "default of latex",
                    "ranks": "default with --ranks",
                    "slices": "with --by",
                },
            ),
        ),
    },
    'irbounds compare qrels.txt bm25.run dense.run.gz -m "AP nDCG@10"',
    "irbounds compare --scores scores.csv --baseline A",
)
def command(
    qrels: str | None,
    runs: Sequence[str],
    scores: tuple[str, ...],
    lower_is_better: bool,
    by: str | None,
    name: str | None,
    ranks: bool,
    rank_correction: str | None,
    rows: str | None,
    plot: str | None,
    **settings: Any,
) -> Report:
    """Compare runs query by query, or systems by a table of scores.

    Prints tests, confidence intervals and effect sizes of all differences, and marks differences
    that another order of tied documents could undo.
    """
    from irbounds.comparison.significance.table import TESTS
    from irbounds.foundation.errors import InputError

    has_ranks = ranks or rows == "ranks"
    if rows == "slices" and by is None:
        raise InputError("--rows slices needs --by")
    if rank_correction != RANK_CORRECTION and not has_ranks:
        raise InputError("--rank-correction needs --ranks")
    if settings["test"] in TESTS and not TESTS[settings["test"]].resamples:
        options.refuse_unused("--test permutation or bootstrap", "resamples")
        if not has_ranks:
            options.refuse_unused("--test permutation or bootstrap, and for --ranks", "rng")
    table = tables.read(scores, by)
    if table is not None:
        if len(table) < 2:
            raise InputError(
                f"the table of scores has one system, {next(iter(table))}: compare needs two; "
                "--columns names the column of systems (system=NAME), or that of units "
                "(unit=NAME) where each system has a column of scores"
            )
        own = {key: settings[key] for key in OF_TESTS}
        own["groups"] = tables.groups_of(table, settings["groups"])
        with notes_on_tests():
            comparison = irbounds.comparison.compare_evaluations(table, by=by, **own)
        shared = tables.provenance(scores, table)
        paths = {}
    else:
        assert qrels is not None  # without --scores
        check_read_once(qrels, *runs, settings["groups"])
        names = dict(zip(names_of_runs(runs, name), runs, strict=True))
        settings["unjudged"] = options.as_treatment(settings["unjudged"])
        with notes_on_tests():
            comparison = irbounds.compare(qrels, list(runs) if name is None else names, **settings)
        shared = Provenance(qrels, comparison.measures, settings).shared
        paths = dict(zip(comparison.runs, runs, strict=True))
    for run in comparison.runs:
        complain(
            notes_on_queries(
                run,
                comparison.missing_queries[run],
                comparison.unjudged_queries[run],
                settings["missing"],
            )
        )
    if plot is not None:
        from irbounds.plot import difference_intervals

        n_rows = len(comparison[comparison.measures[0]])
        draw = partial(difference_intervals, comparison)
        plot_measures(draw, comparison.measures, n_rows, plot)
    with notes_on_tests():
        # Formats that have rows of one kind alone have those of the ranks, if these are asked for.
        of = rows or ("ranks" if ranks else None)
        ranked: dict[Any, Ranks] = {}
        if has_ranks:
            ranked = {
                measure: comparison.ranks(measure, correction=rank_correction, rng=settings["rng"])
                for measure in comparison.measures
            }
        return Compared(comparison, of, ranked, shared, paths)


class Compared(Report):
    """A comparison, which has formats of its own."""

    def __init__(
        self,
        comparison: Comparison,
        rows: str | None,
        ranks: dict[Any, Ranks],
        shared: dict[str, object],
        paths: dict[str, str],
    ) -> None:
        super().__init__()
        self.comparison = comparison
        self.ranks = ranks
        self.of = rows
        self.shared = shared
        self.paths = paths

    def text(self, width: int | None) -> str:
        """The runs, then the differences by each measure."""
        from irbounds.comparison.runs.presentation import as_text

        ranks = [f"\n{name}\n{found.to_text(width)}" for name, found in self.ranks.items()]
        if self.comparison.slices is not None:
            ranks.append("\n" + self.comparison.slices.to_text(width))
        return as_text(self.comparison, width) + "".join(ranks)

    def data(self) -> Table:
        """A row for each difference, run or rank; settings in each."""
        table = self._table()
        cell = as_json_text(self._described())
        return Table([*table.header, "settings"], [[*row, cell] for row in table.rows], 2)

    def _described(self) -> dict[str, Any]:
        """The settings, those of tests among them, and the hashes of all files."""
        shared = {**self.shared, **self.comparison._settings()}
        if self.of == "ranks":
            shared["rank_correction"] = next(iter(self.ranks.values())).correction
        return {**shared, "runs": {run: hash_of(path) for run, path in self.paths.items()}}

    def _table(self) -> Table:
        if self.of == "slices":
            sliced = list(self.comparison.slices.rows())
            return Table(list(sliced[0]), [list(row.values()) for row in sliced], 4)
        if self.of == "ranks":
            rows = [
                {"measure": name, **row}
                for name, found in self.ranks.items()
                for row in found.rows()
            ]
            return Table(list(rows[0]), [list(row.values()) for row in rows], 2)
        return Table(*self.comparison._flat(self.of or "differences"))

    def shown(self) -> Table:
        """The same, with four decimals."""
        table = self._table()
        if self.of not in OTHER_ROWS:
            return Table(SHOWN, rounded_rows(table.header, table.rows, SHOWN), 3)
        rows = [
            [as_decimals(cell) if isinstance(cell, float) else str(cell) for cell in row]
            for row in table.rows
        ]
        return Table(table.header, rows, 3)

    def latex(self) -> str:
        """A table of runs or differences."""
        return (
            super().latex()
            if self.of in ("ranks", "slices")
            else self.comparison.to_latex(self.of or "runs")
        )

    def document(self) -> dict[str, Any]:
        """Settings, means and differences."""
        ranks = {name: found.to_dict() for name, found in self.ranks.items()}
        found = {**self.shared, **self.comparison.to_dict()}
        for record in found["runs"]:
            if record["run"] in self.paths:  # not of a table of scores
                record["sha256"] = hash_of(self.paths[record["run"]])
        return {**found, **({"ranks": ranks} if ranks else {})}

    def records(self) -> Iterator[dict[str, Any]]:
        """A record for each difference, run or rank, with the settings."""
        settings = self._described()
        if self.of in OTHER_ROWS:
            table = self._table()
            return (
                dict(zip(table.header, row, strict=True)) | {"settings": settings}
                for row in table.rows
            )
        return (one.to_dict() | {"settings": settings} for one in self.comparison.differences)
