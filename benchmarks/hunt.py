"""Hunts for the question on which a public function is farthest from the truth.

    python benchmarks/hunt.py hypergeometric_cdf --minutes 10     # all hunts of one function
    python benchmarks/hunt.py --all --cases 1000                  # every hunt
    python benchmarks/hunt.py --list                              # what there is to hunt

Questions are drawn from everything that a function accepts, and changed step by step to where the
error is largest, as a part of what is promised or of what the function itself states. A call that
raises, does not return or takes too long is a finding as well. Every call is made in another
process, which can be killed. The hunts are in benchmarks/hunts, a module for each subject.

Findings are printed as commands that repeat them, at once and at the end; with one, the exit status
is 1. The seed is printed; `--seed` with `--cases` repeats a hunt, whatever the number of jobs.

With `--minutes`, hunts take turns, those with few recorded cases first, and one with `--enough`
cases has no more. With `--record` each turn's results are written when it ends, so that a session
that is stopped keeps them; sessions are joined while the code of the function is the same.
"""

from __future__ import annotations

import argparse
import math
import os
import secrets
import shlex
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # where the twins are

from hunts import Arguments, Hunt
from hunts._digest import code_of
from hunts._page import cells, read_rows, row_of, with_session, write_rows
from hunts._pool import Parts, Turns, hunt_all
from hunts._records import Record, Task
from hunts._search import Answer, time_limit
from hunts._search import ask as ask_hunt
from hunts._workers import load

CASES_OF_A_PART = 2000  # parts have streams of their own, so that jobs do not change what is asked
ENOUGH = 10**6  # cases of a hunt on one state of the code
# seconds of the processor that a turn may last: half of a hunt's share, as the rest of the machine
# may have work too
SHORTEST_TURN, LONGEST_TURN = 2.0, 60.0
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


def parts(names: list[str], cases: int) -> Parts:
    """So many cases of each hunt."""
    return Parts(
        Task(name, (part,), min(CASES_OF_A_PART, cases - part * CASES_OF_A_PART))
        for name in names
        for part in range(math.ceil(cases / CASES_OF_A_PART))
    )


def turns(hunts: dict[str, Hunt], minutes: float, jobs: int, enough: int) -> Turns:
    """Turns until the time is over; recorded cases on this code count."""
    codes = {name: code_of(hunt) for name, hunt in hunts.items()}
    recorded = {row.hunt: row.cases for row in read_rows() if row.code == codes.get(row.hunt)}
    names = [name for name in hunts if recorded.get(name, 0) < enough] or list(hunts)
    turn = min(max(60 * minutes * jobs / len(names) / 2, SHORTEST_TURN), LONGEST_TURN)
    before = {name: recorded.get(name, 0) for name in names}
    return Turns(before, turn, time.time() + 60 * minutes, enough)


class Journal:
    """Tells and records what is found, as it comes."""

    def __init__(self, hunts: dict[str, Hunt], seed: int, is_recorded: bool, file: str | None):
        self.hunts, self.seed, self.is_recorded, self.file = hunts, seed, is_recorded, file
        self.codes = {name: code_of(hunt) for name, hunt in hunts.items()}
        self.session: dict[str, Record] = {}
        self.before = read_rows()

    def found(self, name: str, answer: Answer) -> None:
        """A finding: a line of the error stream, as the list at the end may never be printed."""
        line = f"# {name}: {'; '.join(answer.faults)}\n{command(name, answer.args, self.file)}"
        print(line, file=sys.stderr, flush=True)

    def ended(self, name: str, record: Record) -> None:
        """A task is done."""
        self.session[name] = record
        if self.is_recorded:
            rows = [
                row(name, record, self.codes[name], self.seed)
                for name, record in self.session.items()
            ]
            write_rows(with_session(self.before, rows), self.hunts, self.codes)


def row(name: str, record: Record, code: str = "", seed: int = 0) -> Any:
    """A line of the record."""
    where = literal(record.worst.args) if record.worst else ""
    return row_of(name, record, code, seed, where)


def show(records: dict[str, Record], file: str | None) -> list[tuple[str, Answer]]:
    """A line for each hunt, and then the findings, as commands."""
    findings = []
    for name, record in records.items():
        _, cases, _, worst, _, stated, rate, slowest, *_ = cells(row(name, record))
        more = f", {record.refused} refused" * bool(record.refused)
        more += f", {record.without_twin} without twin" * bool(record.without_twin)
        ratio = f"error/promise {worst}" + f", error/stated {stated}" * bool(stated)
        print(f"{name}: {cases} cases ({rate} a minute{more}), {ratio}, slowest {slowest}")
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
        "--enough",
        type=int,
        default=ENOUGH,
        metavar="CASES",
        help="with --minutes: a hunt with so many recorded cases has no turn (default: 10^6)",
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
    if options.minutes is None:
        schedule: Parts | Turns = parts(names, options.cases or 1000)
    else:
        some = {name: hunts[name] for name in names}
        schedule = turns(some, options.minutes, options.jobs, options.enough)
    journal = Journal(hunts, seed, options.record, options.file)
    records = hunt_all(schedule, options.jobs, seed, options.file, journal.found, journal.ended)
    records = {name: records[name] for name in names if name in records}
    findings = show(records, options.file)
    n_cases = sum(record.cases for record in records.values())
    print(
        f"\n{n_cases:,} cases of {len(records)} hunts in {time.monotonic() - start:.0f} s, "
        f"seed {seed}: "
        f"{len(findings)} findings"
    )
    if options.append and findings:
        with FINDINGS.open("a", encoding="utf-8") as file:
            for name, answer in findings:
                print(
                    name, "; ".join(answer.faults), command(name, answer.args), sep="\t", file=file
                )
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
