"""`irbounds counts`: measures of confusion counts, a row for each system and category."""

from __future__ import annotations

import contextlib
import math
import warnings
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import irbounds
from irbounds.cli.classifiers.all_measures import observed, report_of_all
from irbounds.cli.classifiers.classes import (
    of_labels,
    read_confusion,
    report_of_classes,
    share_cell,
)
from irbounds.cli.classifiers.counts_input import (
    CELLS,
    Entry,
    from_labels,
    from_options,
    from_table,
    read_label_files,
    read_label_table,
)
from irbounds.cli.input import options
from irbounds.cli.input.numbers import COUNTED
from irbounds.cli.input.read import check_read_once
from irbounds.cli.reviews.foot_lines import percent_of
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.notes import warnings_as_notes
from irbounds.cli.terminal.render import Report, Table, interval_cells
from irbounds.cli.terminal.screen import complain
from irbounds.foundation.errors import InputError, check_choice
from irbounds.foundation.rounding import as_estimate

if TYPE_CHECKING:
    import click

    from irbounds.counts.joint import PairedCounts

ALL = "(micro-average)"
RELEVANT = "1"  # the label in files
OF_ONE_LABEL = (
    "one relevant label, not for several classes",
    *("measure", "margin", "prior", "kind", "all_measures"),
)
DIFFERENT, SAME = (
    "P(first better if tested on different data)",
    "P(first better on the same objects)",
)


def _cell(name: str, what: str) -> click.Parameter:
    return options.number(f"--{name}", what, multiple=True, type=COUNTED)


@declare(
    "counts",
    {
        "Input": (
            options.table(
                "Table with columns tp, fp, fn and optionally tn, system, category; or of labels, "
                "with a column truth and one for each system"
            ),
            options.table_columns,
            _cell("tp", "True positives; once for each system."),
            _cell("fp", "False positives."),
            _cell("fn", "False negatives."),
            _cell("tn", "True negatives."),
            options.file("--truth", "File of true labels, one per line."),
            options.file(
                "--prediction", "File of predicted labels; one for each system.", multiple=True
            ),
            options.option(
                "--positive",
                "The relevant label in the files, 1 by default. Without it three or more labels "
                "are classes.",
                metavar="LABEL",
            ),
            options.file(
                "--confusion", "Table of true labels (rows) by predicted labels (columns)."
            ),
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
        "Output": (
            options.flag(
                "--all-measures",
                "A row for each measure: also number needed to read, and with --tn specificity, "
                "balanced accuracy, likelihood ratios and others.",
            ),
            *options.OUTPUT,
        ),
    },
    "irbounds counts --tp 90 --fp 10 --fn 30",
    "irbounds counts --tp 90 --fp 10 --fn 30 --tn 400 --all-measures",
    "irbounds counts --truth truth.txt --prediction a.txt --prediction b.txt",
)
def command(
    table: str | None,
    columns: dict[str, str] | None,
    truth: str | None,
    prediction: Sequence[str],
    positive: str | None,
    confusion: str | None,
    beta: float,
    measure: str,
    margin: float,
    prior: float,
    confidence_level: float,
    kind: str,
    all_measures: bool,
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
    given = [table, any(cells.values()), truth or prediction, confusion]
    if sum(map(bool, given)) > 1:
        raise InputError("give counts, a table or label files, not several of them")
    of_classes = partial(report_of_classes, beta=beta, level=confidence_level)
    if confusion:
        options.refuse_unused(*OF_ONE_LABEL)
        return of_classes({"": read_confusion(confusion)}, {})
    if columns and table is None:
        raise InputError("--columns is for tables")
    relevant = RELEVANT if positive is None else positive
    files = _labels(truth, prediction, relevant, None if columns else table)
    if positive is not None and not files:
        raise InputError("--positive is for labels: give --truth and --prediction, or their table")
    if files and positive is None and len(labels := {*files[0]}.union(*files[1].values())) > 2:
        complain([f"{len(labels)} labels: all are classes; --positive LABEL takes one alone"])
        options.refuse_unused(*OF_ONE_LABEL)
        return of_classes(*of_labels(truth or table or "", *files))
    with warnings_as_notes(SampleWarning):
        if files:
            entries, pairs = from_labels(truth or table or "", *files, relevant, prior)
        elif table is not None:
            entries, pairs = from_table(table, columns, prior), {}
        else:
            entries, pairs = from_options({name: cells[name] for name in CELLS}, prior), {}
    entries = with_averages(entries)
    _caution(entries)
    if all_measures:
        options.refuse_unused("tables without --all-measures", "measure", "margin", "kind")
        return report_of_all(entries, beta, confidence_level, prior)
    asked = Asked(measure, beta, margin, confidence_level, kind)
    check(entries, pairs, asked)
    if cells["tn"] and measure in asked.titles():
        complain(["--tn is not used: precision, recall and F do not need it; see --all-measures"])
    records = as_records(entries, pairs, asked)
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
            f"observed values, and in brackets {percent_of(confidence_level)} intervals, {kind}; "
            f"prior λ = {prior:g}",
            *["differences are the observed ones, intervals by the method mover"][: len(pairs)],
        ],
    )


def _caution(entries: list[Entry]) -> None:
    """Say which systems have no count at all."""
    for entry in entries:
        if not entry.counts.tp + entry.counts.fp + entry.counts.fn:
            of = " ".join(filter(None, (entry.system, entry.category)))
            complain(
                [f"{of}{of and ': '}all counts are 0: the numbers are those of the prior alone"]
            )


def _labels(
    truth: str | None, prediction: Sequence[str], positive: str, table: str | None
) -> tuple[list[str], dict[str, list[str]]] | None:
    """Those of files, or of a table; None if there are none."""
    if not (truth or prediction):
        return None if table is None else read_label_table(table, positive)
    if not (truth and prediction):
        raise InputError("label files need --truth and at least one --prediction")
    return read_label_files(truth, prediction, positive)


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


def with_averages(entries: list[Entry]) -> list[Entry]:
    """A micro-average below each system that has several categories."""
    systems = list(dict.fromkeys(entry.system for entry in entries))
    listed = []
    for system in systems:
        own = [entry for entry in entries if entry.system == system]
        listed += own
        if len(own) > 1:
            with (
                _left_out(f"the micro-average{system and ' of '}{system}"),
                warnings.catch_warnings(),
            ):
                warnings.simplefilter("ignore")  # of the prior: said before
                whole = irbounds.counts.micro_average([entry.counts for entry in own])
                listed.append(Entry(system, ALL, whole))
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
    header = [*shown, *counted, *titles.values()]
    rows = [
        [
            *(record[name] for name in shown),
            *("" if record[name] is None else f"{record[name]:.15g}" for name in counted),
            *(_beside_observed(record, title) for title in titles.values()),
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
            f"P({better} {compared}; same objects)": [
                share_cell(record[SAME]) for record in records
            ],
        }
    else:
        columns = {
            f"P({better} {compared}; different objects)": [
                share_cell(record[DIFFERENT]) for record in records
            ]
        }
    for title, cells in columns.items():
        if any(cells):
            header.append(title)
            rows = [[*row, text] for row, text in zip(rows, cells, strict=True)]
    return Table(header, rows, len(shown))


def _beside_observed(record: dict[str, Any], title: str) -> str:
    """The observed value, and the interval in brackets."""
    value = record[f"{title}.observed"]
    interval = _interval(record, title)
    return f"{'—' if value is None else as_estimate(value)} {interval[interval.index('[') :]}"


def _interval(record: dict[str, Any], title: str) -> str:
    if record[title] is None:
        return ""
    value, low, high = interval_cells(
        *(record[name] for name in (title, f"{title}.low", f"{title}.high"))
    )
    return f"{value} [{low}, {high}]"
