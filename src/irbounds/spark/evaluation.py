"""`evaluate` for PySpark data frames, and its lazy result."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from irbounds.foundation.errors import InputError, check_choice, counted
from irbounds.rankings.evaluation import Evaluation
from irbounds.rankings.tallies import TallyEvaluator
from irbounds.spark.frames import (
    IDS,
    NUMBERS,
    ORDERS,
    check_columns,
    is_small,
    qrels_rows,
    run_rows,
)
from irbounds.spark.records import OUTCOMES, Columns, State
from irbounds.spark.reduction import records
from irbounds.spark.worker import Worker

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

Bounds = dict[str, tuple[float, float]]


def evaluate(
    run_df: Any,
    qrels_df: Any,
    measures: Any,
    *,
    ties: str = "expected",
    bounds: bool = False,
    missing: str = "zero",
    judged_only: bool = False,
    collection_size: int | None = None,
    query_col: str = "query_id",
    doc_col: str = "doc_id",
    score_col: str = "score",
    relevance_col: str = "relevance",
    order_col: str | None = None,
    assume_distinct: bool = False,
    broadcast: bool | None = None,
) -> SparkEvaluation:
    """Evaluate a run against relevance judgments, both PySpark data frames, on their cluster.

    The result is lazy: its `mean` runs a job, and its `per_query` is a lazy data frame.

    Parameters
    ----------
    run_df : pyspark.sql.DataFrame
        A row for each retrieved document: query_id, doc_id (text or whole numbers) and score (a
        number).
    qrels_df : pyspark.sql.DataFrame
        A row for each judged document: query_id, doc_id and relevance.
    measures, bounds, missing, judged_only, collection_size
        As in `irbounds.evaluate`.
    ties : {"expected", "best", "worst", "doc_id", "given"}
        As in `irbounds.evaluate`; but rows of a data frame have no order, so ``"given"`` needs
        `order_col`.
    query_col, doc_col, score_col, relevance_col : str
        Names of the columns.
    order_col : str, optional
        With ``ties="given"``, a column of whole numbers of the run: of documents of equal score,
        that with the smaller number comes first.
    assume_distinct : bool
        Take for granted that no query of the run has a document twice.  That is checked otherwise,
        at the cost of one exchange of the run; without it the run is read where it lies, twice.
    broadcast : bool, optional
        Send the scores of all retrieved relevant documents, some 8 bytes each and 100 a query,
        through the driver to every task (True), or exchange the run by query (False).  By default
        what Spark takes for small is sent: it must know `qrels_df` to be within
        ``spark.sql.autoBroadcastJoinThreshold``, which Spark Connect does not tell.

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
    The numbers are those of `irbounds.evaluate` on the same rows.  The cluster keeps of each
    ranking the relevant documents (all judged ones for Bpref and Judged) and counts the others
    between them, so a query's share in the last step grows with its relevant documents, not with
    its ranking.

    Examples
    --------
    >>> from irbounds.spark import evaluate
    >>> ev = evaluate(run_df, qrels_df, "AP nDCG@10", bounds=True)      # doctest: +SKIP
    >>> ev.mean["AP"], ev.mean_bounds["AP"]                             # doctest: +SKIP
    (0.3127…, (0.3101…, 0.3153…))
    >>> ev.per_query.where("measure = 'AP'").orderBy("value").show(5)   # doctest: +SKIP
    """
    columns = Columns(query_col, doc_col, score_col, relevance_col, order_col)
    evaluator = TallyEvaluator(
        measures, ties=ties, bounds=bounds, judged_only=judged_only, collection_size=collection_size
    )
    check_choice("missing", missing, ("zero", "skip", "error"))
    if ties == "given" and order_col is None:
        raise InputError("ties='given' needs `order_col`: rows of a Spark data frame have no order")
    if ties != "given" and order_col is not None:
        raise InputError("`order_col` requires ties='given'")
    order = [] if order_col is None else [(order_col, ORDERS)]
    check_columns("run_df", run_df, (query_col, IDS), (doc_col, IDS), (score_col, NUMBERS), *order)
    check_columns("qrels_df", qrels_df, (query_col, IDS), (doc_col, IDS), (relevance_col, NUMBERS))
    names = tuple(map(str, evaluator.measures))
    worker = Worker(names, ties, bool(bounds), bool(judged_only), collection_size, columns)
    tallied = records(
        run_rows(run_df, columns),
        qrels_rows(qrels_df, columns),
        ties,
        evaluator.mark_level,
        assume_distinct,
        is_small(qrels_df) if broadcast is None else broadcast,
    )
    return SparkEvaluation(tallied.mapInArrow(worker, OUTCOMES), names, ties, bool(bounds), missing)


class SparkEvaluation:
    """Values of measures for queries.  The cluster computes them each time they are used, unless
    they are persisted.

    Attributes
    ----------
    measures : tuple of str
        As ir_measures writes them.
    ties, missing : str
        The rules.
    bounds : bool
        Whether there are bounds.
    """

    def __init__(
        self, outcomes: DataFrame, measures: tuple[str, ...], ties: str, bounds: bool, missing: str
    ) -> None:
        self._outcomes = outcomes
        self.measures = measures
        self.ties = ties
        self.bounds = bounds
        self.missing = missing

    @property
    def per_query(self) -> DataFrame:
        """A row for each query and measure: query_id, measure, value, low, high (null without
        bounds); in no order.

        Invalid rows fail the job that reads it; `input_errors` turns that into an error of one
        line.
        """
        from pyspark.sql import functions as F  # noqa: N812

        kept = [State.EVALUATED.value] + ([] if self.missing == "skip" else [State.MISSING.value])
        return (
            self._checked()
            .where(F.col("state").isin(kept))
            .select("query_id", "measure", "value", "low", "high")
        )

    @property
    def missing_queries(self) -> DataFrame:
        """The judged queries missing from the run: query_id."""
        return self._queries(State.MISSING)

    @property
    def unjudged_queries(self) -> DataFrame:
        """The queries of the run without judgments, which are left out: query_id."""
        return self._queries(State.UNJUDGED)

    @property
    def mean(self) -> dict[str, float]:
        """The arithmetic mean of each measure over the queries; nan if there is none.  The first
        call runs a job.

        Raises
        ------
        InputError
            For rows that cannot be used; for a run without rows, or without a judged query.
        """
        return self._means[0]

    @property
    def mean_bounds(self) -> Bounds:
        """The smallest and the largest mean over all orders of tied documents."""
        if not self.bounds:
            raise ValueError("there are no bounds: evaluate with bounds=True")
        return self._means[1]

    def persist(self, *storage_level: Any) -> Self:
        """Keep the values of the queries on the cluster once they are computed, for several uses;
        returns itself.

        Serverless clusters do not support this: write `per_query` to a table instead.
        """
        self._outcomes = self._outcomes.persist(*storage_level)
        return self

    def unpersist(self) -> Self:
        """Free the persisted values."""
        self._outcomes = self._outcomes.unpersist()
        return self

    def to_evaluation(self) -> Evaluation:
        """Collect all values on the driver as the result of `irbounds.evaluate`; queries are sorted
        by id."""
        with input_errors():
            rows = self._outcomes.collect()
        _raise_first(row["problem"] for row in rows)
        query_ids: dict[State, list[str]] = {
            state: sorted({row["query_id"] for row in rows if row["state"] == state})
            for state in State
        }
        kept = sorted(
            query_ids[State.EVALUATED]
            + (query_ids[State.MISSING] if self.missing != "skip" else [])
        )
        number, column = (
            {name: i for i, name in enumerate(names)} for names in (kept, self.measures)
        )
        arrays = np.zeros((3, len(kept), len(self.measures)))
        for row in rows:
            if row["query_id"] in number:
                places = number[row["query_id"]], column[row["measure"]]
                arrays[(slice(None), *places)] = [
                    row["value"],
                    row["low"] or 0.0,
                    row["high"] or 0.0,
                ]
        value, low, high = arrays
        return Evaluation(
            self.measures,
            tuple(kept),
            value,
            low if self.bounds else None,
            high if self.bounds else None,
            self.ties,
            tuple(query_ids[State.MISSING]),
            tuple(query_ids[State.UNJUDGED]),
        )

    def _queries(self, state: State) -> DataFrame:
        from pyspark.sql import functions as F  # noqa: N812

        is_first = F.col("measure").isNull() | (F.col("measure") == self.measures[0])
        return self._checked().where((F.col("state") == state.value) & is_first).select("query_id")

    def _checked(self) -> DataFrame:
        """The outcomes; reading them fails if there is a problem."""
        from pyspark.sql import functions as F  # noqa: N812

        problem = F.col("problem")
        if self.missing == "error":
            lack = F.concat(
                F.lit("run: it lacks the judged query '"), F.col("query_id"), F.lit("'")
            )
            problem = F.coalesce(problem, F.when(F.col("state") == State.MISSING.value, lack))
        error = F.raise_error(F.concat(F.lit(MARK), problem, F.lit(END)))
        return self._outcomes.where(F.when(problem.isNull(), True).otherwise(error))

    @cached_property
    def _means(self) -> tuple[dict[str, float], Bounds]:
        from pyspark.sql import functions as F  # noqa: N812

        sums: list[Column] = [F.sum(name).alias(name) for name in ("value", "low", "high")]
        with input_errors():
            rows = (
                self._outcomes.groupBy("state", "measure")
                .agg(
                    *sums,
                    F.count(F.lit(1)).alias("n"),
                    F.min("query_id").alias("first"),
                    F.min("problem").alias("problem"),
                )
                .collect()
            )
        self._check_states(rows)
        means: dict[str, dict[str, float]] = {}
        for name in self.measures:
            kept = [
                row
                for row in rows
                if row["measure"] == name
                and (row["state"] == State.EVALUATED or self.missing != "skip")
            ]
            n = sum(row["n"] for row in kept)
            means[name] = {
                of: math.fsum(row[of] or 0.0 for row in kept) / n if n else math.nan
                for of in ("value", "low", "high")
            }
        return (
            {name: mean["value"] for name, mean in means.items()},
            {name: (mean["low"], mean["high"]) for name, mean in means.items()},
        )

    def _check_states(self, rows: list[Any]) -> None:
        """Refuse what `irbounds.evaluate` refuses, in its order."""
        of = {state: [row for row in rows if row["state"] == state] for state in State}
        lacking = of[State.MISSING]
        _raise_first(row["problem"] for row in rows)
        if not of[State.EVALUATED] and not lacking:
            raise InputError("`qrels` has no query")
        if not of[State.UNJUDGED] and not of[State.EVALUATED]:
            raise InputError("run: it has no rows")
        if of[State.UNJUDGED] and not of[State.EVALUATED]:
            raise InputError(
                f"run: none of its queries is judged: it has {of[State.UNJUDGED][0]['first']!r}, "
                f"the qrels have {lacking[0]['first']!r}"
            )
        if lacking and self.missing == "error":
            raise InputError(
                f"run: it lacks the judged query {lacking[0]['first']!r} "
                f"({counted(lacking[0]['n'], 'such query', 'such queries')})"
            )

    def __repr__(self) -> str:
        lines = [f"SparkEvaluation of {', '.join(self.measures)}, ties {self.ties}"]
        if "_means" not in self.__dict__:
            return f"{lines[0]}; not computed yet"
        width = max(map(len, self.measures))
        for name, value in self.mean.items():
            low, high = self._means[1][name]
            lines.append(
                f"  {name:<{width}}  {value:.4f}" + f"  in [{low:.4f}, {high:.4f}]" * self.bounds
            )
        return "\n".join(lines)


MARK, END = "irbounds: ", "\N{END OF PROOF}"


@contextlib.contextmanager
def input_errors() -> Iterator[None]:
    """A context manager: errors in rows that a job finds are raised as an InputError of one line.

    Examples
    --------
    >>> from irbounds.spark import evaluate, input_errors
    >>> with input_errors():  # doctest: +SKIP
    ...     evaluate(run_df, qrels_df, "AP").per_query.write.parquet("ap.parquet")
    """
    try:
        yield
    except Exception as error:
        found = re.search(f"{MARK}(.*?){END}", str(error), re.DOTALL)
        if found is None and "No module named 'irbounds" in str(error):
            raise ImportError(
                "irbounds is not installed on the machines that run Spark's tasks"
            ) from None
        if found is None:
            raise
        raise InputError(found.group(1)) from None


def _raise_first(problems: Any) -> None:
    found = sorted(problem for problem in problems if problem)
    if found:
        raise InputError(found[0])
