"""Posteriors of confusion counts, shown: a row for each system and category, and who is better."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from irbounds.cli.evaluations import short
from irbounds.cli.output import as_csv, as_json, as_latex, as_table, complain, write
from irbounds.cli.tables import read_labels, read_table
from irbounds.counts.paired import PairedComparison, paired_comparison_from_labels
from irbounds.counts.posterior import CELLS, MEASURES, CountsPosterior, micro_average
from irbounds.counts.superiority import prob_superior
from irbounds.foundation.arguments import check_level, check_number
from irbounds.foundation.errors import InputError, check_choice

FORMATS = ("table", "csv", "json", "latex")
ALL = "(micro-average)"


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
        raise InputError(f"give --tp, --fp and --fn, or a table, or label files; --{missing[0]} is missing")
    if len({len(values) for values in given.values()}) > 1:
        found = ", ".join(f"{len(values)} of --{name}" for name, values in given.items())
        raise InputError(f"every system needs all of its counts; found {found}")
    systems = [dict(zip(given, values, strict=True)) for values in zip(*given.values(), strict=True)]
    return [Entry(chr(ord("A") + i) if i < 26 else str(i + 1), "", CountsPosterior(**counts, prior=prior))
            for i, counts in enumerate(systems)]


def from_table(path: str, prior: float) -> list[Entry]:
    """Columns tp, fp, fn, and tn, system (or classifier, run, model) and category where there are."""
    columns, rows = read_table(path, ("tp", "fp", "fn"))
    system = next((name for name in ("system", "classifier", "run", "model", "judge") if name in columns), None)
    category = next((name for name in ("category", "label", "class", "topic") if name in columns), None)
    entries: list[Entry] = []
    places: dict[tuple[str, str], str] = {}
    for row in rows:
        cells = {name: row.number(name) for name in CELLS if name in columns}
        try:
            counts = CountsPosterior(**cells, prior=prior)
        except InputError as error:
            raise InputError(f"{row.where}: {error}") from None
        entry = Entry(row[system] if system else "", row[category] if category else "", counts)
        told = " ".join(f"{column} {row[column]!r}" for column in (system, category) if column)
        first = places.setdefault((entry.system, entry.category), row.where)
        if told and first != row.where:
            raise InputError(f"{row.where}: expected one row for {told}; there is one already at {first}")
        entries.append(entry)
    return entries


def from_labels(truth: str, predictions: Sequence[str], positive: str, prior: float
                ) -> tuple[list[Entry], dict[str, PairedComparison]]:
    """Files of labels, one a line; the first system is compared with the others object by object."""
    true = read_labels(truth)
    predicted: dict[str, list[Any]] = {}
    for place, path in enumerate(predictions, 1):
        predicted[path if path not in predicted else f"{path} ({place})"] = read_labels(path)
    for path, labels in predicted.items():
        if len(labels) != len(true):
            raise InputError(f"{path}: expected {len(true)} labels as in {truth}, found {len(labels)}")
    if positive not in true:
        raise InputError(f"{truth}: no object has the label {positive!r}: say which one is relevant with --positive; "
                         f"found {', '.join(sorted(set(true))[:5])}")
    entries = [Entry(path, "", CountsPosterior.from_labels(true, labels, positive=positive, prior=prior))
               for path, labels in predicted.items()]
    first, *others = predicted
    paired = {path: paired_comparison_from_labels([t == positive for t in true],
                                                  [p == positive for p in predicted[first]],
                                                  [p == positive for p in predicted[path]], prior=prior)
              for path in others}
    return entries, paired


def with_averages(entries: list[Entry]) -> list[Entry]:
    """A micro-average below each system that has several categories."""
    systems = list(dict.fromkeys(entry.system for entry in entries))
    listed = []
    for system in systems:
        own = [entry for entry in entries if entry.system == system]
        listed += own
        if len(own) > 1:
            listed.append(Entry(system, ALL, micro_average([entry.counts for entry in own])))
    return listed


def superiorities(entries: list[Entry], measure: str, beta: float, margin: float) -> dict[tuple[str, str], float]:
    """P(first system > each other one) by (other system, category), on the categories that both have."""
    first = {entry.category: entry.counts for entry in entries if entry.system == entries[0].system}
    return {(entry.system, entry.category):
            prob_superior(first[entry.category], entry.counts, measure, beta, margin=margin).probability
            for entry in entries if entry.system != entries[0].system and entry.category in first}


def show(entries: list[Entry], paired: dict[str, PairedComparison], *, beta: float, level: float, kind: str,
         measure: str, margin: float, format: str, output: str | None) -> None:
    """Means with intervals, and P(first > other)."""
    check_choice("--format", format, FORMATS)
    check_choice("--measure", measure, MEASURES)
    check_level(level, "--confidence-level")
    check_number("--margin", margin, "must be from -1 to 1", lambda x: -1 <= x <= 1)
    if len({entry.system for entry in entries}) == 1 and (margin or measure != "f"):
        complain(["there is one system only: --measure and --margin are for comparing several"])
    entries = with_averages(entries)
    better = superiorities(entries, measure, beta, margin)
    has_systems = len({entry.system for entry in entries}) > 1
    has_categories = len({entry.category for entry in entries}) > 1
    names = {"precision": "precision", "recall": "recall", "f": f"F{beta:g}"}
    records: list[dict[str, Any]] = []
    for entry in entries:
        record: dict[str, Any] = {"system": entry.system, "category": entry.category}
        for name, title in names.items():
            law = entry.counts.measure(name, beta)
            low, high = law.interval(level, kind)
            record |= {title: law.mean, f"{title}.low": low, f"{title}.high": high}
        record["P(first better)"] = better.get((entry.system, entry.category))
        if paired:
            record["paired P(first better)"] = paired[entry.system].probability if entry.system in paired else None
        records.append(record)
    if format == "json":
        write(as_json({"confidence_level": level, "kind": kind, "measure": measure, "beta": beta, "margin": margin,
                       "rows": records}), output)
        return
    if format == "csv":
        write(as_csv(list(records[0]), [list(record.values()) for record in records]), output)
        return
    header = [*(["system"] if has_systems else []), *(["category"] if has_categories else []), *names.values(),
              *([f"P({entries[0].system or 'first'} better)"] if better else []), *(["paired"] if paired else [])]
    rows = [[*([record["system"]] if has_systems else []), *([record["category"]] if has_categories else []),
             *(f"{short(record[title])} [{short(record[f'{title}.low'])}, {short(record[f'{title}.high'])}]"
               for title in names.values()),
             *([_share(record["P(first better)"])] if better else []),
             *([_share(record["paired P(first better)"])] if paired else [])] for record in records]
    write((as_latex if format == "latex" else as_table)(header, rows, has_systems + has_categories), output)


def _share(probability: float | None) -> str:
    return "" if probability is None else short(probability)
