"""`evaluate` for PySpark data frames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from irbounds.foundation.arguments import check_flag
from irbounds.foundation.errors import InputError, check_choice, check_count
from irbounds.rankings.evaluating.evaluator import NO_RELEVANT
from irbounds.rankings.measure_table.measure import TIE_RULES, parse_measures
from irbounds.rankings.reading.frames import check_apart
from irbounds.rankings.reading.frames import check_columns as check_names
from irbounds.spark.frames import (
    IDS,
    NUMBERS,
    ORDERS,
    best_rows,
    check_columns,
    column_name,
    without_self,
)
from irbounds.spark.records import Columns
from irbounds.spark.request import Request, unjudged_of
from irbounds.spark.result import SparkEvaluation

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from irbounds.typing import HiddenLike, MeasuresLike, UnjudgedLike


def evaluate(
    run_df: DataFrame,
    qrels_df: DataFrame,
    measures: MeasuresLike,
    *,
    ties: str = "expected",
    bounds: bool = False,
    missing: str = "zero",
    no_relevant: str = "zero",
    drop_self: bool = False,
    duplicates: str = "error",
    judged_only: bool = False,
    collection_size: int | None = None,
    query_col: str | None = None,
    doc_col: str | None = None,
    score_col: str | None = None,
    relevance_col: str | None = None,
    order_col: str | None = None,
    assume_distinct: bool = False,
    broadcast: bool | None = None,
    columns: Mapping[str, str] | None = None,
    unjudged: UnjudgedLike | DataFrame = "nonrelevant",
    unjudged_hidden: HiddenLike | None = None,
    max_grade: float | None = None,
    score_precision: str = "float64",
    score_tolerance: float = 0.0,
    max_rows_in_memory: int = 1_000_000,
) -> SparkEvaluation:
    """Evaluate a run against relevance judgments, both PySpark data frames, on their cluster.

    The result is lazy: the first use of its `mean` or `per_query` runs jobs.

    Parameters
    ----------
    run_df : pyspark.sql.DataFrame
        A row for each retrieved document: query_id, doc_id (text or whole numbers) and score (a
        number).
    qrels_df : pyspark.sql.DataFrame
        A row for each judged document: query_id, doc_id and relevance.
    measures, bounds, missing, no_relevant, drop_self, judged_only, collection_size
        As in `irbounds.evaluate`.  "skip" and "error" of `no_relevant` need the judgments in
        memory.
    duplicates : {"error", "best"}
        As in `irbounds.evaluate`: rows of a data frame have no order, so none is the first.
    ties : {"expected", "best", "worst", "doc_id", "given"}
        As in `irbounds.evaluate`; but rows of a data frame have no order, so ``"given"`` needs
        `order_col`.
    query_col, doc_col, score_col, relevance_col : str, optional
        Names of columns.  The names that `irbounds.evaluate` knows are recognised.
    order_col : str, optional
        With ``ties="given"``, a column of whole numbers of the run: of documents of equal score,
        that with the smaller number comes first.
    assume_distinct : bool
        In distributed counts, take for granted that no query of the run has a document twice.
        That is checked otherwise, at the cost of one exchange of the run; without it the run is
        read where it lies, twice.
    broadcast : bool, optional
        Send the judgments through the driver to every task and evaluate in memory (True), or use
        distributed counts for all queries (False).  Up to 1,000,000 judgments are sent by default.
        Where queries are counted after all, True also sends the scores of their retrieved relevant
        documents, some 8 bytes each and 100 a query.
    columns, unjudged_hidden, max_grade, score_precision, score_tolerance
        As in `irbounds.evaluate`.
    unjudged : {"nonrelevant", "bounds", "condensed"}, float, dict, str or frame
        As in `irbounds.evaluate`.  A table of probabilities may be a data frame of Spark as well
        (query_id, doc_id and probability); the driver reads it and sends it to the tasks.
    max_rows_in_memory : int
        A query with more rows than this goes through distributed counts, which need no memory for
        its ranking; 0 means all queries.  A Python worker needs some 130 bytes for each row that it
        holds: at the default less than the 384 MB that Spark reserves for it.

    Returns
    -------
    SparkEvaluation

    Raises
    ------
    InputError
        Before any job runs, for arguments, columns and types; and by `SparkEvaluation.mean`, for
        rows that cannot be used: null, NaN, or a duplicate document.

    Notes
    -----
    The numbers are those of `irbounds.evaluate` on the same rows.  Each task evaluates the queries
    of its partition with the same kernel; queries that lie in several partitions are exchanged and
    evaluated again.  Distributed counts keep of each ranking the relevant documents (all judged
    ones for Bpref and Judged) and count the others between them.  Python functions,
    ``unjudged="bounds"``, probabilities and `score_tolerance` need a query's rows in memory.

    Examples
    --------
    >>> from irbounds.spark import evaluate
    >>> ev = evaluate(run_df, qrels_df, "AP nDCG@10", bounds=True)      # doctest: +SKIP
    >>> ev.mean["AP"], ev.mean_bounds["AP"]                             # doctest: +SKIP
    (0.3127…, (0.3101…, 0.3153…))
    >>> ev.per_query.where("measure = 'AP'").orderBy("value").show(5)   # doctest: +SKIP
    """
    chosen = check_names(columns)
    names = Columns(
        column_name(run_df, "query_id", query_col, chosen),
        column_name(run_df, "doc_id", doc_col, chosen),
        column_name(run_df, "score", score_col, chosen),
        order_col,
        column_name(qrels_df, "query_id", query_col, chosen),
        column_name(qrels_df, "doc_id", doc_col, chosen),
        column_name(qrels_df, "relevance", relevance_col, chosen),
    )
    check_apart({"query_id": names.query, "doc_id": names.doc, "score": names.score})
    judged = {"query_id": names.judged_query, "doc_id": names.judged_doc}
    check_apart({**judged, "relevance": names.relevance})
    check_choice("ties", ties, TIE_RULES)
    if ties == "given" and order_col is None:
        raise InputError("ties='given' needs `order_col`: rows of a Spark data frame have no order")
    if ties != "given" and order_col is not None:
        raise InputError("`order_col` requires ties='given'")
    order = [] if order_col is None else [(order_col, ORDERS)]
    ids = (names.query, IDS), (names.doc, IDS)
    check_columns("run_df", run_df, *ids, (names.score, NUMBERS), *order)
    judged_ids = (names.judged_query, IDS), (names.judged_doc, IDS)
    check_columns("qrels_df", qrels_df, *judged_ids, (names.relevance, NUMBERS))
    if check_flag("drop_self", drop_self):
        run_df = without_self(run_df, names)
    if check_choice("duplicates", duplicates, ("error", "best")) == "best":
        run_df = best_rows(run_df, names)
    request = Request(
        run_df=run_df,
        qrels_df=qrels_df,
        columns=names,
        measures=tuple(parse_measures(measures)),
        ties=ties,
        bounds=check_flag("bounds", bounds),
        missing=check_choice("missing", missing, ("zero", "skip", "error")),
        no_relevant=check_choice("no_relevant", no_relevant, NO_RELEVANT),
        judged_only=check_flag("judged_only", judged_only),
        collection_size=collection_size,
        unjudged=unjudged_of(unjudged),
        unjudged_hidden=unjudged_hidden,
        max_grade=max_grade,
        score_precision=score_precision,
        score_tolerance=score_tolerance,
        assume_distinct=check_flag("assume_distinct", assume_distinct),
        broadcast=None if broadcast is None else check_flag("broadcast", broadcast),
        most_rows=check_count("max_rows_in_memory", max_rows_in_memory, 0),
    )
    request.check()
    return SparkEvaluation(request)
