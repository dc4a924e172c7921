"""The measures that compute the measure objects of ir_measures."""

from __future__ import annotations

from typing import Any

from irbounds.foundation.errors import InputError
from irbounds.rankings.measure import Measure


def measure_here(measure: Any) -> Measure | None:
    """The measure that computes a measure object of ir_measures; None if there is none."""
    if hasattr(measure, "runtime_impl"):
        return None
    try:
        return with_own_beta(Measure.parse(str(measure)))
    except InputError:
        return None


def with_own_beta(measure: Measure) -> Measure:
    """trec_eval takes for the square of beta what ir_measures calls beta."""
    if measure.name != "SetF" or "beta" not in measure.parameters:
        return measure
    beta = measure.parameters["beta"] ** 0.5
    return Measure("SetF", {**measure.parameters, "beta": beta}, measure.cutoff)


def needs_found(measure: Measure) -> Measure | None:
    """The measure that is 0 for the queries which ir_measures leaves out of this one: for Accuracy,
    those of which no relevant document was retrieved."""
    if measure.name != "Accuracy":
        return None
    return Measure("Success", dict(measure.parameters), measure.cutoff)
