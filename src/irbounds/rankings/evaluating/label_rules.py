"""How documents without a judgment count: as judged, by bounds or by means over their labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irbounds._core.documents.doc_index import DocTable
from irbounds._core.documents.doc_rows import BadRow
from irbounds._core.evaluating.rankings import RankingJob, UngroupedRun
from irbounds.foundation.arguments import check_flag
from irbounds.foundation.errors import InputError, counted
from irbounds.foundation.spelling import alike, said
from irbounds.rankings.data.collection import Qrels, Run
from irbounds.rankings.data.equal_scores import ScoreRule
from irbounds.rankings.data.evaluation import Evaluation
from irbounds.rankings.data.run_source import RunSource
from irbounds.rankings.data.warnings import cautions_of
from irbounds.rankings.evaluating.measure_plan import Plan
from irbounds.rankings.reading.frames import check_columns

# Modules of unjudged documents are imported where they are used, so that a start is quick.
if TYPE_CHECKING:
    from irbounds.rankings.measure_table.measure import Measure
    from irbounds.rankings.unjudged.treatment import Unjudged
    from irbounds.typing import BoolArray, FloatArray, HiddenLike, IntArray, QrelsLike, UnjudgedLike


class Options(NamedTuple):
    """Arguments of `evaluate`, unchecked."""

    ties: str
    bounds: bool
    missing: str
    no_relevant: str
    judged_only: bool
    collection_size: int | None
    columns: Mapping[str, str] | None
    unjudged: UnjudgedLike
    unjudged_hidden: HiddenLike | None
    max_grade: float | None
    score_precision: str
    score_tolerance: float

    @property
    def is_as_judged(self) -> bool:
        """Whether unjudged documents are neither bounded nor given probabilities."""
        is_word = isinstance(self.unjudged, str) and self.unjudged in ("nonrelevant", "condensed")
        return is_word and self.unjudged_hidden is self.max_grade is None

    def plan(self, measures: list[Measure]) -> Plan:
        """The kernels of these measures."""
        is_condensed = isinstance(self.unjudged, str) and self.unjudged == "condensed"
        return Plan(
            measures,
            self.ties,
            self.bounds,
            check_flag("judged_only", self.judged_only) or is_condensed,
            self.collection_size,
            ScoreRule.read(self.score_precision, self.score_tolerance),
        )


class Asked(NamedTuple):
    """Judgments, and what is asked of them."""

    qrels: Qrels
    measures: list[Measure]
    plan: Plan
    options: Options
    columns: dict[str, str]


def label_rule(qrels: QrelsLike, measures: list[Measure], options: Options) -> AsJudged:
    """The rule that the options name, for these judgments and measures."""
    plan = options.plan(measures)
    columns = check_columns(options.columns, is_shared=True)
    judged = Qrels.of(qrels, columns)
    if len(judged) == 0:
        raise InputError("`qrels` has no query")
    asked = Asked(judged, measures, plan, options, columns)
    if options.is_as_judged:
        return AsJudged(asked)
    from irbounds.rankings.unjudged.treatment import Unjudged

    unjudged = Unjudged.read(
        options.unjudged,
        options.unjudged_hidden,
        options.max_grade,
        judged,
        plan.collection_size,
        judged_only=options.judged_only,
    )
    kind = LabelBounds if unjudged.has_bounds else LabelMeans
    return kind(asked, unjudged)


@dataclass(slots=True, eq=False)
class Filled:
    """The job of an evaluation and the arrays that it fills, a row for each judged query."""

    job: RankingJob
    values: FloatArray
    low: FloatArray
    high: FloatArray
    label_low: FloatArray
    label_high: FloatArray


def barren_queries(
    found: dict[Measure, BoolArray], no_relevant: str, query_ids: list[str]
) -> BoolArray:
    """Whether each query has no relevant document by some measure; refused as `no_relevant` says.

    found: the same by each measure that looks for relevant documents.
    """
    if not found:
        return np.zeros(len(query_ids), bool)
    first, *_ = found
    if no_relevant == "skip":
        for measure, barren in found.items():
            if (barren != found[first]).any():
                raise InputError(
                    f"no_relevant='skip' leaves out other queries by {measure} ({barren.sum():,}) "
                    f"than by {first} ({found[first].sum():,}): evaluate them one after the other"
                )
        if found[first].all():
            raise InputError("qrels: no query has a relevant document (no_relevant='skip')")
    barren = np.logical_or.reduce(list(found.values()))
    if no_relevant == "error" and barren.any():
        query = query_ids[int(np.flatnonzero(barren)[0])]
        measure = next(each for each, of in found.items() if of.any())
        raise InputError(
            f"qrels: query {query!r} has no document that is relevant by {measure} "
            f"({counted(int(barren.sum()), 'such query', 'such queries')})"
        )
    return barren


class AsJudged:
    """Unjudged documents are not relevant, or were dropped."""

    def __init__(self, asked: Asked) -> None:
        qrels, measures, plan, options, columns = asked
        self.qrels = qrels
        self.measures = measures
        self.plan = plan
        self.score_rule = plan.score_rule
        self.missing = options.missing
        self.columns = columns
        self.no_relevant = options.no_relevant
        of_gains = plan.fit(qrels._table.values()) if plan.has_gains else ()
        self.levels, tops = [], []  # and the highest level of the query whose one is the least
        for view in plan.views:
            self.levels.append(qrels._index.levels({**view.gain_of}))
            tops.append(qrels._index.lowest_top)
        highest = [float(level.max()) for _, level, _ in self.levels]
        plan.check_gains(highest)
        self.cautions = of_gains
        self.barren = np.zeros(0, bool)
        if any(top < need for top, need in zip(tops, plan.needed, strict=True)):
            self.cautions = plan.unreached(highest) + of_gains
            found = plan.without_relevant(self.levels)
            self.barren = barren_queries(found, options.no_relevant, qrels.query_ids)
        self.has_barren = bool(self.barren.any())

    def begin(self, rule: ScoreRule | None = None) -> Filled:
        """Empty arrays and their job; scores tie by the plan's rule unless another is given."""
        arrays = self.plan.make_arrays(len(self.qrels))
        none = np.zeros((0, 0))
        return Filled(self.plan.make_job(self.levels, *arrays, rule), *arrays, none, none)

    def evaluate(self, source: RunSource, rule: ScoreRule | None = None) -> Evaluation:
        """One run, without warnings; raises BadRow for rows that cannot be used."""
        try:
            # Rows are evaluated as they are read, unless a query comes again: then the file is
            # read once more, as a whole.
            return self._evaluate(source, rule, streams=source.streams)
        except UngroupedRun:
            return self._evaluate(source, rule, streams=False)

    def _evaluate(self, source: RunSource, rule: ScoreRule | None, *, streams: bool) -> Evaluation:
        filled, index, query_ids = self.begin(rule), self.qrels._index, self.qrels.query_ids
        job = filled.job
        with source.rows(self.columns) as rows:
            if isinstance(rows, dict):
                seen = job.run_dict(index, rows)
            elif isinstance(rows, DocTable):
                seen = job.run_table(index, rows)
            elif streams:
                seen = job.run_reader(index, rows)
            else:
                seen = job.run_table(index, DocTable.from_reader(rows))
        is_missing = ~seen
        has_missing = bool(is_missing.any())
        if has_missing and not job.unjudged_queries and not seen.any():
            raise BadRow("it has no rows")
        if has_missing and not seen.any():
            form = said(alike(job.unjudged_queries, query_ids))
            raise BadRow(
                f"none of its queries is judged: it has {job.unjudged_queries[0]!r}, "
                f"the qrels have {query_ids[0]!r}{form}"
            )
        if self.no_relevant == "skip" and self.has_barren:
            is_missing &= ~self.barren
        missing: tuple[str, ...] = ()
        if has_missing:
            missing = tuple(query_ids[number] for number in np.flatnonzero(is_missing))
        form = said(alike(job.unjudged_queries, missing))
        if missing and self.missing == "error":
            raise BadRow(
                f"it lacks the judged query {missing[0]!r} "
                f"({counted(len(missing), 'such query', 'such queries')}){form}"
            )
        if missing and self.missing == "zero":
            # Evaluated as an empty ranking, where not every measure is 0.
            job.run_nothing(index, np.flatnonzero(is_missing).tolist())
        is_kept = seen if self.missing == "skip" else np.ones(len(query_ids), bool)
        if self.no_relevant == "skip" and self.has_barren:
            is_kept &= ~self.barren
        # nearly always all: a slice takes a third of the time of numbers for a few queries
        keep = slice(None) if is_kept.all() else np.flatnonzero(is_kept)
        cautions = (*cautions_of(job), *source.cautions, *self.cautions)
        if form:
            lacking = counted(len(missing), "judged query", "judged queries")
            cautions = (*cautions, f"it lacks {lacking}{form}")
        cautions = self._with_spelling(job, cautions)
        return self.result(filled, keep, missing, tuple(job.unjudged_queries), cautions)

    def _with_spelling(self, job: RankingJob, cautions: tuple[str, ...]) -> tuple[str, ...]:
        """The cautions, with one of retrieved documents that look like judged ones."""
        for number, ids in job.spelt:
            pair = alike(ids, self.qrels._table.documents(number))
            if pair is not None and not job.n_judged:
                return (cautions[0] + said(pair), *cautions[1:])
            if pair is not None:
                query = self.qrels.query_ids[number]
                return (*cautions, f"a document of query {query!r} is not judged{said(pair)}")
        return cautions

    def result(
        self,
        filled: Filled,
        keep: IntArray | slice,
        missing_queries: tuple[str, ...],
        unjudged_queries: tuple[str, ...],
        cautions: tuple[str, ...] = (),
    ) -> Evaluation:
        """The evaluation that the arrays hold, of these judged queries by number."""
        n, query_ids, has_bounds = len(self.measures), self.qrels.query_ids, self.plan.bounds
        return Evaluation(
            measures=tuple(self.measures),
            query_ids=tuple(
                query_ids if isinstance(keep, slice) else (query_ids[number] for number in keep)
            ),
            values=filled.values[keep, :n],
            low=filled.low[keep, :n] if has_bounds else None,
            high=filled.high[keep, :n] if has_bounds else None,
            ties=self.plan.ties,
            missing_queries=missing_queries,
            unjudged_queries=unjudged_queries,
            no_relevant_queries=self._barren_queries(keep),
            cautions=cautions,
            **self._over_labels(filled, keep),
        )

    def _barren_queries(self, keep: IntArray | slice) -> tuple[str, ...]:
        """Those without a relevant document, of the evaluated ones unless they are left out."""
        if not self.has_barren:
            return ()
        barren = self.barren
        if self.no_relevant == "zero":
            barren = np.zeros(len(barren), bool)
            barren[keep] = self.barren[keep]
        return tuple(self.qrels.query_ids[number] for number in np.flatnonzero(barren))

    def _over_labels(self, filled: Filled, keep: IntArray | slice) -> dict[str, FloatArray]:
        """Fields of the evaluation about labels of unjudged documents."""
        return {}


class LabelBounds(AsJudged):
    """The least and the greatest value over all labels of unjudged documents as well."""

    def __init__(self, asked: Asked, unjudged: Unjudged) -> None:
        from irbounds.rankings.unjudged.treatment import check_has_bounds, share_of_judged

        measures = asked.measures
        check_has_bounds(measures, unjudged.max_grade, asked.plan.ties)
        # The share of judged documents is a measure like others. Its columns come behind those
        # asked for, each different one once.
        shares = list(map(share_of_judged, measures))
        distinct = list(dict.fromkeys(shares))
        self._shares = [len(shares) + distinct.index(share) for share in shares]
        self._unjudged = unjudged
        super().__init__(asked._replace(plan=asked.options.plan([*measures, *distinct])))

    def begin(self, rule: ScoreRule | None = None) -> Filled:
        """With arrays for the bounds."""
        filled = super().begin(rule)
        filled.label_low, filled.label_high = self.plan.bound_labels(
            filled.job, self._unjudged, self.qrels.query_ids, len(self.measures)
        )
        return filled

    def _over_labels(self, filled: Filled, keep: IntArray | slice) -> dict[str, FloatArray]:
        """The bounds, and the shares of judged documents."""
        return {
            "unjudged_low": filled.label_low[keep],
            "unjudged_high": filled.label_high[keep],
            "judged": filled.values[keep][:, self._shares],
        }


class LabelMeans(AsJudged):
    """Means over labels: unjudged documents are relevant with given probabilities."""

    def __init__(self, asked: Asked, unjudged: Unjudged) -> None:
        from irbounds.rankings.unjudged.expected_labels import check_has_mean

        plan = asked.plan
        check_has_mean(asked.measures, plan.ties, asked.qrels, bounds=plan.bounds)
        self.probability: float | Run | None = unjudged.probability
        super().__init__(asked)

    def evaluate(self, source: RunSource, rule: ScoreRule | None = None) -> Evaluation:
        """One run, without warnings; raises BadRow for rows that cannot be used."""
        from irbounds.rankings.unjudged.expected_labels import expected_values

        run = source.in_memory(self.columns)
        found = super().evaluate(RunSource(run), rule)
        values = expected_values(self.qrels, run, found, self.probability, rule or self.score_rule)
        return replace(found, values=values)
