"""Scores that were computed elsewhere: from a table of systems, units and scores to evaluations."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.foundation.arguments import check_flag
from irbounds.foundation.errors import InputError, check_choice, counted, fail
from irbounds.foundation.paths import can_reread, is_path, name_of, numbered, short_names
from irbounds.queries.repeats import Repeated, repeated_interval
from irbounds.rankings.data.evaluation import Evaluation
from irbounds.rankings.data.score_columns import (
    Names,
    Part,
    absent_column,
    add_labels,
    find_column,
    long_rows,
)
from irbounds.rankings.data.warnings import warn_of_run
from irbounds.rankings.measure_table.measure import Measure
from irbounds.rankings.reading.score_tables import read_table

SUMMARIES = ("all", "mean", "average", "avg", "total", "overall", "mittelwert", "moyenne")

if TYPE_CHECKING:
    from irbounds.typing import FloatArray, IntArray, MeasureLike

UNIT_LIMITS = (0.0, 1.0)
MOST_NAMED = 5
TWICE = (
    "name the column of repeats with `repeat`, or all columns that tell systems apart with `system`"
)


class Scores(dict[str, Evaluation]):
    """Evaluations by system, and what the table says of its units.

    Attributes
    ----------
    groups : dict or None
        The group of each unit, where the table has such a column.
    labels : dict of dict
        For each column of `by` the label of each unit.
    repeats : dict
        For each system the scores of all repeats, shape (units, repeats, measures), nan where
        there are fewer; empty without repeats.
    paths : list of str
        The files that were read and can be read again.
    """

    def __init__(
        self,
        evaluations: Mapping[str, Evaluation],
        groups: dict[Any, str] | None = None,
        labels: dict[str, dict[Any, str]] | None = None,
        repeats: dict[str, FloatArray] | None = None,
    ) -> None:
        super().__init__(evaluations)
        self.groups = groups
        self.labels = labels or {}
        self.repeats = repeats or {}
        self.paths: list[str] = []

    def repeated(
        self,
        system: str,
        measure: MeasureLike | None = None,
        *,
        against: str | None = None,
        design: str = "nested",
        confidence_level: float = 0.95,
    ) -> Repeated:
        """The mean of a system, or its difference from another, over units and repeats; units of
        one of the `groups` are taken as alike.

        Parameters
        ----------
        system, against : str
        measure : str, optional
            The only one, if not given.
        design, confidence_level
            As in `queries.repeated_interval`.

        Returns
        -------
        Repeated
        """
        for name in (system, against):
            if name is not None and name not in self.repeats:
                found = "no system" if not self.repeats else ", ".join(self.repeats)
                fail("system", f"must be one with repeats: {found}", name)
        measures = self[system].measures
        if measure is None and len(measures) > 1:
            raise InputError(f"pass `measure`, one of {', '.join(measures)}")
        column = self[system].column(measures[0] if measure is None else measure)
        scores = self.repeats[system][:, :, column]
        if against is not None:
            scores = scores - self.repeats[against][:, :, column]
        labels = self.groups and [self.groups.get(unit) for unit in self[system].query_ids]
        return repeated_interval(scores, design, confidence_level, groups=labels)


def read_scores(
    source: Any,
    system: str | Sequence[str] = "system",
    unit: str | Sequence[str] = "unit",
    score: str | Sequence[str] = "score",
    measure: str | None = None,
    group: str | None = None,
    repeat: str | None = None,
    *,
    by: str | Sequence[str] = (),
    missing: str = "error",
    lower_is_better: bool | Iterable[str] = False,
) -> Scores:
    """Read a table of scores: a row for each system and unit, or a column for each system.

    Parameters
    ----------
    source : path, data frame, list of dict, or a list or dict of these
        CSV, TSV, JSON lines, JSON, Parquet or Arrow, also compressed; and results of Inspect,
        lm-eval (``samples_*.jsonl``), promptfoo and ragas.  A table that names no system is of
        one, called by its file or its key.
    system, unit, score : str or list of str
        Columns.  Where the defaults are absent, usual names are taken (``model``, ``query_id``,
        ``value``).  Several columns of systems or units are joined.  Without a column of scores,
        each column of numbers is a measure, or a system where there is no column of systems;
        `score` may list them.
    measure, group, repeat : str, optional
        Columns; ``measure``, ``metric``, ``group``, ``cluster``, ``repeat`` and ``epoch`` are
        found.  Repeats of a unit are averaged.
    by : str or list of str
        Columns whose labels slice the units.
    missing : {"error", "skip"}
        Refuse units that a system has no score for, or leave them out of all systems.  No score
        counts as 0.
    lower_is_better : bool or list of str
        For all measures, or for those.

    Returns
    -------
    Scores
        A dict of `Evaluation` by system.  Measures whose scores all lie between 0 and 1 have
        these limits.

    Raises
    ------
    InputError
        For columns that are absent, cells that are no numbers, units without a score, and two
        scores of a system for a unit where no column says which repeat each is.

    Warns
    -----
    RunWarning
        Where repeats that all units have move the scores of a system together, by more than
        chance: `Scores.repeated`.

    Examples
    --------
    >>> import irbounds as irb
    >>> rows = [
    ...     {"model": model, "id": unit, "score": score}
    ...     for model, scores in {"a": (1, 0, 1), "b": (1, 1, 1)}.items()
    ...     for unit, score in enumerate(scores)
    ... ]
    >>> scores = irb.rankings.read_scores(rows)
    >>> {name: round(found.mean["score"], 4) for name, found in scores.items()}
    {'a': 0.6667, 'b': 1.0}
    """
    check_choice("missing", missing, ("error", "skip"))
    names = Names(system, unit, score, measure, group, repeat)
    columns = [by] if isinstance(by, str) else list(by)
    sources = _sources(source)
    parts: list[Part] = []
    groups: dict[Any, str] = {}
    labels: dict[str, dict[Any, str]] = {column: {} for column in columns}
    for name, one in sources.items():
        table = read_table(one, name)
        part, units = long_rows(table, name, names, columns)
        parts.append(part)
        own = find_column(table, "group", group)
        if own is not None:
            add_labels(groups, units, table, own)
        for column in columns:
            if column not in table.columns:
                raise absent_column(table, column, "by")
            add_labels(labels[column], units, table, column)
    joined = _joined(parts)
    found = _arranged(joined, missing, lower_is_better, groups or None, labels)
    _tell_of_repeats(found)
    _tell_of_summaries(found)
    found.paths = [name_of(one) for one in sources.values() if is_path(one) and can_reread(one)]
    return found


def _sources(source: Any) -> dict[str, Any]:
    """Tables by name."""
    if isinstance(source, Mapping):
        if not source:
            fail("source", "must have a table", source)
        return {str(name): one for name, one in source.items()}
    if isinstance(source, list | tuple) and not all(isinstance(one, dict) for one in source):
        if not all(map(is_path, source)):
            fail("source", "must be a list of paths, or a dict of tables by name", source)
        short = short_names([name_of(path) for path in source])
        return dict(zip(numbered(short), source, strict=True))
    if is_path(source):
        return {short_names([name_of(source)])[0]: source}
    return {"scores": source}


def _joined(parts: list[Part]) -> Part:
    """The rows of all tables."""
    if len(parts) == 1:
        return parts[0]
    ends = list(itertools.accumulate(len(part.units) for part in parts))

    def where(row: int) -> str:
        place = next(i for i, end in enumerate(ends) if row < end)
        return parts[place].where(row - (ends[place] - len(parts[place].units)))

    has_repeats = any(part.repeats is not None for part in parts)
    return Part(
        [one for part in parts for one in part.systems],
        [one for part in parts for one in part.units],
        [one for part in parts for one in part.measures],
        [one for part in parts for one in part.repeats or ["1"] * len(part.units)]
        if has_repeats
        else None,
        np.concatenate([part.scores for part in parts]),
        where,
    )


def _places(cells: Sequence[Any]) -> tuple[list[Any], IntArray]:
    """The different values in the order of the table, and the place of each row's."""
    place = {one: number for number, one in enumerate(dict.fromkeys(cells))}
    return list(place), np.fromiter(map(place.__getitem__, cells), np.int64, len(cells))


def _arranged(
    part: Part,
    missing: str,
    lower_is_better: bool | Iterable[str],
    groups: dict[Any, str] | None,
    labels: dict[str, dict[Any, str]],
) -> Scores:
    if not len(part.scores):
        raise InputError("the table has no rows")
    systems, system = _places(part.systems)
    units, unit = _places(part.units)
    measures, measure = _places(part.measures)
    shape = len(systems), len(units), len(measures)
    cell = (system * shape[1] + unit) * shape[2] + measure
    has_score = ~np.isnan(part.scores)
    n_cells = math.prod(shape)
    each: np.ndarray | None = None
    if part.repeats is None or len(set(part.repeats)) == 1:
        _refuse_twice(cell, n_cells, part, TWICE)
        values = np.full(n_cells, math.nan)
        values[cell] = part.scores
    else:
        names, repeat = _places(part.repeats)
        own = cell * len(names) + repeat
        _refuse_twice(own, n_cells * len(names), part, "each repeat must have one")
        each = np.full(n_cells * len(names), math.nan)
        each[own] = part.scores
        each = each.reshape(*shape, len(names))
        kept = cell[has_score]
        n_repeats = np.bincount(kept, minlength=n_cells)
        sums = np.bincount(kept, part.scores[has_score], n_cells)
        values = np.where(n_repeats > 0, sums / np.maximum(n_repeats, 1), math.nan)
    values = values.reshape(shape)
    is_whole = ~np.isnan(values).any(axis=2)  # systems × units
    if not is_whole.all():
        if missing == "error":
            raise _incomplete(is_whole, systems, units)
        if not is_whole.all(axis=0).any():
            raise InputError("no unit has a score of every system by every measure")
    rows = np.flatnonzero(is_whole.all(axis=0))
    values = values[:, rows]
    kept_units = tuple(units[row] for row in rows.tolist())
    lower = _lower(lower_is_better, measures)
    listed = tuple(
        Measure.elsewhere(name, _limits(values[:, :, place]), name in lower)
        for place, name in enumerate(measures)
    )
    found = {
        str(name): Evaluation(
            listed,
            kept_units,
            values[place],
            missing_queries=tuple(units[row] for row in np.flatnonzero(~is_whole[place]).tolist()),
        )
        for place, name in enumerate(systems)
    }
    repeats = (
        {}
        if each is None
        else {str(name): each[place][rows].transpose(0, 2, 1) for place, name in enumerate(systems)}
    )
    return Scores(found, groups, labels, repeats)


def _tell_of_repeats(scores: Scores) -> None:
    """Warn of systems whose repeats move all units together, and add it to their cautions."""
    for system, own in scores.repeats.items():
        if np.isnan(own).any() or len(own) < 2:
            continue  # units have repeats of their own
        measures = scores[system].measures
        names = [
            name
            for name in measures
            if scores.repeated(system, name, design="crossed").moves_together
        ]
        if names:
            by = f" by {', '.join(names)}" if len(measures) > 1 else ""
            line = (
                f"the scores of a repeat move together over units{by}: intervals over units are "
                "too narrow, `repeated` with design='crossed' has one over both"
            )
            scores[system] = replace(scores[system], cautions=(line,))
            warn_of_run(system, (line,))


def _tell_of_summaries(scores: Scores) -> None:
    """Warn of a unit that is the mean of the others, by its name and its scores."""
    units = next(iter(scores.values())).query_ids
    found = [place for place, unit in enumerate(units) if str(unit).casefold() in SUMMARIES]
    for place in found * (len(units) > 2):
        if all(
            np.allclose(np.delete(own.values, place, 0).mean(0), own.values[place], atol=1e-3)
            for own in scores.values()
        ):
            of_others = f"has the mean of the other {len(units) - 1} units in all columns"
            line = f"unit {units[place]!r} {of_others}: if it is a summary, leave its rows out"
            warn_of_run("scores", (line,))


def moved_measures(scores: Scores, system: str, against: str) -> list[str]:
    """Measures by which a repeat moves the differences of two systems over all units, by a test at
    0.05: tests over units then err more often than they say."""
    if not scores.repeats or any(np.isnan(scores.repeats[x]).any() for x in (system, against)):
        return []
    found = []
    for name in scores[system].measures if len(scores[system].values) > 1 else ():
        over_both = scores.repeated(system, name, against=against, design="crossed")
        if over_both._p_of_repeats < 0.05:
            found.append(name)
    return found


def _refuse_twice(cell: IntArray, n_cells: int, part: Part, hint: str) -> None:
    is_dense = n_cells <= 8 * len(cell)  # counts take less than sorting then
    if (int(np.bincount(cell).max()) if is_dense else len(cell) - len(np.unique(cell)) + 1) == 1:
        return
    order = np.argsort(cell, kind="stable")
    again = order[1:][np.diff(cell[order]) == 0]
    row = int(again.min())
    of = f" by {part.measures[row]!r}" if len(set(part.measures)) > 1 else ""
    raise InputError(
        f"{part.where(row)}: {part.systems[row]!r} has two scores for unit "
        f"{part.units[row]!r}{of}: {hint}"
    )


def _incomplete(is_whole: np.ndarray, systems: list[str], units: list[Any]) -> InputError:
    place = int(np.argmin(is_whole.all(axis=1)))
    lacking = [repr(units[row]) for row in np.flatnonzero(~is_whole[place]).tolist()]
    listed = ", ".join(lacking[:MOST_NAMED]) + (", …" if len(lacking) > MOST_NAMED else "")
    return InputError(
        f"{systems[place]!r} has no score for {counted(len(lacking), 'unit', 'units')}: {listed}; "
        "give them, or leave them out for all systems with missing='skip'"
    )


def _lower(given: bool | Iterable[str], measures: list[str]) -> set[str]:
    if isinstance(given, bool | np.bool_):
        return set(measures) if check_flag("lower_is_better", given) else set()
    chosen = {given} if isinstance(given, str) else set(given)
    unknown = chosen.difference(measures)
    if unknown:
        fail("lower_is_better", f"must be of {', '.join(measures)}", sorted(unknown)[0])
    return chosen


def _limits(values: FloatArray) -> tuple[float, float] | None:
    """0 and 1 where all scores lie there: whoever has others does not have them all there."""
    return UNIT_LIMITS if values.min() >= 0 and values.max() <= 1 else None
