"""An evaluation that was asked for: its arguments, checked, and its way by distributed counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from irbounds.foundation.errors import InputError
from irbounds.rankings.data.collection import Run
from irbounds.rankings.data.equal_scores import ScoreRule
from irbounds.rankings.evaluating.measure_plan import Plan
from irbounds.rankings.evaluating.rank_counts import TallyEvaluator, reason_against_tallies
from irbounds.rankings.measure_table.measure import Measure
from irbounds.rankings.unjudged.treatment import read_treatment
from irbounds.spark.frames import is_small, qrels_rows, run_rows, to_arrow
from irbounds.spark.records import OUTCOMES, Columns
from irbounds.spark.reduction import records
from irbounds.spark.worker import Worker

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from irbounds.typing import HiddenLike, UnjudgedLike


@dataclass(frozen=True)
class Request:
    """The arguments of `irbounds.spark.evaluate`."""

    run_df: DataFrame
    qrels_df: DataFrame
    columns: Columns
    measures: tuple[Measure, ...]
    ties: str
    bounds: bool
    missing: str
    no_relevant: str
    judged_only: bool
    collection_size: int | None
    unjudged: str | float | dict[str, dict[str, float]]  # a treatment, or probabilities
    unjudged_hidden: HiddenLike | None
    max_grade: float | None
    score_precision: str
    score_tolerance: float
    assume_distinct: bool
    broadcast: bool | None
    most_rows: int

    def check(self) -> None:
        """Raise InputError for arguments that do not go together, before any job runs."""
        if self.judged_only and self.unjudged not in ("nonrelevant", "condensed"):
            raise InputError(
                "`judged_only` drops unjudged documents: it goes with unjudged='condensed' alone"
            )
        rule = ScoreRule.read(self.score_precision, self.score_tolerance)
        flags = self.ties, self.bounds, self.drops_unjudged, self.collection_size
        Plan(list(self.measures), *flags, rule)
        if self.no_relevant != "zero" and not self.may_collect:
            raise InputError(
                f"no_relevant={self.no_relevant!r} needs the judgments in memory: it goes with "
                "neither broadcast=False nor max_rows_in_memory=0"
            )
        if self.only_in_memory and not self.may_collect:
            raise InputError(
                f"{self.only_in_memory} needs all of a query's rows in memory: it goes with "
                "neither broadcast=False nor max_rows_in_memory=0"
            )

    @property
    def drops_unjudged(self) -> bool:
        """Whether unjudged documents are dropped first."""
        return self.judged_only or self.unjudged == "condensed"

    @property
    def may_collect(self) -> bool:
        """Whether the judgments may be sent to the tasks, and rows be evaluated in memory."""
        return self.broadcast is not False and self.most_rows > 0

    @cached_property
    def only_in_memory(self) -> str:
        """The request that distributed counts cannot serve; empty if there is none."""
        for measure in self.measures:
            if reason_against_tallies(measure):
                return str(measure)
        if self.unjudged == "bounds":
            return "unjudged='bounds'"
        if not isinstance(self.unjudged, str):
            return "a probability of unjudged documents"
        return "score_tolerance" if self.score_tolerance > 0 else ""

    @property
    def evaluator_options(self) -> dict[str, Any]:
        """For `Evaluator`."""
        return {
            name: getattr(self, name)
            for name in (
                "ties",
                "bounds",
                "no_relevant",
                "judged_only",
                "collection_size",
                "unjudged",
                "unjudged_hidden",
                "max_grade",
                "score_precision",
                "score_tolerance",
            )
        }

    def distributed(
        self, only: Callable[[DataFrame], DataFrame] = lambda frame: frame
    ) -> DataFrame:
        """The outcomes of all queries by distributed counts, lazily, of the rows that `only`
        leaves of both frames."""
        names = tuple(map(str, self.measures))
        options = self.drops_unjudged, self.collection_size
        level = TallyEvaluator(
            list(self.measures),
            ties=self.ties,
            bounds=self.bounds,
            judged_only=options[0],
            collection_size=options[1],
        ).mark_level
        tallied = records(
            only(run_rows(self.run_df, self.columns, self.score_precision)),
            only(qrels_rows(self.qrels_df, self.columns)),
            self.ties,
            level,
            self.assume_distinct,
            is_small(self.qrels_df) if self.broadcast is None else self.broadcast,
        )
        worker = Worker(names, self.ties, self.bounds, *options, self.columns)
        return tallied.mapInArrow(worker, OUTCOMES)


def unjudged_of(unjudged: UnjudgedLike | DataFrame) -> str | float | dict[str, dict[str, float]]:
    """The treatment of unjudged documents, or their probabilities as tasks can be sent them."""
    if type(unjudged).__module__.startswith("pyspark."):
        unjudged = to_arrow(unjudged)
    treatment, probability = read_treatment(unjudged)
    if probability is None:
        return treatment
    return probability.to_dict() if isinstance(probability, Run) else probability
