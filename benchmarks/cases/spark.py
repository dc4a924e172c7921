"""`irbounds.evaluate` and `irbounds.spark` on the same Parquet files, from the files to the means.

Spark has two cores of one machine (`local[2]`); its session is started before.  Times are by the
clock, as its processes go on.  *Rows to Python only* is the least that any evaluation of rows
from Spark can take: a function for `mapInArrow` counts them.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import Any

from cases import Case, Tools, Work, new_folder

MEASURES = "AP nDCG@10 P@10 RR"
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "3g",
    "spark.sql.shuffle.partitions": "16",
}


def session() -> Any:
    """A session on two cores."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def make(folder: Path, rows: int) -> None:
    """A run of 1,000 documents a query; one document in 20 is judged."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng, ids = np.random.default_rng(1), np.arange(rows)
    queries, docs = np.char.mod("q%d", ids // 1000), np.char.mod("document-%d", ids)
    run = pa.table({"query_id": queries, "doc_id": docs, "score": rng.random(rows).round(5)})
    relevance = pa.array(rng.integers(0, 3, rows))
    qrels = run.select(["query_id", "doc_id"]).append_column("relevance", relevance)
    for name, table in (("run", run), ("qrels", qrels.filter(pa.array(rng.random(rows) < 0.05)))):
        (folder / name).mkdir()
        half = len(table) // 2
        pq.write_table(table.slice(0, half), folder / name / "1.parquet")
        pq.write_table(table.slice(half), folder / name / "2.parquet")


def local(folder: Path) -> Work:
    """By `evaluate`."""
    import pyarrow.parquet as pq

    import irbounds

    def work() -> dict[str, float]:
        qrels, run = (pq.read_table(folder / name) for name in ("qrels", "run"))
        return irbounds.evaluate(qrels, run, MEASURES).mean

    return work


def by_spark(folder: Path, way: str) -> Work:
    """By Spark: the rows only, all of it, or by distributed counts."""
    spark = session()
    from irbounds.spark import evaluate

    def count_rows(batches: Any) -> Any:  # here, so that it is pickled with its code
        import pyarrow as pa

        yield pa.RecordBatch.from_pydict({"n": [sum(batch.num_rows for batch in batches)]})

    def work() -> dict[str, float] | None:
        run, qrels = (spark.read.parquet(str(folder / name)) for name in ("run", "qrels"))
        if way == "rows to Python only":
            run.mapInArrow(count_rows, "n long").collect()
            return None
        most = {"max_rows_in_memory": 0} if way == "distributed counts" else {}
        return evaluate(run, qrels, MEASURES, **most).mean

    return work


def tools(quick: bool) -> Tools:
    """All ways."""
    folder = new_folder()
    make(folder, 10**4 if quick else 10**6)
    ways = ("rows to Python only", "spark.evaluate", "distributed counts")
    return {"irbounds": partial(local, folder), **{w: partial(by_spark, folder, w) for w in ways}}


CASES = (Case("10^6 rows", tools, 1e-12, by_clock=True),)
