"""Changes over time that hold: paired tests of evaluations of one run on the same queries."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from irbounds.comparison.data.alignment import COMPARED
from irbounds.comparison.data.difference import Difference
from irbounds.comparison.runs.compare import compare_evaluations
from irbounds.comparison.significance.corrections import adjust, alpha_of
from irbounds.rankings.data.evaluation import Evaluation
from irbounds.rankings.history.history import HistoryEntry
from irbounds.rankings.measure_table.measure import Measure
from irbounds.warnings import FewQueriesWarning, NoVarianceWarning

if TYPE_CHECKING:
    from irbounds.typing import GroupsLike

STEP, DRIFT = "step", "drift"


@dataclass(frozen=True)
class Change:
    """One entry of a run against an earlier one, by one measure.

    Attributes
    ----------
    run : str
    kind : {"step", "drift"}
        Against the entry before that has the measure, or against the first that it can be compared
        with.
    entry, against : int
        Places among the entries of the run.
    difference : Difference
        Its p-value is not adjusted, its interval holds by itself.
    adjusted_p_value : float
    holds : bool
        Whether the adjusted p-value is below 1 - confidence_level.
    lower_is_better : bool
    test : str
        "sign" in place of a test that divides by a variance, where there is none.
    """

    run: str
    kind: str
    entry: int
    against: int
    difference: Difference
    adjusted_p_value: float
    holds: bool
    lower_is_better: bool
    test: str

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
    groups: GroupsLike | None = None,
) -> list[Change]:
    """All tests between entries of the same run, in the order of runs, entries and measures.

    Each entry is tested against the entry before that has the measure, and against the first one
    since judgments or settings changed last.  Values that repeat those of the entry before are no
    new data. Pairs that agree on all queries are not tested, as no chance could turn them.
    """
    found = []
    for run, entries in series.items():
        for place, against, kind, names in _pairs(entries, measures):
            own, earlier = entries[place].evaluation, entries[against].evaluation
            for one, worse, by in _differences(own, earlier, names, test, confidence_level, groups):
                found.append((run, kind, place, against, one, worse, by))
    adjusted = adjust(np.array([row[4].p_value for row in found]), correction)
    alpha = alpha_of(confidence_level)
    return [
        Change(run, kind, place, against, one, float(p), bool(p < alpha), worse, by)
        for (run, kind, place, against, one, worse, by), p in zip(found, adjusted, strict=True)
    ]


def has_tests(measure: str) -> bool:
    """Whether its number over queries is a mean or a sum, which paired tests compare."""
    return Measure.of(measure).spec.aggregate in COMPARED


def _pairs(
    entries: tuple[HistoryEntry, ...], measures: tuple[str, ...]
) -> Iterator[tuple[int, int, str, list[str]]]:
    """The later and the earlier entry, the kind of change, and the measures by which they are
    tested."""
    first: dict[str, int] = {}  # places of entries, by measure
    last: dict[str, int] = {}
    for place, entry in enumerate(entries):
        pairs: dict[tuple[int, str], list[str]] = {}
        for name in filter(entry.evaluation.mean.__contains__, measures):
            before = last.get(name)
            last[name] = place
            if before is None or not entry.is_comparable(entries[before]):
                first[name] = place
            elif not _repeats(entry.evaluation, entries[before].evaluation, name):
                pairs.setdefault((before, STEP), []).append(name)
                start = first[name]
                # where the one before repeats the first, the drift would be the step
                if not _repeats(entries[before].evaluation, entries[start].evaluation, name):
                    pairs.setdefault((start, DRIFT), []).append(name)
        for (against, kind), names in pairs.items():
            yield place, against, kind, names


def _repeats(new: Evaluation, old: Evaluation, name: str) -> bool:
    """Whether the values are the same for the same queries."""
    return new.query_ids == old.query_ids and np.array_equal(new[name], old[name])


def _differences(
    new: Evaluation,
    old: Evaluation,
    measures: list[str],
    test: str,
    level: float,
    groups: GroupsLike | None,
) -> Iterator[tuple[Difference, bool, str]]:
    """One for each measure with finite means, where any query differs; whether lower is better,
    and the test."""
    names = [
        name
        for name in measures
        if has_tests(name) and math.isfinite(new.mean[name]) and math.isfinite(old.mean[name])
    ]
    if not names or not set(new.query_ids) & set(old.query_ids):
        return

    def compared(names: list[str], test: str) -> tuple[Difference, ...]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoVarianceWarning)
            warnings.simplefilter("ignore", FewQueriesWarning)
            return compare_evaluations(
                {"new": _columns(new, names), "old": _columns(old, names)},
                test=test,
                correction=None,
                baseline="old",
                confidence_level=level,
                groups=groups,
            ).differences

    for one in compared(names, test):
        if one.wins + one.losses == 0:
            continue
        by = test
        if math.isnan(one.p_value):
            # The differences are equal, or there is one.  Their signs are all that they say, so
            # that the sign test takes the place of one that divides by their variance.
            by = "sign"
            [one] = compared([one.measure], by)
        yield one, Measure.of(one.measure).spec.lower_is_better, by


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


def marks(own: list[Change]) -> list[Change]:
    """The changes of one run by one measure that a picture marks: steps that hold, and entries from
    which on the difference from the first entry holds, if no step that holds lies between."""
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
