"""Input: PySpark data frames, checked by their schemas before any job runs, with columns of known
types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from irbounds.foundation.errors import InputError
from irbounds.rankings.reading.frames import COLUMN_NAMES
from irbounds.spark.failures import input_errors
from irbounds.spark.records import Columns, Part

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame


class _Functions:
    """`pyspark.sql.functions`, imported when it is first used: arguments that are no frames of
    Spark are refused without it."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # asked by tools that inspect modules
            raise AttributeError(name)
        from pyspark.sql import functions

        return getattr(functions, name)


F: Any = _Functions()
IDS = ("string", "byte", "short", "integer", "long", "char", "varchar")
NUMBERS = ("byte", "short", "integer", "long", "float", "double", "decimal", "boolean")
ORDERS = ("byte", "short", "integer", "long")


def check_columns(argument: str, frame: Any, *wanted: tuple[str, tuple[str, ...]]) -> None:
    """Refuse objects other than Spark data frames, missing columns, and columns of types other than
    `wanted`."""
    if not hasattr(frame, "mapInArrow"):
        package, name = type(frame).__module__.split(".")[0], type(frame).__name__
        raise InputError(
            f"`{argument}` must be a PySpark data frame; found "
            f"{name if package == 'builtins' else f'{package}.{name}'}"
        )
    if frame.isStreaming:
        raise InputError(f"`{argument}` must not be a stream: the ranking of a query has to end")
    names = list(frame.columns)
    for name, types in wanted:
        times = names.count(name)
        if times != 1:
            raise InputError(
                f"`{argument}` needs the column {name!r}{' once' if times else ''}; "
                f"it has {', '.join(names)}"
            )
        found = frame.schema[name].dataType.typeName()
        if found.split("(")[0] not in types:
            kind = {IDS: "text or whole numbers", NUMBERS: "numbers", ORDERS: "whole numbers"}[
                types
            ]
            raise InputError(
                f"`{argument}`: column {name!r} must hold {kind}; its type is "
                f"{frame.schema[name].dataType.simpleString()}"
            )


def column_name(frame: Any, name: str, given: str | None, chosen: Mapping[str, str]) -> str:
    """The frame's name of one of our columns: as given, else as chosen by `columns`, else the first
    known name that it has.

    Run and judgments may name their ids differently: where a frame lacks the chosen name of an id,
    a known name is used.
    """
    if given is not None:
        return given
    here = getattr(frame, "columns", ())
    is_shared = name in ("query_id", "doc_id")
    if name in chosen and (chosen[name] in here or not is_shared):
        return chosen[name]
    return next((known for known in COLUMN_NAMES[name] if known in here), chosen.get(name, name))


def is_small(frame: DataFrame) -> bool:
    """True if Spark estimates that the frame is small enough to broadcast; False on Spark Connect,
    which does not know."""
    try:
        size = int(str(frame._jdf.queryExecution().optimizedPlan().stats().sizeInBytes()))
        limit = frame.sparkSession._jsparkSession.sessionState().conf().autoBroadcastJoinThreshold()
    except Exception:  # these are no names of the public interface: any release may take them away
        return False
    return size <= limit


def plain_run_rows(frame: DataFrame, columns: Columns) -> DataFrame:
    """query_id, doc_id, score and, on request, order: null where the run has no value."""
    ids = [
        _column(name).cast("string").alias(to)
        for name, to in ((columns.query, "query_id"), (columns.doc, "doc_id"))
    ]
    score = _column(columns.score).cast("double")
    if columns.order is None:
        return frame.select(*ids, score.alias("score"))
    order = _column(columns.order).cast("long").alias("order")
    score = F.when(score == 0, 0.0).otherwise(score).alias("score")  # -0.0 is 0.0
    return frame.select(*ids, score, order)


def run_rows(frame: DataFrame, columns: Columns, score_precision: str = "float64") -> DataFrame:
    """query_id, doc_id, score, bad (0, or the Part that names the problem) and, on request, order.

    Keys are never null: otherwise Spark infers filters for joins, and reads the run more than once.
    """
    query, doc, score = (
        _column(columns.query),
        _column(columns.doc),
        _column(columns.score).cast("double"),
    )
    if score_precision == "float32":
        score = score.cast("float").cast("double")
    bad = F.when(query.isNull(), Part.RUN_NO_QUERY.value).when(doc.isNull(), Part.RUN_NO_DOC.value)
    bad = bad.when(score.isNull(), Part.RUN_NO_SCORE.value).when(F.isnan(score), Part.RUN_NAN.value)
    more = []
    if columns.order is not None:
        order = _column(columns.order).cast("long")
        bad = bad.when(order.isNull(), Part.RUN_NO_ORDER.value)
        more.append(order.alias("order"))
    return frame.select(
        _id(query),
        _id(doc, "doc_id"),
        F.when(score == 0, 0.0).otherwise(score).alias("score"),
        bad.otherwise(0).alias("bad"),
        *more,
    )  # -0.0 is 0.0


def without_self(frame: DataFrame, columns: Columns) -> DataFrame:
    """The rows of a run whose document is not the query; null is refused later, and not dropped."""
    query, doc = (_column(name).cast("string") for name in (columns.query, columns.doc))
    return frame.where(F.coalesce(query != doc, F.lit(True)))


def best_rows(frame: DataFrame, columns: Columns) -> DataFrame:
    """The best row of each document of a run, by score and then by order; one without a value is
    kept before all others, and refused later."""
    query, doc = _column(columns.query), _column(columns.doc)
    values = [_column(columns.score)]
    names = [columns.score]
    if columns.order is not None:
        values.append(F.bitwise_not(_column(columns.order)))  # -1 - order: the first is the largest
        names.append(columns.order)
    fields = [
        part
        for i, value in enumerate(values)
        for part in (value.isNull().alias(f"lacks{i}"), value.alias(f"value{i}"))
    ]
    rows = frame.select(
        query.cast("string").alias(columns.query),
        doc.cast("string").alias(columns.doc),
        F.struct(*fields).alias("row"),
    )
    # Exchanged by query alone: whole queries stay in one partition for the tasks that evaluate.
    best = rows.repartition(query).groupBy(query, doc).agg(F.max("row").alias("row"))
    found = [F.col(f"row.value{i}") for i in range(len(values))]
    found[1:] = [F.bitwise_not(order) for order in found[1:]]
    renamed = [column.alias(name) for column, name in zip(found, names, strict=True)]
    return best.select(query, doc, *renamed).sortWithinPartitions(query)


def qrels_rows(frame: DataFrame, columns: Columns) -> DataFrame:
    """query_id, doc_id, grade and bad, likewise."""
    query, doc, grade = (
        _column(columns.judged_query),
        _column(columns.judged_doc),
        _column(columns.relevance).cast("double"),
    )
    bad = F.when(query.isNull(), Part.QRELS_NO_QUERY.value).when(
        doc.isNull(), Part.QRELS_NO_DOC.value
    )
    bad = bad.when(grade.isNull(), Part.QRELS_NO_RELEVANCE.value).when(
        F.isnan(grade), Part.QRELS_NAN.value
    )
    bad = bad.when(F.abs(grade) > 2.0**31, Part.QRELS_RANGE.value)
    return frame.select(
        _id(query),
        _id(doc, "doc_id"),
        F.coalesce(grade, F.lit(0.0)).alias("grade"),
        bad.otherwise(0).alias("bad"),
    )


def _column(name: str) -> Column:
    return F.col("`" + name.replace("`", "``") + "`")


def _id(column: Column, name: str = "query_id") -> Column:
    """Text that compares by its bytes, whatever the collation."""
    return F.coalesce(column.cast("string"), F.lit("")).alias(name)


def to_arrow(frame: DataFrame) -> pa.Table:
    """All rows of a data frame, on the driver."""
    with input_errors():
        if hasattr(frame, "toArrow"):  # Spark 4
            return frame.toArrow()
        import pyarrow as pa

        return pa.Table.from_pandas(frame.toPandas(), preserve_index=False)
