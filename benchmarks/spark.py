"""irbounds.evaluate against irbounds.spark on the same Parquet files.

    python benchmarks/spark.py                       # writes benchmarks/results/spark.md
    python benchmarks/spark.py --quick               # small, to see that it runs
    python benchmarks/spark.py --rows 50_000_000     # other sizes; 3 GB of disk for these

Each measurement is a process of its own, and all must agree on the means.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

from timing import machine, publish, table

MEASURES = "AP nDCG@10 P@10 RR"
HERE = str(Path(__file__).resolve())
WAYS = {
    "local": "`evaluate`",
    "scan": "rows to Python only",
    "spark": "`spark.evaluate`",
    "counted": "`max_rows_in_memory=0`",
}
STORED = [(True, 50), (False, 2), (False, 50)]  # text ids, files: of the largest run as well


class Case(NamedTuple):
    """The rows of a run and how they are stored; one query of all where it is `skewed`."""

    rows: int
    files: int = 2
    is_text: bool = True
    skewed: bool = False

    def __str__(self) -> str:
        ids = "text" if self.is_text else "integer"
        return f"{self.rows:,}, {ids} ids, {self.files} files{', one query' * self.skewed}"

    @property
    def name(self) -> str:
        """A name for its folder."""
        return "-".join(map(str, map(int, self)))


def session(memory: str = "3g") -> Any:
    """A session on two cores."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", memory)
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "16",
    }.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def make(folder: Path, case: Case) -> None:
    """A run of 1,000 documents a query (or one query of all), scores with three decimals, 1 in 20
    judged."""
    from pyspark.sql import functions as F  # noqa: N812

    spark = session()
    query = F.lit(0) if case.skewed else (F.col("id") / 1000).cast("long")
    doc = F.col("id")
    if case.is_text:
        query, doc = F.concat(F.lit("q"), query), F.concat(F.lit("document-"), doc)
    documents = spark.range(0, case.rows, 1, case.files).select(
        query.alias("query_id"),
        doc.alias("doc_id"),
        F.round(F.rand(1) * 20, 3).alias("score"),
        F.pmod(F.xxhash64("id"), F.lit(20)).alias("chosen"),
        F.pmod(F.xxhash64("id", F.lit(7)), F.lit(3)).alias("relevance"),
    )
    documents.select("query_id", "doc_id", "score").write.parquet(str(folder / "run"))
    documents.where("chosen = 0").select("query_id", "doc_id", "relevance").write.parquet(
        str(folder / "qrels")
    )


def measure(way: str, folder: Path, repeat: int) -> dict[str, Any]:
    """The shortest time from the files to the means, the least time of processors, the means, and
    the most memory."""
    start = time.perf_counter()
    if way == "local":
        import pyarrow.parquet as pq

        import irbounds

        def work() -> dict[str, float]:
            qrels, run = (pq.read_table(folder / name) for name in ("qrels", "run"))
            return irbounds.evaluate(qrels, run, MEASURES).mean
    else:
        from irbounds.spark import evaluate

        spark = session()

        def work() -> dict[str, float]:
            run, qrels = (spark.read.parquet(str(folder / name)) for name in ("run", "qrels"))
            if way == "scan":
                run.mapInArrow(count_rows, "n long").collect()
                return {}
            most = {"max_rows_in_memory": 0} if way == "counted" else {}
            return evaluate(run, qrels, MEASURES, **most).mean

    ready = time.perf_counter() - start
    peak = Peak()
    seconds, processor = [], []
    for _ in range(repeat):
        start, busy = time.perf_counter(), processor_seconds()
        result = work()
        seconds.append(time.perf_counter() - start)
        processor.append(processor_seconds() - busy)
    return {
        "seconds": min(seconds[1:]),
        "first": seconds[0],
        "first_processor": processor[0],
        "processor": min(processor[1:]),
        "ready": ready,
        "result": result,
        "peak": peak.stop(),
    }


def count_rows(batches: Any) -> Any:
    """For ``mapInArrow``: the number of rows, and nothing else."""
    import pyarrow as pa

    yield pa.RecordBatch.from_pydict({"n": [sum(batch.num_rows for batch in batches)]})


def worker_memory(n_rows: int = 10**6) -> float:
    """Bytes that a Python worker takes for each row of a large query, beside what it has after a
    small one."""
    import resource

    import numpy as np
    import pyarrow as pa

    from irbounds.spark.chunks import ChunkWorker
    from irbounds.spark.records import Columns

    def batches(n: int) -> Any:
        for start in range(0, n, 10_000):
            rows = np.arange(start, min(n, start + 10_000))
            yield pa.record_batch(
                [["q0"] * len(rows), np.char.mod("document-%06d", rows), rows / 7],
                names=["query_id", "doc_id", "score"],
            )

    judged = pa.table({"query_id": ["q0"], "doc_id": ["document-000007"], "relevance": [1]})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, judged.schema) as stream:
        stream.write_table(judged)
    columns = Columns("query_id", "doc_id", "score", None, "query_id", "doc_id", "relevance")
    worker = ChunkWorker(sink.getvalue().to_pybytes(), tuple(MEASURES.split()), {}, n_rows, columns)
    peaks = []
    for n in (10_000, n_rows):
        list(worker(batches(n)))
        peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
    return (peaks[1] - peaks[0]) / n_rows


def family() -> list[Any]:
    """This process and all below it."""
    import psutil

    return [psutil.Process(), *psutil.Process().children(recursive=True)]


def processor_seconds() -> float:
    """Seconds that the processors have spent on them so far."""
    import psutil

    spent = 0.0
    for process in family():
        with contextlib.suppress(psutil.Error):
            spent += sum(process.cpu_times()[:2])
    return spent


class Peak:
    """The largest sum of the resident memory of this process and all below it, in MB, looked at ten
    times a second."""

    def __init__(self) -> None:
        self.most = 0.0
        self.done = threading.Event()
        self.thread = threading.Thread(target=self._watch, daemon=True)
        self.thread.start()

    def _watch(self) -> None:
        import psutil

        while not self.done.wait(0.1):
            memory = 0
            for process in family():
                with contextlib.suppress(psutil.Error):
                    memory += process.memory_info().rss
            self.most = max(self.most, memory / 2**20)

    def stop(self) -> float:
        self.done.set()
        self.thread.join()
        return self.most


def in_process(*arguments: str) -> Any:
    """The output of this script with other arguments; None where it ran out of memory."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", HERE, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode in (-9, 137) or "MemoryError" in done.stderr:
        return None
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def outcome_of(way: str, folder: Path, repeat: int, is_kept: bool) -> Any:
    """What `measure` finds in a process of its own; kept beside the data, or found there."""
    file = folder / f"{way}.json"
    if is_kept and file.exists():
        return json.loads(file.read_text())
    found = in_process("--measure", way, str(folder), str(repeat))
    if is_kept and found is not None:
        file.write_text(json.dumps(found))
    return found


def compare(kept: Path | None, case: Case, repeat: int, ways: list[str]) -> list[str]:
    """One line of the table."""
    with tempfile.TemporaryDirectory() as folder:
        if kept is not None:
            folder = str(kept / case.name)
        if not Path(folder, "qrels").is_dir():
            in_process("--make", folder, *map(str, map(int, case)))
        found = {way: outcome_of(way, Path(folder), repeat, kept is not None) for way in ways}
    known = [outcome["result"] for outcome in found.values() if outcome and outcome["result"]]
    for name, value in known[0].items():
        if any(abs(result[name] - value) > 1e-12 for result in known):
            sys.exit(f"{case}: no agreement on {name}: {[result[name] for result in known]}")
    cells = []
    for way in WAYS:
        outcome = found.get(way)
        cells.append(
            f"{outcome['first']:.1f} s, {outcome['first_processor']:.1f} s; "
            f"{outcome['seconds']:.1f} s, {outcome['processor']:.1f} s; "
            f"{outcome['peak'] / 1024:.1f} GB"
            if outcome
            else ""
        )
    print(
        case,
        cells,
        {way: outcome and (outcome["ready"], outcome["first"]) for way, outcome in found.items()},
        file=sys.stderr,
    )
    times = [found[way]["seconds"] for way in ("spark", "local") if found.get(way)]
    ratio = f"{times[0] / times[1]:.2f}" if len(times) == 2 else ""
    return [str(case), *cells, ratio]


def page(rows: list[list[str]]) -> list[str]:
    """The lines of the page with these rows of its table."""
    return [
        "# Spark",
        "",
        "Runs of 1,000 documents a query, or all of one query, in Parquet; 1 document in 20 "
        f"judged; {MEASURES}; from the files to the means, session started before. A cell has the "
        "first call, which pays for the start of the workers and the compilation in Spark's JVM; "
        "the best of the calls after it; memory of all "
        "processes together, of which Spark's JVM may take 3 GB for its heap. For each call there "
        "are the seconds by the clock and the seconds of processors, the better measure where "
        "others use the machine. Spark has two cores of one machine (`local[2]`), `evaluate` uses "
        "one, and two to decode. *Rows to Python only*: Spark reads the files and gives the rows "
        "to a function for `mapInArrow` that counts them, the least that any evaluation of rows "
        "from Spark can take. *`max_rows_in_memory=0`*: all queries by distributed counts. All "
        "agree on the means to 1e-12. Made by `python benchmarks/spark.py`.",
        "",
        machine(["numpy", "pyspark", "pyarrow"]),
        "",
        *table(["rows", *WAYS.values(), "`spark.evaluate` to `evaluate`, later calls"], rows),
        "",
        "An empty cell was not tried, or ran out of memory. A Python worker took "
        f"{in_process('--worker-memory'):.0f} bytes for each row of a query of a million rows, "
        "with document ids of 15 bytes.",
    ]


def main() -> None:
    """Measure and write the table."""
    if sys.argv[1:2] == ["--make"]:
        rows, files, is_text, skewed = map(int, sys.argv[3:])
        make(Path(sys.argv[2]), Case(rows, files, bool(is_text), bool(skewed)))
        print("null")
        return
    if sys.argv[1:2] == ["--worker-memory"]:
        print(json.dumps(worker_memory()))
        return
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]))))
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="10,000 rows, nothing written")
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000, 10_000_000])
    parser.add_argument(
        "--local-rows", type=int, default=20_000_000, help="do not try more than these in memory"
    )
    parser.add_argument(
        "--counted-rows", type=int, default=10_000_000, help="nor count more than these"
    )
    parser.add_argument(
        "--skewed-rows", type=int, help="rows of one query, 0 for none; the largest of --rows"
    )
    parser.add_argument("--repeat", type=int, default=3, help="calls of each way")
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), default=list(WAYS))
    parser.add_argument(
        "--data", type=Path, help="folder for files and outcomes, kept for the next time"
    )
    arguments = parser.parse_args()
    sizes = [10_000] if arguments.quick else sorted(arguments.rows)
    most = {"local": arguments.local_rows, "counted": arguments.counted_rows}
    skewed = sizes[-1] if arguments.skewed_rows is None else arguments.skewed_rows
    cases = [Case(n) for n in sizes]
    cases += [Case(sizes[-1], files, is_text) for is_text, files in STORED]
    cases += [Case(skewed, skewed=True)] * (skewed > 0)
    rows = [
        compare(
            arguments.data,
            case,
            arguments.repeat,
            [way for way in arguments.ways if case.rows <= most.get(way, case.rows)],
        )
        for case in cases
    ]
    publish(page(rows), "spark.md", write=not arguments.quick)


if __name__ == "__main__":
    main()
