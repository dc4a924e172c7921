"""Data frames and matrices: irbounds, a polars query such as its owner would write, the file, on
one thread.

    python benchmarks/frames.py            # writes benchmarks/results/frames.md
    python benchmarks/frames.py --quick    # small, to see that it runs

Every case works in a process of its own, its frames made before the clock starts.  All must agree
on the means. Memory is the growth of the process over what the frame takes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from timing import best_seconds, machine, publish, table

ONE_THREAD = {"POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
MEASURES = "AP nDCG@10 P@10 RR R@100"
PACKAGES = ("numpy", "polars", "pyarrow", "pandas")
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
    "polars, shuffled rows",
    "top-k matrix, integer ids",
    "top-k matrix, text ids",
    "polars query by hand, text ids",
    "polars query by hand, integer ids",
)


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
    text_ids(run).write_parquet(folder / "text.parquet")


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

    run, qrels = (pl.read_parquet(folder / f"{name}.parquet") for name in ("run", "qrels"))
    if "integer" not in case:
        run, qrels = text_ids(run), text_ids(qrels)
    if "by hand" in case:
        return lambda: by_hand(run, qrels)
    evaluator = irb.Evaluator(qrels, MEASURES, ties="given")
    if case.startswith("top-k"):
        queries = run["query_id"].unique(maintain_order=True).to_list()
        docs, scores = (
            run[name].to_numpy().reshape(len(queries), -1) for name in ("doc_id", "score")
        )
        return lambda: evaluator.evaluate_topk(queries, docs, scores).mean
    if case.startswith("pyarrow"):
        run = run.to_arrow()
    elif case.startswith("pandas"):
        run = run.to_pandas()
        if "objects" in case:
            run = run.astype({"query_id": object, "doc_id": object})
    elif "shuffled" in case:
        run = run.sample(fraction=1, shuffle=True, seed=1)
    elif case.startswith("Parquet"):
        run = folder / ("run.parquet" if "integer" in case else "text.parquet")
    elif case == "CSV file":
        run = folder / "run.csv"
    elif case == "file":
        run = folder / "run"
    return lambda: evaluator.evaluate(run).mean


def measure(case: str, folder: Path) -> dict[str, Any]:
    """Seconds, bytes of memory above the frame's, and means of one case."""
    work = work_of(case, folder)
    base, peak, done = resident(), [0], threading.Event()

    def watch() -> None:
        while not done.wait(0.002):
            peak[0] = max(peak[0], resident())

    watcher = threading.Thread(target=watch)
    watcher.start()
    means = work()
    done.set()
    watcher.join()
    return {
        "seconds": best_seconds(work, repeat=5, clock=time.perf_counter),
        "bytes": max(0, peak[0] - base),
        "means": dict(means),
    }


def resident() -> int:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def run_case(case: str, folder: Path) -> dict[str, Any]:
    """One case in a fresh process."""
    code = (
        f"import sys, json; sys.path.insert(0, {str(Path(__file__).parent)!r}); from pathlib "
        "import Path; "
        f"import frames; print(json.dumps(frames.measure({case!r}, Path({str(folder)!r}))))"
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


def rows_of(n_queries: int, n_documents: int) -> list[list[str]]:
    """The table's rows: nanoseconds a row, their ratio to the file's, bytes a row."""
    n = n_queries * n_documents
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_frames(folder, n_queries, n_documents)
        results = {case: run_case(case, folder) for case in CASES}
    reference = results["file"]["means"]
    rows = []
    for case, found in results.items():
        for measure_name, mean in reference.items():
            if "shuffled" not in case and abs(found["means"][measure_name] - mean) > 1e-9:
                sys.exit(
                    f"{case} has {measure_name} = {found['means'][measure_name]}, the file "
                    f"{mean}: no comparison"
                )
        rows.append(
            [
                case,
                f"{found['seconds'] / n * 1e9:.0f}",
                f"{found['seconds'] / results['file']['seconds']:.2f}",
                f"{found['bytes'] / n:.0f}",
            ]
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    sizes = [(20, 100)] if options.quick else [(100, 100), (1000, 1000), (5000, 1000)]
    lines = [
        "# Data frames and matrices",
        "",
        machine(PACKAGES),
        "",
        f"Measures: {MEASURES}. One thread, one process a case.",
        "",
    ]
    for n_queries, n_documents in sizes:
        lines += [
            f"## {n_queries:,} queries × {n_documents:,} documents",
            "",
            *table(
                ["case", "ns a row", "ratio to the file", "bytes a row"],
                rows_of(n_queries, n_documents),
            ),
            "",
        ]
    publish(lines, "frames.md", write=not options.quick)


if __name__ == "__main__":
    main()
