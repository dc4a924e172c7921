"""The plan of an evaluation: the kernel of each measure, and the limits to check."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irbounds._core.evaluating.measures import MeasureKernel
from irbounds._core.evaluating.rankings import RankingJob, View
from irbounds.foundation.arguments import check_flag
from irbounds.foundation.errors import InputError, check_choice, check_count, fail
from irbounds.rankings.data.equal_scores import EXACT, ScoreRule
from irbounds.rankings.measure_table.measure import TIE_RULES, Measure
from irbounds.rankings.measure_table.own_measures import OwnMeasures
from irbounds.rankings.measure_table.spec import FromLevel

if TYPE_CHECKING:
    from irbounds.rankings.unjudged.treatment import Unjudged

Levels = tuple[np.ndarray, np.ndarray, np.ndarray]


class MeasureView(NamedTuple):
    """Measures that see the relevances in one way, and how: their columns, judged documents only,
    gains in the place of grades; whether they are Python functions."""

    columns: list[int]
    judged_only: bool
    gain_of: dict[float, float]
    is_own: bool


def check_orders(measure: Measure, ties: str, bounds: bool) -> None:
    """Refuse a rule for ties, or bounds, that a measure does not have."""
    spec, has_extremes = measure.spec, measure.spec.has_extremes(measure)
    if not spec.has_expectation and ties == "expected":
        others = "'best', 'worst', 'doc_id'" if has_extremes else "'doc_id'"
        raise InputError(
            f"{measure} has no exact expectation over tied orders: choose ties={others} or 'given'"
        )
    if not has_extremes and (bounds or ties in ("best", "worst")):
        others = "'expected', 'doc_id'" if spec.has_expectation else "'doc_id'"
        advice = f"choose ties={others} or 'given'"
        if bounds:
            is_one_order = ties in ("doc_id", "given")
            advice = "do without bounds" if is_one_order else f"{advice}, without bounds"
        raise InputError(f"{measure} has no known best and worst order of ties: {advice}")


def caution_of_unreached(highest: Iterable[tuple[Measure, float]]) -> tuple[str, ...]:
    """A caution about measures whose lowest relevant grade no judgment has; `highest` has the
    highest grade that each sees."""
    found = [
        (measure, level, grade)
        for measure, grade in highest
        if (level := measure.least_relevant) is not None and level > grade
    ]
    if not found:
        return ()
    measure, level, grade = found[0]
    named = measure if len(found) == 1 else f"each of {len(found)} measures, as {measure},"
    if grade <= 0 and measure.gain_of:
        return (
            f"no judgment has a grade to which {named} gives a gain above 0: give other gains= or "
            "rel=, or check the grades",
        )
    if grade <= 0:
        return (
            f"no judgment has a grade above 0, so {named} finds nothing relevant: are qrels and "
            "run swapped, or the grades in another column?",
        )
    count = "counts" if len(found) == 1 else "count"
    parameters = {**measure.parameters, "rel": grade}
    return (
        f"no judgment has the lowest grade that {named} {count} as relevant, {level:g}, or a "
        f"higher one (the highest is {grade:g}): give rel=, as in "
        f"{Measure(measure.name, parameters, measure.cutoff)}, or scale the grades; are qrels and "
        "run swapped?",
    )


class Plan:
    """The kernels of all columns, and the view of the relevances that each uses."""

    def __init__(
        self,
        measures: list[Measure],
        ties: str,
        bounds: bool,
        judged_only: bool,
        collection_size: int | None,
        score_rule: ScoreRule = EXACT,
    ) -> None:
        self.measures = measures
        self.score_rule = score_rule
        self.ties: str = check_choice("ties", ties, TIE_RULES)
        self.bounds: bool = check_flag("bounds", bounds)
        judged_only = check_flag("judged_only", judged_only)
        self.collection_size: int = (
            0 if collection_size is None else check_count("collection_size", collection_size)
        )
        for measure in measures:
            self._check(measure, collection_size)
        # Measures that see the judgments alike share a kernel, which goes through a ranking once
        # for all of them.
        positions: dict[Any, list[int]] = {}
        for i, measure in enumerate(measures):
            judged, *gains = measure.view
            key = judged or judged_only, *gains, measure.spec.function is not None
            positions.setdefault(key, []).append(i)
        self.views: list[MeasureView] = [
            MeasureView(columns, key[0], measures[columns[0]].gain_of, key[-1])
            for key, columns in positions.items()
        ]

    def _check(self, measure: Measure, collection_size: int | None) -> None:
        spec = measure.spec
        if spec.scale:
            raise InputError(
                f"{measure} needs qrels with subtopics: evaluate and Evaluator take them"
            )
        check_orders(measure, self.ties, self.bounds)
        needs_size = spec.needs_collection_size or (spec.size_for and measure.get(spec.size_for))
        if needs_size and collection_size is None:
            raise InputError(f"{measure} needs `collection_size`")
        if spec.cutoff_in_collection and (measure.cutoff or 0) > self.collection_size:
            raise InputError(
                f"{measure}: the cut-off is above `collection_size`, {self.collection_size}"
            )

    def check_gains(self, highest: list[float]) -> None:
        """Refuse grades (or gains), given by the highest of each view, that are too high for a
        measure."""
        for view, gain in zip(self.views, highest, strict=True):
            for measure in (self.measures[column] for column in view.columns):
                largest, max_rel = measure.spec.largest_gain(measure), measure.get("max_rel")
                if largest < gain:
                    raise InputError(
                        f"{measure}: grades or gains go up to {gain:g}, above the "
                        f"{largest:g} to which its sums are finite"
                    )
                if max_rel is not None and gain > max_rel and not measure.spec.clips_grades:
                    parameters = {**measure.parameters, "max_rel": gain}
                    wider = Measure(measure.name, parameters, measure.cutoff)
                    raise InputError(
                        f"{measure}: grades go up to {gain:g}, above "
                        f"max_rel={max_rel:g}; write {wider}"
                    )

    @property
    def has_gains(self) -> bool:
        """Whether a view has gains in the place of grades."""
        return any(view.gain_of for view in self.views)

    def fit(self, grades: np.ndarray) -> tuple[str, ...]:
        """Take the grades of the judgments: a caution about those to which gains= gives none."""
        found: list[str] = []
        distinct = np.unique(grades).tolist() if self.has_gains else []
        for view in self.views:
            if isinstance(view.gain_of, FromLevel):
                view.gain_of.fit(distinct)
                continue
            # Gains of 0 alone, as of ranx's "-l2", take grades away from the others.
            others = [grade for grade in distinct if grade > 0 and grade not in view.gain_of]
            if others and any(view.gain_of.values()):
                shown = ", ".join(f"{grade:g}" for grade in others[:3])
                more = ", …" if len(others) > 3 else ""
                those = f"grade{'s' * (len(others) > 1)} {shown}{more}"
                found.append(
                    f"{self.measures[view.columns[0]]} has no gain for {those} of the judgments, "
                    "and takes the grade itself: name each grade in gains=, or give rel="
                )
        return tuple(found)

    @cached_property
    def needed(self) -> list[float]:
        """The highest of the lowest relevant grades of each view's measures."""
        return [
            max(self.measures[column].least_relevant or 0.0 for column in view.columns)
            for view in self.views
        ]

    def unreached(self, highest: list[float]) -> tuple[str, ...]:
        """A caution about measures that no judgment reaches, given the highest grade of each
        view."""
        return caution_of_unreached(
            (self.measures[column], grade)
            for view, grade in zip(self.views, highest, strict=True)
            for column in view.columns
        )

    def without_relevant(self, levels: list[Levels]) -> dict[Measure, np.ndarray]:
        """By measure that looks for relevant documents, whether each query has none."""
        found = {}
        for view, (start, level, _) in zip(self.views, levels, strict=True):
            has_levels = start[1:] > start[:-1]
            highest = np.where(has_levels, level[np.where(has_levels, start[:-1], 0)], -np.inf)
            for measure in (self.measures[column] for column in view.columns):
                if (least := measure.least_relevant) is not None:
                    found[measure] = highest < least
        return found

    def check_size(self, n_judged: int) -> None:
        """Refuse queries with more documents, retrieved or judged, than the collection has."""
        if 0 < self.collection_size < n_judged:
            fail(
                "collection_size",
                f"must be at least the {n_judged} documents of a query",
                self.collection_size,
            )

    def make_arrays(self, n_queries: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Arrays for values, low and high."""
        shape = (n_queries, len(self.measures))
        bounds_shape = shape if self.bounds else (0, 0)
        return np.zeros(shape), np.zeros(bounds_shape), np.zeros(bounds_shape)

    def bound_labels(
        self, job: RankingJob, unjudged: Unjudged, query_ids: list[str], n_measures: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Let the job bound the first measures over labels of unjudged documents; the arrays it
        fills."""
        low, high = np.zeros((2, len(query_ids), n_measures))
        from irbounds.rankings.unjudged.treatment import highest_gain

        highest = [highest_gain(unjudged.max_grade, view.gain_of) for view in self.views]
        job.bound_labels(low, high, unjudged.hidden.by_number(query_ids), highest)
        return low, high

    def make_kernel(self, view: MeasureView) -> MeasureKernel:
        """The kernel of a view's measures, for one thread."""
        chosen = [self.measures[column] for column in view.columns]
        return MeasureKernel(
            [] if view.is_own else [measure.kernel_row for measure in chosen],
            self.ties,
            self.bounds,
            min(measure.spec.mark_level(measure) for measure in chosen),
            chosen,
        )

    def make_job(
        self,
        levels: list[Levels] | None,
        values: np.ndarray,
        low: np.ndarray,
        high: np.ndarray,
        score_rule: ScoreRule | None = None,
    ) -> RankingJob:
        """A job with its own kernels, so that jobs can run in parallel; scores tie by the plan's
        rule unless another is given."""
        views = []
        for i, view in enumerate(self.views):
            chosen = [self.measures[column] for column in view.columns]
            function: Callable[..., Any] | None = None
            if view.is_own:
                function = OwnMeasures(chosen, self.ties, self.bounds)
            views.append(
                View(
                    self.make_kernel(view),
                    view.columns,
                    view.judged_only,
                    {**view.gain_of},
                    None if levels is None else levels[i],
                    function,
                )
            )
        equal_scores = (score_rule or self.score_rule).kernel()
        return RankingJob(views, values, low, high, self.collection_size, equal_scores)
