"""Hunts for the question on which a public function is farthest from the truth.

    python benchmarks/hunt.py hypergeometric_cdf --minutes 10     # all hunts of one function
    python benchmarks/hunt.py --all --cases 1000                  # every hunt
    python benchmarks/hunt.py --list                              # what there is to hunt

Questions are drawn from everything that a function accepts, and changed step by step to where the
error is largest, as a part of what is promised or of what the function itself states. A call that
raises, does not return or takes too long is a finding as well. Every call is made in another
process, which can be killed. The hunts are in benchmarks/hunts, a module for each subject.

Findings are printed as commands that repeat them; with one, the exit status is 1. The seed is
printed; `--seed` with `--cases` repeats a hunt, whatever the number of jobs.
"""

from __future__ import annotations

import argparse
import datetime
import math
import os
import platform
import re
import secrets
import shlex
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # where the twins are

from hunts import Arguments, Hunt
from hunts._search import Answer, time_limit
from hunts._search import ask as ask_hunt
from hunts._workers import Record, Task, hunt_all, load
from timing import RESULTS, table

CASES_OF_A_PART = 2000  # parts have streams of their own, so that jobs do not change what is asked
HEADER = [
    "hunt",
    "cases",
    "worst error over promise",
    "promised there",
    "worst error over stated",
    "cases a minute",
    "slowest call",
    "where the worst is",
]
INTRODUCTION = [
    "# Hunt",
    "",
    "How far each public number was from the truth on the worst question found, as a part of what "
    "is promised there: above 1 the promise is broken. Made by "
    "`python benchmarks/hunt.py --all --record`.",
    "",
]
FINDINGS = Path(__file__).resolve().parent / "hunts" / "findings.tsv"


def ask(name: str, args: Arguments, file: str | None = None) -> Answer:
    """Ask one question, and print how it went."""
    hunt = load(file)[name]
    answer = ask_hunt(hunt, args)
    print(f"{name}: {'; '.join(answer.faults) or answer.kind}")
    print(
        f"  value {answer.value!r}, truth {answer.truth!r}, error {answer.error:.3g}, "
        f"promised {answer.promise:.3g}"
        + (f", stated {answer.stated:.3g}" if hunt.stated_error else "")
        + f"; {answer.seconds:.3g} s of {time_limit(hunt, args):.3g} s {answer.note}"
    )
    return answer


def literal(value: Any) -> str:
    """As Python reads it, infinities and nan too."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {literal(item)}" for key, item in value.items()) + "}"
    if isinstance(value, tuple):
        return (
            "("
            + "".join(f"{literal(item)}, " for item in value).rstrip(
                " " if len(value) == 1 else ", "
            )
            + ")"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({str(value)!r})"
    return repr(value)


def command(name: str, args: Arguments, file: str | None = None) -> str:
    """A line for the shell that asks again."""
    of_file = f", {file!r}" if file else ""
    line = f"from hunt import ask; ask({name!r}, {literal(args)}{of_file})"
    quoted = f'"{line}"' if not set(line) & set('"$`!\\') else shlex.quote(line)
    return f"PYTHONPATH=benchmarks python -c {quoted}"


def chosen(hunts: dict[str, Hunt], wanted: list[str]) -> list[str]:
    """Names of hunts, or of functions with all their hunts."""
    names: list[str] = []
    for word in wanted:
        found = [name for name, hunt in hunts.items() if word in (name, hunt.function)]
        if not found:
            near = [name for name in hunts if word.lower() in name.lower()]
            sys.exit(
                f"no hunt is called {word!r}"
                + (f"; did you mean {near[0]!r}?" if near else "; see --list")
            )
        names += [name for name in found if name not in names]
    return names


def tasks(names: list[str], cases: int | None, minutes: float | None, jobs: int) -> list[Task]:
    """Parts of all hunts: so many cases each, or the time in equal shares."""
    if minutes is None:
        n = cases or 1000
        return [
            Task(name, (part,), min(CASES_OF_A_PART, n - part * CASES_OF_A_PART))
            for name in names
            for part in range(math.ceil(n / CASES_OF_A_PART))
        ]
    share, start = 60 * minutes * jobs / len(names), time.time()
    if len(names) == 1:
        return [Task(names[0], (part,), until=start + share / jobs) for part in range(jobs)]
    rounds = math.ceil(len(names) / jobs)
    return [
        Task(name, (0,), until=start + 60 * minutes * (i // jobs + 1) / rounds)
        for i, name in enumerate(names)
    ]


def row(name: str, record: Record) -> list[str]:
    """Cells for the table."""
    worst = record.worst
    kinds = "".join(f"; {len(some)} × {kind}" for kind, some in record.findings.items())
    stated = f"{record.worst_stated.stated_ratio:.2g}" if record.worst_stated else ""
    asked = record.cases - record.refused - record.without_twin
    where = literal(worst.args) if worst else ""
    where = where if len(where) <= 160 else where[:157] + "…"
    rate = f"{60 * record.cases / record.seconds:,.0f}" if record.seconds else ""
    return [
        f"`{name}`",
        f"{asked:,}",
        (f"{worst.ratio:.2g}" if worst else "none") + kinds,
        f"{worst.promise:.0e}" if worst else "",
        stated,
        rate,
        f"{record.slowest:.2g} s",
        f"`{where}`".replace("|", "\\|") if where else "",
    ]


def known_rows(path: Path) -> dict[str, list[str]]:
    """The rows of the page, by their hunts: those of other hunts stay."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    rows = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in lines
        if line.startswith("| `")
    ]
    return {cells[0]: cells for cells in rows}


def write_page(records: dict[str, Record], hunts: dict[str, Hunt], seed: int) -> None:
    """benchmarks/results/hunt.md."""
    path = RESULTS / "hunt.md"
    rows = known_rows(path) | {f"`{name}`": row(name, record) for name, record in records.items()}
    last = (
        f"Last hunt: {datetime.date.today()}, seed {seed}, CPython {platform.python_version()}, "
        f"{platform.machine()}. *Cases a minute* is the speed of one process, with the twin."
    )
    there = [rows[f"`{name}`"] for name in hunts if f"`{name}`" in rows]
    path.write_text(
        "\n".join([*INTRODUCTION, last, "", *table(HEADER, there)]) + "\n", encoding="utf-8"
    )


def show(records: dict[str, Record], file: str | None) -> list[tuple[str, Answer]]:
    """A line for each hunt, and then the findings, as commands."""
    findings = []
    for name, record in records.items():
        cells = row(name, record)
        more = f", {record.refused} refused" * bool(record.refused)
        more += f", {record.without_twin} without twin" * bool(record.without_twin)
        ratio = f"error/promise {cells[2]}" + f", error/stated {cells[4]}" * bool(cells[4])
        print(f"{name}: {cells[1]} cases ({cells[5]} a minute{more}), {ratio}, slowest {cells[6]}")
        findings += [(name, answer) for answer in record.faults]
    for name, answer in findings:
        print(f"\n# {name}: {'; '.join(answer.faults)}\n{command(name, answer.args, file)}")
    return findings


def arguments() -> argparse.Namespace:
    """The arguments of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("function", nargs="*", help="public names, or names of hunts")
    parser.add_argument("--all", action="store_true", help="every hunt")
    parser.add_argument("--list", action="store_true", help="print the hunts, and end")
    parser.add_argument("--minutes", type=float, help="for all hunts together")
    parser.add_argument(
        "--cases", type=int, help="of each hunt, instead of --minutes; 1000 by default"
    )
    parser.add_argument(
        "--seed", type=int, help="drawn and printed by default; IRBOUNDS_SEED sets it too"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--record", action="store_true", help="write benchmarks/results/hunt.md")
    parser.add_argument(
        "--append", action="store_true", help="add findings to benchmarks/hunts/findings.tsv"
    )
    parser.add_argument("--file", help="a Python file with a list HUNTS, instead of the modules")
    options = parser.parse_args()
    if not (options.list or options.all or options.function):
        parser.error("name a function, or give --all or --list")
    if options.minutes is not None and options.cases is not None:
        parser.error("give --minutes or --cases, not both")
    return options


def main() -> int:
    """Hunt, and say what was found."""
    options = arguments()
    hunts = load(options.file)
    if options.list:
        print(*hunts, sep="\n")
        return 0
    names = list(hunts) if options.all else chosen(hunts, options.function)
    seed = (
        options.seed
        if options.seed is not None
        else int(os.environ.get("IRBOUNDS_SEED") or secrets.randbits(32))
    )
    print(f"{len(names)} hunts, seed {seed}", flush=True)
    start = time.monotonic()
    records = hunt_all(
        tasks(names, options.cases, options.minutes, options.jobs), options.jobs, seed, options.file
    )
    records = {name: records[name] for name in names if name in records}
    findings = show(records, options.file)
    n_cases = sum(record.cases for record in records.values())
    print(
        f"\n{n_cases:,} cases of {len(records)} hunts in {time.monotonic() - start:.0f} s, "
        f"seed {seed}: "
        f"{len(findings)} findings"
    )
    if options.record:
        write_page(records, hunts, seed)
    if options.append and findings:
        with FINDINGS.open("a", encoding="utf-8") as file:
            for name, answer in findings:
                print(
                    name, "; ".join(answer.faults), command(name, answer.args), sep="\t", file=file
                )
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
