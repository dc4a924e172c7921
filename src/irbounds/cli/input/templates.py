"""`--template`: tables to fill in, as CSV with an example, or as Excel workbooks."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from irbounds.cli.terminal.render import BOOK_ENDING, Report
from irbounds.foundation.errors import InputError
from irbounds.foundation.paths import ending_of


class Form(NamedTuple):
    """A table to fill in.

    columns: what stands in each; words: the only ones that may stand in some, "@" for names;
    example: rows that could; blank: first rows of a workbook; notes: more to know; commands: those
    that read the table, FILE for its name and RESULT for that of another workbook.
    """

    title: str
    columns: Mapping[str, str]
    words: Mapping[str, str]
    example: Sequence[Sequence[Any]]
    blank: Sequence[Sequence[Any]]
    notes: Sequence[str]
    commands: Sequence[str]


SEGMENT = (
    "retrieved: what the review selects (produced, or included); unretrieved: all other documents. "
    "Each has at least one row."
)
SIZE = "documents of the row, sampled or not; all rows together are the collection"
SEGMENTS = (("retrieved",), ("unretrieved",))
MORE_ROWS = "Add a row for each further stratum, such as a custodian."
RECALL = Form(
    "strata",
    {
        "segment": SEGMENT,
        "size": SIZE,
        "sampled": "documents of the row that were drawn at random and assessed; as many as size "
        "if all were read",
        "relevant": "documents among the sampled ones that are relevant",
    },
    {"segment": "retrieved,unretrieved"},
    [
        ["retrieved", 12000, 150, 108],
        ["unretrieved", 30000, 500, 14],
        ["unretrieved", 58000, 800, 6],
    ],
    SEGMENTS,
    [
        MORE_ROWS,
        "Was one sample drawn from the whole collection? Divide it by what was retrieved, a row "
        "for each part. A sample of the null set adds to the second row; count a document once.",
    ],
    [
        "irbounds recall FILE --target 0.75",
        "irbounds recall FILE --target 0.75 -o result.xlsx",
        "irbounds report recall FILE --target 0.75 -o memo.html",
    ],
)
DOCUMENTS = Form(
    "documents",
    {
        "document": "the name of a sampled document; a document that is there twice counts once",
        "retrieved": "yes if the review selects it (produced, or included), otherwise no",
        "relevant": "yes or no, as the assessor says, who must not know whether it was retrieved",
    },
    {"document": "@", "retrieved": "yes,no", "relevant": "yes,no"},
    [["DOC-000017", "yes", "yes"], ["DOC-000218", "no", "no"], ["DOC-000340", "no", "yes"]],
    [],
    [
        "The sample is a random one of the whole collection; documents of a random sample of the "
        "null set may be added.",
    ],
    [
        "irbounds recall FILE --sample RETRIEVED/UNRETRIEVED --target 0.75",
        "irbounds report recall FILE --sample RETRIEVED/UNRETRIEVED --target 0.75 -o memo.html",
        "RETRIEVED/UNRETRIEVED are the documents that the review selected and all others, as "
        "12000/88000.",
    ],
)
PLAN = Form(
    "strata",
    {
        "segment": SEGMENT,
        "size": SIZE,
        "prevalence": "the share of these that you assume to be relevant: 0.7, or a range 0.6-0.8",
    },
    {"segment": "retrieved,unretrieved"},
    [["retrieved", 12000, 0.7], ["unretrieved", 30000, 0.03], ["unretrieved", 58000, 0.008]],
    SEGMENTS,
    [MORE_ROWS],
    ["irbounds plan FILE --target 0.75", "irbounds plan FILE --target 0.75 -o RESULT"],
)


class Template(Report):
    """A table to fill in, which is CSV for people too."""

    def text(self, width: int | None) -> str:
        """The lines of the file."""
        return self.csv()


def write_template(form: Form, path: str, output: str | None) -> Report | int:
    """The template as CSV, for a command to write; or its workbook, once it is written.  `path` is
    the value of --template, `-` if there is none."""
    if path != "-" and output is not None:
        raise InputError("name the file of the template once: --template FILE, or --output FILE")
    path = output or "-" if path == "-" else path
    if path != "-" and os.path.exists(path):  # noqa: PTH110, Path's raises for long names
        raise InputError(f"{path}: a template is not written over a file: name another one")
    report = Template([*form.columns], form.example)
    is_book = ending_of(path) == BOOK_ENDING
    if path == (output or "-") and not is_book:
        return report
    from irbounds.cli.terminal.screen import write
    from irbounds.foundation.atomic import write_file

    if is_book:
        write_file(_book(form, path), path, "--template")
    elif ending_of(path) in (".csv", ".txt", ""):
        write(report.csv(), path)
    else:
        raise InputError(f"--template must end in .csv or .xlsx; found {path!r}")
    return 0


def _book(form: Form, path: str) -> bytes:
    from irbounds.cli.terminal.workbook import of_template

    file = os.path.basename(path)  # noqa: PTH119
    name, result = map(shlex.quote, (file, f"result-{file}"))
    lines: list[list[Any]] = [
        [f"Fill in the sheet “{form.title}”, save, and run one of the commands below."],
        [],
        ["column", *(f"example {i}" for i in range(1, len(form.example) + 1)), "what it is"],
        *(
            [column, *(row[place] for row in form.example), what]
            for place, (column, what) in enumerate(form.columns.items())
        ),
        [],
        *([note] for note in form.notes),
        [],
        *([command.replace("FILE", name).replace("RESULT", result)] for command in form.commands),
    ]
    words = {column: form.words.get(column, "") for column in form.columns}
    return of_template(form.title, words, form.blank, lines)
