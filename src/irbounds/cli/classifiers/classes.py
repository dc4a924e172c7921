"""`irbounds counts` for one label of several classes: files of labels, and tables of truth by
prediction."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from irbounds.cli.input.numbers import number_of
from irbounds.cli.input.read import filled_lines
from irbounds.cli.reviews.foot_lines import percent_of
from irbounds.cli.terminal.render import Report, Table, interval_cells
from irbounds.foundation.errors import InputError
from irbounds.foundation.paths import shown_name
from irbounds.foundation.rounding import as_estimate, probability

if TYPE_CHECKING:
    from irbounds.counts.confusion import ConfusionPosterior
    from irbounds.counts.confusion_pairs import PairedConfusion

AVERAGES = {"micro": "(accuracy)", "macro": "(macro-average)", "weighted": "(weighted average)"}
MOST_CLASSES = 200  # more are likely no labels
PRIOR = 0.5  # of each class against the others, and of the accuracy
BETTER = "P(first better in macro-averaged F; same objects)"


def of_labels(
    truth: str, true: list[str], predicted: Mapping[str, list[str]]
) -> tuple[dict[str, ConfusionPosterior], dict[str, PairedConfusion]]:
    """The systems of label files, and the first one beside each other one."""
    from irbounds.counts.confusion import ConfusionPosterior
    from irbounds.counts.confusion_pairs import PairedConfusion

    names = sorted({*true, *itertools.chain(*predicted.values())})
    if len(names) > MOST_CLASSES:
        raise InputError(
            f"{truth}: {len(names)} different labels, more than {MOST_CLASSES}: are these labels? "
            "--truth and --prediction take one label a line; a table with a column truth and one "
            "for each system is given alone"
        )
    systems = {
        path: ConfusionPosterior.from_labels(true, labels, names)
        for path, labels in predicted.items()
    }
    first, *others = predicted
    pairs = {
        path: PairedConfusion.from_labels(true, predicted[first], predicted[path], names)
        for path in others
    }
    return systems, pairs


def read_confusion(path: str) -> ConfusionPosterior:
    """A table of truth (rows) by prediction (columns), with the labels in its first row and
    column."""
    from irbounds.counts.confusion import ConfusionPosterior

    lines = list(filled_lines(path))
    name = shown_name(path)
    (_, header), *rows = lines or [(0, [])]
    labels = [cell.strip() for cell in header[1:]]
    if [cells[0].strip() for _, cells in rows] != labels or not labels:
        raise InputError(
            f"{name}: expected the labels of the predictions in the first line, and the same ones "
            "in the same order as the first cell of each further line, which is for a true label"
        )
    table = []
    for number, cells in rows:
        if len(cells) != len(header):
            raise InputError(f"{name}:{number}: expected {len(header)} cells, found {len(cells)}")
        try:
            table.append([number_of(cell, is_count=True) for cell in cells[1:]])
        except ValueError as error:
            raise InputError(f"{name}:{number}: expected counts{error}") from None
    try:
        return ConfusionPosterior(table, labels)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def report_of_classes(
    systems: Mapping[str, ConfusionPosterior],
    pairs: Mapping[str, PairedConfusion],
    beta: float,
    level: float,
) -> Report:
    """A row for each class and each average."""
    records = [
        record | ({BETTER: _better(pairs, system, record["class"], beta)} if pairs else {})
        for system, post in systems.items()
        for record in _records(system, post, beta, level)
    ]
    shown = [name for name in ("system",) if len(systems) > 1]
    titles = {"precision": "precision", "recall": "recall", "f": f"F{beta:g}"}
    header = [*shown, "class", "objects", *titles.values(), *([BETTER] * bool(pairs))]
    rows = [
        [
            *(record[name] for name in shown),
            record["class"],
            f"{record['objects']:.15g}",
            *(_cell(record, name) for name in titles),
            *([share_cell(record[BETTER])] if pairs else []),
        ]
        for record in records
    ]
    return Report(
        list(records[0]),
        [list(record.values()) for record in records],
        shown=Table(header, rows, len(shown) + 1),
        document={
            "confidence_level": level,
            "beta": beta,
            "prior": PRIOR,
            "estimate": "posterior mean",
            "rows": records,
        },
        notes=[
            f"observed values, and in brackets {percent_of(level)} intervals, equal-tailed; "
            f"prior λ = {PRIOR:g}",
            "a class without objects counts 0 in observed averages",
        ],
    )


def _records(
    system: str, post: ConfusionPosterior, beta: float, level: float
) -> list[dict[str, Any]]:
    from irbounds.counts.confusion_pairs import observed

    records = []
    rows = dict(zip(post.labels, post.table.sum(axis=1).tolist(), strict=True))
    for average in (*post.labels, *AVERAGES):
        record: dict[str, Any] = {"system": system, "class": AVERAGES.get(average, average)}
        record["objects"] = rows.get(average, float(post.table.sum()))
        laws = {
            "precision": post.precision(average),
            "recall": post.recall(average),
            "f": post.f(average, beta),
        }
        for name, law in laws.items():
            low, high = law.interval(level)
            record |= {
                f"{name}.observed": observed(post, name, average, beta),
                name: float(law.mean),
                f"{name}.low": low,
                f"{name}.high": high,
            }
        record["prior"] = PRIOR
        records.append(record)
    return records


def _better(
    pairs: Mapping[str, PairedConfusion], system: str, shown: str, beta: float
) -> float | None:
    if system not in pairs or shown != AVERAGES["macro"]:
        return None
    return float(pairs[system].prob_superior("f", "macro", beta).probability)


def _cell(record: dict[str, Any], name: str) -> str:
    _, low, high = interval_cells(*(record[key] for key in (name, f"{name}.low", f"{name}.high")))
    return f"{as_estimate(record[f'{name}.observed'])} [{low}, {high}]"


def share_cell(share: float | None) -> str:
    """A probability in a cell; empty where there is none."""
    return "" if share is None else probability(share).removeprefix("= ")
