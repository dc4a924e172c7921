"""Frames of Spark that are Parquet files give what `irbounds.evaluate` gives, whoever reads the
files."""

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
import irbounds.spark.parquet_files as parquet_files_module  # noqa: E402
from irbounds.spark.in_memory import InMemory, judgment_files  # noqa: E402
from irbounds.spark.parquet_files import (  # noqa: E402
    ParquetFiles,
    Piece,
    judgments_of,
    parquet_files,
)

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


def reads_files(ev):
    """Whether the tasks read the files, and whether the driver read those of the judgments."""
    request = ev._request
    in_memory = InMemory(request, pa.table(rows()[1]))
    files = judgment_files(request)
    return in_memory._files is not None, files is not None and judgments_of(files) is not None


@pytest.mark.parametrize("ids", [str, int], ids=["text", "integer"])
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
    assert reads_files(check(*frames, run, qrels)) == (True, True)
    assert check(*frames, run, qrels, max_rows_in_memory=20)


def test_other_plans_go_through_spark(spark, tmp_path):
    from pyspark.sql import functions as F  # noqa: N812

    run, qrels = rows()
    both = run.append_column("more", pa.array(np.arange(run.num_rows)))
    frame = spark.read.parquet(write(tmp_path / "run", both))
    judged = spark.read.parquet(write(tmp_path / "qrels", qrels))
    for chosen, is_read in (
        (frame, True),
        (frame.select("score", "doc_id", "query_id"), True),
        (frame.drop("more"), True),
        (frame.where(F.col("more") >= 0), False),
        (frame.withColumn("score", F.col("score") + 0), False),
        (frame.withColumnRenamed("doc_id", "docno"), True),
        (
            frame.select(
                F.col("query_id").alias("doc_id"), F.col("doc_id").alias("q"), "score"
            ).select(F.col("doc_id").alias("query_id"), F.col("q").alias("doc_id"), "score"),
            True,
        ),
        (frame.withColumn("more", F.col("more") + 1), True),
        (frame.withColumn("doc_id", F.col("doc_id").cast("binary").cast("string")), False),
        (frame.limit(10**6), False),
        (frame.union(frame.where("more < 0")), False),
        (frame.repartition(2), False),
    ):
        assert reads_files(check(chosen, judged, run, qrels))[0] == is_read


def test_workers_that_cannot_read_the_judgments(spark, tmp_path, monkeypatch):
    """Files that only the driver has: the judgments are sent, and Spark reads the run."""
    run, qrels = rows()
    judged = spark.read.parquet(write(tmp_path / "qrels", qrels))
    frame = spark.read.parquet(write(tmp_path / "run", run))
    elsewhere = ParquetFiles((str(tmp_path / "none"),), (("query_id", "string"),))
    monkeypatch.setattr(InMemory, "judgment_files", property(lambda self: elsewhere, set_nothing))
    check(frame, judged, run, qrels)


def set_nothing(self, value):
    """For a property that keeps what it is."""


def test_files_that_spark_must_read(spark, tmp_path):
    """Another type in one file, columns that are no columns of the files."""
    run, qrels = rows()
    judged = spark.read.parquet(write(tmp_path / "qrels", qrels))
    folder = tmp_path / "types"
    write(folder, run)
    narrow = run.slice(0, 400).set_column(0, "query_id", run["query_id"][:400].cast(pa.binary()))
    pq.write_table(narrow, folder / "p 0%20.parquet")
    pq.write_table(run.slice(400, 100), folder / "p 00.parquet")
    schema = "query_id string, doc_id string, score double"
    check(spark.read.schema(schema).parquet(str(folder)), judged, run, qrels)
    spark.read.parquet(write(tmp_path / "flat", run)).write.partitionBy("query_id").parquet(
        str(tmp_path / "parted")
    )
    schema = "doc_id string, score double, query_id string"
    parted = spark.read.schema(schema).parquet(str(tmp_path / "parted"))
    assert parquet_files(parted, ["query_id", "doc_id", "score"]) is None
    check(parted, judged, run, qrels)


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
@pytest.mark.parametrize("ids", [str, int], ids=["text", "integer"])
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
    """The driver reads them while the tasks work; these must not fail, and be repeated, first."""
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


def test_pieces_hold_all_rows_once(tmp_path):
    run, _ = rows()
    write(tmp_path / "run", run, 4, group=60)
    paths = tuple(sorted(map(str, (tmp_path / "run").iterdir())))
    files = ParquetFiles(paths, (("doc_id", "string"), ("score", "double")))
    assert files.n_rows == run.num_rows
    for n in (1, 2, 3, 7, 100):
        tasks = files.tasks(n)
        assert len(tasks) == min(n, len(tasks))
        batches = [batch for pieces in tasks for batch in files.batches(pieces)]
        found = pa.Table.from_batches(batches)
        assert found.column("doc_id").to_pylist() == run.column("doc_id").to_pylist()
    assert files.tasks(1) == [[Piece(path, 0, len_of(path)) for path in paths]]


def files_of(folder, kind):
    paths = tuple(sorted(map(str, folder.iterdir())))
    return ParquetFiles(paths, (("query_id", kind), ("doc_id", kind)))


@pytest.mark.parametrize(("ids", "kind"), [(int, "long"), (str, "string")])
def test_tasks_read_judgments_of_their_queries(tmp_path, ids, kind):
    """The row groups whose queries lie among those of the pieces, by the footers."""
    run, qrels = rows(ids)
    order = [("query_id", "ascending")]
    write(tmp_path / "run", run.sort_by(order), 4, group=60)
    write(tmp_path / "qrels", qrels.sort_by(order), 3, group=20)
    files, judged = (files_of(tmp_path / name, kind) for name in ("run", "qrels"))
    tasks = files.tasks(4)
    needed = judged.beside(tasks, files)
    assert len(needed) == len(tasks) > 1
    for pieces, own in zip(tasks, needed, strict=True):
        queries = {query for batch in files.batches(pieces) for query in ids_of(batch)}
        kept = [query for batch in judged.batches(own.pieces) for query in ids_of(batch)]
        every = [query for query in qrels["query_id"].to_pylist() if query in queries]
        assert sorted(query for query in kept if query in queries) == sorted(every)
        assert len(kept) < qrels.num_rows  # not all
    other = ParquetFiles(judged.paths, (("query_id", "long" if kind == "string" else "string"),))
    assert other.beside(tasks, files) == [other] * len(tasks)  # ids that compare as they look


def ids_of(batch):
    return batch.column(0).to_pylist()


@pytest.mark.parametrize("statistics", [False, ["doc_id"]])
def test_footers_that_do_not_tell(tmp_path, statistics):
    run, qrels = rows()
    write(tmp_path / "run", run, write_statistics=statistics)
    write(tmp_path / "qrels", qrels)
    files, judged = (files_of(tmp_path / name, "string") for name in ("run", "qrels"))
    for own in judged.beside(files.tasks(2), files):
        assert sum(batch.num_rows for batch in judged.batches(own.pieces)) == qrels.num_rows


def test_footers_that_are_wrong(spark, tmp_path, monkeypatch):
    """A task without the judgments of its queries: Spark reads the files."""
    run, qrels = rows()
    frames = [
        spark.read.parquet(write(tmp_path / name, table.sort_by("query_id"), 4))
        for name, table in (("run", run), ("qrels", qrels))
    ]
    right = parquet_files_module._groups_of

    def wrong(path, column):
        for group in right(path, column):
            yield group._replace(least=b"q", greatest=b"q") if "qrels" in path else group

    monkeypatch.setattr(parquet_files_module, "_groups_of", wrong)
    check(*frames, run.sort_by("query_id"), qrels)


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


def len_of(path):
    return pq.read_metadata(path).num_row_groups
