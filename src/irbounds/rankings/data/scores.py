"""Scores that were computed elsewhere: from a table of systems, units and scores to evaluations."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irbounds.foundation.arguments import check_flag
from irbounds.foundation.errors import InputError, check_choice, counted, fail, suggest
from irbounds.foundation.paths import is_path, name_of, numbered, short_names
from irbounds.rankings.data.evaluation import Evaluation
from irbounds.rankings.measure_table.measure import Measure
from irbounds.rankings.reading.score_tables import ScoreTable, read_table

if TYPE_CHECKING:
    from irbounds.typing import FloatArray, IntArray

# Names of columns, the arguments' defaults first.
KNOWN = {
    "system": (
        *("system", "model", "system_id", "model_name", "model_label"),
        *("prompt", "template", "prompt_template", "run", "run_id", "name"),
    ),
    "unit": (
        *("unit", "query", "query_id", "qid", "item", "item_id", "id", "example", "example_id"),
        *("input", "input_label", "question_id", "instance_id", "task"),
    ),
    "score": ("score", "value", "metric_value"),
    "measure": ("measure", "metric", "metric_name", "evaluator", "scorer"),
    "group": ("group", "group_id", "cluster", "cluster_id"),
    "repeat": ("repeat", "repeat_id", "epoch", "trial", "seed", "sample_idx", "run"),
}
QUESTIONS = ("user_input", "question")  # of ragas, which has no ids: the text is the unit
SUMMARY = "settings"  # a column of `irbounds eval --per-query`, filled in the rows of summaries
WORDS = {"true": 1.0, "false": 0.0, "": math.nan, "nan": math.nan, "na": math.nan}
UNIT_LIMITS = (0.0, 1.0)
MOST_NAMED = 5


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


class Names(NamedTuple):
    """The columns that the caller named, or their defaults."""

    system: Any
    unit: Any
    score: Any
    measure: Any
    group: Any
    repeat: Any


class Part(NamedTuple):
    """Rows of a table in long form: a score, and the places of what it is of."""

    systems: list[str]
    units: list[Any]
    measures: list[str]
    repeats: list[str] | None
    scores: FloatArray
    where: Callable[[int], str]


def read_scores(
    source: Any,
    system: str = "system",
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
    system, unit, score : str
        Columns.  Where the defaults are absent, usual names are taken (``model``, ``query_id``,
        ``value``).  Several columns of units make pairs.  Without a column of scores, each column
        of numbers is a measure, or a system where there is no column of systems; `score` may list
        them.
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
    parts, groups, labels = [], {}, {column: {} for column in columns}  # type: ignore[var-annotated]
    for name, one in _sources(source).items():
        table = read_table(one, name)
        part, units = _long(table, name, names, columns)
        parts.append(part)
        found = _column(table, "group", group)
        if found is not None:
            _add_labels(groups, units, table, found)
        for column in columns:
            if column not in table.columns:
                raise _absent(table, column, "by")
            _add_labels(labels[column], units, table, column)
    joined = _joined(parts)
    return _arranged(joined, missing, lower_is_better, groups or None, labels)


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


# Columns ------------------------------------------------------------------------------------------


def _absent(table: ScoreTable, wanted: str, role: str) -> InputError:
    known = list(table.columns)
    usual = KNOWN.get(role, ())
    others = f" (or {', '.join(usual[1:])})" if wanted in usual[:1] else ""
    hint = suggest(wanted, known) or (f": name it with {role}=" if others else "")
    return InputError(
        f"{table.name}: expected a column {wanted!r}{others}; found {', '.join(known[:20])}{hint}"
    )


def _column(
    table: ScoreTable, role: str, given: str | None, taken: Iterable[str | None] = ()
) -> str | None:
    """The column of a role: the one that was named, or the first of the usual names that no other
    role has taken."""
    known = KNOWN[role]
    if given is not None and given in table.columns:
        return given
    if given is not None and given != known[0]:
        raise _absent(table, given, role)
    taken = {None, *taken}
    spelt = {name.strip().casefold(): name for name in reversed(table.columns)}
    return next((spelt[name] for name in known if spelt.get(name) not in taken), None)


def _ids(table: ScoreTable, column: str) -> list[str]:
    """The ids of a column as text; each row must have one."""
    cells = table.columns[column]
    if set(map(type, cells)) != {str}:
        bad = next((i for i, cell in enumerate(cells) if cell is None or cell != cell), None)
        if bad is not None:
            raise InputError(f"{table.where(bad)}: column {column!r} has no value")
        cells = list(map(str, cells))
    ids = list(map(str.strip, cells))
    if "" in ids:
        raise InputError(f"{table.where(ids.index(''))}: column {column!r} has no value")
    return ids


def _units(table: ScoreTable, given: str | Sequence[str]) -> tuple[list[str], list[Any]]:
    """The columns of the units, and the units."""
    if not isinstance(given, str):
        columns = list(given)
        for column in columns:
            if column not in table.columns:
                raise _absent(table, column, "unit")
        return columns, list(zip(*(_ids(table, column) for column in columns), strict=True))
    column = _column(table, "unit", given)
    column = column or next((name for name in QUESTIONS if name in table.columns), None)
    if column is None:
        raise _absent(table, given, "unit")
    return [column], _ids(table, column)


def _number(cell: Any) -> float | None:
    """The number of a cell, nan if it is empty; None if it holds anything else."""
    if cell is None:
        return math.nan
    if isinstance(cell, str) and cell.strip().lower() in WORDS:
        return WORDS[cell.strip().lower()]
    try:
        return float(cell)
    except (TypeError, ValueError, OverflowError):
        return None


def _numbers(table: ScoreTable, column: str) -> FloatArray:
    """The scores of a column; nan where it has none."""
    cells = table.columns[column]
    try:
        numbers = np.array(list(map(float, cells)))
    except (TypeError, ValueError, OverflowError):
        found = list(map(_number, cells))
        if None in found:
            bad = found.index(None)
            raise InputError(
                f"{table.where(bad)}: column {column!r} must hold numbers; found {cells[bad]!r}"
            ) from None
        numbers = np.array(found, float)
    if np.isinf(numbers).any():
        bad = int(np.argmax(np.isinf(numbers)))
        raise InputError(f"{table.where(bad)}: column {column!r} must be finite")
    return numbers


def _holds_numbers(cells: Sequence[Any]) -> bool:
    """Whether a column has a number; one of text alone is none of scores."""
    return any(number is not None and number == number for number in map(_number, cells))


# Rows ---------------------------------------------------------------------------------------------


def _long(table: ScoreTable, name: str, names: Names, by: list[str]) -> tuple[Part, list[Any]]:
    """The rows of a table in long form, and the units of its own rows."""
    table = _without_summaries(table)
    unit_columns, units = _units(table, names.unit)
    system = _column(table, "system", names.system, unit_columns)
    taken = {*unit_columns, *by, system}
    measure = _column(table, "measure", names.measure, taken)
    repeat = _column(table, "repeat", names.repeat, {*taken, measure})
    taken |= {measure, repeat, _column(table, "group", names.group, {*taken, measure, repeat})}
    score = _column(table, "score", names.score) if isinstance(names.score, str) else None
    if not isinstance(names.score, str):
        values = list(names.score)
        for column in values:
            if column not in table.columns:
                raise _absent(table, column, "score")
    elif score is not None:
        values = [score]
    else:
        values = [
            column
            for column, cells in table.columns.items()
            if column not in taken and _holds_numbers(cells)
        ]
        if not values:
            raise _absent(table, str(names.score), "score")
    # A column of systems, or one scores' column in a table of one system: values are measures.
    is_of_systems = system is None and score is None and not set(QUESTIONS) & set(unit_columns)
    n = table.n_rows
    own_systems = _ids(table, system) if system is not None else [name] * n
    own_measures = _ids(table, measure) if measure is not None else None
    own_repeats = _ids(table, repeat) if repeat is not None else None
    systems: list[str] = []
    measures: list[str] = []
    for column in values:
        systems += [column] * n if is_of_systems else own_systems
        if own_measures is not None:
            measures += own_measures
        else:
            measures += ["score" if is_of_systems or score is not None else column] * n
    scores = np.concatenate([_numbers(table, column) for column in values])
    part = Part(
        systems,
        units * len(values),
        measures,
        None if own_repeats is None else own_repeats * len(values),
        scores,
        lambda row: table.where(row % n),
    )
    return part, units


def _without_summaries(table: ScoreTable) -> ScoreTable:
    """The table without the rows of means that `irbounds eval --per-query` writes."""
    if SUMMARY not in table.columns or "query_id" not in table.columns:
        return table
    kept = [row for row, cell in enumerate(table.columns[SUMMARY]) if not cell]
    columns = {
        name: [cells[row] for row in kept]
        for name, cells in table.columns.items()
        if name != SUMMARY
    }
    return ScoreTable(columns, table.name, lambda row: table.where(kept[row]))


def _add_labels(labels: dict[Any, str], units: list[Any], table: ScoreTable, column: str) -> None:
    """Add the label of each unit, which must be one in all its rows."""
    own = _ids(_without_summaries(table), column)
    for row, (unit, label) in enumerate(zip(units, own, strict=True)):
        if labels.setdefault(unit, label) != label:
            raise InputError(
                f"{table.where(row)}: unit {unit!r} has the {column} {label!r} here and "
                f"{labels[unit]!r} before: a unit has one"
            )


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
    each = None
    if part.repeats is None or len(set(part.repeats)) == 1:
        _refuse_twice(cell, n_cells, part, "name the column of repeats with `repeat`")
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
