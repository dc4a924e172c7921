"""The lazy result of `irbounds.spark.evaluate`."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from irbounds.foundation.errors import InputError
from irbounds.rankings.data.evaluation import Evaluation
from irbounds.spark.failures import END, MARK
from irbounds.spark.frames import F
from irbounds.spark.in_memory import MOST_JUDGMENTS, Collected, collect, counted
from irbounds.spark.records import State
from irbounds.spark.request import Request

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Bounds = dict[str, tuple[float, float]]


class SparkEvaluation:
    """Values of measures for queries, computed when they are first used.

    Values that were computed in memory stay on the driver.  Values of distributed counts are
    computed each time they are used, unless they are persisted.

    Attributes
    ----------
    measures : tuple of str
        As ir_measures writes them.
    ties, missing : str
        The rules.
    bounds : bool
        Whether there are bounds.
    """

    def __init__(self, request: Request) -> None:
        self._request = request
        self._storage_level: tuple[Any, ...] | None = None
        self.measures = tuple(map(str, request.measures))
        self.ties = request.ties
        self.bounds = request.bounds
        self.missing = request.missing

    @cached_property
    def _collected(self) -> Collected | None:
        """The values on the driver, or None where they are counted on the cluster."""
        request = self._request
        found = collect(request) if request.may_collect else None
        needing = request.only_in_memory
        if request.no_relevant != "zero":
            needing = f"no_relevant={request.no_relevant!r}"
        if found is None and needing:
            raise InputError(
                f"there are more than {MOST_JUDGMENTS:,} judgments, and {needing} "
                "needs them in every task: give broadcast=True if they fit there"
            )
        return found

    @cached_property
    def _outcomes(self) -> DataFrame:
        """The values on the cluster."""
        outcomes = self._request.distributed()
        return outcomes if self._storage_level is None else outcomes.persist(*self._storage_level)

    @property
    def per_query(self) -> DataFrame:
        """A row for each query and measure: query_id, measure, value, low, high (null without
        bounds); in no order.  With unjudged='bounds' also unjudged_low, unjudged_high and judged.

        Invalid rows are refused here or fail the job that reads it; `input_errors` turns that into
        an error of one line.
        """
        if self._collected is not None:
            self._collected.check_missing()
            return per_query_rows(self._spark, self._collected.evaluation)

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
    def no_relevant_queries(self) -> tuple[str, ...]:
        """The queries without a relevant document; none are found by distributed counts."""
        return self._evaluation.no_relevant_queries

    @property
    def _spark(self) -> Any:
        return self._request.run_df.sparkSession

    @property
    def mean(self) -> dict[str, float]:
        """The arithmetic mean of each measure over the queries; nan if there is none.  The first
        call runs a job.

        Raises
        ------
        InputError
            For rows that cannot be used; for a run without rows, or without a judged query.
        """
        return self._evaluation.mean

    @property
    def mean_bounds(self) -> Bounds:
        """The smallest and the largest mean over all orders of tied documents."""
        if not self.bounds:
            raise ValueError("there are no bounds: evaluate with bounds=True")
        return self._evaluation.mean_bounds

    @property
    def mean_unjudged_bounds(self) -> Bounds:
        """The least and the greatest mean over all labels of unjudged documents."""
        return self._evaluation.mean_unjudged_bounds

    def persist(self, *storage_level: Any) -> Self:
        """Keep the values of distributed counts on the cluster once they are computed, for several
        uses; returns itself.

        Serverless clusters do not support this: write `per_query` to a table instead.
        """
        self._storage_level = storage_level
        if "_outcomes" in self.__dict__:
            self._outcomes.persist(*storage_level)
        return self

    def unpersist(self) -> Self:
        """Free the persisted values."""
        if self._storage_level is not None and "_outcomes" in self.__dict__:
            self._outcomes.unpersist()
        self._storage_level = None
        return self

    def to_evaluation(self) -> Evaluation:
        """Collect all values on the driver as the result of `irbounds.evaluate`; queries are sorted
        by id."""
        return self._evaluation

    @cached_property
    def _evaluation(self) -> Evaluation:
        found = self._collected or counted(self._outcomes, self._request)
        found.check()
        return found.evaluation

    def _queries(self, state: State) -> DataFrame:
        if self._collected is not None:
            self._collected.check_missing()
            found = self._collected.evaluation
            ids = found.missing_queries if state == State.MISSING else found.unjudged_queries
            return self._spark.createDataFrame([(query,) for query in ids], "query_id string")

        # A row for each measure: the query is named once, by the row of the first.
        is_first = F.col("measure").isNull() | (F.col("measure") == self.measures[0])
        return self._checked().where((F.col("state") == state.value) & is_first).select("query_id")

    def _checked(self) -> DataFrame:
        """The outcomes; reading them fails if there is a problem."""
        problem = F.col("problem")
        if self.missing == "error":
            lack = F.concat(
                F.lit("run: it lacks the judged query '"), F.col("query_id"), F.lit("'")
            )
            problem = F.coalesce(problem, F.when(F.col("state") == State.MISSING.value, lack))
        # Raised by the row itself while it is read: checking first would compute everything twice.
        error = F.raise_error(F.concat(F.lit(MARK), problem, F.lit(END)))
        return self._outcomes.where(F.when(problem.isNull(), True).otherwise(error))

    def __repr__(self) -> str:
        lines = [f"SparkEvaluation of {', '.join(self.measures)}, ties {self.ties}"]
        if "_evaluation" not in self.__dict__:
            return f"{lines[0]}; not computed yet"
        width = max(map(len, self.measures))
        for name, value in self.mean.items():
            line = f"  {name:<{width}}  {value:.4f}"
            if self.bounds:
                line += "  in [{:.4f}, {:.4f}]".format(*self.mean_bounds[name])
            lines.append(line)
        return "\n".join(lines)


def per_query_rows(spark: Any, found: Evaluation) -> DataFrame:
    """The values of an evaluation as a data frame of Spark."""
    import pyarrow as pa

    n_queries, n_measures = len(found.query_ids), len(found.measures)
    columns = {
        "query_id": pa.array(list(found.query_ids), pa.string()).take(
            pa.array(np.repeat(np.arange(n_queries), n_measures))
        ),
        "measure": pa.array(list(map(str, found.measures)) * n_queries, pa.string()),
    }
    for name, array in (
        ("value", found.values),
        ("low", found.low),
        ("high", found.high),
        ("unjudged_low", found.unjudged_low),
        ("unjudged_high", found.unjudged_high),
        ("judged", found.judged),
    ):
        if array is not None:
            columns[name] = pa.array(array.ravel())
    schema = ", ".join(
        f"{name} {'string' if pa.types.is_string(column.type) else 'double'}"
        for name, column in columns.items()
    )
    table = pa.table(columns)
    if int(spark.version.partition(".")[0]) < 4:  # takes no tables of Arrow
        table = table.to_pandas()
    frame = spark.createDataFrame(table, schema)
    if found.low is None:
        frame = frame.withColumns({name: F.lit(None).cast("double") for name in ("low", "high")})
    first = ["query_id", "measure", "value", "low", "high"]
    return frame.select(*first, *[name for name in frame.columns if name not in first])
