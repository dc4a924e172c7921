"""The columns of a table of scores: which has systems, units and scores, and the rows in long
form."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irbounds._core.documents.doc_rows import BadRow, id_as_text
from irbounds.foundation.errors import InputError, suggest
from irbounds.rankings.reading.score_tables import ScoreTable

if TYPE_CHECKING:
    from irbounds.typing import FloatArray

# Names of columns, the arguments' defaults first.
KNOWN = {
    "system": (
        *("system", "model", "system_id", "model_id", "model_name"),
        *("model_label", "prompt", "prompt_id", "template", "template_label", "prompt_template"),
        *("run", "run_id", "name"),
    ),
    "unit": (
        *("unit", "query", "query_id", "qid", "item", "item_id", "id", "example", "example_id"),
        *(
            "sample_id",
            "input",
            "input_id",
            "input_label",
            "question_id",
            "instance_id",
            "doc_id",
            "task",
        ),
    ),
    "score": ("score", "value", "metric_value", "correct"),
    "measure": ("measure", "metric", "metric_name", "evaluator", "scorer"),
    "group": ("group", "group_id", "cluster", "cluster_id"),
    "repeat": ("repeat", "repeat_id", "epoch", "trial", "seed", "sample_idx", "run_idx", "run"),
}
# beside a column of models: a system is a model with a prompt
PROMPTS = ("prompt_id", "template_label")
PLACES = ("_idx", "_index")  # endings of columns that number rows, which are no scores
INDEX = ("", "Unnamed: 0", "index")  # what pandas writes of an index without a name
RAGAS = "user_input"  # its units, which have no ids; it was "question", beside text of answers
QUESTIONS = (RAGAS, "question", "prompt")  # where there are no ids the text is the unit
SUMMARY = "settings"  # a column of `irbounds eval --per-query`, filled in the rows of summaries
WORDS = {"true": 1.0, "false": 0.0, "": math.nan, "nan": math.nan, "na": math.nan}


class Names(NamedTuple):
    """The columns that the caller named, or their defaults."""

    system: str | Sequence[str]
    unit: str | Sequence[str]
    score: Any
    measure: str | None
    group: str | None
    repeat: str | None


class Part(NamedTuple):
    """Rows of a table in long form: a score, and the places of what it is of."""

    systems: list[str]
    units: list[Any]
    measures: list[str]
    repeats: list[str] | None
    scores: FloatArray
    where: Callable[[int], str]


def absent_column(table: ScoreTable, wanted: str, role: str) -> InputError:
    """The error of a column that a table lacks, with those that it has."""
    known = list(table.columns)
    usual = KNOWN.get(role, ())
    others = f" (or {', '.join(usual[1:])})" if wanted in usual[:1] else ""
    hint = suggest(wanted, known) or (f": name it with {role}=" if others else "")
    return InputError(
        f"{table.name}: expected a column {wanted!r}{others}; found {', '.join(known[:20])}{hint}"
    )


def find_column(
    table: ScoreTable, role: str, given: str | None, taken: Iterable[str | None] = ()
) -> str | None:
    """The column of a role: the one that was named, or the first of the usual names that no other
    role has taken."""
    known = KNOWN[role]
    if given is not None and given in table.columns:
        return given
    if given is not None and given != known[0]:
        raise absent_column(table, given, role)
    others = {None, *taken}
    spelt = {name.strip().casefold(): name for name in reversed(list(table.columns))}
    return next((spelt[name] for name in known if spelt.get(name) not in others), None)


def _id_text(cell: Any) -> str:
    """An id as text: whole numbers of every type are one id, as in judgments and runs."""
    try:
        return id_as_text(cell)
    except BadRow:  # fractions, dates
        return str(cell)


def _ids(table: ScoreTable, column: str) -> list[str]:
    """The ids of a column as text; each row must have one."""
    cells = table.columns[column]
    if set(map(type, cells)) != {str}:
        bad = next((i for i, cell in enumerate(cells) if cell is None or cell != cell), None)
        if bad is not None:
            raise InputError(f"{table.where(bad)}: column {column!r} has no value")
        cells = list(map(_id_text, cells))
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
                raise absent_column(table, column, "unit")
        return columns, list(zip(*(_ids(table, column) for column in columns), strict=True))
    found = find_column(table, "unit", given)
    found = found or next((name for name in QUESTIONS + INDEX if name in table.columns), None)
    if found is None:
        raise absent_column(table, given, "unit")
    return [found], _ids(table, found)


def _systems(
    table: ScoreTable, given: str | Sequence[str], unit_columns: list[str]
) -> tuple[list[str], list[str]]:
    """The columns of the systems, and the system of each row; nothing where there are none."""
    if isinstance(given, str):
        column = find_column(table, "system", given, unit_columns)
        if column is None:
            return [], []
        prompts = [name for name in PROMPTS if name in table.columns and name != column]
        columns = [column, *prompts[:1]]
    else:
        columns = list(given)
    for column in columns:
        if column not in table.columns:
            raise absent_column(table, column, "system")
    rows = zip(*(_ids(table, column) for column in columns), strict=True)
    return columns, [", ".join(row) for row in rows]


def _number(cell: Any) -> float | None:
    """The number of a cell, nan if it is empty; None if it holds anything else."""
    if cell is None:
        return math.nan
    if isinstance(cell, str) and cell.strip().lower() in WORDS:
        return WORDS[cell.strip().lower()]
    try:
        # Python reads 1_0 and digits of other scripts as well
        return float(cell) if not isinstance(cell, str) or _is_plain(cell) else None
    except (TypeError, ValueError, OverflowError):
        return None


def _is_plain(cell: str) -> bool:
    return cell.isascii() and "_" not in cell


def _numbers(table: ScoreTable, column: str) -> FloatArray:
    """The scores of a column; nan where it has none."""
    cells = table.columns[column]
    try:
        numbers = np.array(list(map(float, cells)))
        if not all(_is_plain(cell) for cell in cells if isinstance(cell, str)):
            raise ValueError
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


def _is_index(column: str) -> bool:
    """Whether a column numbers rows."""
    return column in INDEX or column.endswith(PLACES)


def _holds_numbers(cells: Sequence[Any]) -> bool:
    """Whether a column has a number; one of text alone is none of scores."""
    return any(number is not None and number == number for number in map(_number, cells))


def long_rows(table: ScoreTable, name: str, names: Names, by: list[str]) -> tuple[Part, list[Any]]:
    """The rows of a table in long form, and the units of its own rows."""
    table = _without_summaries(table)
    unit_columns, units = _units(table, names.unit)
    system_columns, own_systems = _systems(table, names.system, unit_columns)
    taken: set[str | None] = {*unit_columns, *by, *system_columns}
    measure = find_column(table, "measure", names.measure, taken)
    repeat = find_column(table, "repeat", names.repeat, {*taken, measure})
    taken |= {measure, repeat, find_column(table, "group", names.group, {*taken, measure, repeat})}
    score = find_column(table, "score", names.score) if isinstance(names.score, str) else None
    if not isinstance(names.score, str):
        values = list(names.score)
        for column in values:
            if column not in table.columns:
                raise absent_column(table, column, "score")
    elif score is not None:
        values = [score]
    else:
        values = [
            column
            for column, cells in table.columns.items()
            if column not in taken
            and not _is_index(column)
            and column.strip().casefold() not in KNOWN["unit"]
            and _holds_numbers(cells)
        ]
        if not values:
            raise absent_column(table, str(names.score), "score")
    # A column of systems, or one scores' column in a table of one system: values are measures.
    is_of_ragas = RAGAS in unit_columns or (
        unit_columns == ["question"] != [names.unit]
        and not all(x in taken or _holds_numbers(cells) for x, cells in table.columns.items())
    )
    is_of_systems = not system_columns and score is None and not is_of_ragas
    n = table.n_rows
    own_systems = own_systems or [name] * n
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


def add_labels(labels: dict[Any, str], units: list[Any], table: ScoreTable, column: str) -> None:
    """Add the label of each unit, which must be one in all its rows."""
    own = _ids(_without_summaries(table), column)
    for row, (unit, label) in enumerate(zip(units, own, strict=True)):
        if labels.setdefault(unit, label) != label:
            raise InputError(
                f"{table.where(row)}: unit {unit!r} has the {column} {label!r} here and "
                f"{labels[unit]!r} before: a unit has one"
            )
