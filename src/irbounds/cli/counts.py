"""`irbounds counts`: measures of confusion counts, a row for each system and category.

The file is longer than 400 lines because it holds one command, its inputs and its table.
"""

from __future__ import annotations

import contextlib
import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import irbounds
from irbounds.cli.input import options
from irbounds.cli.input.headers import folded
from irbounds.cli.input.numbers import COUNTED
from irbounds.cli.input.read import check_read_once, first_of, letter_of, read_labels, read_table
from irbounds.cli.reviews.foot_lines import percent_of
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.notes import warnings_as_notes
from irbounds.cli.terminal.render import Report, Table, interval_cells
from irbounds.cli.terminal.screen import complain
from irbounds.foundation.errors import InputError, check_choice
from irbounds.foundation.rounding import as_estimate, probability

if TYPE_CHECKING:
    import click

    from irbounds.counts.joint import PairedCounts
    from irbounds.counts.posterior import CountsPosterior

CELLS = ("tp", "fp", "fn", "tn")
ALL = "(micro-average)"
RELEVANT = "1"  # the label in files
HEADERS = {  # of columns of labels
    *("label", "labels", "truth", "gold", "target", "y", "ytrue", "ypred", "class", "actual"),
    *("prediction", "predictions", "predicted", "relevance", "judgment", "judgement"),
}
DIFFERENT, SAME = (
    "P(first better if judged on different objects)",
    "P(first better on the same objects)",
)


def _cell(name: str, what: str) -> click.Parameter:
    return options.number(f"--{name}", what, multiple=True, type=COUNTED)


@declare(
    "counts",
    {
        "Input": (
            options.table("Table with columns tp, fp, fn and optionally tn, system, category"),
            options.table_columns,
            _cell("tp", "True positives; once for each system."),
            _cell("fp", "False positives."),
            _cell("fn", "False negatives."),
            _cell("tn", "True negatives."),
            options.file("--truth", "File of true labels, one per line."),
            options.file(
                "--prediction", "File of predicted labels; one for each system.", multiple=True
            ),
            options.option("--positive", "The relevant label in the files.", default=RELEVANT),
        ),
        "Comparison": (
            options.option(
                "--measure",
                "Measure that compares the systems: f, precision, recall and others.",
                default="f",
                metavar="MEASURE",
            ),
            options.number("--beta", "Weight of recall in F.", 1.0),
            options.number("--margin", "Smallest difference that counts as better.", 0.0),
        ),
        "Intervals": (
            options.number(
                "--prior", "λ of the prior: 0.5 (Jeffreys), 1 (uniform) or another.", 0.5
            ),
            options.confidence_level,
            options.one_of(
                "--kind",
                ("equal-tailed", "hpd"),
                "Kind of interval",
                default="equal-tailed",
                notes={"hpd": "shortest"},
            ),
        ),
        "Output": options.OUTPUT,
    },
    "irbounds counts --tp 90 --fp 10 --fn 30",
    "irbounds counts --truth truth.txt --prediction a.txt --prediction b.txt",
)
def command(
    table: str | None,
    columns: dict[str, str] | None,
    truth: str | None,
    prediction: Sequence[str],
    positive: str,
    beta: float,
    measure: str,
    margin: float,
    prior: float,
    confidence_level: float,
    kind: str,
    **cells: Sequence[float],
) -> Report:
    """Measure precision, recall and F from confusion counts, with intervals.

    Give counts as options, as a table, or as files of labels. With several systems, also prints the
    probability that the first is better than each of the others.
    """
    from irbounds.foundation.arguments import check_number
    from irbounds.warnings import SampleWarning

    check_read_once(truth, *prediction)
    check_number("--prior", prior, "must be above 0 and finite", lambda x: 0 < x < math.inf)
    given = [table is not None, any(cells.values()), bool(truth or prediction)]
    if sum(given) > 1:
        raise InputError("give counts, a table or label files, not several of them")
    if columns and table is None:
        raise InputError("--columns is for tables")
    with warnings_as_notes(SampleWarning):
        entries, pairs = _read(table, columns, truth, prediction, positive, prior, cells)
    if positive != RELEVANT and not truth:
        raise InputError("--positive is for label files: give --truth and --prediction")
    asked = Asked(measure, beta, margin, confidence_level, kind)
    check(entries, pairs, asked)
    titles = asked.titles()
    if cells["tn"] and measure in titles:
        complain(["--tn is not used: precision, recall and F do not need it"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SampleWarning)  # said before
        records = as_records(with_averages(entries), pairs, asked)
    empty = [record for record in records if not record["tp"] + record["fp"] + record["fn"]]
    for record in empty:
        of = " ".join(filter(None, (record["system"], record["category"])))
        complain([f"{of}{of and ': '}all counts are 0: the numbers are those of the prior alone"])
    return Report(
        list(records[0]),
        [list(record.values()) for record in records],
        shown=as_cells(records, asked),
        document={
            "confidence_level": confidence_level,
            "kind": kind,
            "measure": measure,
            "beta": beta,
            "margin": margin,
            "prior": prior,
            "estimate": "posterior mean",
            "rows": records,
        },
        notes=[
            f"observed values; posterior means, and in brackets {percent_of(confidence_level)} "
            f"intervals, {kind}; prior λ = {prior:g}",
            *(
                ["differences are the observed ones, intervals by the method mover"]
                if pairs
                else []
            ),
        ],
    )


def _read(
    table: str | None,
    columns: dict[str, str] | None,
    truth: str | None,
    prediction: Sequence[str],
    positive: str,
    prior: float,
    cells: dict[str, Sequence[float]],
) -> tuple[list[Entry], dict[str, PairedCounts]]:
    if truth or prediction:
        if not (truth and prediction):
            raise InputError("label files need --truth and at least one --prediction")
        return from_labels(truth, prediction, positive, prior)
    if table is not None:
        return from_table(table, columns, prior), {}
    return from_options({name: cells[name] for name in CELLS}, prior), {}


class Asked(NamedTuple):
    """The measure that compares the systems, and the intervals of all measures."""

    measure: str
    beta: float
    margin: float
    level: float
    kind: str

    def titles(self) -> dict[str, str]:
        """The measures that are shown, and their titles."""
        return {"precision": "precision", "recall": "recall", "f": f"F{self.beta:g}"}


def check(entries: list[Entry], pairs: dict[str, PairedCounts], asked: Asked) -> None:
    """Refuse options that the comparison of systems cannot use."""
    from irbounds.counts.paired_measures import MEASURES as JOINT_MEASURES
    from irbounds.counts.posterior import MEASURES
    from irbounds.foundation.arguments import check_level, check_number

    exact = [name for name in MEASURES if name != "matthews"]  # which has draws alone
    check_choice("--measure", asked.measure, JOINT_MEASURES if pairs else exact)
    check_level(asked.level, "--confidence-level")
    check_number("--margin", asked.margin, "must be from -1 to 1", lambda x: -1 <= x <= 1)
    if len({entry.system for entry in entries}) == 1 and (asked.margin or asked.measure != "f"):
        complain(["there is one system only: --measure and --margin are for comparing several"])


def as_records(
    entries: list[Entry], pairs: dict[str, PairedCounts], asked: Asked
) -> list[dict[str, Any]]:
    """Measures with intervals, and how the first system differs."""
    apart = {} if pairs else superiorities(entries, asked)
    together = differences(pairs, asked)
    records: list[dict[str, Any]] = []
    for entry in entries:
        record: dict[str, Any] = {"system": entry.system, "category": entry.category}
        record |= {name: getattr(entry.counts, name) for name in CELLS}
        for name, title in asked.titles().items():
            posterior = entry.counts.measure(name, asked.beta)
            low, high = posterior.interval(asked.level, asked.kind)
            record |= {f"{title}.observed": observed(entry.counts, name, asked.beta)}
            record |= {title: posterior.mean, f"{title}.low": low, f"{title}.high": high}
        record["prior"] = entry.counts.prior
        if pairs:
            record |= together.get(entry.system) or dict.fromkeys(next(iter(together.values())))
        else:
            record[DIFFERENT] = apart.get((entry.system, entry.category))
        if apart or pairs:
            record |= {"measure": asked.measure, "margin": asked.margin}
        records.append(record)
    return records


def observed(counts: CountsPosterior, measure: str, beta: float) -> float | None:
    """The measure of the counts themselves; None for 0/0."""
    tp, fp, fn = counts.tp, counts.fp, counts.fn
    # β is infinite where recall alone counts
    weight = {"precision": 0.0, "recall": 1.0}.get(measure, 1 - 1 / (1 + beta**2))
    whole = tp + (1 - weight) * fp + weight * fn
    return tp / whole if whole > 0 else None


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


def from_labels(
    truth: str, predictions: Sequence[str], positive: str, prior: float
) -> tuple[list[Entry], dict[str, PairedCounts]]:
    """Files of labels, one a line; the first system is compared with each other one object by
    object."""
    from irbounds.counts.labels import key_of

    true = _labels_of(truth, positive)
    predicted: dict[str, list[Any]] = {}
    for place, path in enumerate(predictions, 1):
        predicted[path if path not in predicted else f"{path} ({place})"] = _labels_of(
            path, positive
        )
    for path, labels in predicted.items():
        if len(labels) != len(true):
            raise InputError(
                f"{path}: expected {len(true)} labels as in {truth}, found {len(labels)}"
            )
    keys = {key_of(label) for label in true}
    if key_of(positive) not in keys:
        raise InputError(
            f"{truth}: no object has the label {positive!r}: give the relevant label with "
            f"--positive; found {', '.join(sorted(set(true))[:5])}"
        )
    _refuse_headers({truth: true, **predicted}, positive)
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
    from irbounds.counts.labels import MISSING

    labels = read_labels(path)
    for word in {*labels} & MISSING - {positive}:
        number = labels.index(word) + 1
        raise InputError(f"{path}:{number}: expected a label, found {word!r}: it is missing")
    return labels


def _refuse_headers(files: dict[str, list[str]], positive: str) -> None:
    """Refuse a first line that is no label: in each file a word that comes once, the other labels
    being numbers, or the name of a column."""
    from irbounds.counts.labels import key_of

    others = {label for labels in files.values() for label in labels[1:]}
    are_numbers = all(not isinstance(key_of(label), str) for label in others)
    for path, labels in files.items():
        if not others or labels[0] in {positive, *others}:
            continue
        is_word = isinstance(key_of(labels[0]), str)
        if (is_word and are_numbers) or folded(labels[0]) in HEADERS:
            raise InputError(
                f"{path}:1: expected a label, found the header {labels[0]!r}: delete it"
            )


def with_averages(entries: list[Entry]) -> list[Entry]:
    """A micro-average below each system that has several categories."""
    systems = list(dict.fromkeys(entry.system for entry in entries))
    listed = []
    for system in systems:
        own = [entry for entry in entries if entry.system == system]
        listed += own
        if len(own) > 1:
            listed.append(
                Entry(system, ALL, irbounds.counts.micro_average([entry.counts for entry in own]))
            )
    return listed


def superiorities(entries: list[Entry], asked: Asked) -> dict[tuple[str, str], float]:
    """P(first system > each other one) by (other system, category), on the categories that both
    have."""
    first = {entry.category: entry.counts for entry in entries if entry.system == entries[0].system}
    found = {}
    for entry in entries:
        if entry.system != entries[0].system and entry.category in first:
            pair = first[entry.category], entry.counts
            with _left_out(f"P({entries[0].system} better than {entry.system})"):
                found[entry.system, entry.category] = irbounds.prob_superior(
                    *pair, asked.measure, asked.beta, margin=asked.margin
                ).probability
    return found


def differences(pairs: dict[str, PairedCounts], asked: Asked) -> dict[str, dict[str, Any]]:
    """Differences of the first system from the others, on the same objects."""
    columns = (SAME, "difference", "difference.low", "difference.high")
    found: dict[str, dict[str, Any]] = {}
    for system, pair in pairs.items():
        found[system] = dict.fromkeys(columns)
        with _left_out(f"the difference from {system}"):
            interval = pair.difference_interval(asked.measure, asked.beta, asked.level)
            found[system] |= zip(
                columns[1:], (interval.estimate, interval.low, interval.high), strict=True
            )
        with _left_out(f"P(better than {system})"):
            found[system][SAME] = pair.prob_superior(
                asked.measure, asked.beta, asked.margin
            ).probability
    return found


@contextlib.contextmanager
def _left_out(what: str) -> Iterator[None]:
    """Say what cannot be computed; the rest is printed."""
    try:
        yield
    except InputError as error:
        complain([f"left out: {what}: {error}"])


def as_cells(records: list[dict[str, Any]], asked: Asked) -> Table:
    """Header and rows for people; columns without any value are left out."""
    titles, margin = asked.titles(), asked.margin
    shown = [
        name for name in ("system", "category") if len({record[name] for record in records}) > 1
    ]
    counted = [name for name in CELLS if any(record[name] is not None for record in records)]
    header = [*shown, *counted]
    for title in titles.values():
        header += [title, "mean and interval"]
    rows = [
        [
            *(record[name] for name in shown),
            *("" if record[name] is None else f"{record[name]:.15g}" for name in counted),
            *(
                cell
                for title in titles.values()
                for cell in (_observed(record[f"{title}.observed"]), _interval(record, title))
            ),
        ]
        for record in records
    ]
    compared = titles.get(asked.measure, asked.measure).replace("_", " ")
    first = records[0]["system"] or "first"
    better = f"{first} better by {margin:g} in" if margin else f"{first} better in"
    if SAME in records[0]:
        columns = {
            f"{compared}: {first} minus this": [
                _interval(record, "difference") for record in records
            ],
            f"P({better} {compared}; same objects)": [_share(record[SAME]) for record in records],
        }
    else:
        columns = {
            f"P({better} {compared}; different objects)": [
                _share(record[DIFFERENT]) for record in records
            ]
        }
    for title, cells in columns.items():
        if any(cells):
            header.append(title)
            rows = [[*row, text] for row, text in zip(rows, cells, strict=True)]
    return Table(header, rows, len(shown))


def _observed(value: float | None) -> str:
    return "—" if value is None else as_estimate(value)


def _interval(record: dict[str, Any], title: str) -> str:
    if record[title] is None:
        return ""
    value, low, high = interval_cells(
        *(record[name] for name in (title, f"{title}.low", f"{title}.high"))
    )
    return f"{value} [{low}, {high}]"


def _share(share: float | None) -> str:
    return "" if share is None else probability(share).removeprefix("= ")
