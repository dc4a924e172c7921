"""The part that Spark itself computes: of each ranking it keeps the marks, and counts the documents
between them.

A measure depends on few documents, the marks (see `irbounds.rankings.evaluating.rank_counts`).  A
join of the run with the judgments finds their scores.  Then every document of the run is counted,
where it is read, at its place among the scores of its query's marks.  The data for the kernel does
not grow with the ranking, so a ranking can have any length, and no ranking is sorted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from irbounds.spark.frames import F
from irbounds.spark.records import RECORD, Part

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def records(
    run: DataFrame,
    qrels: DataFrame,
    ties: str,
    mark_level: float,
    assume_distinct: bool,
    broadcast: bool,
) -> DataFrame:
    """The records of all queries, grouped by query, in the order of the ranking.

    run, qrels : the results of `run_rows` and `qrels_rows`.
    """
    if not assume_distinct:  # one exchange, which serves the marks and the places
        run = run.repartition("query_id", "doc_id")
    both = ranked(run, qrels, ties, mark_level, assume_distinct, broadcast).unionByName(
        judged(qrels)
    )
    return both.repartition("query_id").sortWithinPartitions(
        "query_id", "part", F.col("place").desc(), F.col("key").desc(), "doc_id"
    )


def judged(qrels: DataFrame) -> DataFrame:
    """The number of documents of each query and grade."""
    documents = qrels.groupBy("query_id", "doc_id").agg(
        F.max("grade").alias("grade"), F.max("bad").alias("bad"), F.count(F.lit(1)).alias("n")
    )
    part = _part(Part.JUDGED, Part.QRELS_TWICE)
    return _count(
        # Judgments have no place in a ranking: counts by grade, in the same columns.
        documents.select(
            "query_id",
            part.alias("part"),
            _nothing("place"),
            _nothing("key"),
            "grade",
            _duplicate(part),
        )
    )


def ranked(
    run: DataFrame,
    qrels: DataFrame,
    ties: str,
    mark_level: float,
    assume_distinct: bool,
    broadcast: bool,
) -> DataFrame:
    """The number of documents of each query at each place among its marks."""
    has_key = ties in ("doc_id", "given")
    key = [_key(ties)] if has_key else []
    # An inner join: documents with a label that matters, and no other row of the run.
    marks = _marks(
        run.join(
            qrels.where(F.col("grade") >= mark_level).select("query_id", "doc_id"),
            ["query_id", "doc_id"],
        ),
        key,
    )
    if assume_distinct:
        documents = run.withColumn("n", F.lit(1))
    else:
        columns = [
            F.max(name).alias(name) for name in run.columns if name not in ("query_id", "doc_id")
        ]
        documents = run.groupBy("query_id", "doc_id").agg(*columns, F.count(F.lit(1)).alias("n"))
    documents = documents.join(
        qrels.select("query_id", "doc_id", "grade"), ["query_id", "doc_id"], "left"
    )
    part = _part(Part.RANKED, Part.RUN_TWICE)
    grade = (
        # 0: judged, below the marks' level; -1: not judged, or with a negative grade.
        F.when(F.col("grade") >= mark_level, F.col("grade"))
        .when(F.col("grade") >= 0, 0.0)
        .otherwise(-1.0)
    )
    documents = documents.select(
        "query_id",
        F.xxhash64("query_id").alias("hash"),
        part.alias("part"),
        "score",
        *[column.alias("own_key") for column in key],
        F.when(part == Part.RANKED.value, grade).otherwise(0.0).alias("grade"),
        _duplicate(part),
    )
    # The hash is not among the columns of the count, so Spark exchanges counts after a join by
    # exchange, and may split a query with many rows among tasks before it (adaptive execution's
    # skew join).
    placed = documents.join(
        F.broadcast(marks) if broadcast else marks, ["query_id", "hash"], "left"
    )
    # Faulty rows all go to one place: they are reported, never evaluated.
    is_fine = F.col("part") == Part.RANKED.value
    place = F.when(is_fine, _place("scores", F.col("score"))).otherwise(0)
    key_place = (
        F.when(is_fine, _place("keys", F.col("own_key"))).otherwise(0) if has_key else F.lit(0)
    )
    return _count(
        placed.select(
            "query_id",
            "part",
            place.cast("long").alias("place"),
            key_place.cast("long").alias("key"),
            "grade",
            "doc_id",
        )
    )


def _key(ties: str) -> Column:
    """A key that rises from the last to the first document of a ranking without ties."""
    if ties == "doc_id":
        return F.struct("score", "doc_id")
    # -1 - order: the smallest whole number has no -
    return F.struct("score", F.bitwise_not("order").alias("falling"))


def _marks(found: DataFrame, key: list[Column]) -> DataFrame:
    """The sorted scores (and keys) of the marks of each query, and the steps of a search among
    them."""
    is_fine = F.col("bad") == 0
    names = ["scores", "keys"][: 1 + len(key)]
    marks = found.groupBy("query_id").agg(
        *[
            F.array_sort(F.collect_set(F.when(is_fine, column))).alias(name)
            for name, column in zip(names, [F.col("score"), *key], strict=True)
        ]
    )
    for name in names:
        marks = marks.withColumn(f"{name}_steps", _steps(F.size(name)))
    return marks.withColumn("hash", F.xxhash64("query_id"))


def _steps(size: Column) -> Column:
    """The powers of two up to `size`, descending."""
    # floor(log2(size)), …, 0.
    powers = F.sequence(F.floor(F.log2(size)).cast("int"), F.lit(0), F.lit(-1))
    return F.when(size > 0, F.transform(powers, lambda power: F.pow(F.lit(2.0), power).cast("int")))


def _place(name: str, value: Column) -> Column:
    """2 n, where n marks are below the value; plus 1 if it is tied with the next mark."""
    marks = F.col(name)
    # Binary search with steps instead of two bounds, so that its state is one number: `at` marks
    # are below the value, and a step is taken where the mark it lands on is below as well. Steps
    # are the powers of two up to the number of marks, whose sum is at least that number. Beyond the
    # end `get` is null, which is not below.
    below = F.aggregate(
        F.col(f"{name}_steps"),
        F.lit(0),
        lambda at, step: F.when(F.get(marks, at + step - 1) < value, at + step).otherwise(at),
    )
    # An array of one element serves as "let at = below": the whole search would stand in the
    # expression twice otherwise.
    tied = F.transform(
        F.array(below), lambda at: 2 * at + F.when(F.get(marks, at) == value, 1).otherwise(0)
    )
    return F.coalesce(F.get(tied, F.lit(0)), F.lit(0))  # no marks: all at one place


def _part(fine: Part, twice: Part) -> Column:
    return (
        F.when(F.col("bad") != 0, F.col("bad"))
        .when(F.col("n") > 1, twice.value)
        .otherwise(fine.value)
    )


def _duplicate(part: Column) -> Column:
    return F.when(part.isin(Part.RUN_TWICE.value, Part.QRELS_TWICE.value), F.col("doc_id")).alias(
        "doc_id"
    )


def _nothing(name: str) -> Column:
    return F.lit(0).cast("long").alias(name)


def _count(documents: DataFrame) -> DataFrame:
    names = [name for name in RECORD if name != "times"]
    return documents.groupBy(*names).agg(F.count(F.lit(1)).alias("times")).select(*RECORD)
