"""The measures that compute the measure objects of ir_measures."""

from __future__ import annotations

import re

from irbounds.foundation.errors import InputError
from irbounds.rankings.measure_table.measure import Measure, parse_measures, words_of
from irbounds.rankings.measure_table.trec_names import LEAST_BETA, TREC_ROWS, trec_columns

NO_BETA = re.compile(r"(\bSetF\s*\([^()]*?\bbeta\s*=\s*)[+-]?(0+\.?0*|\.0+)(?=\s*[,)])")


def measure_here(measure: object) -> Measure | None:
    """The measure that computes a measure object of ir_measures; None if there is none."""
    if hasattr(measure, "runtime_impl"):
        return None
    try:
        return with_own_beta(Measure.parse(with_positive_beta(str(measure))))
    except InputError:
        return None


def order_there(measure: object) -> tuple[int, float, str]:
    """A key that sorts measures as trec_eval, and so pytrec_eval's provider, prints them: its names
    in its order, each by cut-off; then those that it lacks."""
    here = measure_here(measure)
    if here is None:
        return len(TREC_ROWS), 0.0, str(measure)
    form = f"{here.name}@{{at}}" if here.cutoff is not None else here.name
    forms = [row.form.partition("(")[0] for row in TREC_ROWS.values()]
    place = forms.index(form) if form in forms else len(forms)
    return place, float(here.cutoff or 0), str(measure)


def with_positive_beta(text: str) -> str:
    """Names of measures in which SetF of beta 0, the precision, has the least beta: F is then the
    precision to all digits."""
    return NO_BETA.sub(rf"\g<1>{LEAST_BETA!r}", text)


def name_there(measure: Measure) -> str:
    """The name in ir_measures of a measure of `with_positive_beta`."""
    if measure.name != "SetF" or measure.parameters.get("beta") != LEAST_BETA:
        return str(measure)
    return str(Measure("SetF", {**measure.parameters, "beta": 0.0}, measure.cutoff))


def named_there(text: str) -> list[tuple[str, Measure]]:
    """The measures of a text, and the name of each in ir_measures.  set_F.4 of trec_eval has the
    square of beta already."""
    found = []
    for word in words_of(with_positive_beta(text)) or [text]:
        is_square = trec_columns(word) is not None
        for measure in parse_measures(word):
            beta = measure.parameters.get("beta") if measure.name == "SetF" and is_square else None
            if beta is None:
                found.append((name_there(measure), with_own_beta(measure)))
            else:
                square = 0.0 if beta == LEAST_BETA else float(f"{beta**2:.15g}")
                there = Measure("SetF", {**measure.parameters, "beta": square}, measure.cutoff)
                found.append((str(there), measure))
    return found


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
