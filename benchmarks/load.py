"""Large input: memory and time of a run of 50 million rows, and how soon an interrupt ends long
work.

    python benchmarks/load.py              # writes results/load.md; needs Linux and 3 GB of disk
    python benchmarks/load.py --quick      # small, to see that it runs
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from timing import machine, publish, table

import irbounds as irb

MEASURES = "AP nDCG@10 P@10 RR"
CHILD = """
import sys, time
from pathlib import Path
import irbounds as irb

def peak():
    status = Path("/proc/self/status").read_text().splitlines()
    return next(line.split()[1] for line in status if "VmHWM" in line)

irb.evaluate({"q": {"d": 1}}, {"q": {"d": 1}}, "AP")
before = peak()
start = time.perf_counter()
try:
    irb.evaluate(sys.argv[1], sys.argv[2], sys.argv[3])
    end = "evaluated"
except ValueError as error:
    end = str(error).split(": ")[-1].partition(":")[0]
print(time.perf_counter() - start, before, peak(), end, sep="\\t")
"""


def write_run(path: Path, n_rows: int, depth: int) -> None:
    """A run grouped by query, `depth` documents each."""
    names = [f" Q0 doc-{d:07d} {d} {30 / (d + 2):.6f} load\n" for d in range(depth)]
    with path.open("w") as file:
        for query in range(n_rows // depth):
            file.write("".join([f"q{query}{row}" for row in names]))


def write_qrels(path: Path, n_queries: int, depth: int) -> None:
    """Twenty judgments a query, half of them relevant."""
    with path.open("w") as file:
        for query in range(n_queries):
            file.write(
                "".join(
                    [
                        f"q{query} 0 doc-{(query * 7 + d * 13) % depth:07d} {d % 2}\n"
                        for d in range(20)
                    ]
                )
            )


def measured(qrels: Path, run: Path) -> list[str]:
    """Seconds, peak memory before and in all, and how it ended, in a process of its own."""
    command = [sys.executable, "-c", CHILD, qrels, run, MEASURES]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, before, peak, end = done.stdout.strip().split("\t")
    return [
        f"{float(seconds):.1f} s",
        f"{int(before) / 1024:.0f} MB",
        f"{int(peak) / 1024:.0f} MB",
        end,
    ]


def stream_rows(folder: Path, n_rows: int, depth: int) -> list[list[str]]:
    """The same run grouped by query and with one row out of place, so that it must be held."""
    run, qrels = folder / "run", folder / "qrels"
    write_run(run, n_rows, depth)
    write_qrels(qrels, n_rows // depth, depth)
    size = f"{run.stat().st_size / 1e9:.2f} GB"
    rows = [
        [f"{n_rows:,} rows, {n_rows // depth:,} queries of {depth:,}", size, *measured(qrels, run)]
    ]
    few = folder / "few"
    write_run(few, n_rows // 10, depth)
    rows.append(
        [
            f"a tenth of it, {n_rows // 10:,} rows",
            f"{few.stat().st_size / 1e9:.2f} GB",
            *measured(qrels, few),
        ]
    )
    with few.open("a") as file:
        file.write("q0 Q0 one-more 1 0 load\n")
    rows.append(
        [
            "that tenth, not grouped by query: held whole",
            f"{few.stat().st_size / 1e9:.2f} GB",
            *measured(qrels, few),
        ]
    )
    for path in (run, few):
        path.unlink()
    return rows


def line_rows(folder: Path, n_bytes: int) -> list[list[str]]:
    """A file that is one line, and one in which a row repeats."""
    qrels, run = folder / "qrels", folder / "run"
    with run.open("wb") as file:
        file.truncate(n_bytes)
    rows = [[f"{n_bytes / 1e9:.2g} GB of NULs", f"{n_bytes / 1e9:.2f} GB", *measured(qrels, run)]]
    with run.open("wb") as file:
        for _ in range(n_bytes // 2**20):
            file.write(b"x" * 2**20)
    rows.append(
        [f"one line of {n_bytes / 1e9:.2g} GB", f"{n_bytes / 1e9:.2f} GB", *measured(qrels, run)]
    )
    import lzma

    part = lzma.compress(b"q1 Q0 d1 1 1 t\n" * 2**21)
    run.write_bytes(part * 320)
    rows.append(
        [
            f"xz of one row {320 * 2**21:,} times",
            f"{run.stat().st_size / 1e9:.4f} GB",
            *measured(qrels, run),
        ]
    )
    run.unlink()
    return rows


def interrupt_row(name: str, work: Callable[[], object], after: float) -> list[str]:
    """Send SIGINT to this process while it works, and see how long until the work ends."""
    sent: list[float] = []

    def send() -> None:
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, send)
    timer.start()
    try:
        with contextlib.suppress(KeyboardInterrupt):
            work()
            timer.cancel()
            return [name, "ended before"]
    finally:
        ended = time.perf_counter()
        timer.join()
    return [name, f"{(ended - sent[0]) * 1e3:.0f} ms"]


def interrupt_rows(scale: int) -> list[list[str]]:
    """Long work of every kind. The list is longer than 60 lines because there are many kinds."""
    rng, n = np.random.default_rng(1), 10**9 // scale
    marks = np.arange(n // 10) % 10 == 0
    scores, grades = rng.random(n // 20), (rng.random(n // 20) < 0.3).astype(float)
    strata = (
        [(10**9, 500, 400), (10**9, 300, 100)],
        [(10**9, 1000, 3), (10**8, 100, 1), (5 * 10**8, 2000, 4)],
    )
    post = irb.CountsPosterior(10, 10, 5, tn=9)
    return [
        interrupt_row(name, work, after)
        for name, work, after in (
            (
                f"random_beta, {n:,} draws",
                lambda: irb.distributions.random_beta(0.5, 2.5, n, rng=1),
                1.0,
            ),
            (
                f"hypergeometric_curve, {n // 10:,} cuts",
                lambda: irb.chance.hypergeometric_curve(marks, 10**10, 10**9),
                2.0,
            ),
            (
                "hypergeometric_sf, one tail of 2^50 documents",
                lambda: irb.chance.hypergeometric_sf(2**48 - 10**6, 2**50, 2**49, 2**49),
                0.1,
            ),
            (
                f"prob_superior, {n:,} pairs of draws",
                lambda: irb.prob_superior(post, post, method="monte-carlo", draws=n, rng=1),
                1.0,
            ),
            ("recall_interval, five strata of 10^9", lambda: irb.recall_interval(*strata), 0.02),
            (
                "recall_interval, beta-jeffreys, the same",
                lambda: irb.recall_interval(*strata, method="beta-jeffreys"),
                0.3,
            ),
            (
                f"recall_interval, {n // 10:,} draws",
                lambda: irb.recall_interval(*strata, engine="monte-carlo", draws=n // 10, rng=1),
                1.0,
            ),
            (f"matthews, {n // 10:,} draws", lambda: post.matthews(n // 10, rng=1), 1.0),
            (
                "search_length_distribution, a rank of 10^8",
                lambda: irb.rankings.WeakOrdering([2], [10**8]).search_length_distribution(1),
                0.2,
            ),
            (
                "EP at recall, ceiling, a rank of 10^9",
                lambda: irb.rankings.WeakOrdering([10**6], [10**9]).ep(
                    recall=0.1, interpolation="ceiling"
                ),
                1.0,
            ),
            (
                f"rank_measures, one ranking of {n // 20:,}",
                lambda: irb.rank_measures(scores, grades, MEASURES),
                2.0,
            ),
            (
                "rank_measures, ERR of 100,000 ties",
                lambda: irb.rank_measures(np.zeros(10**5), np.ones(10**5), "ERR(max_rel=100)"),
                1.0,
            ),
        )
    ]


def ctrl_c_row(folder: Path, n_rows: int) -> list[str]:
    """The command line, while it reads a large file and is to write another."""
    write_run(folder / "run", n_rows, 1000)
    output = folder / "out.csv"
    command = [
        sys.executable,
        "-m",
        "irbounds",
        "eval",
        folder / "qrels",
        folder / "run",
        "-o",
        output,
    ]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    time.sleep(1.0)
    if process.poll() is not None:
        process.communicate()
        return [f"`irbounds eval` of {n_rows:,} rows", "ended before"]
    start = time.perf_counter()
    process.send_signal(signal.SIGINT)
    _, error = process.communicate()
    left = " and left a file" if output.exists() else ""
    return [
        f"`irbounds eval` of {n_rows:,} rows",
        f"{(time.perf_counter() - start) * 1e3:.0f} ms: status "
        f"{process.returncode}, {error.strip()!r}{left}",
    ]


def main() -> None:
    """Measure, and write what came out."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    scale = 100 if quick else 1
    header = ["input", "file", "time", "memory before", "peak memory", "end"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        streamed = stream_rows(folder, 50_000_000 // scale, 1000)
        lines = line_rows(folder, 2**30 // scale)
        ctrl_c = ctrl_c_row(folder, 40_000_000 // scale)
    publish(
        [
            "# Load",
            "",
            "Large input and long work. Made by `python benchmarks/load.py`.",
            "",
            machine(["numpy", "scipy"]),
            "",
            f"## `evaluate` of files, {MEASURES}",
            "",
            *table(header, streamed),
            "",
            "Memory of a grouped run is that of its largest query and of the judgments.",
            "",
            "## Input that means harm",
            "",
            *table(header, lines),
            "",
            "## From SIGINT to the end of the work",
            "",
            *table(["work", "time"], [*interrupt_rows(scale), ctrl_c]),
            "",
            "A step of NumPy's, such as a copy of 10^8 numbers, comes to its end first.",
        ],
        "load.md",
        write=not quick,
    )


if __name__ == "__main__":
    main()
