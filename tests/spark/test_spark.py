"""irbounds.spark gives the numbers of irbounds.evaluate, and its errors, with a real session in
local mode.

The file is longer than 400 lines because all tests share one session of Spark.
"""

import math
import os
import re
import shutil
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import irbounds as irb

pyspark = pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Spark needs Java", allow_module_level=True)

import irbounds.spark  # noqa: E402

pytestmark = [
    pytest.mark.long,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]

MEASURES = (
    "AP nDCG@10 P@5 RR Bpref Judged@10 ERR@20 RBP SetF NumRet AP(rel=2) "
    "nDCG(judged_only=True) PRR(recall=0.5)"
)
BINARY = "AP P@5 R@5 F@7 RR Success@2 RBP SetF NumRelRet NumRet Judged@10 AP(rel=2)@20"
RUN, QRELS = (
    "query_id string, doc_id string, score double",
    "query_id string, doc_id string, relevance int",
)


@pytest.fixture(scope="module")
def spark():
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    options = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "3",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "700",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
        "spark.log.level": "OFF",
    }
    builder = SparkSession.builder.master("local[2]")
    for name, value in options.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


class Data:
    """A run and judgments: as dicts, and as frames of Spark."""

    def __init__(self, spark, run, qrels):
        self.run, self.qrels = {}, {}
        for to, rows in ((self.run, run), (self.qrels, qrels)):
            for query, doc, value in rows:
                to.setdefault(query, {})[doc] = value
        names = ["query_id", "doc_id"]
        self.run_df = spark.createDataFrame(pd.DataFrame(run, columns=[*names, "score"]), RUN)
        self.qrels_df = spark.createDataFrame(
            pd.DataFrame(qrels, columns=[*names, "relevance"]), QRELS
        )

    def check(self, measures=MEASURES, local=None, spark=None, **options):
        """Compare with `irbounds.evaluate`, bit for bit."""
        wanted = irb.evaluate(self.qrels, self.run, measures, **options, **(local or {}))
        ev = irbounds.spark.evaluate(
            self.run_df, self.qrels_df, measures, **options, **(spark or {})
        ).persist()
        found = ev.to_evaluation()
        order = np.argsort(wanted.query_ids)
        assert found.measures == wanted.measures
        assert found.query_ids == tuple(wanted.query_ids[i] for i in order)
        for name in ("values", "low", "high", "unjudged_low", "unjudged_high", "judged"):
            ours, theirs = getattr(found, name), getattr(wanted, name)
            assert (ours is None) == (theirs is None)
            if ours is not None:
                np.testing.assert_array_equal(ours, theirs[order])
        assert found.missing_queries == tuple(sorted(wanted.missing_queries))
        assert found.unjudged_queries == tuple(sorted(wanted.unjudged_queries))
        return wanted, ev


def make_rows(n_queries, n_documents, n_judged, seed, levels=40):
    """Scores on few levels, judgments of grades -1 to 3 of which some were not retrieved."""
    rng = np.random.default_rng(seed)
    run, qrels = [], []
    for q in range(n_queries):
        docs = rng.choice(4 * n_documents, n_documents + n_judged // 3, replace=False)
        scores = rng.integers(-levels // 2, levels // 2, n_documents) / 8
        run += [
            (f"q{q}", f"d{doc}", float(score)) for doc, score in zip(docs, scores, strict=False)
        ]
        judged = np.append(
            rng.choice(docs[:n_documents], n_judged, replace=False), docs[n_documents:]
        )
        qrels += [(f"q{q}", f"d{doc}", int(rng.integers(-1, 4))) for doc in judged]
    return run, qrels


@pytest.fixture(scope="module")
def many(spark):
    """40 queries of 1,000 documents with ties: more than a batch of Arrow holds."""
    return Data(spark, *make_rows(40, 1000, 60, seed=1))


@pytest.fixture(scope="module")
def few(spark):
    """A few queries: one missing, one not judged, one without relevant documents, one retrieved
    wholly."""
    run, qrels = make_rows(8, 60, 15, seed=2, levels=12)
    run = [row for row in run if row[0] != "q3"] + [
        ("extra", "d1", 1.0),
        ("none", "d1", -0.0),
        ("none", "d2", 0.0),
        ("all", "a", math.inf),
        ("all", "b", -math.inf),
    ]
    return Data(
        spark,
        run,
        [*qrels, ("none", "d1", 0), ("none", "d9", -1), ("all", "a", 1), ("all", "b", 2)],
    )


COUNTED = {"max_rows_in_memory": 0}


@pytest.mark.parametrize("spark_options", [{}, COUNTED], ids=["in memory", "counted"])
def test_many_queries_equal_the_local_ones(many, spark_options):
    wanted, ev = many.check(bounds=True, spark=spark_options)
    assert ev.mean == wanted.mean
    assert ev.mean_bounds == wanted.mean_bounds
    rows = ev.per_query.where("measure = 'AP'").collect()
    assert len(rows) == 40
    assert {row["query_id"]: row["value"] for row in rows} == pytest.approx(
        dict(zip(wanted.query_ids, wanted["AP"], strict=True)), rel=1e-12
    )


@pytest.mark.parametrize("most_rows", [1_000_000, 7_000, 0])
def test_all_rows_of_one_query(spark, most_rows):
    run, qrels = make_rows(1, 20_000, 400, seed=3, levels=5000)
    wanted, ev = Data(spark, [*run, ("small", "d", 1.0)], [*qrels, ("small", "d", 1)]).check(
        bounds=True, spark={"max_rows_in_memory": most_rows}
    )
    assert ev.mean == wanted.mean


@pytest.mark.parametrize("ties", ["best", "worst", "doc_id"])
@pytest.mark.parametrize("spark_options", [{}, COUNTED], ids=["in memory", "counted"])
def test_tie_rules(few, ties, spark_options):
    few.check(f"{MEASURES} IPrec@0.3", ties=ties, bounds=ties != "best", spark=spark_options)


@pytest.mark.parametrize("spark_options", [{}, COUNTED], ids=["in memory", "counted"])
def test_the_order_given(spark, few, spark_options):
    rows = [
        (query, doc, score, -3 * place)
        for query, docs in few.run.items()
        for place, (doc, score) in enumerate(reversed(docs.items()))
    ]
    few.run_with_order = spark.createDataFrame(rows, f"{RUN}, position long")
    order = few.run_df, few.run_with_order
    try:
        few.run_df = few.run_with_order
        few.check(ties="given", bounds=True, spark={"order_col": "position", **spark_options})
    finally:
        few.run_df = order[0]


@pytest.mark.parametrize(
    "options",
    [
        {"missing": "skip"},
        {"judged_only": True, "bounds": True},
        {"collection_size": 5000, "measures": "Fallout@5 HT@10 ESL(nr=3) ER@7"},
        {"measures": "nDCG(gains={0:1,1:3})@7 nDCG AP NumRet(rel=1) NumRelRet", "bounds": True},
        {"measures": "NumRet"},
        {"score_precision": "float32"},
        {"score_precision": "float32", "spark": {"max_rows_in_memory": 0}},
        {"judged_only": True, "bounds": True, "spark": {"max_rows_in_memory": 0}},
        {"measures": "Fallout@5 HT@10", "collection_size": 5000, "spark": {"broadcast": False}},
        {"score_tolerance": 0.2, "bounds": True},
        {"unjudged": "bounds", "measures": "AP nDCG@5 P@5 RR", "bounds": True},
        {"unjudged": "bounds", "unjudged_hidden": 2, "max_grade": 4, "measures": "AP P@5"},
        {"unjudged": "condensed"},
        {"unjudged": 0.3, "measures": BINARY},
        {"unjudged": 0.3, "measures": BINARY, "ties": "doc_id", "missing": "skip"},
        {"unjudged": 0.7, "measures": BINARY, "score_precision": "float32"},
        {"unjudged": 0.7, "measures": "AP R@5", "score_tolerance": 0.2},
        {"measures": "infAP AP"},
        {"measures": "AP RR", "spark": {"assume_distinct": True, "max_rows_in_memory": 0}},
        {"bounds": True, "spark": {"assume_distinct": True, "broadcast": False}},
    ],
    ids=str,
)
def test_options(few, options):
    few.check(**{"measures": MEASURES, **options})


@pytest.mark.parametrize("ties", ["expected", "given"])
@pytest.mark.parametrize("spark_options", [{}, COUNTED], ids=["in memory", "counted"])
def test_rows_of_chunks(spark, few, ties, spark_options):
    """The best row of each document is kept; of equal ones the first, where they have an order."""
    rng = np.random.default_rng(8)
    rows = [
        (query, doc, score - int(rng.integers(0, 3)) * (copy > 0), int(rng.integers(0, 10**6)))
        for query, documents in few.run.items()
        for doc, score in documents.items()
        for copy in range(int(rng.integers(1, 4)))
    ]
    rows = [rows[i] for i in rng.permutation(len(rows))]
    frame = spark.createDataFrame(rows, "query_id string, doc_id string, score double, at int")
    order = {"order_col": "at"} if ties == "given" else {}
    ranked = sorted(rows, key=lambda row: row[3])
    plain = pd.DataFrame([row[:3] for row in ranked], columns=["query_id", "doc_id", "score"])
    options = {"ties": ties, "duplicates": "best"}
    wanted = irb.evaluate(few.qrels, plain, MEASURES, **options).mean
    found = irbounds.spark.evaluate(
        frame, few.qrels_df, MEASURES, **options, **order, **spark_options
    )
    assert found.mean == pytest.approx(wanted, rel=1e-12)
    for bad, message in (((None,), "no value"), ((math.nan,), "nan")):
        more = spark.createDataFrame([(*rows[0][:2], *bad, 5)], frame.schema)
        faulty = irbounds.spark.evaluate(
            frame.union(more), few.qrels_df, "AP", **options, **order, **spark_options
        )
        with pytest.raises(irb.InputError, match=message):
            _ = faulty.mean


def test_joins_without_broadcast(spark, few):
    """As on a cluster where neither judgments nor scores are small: every join by exchange and
    sort."""
    names = ["spark.sql.autoBroadcastJoinThreshold", "spark.sql.adaptive.enabled"]
    before = [spark.conf.get(name) for name in names]
    try:
        spark.conf.set(names[0], "-1")
        spark.conf.set(names[1], "false")
        few.check(bounds=True, spark={"broadcast": False})
        few.check(bounds=True, ties="doc_id", spark={"assume_distinct": True, **COUNTED})
        few.check(spark={"broadcast": True, **COUNTED})
    finally:
        for name, value in zip(names, before, strict=True):
            spark.conf.set(name, value)


def test_names_and_types_of_columns(spark):
    run = spark.createDataFrame(
        [(1, 10, Decimal(3)), (1, 11, Decimal(3))], "`the query` int, `doc.id` long, s decimal(9,2)"
    )
    qrels = spark.createDataFrame([(1, 11, True)], "`the query` int, `doc.id` long, rel boolean")
    names = {
        "query_col": "the query",
        "doc_col": "doc.id",
        "score_col": "s",
        "relevance_col": "rel",
    }
    ev = irbounds.spark.evaluate(run, qrels, ["RR", "P@1"], bounds=True, **names)
    assert repr(ev) == "SparkEvaluation of RR, P@1, ties expected; not computed yet"
    assert (ev.mean, ev.mean_bounds["RR"]) == ({"RR": 0.75, "P@1": 0.5}, (0.5, 1.0))
    assert "RR   0.7500  in [0.5000, 1.0000]" in repr(ev)
    assert ev.to_evaluation().query_ids == ("1",)


@pytest.mark.parametrize("spark_options", [{}, COUNTED], ids=["in memory", "counted"])
def test_lists_of_queries_and_persisting(few, spark_options):
    ev = irbounds.spark.evaluate(
        few.run_df, few.qrels_df, "AP", missing="skip", **spark_options
    ).persist()
    assert [row["query_id"] for row in ev.missing_queries.collect()] == ["q3"]
    assert [row["query_id"] for row in ev.unjudged_queries.collect()] == ["extra"]
    assert ev.per_query.count() == 9
    assert ev.unpersist() is ev
    with pytest.raises(ValueError, match="there are no bounds"):
        _ = ev.mean_bounds


def test_an_empty_run(spark, few):
    empty = spark.createDataFrame([], RUN)
    for missing in ("zero", "skip"):
        with pytest.raises(irb.InputError, match="run: it has no rows"):
            _ = irbounds.spark.evaluate(empty, few.qrels_df, "AP", missing=missing).mean
    with pytest.raises(irb.InputError, match="`qrels` has no query"):
        _ = irbounds.spark.evaluate(few.run_df, spark.createDataFrame([], QRELS), "AP").mean


Q, R = [("q", "d", 1), ("q", "e", 0)], [("q", "d", 1.0), ("q", "x", 2.0)]


@pytest.mark.parametrize(
    ("run", "qrels", "options", "message"),
    [
        ([*R, ("q", "y", None)], Q, {}, r"column 'score' has no value in a row \(query 'q'\)"),
        ([*R, (None, "y", 1.0)], Q, {}, "column 'query_id' has no value in a row"),
        ([*R, ("q", None, 1.0)], Q, {}, r"column 'doc_id' has no value in a row \(query 'q'\)"),
        (
            [*R, ("q", "y", math.nan)],
            Q,
            {},
            r"run: `score` must be a number; found nan \(query 'q'\)",
        ),
        ([*R, ("q", "x", 2.0)], Q, {}, "run: duplicate document 'x' for query 'q'"),
        (
            [*R, ("q", "it's", 2.0), ("q", "it's", 3.0)],
            Q,
            {},
            "run: duplicate document \"it's\" for query 'q'",
        ),
        (R, [*Q, ("q", "e", 0)], {}, "qrels: duplicate document 'e' for query 'q'"),
        (R, [*Q, ("q", "f", None)], {}, "column 'relevance' has no value in a row"),
        (
            R,
            [*Q, ("r", "f", 1)],
            {"missing": "error"},
            "run: it lacks the judged query 'r' \\(1 such query\\)",
        ),
        (
            [("x", "d", 1.0)],
            Q,
            {},
            "run: none of its queries is judged: it has 'x', the qrels have 'q'",
        ),
        (
            R,
            [("q", "d", 5)],
            {"measures": "ERR"},
            r"ERR: grades go up to 5, above max_rel=4; write ERR\(max_rel=5\)",
        ),
        (
            R,
            Q,
            {"measures": "Fallout@1", "collection_size": 2},
            "run: `collection_size` 2 is less than the 3 documents of query 'q'",
        ),
    ],
)
@pytest.mark.parametrize("spark_options", [{}, COUNTED], ids=["in memory", "counted"])
def test_rows_that_cannot_be_used(spark, run, qrels, options, message, spark_options):
    options = {"measures": "AP", **options, **spark_options}
    ev = irbounds.spark.evaluate(
        spark.createDataFrame(run, RUN), spark.createDataFrame(qrels, QRELS), **options
    )
    with pytest.raises(irb.InputError, match=message) as error:
        _ = ev.mean
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("spark_options", [{}, COUNTED], ids=["in memory", "counted"])
@pytest.mark.parametrize(
    ("run", "options", "message"),
    [
        (
            [*R, ("q", "it's", 2.0), ("q", "it's", 3.0)],
            {},
            "run: duplicate document \"it's\" for query 'q'",
        ),
        ([("x", "d", 1.0)], {"missing": "error"}, "run: it lacks the judged query 'q'"),
    ],
)
def test_rows_that_cannot_be_used_in_a_job_of_the_users(
    spark, run, options, message, spark_options
):
    options = {**options, **spark_options}
    ev = irbounds.spark.evaluate(
        spark.createDataFrame(run, RUN), spark.createDataFrame(Q, QRELS), "AP", **options
    )
    with pytest.raises(irb.InputError) as error, irbounds.spark.input_errors():
        ev.per_query.write.format("noop").mode("overwrite").save()
    assert str(error.value) == message
    with pytest.raises(ZeroDivisionError), irbounds.spark.input_errors():  # not ours
        1 / 0  # noqa: B018


@pytest.mark.parametrize("value", [math.nan, 2.0**31 + 1])
def test_relevance_that_cannot_be_used(spark, value):
    qrels = spark.createDataFrame(
        [("q", "d", value)], "query_id string, doc_id string, relevance double"
    )
    message = (
        "found nan"
        if math.isnan(value)
        else r"expected a number from -2\^31 to 2\^31 .*, found 2147483649"
    )
    with pytest.raises(irb.InputError, match=rf"qrels: .*{message} \(query 'q'\)"):
        _ = irbounds.spark.evaluate(spark.createDataFrame(R, RUN), qrels, "AP").mean


def test_an_order_that_is_none(spark):
    qrels = spark.createDataFrame([("q", "d", 1)], QRELS)
    for rows, message in (
        ([("q", "d", 1.0, 4), ("q", "e", 1.0, 4)], "must tell documents of equal score apart"),
        ([("q", "d", 1.0, None)], "column 'position' has no value in a row"),
    ):
        run = spark.createDataFrame(rows, f"{RUN}, position int")
        with pytest.raises(irb.InputError, match=message):
            _ = irbounds.spark.evaluate(run, qrels, "AP", ties="given", order_col="position").mean
    for name, low in (("P@1", 0.0), ("AP", 0.5)):
        run = spark.createDataFrame(
            [("q", "d", 1.0, 4), ("q", "e", 1.0, -4)], f"{RUN}, position int"
        )
        assert irbounds.spark.evaluate(
            run, qrels, name, ties="given", order_col="position"
        ).mean == {name: low}


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({"run": 7}, {}, "`run_df` must be a PySpark data frame; found int"),
        ({"run": "pandas"}, {}, "`run_df` must be a PySpark data frame; found pandas.DataFrame"),
        (
            {"run": "qrels"},
            {},
            "`run_df` needs the column 'score'; it has query_id, doc_id, relevance",
        ),
        (
            {},
            {"doc_col": "document"},
            "`run_df` needs the column 'document'; it has query_id, doc_id, score",
        ),
        (
            {},
            {"score_col": "doc_id"},
            "`columns` must name different columns; doc_id and score are both 'doc_id'",
        ),
        (
            {},
            {"doc_col": "score", "score_col": "query_id", "query_col": "doc_id"},
            "`run_df`: column '(score' must hold text|query_id' must hold numbers)",
        ),
        ({}, {"measures": "NDGC"}, "unknown measure 'NDGC', did you mean 'nDCG'"),
        ({}, {"measures": "YAAP"}, "no exact expectation over tied orders"),
        ({}, {"ties": "random"}, "`ties` must be one of"),
        (
            {},
            {"ties": "given"},
            "ties='given' needs `order_col`: rows of a Spark data frame have no order",
        ),
        ({}, {"order_col": "score"}, "`order_col` requires ties='given'"),
        ({}, {"unjudged": 1.5}, "`unjudged` must be a probability"),
        (
            {},
            {"unjudged": "bounds", "broadcast": False},
            "unjudged='bounds' needs all of a query's",
        ),
        ({}, {"measures": "infAP", "max_rows_in_memory": 0}, "infAP needs all of a query's rows"),
        ({}, {"max_rows_in_memory": -1}, "`max_rows_in_memory` must be a whole number, 0 or more"),
        (
            {},
            {"order_col": "score", "ties": "given"},
            "column 'score' must hold whole numbers; its type is double",
        ),
    ],
)
def test_what_is_refused_before_any_job(spark, few, change, options, message):
    run = {"qrels": few.qrels_df, 7: 7, "pandas": pd.DataFrame()}.get(change.get("run"), few.run_df)
    with pytest.raises(irb.InputError, match=message):
        irbounds.spark.evaluate(run, few.qrels_df, **{"measures": "AP", **options})


def test_a_stream(spark, few):
    with pytest.raises(irb.InputError, match="`run_df` must not be a stream"):
        irbounds.spark.evaluate(spark.readStream.format("rate").load(), few.qrels_df, "AP")


def test_a_column_that_stands_twice(spark, few):
    twice = few.run_df.select("*", "score")
    with pytest.raises(
        irb.InputError, match="needs the column 'score' once; it has query_id, doc_id, score, score"
    ):
        irbounds.spark.evaluate(twice, few.qrels_df, "AP")


def test_many_queries_in_many_partitions(many):
    """Rows in an order of no kind, where a query has rows in all partitions and many batches."""
    whole = many.run_df
    try:
        many.run_df = whole.repartition(3)
        many.check(bounds=True)
    finally:
        many.run_df = whole


def test_queries_in_many_partitions_are_exchanged(few):
    """Rows in any order: every partition has rows of every query; and one query is too large."""
    whole = few.run_df
    try:
        few.run_df = whole.repartition(3, "doc_id")
        few.check(bounds=True)
        few.check(bounds=True, spark={"max_rows_in_memory": 30})
        few.check("AP infAP", ties="doc_id")
    finally:
        few.run_df = whole


def test_a_document_twice_in_two_partitions(spark, few):
    twice = few.run_df.where("query_id = 'q1'").limit(1)
    run = few.run_df.repartition(1).unionByName(twice)
    for options in ({}, COUNTED):
        ev = irbounds.spark.evaluate(run, few.qrels_df, "AP", **options)
        with pytest.raises(irb.InputError, match=r"run: duplicate document 'd.*' for query 'q1'"):
            _ = ev.mean


def test_queries_without_judgments_are_not_checked(spark):
    """As in `evaluate`, for documents twice and NaN; a row without a value is refused anywhere."""
    fine = [*R, ("other", "d", 1.0), ("other", "d", math.nan)]
    qrels = spark.createDataFrame(Q, QRELS)
    for options in ({}, COUNTED):
        ev = irbounds.spark.evaluate(spark.createDataFrame(fine, RUN), qrels, "RR", **options)
        assert ev.mean == {"RR": 0.5}
        assert [row["query_id"] for row in ev.unjudged_queries.collect()] == ["other"]
        run = spark.createDataFrame([*fine, ("other", None, 1.0)], RUN)
        ev = irbounds.spark.evaluate(run, qrels, "RR", **options)
        with pytest.raises(
            irb.InputError, match=r"run: column 'doc_id' has no value in a row \(query 'other'\)"
        ):
            _ = ev.mean


def test_a_measure_of_ones_own(spark, few):
    def first(grades, n_relevant):
        return float(len(grades) and grades[0] > 0)

    own = irb.define_measure("First", first)
    few.check(["AP", own], ties="doc_id")
    ev = irbounds.spark.evaluate(
        few.run_df.repartition(5), few.qrels_df, own, ties="doc_id", max_rows_in_memory=20
    )
    message = (
        "has more rows than max_rows_in_memory=20, and First needs all of a query's rows in memory"
    )
    with pytest.raises(irb.InputError, match=message):
        _ = ev.mean


def test_names_of_columns_are_known_or_chosen(spark, few):
    run = few.run_df.toDF("qid", "docno", "score")
    qrels = few.qrels_df.toDF("topic", "doc", "label")
    wanted = irb.evaluate(few.qrels, few.run, "AP nDCG@5").mean
    ev = irbounds.spark.evaluate(run, qrels, "AP nDCG@5", columns={"doc_id": "doc"})
    assert ev.mean == wanted
    with pytest.raises(irb.InputError, match="`run_df` needs the column 's'; it has qid, docno"):
        irbounds.spark.evaluate(run, qrels, "AP", columns={"doc_id": "doc", "score": "s"})


def test_bounds_over_labels(few):
    wanted = irb.evaluate(few.qrels, few.run, "AP P@5", unjudged="bounds")
    ev = irbounds.spark.evaluate(few.run_df, few.qrels_df, "AP P@5", unjudged="bounds")
    assert ev.mean_unjudged_bounds == wanted.mean_unjudged_bounds
    row = ev.per_query.where("query_id = 'q1' and measure = 'AP'").collect()[0].asDict()
    place = wanted.query_ids.index("q1")
    assert row == {
        "query_id": "q1",
        "measure": "AP",
        "value": wanted.values[place, 0],
        "low": None,
        "high": None,
        "unjudged_low": wanted.unjudged_low[place, 0],
        "unjudged_high": wanted.unjudged_high[place, 0],
        "judged": wanted.judged[place, 0],
    }


def test_tables_of_probabilities(spark, few, tmp_path):
    """A dict, a file, a frame and a data frame of Spark: of documents retrieved and not, in queries
    that the run lacks too."""
    judged = {(query, doc) for query, docs in few.qrels.items() for doc in docs}
    rows = [
        (query, doc, round(0.05 + 0.9 * math.sin(i) ** 2, 3))
        for query in few.qrels
        for i, doc in enumerate([*list(few.run.get(query, {}))[::3], "new", "newer"])
        if (query, doc) not in judged
    ]
    table = {query: {} for query, _, _ in rows}
    for query, doc, p in rows:
        table[query][doc] = p
    few.check(BINARY, unjudged=table)
    few.check(BINARY, unjudged=table, ties="doc_id", missing="skip")
    path = tmp_path / "probabilities"
    path.write_text("".join(f"{query} 0 {doc} {p}\n" for query, doc, p in rows))
    few.check("AP R@5", unjudged=str(path))
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "probability"])
    few.check("AP R@5", unjudged=frame)
    few.check("AP R@5", local={"unjudged": table}, spark={"unjudged": spark.createDataFrame(frame)})


def test_probabilities_that_are_refused(few):
    def refuse(match, unjudged, measures="AP", **options):
        with pytest.raises(irb.InputError, match=match):
            _ = irbounds.spark.evaluate(
                few.run_df, few.qrels_df, measures, unjudged=unjudged, **options
            ).mean

    refuse("a probability of unjudged documents needs all", 0.5, broadcast=False)
    refuse("more rows than max_rows_in_memory=9", 0.5, max_rows_in_memory=9)
    refuse("query 'q77' is not in the qrels", {"q77": {"d": 0.5}})
    refuse("'unjudged' .* found 2|in \\[0, 1\\]", {"q1": {"new": 2}})
    refuse("is judged", {"all": {"a": 0.5}})
    refuse("Bpref has no exact mean", 0.5, "Bpref")
    refuse("`judged_only` drops", 0.5, judged_only=True)


def test_what_the_guide_shows(spark, few, tmp_path):
    page = Path(__file__).parents[2] / "docs/guides/spark.md"
    if not page.is_file():
        pytest.skip("needs the source tree")
    blocks = re.findall(
        r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    scope = {"run_df": few.run_df, "qrels_df": few.qrels_df}
    assert blocks
    for block in blocks:
        exec(block.replace("per_query.parquet", str(tmp_path / "per_query")), scope)
    assert scope["ev"].mean == pytest.approx(
        irb.evaluate(few.qrels, few.run, scope["ev"].measures).mean, rel=1e-12
    )
