"""`irbounds stop`: whether a review that reads its documents in some order may stop."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import irbounds
from irbounds.cli.input import options
from irbounds.cli.reviews.review import INPUT, TARGET, notes_on_review, read_review, size_of
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.render import Report, Table, short
from irbounds.cli.terminal.screen import complain
from irbounds.foundation.errors import InputError, check_choice
from irbounds.foundation.rounding import rounded_down

if TYPE_CHECKING:
    from irbounds.stopping.curves import StoppingCurve

RULES = ("certified", "buscar", "both")
HEADER = ["method", "read", "found", "value", "total_bound", "may_stop"]
NOT_YET = 1  # exit status
ASSUMPTION = "assumed: the order of reading is no worse than a random order (see --help)"
REPEATED = (
    "buscar: p was computed after every document; if the order is little better than random, "
    "reviews stop below the target more often than the confidence level says"
)


@declare(
    "stop",
    {
        "Input": INPUT,
        "Rule": (
            options.method("Rule: certified, buscar or both.", default="certified"),
            TARGET,
            options.confidence_level,
            options.number(
                "--odds",
                "For buscar: odds that a relevant document rather than another is read next; "
                "1 is a random order.",
                1.0,
            ),
        ),
        "Output": (
            options.flag(
                "--curve", "Print a row for each document read, not only for the last one."
            ),
            *options.OUTPUT,
        ),
    },
    "irbounds stop labels.txt --population 20000 --target 0.9",
    "irbounds stop review.asreview --target 0.95 --method both",
    "irbounds stop run.txt --qrels qrels.txt --topic CD007394 --curve",
)
def command(
    labels: str,
    population: int | None,
    target: float,
    method: str,
    odds: float,
    curve: bool,
    confidence_level: float,
    **reading: Any,
) -> Report:
    """Tell whether a review has reached its target of recall and may stop.

    The rule "certified" holds with the confidence level, however often you look. It assumes that
    each next document is at least as likely to be relevant as a random unread one. "buscar" is a
    heuristic. The exit status is 0 if the review may stop, 1 if not yet; with --method both,
    "certified" decides.
    """
    from irbounds.warnings import OptionalStoppingWarning

    check_choice("--method", method, RULES)
    read = read_review(labels, population, **reading)
    marks, population = read.labels, size_of(read)
    if not len(marks):
        raise InputError(f"{labels}: no document was read yet")
    names = ("certified", "buscar") if method == "both" else (method,)
    if "buscar" not in names and odds != 1:
        raise InputError("--odds is for --method buscar or both")
    looks = None if odds == 1 or curve else [len(marks)]
    own: dict[str, dict[str, Any]] = {"certified": {}, "buscar": {"odds": odds, "looks": looks}}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", OptionalStoppingWarning)
        curves = [
            irbounds.stopping_curve(
                marks, population, target, name, confidence_level=confidence_level, **own[name]
            )
            for name in names
        ]
    if caught:
        complain([REPEATED])
    rows = [row for one in curves for row in _rows(one, curve)]
    return Report(
        HEADER,
        rows,
        shown=_table(rows),
        document=[one.to_dict() if curve else _last(one) for one in curves],
        notes=[*notes_on_review(read), *(note for one in curves for note in _notes(one))],
        status=0 if bool(curves[0].stops[-1]) else NOT_YET,
    )


def _rows(curve: StoppingCurve, every: bool) -> list[list[Any]]:
    """Values at all looks, or at the last one."""
    bound = curve.total_bound
    looks = range(len(curve)) if every else range(len(curve) - 1, len(curve))
    return [
        [
            curve.method,
            int(curve.looks[i]),
            int(curve.found[i]),
            float(curve.values[i]),
            None if bound is None else int(bound[i]),
            bool(curve.stops[i]),
        ]
        for i in looks
    ]


def _last(curve: StoppingCurve) -> dict[str, Any]:
    """The last look, by name, and the first stop, which is not known where no other look was
    made."""
    [row] = _rows(curve, False)
    last = dict(zip(HEADER, row, strict=True))
    is_known = len(curve) == curve.looks[-1] or not last["may_stop"]
    return {**last, "first_stop": curve.first_stop if is_known else None}


def _table(rows: list[list[Any]]) -> Table:
    header = ["method", "read", "found", "recall at least", "relevant at most", "p", "may stop"]
    cells = []
    for method, read, found, value, bound, may_stop in rows:
        is_certified = method == "certified"
        cells.append(
            [
                method,
                read,
                found,
                short(rounded_down(value, 4)) if is_certified else "—",
                str(bound) if is_certified else "—",
                "—" if is_certified else f"{value:.4g}",
                "yes" if may_stop else "no",
            ]
        )
    return Table(header, cells)


def _notes(curve: StoppingCurve) -> list[str]:
    if curve.first_stop is not None:
        stop = f"stopped first after {curve.first_stop} documents"
    else:
        stop = f"target not yet {'certified' if curve.method == 'certified' else 'reached'}"
    rule = f"{curve.method}, target {curve.target:g}, {100 * curve.confidence_level:.4g} %"
    notes = [f"{rule}: {stop}"] if len(curve) > 1 else []
    if curve.contradicted_at is not None:
        notes.append(
            f"certified: after {curve.contradicted_at} documents every total was refused, which "
            "contradicts the rule's assumption; the bound counts all unread documents as relevant"
        )
    elif curve.method == "certified":
        notes.append(ASSUMPTION)
    if curve.method == "buscar":
        notes.append("buscar: p is a minimum over many tests; do not read it as a p-value")
    return notes
