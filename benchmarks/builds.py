"""Two builds of irbounds side by side: the same statements in two interpreters, in turns.

    python benchmarks/builds.py OLDER_PYTHON            # prints a table
    python benchmarks/builds.py OLDER_PYTHON --write    # and writes benchmarks/results/builds.md

Each interpreter imports its own irbounds.  The statements call what both have, by names and
arguments that have not changed.  They run in turns.  The ratio is the median over the turns, on
one processor: beside other virtual machines, the least times differ by a tenth from run to run.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from timing import machine, publish, table

TURNS = 15
WORKER = """
import json, sys, time
import numpy as np
import irbounds as irb
space = {"np": np, "irb": irb, "folder": sys.argv[1]}
for line in sys.stdin:
    setup, statement = json.loads(line)
    if setup not in space:
        exec(setup, space)
        space[setup] = True
    code = compile(statement, "statement", "eval")
    start = time.process_time()
    eval(code, space)
    calls = max(1, int(0.02 / max(time.process_time() - start, 1e-9)))
    best = 1e9
    for _ in range(5):
        start = time.process_time()
        for _ in range(calls):
            eval(code, space)
        best = min(best, (time.process_time() - start) / calls)
    print(json.dumps(best), flush=True)
"""
FILES = """
names = folder + "/{0}.qrels", folder + "/{0}.run"
five = ["AP", "nDCG", "P@10", "RR", "R@100"]
"""
ROWS = """
rng = np.random.default_rng(1)
rows = {0}
queries = np.repeat(np.arange(rows // 1000), 1000)
documents = np.tile(np.arange(1000), rows // 1000)
scores, labels = rng.integers(0, 500, rows).astype(float), rng.integers(0, 2, rows)
"""
DICTS = """
rng = np.random.default_rng(2)
names = [f"d{i}" for i in range(100)]
run = {f"q{i}": dict(zip(names, rng.random(100).tolist())) for i in range(200)}
qrels = {query: {name: int(rng.integers(0, 3)) for name in names[:30]} for query in run}
"""
PAIRS = {
    "10 10 5, 3 2 3": ((10, 10, 5), (3, 2, 3)),
    "80 26 20, 85 30 15": ((80, 26, 20), (85, 30, 15)),
    "0 3 5, 1 9 4": ((0, 3, 5), (1, 9, 4)),
    "10^6": ((10**6, 10**5, 2 * 10**5), (10**6, 10**5, 199_000)),
}
DESIGNS = {
    "README's": ((500, 50, 40), (2000, 100, 3)),
    "10^5": ((10_000, 500, 350), (90_000, 1000, 12)),
    "10^6": ((100_000, 1000, 700), (900_000, 2000, 5)),
    "4.5 10^7": ((500_000, 1000, 600), (45_000_000, 3000, 6)),
}
MORE = {
    "evaluate, files of 10^5 rows": (FILES.format("some"), "irb.evaluate(*names, five)"),
    "evaluate, files of 10^6 rows": (FILES.format("many"), "irb.evaluate(*names, five)"),
    "evaluate, 200 dicts of 100": (DICTS, 'irb.evaluate(qrels, run, ["AP", "nDCG", "P@10"])'),
    "compare, 2 runs, 200 queries": (
        DICTS,
        'irb.compare(qrels, {"a": run, "b": dict(reversed(run.items()))}, ["nDCG"])',
    ),
    "rank_measures, 10^5 rows": (
        ROWS.format(10**5),
        'irb.rank_measures(scores, labels, ["AP", "nDCG", "P@10"], groups=queries)',
    ),
    "hypergeometric_sf, 10^4 values": (
        "found = np.arange(1, 10_001)",
        "irb.chance.hypergeometric_sf(found, 10**6, 50_000, 100_000)",
    ),
    "random_beta, 10^5 variates": (
        "rng_of_beta = np.random.default_rng(3)",
        "irb.distributions.random_beta(10.5, 90.5, 10**5, rng=rng_of_beta)",
    ),
    "extrapolate_precision, one value": (
        "",
        "irb.extrapolation.extrapolate_precision(.6, .5, .01, .8)",
    ),
    "paired_comparison": ("", "irb.counts.paired_comparison(17, 4, 100).probability"),
    "elusion_interval": ("", "irb.samples.elusion_interval((2000, 100, 3))"),
}


def statements() -> dict[str, tuple[str, str]]:
    """Each case: what is made once, and what is timed."""
    cases = dict(MORE)
    for name, (a, b) in PAIRS.items():
        for beta in (1, 2):
            cases[f"prob_superior, F_{beta}, {name}"] = (
                "",
                f"irb.prob_superior(irb.CountsPosterior(*{a}), irb.CountsPosterior(*{b}), "
                f"beta={beta}).probability",
            )
        cases[f"F_2's interval, {name}"] = ("", f"irb.CountsPosterior(*{a}).f(2).ppf(.025)")
    for name, (retrieved, unretrieved) in DESIGNS.items():
        for method in ("betabinom-half", "koopman", "normal-laplace"):
            cases[f"recall_interval, {method}, {name}"] = (
                "",
                f'irb.recall_interval({retrieved}, {unretrieved}, method="{method}")',
            )
    return cases


def write_files(folder: str) -> None:
    """TREC files of 10^5 and 10^6 rows, a thousand rows a query."""
    for name, n in (("some", 100), ("many", 1000)):
        with Path(folder, f"{name}.run").open("w") as run:
            for query in range(n):
                run.writelines(
                    f"q{query} Q0 doc{_document(query, i)} {i + 1} {1000 - i // 2} tag\n"
                    for i in range(1000)
                )
        with Path(folder, f"{name}.qrels").open("w") as qrels:
            for query in range(n):
                qrels.writelines(
                    f"q{query} 0 doc{_document(query, i)} {i % 3}\n" for i in range(0, 1000, 20)
                )


def _document(query: int, i: int) -> int:
    """The number of a document, different for each i of a query."""
    return (query * 7919 + i * 31) % 100_003


class Build:
    """One interpreter with its irbounds."""

    def __init__(self, python: str, folder: str):
        self.worker: Any = subprocess.Popen(
            [python, "-c", WORKER, folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def seconds(self, case: tuple[str, str]) -> float:
        """The least processor time of one call."""
        self.worker.stdin.write(json.dumps(case) + "\n")
        self.worker.stdin.flush()
        return float(self.worker.stdout.readline())


def commit_of(python: str) -> str:
    """The commit of the checkout from which an interpreter imports irbounds."""
    where = "import irbounds, os; print(os.path.dirname(irbounds.__file__))"
    folder = subprocess.check_output([python, "-c", where], text=True).strip()
    command = ["git", "-C", folder, "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip() or "unknown"


def main() -> None:
    """Time every statement in both builds, in turns."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("older", help="the interpreter that has the older build")
    parser.add_argument("--write", action="store_true", help="write benchmarks/results/builds.md")
    parser.add_argument("--only", default="", help="statements whose name contains this")
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):  # processors may differ by a tenth
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        write_files(folder)
        this, other = Build(sys.executable, folder), Build(options.older, folder)
        for name, case in statements().items():
            if options.only in name:
                pairs = [(this.seconds(case), other.seconds(case)) for _ in range(TURNS)]
                new, old = (min(values) for values in zip(*pairs, strict=True))
                ratio = statistics.median(one / other for one, other in pairs)
                rows.append([name, f"{1e3 * old:.3g}", f"{1e3 * new:.3g}", f"{ratio:.2f}"])
                print(*rows[-1], flush=True)
    header = ["statement", "older, ms", "this, ms", "this / older"]
    lines = [
        "# Two builds",
        "",
        f"The build of commit {commit_of(sys.executable)} beside the older one of "
        f"{commit_of(options.older)}: the least processor time of a call, and the median over "
        f"{TURNS} turns of the ratios. Made by "
        "`python benchmarks/builds.py OLDER_PYTHON --write`.",
        "",
        machine(["numpy", "scipy"]),
        "",
        *table(header, rows),
    ]
    publish(lines, "builds.md", options.write)


if __name__ == "__main__":
    main()
