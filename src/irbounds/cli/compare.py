"""`irbounds compare`: runs, query by query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import irbounds
from irbounds.cli import options
from irbounds.cli.help import declare
from irbounds.cli.labels import read_hidden
from irbounds.cli.notes import notes_on_queries, warnings_as_notes
from irbounds.cli.read import check_read_once
from irbounds.cli.render import Report, Table, write
from irbounds.cli.screen import complain

if TYPE_CHECKING:
    from irbounds.comparison.comparison import Comparison

TABLES = ("runs", "differences", "ranks")
# Columns of a table in Markdown.
SHOWN = (
    *("measure", "run", "against", "mean", "against_mean", "difference", "low", "high"),
    *("p_value", "adjusted_p_value", "is_undone_by_ties"),
)


@declare("compare", 'irbounds compare qrels.txt bm25.run dense.run.gz -m "AP nDCG@10"')
@options.qrels
@options.runs
@options.measures
@options.test
@options.correction(
    "Correction for several comparisons: holm, bonferroni, tukey (all pairs) or dunnett (with "
    "--baseline), both with permutation or t, or none."
)
@options.family
@options.baseline()
@options.confidence_level
@options.option(
    "--resamples",
    type=int,
    default=9999,
    help="Resamples of the permutation test and the bootstrap.",
)
@options.seed("Seed of the permutation test and the bootstrap.", default=0)
@options.ties
@options.missing
@options.judged_only
@options.collection_size
@options.unjudged
@options.unjudged_hidden
@options.max_grade
@options.option(
    "--rows",
    type=options.Words(TABLES),
    help="differences, runs or ranks: the rows of csv (differences by default) and latex (runs).",
)
@options.flag(
    "--ranks", help="Add ranks: which each run may have, over queries like these, and P(best)."
)
@options.format
@options.output
def command(
    qrels: str,
    runs: Sequence[str],
    measures: Sequence[str],
    test: str,
    correction: str,
    family: str | None,
    baseline: str | None,
    confidence_level: float,
    resamples: int,
    seed: int,
    ties: str,
    missing: str,
    judged_only: bool,
    collection_size: int | None,
    unjudged: str,
    unjudged_hidden: str | None,
    max_grade: float | None,
    rows: str | None,
    ranks: bool,
    format: str,
    output: str | None,
) -> None:
    """Compare runs query by query.

    Prints tests, confidence intervals and effect sizes of all differences, and marks differences
    that another order of tied documents could undo.
    """
    from irbounds.comparison.cautions import FewQueriesWarning, NoVarianceWarning
    from irbounds.foundation.errors import check_choice
    from irbounds.rankings.cautions import RunWarning

    if rows is not None:
        check_choice("--rows", rows, TABLES)
    check_read_once(qrels, *runs)
    with warnings_as_notes(FewQueriesWarning, NoVarianceWarning, RunWarning):
        comparison = irbounds.compare(
            qrels,
            list(runs),
            " ".join(measures),
            test=test,
            family=family,
            baseline=baseline,
            correction=None if correction == "none" else correction,
            confidence_level=confidence_level,
            resamples=resamples,
            rng=seed,
            ties=ties,
            missing=missing,
            judged_only=judged_only,
            collection_size=collection_size,
            unjudged=unjudged,
            unjudged_hidden=read_hidden(unjudged_hidden),
            max_grade=max_grade,
        )
    for run in comparison.runs:
        complain(
            notes_on_queries(run, comparison.missing_queries[run], comparison.unjudged_queries[run])
        )
    write(Compared(comparison, rows, ranks or rows == "ranks"), format, output)


class Compared(Report):
    """A comparison, which has formats of its own."""

    def __init__(self, comparison: Comparison, rows: str | None, has_ranks: bool = False) -> None:
        super().__init__()
        self.ranks = (
            {name: comparison.ranks(name, rng=comparison.seed or 0) for name in comparison.measures}
            if has_ranks
            else {}
        )
        self.comparison = comparison
        self.of = rows

    def text(self, width: int | None) -> str:
        """The runs, then the differences by each measure."""
        ranks = [f"\n{name}\n{found.to_text()}" for name, found in self.ranks.items()]
        return self.comparison.to_text() + "".join(ranks)

    def data(self) -> Table:
        """A row for each difference, run or rank."""
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
        table = self.data()
        if self.of in ("runs", "ranks"):
            places = list(range(len(table.header)))
        else:
            places = [table.header.index(name) for name in SHOWN]
        rows = [
            [f"{row[i]:.4f}" if isinstance(row[i], float) else str(row[i]) for i in places]
            for row in table.rows
        ]
        return Table([table.header[i] for i in places], rows, 3)

    def latex(self) -> str:
        """A table of runs or differences."""
        return (
            super().latex() if self.of == "ranks" else self.comparison.to_latex(self.of or "runs")
        )

    def document(self) -> dict[str, Any]:
        """Settings, means and differences."""
        ranks = {name: found.to_dict() for name, found in self.ranks.items()}
        return {**self.comparison.to_dict(), **({"ranks": ranks} if ranks else {})}

    def records(self) -> Iterator[dict[str, Any]]:
        """A record for each difference."""
        return (difference.to_dict() for difference in self.comparison.differences)
