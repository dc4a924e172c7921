"""`irbounds next`: which documents to judge next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import irbounds
from irbounds.cli.input import options
from irbounds.cli.input.read import check_read_once
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.notes import warnings_as_notes
from irbounds.cli.terminal.render import Report, Table
from irbounds.foundation.atomic import write_file
from irbounds.foundation.errors import InputError

if TYPE_CHECKING:
    from irbounds.comparison.label_bounds.next_judgments import NextJudgments

TREC_FIELDS = 4  # query id, 0, document id, grade


@declare(
    "next",
    {
        "Input": (
            options.qrels,
            options.runs,
            options.baseline(),
            options.file("--judged", "Qrels file with more judgments; -1 means unjudged."),
        ),
        "Measures": (
            options.one_measure,
            options.ties,
            options.collection_size,
            *options.labels_as("For the bounds"),
            *options.SCORES,
        ),
        "Output": (
            options.count("-n n", "Greatest number of documents to list.", default=50),
            options.file(
                "--to-judge",
                "Write the documents to this qrels file, with -1 in place of the grades to "
                "fill in. If it is the file of --judged, they are added to it.",
            ),
            *options.OUTPUT,
        ),
    },
    "irbounds next qrels.txt old.run new.run -m P@10 --to-judge next.qrels",
    "irbounds next qrels.txt old.run new.run --judged next.qrels --to-judge next.qrels",
)
def command(
    qrels: str,
    runs: Sequence[str],
    measures: str,
    judged: str | None,
    to_judge: str | None,
    **settings: Any,
) -> Report:
    """Say which unjudged documents to judge next.

    The first document narrows the bounds of the differences between the runs most. A difference
    is settled when no labels of unjudged documents can reverse it.
    Nothing is listed when all are settled.
    """
    from irbounds.warnings import RunWarning

    check_read_once(qrels, *runs)
    for name in (qrels, *runs):  # --to-judge may be the file of --judged alone
        if to_judge is not None and is_same_file(to_judge, name):
            raise InputError(f"--to-judge would write over the input file {name}: name another one")
    settings["judged"] = None if judged is None or is_empty(judged) else judged
    with warnings_as_notes(RunWarning):
        found = irbounds.next_judgments(qrels, list(runs), measures, **settings)
    if to_judge is not None:
        write_documents(found, to_judge, judged)
    return Asked(found)


def is_empty(name: str) -> bool:
    """Whether it is a file without content: --to-judge makes it where nothing is left to judge."""
    return Path(name).is_file() and Path(name).stat().st_size == 0


def is_same_file(one: str, other: str) -> bool:
    """Whether both names are those of one file that exists."""
    return Path(one).exists() and Path(other).exists() and Path(one).samefile(other)


def write_documents(found: NextJudgments, to_judge: str, judged: str | None) -> None:
    """The file for the assessor; grades that it holds already stay, with what was asked before."""
    if judged is None or not is_same_file(to_judge, judged):
        found.write(to_judge)
        return
    held = Path(to_judge).read_bytes()
    rows = [line.split() for line in held.splitlines() if line.strip()]
    if any(len(row) != TREC_FIELDS for row in rows if not row[0].startswith(b"#")):
        raise InputError(
            f"--to-judge adds documents to a text file of TREC's qrels alone; {to_judge} is "
            "another: name another file"
        )
    known = {tuple(row[0:3:2]) for row in rows}
    asked = found.to_trec().encode("utf-8", "surrogateescape").splitlines(keepends=True)
    new = [line for line in asked if tuple(line.split()[0:3:2]) not in known]
    held += b"\n" if held and not held.endswith(b"\n") else b""
    write_file(held + b"".join(new), to_judge, "--to-judge")


class Asked(Report):
    """Documents to judge; the bounds of the differences are below the table."""

    def __init__(self, found: NextJudgments) -> None:
        header = ["query_id", "doc_id", "width"]
        super().__init__(header, list(map(list, found.documents)), document=found.to_dict())
        self.found = found

    def shown(self) -> Table:
        """Widths with four decimals."""
        rows = [[query, doc, f"{width:.4f}"] for query, doc, width in self.found.documents]
        return Table(["query", "document", "narrows bounds by"], rows, 2)

    def records(self) -> Iterator[dict[str, Any]]:
        """A record for each document."""
        return (one._asdict() for one in self.found.documents)

    def notes(self) -> Sequence[str]:
        """How far the differences are settled."""
        return [line.strip() for line in repr(self.found).split("\n")]
