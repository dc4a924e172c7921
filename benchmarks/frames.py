"""Data frames and matrices: irbounds, ir_measures, a polars query such as its owner would write,
and the file, on one thread.

    python benchmarks/frames.py            # writes benchmarks/results/frames.md
    python benchmarks/frames.py --quick    # small, to see that it runs
    python benchmarks/frames.py --processor  # seconds of the processor, where others use it too

Every case works in a process of its own, its frames made before the clock starts.  The case and the
file take turns there, so that what else the machine does meets both; a ratio is the median of the
turns.  All must agree on the means, but ir_measures, which breaks ties of 32-bit scores by document
id.  Memory is the growth of the process over what the frame takes.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from operator import truediv
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from timing import machine, publish, table

ONE_THREAD = {"POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
MEASURES = "AP nDCG@10 P@10 RR R@100"
PACKAGES = ("numpy", "polars", "pyarrow", "pandas", "duckdb", "ir_measures")
CASES = (
    "file",
    "Parquet file, text ids",
    "Parquet file, integer ids",
    "CSV file",
    "polars, text ids",
    "polars, integer ids",
    "pyarrow, text ids",
    "pyarrow, integer ids",
    "pandas, text ids",
    "pandas, integer ids",
    "pandas, Python objects",
    "DuckDB relation, text ids",
    "DuckDB relation, integer ids",
    "polars, shuffled rows",
    "top-k matrix, integer ids",
    "top-k matrix, text ids",
    "top-k matrix, Python objects",
    "top-k matrix, StringDType",
    "polars query by hand, text ids",
    "polars query by hand, integer ids",
    PEER := "ir_measures, pandas frame",
)
MOST_ROWS = 10**6  # of the cases that take a microsecond a row
SLOW = ("CSV file", "pandas, Python objects", "polars, shuffled rows", PEER)


def make_frames(folder: Path, n_queries: int, n_documents: int) -> None:
    """A run and qrels as Parquet, and the same run as a file; ids are whole numbers."""
    import polars as pl

    rng = np.random.default_rng(7)
    docs = np.concatenate([rng.choice(10**6, n_documents, replace=False) for _ in range(n_queries)])
    queries = np.repeat(np.arange(n_queries), n_documents)
    scores = np.concatenate(
        [np.sort(rng.normal(10, 3, n_documents))[::-1] for _ in range(n_queries)]
    )
    run = pl.DataFrame({"query_id": queries, "doc_id": docs, "score": scores.round(5)})
    judged = rng.random(len(docs)) < 0.1
    grades = rng.integers(0, 4, len(docs))
    qrels = (
        run.select("query_id", "doc_id")
        .with_columns(pl.Series("relevance", grades))
        .filter(pl.Series(judged))
    )
    run.write_parquet(folder / "run.parquet")
    qrels.write_parquet(folder / "qrels.parquet")
    lines = text_ids(run).select(
        "query_id",
        pl.lit("Q0"),
        "doc_id",
        pl.lit(1).alias("rank"),
        "score",
        pl.lit("t").alias("tag"),
    )
    lines.write_csv(folder / "run", separator=" ", include_header=False)
    text_ids(run).write_csv(folder / "run.csv")
    text_ids(run).write_parquet(folder / "text_run.parquet")
    text_ids(qrels).write_parquet(folder / "text_qrels.parquet")


def text_ids(frame: Any) -> Any:
    """The same with ids such as q12 and doc0001234."""
    import polars as pl

    return frame.with_columns(
        pl.format("q{}", "query_id").alias("query_id"),
        pl.format("doc{}", pl.col("doc_id").cast(pl.String).str.zfill(7)).alias("doc_id"),
    )


def by_hand(run: Any, qrels: Any) -> dict[str, float]:
    """The five means as one polars query; it breaks ties by the order of rows."""
    import polars as pl

    judged = qrels.group_by("query_id").agg(
        (pl.col("relevance") > 0).sum().alias("n_relevant"),
        pl.col("relevance").clip(0).sort(descending=True).head(10).alias("ideal"),
    )
    ideal = (
        judged.explode("ideal")
        .with_columns(pl.int_range(pl.len()).over("query_id").alias("i"))
        .group_by("query_id")
        .agg((pl.col("ideal") / (pl.col("i") + 2).log(2)).sum().alias("ideal_dcg"))
    )
    rows = (
        run.sort("query_id", "score", descending=[False, True], maintain_order=True)
        .with_columns(pl.int_range(1, pl.len() + 1).over("query_id").alias("rank"))
        .join(qrels, on=["query_id", "doc_id"], how="left")
        .with_columns(pl.col("relevance").fill_null(0).clip(0))
        .filter(pl.col("relevance") > 0)
    )
    scores = (
        rows.sort("query_id", "rank")
        .with_columns(pl.int_range(1, pl.len() + 1).over("query_id").alias("found"))
        .group_by("query_id")
        .agg(
            (pl.col("found") / pl.col("rank")).sum().alias("AP"),
            (pl.col("relevance") / (pl.col("rank") + 1).log(2))
            .filter(pl.col("rank") <= 10)
            .sum()
            .alias("dcg"),
            (pl.col("rank") <= 10).sum().alias("P"),
            (1 / pl.col("rank").min()).alias("RR"),
            (pl.col("rank") <= 100).sum().alias("R"),
        )
    )
    merged = judged.join(ideal, on="query_id").join(scores, on="query_id", how="left").fill_null(0)
    means = (
        merged.select(
            AP=pl.col("AP") / pl.col("n_relevant"),
            nDCG=pl.col("dcg") / pl.col("ideal_dcg"),
            P=pl.col("P") / 10,
            RR="RR",
            R=pl.col("R") / pl.col("n_relevant"),
        )
        .mean()
        .row(0)
    )
    return dict(zip(MEASURES.split(), means, strict=True))


def work_of(case: str, folder: Path) -> Callable[[], dict[str, float]]:
    """The calls that are timed."""
    import polars as pl

    import irbounds as irb

    ids = "" if "integer" in case else "text_"
    qrels = pl.read_parquet(folder / f"{ids}qrels.parquet")
    if "file" not in case:
        run = pl.read_parquet(folder / f"{ids}run.parquet")
    if "by hand" in case:
        return lambda: by_hand(run, qrels)
    if case == PEER:
        return by_ir_measures(run.to_pandas(), qrels.to_pandas())
    evaluator = irb.Evaluator(qrels, MEASURES, ties="given")
    if case.startswith("top-k"):
        queries = run["query_id"].unique(maintain_order=True).to_list()
        docs, scores = (
            run[name].to_numpy().reshape(len(queries), -1) for name in ("doc_id", "score")
        )
        if case.endswith("objects"):
            docs = scattered(docs)
        elif case.endswith("StringDType"):
            docs = docs.astype(np.dtypes.StringDType())
        return lambda: evaluator.evaluate_topk(queries, docs, scores).mean
    if case.startswith("pyarrow"):
        run = run.to_arrow()
    elif case.startswith("pandas"):
        run = run.to_pandas()
        if "objects" in case:
            run = run.astype({"query_id": object, "doc_id": object})
    elif case.startswith("DuckDB"):
        run = duckdb_relation(run)
    elif "shuffled" in case:
        run = run.sample(fraction=1, shuffle=True, seed=1)
    elif case.startswith("Parquet"):
        run = folder / f"{ids}run.parquet"
    elif case == "CSV file":
        run = folder / "run.csv"
    elif case == "file":
        run = folder / "run"
    return lambda: evaluator.evaluate(run).mean


def scattered(docs: np.ndarray) -> np.ndarray:
    """Objects with these texts, which lie in memory in another order."""
    found = np.empty(docs.size, object)
    texts = docs.ravel().tolist()
    for place in np.random.default_rng(5).permutation(docs.size).tolist():
        found[place] = "".join([texts[place], ""])
    return found.reshape(docs.shape)


def duckdb_relation(run: Any) -> Any:
    """The run in a database in memory; one thread."""
    import duckdb

    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    connection.register("arrow_run", run.to_arrow())
    connection.execute("CREATE TABLE run AS SELECT * FROM arrow_run")
    return connection.table("run")


def by_ir_measures(run: Any, qrels: Any) -> Callable[[], dict[str, float]]:
    """The same measures by ir_measures."""
    import ir_measures

    wanted = [ir_measures.parse_measure(name) for name in MEASURES.split()]
    run["query_id"] = run["query_id"].astype(str)

    def work() -> dict[str, float]:
        found = ir_measures.calc_aggregate(wanted, qrels, run)
        return {str(measure): mean for measure, mean in found.items()}

    return work


def lines_of(case: str) -> int:
    """Lines of code: an evaluator and a call of it, or the query."""
    return len(inspect.getsource(by_hand).splitlines()) if "by hand" in case else 2


def measure(case: str, folder: Path, clock: str, turns: int) -> dict[str, Any]:
    """Seconds of the case and of the file in each turn, bytes of memory above the frame's, and
    means."""
    work, file_work = work_of(case, folder), work_of("file", folder)
    base, peak, done = resident(), [0], threading.Event()

    def watch() -> None:
        while not done.wait(0.002):
            peak[0] = max(peak[0], resident())

    watcher = threading.Thread(target=watch)
    watcher.start()
    means = work()
    done.set()
    watcher.join()
    seconds: dict[str, list[float]] = {"case": [], "file": []}
    now = getattr(time, clock)
    for _ in range(turns):
        for name, each in (("file", file_work), ("case", work)):
            start = now()
            each()
            seconds[name].append(now() - start)
    return {**seconds, "bytes": max(0, peak[0] - base), "means": dict(means)}


def resident() -> int:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def run_case(case: str, folder: Path, clock: str, turns: int) -> dict[str, Any]:
    """One case in a fresh process."""
    code = (
        f"import sys, json; sys.path.insert(0, {str(Path(__file__).parent)!r}); from pathlib "
        "import Path; "
        "import frames; "
        f"print(json.dumps(frames.measure({case!r}, Path({str(folder)!r}), {clock!r}, {turns})))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env={**os.environ, **ONE_THREAD},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{case} failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def rows_of(n_queries: int, n_documents: int, clock: str) -> list[list[str]]:
    """The table's rows: nanoseconds a row, their ratio to the file's, bytes a row."""
    n = n_queries * n_documents
    turns = 5 if n <= 10**6 else 3
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_frames(folder, n_queries, n_documents)
        cases = [case for case in CASES if case not in SLOW or n <= MOST_ROWS]
        results = {case: run_case(case, folder, clock, turns) for case in cases}
    reference = results["file"]["means"]
    rows = []
    for case, found in results.items():
        for measure_name, mean in reference.items():
            # ties of the others are in the order of rows; those of the peer by document id
            allowed = {PEER: 0.01, "polars, shuffled rows": 1.0}.get(case, 1e-9)
            if abs(found["means"][measure_name] - mean) > allowed:
                sys.exit(
                    f"{case} has {measure_name} = {found['means'][measure_name]}, the file "
                    f"{mean}: no comparison"
                )
        rows.append(
            [
                case,
                f"{min(found['case']) / n * 1e9:.0f}",
                f"{median(map(truediv, found['case'], found['file'])):.2f}",
                f"{found['bytes'] / n:.0f}",
                str(lines_of(case)),
            ]
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--processor", action="store_true", help="seconds of the processor")
    options = parser.parse_args()
    clock = "process_time" if options.processor else "perf_counter"
    timed = (
        "Seconds of the processor, all threads: other work was on the machine."
        if options.processor
        else "Seconds by the clock."
    )
    sizes = [(20, 100)] if options.quick else [(1000, 1000), (10_000, 1000)]
    lines = [
        "# Data frames and matrices",
        "",
        machine(PACKAGES),
        "",
        f"Measures: {MEASURES}. One thread, one process a case, in which the case and the file "
        f"take turns: the time is the least, the ratio the median of the turns. {timed} Bytes a "
        "row are the growth of the process beside the frame. Made by `python "
        f"benchmarks/frames.py{' --processor' * options.processor}`.",
        "",
    ]
    for n_queries, n_documents in sizes:
        lines += [
            f"## {n_queries:,} queries × {n_documents:,} documents",
            "",
            *table(
                ["case", "ns a row", "ratio to the file", "bytes a row", "lines of code"],
                rows_of(n_queries, n_documents, clock),
            ),
            "",
        ]
    publish(lines, "frames.md", write=not options.quick)


if __name__ == "__main__":
    main()
