"""Fifty runs of a night: one job against two, and five bad files among them.

    python benchmarks/many_runs.py            # writes benchmarks/results/many_runs.md
    python benchmarks/many_runs.py --quick    # small, to see that it runs

Jobs are timed in turn, so that what else the machine does meets both.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import os
import tempfile
import time
from pathlib import Path

import numpy as np
from timing import machine, publish, table

MEASURES = "AP nDCG@10 P@10 RR R@100"
N_RUNS = 50
ROUNDS = 5
BAD = {
    3: b"",
    11: b"q1 Q0 doc1 1 high t\n",
    24: b"\x1f\x8b\x08\x00\x00",
    37: b"q1 Q0 doc1 1 2.0 t\nq1 Q0 doc1 2 1.0 t\n",
    49: b"PAR1 but no Parquet",
}


def make_runs(folder: Path, n_queries: int, n_documents: int) -> tuple[Path, list[Path]]:
    """Judgments, and runs that rank the same documents in different orders."""
    rng = np.random.default_rng(3)
    docs = [rng.choice(10**6, n_documents, replace=False) for _ in range(n_queries)]
    with (folder / "qrels").open("w") as file:
        for query, own in enumerate(docs):
            for doc in own[rng.random(n_documents) < 0.1]:
                file.write(f"q{query} 0 doc{doc:07} {rng.integers(0, 4)}\n")
    paths = []
    for number in range(N_RUNS):
        path = folder / f"night{number:02}.run"
        with path.open("w") as file:
            for query, own in enumerate(docs):
                scores = np.sort(rng.normal(10, 3, n_documents))[::-1]
                order = rng.permutation(own)
                file.writelines(
                    f"q{query} Q0 doc{doc:07} {rank} {score:.5f} t\n"
                    for rank, (doc, score) in enumerate(zip(order, scores, strict=True), 1)
                )
        paths.append(path)
    return folder / "qrels", paths


def run_command(*arguments: object) -> tuple[int, str]:
    """The exit status and the output of `irbounds` in this process."""
    from irbounds.cli import main

    out, status = io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        try:
            main(list(map(str, arguments)))
        except SystemExit as stop:
            status = int(stop.code or 0)
    return status, out.getvalue()


def survivors(qrels: Path, paths: list[Path], jobs: int) -> tuple[int, int]:
    """The exit status with five bad files, and how many runs have results."""
    kept = {number: paths[number].read_bytes() for number in BAD}
    try:
        for number, content in BAD.items():
            paths[number].write_bytes(content)
        options = "-m", MEASURES, "--keep-going", "--jobs", jobs, "-f", "csv"
        status, text = run_command("eval", qrels, *paths, *options)
        found = [row["run"] for row in csv.DictReader(io.StringIO(text))]
        expected = [path.name for number, path in enumerate(paths) if number not in BAD]
        assert found == expected, "the order of the runs"
        return status, len(found)
    finally:
        for number, content in kept.items():
            paths[number].write_bytes(content)


def time_jobs(qrels: Path, paths: list[Path]) -> dict[int, list[float]]:
    """Seconds of each round, by jobs."""
    import irbounds as irb

    evaluator = irb.Evaluator(qrels, MEASURES)
    runs = {path.name: path for path in paths}
    seconds: dict[int, list[float]] = {1: [], 2: []}
    wanted = evaluator.evaluate_many(runs, jobs=1)
    for _ in range(ROUNDS):
        for jobs, own in seconds.items():
            start = time.perf_counter()
            found = evaluator.evaluate_many(runs, jobs=jobs)
            own.append(time.perf_counter() - start)
            assert all(np.array_equal(found[name].values, wanted[name].values) for name in runs), (
                "the same numbers"
            )
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    n_queries, n_documents = (10, 20) if options.quick else (200, 1000)
    with tempfile.TemporaryDirectory() as name:
        qrels, paths = make_runs(Path(name), n_queries, n_documents)
        seconds = time_jobs(qrels, paths)
        bad = {jobs: survivors(qrels, paths, jobs) for jobs in (1, 2)}
    best = {jobs: min(own) for jobs, own in seconds.items()}
    n_rows = n_queries * n_documents
    rows = [
        [
            str(jobs),
            f"{best[jobs]:.2f}",
            f"{best[jobs] / (N_RUNS * n_rows) * 1e9:.0f}",
            f"{best[1] / best[jobs]:.2f}",
            f"{bad[jobs][1]}, status {bad[jobs][0]}",
        ]
        for jobs in seconds
    ]
    header = ["jobs", "seconds", "ns a row", "times as fast", "results with five bad files"]
    load = f"{os.getloadavg()[0]:.1f}"
    lines = [
        "# Fifty runs",
        "",
        machine(("numpy",)),
        "",
        f"{N_RUNS} TREC files × {n_rows:,} rows; {MEASURES}. The least of {ROUNDS} rounds in turn.",
        f"Load of the machine at the end (two jobs of this benchmark among it): {load}.",
        "",
        *table(header, rows),
        "",
    ]
    publish(lines, "many_runs.md", write=not options.quick)


if __name__ == "__main__":
    main()
