"""Fifty runs of a night: one job, two, pytrec_eval and a polars query, and five bad files.

    python benchmarks/many_runs.py            # writes benchmarks/results/many_runs.md
    python benchmarks/many_runs.py --quick    # small, to see that it runs

Jobs are timed in turn, so that what else the machine does meets both.  The others take one turn
each, on one thread; all must agree on the means.
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

os.environ["POLARS_MAX_THREADS"] = "1"

import numpy as np
from frames import by_hand
from timing import machine, publish, table

from tools import lines_of

MEASURES = "AP nDCG@10 P@10 RR R@100"
N_RUNS = 50
ROUNDS = 5
MOST_APART = 1e-3  # scores of five decimals that tie: each tool breaks them by another rule
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


# Code of a user ----------------------------------------------------------------------------------


def by_irbounds(qrels: Path, runs: dict[str, Path], jobs: int) -> dict[str, list[float]]:
    """All runs, the means of each."""
    import irbounds as irb

    found = irb.Evaluator(qrels, MEASURES).evaluate_many(runs, jobs=jobs)
    return {name: list(found[name].mean.values()) for name in runs}


def by_pytrec_eval(qrels: Path, runs: dict[str, Path]) -> dict[str, list[float]]:
    """A loop over the files, which must all be good."""
    import pytrec_eval

    keys = ["map", "ndcg_cut_10", "P_10", "recip_rank", "recall_100"]
    wanted = {"map", "ndcg_cut.10", "P.10", "recip_rank", "recall.100"}
    with qrels.open() as file:
        judged = pytrec_eval.parse_qrel(file)
    evaluator = pytrec_eval.RelevanceEvaluator(judged, wanted)
    means = {}
    for name, path in runs.items():
        with path.open() as file:
            found = evaluator.evaluate(pytrec_eval.parse_run(file)).values()
        means[name] = [sum(one[key] for one in found) / len(judged) for key in keys]
    return means


def by_polars(qrels: Path, runs: dict[str, Path]) -> dict[str, list[float]]:
    """A query of each file, which must all be good."""
    import polars as pl

    kinds = {"separator": " ", "has_header": False}
    judged = pl.read_csv(qrels, **kinds, new_columns=["query_id", "0", "doc_id", "relevance"])
    columns = ["query_id", "Q0", "doc_id", "rank", "score", "tag"]
    return {
        name: list(by_hand(pl.read_csv(path, **kinds, new_columns=columns), judged).values())
        for name, path in runs.items()
    }


OTHERS = {
    "pytrec_eval, a loop": (by_pytrec_eval,),
    "polars query by hand, a loop": (by_polars, by_hand),
}


def clocks() -> np.ndarray:
    """Seconds by the clock, and of the processors that this process used."""
    return np.array([time.perf_counter(), time.process_time()])


def time_others(qrels: Path, paths: list[Path]) -> dict[str, np.ndarray]:
    """Seconds of the other tools, which must find the same means."""
    runs = {path.name: path for path in paths}
    wanted = by_irbounds(qrels, runs, 1)
    seconds = {}
    for tool, (work, *_) in OTHERS.items():
        start = clocks()
        found = work(qrels, runs)
        seconds[tool] = clocks() - start
        for name in runs:
            assert np.allclose(found[name], wanted[name], rtol=0, atol=MOST_APART), (tool, name)
    return seconds


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


def time_jobs(qrels: Path, paths: list[Path]) -> dict[int, list[np.ndarray]]:
    """Seconds of each round, by jobs."""
    import irbounds as irb

    evaluator = irb.Evaluator(qrels, MEASURES)
    runs = {path.name: path for path in paths}
    seconds: dict[int, list[np.ndarray]] = {1: [], 2: []}
    wanted = evaluator.evaluate_many(runs, jobs=1)
    for _ in range(ROUNDS):
        for jobs, own in seconds.items():
            start = clocks()
            found = evaluator.evaluate_many(runs, jobs=jobs)
            own.append(clocks() - start)
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
        others = time_others(qrels, paths)
    best = {jobs: np.min(own, axis=0) for jobs, own in seconds.items()}
    n_rows = n_queries * n_documents

    def cells(found: np.ndarray) -> list[str]:
        ratios = found / best[1]
        return [
            f"{found[0]:.2f}, {found[1]:.2f}",
            f"{found[1] / (N_RUNS * n_rows) * 1e9:.0f}",
            f"{ratios[0]:.2f}, {ratios[1]:.2f}",
        ]

    rows = [
        [
            f"irbounds, jobs={jobs}",
            *cells(found),
            f"{bad[jobs][1]}, status {bad[jobs][0]}",
            str(lines_of(by_irbounds)),
        ]
        for jobs, found in best.items()
    ]
    rows += [
        [tool, *cells(others[tool]), "none", str(lines_of(*code))] for tool, code in OTHERS.items()
    ]
    header = [
        "",
        "seconds: clock, processors",
        "processor ns a row",
        "times as long as one job: clock, processors",
        "results with five bad files",
        "lines of code",
    ]
    load = f"{os.getloadavg()[0]:.1f}"
    lines = [
        "# Fifty runs",
        "",
        machine(("numpy", "polars", "pytrec-eval-terrier")),
        "",
        f"{N_RUNS} TREC files × {n_rows:,} rows; {MEASURES}. The least of {ROUNDS} rounds in turn; "
        "one of the other tools, which take one thread, and end at the first bad file. Lines of "
        "code are those of `benchmarks/many_runs.py` and `frames.py`, imports among them.",
        f"Load of the machine at the end (this benchmark among it): {load}.",
        "",
        *table(header, rows),
        "",
    ]
    publish(lines, "many_runs.md", write=not options.quick)


if __name__ == "__main__":
    main()
