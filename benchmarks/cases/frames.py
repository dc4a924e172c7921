"""Data frames and matrices beside files, a polars query such as its owner would write, and
ir_measures."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from cases import Case, Tools, Work, new_folder, unchecked

MEASURES = "AP nDCG@10 P@10 RR R@100"
FORMATS = (
    "Parquet file",
    "CSV file",
    "polars",
    "pyarrow",
    "pandas",
    "DuckDB",
    "top-k matrix",
    "shuffled rows",
)
PEER = "ir_measures"


def make_frames(folder: Path, n_queries: int, n_documents: int) -> None:
    """A run and qrels as Parquet, and the same run as files; ids are whole numbers or texts."""
    import polars as pl

    rng = np.random.default_rng(7)
    docs = np.concatenate([rng.choice(10**6, n_documents, replace=False) for _ in range(n_queries)])
    queries = np.repeat(np.arange(n_queries), n_documents)
    each = [np.sort(rng.normal(10, 3, n_documents))[::-1] for _ in range(n_queries)]
    scores = np.concatenate(each).round(5)
    run = pl.DataFrame({"query_id": queries, "doc_id": docs, "score": scores})
    grades = pl.Series("relevance", rng.integers(0, 4, len(docs)))
    qrels = run.select("query_id", "doc_id").with_columns(grades)
    qrels = qrels.filter(pl.Series(rng.random(len(docs)) < 0.1))
    for prefix, change in (("", lambda frame: frame), ("text_", text_ids)):
        change(run).write_parquet(folder / f"{prefix}run.parquet")
        change(qrels).write_parquet(folder / f"{prefix}qrels.parquet")
        change(run).write_csv(folder / f"{prefix}run.csv")
        more = (pl.lit("Q0").alias("Q0"), pl.lit(1).alias("rank"), pl.lit("t").alias("tag"))
        columns = ("query_id", "Q0", "doc_id", "rank", "score", "tag")
        lines = change(run).with_columns(*more).select(*columns)
        lines.write_csv(folder / f"{prefix}run", separator=" ", include_header=False)


def text_ids(frame: Any) -> Any:
    """The same with ids such as q12 and doc0001234."""
    import polars as pl

    return frame.with_columns(
        pl.format("q{}", "query_id").alias("query_id"),
        pl.format("doc{}", pl.col("doc_id").cast(pl.String).str.zfill(7)).alias("doc_id"),
    )


def by_hand(run: Any, qrels: Any, measures: str = MEASURES) -> dict[str, float]:
    """The means as one polars query; it breaks ties by the order of rows."""
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
    gain = pl.col("relevance") / (pl.col("rank") + 1).log(2)
    scores = (
        rows.sort("query_id", "rank")
        .with_columns(pl.int_range(1, pl.len() + 1).over("query_id").alias("found"))
        .group_by("query_id")
        .agg(
            (pl.col("found") / pl.col("rank")).sum().alias("AP"),
            gain.filter(pl.col("rank") <= 10).sum().alias("dcg"),
            (pl.col("rank") <= 10).sum().alias("P"),
            (1 / pl.col("rank").min()).alias("RR"),
            *([(pl.col("rank") <= 100).sum().alias("R")] if "R@100" in measures else []),
        )
    )
    merged = judged.join(ideal, on="query_id").join(scores, on="query_id", how="left").fill_null(0)
    means = (
        merged.select(
            AP=pl.col("AP") / pl.col("n_relevant"),
            nDCG=pl.col("dcg") / pl.col("ideal_dcg"),
            P=pl.col("P") / 10,
            RR="RR",
            **({"R": pl.col("R") / pl.col("n_relevant")} if "R@100" in measures else {}),
        )
        .mean()
        .row(0)
    )
    return dict(zip(measures.split(), means, strict=True))


def evaluated(kind: str, folder: Path, ids: str) -> Work:
    """The evaluator's call, for a run of a kind that is made before."""
    import polars as pl

    import irbounds as irb

    evaluator = irb.Evaluator(
        pl.read_parquet(folder / f"{ids}qrels.parquet"), MEASURES, ties="given"
    )
    run: Any = pl.read_parquet(folder / f"{ids}run.parquet")
    if kind == "top-k matrix":
        queries = run["query_id"].unique(maintain_order=True).to_list()
        each = (run[name].to_numpy().reshape(len(queries), -1) for name in ("doc_id", "score"))
        return partial(topk, evaluator, queries, *each)
    makers = {
        "file": lambda: folder / f"{ids}run",
        "Parquet file": lambda: folder / f"{ids}run.parquet",
        "CSV file": lambda: folder / f"{ids}run.csv",
        "polars": lambda: run,
        "pyarrow": run.to_arrow,
        "pandas": run.to_pandas,
        "DuckDB": lambda: duckdb_relation(run),
        "shuffled rows": lambda: run.sample(fraction=1, shuffle=True, seed=1),
    }
    given = makers[kind]()
    if kind == "shuffled rows":  # ties are in the order of rows
        return unchecked(evaluator.evaluate, given)
    return lambda: evaluator.evaluate(given).mean


def topk(evaluator: Any, *matrices: Any) -> dict[str, float]:
    """The means of a matrix."""
    return evaluator.evaluate_topk(*matrices).mean


def duckdb_relation(run: Any) -> Any:
    """The run in a database in memory; one thread."""
    import duckdb

    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    connection.register("arrow_run", run.to_arrow())
    connection.execute("CREATE TABLE run AS SELECT * FROM arrow_run")
    return connection.table("run")


def by_ir_measures(folder: Path, ids: str) -> Work:
    """The same measures by ir_measures, which breaks ties of 32-bit scores by document id."""
    import ir_measures
    import pandas as pd

    wanted = [ir_measures.parse_measure(name) for name in MEASURES.split()]
    run, qrels = (pd.read_parquet(folder / f"{ids}{name}.parquet") for name in ("run", "qrels"))
    for frame in (run, qrels):
        frame["query_id"] = frame["query_id"].astype(str)
        frame["doc_id"] = frame["doc_id"].astype(str)
    return lambda: {str(m): x for m, x in ir_measures.calc_aggregate(wanted, qrels, run).items()}


def polars_query(folder: Path, ids: str) -> Work:
    """The query by hand."""
    import polars as pl

    run, qrels = (pl.read_parquet(folder / f"{ids}{name}.parquet") for name in ("run", "qrels"))
    return lambda: by_hand(run, qrels)


def formats(quick: bool, ids: str) -> Tools:
    """All formats of one run."""
    folder = new_folder()
    make_frames(folder, *((20, 100) if quick else (1000, 1000)))
    others = {kind: partial(evaluated, kind, folder, ids) for kind in FORMATS}
    return {
        "irbounds, file": partial(evaluated, "file", folder, ids),
        **others,
        "polars query by hand": partial(polars_query, folder, ids),
        PEER: partial(by_ir_measures, folder, ids),
    }


TOOLS = ("irbounds, file", *FORMATS, "polars query by hand")
APART = {**dict.fromkeys(TOOLS, 1e-9), PEER: 0.01}
CASES = (
    Case("10^6 rows, text ids", lambda quick: formats(quick, "text_"), APART),
    Case("10^6 rows, integer ids", lambda quick: formats(quick, ""), APART),
)
