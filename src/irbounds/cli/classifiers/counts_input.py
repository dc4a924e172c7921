"""What `irbounds counts` reads: counts as options, a table, or files of labels."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import irbounds
from irbounds.cli.input.headers import folded
from irbounds.cli.input.read import filled_lines, first_of, letter_of, read_labels, read_table
from irbounds.cli.terminal.screen import complain
from irbounds.foundation.errors import InputError
from irbounds.foundation.paths import can_reread, shown_name

if TYPE_CHECKING:
    from irbounds.counts.joint import PairedCounts
    from irbounds.counts.posterior import CountsPosterior

CELLS = ("tp", "fp", "fn", "tn")
HEADERS = {  # of columns of labels
    *("label", "labels", "truth", "gold", "target", "y", "ytrue", "ypred", "class", "actual"),
    *("prediction", "predictions", "predicted", "relevance", "judgment", "judgement"),
}

TRUTH = ("truth", "true", "gold", "ytrue", "target", "actual")


@dataclass
class Entry:
    """One system's counts on one category."""

    system: str
    category: str
    counts: CountsPosterior


def from_options(cells: dict[str, Sequence[float]], prior: float) -> list[Entry]:
    """--tp, --fp, --fn and --tn, each as often as there are systems."""
    given = {name: values for name, values in cells.items() if values}
    missing = [name for name in ("tp", "fp", "fn") if name not in given]
    if missing:
        raise InputError(
            f"give --tp, --fp and --fn, or a table, or label files; --{missing[0]} is missing"
        )
    if len({len(values) for values in given.values()}) > 1:
        found = ", ".join(f"{len(values)} of --{name}" for name, values in given.items())
        raise InputError(f"every system needs all of its counts; found {found}")
    systems = [
        dict(zip(given, values, strict=True)) for values in zip(*given.values(), strict=True)
    ]
    return [
        Entry(letter_of(i), "", irbounds.CountsPosterior(**counts, prior=prior))
        for i, counts in enumerate(systems)
    ]


def from_table(path: str, names: dict[str, str] | None, prior: float) -> list[Entry]:
    """Columns tp, fp, fn, and tn, system (or classifier, run, model) and category where there
    are."""
    columns, rows = read_table(path, CELLS[:3], ("tn", "system", "category"), names)
    system = first_of(("system", "classifier", "run", "model", "judge"), columns)
    category = first_of(("category", "label", "class", "topic"), columns)
    entries: list[Entry] = []
    places: dict[tuple[str, str], str] = {}
    for row in rows:
        cells = {name: row.number(name) for name in CELLS if name in columns}
        try:
            counts = irbounds.CountsPosterior(**cells, prior=prior)
        except InputError as error:
            raise InputError(f"{row.where}: {error}") from None
        entry = Entry(row[system] if system else "", row[category] if category else "", counts)
        told = " ".join(f"{column} {row[column]!r}" for column in (system, category) if column)
        first = places.setdefault((entry.system, entry.category), row.where)
        if told and first != row.where:
            raise InputError(
                f"{row.where}: expected one row for {told}; there is one already at {first}"
            )
        entries.append(entry)
    return entries


def read_label_files(
    truth: str, predictions: Sequence[str], positive: str
) -> tuple[list[str], dict[str, list[str]]]:
    """The true labels, and those of each system, one a line."""
    true = _labels_of(truth, positive)
    predicted: dict[str, list[str]] = {}
    for place, path in enumerate(predictions, 1):
        name = path if path not in predicted else f"{path} ({place})"
        predicted[name] = _labels_of(path, positive)
        if len(predicted[name]) != len(true):
            raise InputError(
                f"{path}: expected {len(true)} labels as in {truth}, found {len(predicted[name])}"
            )
    _refuse_headers({truth: true, **predicted}, positive)
    return _in_one_form(true, predicted)


def read_label_table(path: str, positive: str) -> tuple[list[str], dict[str, list[str]]] | None:
    """The same of a table with a column of true labels and a column for each system; None for other
    tables.  A column whose cells all differ, such as ids, is left out, with a line."""
    if not can_reread(path):
        return None
    lines = filled_lines(path)
    number, header = next(lines, (1, [""]))
    true = [cell for cell in header if folded(cell) in TRUTH]
    if len(true) != 1 or CELLS[0] in map(folded, header):
        return None
    name = shown_name(path)
    if len(header) < 2 or len({*header}) < len(header):
        raise InputError(f"{name}:{number}: expected a column of labels for each system")
    columns: dict[str, list[str]] = {cell: [] for cell in header}
    for number, cells in lines:
        if len(cells) != len(header):
            raise InputError(f"{name}:{number}: expected {len(header)} columns, found {len(cells)}")
        for column, cell in zip(columns, cells, strict=True):
            columns[column].append(cell)
    labels = columns.pop(true[0])
    ids = [one for one, own in columns.items() if 2 < len(own) == len({*own})]
    complain(f"{name}: the column {one!r} is left out, as its cells all differ" for one in ids)
    predicted = {one: own for one, own in columns.items() if one not in ids}
    if not predicted or not labels:
        raise InputError(f"{name}: expected a column of labels for each system, and rows of labels")
    for one, own in ((true[0], labels), *predicted.items()):
        _refuse_missing(name, own, positive, first=2)
        if {*own}.isdisjoint(labels):
            raise InputError(
                f"{name}: no label of the column {one!r} is one of {true[0]!r}: delete a column "
                "that is no system"
            )
    return _in_one_form(labels, predicted)


def _in_one_form(
    true: list[str], predicted: dict[str, list[str]]
) -> tuple[list[str], dict[str, list[str]]]:
    """Numbers that are equal are one label, in the form in which it comes first."""
    from irbounds.foundation.spelling import key_of

    forms: dict[Any, str] = {}
    one = {
        label: forms.setdefault(key_of(label), label)
        for label in dict.fromkeys(itertools.chain(true, *predicted.values()))
    }
    return [one[label] for label in true], {
        name: [one[label] for label in labels] for name, labels in predicted.items()
    }


def from_labels(
    truth: str, true: list[str], predicted: dict[str, list[str]], positive: str, prior: float
) -> tuple[list[Entry], dict[str, PairedCounts]]:
    """The systems of label files; the first is compared with each other one object by object."""
    from irbounds.foundation.spelling import key_of

    keys = {key_of(label) for label in true}
    if key_of(positive) not in keys:
        raise InputError(
            f"{truth}: no object has the label {positive!r}: give the relevant label with "
            f"--positive; found {', '.join(sorted(set(true))[:5])}"
        )
    entries = []
    for path, labels in predicted.items():
        try:
            counts = irbounds.CountsPosterior.from_labels(
                true, labels, positive=positive, prior=prior
            )
        except InputError as error:
            raise InputError(f"{path}: {error}") from None
        entries.append(Entry(path, "", counts))
    first, *others = predicted
    pairs = {
        path: irbounds.PairedCounts.from_labels(
            true, predicted[first], predicted[path], positive=positive, prior=prior
        )
        for path in others
    }
    return entries, pairs


def _labels_of(path: str, positive: str) -> list[str]:
    """The labels of a file, of which none is missing."""
    labels = read_labels(path)
    _refuse_missing(path, labels, positive)
    return labels


def _refuse_missing(path: str, labels: list[str], positive: str, first: int = 1) -> None:
    """Refuse words for missing labels; `first` is the line of the first label."""
    from irbounds.counts.labels import MISSING

    for word in {*labels} & {"", *MISSING} - {positive}:
        number = labels.index(word) + first
        raise InputError(f"{path}:{number}: expected a label, found {word!r}: it is missing")


def _refuse_headers(files: dict[str, list[str]], positive: str) -> None:
    """Refuse a first line that is no label: in each file a word that comes once, the other labels
    being numbers, or the name of a column."""
    from irbounds.foundation.spelling import key_of

    others = {label for labels in files.values() for label in labels[1:]}
    are_numbers = all(not isinstance(key_of(label), str) for label in others)
    for path, labels in files.items():
        if not others or labels[0] in {positive, *others}:
            continue
        cells = re.split("[,;\t]", labels[0])
        if len(cells) > 1 and not HEADERS.isdisjoint(map(folded, cells)):
            raise InputError(
                f"{path}:1: expected a label alone, found the header {labels[0]!r}: give a table "
                f"of labels without --truth and --prediction, as irbounds counts {path}"
            )
        is_word = isinstance(key_of(labels[0]), str)
        if (is_word and are_numbers) or folded(labels[0]) in HEADERS:
            raise InputError(
                f"{path}:1: expected a label, found the header {labels[0]!r}: delete it"
            )
