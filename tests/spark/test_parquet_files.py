"""Frames of Spark that are Parquet files give what `irbounds.evaluate` gives."""

import os
import shutil
import sys

import numpy as np
import pytest
from sizes import nightly

import irbounds as irb

pyspark = pytest.importorskip("pyspark")
pa = pytest.importorskip("pyarrow")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Spark needs Java", allow_module_level=True)

import pyarrow.compute as pc  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402

import irbounds.spark  # noqa: E402

pytestmark = [
    pytest.mark.long,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]
MEASURES = "AP nDCG@10 P@5 RR Bpref"
N_QUERIES, N_DOCUMENTS = 30, 50


@pytest.fixture(scope="module")
def spark():
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "3",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "1g",
        "spark.log.level": "OFF",
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


def rows(ids=str):
    """A run with ties and judgments, grouped by query."""
    rng = np.random.default_rng(5)
    docs = [rng.choice(400, N_DOCUMENTS, replace=False) for _ in range(N_QUERIES)]
    run = {
        "query_id": pa.array([ids(q) for q in np.repeat(range(N_QUERIES), N_DOCUMENTS)]),
        "doc_id": pa.array([ids(doc) for doc in np.concatenate(docs)]),
        "score": pa.array(rng.integers(-9, 9, N_QUERIES * N_DOCUMENTS) / 4),
    }
    judged = rng.random(N_QUERIES * N_DOCUMENTS) < 0.2
    qrels = {
        "query_id": run["query_id"].filter(pa.array(judged)),
        "doc_id": run["doc_id"].filter(pa.array(judged)),
        "relevance": pa.array(rng.integers(0, 3, judged.sum()).astype(np.int32)),
    }
    return pa.table(run), pa.table(qrels)


def write(folder, table, n_files=3, group=170, **options):
    """Files and row groups whose ends cut queries."""
    folder.mkdir()
    step = -(-table.num_rows // n_files)
    for number in range(n_files):
        part = table.slice(number * step, step)
        pq.write_table(part, folder / f"p {number}%20.parquet", row_group_size=group, **options)
    return str(folder)


def check(spark_run, spark_qrels, run, qrels, **options):
    wanted = irb.evaluate(qrels, run, MEASURES, bounds=True)
    ev = irbounds.spark.evaluate(spark_run, spark_qrels, MEASURES, bounds=True, **options)
    found = ev.to_evaluation()
    order = np.argsort(wanted.query_ids)
    assert found.query_ids == tuple(wanted.query_ids[i] for i in order)
    for name in ("values", "low", "high"):
        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name)[order])
    return ev


@pytest.mark.parametrize("ids", [str, nightly(int)], ids=["text", "integer"])
@pytest.mark.parametrize("order", ["grouped", "shuffled"])
@pytest.mark.parametrize("n_files", [nightly(1), 3, nightly(70)])
def test_files_give_the_local_values(spark, tmp_path, ids, order, n_files):
    run, qrels = rows(ids)
    if order == "shuffled":
        run = run.take(np.random.default_rng(1).permutation(run.num_rows))
    frames = [
        spark.read.parquet(write(tmp_path / "run", run, n_files)),
        spark.read.parquet(write(tmp_path / "qrels", qrels, 2)),
    ]
    check(*frames, run, qrels)
    check(*frames, run, qrels, max_rows_in_memory=20)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("score", None, "run: column 'score' has no value in a row"),
        ("doc_id", None, "run: column 'doc_id' has no value in a row"),
        ("query_id", None, "run: column 'query_id' has no value in a row"),
        ("score", float("nan"), "run: `score` must be a number; found nan"),
        ("doc_id", "twice", "run: duplicate document '"),
        ("relevance", None, "qrels: column 'relevance' has no value in a row"),
        ("relevance", float("inf"), "qrels: expected a number from -2\\^31 to 2\\^31"),
    ],
)
@pytest.mark.parametrize("ids", [str, nightly(int)], ids=["text", "integer"])
def test_rows_that_cannot_be_used(spark, tmp_path, name, value, message, ids):
    run, qrels = rows(ids)
    tables = {"run": run, "qrels": qrels}
    which = "qrels" if name == "relevance" else "run"
    place = tables[which].column_names.index(name)
    values = tables[which].column(place).to_pylist()
    values[17] = values[18] if value == "twice" else value
    kind = pa.float64() if name == "relevance" else tables[which].schema.field(place).type
    tables[which] = tables[which].set_column(place, name, pa.array(values, kind))
    frames = [spark.read.parquet(write(tmp_path / key, table)) for key, table in tables.items()]
    with pytest.raises(irb.InputError, match=message):
        irbounds.spark.evaluate(*frames, MEASURES).mean  # noqa: B018


def test_judgments_that_cannot_be_used_fail_no_task(spark, tmp_path):
    """They are refused before the job, so that no task fails and is repeated first."""
    run, qrels = rows()
    qrels = pa.concat_tables([qrels, qrels.slice(3, 1)])
    frames = [spark.read.parquet(write(tmp_path / "run", run, 2, group=60))]
    frames.append(spark.read.parquet(write(tmp_path / "qrels", qrels)))
    spark.sparkContext.setJobGroup("judgments", "of files")
    with pytest.raises(irb.InputError, match="qrels: duplicate document '"):
        irbounds.spark.evaluate(*frames, MEASURES).mean  # noqa: B018
    tracker = spark.sparkContext.statusTracker()
    jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup("judgments")]
    assert [job.status for job in jobs] == ["SUCCEEDED"] * len(jobs)
    spark.sparkContext.setLocalProperty("spark.jobGroup.id", None)


def test_judgments_in_files_of_other_queries(spark, tmp_path):
    """Queries of one table alone, and tasks without judgments."""
    run, qrels = (table.sort_by("query_id") for table in rows())
    first = sorted(set(run["query_id"].to_pylist()))[:9]
    qrels = qrels.filter(pc.is_in(qrels["query_id"], pa.array(first)))
    more = {"query_id": ["zz", "!"], "doc_id": ["1", "2"], "relevance": np.int32([1, 1])}
    qrels = pa.concat_tables([qrels, pa.table(more)]).sort_by("query_id")
    frames = [
        spark.read.parquet(write(tmp_path / name, table, 5, group=30))
        for name, table in (("run", run), ("qrels", qrels))
    ]
    ev = check(*frames, run, qrels)
    assert ev.to_evaluation().missing_queries == ("!", "zz")
