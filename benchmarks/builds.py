"""Two builds of irbounds side by side: the same statements in two interpreters, in turns.

    python benchmarks/builds.py OLDER_PYTHON
    python benchmarks/builds.py OLDER_PYTHON --only recall    # functions whose name contains this
    python benchmarks/builds.py OLDER_PYTHON --check          # fail if one is a tenth slower

Each interpreter imports its own irbounds and runs the statements of `statements.py`.  They run in
turns, on one processor.  The ratio is the median over the turns: beside other virtual machines, the
least times differ by a tenth from run to run.  A check asks what seems slower once more: a function
fails if the medians of both series are beyond a tenth.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from result_pages import parser_of, publish, table
from statements import CLASSES, MORE, SETUP, STATEMENTS

TURNS, CHECKED_TURNS, CHECKED_AGAIN = 15, 7, 21
SLOWER = 1.1  # a ratio beyond it fails the check
ALIKE = 0.05  # from 1: functions that the page names without a row
LEAST = 5e-6  # seconds: shorter calls are too noisy to fail
MOST_SECONDS = 0.02  # of quick statements that are timed together
WORKER = """
import json, sys, time
space = {"folder": sys.argv[1]}
exec(sys.stdin.readline() and json.loads(sys.argv[2]), space)
for line in sys.stdin:
    code = compile(json.loads(line), "statement", "eval")
    start = time.process_time()
    try:
        eval(code, space)
    except Exception as error:  # a name that this build has not
        print(json.dumps(None), flush=True)
        print(json.loads(line), error, file=sys.stderr)
        continue
    once = time.process_time() - start
    calls = max(1, int(float(sys.argv[3]) / max(once, 1e-9)))
    best = once
    for _ in range(5 if once < 1 and calls > 1 else 0):
        start = time.process_time()
        for _ in range(calls):
            eval(code, space)
        best = min(best, (time.process_time() - start) / calls)
    print(json.dumps(best), flush=True)
"""


def statements(quick: bool = False) -> Iterator[tuple[str, str]]:
    """Name and statement of each case."""
    for name, given in (STATEMENTS | CLASSES).items():
        if isinstance(given, str):
            given = given.replace("{size}", "few"), given.replace("{size}", "many")
        small, large = given
        yield f"{name}, small", small
        if not quick and large != small:
            yield f"{name}, large", large
    yield from () if quick else MORE.items()


def write_files(folder: str, n_queries: int) -> None:
    """A run and judgments of a thousand rows a query, and the labels of reviews."""
    for name, n in (("few", 100), ("many", 10_000)):
        Path(folder, f"labels.{name}").write_text("1\n0\n0\n0\n" * (n // 4))
    with Path(folder, "run").open("w") as run, Path(folder, "qrels").open("w") as qrels:
        for query in range(n_queries):
            docs = [(query * 7919 + i * 31) % 100_003 for i in range(1000)]
            run.writelines(
                f"q{query} Q0 doc{doc} {i} {1000 - i}.5 t\n" for i, doc in enumerate(docs)
            )
            qrels.writelines(f"q{query} 0 doc{docs[i]} {i % 3}\n" for i in range(0, 1000, 20))


class Build:
    """One interpreter with its irbounds."""

    def __init__(self, python: str, folder: str, loop: float = MOST_SECONDS):
        command = [python, "-c", WORKER, folder, json.dumps(SETUP), str(loop)]
        self.worker: Any = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.worker.stdin.write("\n")

    def seconds(self, statement: str) -> float | None:
        """The least processor time of one call; None if this build has not what it asks for."""
        self.worker.stdin.write(json.dumps(statement) + "\n")
        self.worker.stdin.flush()
        answer = self.worker.stdout.readline()
        if not answer:
            sys.exit(f"failed: {statement}")
        return json.loads(answer)

    def close(self) -> None:
        """End the process."""
        self.worker.stdin.close()
        self.worker.stdout.close()
        self.worker.wait()


def commit_of(python: str) -> str:
    """The commit of the checkout from which an interpreter imports irbounds."""
    where = "import irbounds, os; print(os.path.dirname(irbounds.__file__))"
    folder = subprocess.check_output([python, "-c", where], text=True).strip()
    command = ["git", "-C", folder, "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip() or "unknown"


def shown(ratios: dict[str, list[float]]) -> tuple[list[list[str]], list[str]]:
    """A row for each function that differs: older and this in ms and the ratio, small and large;
    and the names of the others."""
    names = dict.fromkeys(name.removesuffix(", small").removesuffix(", large") for name in ratios)
    rows, alike = [], []
    for name in names:
        found = [ratios.get(f"{name}, {size}", ratios.get(name)) for size in ("small", "large")]
        found = found[: 1 if name in ratios else 2]
        if all(x is None or abs(x[2] - 1) <= ALIKE for x in found):
            alike.append(name)
            continue
        cells = [f"{x[0]:.3g}, {x[1]:.3g}: {x[2]:.2f}" if x else "" for x in found]
        rows.append([name, *cells, *[""] * (2 - len(cells))])
    return rows, alike


def pairs_of(
    this: Build, other: Build, statement: str, turns: int
) -> list[tuple[float, float]] | None:
    """Times of both builds in turns; None if the older one has not what the statement asks for."""
    pairs = []
    for _ in range(turns):
        new, old = this.seconds(statement), other.seconds(statement)
        if new is None:
            sys.exit(f"failed: {statement}")
        if old is None:
            return None
        pairs.append((new, max(old, 1e-9)))
    return pairs


def median_ratio(pairs: list[tuple[float, float]]) -> float:
    """The median of the ratios of this build to the older one."""
    return statistics.median(new / old for new, old in pairs)


def main() -> None:
    """Time every statement in both builds, in turns."""
    parser = parser_of(__doc__)
    parser.add_argument("older", help="the interpreter that has the older build")
    parser.add_argument("--only", default="", help="statements whose name contains this")
    parser.add_argument("--check", action="store_true", help="fail if one is a tenth slower")
    given = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):  # processors may differ by a tenth
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    turns, loop = (1, 0.0) if given.quick else (TURNS, MOST_SECONDS)
    turns = CHECKED_TURNS if given.check and not given.quick else turns
    found: dict[str, list[float]] = {}
    slower = []
    with tempfile.TemporaryDirectory() as folder:
        write_files(folder, 2 if given.quick else 1000)
        this, other = (Build(python, folder, loop) for python in (sys.executable, given.older))
        for name, statement in statements(given.quick):
            if given.only not in name:
                continue
            pairs = pairs_of(this, other, statement, turns)
            if pairs is None:
                print(f"{name}: new", flush=True)
                continue
            ratio = median_ratio(pairs)
            if given.check and ratio > SLOWER and min(new for new, _ in pairs) > LEAST:
                again = pairs_of(this, other, statement, 1 if given.quick else CHECKED_AGAIN)
                ratio = min(ratio, median_ratio(again or pairs))
                slower += [f"{name}: {ratio:.2f} times as long"] if ratio > SLOWER else []
            new, old = (1e3 * min(values) for values in zip(*pairs, strict=True))
            found[name] = [old, new, ratio]
            print(name, *(f"{x:.3g}" for x in found[name]), flush=True)
        this.close()
        other.close()
    if given.check:
        sys.exit("slower than the older build:\n" + "\n".join(slower) if slower else None)
    rows, alike = shown(found)
    lines = [
        f"Commit {commit_of(sys.executable)} beside the older one, {commit_of(given.older)}:",
        f"milliseconds of both, and the median of {turns} ratios (this to older).",
        "",
        *table(["function", "small: older, this: ratio", "large"], rows),
        f"{len(alike)} functions have ratios from {1 - ALIKE:.2f} to {1 + ALIKE:.2f}:",
        f"{', '.join(alike)}.",
    ]
    if given.only:
        print("\n".join(lines))
    else:
        publish("Two builds", lines, "builds.md", given)


if __name__ == "__main__":
    main()
