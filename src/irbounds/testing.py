"""Assertions for test suites."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from irbounds.comparison.gates.gate import gate
from irbounds.comparison.gates.result import Gate
from irbounds.foundation.errors import check_choice
from irbounds.warnings import UnclearGateWarning

if TYPE_CHECKING:
    from irbounds.typing import MeasuresLike, QrelsLike, RunLike


def assert_not_worse(
    qrels: QrelsLike,
    baseline: Any,
    new: RunLike,
    measures: MeasuresLike,
    *,
    on_unclear: str = "warn",
    unjudged: str = "nonrelevant",
    **options: Any,
) -> Gate:
    """Raise an AssertionError where a run is worse than a baseline by more than a margin.

    Parameters
    ----------
    qrels, baseline, new, measures
        As in `irbounds.gate`.
    on_unclear : {"warn", "fail", "pass"}
        The outcome where the queries are too few to say, or ties or labels decide: a warning (the
        default), an error, or nothing.
    unjudged : {"nonrelevant", "bounds"}
        As in `irbounds.gate`: "bounds" makes a verdict unclear that labels of unjudged documents
        could change.
    **options
        `margin`, `alpha`, `strict` and the others of `irbounds.gate`.

    Returns
    -------
    Gate

    Examples
    --------
    >>> import irbounds as irb
    >>> qrels = {f"q{i}": {"d1": 1} for i in range(40)}
    >>> run = {query: {"d1": 2.0, "d2": 1.0} for query in qrels}
    >>> irb.testing.assert_not_worse(qrels, run, run, "RR", margin=0.02).verdict
    'pass'
    """
    check_choice("on_unclear", on_unclear, ("warn", "fail", "pass"))
    result = gate(qrels, baseline, new, measures, unjudged=unjudged, **options)
    if result.verdict == "fail" or (result.verdict == "unclear" and on_unclear == "fail"):
        raise AssertionError(f"irbounds gate\n{result.to_text()}")
    if result.verdict == "unclear" and on_unclear == "warn":
        reasons = "; ".join(
            str(check) for check in result.checks if check.verdict == "unclear"
        ) or str(result.reason)
        warnings.warn(f"irbounds gate: {reasons}", UnclearGateWarning, stacklevel=2)
    return result
