"""`irbounds next`: which documents to judge next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import irbounds
from irbounds.cli import options
from irbounds.cli.help import declare
from irbounds.cli.labels import read_hidden
from irbounds.cli.read import check_read_once
from irbounds.cli.render import Report, Table, write

if TYPE_CHECKING:
    from irbounds.comparison.next_judgments import NextJudgments


@declare(
    "next",
    "irbounds next qrels.txt bm25.run dense.run -m P@10 -n 50 --to-judge to_judge.qrels",
    "irbounds next qrels.txt bm25.run dense.run -m P@10 --judged to_judge.qrels",
)
@options.qrels
@options.runs
@options.one_measure
@options.option("-n", "n", type=int, default=50, help="Number of documents, at most.")
@options.option(
    "--judged", type=options.File(), help="Qrels file of further judgments; -1 means unjudged."
)
@options.option(
    "--to-judge",
    type=options.File(),
    help="Write the documents to this qrels file, with -1 where the assessor puts a grade.",
)
@options.baseline()
@options.ties
@options.unjudged_hidden
@options.max_grade
@options.collection_size
@options.score_precision
@options.score_tolerance
@options.format
@options.output
def command(
    qrels: str,
    runs: Sequence[str],
    measures: Sequence[str],
    n: int,
    judged: str | None,
    to_judge: str | None,
    baseline: str | None,
    ties: str,
    unjudged_hidden: str | None,
    max_grade: float | None,
    collection_size: int | None,
    score_precision: str,
    score_tolerance: float,
    format: str,
    output: str | None,
) -> None:
    """Say which unjudged documents to judge next.

    The first document narrows the bounds of the differences between the runs most. A difference
    is settled when no labels of unjudged documents can turn it; when all are, nothing is listed.
    """
    check_read_once(qrels, *runs)
    found = irbounds.next_judgments(
        qrels,
        list(runs),
        " ".join(measures),
        n,
        judged=judged,
        baseline=baseline,
        ties=ties,
        unjudged_hidden=read_hidden(unjudged_hidden),
        max_grade=max_grade,
        collection_size=collection_size,
        score_precision=score_precision,
        score_tolerance=score_tolerance,
    )
    if to_judge is not None:
        found.write(to_judge)
    write(Asked(found), format, output)


class Asked(Report):
    """Documents to judge; the bounds of the differences are below the table."""

    def __init__(self, found: NextJudgments) -> None:
        header = ["query_id", "doc_id", "width"]
        super().__init__(header, list(map(list, found.documents)), document=found.to_dict())
        self.found = found

    def shown(self) -> Table:
        """Widths with four decimals."""
        rows = [[query, doc, f"{width:.4f}"] for query, doc, width in self.found.documents]
        return Table(["query", "document", "narrows by"], rows, 2)

    def records(self) -> Iterator[dict[str, Any]]:
        """A record for each document."""
        return (one._asdict() for one in self.found.documents)

    def notes(self) -> Sequence[str]:
        """How far the differences are settled."""
        return [line.strip() for line in repr(self.found).split("\n")]
