"""Time of intervals over queries, ranks and gates.

python benchmarks/queries.py            # writes the page of results
python benchmarks/queries.py --quick    # to see that it runs
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

import irbounds as irb

sys.path.insert(0, str(next(p for p in Path(__file__).parents if p.name == "benchmarks")))
from timing import best_seconds, is_quick, machine, publish, table

RESAMPLES = 9999


def seconds_of(work: Callable[[], Any]) -> float:
    """Processor time, which other programs on the machine hardly change."""
    return best_seconds(work, clock=time.process_time)


def of_children() -> float:
    """The processor time of processes that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def intervals(quick: bool) -> list[list[str]]:
    """t intervals of ten runs; BCa beside SciPy's."""
    rng = np.random.default_rng(1)
    values = [rng.beta(1, 2, (1000, 10)) for _ in range(10)]
    seconds = seconds_of(lambda: [irb.mean_interval(run) for run in values])
    rows = [["t, 10 runs × 1,000 queries × 10 measures", f"{1e3 * seconds:.2f}", ""]]
    for n in (30,) if quick else (2, 3, 4, 10, 30, 100, 1000):
        x = rng.beta(1, 2, n)
        own = seconds_of(lambda x=x: irb.mean_interval(x, method="bca", resamples=RESAMPLES))
        peer = seconds_of(
            lambda x=x: stats.bootstrap((x,), np.mean, method="BCa", n_resamples=RESAMPLES)
        )
        rows.append(
            [f"bca, {n} queries", f"{1e3 * own:.2f}", f"SciPy {1e3 * peer:.2f}: {peer / own:.1f} ×"]
        )
        own = seconds_of(lambda x=x: irb.mean_interval(x, method="guaranteed"))
        rows.append([f"guaranteed, {n} queries", f"{1e3 * own:.2f}", ""])
    return rows


def ranks(quick: bool) -> list[list[str]]:
    """A leaderboard of 180 systems and 41 tasks, 10,000 draws."""
    rng = np.random.default_rng(2)
    systems = 20 if quick else 180
    scores = {f"s{i}": dict(enumerate(rng.normal(i / 60, 1, 41).tolist())) for i in range(systems)}
    seconds = seconds_of(lambda: irb.comparison.compare_scores(scores))
    return [[f"ranks, {systems} × 41, 10,000 draws", f"{1e3 * seconds:.0f}", ""]]


def gate(quick: bool) -> list[list[str]]:
    """The command as a whole process, two runs of 100 queries and 100,000 rows in all."""
    rng = np.random.default_rng(3)
    queries, depth = (10, 50) if quick else (100, 500)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts: dict[str, list[str]] = {"qrels": [], "old.run": [], "new.run": []}
        for q in range(queries):
            docs = rng.permutation(2 * depth)
            texts["qrels"] += [f"q{q} 0 d{d} {rng.integers(0, 2)}" for d in docs[: depth // 10]]
            for run in ("old.run", "new.run"):
                scores = np.sort(rng.random(depth))[::-1]
                order = docs[:depth] if run == "old.run" else rng.permutation(docs[:depth])
                texts[run] += [
                    f"q{q} Q0 d{d} 0 {score:.6f} t" for d, score in zip(order, scores, strict=True)
                ]
        for file, lines in texts.items():
            (folder / file).write_text("\n".join(lines) + "\n")
        command = [sys.executable, "-m", "irbounds", "gate", "qrels", "old.run", "new.run"]
        seconds = best_seconds(
            lambda: subprocess.run(command, cwd=folder, capture_output=True, check=False),
            clock=of_children,
        )
    return [[f"irbounds gate, {2 * queries * depth:,} rows", f"{1e3 * seconds:.0f}", ""]]


def main() -> None:
    """Measure and write the table."""
    quick = is_quick(__doc__)
    rows = [row for measure in (intervals, ranks, gate) for row in measure(quick)]
    lines = [
        "# Time of intervals over queries, ranks and gates",
        "",
        "Milliseconds of processor time, the least of several; bca with "
        f"{RESAMPLES:,} resamples. Made by `python benchmarks/queries.py`.",
        "",
        machine(["numpy", "scipy"]),
        "",
        *table(["what", "ms", "peer"], rows),
    ]
    publish(lines, "queries.md", write=not quick)


if __name__ == "__main__":
    main()
