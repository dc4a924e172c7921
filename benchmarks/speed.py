"""How long irbounds takes, and how many times as long others take for the same work.

    python benchmarks/speed.py                     # all subjects
    python benchmarks/speed.py rankings counts     # some; rows of the others stay as they are
    python benchmarks/speed.py --quick             # small, to see that it runs

`cases` has a module for each subject, and in it a table of cases.  A case runs in a process of its
own with one thread.  The tools take turns there, and their results must agree before a time is
shown.  Times are of the processor, with those of child processes, the least of several calls.  A
tool that is not installed is left out: the extra `bench` installs most.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import subprocess
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cases
import numpy as np
from cases import Case
from result_pages import RESULTS, folder_of, parser_of, publish, table

PAGE, PACKAGES = "speed.md", "pytrec-eval-terrier ir_measures ranx polars pyarrow pandas"
THREADS = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS")
ROUNDS, LEAST = 5, 0.002  # turns; seconds that calls of one turn take at least
HEAD = ["subject", "case", "irbounds", "times as long", "peak memory"]
SUBJECTS = sorted(each.name for each in pkgutil.iter_modules(cases.__path__))


def processor_seconds() -> float:
    """Time of this process and of those below it that have ended."""
    if sys.platform == "win32":
        return time.process_time()
    import resource

    both = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    return sum(sum(resource.getrusage(who)[:2]) for who in both)


def seconds(work: Callable[[], Any], calls: int, by_clock: bool) -> float:
    """The time of one call."""
    now = time.perf_counter if by_clock else processor_seconds
    start = now()
    for _ in range(calls):
        work()
    return (now() - start) / calls


def flat(result: Any) -> np.ndarray:
    """The numbers of a result, dicts in the order of their keys."""
    if isinstance(result, dict):
        return np.concatenate([flat(value) for _, value in sorted(result.items())])
    return np.asarray(result, float).ravel()


def check(case: Case, results: dict[str, Any]) -> None:
    """Stop if a tool did not compute the same."""
    known = {tool: flat(result) for tool, result in results.items() if result is not None}
    first = next(iter(known.values()), None)
    for tool, values in known.items():
        apart = case.apart[tool] if isinstance(case.apart, dict) else case.apart
        if values.shape != first.shape or not np.allclose(values, first, rtol=apart, atol=apart):
            sys.exit(f"{case.name}: {tool} has {values}, not {first}: no comparison")


def prepared(case: Case, quick: bool, only: str | None = None) -> dict[str, Callable[[], Any]]:
    """The calls of the tools that are installed, or of one."""
    found = {}
    for tool, prepare in case.tools(quick).items():
        if only in (None, tool):
            try:
                found[tool] = prepare()
            except ImportError as error:
                print(f"{case.name}: no {error.name}", file=sys.stderr)
    return found


def measured(case: Case, quick: bool) -> dict[str, float]:
    """Seconds by tool."""
    works = prepared(case, quick)
    results = {tool: work() for tool, work in works.items()}
    check(case, results)
    once = {tool: seconds(work, 1, case.by_clock) for tool, work in works.items()}
    calls = {tool: 1 if quick else max(1, int(LEAST / max(x, 1e-9))) for tool, x in once.items()}
    rounds = 1 if quick or sum(once.values()) > 20 else ROUNDS
    for _ in range(rounds):
        for tool, work in works.items():
            once[tool] = min(once[tool], seconds(work, calls[tool], case.by_clock))
    return {tool: x / case.times.get(tool, 1) for tool, x in once.items()}


def peak(case: Case, quick: bool, tool: str) -> float:
    """The peak memory in MB while a process does the work of one tool once."""
    work, status = prepared(case, quick, tool)[tool], Path("/proc/self/status")
    if not status.exists():
        return float("nan")
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak of what was prepared
    work()
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def in_process(subject: str, place: int, quick: bool, tool: str = "") -> Any:
    """The result of a case in a process of its own."""
    command = [sys.executable, "-W", "ignore", __file__, "--case", subject, str(place), tool]
    env = {**os.environ, **dict.fromkeys(THREADS, "1")}
    done = subprocess.run([*command, *["--quick"] * quick], env=env, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{subject}: {done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def one_case(arguments: list[str], quick: bool) -> Any:
    """Seconds by tool, or the peak memory of one."""
    subject, place, tool = arguments
    case = importlib.import_module(f"cases.{subject}").CASES[int(place)]
    return peak(case, quick, tool) if tool else measured(case, quick)


def amount(x: float) -> str:
    """Seconds with three digits."""
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if x * factor >= 1 or unit == "µs":
            return f"{x * factor:.3g} {unit}"
    raise AssertionError


def rows_of(subject: str, quick: bool) -> Iterator[list[str]]:
    """A row for each case."""
    for place, case in enumerate(importlib.import_module(f"cases.{subject}").CASES):
        found = in_process(subject, place, quick)
        first, own = next(iter(found.items()))
        others = [f"{tool} {x / own:.3g}" for tool, x in found.items() if tool != first]
        memory = ""
        if case.has_memory:
            peaks = {tool: in_process(subject, place, quick, tool) for tool in found}
            memory = "; ".join(f"{tool} {mb:.0f} MB" for tool, mb in peaks.items())
        yield [subject, case.name, amount(own), "; ".join(others), memory]


def kept(given: Namespace, subjects: list[str]) -> list[list[str]]:
    """The rows of other subjects on the page that is there."""
    page = (folder_of(given) or RESULTS) / PAGE
    lines = page.read_text("utf-8").splitlines() if page.exists() else []
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    others = {*SUBJECTS} - {*subjects}
    return [row for row in rows if len(row) == len(HEAD) and row[0] in others]


def main() -> None:
    """Time the subjects and write the page."""
    parser = parser_of(__doc__)
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT", help=", ".join(SUBJECTS))
    parser.add_argument("--case", nargs=3, help="one case in this process")
    given = parser.parse_args()
    if given.case:
        print(json.dumps(one_case(given.case, given.quick)))
        return
    subjects = given.subjects or SUBJECTS
    if unknown := {*subjects} - {*SUBJECTS}:
        parser.error(f"no such subject: {', '.join(sorted(unknown))}")
    rows = kept(given, subjects)
    for subject in subjects:
        for row in rows_of(subject, given.quick):
            print(*row, sep=" | ", flush=True)
            rows.append(row)
    about = (__doc__ or "").split("\n\n")[2].splitlines()
    lines = [*about, "", *table(HEAD, sorted(rows, key=lambda row: row[0]))]
    publish("Speed", lines, PAGE, given, PACKAGES)


if __name__ == "__main__":
    main()
