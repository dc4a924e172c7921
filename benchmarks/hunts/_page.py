"""The recorded hunts: results/hunt.tsv has a line for each hunt and state of the code, and
results/hunt.md is made from it."""

from __future__ import annotations

import csv
import datetime
import math
import platform
import subprocess
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from timing import RESULTS, table

from hunts import Hunt
from hunts._digest import ROOT
from hunts._records import Record

MILESTONES = (1000, 10_000, 100_000, 1_000_000)
LONGEST_PLACE = 160  # characters of the worst question in the page
HEADER = [
    "hunt",
    "cases",
    "on earlier code",
    "worst error over promise",
    "promised there",
    "worst error over stated",
    "cases a minute",
    "slowest call",
    "code",
    "where the worst is",
]
FUNCTION_HEADER = ["function", "hunts", "fewest cases of one", "cases", "worst error over promise"]
INTRODUCTION = """# Hunt

How far each public number was from the truth on the worst question found, as a part of what
is promised there: above 1 the promise is broken. Made by
`python benchmarks/hunt.py --all --record`.

*Cases* are questions that irbounds and the twin answered; refused ones and those beyond the twin
are not counted. *Code* is the first part of a digest of what the function is made of: the
statements of its module that it uses, those that these import, and the C files that they include,
without comments, docstrings and the words of errors. Sessions are joined while none of these has
changed: their cases are added, and the worst is the worst of all. Cases *on earlier code* are of
other digests, and count for nothing else in the row. A row whose code is marked *earlier* is as a
whole of code that has changed since: it says nothing about the present one. *Cases a minute* are of
the processor, of one process, with the twin. The first table adds up the hunts of each public name,
on this code alone; the second has each hunt.
"""


@dataclass(frozen=True)
class Row:
    """The results of one hunt on one state of the code."""

    hunt: str
    code: str
    date: str = ""
    cases: int = 0
    refused: int = 0
    without_twin: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    ratio: float = -1.0
    promise: float = math.nan
    where: str = ""
    stated: float = -1.0
    faults: str = ""
    seeds: str = ""

    def joined(self, other: Row) -> Row:
        """With a later session on the same code."""
        worse = other if other.ratio > self.ratio else self
        return replace(
            self,
            date=other.date,
            cases=self.cases + other.cases,
            refused=self.refused + other.refused,
            without_twin=self.without_twin + other.without_twin,
            seconds=self.seconds + other.seconds,
            slowest=max(self.slowest, other.slowest),
            ratio=worse.ratio,
            promise=worse.promise,
            where=worse.where,
            stated=max(self.stated, other.stated),
            faults="; ".join(dict.fromkeys(filter(None, [self.faults, other.faults]))),
            seeds=" ".join(filter(None, [self.seeds, other.seeds])),
        )


def row_of(name: str, record: Record, code: str, seed: int, where: str) -> Row:
    """One session's; `where` is the worst question."""
    worst, stated = record.worst, record.worst_stated
    return Row(
        name,
        code,
        str(datetime.date.today()),
        record.compared,
        record.refused,
        record.without_twin,
        round(record.seconds, 3),
        record.slowest,
        worst.ratio if worst else -1.0,
        worst.promise if worst else math.nan,
        where,
        stated.stated_ratio if stated else -1.0,
        "; ".join(f"{len(some)} × {kind}" for kind, some in record.findings.items()),
        str(seed),
    )


def cells(row: Row, earlier: int = 0, is_current: bool = True) -> list[str]:
    """For the table."""
    where = row.where
    where = where if len(where) <= LONGEST_PLACE else where[: LONGEST_PLACE - 3] + "…"
    every = row.cases + row.refused + row.without_twin
    return [
        f"`{row.hunt}`",
        f"{row.cases:,}",
        f"{earlier:,}" if earlier else "",
        "; ".join(filter(None, [f"{row.ratio:.2g}" if row.ratio >= 0 else "none", row.faults])),
        f"{row.promise:.0e}" if math.isfinite(row.promise) else "",
        f"{row.stated:.2g}" if row.stated >= 0 else "",
        f"{60 * every / row.seconds:,.0f}" if row.seconds else "",
        f"{row.slowest:.2g} s",
        f"`{row.code}`" + ", earlier" * (not is_current),
        f"`{where}`".replace("|", "\\|") if where else "",
    ]


def function_cells(current: list[Row], hunts: dict[str, Hunt]) -> list[list[str]]:
    """A line for each public name: its hunts on this code together."""
    rows = {row.hunt: row for row in current}
    by_function: dict[str, list[Row]] = {}
    for name, hunt in hunts.items():
        by_function.setdefault(hunt.function, []).append(rows.get(name, Row(name, "")))
    return [
        [
            f"`{function}`",
            f"{len(some)}",
            f"{min(row.cases for row in some):,}",
            f"{sum(row.cases for row in some):,}",
            f"{worst:.2g}" if (worst := max(row.ratio for row in some)) >= 0 else "none",
        ]
        for function, some in by_function.items()
    ]


def commit(root: Path = ROOT) -> str:
    """The commit of the tree, for the page; empty without git."""
    command = ["git", "-C", str(root), "rev-parse", "--short", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return ""
    return done.stdout.strip()


def read_rows(folder: Path = RESULTS) -> list[Row]:
    """The recorded rows, oldest first."""
    path = folder / "hunt.tsv"
    if not path.exists():
        return []
    kinds: dict[str, Any] = {"str": str, "int": int, "float": float}
    of = {field.name: kinds[str(field.type)] for field in fields(Row)}
    with path.open(newline="", encoding="utf-8") as file:
        lines = csv.DictReader(file, delimiter="\t")
        return [Row(**{name: of[name](text) for name, text in line.items()}) for line in lines]


def with_session(before: list[Row], session: list[Row]) -> list[Row]:
    """The rows of a session joined to those of earlier ones on the same code; they come last."""
    new = {(row.hunt, row.code): row for row in session}
    kept = [row for row in before if (row.hunt, row.code) not in new]
    known = {(row.hunt, row.code): row for row in before}
    return kept + [known[key].joined(row) if key in known else row for key, row in new.items()]


def write_rows(
    rows: list[Row], hunts: dict[str, Hunt], codes: dict[str, str], folder: Path = RESULTS
) -> None:
    """results/hunt.tsv, and results/hunt.md with the last state of each hunt; `codes` are the
    digests of this tree, which tell the rows that hold for it.  Each file is
    written as a whole, beside its place, and then put there."""
    lines = [list(asdict(row).values()) for row in rows]
    with (folder / "hunt.tsv.new").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerows([[field.name for field in fields(Row)], *lines])
    last = {row.hunt: row for row in rows}
    every: dict[str, int] = dict.fromkeys(last, 0)
    for row in rows:
        every[row.hunt] += row.cases
    known = [last[name] for name in hunts if name in last]
    current = [row for row in known if row.code == codes.get(row.hunt)]
    there = [cells(row, every[row.hunt] - row.cases, row in current) for row in known]
    total, valid = (sum(row.cases for row in some) for some in (known, current))
    reached = [
        f"{sum(row.cases >= least for row in current):,} with at least {least:,}"
        for least in MILESTONES
    ]
    functions = function_cells(current, hunts)
    cases = [int(line[3].replace(",", "")) for line in functions]
    words = (
        f"Last session: {max((row.date for row in rows), default='none')}. Page written at commit "
        f"`{commit()}`, CPython {platform.python_version()}, {platform.machine()}.\n\n"
        f"Hunts on the code of that commit: {len(current)}, with {valid:,} cases "
        f"({', '.join(reached)}). Hunts on earlier code only: {len(known) - len(current)}, with "
        f"{total - valid:,} cases. Public names with at least 100,000 cases of all their hunts on "
        f"that code: {sum(n >= 100_000 for n in cases)} of {len(cases)}."
    )
    tables = [*table(FUNCTION_HEADER, functions), "", *table(HEADER, there)]
    text = "\n".join([INTRODUCTION, words, "", *tables]) + "\n"
    (folder / "hunt.md.new").write_text(text, encoding="utf-8")
    for name in ("hunt.tsv", "hunt.md"):
        (folder / f"{name}.new").replace(folder / name)
