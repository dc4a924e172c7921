"""`irbounds counts --all-measures`: all measures of confusion counts, a row for each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from irbounds.cli.classifiers.counts_input import CELLS, Entry
from irbounds.cli.reviews.foot_lines import percent_of
from irbounds.cli.terminal.render import Report, Table, interval_cells
from irbounds.foundation.rounding import as_estimate

if TYPE_CHECKING:
    from irbounds.counts.posterior import CountsPosterior

OF_RETURNED = ("precision", "recall", "f", "number_needed_to_read")
OF_ALL = (  # which need true negatives
    *("specificity", "negative_predictive_value", "accuracy", "balanced_accuracy"),
    *("prevalence", "positive_likelihood_ratio", "negative_likelihood_ratio"),
)


def observed(counts: CountsPosterior, measure: str, beta: float) -> float | None:
    """The measure of the counts themselves; None for 0/0."""
    tp, fp, fn, tn = counts.tp, counts.fp, counts.fn, counts.tn
    if measure in ("f", *OF_RETURNED[:2]):
        # β is infinite where recall alone counts
        weight = {"precision": 0.0, "recall": 1.0}.get(measure, 1 - 1 / (1 + beta**2))
        return _ratio(tp, tp + (1 - weight) * fp + weight * fn)
    if measure == "number_needed_to_read":
        return _ratio(tp + fp, tp)
    recall, specificity, fallout = _ratio(tp, tp + fn), _ratio(tn, tn + fp), _ratio(fp, tn + fp)
    if measure == "balanced_accuracy":
        return None if recall is None or specificity is None else (recall + specificity) / 2
    if measure == "positive_likelihood_ratio":
        return _ratio(recall, fallout)
    if measure == "negative_likelihood_ratio":
        return _ratio(_ratio(fn, tp + fn), specificity)
    part = {
        "specificity": (tn, tn + fp),
        "negative_predictive_value": (tn, tn + fn),
        "accuracy": (tp + tn, tp + fp + fn + tn),
        "prevalence": (tp + fn, tp + fp + fn + tn),
    }
    return _ratio(*part[measure])


def _ratio(part: float | None, whole: float | None) -> float | None:
    """None for 0/0, and of what is not known."""
    if part is None or whole is None or not (part or whole):
        return None
    return part / whole if whole else math.inf


def report_of_all(entries: Sequence[Entry], beta: float, level: float, prior: float) -> Report:
    """A row for each measure that the counts have."""
    records = [
        _record(entry, measure, beta, level)
        for entry in entries
        for measure in (*OF_RETURNED, *(() if entry.counts.tn is None else OF_ALL))
    ]
    names = [
        name for name in ("system", "category") if len({record[name] for record in records}) > 1
    ]
    rows = [
        [
            *(record[name] for name in names),
            record["measure"].replace("_", " "),
            "—" if record["observed"] is None else _number(record["observed"]),
            *interval_cells(*(record[name] for name in ("mean", "low", "high"))),
        ]
        for record in records
    ]
    return Report(
        list(records[0]),
        [list(record.values()) for record in records],
        shown=Table([*names, "measure", "observed", "mean", "low", "high"], rows, len(names) + 1),
        document={
            "confidence_level": level,
            "kind": "equal-tailed",
            "beta": beta,
            "prior": prior,
            "estimate": "posterior mean",
            "rows": records,
        },
        notes=[
            f"mean, low and high: posterior means and {percent_of(level)} intervals, "
            f"equal-tailed; prior λ = {prior:g}",
        ],
    )


def _record(entry: Entry, measure: str, beta: float, level: float) -> dict[str, Any]:
    law = entry.counts.measure(measure, beta)
    low, high = law.interval(level)
    return {
        "system": entry.system,
        "category": entry.category,
        **{name: getattr(entry.counts, name) for name in CELLS},
        "measure": f"F{beta:g}" if measure == "f" else measure,
        "observed": observed(entry.counts, measure, beta),
        "mean": law.mean,
        "low": low,
        "high": high,
        "prior": entry.counts.prior,
    }


def _number(value: float) -> str:
    return "∞" if math.isinf(value) else as_estimate(value)
