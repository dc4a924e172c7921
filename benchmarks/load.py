"""Large input: memory and time of a run of 50 million rows, and how soon an interrupt ends long
work.

    python benchmarks/load.py              # needs Linux and 3 GB of disk
    python benchmarks/load.py --quick      # small, to see that it runs
"""

from __future__ import annotations

import contextlib
import importlib
import lzma
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from result_pages import parser_of, publish, table

import irbounds as irb

MEASURES = "AP nDCG@10 P@10 RR"
DEPTH = 1000  # documents a query
GROUP = 1 << 20  # rows of a row group of Parquet
CHILD = """
import sys, time
from pathlib import Path
import irbounds as irb

def peak():
    status = Path("/proc/self/status").read_text().splitlines()
    return next(line.split()[1] for line in status if "VmHWM" in line)

irb.evaluate({"q": {"d": 1}}, {"q": {"d": 1}}, "AP")
before, start = peak(), time.perf_counter()
try:
    irb.evaluate(sys.argv[1], sys.argv[2], sys.argv[3])
    end = "evaluated"
except ValueError as error:
    end = str(error).split(": ")[-1].partition(":")[0]
print(time.perf_counter() - start, before, peak(), end, sep="\\t")
"""


def write_run(path: Path, n_rows: int) -> None:
    """A run grouped by query."""
    names = [f" Q0 doc-{d:07d} {d} {30 / (d + 2):.6f} load\n" for d in range(DEPTH)]
    with path.open("w") as file:
        for query in range(n_rows // DEPTH):
            file.write("".join([f"q{query}{row}" for row in names]))


def write_parquet(path: Path, n_rows: int) -> None:
    """The same rows in row groups of 2^20."""
    pa, parquet = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    names = pa.array([f"doc-{d:07d}" for d in range(DEPTH)])
    scores = pa.array([30 / (d + 2) for d in range(DEPTH)])
    schema = pa.schema({"query_id": pa.string(), "doc_id": pa.string(), "score": pa.float64()})
    step = GROUP // DEPTH
    with parquet.ParquetWriter(path, schema) as file:
        for first in range(0, n_rows // DEPTH, step):
            queries = np.arange(first, min(first + step, n_rows // DEPTH))
            ids = pa.array([f"q{query}" for query in queries])
            columns = (ids.take(pa.array(np.repeat(np.arange(len(queries)), DEPTH))),)
            columns += tuple(pa.concat_arrays([each] * len(queries)) for each in (names, scores))
            file.write_table(pa.table(columns, schema=schema), row_group_size=GROUP)


def write_qrels(path: Path, n_queries: int) -> None:
    """Twenty judgments a query, half of them relevant."""
    with path.open("w") as file:
        for query in range(n_queries):
            docs = ((query * 7 + d * 13) % DEPTH for d in range(20))
            file.writelines(f"q{query} 0 doc-{doc:07d} {i % 2}\n" for i, doc in enumerate(docs))


def measured(name: str, folder: Path) -> list[str]:
    """The file's size, seconds, peak memory before and in all, and how it ended, in a process of
    its own."""
    run = folder / "run"
    command = [sys.executable, "-c", CHILD, folder / "qrels", run, MEASURES]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, before, peak, end = done.stdout.strip().split("\t")
    memory = (f"{int(kilobytes) / 1024:.0f} MB" for kilobytes in (before, peak))
    return [name, f"{run.stat().st_size / 1e9:.2f} GB", f"{float(seconds):.1f} s", *memory, end]


def file_rows(folder: Path, scale: int) -> Iterator[list[str]]:
    """A large run, a tenth of it, and the same with a row out of place, so that it must be held;
    then input that means harm."""
    run, n_rows, n_bytes = folder / "run", 50_000_000 // scale, 2**30 // scale
    write_qrels(folder / "qrels", n_rows // DEPTH)
    write_run(run, n_rows)
    yield measured(f"{n_rows:,} rows, queries of {DEPTH:,}", folder)
    write_run(run, n_rows // 10)
    yield measured("a tenth of it", folder)
    with run.open("a") as file:
        file.write("q0 Q0 one-more 1 0 load\n")
    yield measured("that tenth, not grouped by query: held whole", folder)
    for n_rows in (100_000_000 // scale, 10_000_000 // scale):
        write_parquet(run, n_rows)
        yield measured(f"Parquet, {n_rows:,} rows, {n_rows // DEPTH:,} queries", folder)
    with run.open("wb") as file:
        file.truncate(n_bytes)
    yield measured("NULs", folder)
    with run.open("wb") as file:
        for _ in range(n_bytes // 2**20):
            file.write(b"x" * 2**20)
    yield measured("one line", folder)
    run.write_bytes(lzma.compress(b"q1 Q0 d1 1 1 t\n" * 2**21) * 320)
    yield measured(f"xz of one row {320 * 2**21:,} times", folder)


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


def long_work(scale: int) -> list[tuple[str, Callable[[], object], float]]:
    """Long work of every kind: its name, the call, and when it is interrupted."""
    rng, n = np.random.default_rng(1), 10**9 // scale
    marks = np.arange(n // 10) % 10 == 0
    scores, grades = rng.random(n // 20), (rng.random(n // 20) < 0.3).astype(float)
    more = [(10**9, 1000, 3), (10**8, 100, 1), (5 * 10**8, 2000, 4)]
    strata = [(10**9, 500, 400), (10**9, 300, 100)], more
    post, ties = irb.CountsPosterior(10, 10, 5, tn=9), (np.zeros(10**5), np.ones(10**5))
    by_draws = {"engine": "monte-carlo", "draws": n // 10, "rng": 1}
    of_pairs = {"method": "monte-carlo", "draws": n, "rng": 1}
    ordering, ceiling = irb.rankings.WeakOrdering([2], [10**8]), {"interpolation": "ceiling"}
    large = irb.rankings.WeakOrdering([10**6], [10**9])
    return [
        ("random_beta", lambda: irb.distributions.random_beta(0.5, 2.5, n, rng=1), 1.0),
        (
            "hypergeometric_curve",
            lambda: irb.chance.hypergeometric_curve(marks, 10**10, 10**9),
            2.0,
        ),
        (
            "hypergeometric_sf, 2^50 documents",
            lambda: irb.chance.hypergeometric_sf(2**48 - 10**6, 2**50, 2**49, 2**49),
            0.1,
        ),
        ("prob_superior, draws", lambda: irb.prob_superior(post, post, **of_pairs), 1.0),
        ("recall_interval, five strata", lambda: irb.recall_interval(*strata), 0.02),
        ("the same, draws", lambda: irb.recall_interval(*strata, **by_draws), 1.0),
        (
            "the same, beta-jeffreys",
            lambda: irb.recall_interval(*strata, method="beta-jeffreys"),
            0.3,
        ),
        ("matthews", lambda: post.matthews(n // 10, rng=1), 1.0),
        ("search lengths", lambda: ordering.search_length_distribution(1), 0.2),
        ("EP at recall, ceiling", lambda: large.ep(recall=0.1, **ceiling), 1.0),
        ("rank_measures", lambda: irb.rank_measures(scores, grades, MEASURES), 2.0),
        ("ERR of 100,000 ties", lambda: irb.rank_measures(*ties, "ERR(max_rel=100)"), 1.0),
    ]


def ctrl_c_row(folder: Path, n_rows: int) -> list[str]:
    """The command line, while it reads a large file and is to write another."""
    write_run(folder / "run", n_rows)
    output, name = folder / "out.csv", f"`irbounds eval` of {n_rows:,} rows"
    files = [folder / "qrels", folder / "run", "-o", output]
    command = [sys.executable, "-m", "irbounds", "eval", *files]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    time.sleep(1.0)
    if process.poll() is not None:
        process.communicate()
        return [name, "ended before"]
    start = time.perf_counter()
    process.send_signal(signal.SIGINT)
    _, error = process.communicate()
    took, left = time.perf_counter() - start, " and left a file" if output.exists() else ""
    return [name, f"{took * 1e3:.0f} ms: status {process.returncode}, {error.strip()!r}{left}"]


def main() -> None:
    """Measure, and write what came out."""
    given = parser_of(__doc__).parse_args()
    scale = 100 if given.quick else 1
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = [*file_rows(folder, scale)]
        ctrl_c = ctrl_c_row(folder, 40_000_000 // scale)
    interrupted = [interrupt_row(*each) for each in long_work(scale)]
    header = ["input", "file", "time", "memory before", "peak memory", "end"]
    lines = [
        f"`evaluate` of files, {MEASURES}. Memory of a grouped run is that of its largest query",
        "and of the judgments.",
        "",
        *table(header, files),
        "From SIGINT to the end of the work (a step of NumPy's comes to its end first):",
        "",
        *table(["work", "time"], [*interrupted, ctrl_c]),
    ]
    publish("Load", lines, "load.md", given)


if __name__ == "__main__":
    main()
