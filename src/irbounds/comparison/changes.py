"""Changes over time that hold: paired tests of evaluations of one run on the same queries."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np

from irbounds.comparison.cautions import FewQueriesWarning
from irbounds.comparison.compare import compare_evaluations
from irbounds.comparison.corrections import adjust, alpha_of
from irbounds.comparison.difference import Difference
from irbounds.queries.cautions import NoVarianceWarning
from irbounds.rankings.evaluation import Evaluation
from irbounds.rankings.history import HistoryEntry

STEP, DRIFT = "step", "drift"


@dataclass(frozen=True)
class Change:
    """One entry of a run against an earlier one, by one measure.

    Attributes
    ----------
    run : str
    kind : {"step", "drift"}
        Against the entry before, or against the first that it can be compared with.
    entry, against : int
        Places among the entries of the run.
    difference : Difference
        Its p-value is not adjusted, its interval holds by itself.
    adjusted_p_value : float
    holds : bool
        Whether the adjusted p-value is below 1 - confidence_level.
    lower_is_better : bool
    """

    run: str
    kind: str
    entry: int
    against: int
    difference: Difference
    adjusted_p_value: float
    holds: bool
    lower_is_better: bool

    @property
    def is_better(self) -> bool:
        """Whether the later entry is the better one."""
        return (self.difference.difference > 0) != self.lower_is_better


def changes(
    series: dict[str, tuple[HistoryEntry, ...]],
    measures: tuple[str, ...],
    *,
    test: str = "t",
    correction: str | None = "holm",
    confidence_level: float = 0.95,
) -> list[Change]:
    """All tests between entries of the same run, in the order of runs, entries and measures.

    Each entry is tested against the entry before it, and against the first one since judgments or
    settings changed last, by measures whose values differ from those of the entry before: an entry
    that repeats it is no new data. Pairs that agree on all queries are not tested, as no chance
    could turn them.
    """
    found = []
    for run, entries in series.items():
        first = 0
        for place in range(1, len(entries)):
            if not entries[place].is_comparable(entries[place - 1]):
                first = place
                continue
            own, before, start = (entries[i].evaluation for i in (place, place - 1, first))
            new = _that_differ(own, before, measures)
            pairs = [(place - 1, before, STEP, new)]
            # where the one before repeats the first, the drift would be the step
            pairs.append((first, start, DRIFT, _that_differ(before, start, new)))
            for against, earlier, kind, names in pairs:
                for one, worse in _differences(own, earlier, names, test, confidence_level):
                    found.append((run, kind, place, against, one, worse))
    adjusted = adjust(np.array([row[4].p_value for row in found]), correction)
    alpha = alpha_of(confidence_level)
    return [
        Change(run, kind, place, against, one, float(p), bool(p < alpha), worse)
        for (run, kind, place, against, one, worse), p in zip(found, adjusted, strict=True)
    ]


def _that_differ(new: Evaluation, old: Evaluation, measures: tuple[str, ...]) -> tuple[str, ...]:
    """The measures whose values are not the same for the same queries."""
    has_same_queries = new.query_ids == old.query_ids
    return tuple(
        name
        for name in measures
        if not (
            has_same_queries
            and name in old.mean
            and name in new.mean
            and np.array_equal(new[name], old[name])
        )
    )


def _differences(
    new: Evaluation, old: Evaluation, measures: tuple[str, ...], test: str, level: float
) -> list[tuple[Difference, bool]]:
    """One for each measure that both have, with finite means, where any query differs."""
    names = [
        str(measure)
        for measure in new.measures
        if str(measure) in measures
        and str(measure) in old.mean
        and math.isfinite(new.mean[measure])
        and math.isfinite(old.mean[measure])
    ]
    if not names or not set(new.query_ids) & set(old.query_ids):
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoVarianceWarning)
        warnings.simplefilter("ignore", FewQueriesWarning)
        compared = compare_evaluations(
            {"new": _columns(new, names), "old": _columns(old, names)},
            test=test,
            correction=None,
            baseline="old",
            confidence_level=level,
        )
    worse = {str(measure): measure.spec.lower_is_better for measure in compared.measures}
    return [
        (one, worse[one.measure])
        for one in compared.differences
        if one.wins + one.losses > 0 and not math.isnan(one.p_value)
    ]


def _columns(evaluation: Evaluation, names: list[str]) -> Evaluation:
    """The evaluation by some of its measures."""
    at = [evaluation.column(name) for name in names]
    low, high = evaluation.low, evaluation.high
    return Evaluation(
        tuple(evaluation.measures[column] for column in at),
        evaluation.query_ids,
        evaluation.values[:, at],
        None if low is None else low[:, at],
        None if high is None else high[:, at],
        evaluation.ties,
    )


def marks(found: list[Change], run: str, measure: str) -> list[Change]:
    """The changes of a run that a picture marks: steps that hold, and entries from which on the
    difference from the first entry holds, if no step that holds lies between."""
    own = [one for one in found if (one.run, one.difference.measure) == (run, measure)]
    marked = [one for one in own if one.kind == STEP and one.holds]
    steps = [one.entry for one in marked]
    drifts = {one.entry: one for one in own if one.kind == DRIFT}
    before: Change | None = None  # the drift of the last entry that differs from the one before
    for place in sorted({one.entry for one in own}):
        drift = drifts.get(place)
        if drift is not None and drift.holds:
            is_new = before is None or not before.holds or before.against != drift.against
            if is_new and not any(drift.against < step <= place for step in steps):
                marked.append(drift)
        before = drift
    return sorted(marked, key=lambda one: one.entry)
