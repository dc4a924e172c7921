"""Parameters, tie rules and forms of rows that the tables of measures share."""

from __future__ import annotations

from typing import Any

from irbounds.rankings.measure_table.spec import (
    BINARY,
    JUDGED_ONLY,
    MeasureSpec,
    Parameter,
    graded_marks,
    number,
    read_gains,
    read_levels,
    relevant_marks,
    whole,
    word,
)

BETA = Parameter("a number from 1e-100 to 1e100", number(lambda x: 1e-100 <= x <= 1e100), 1.0)
NR = Parameter("a number of relevant documents above 0", number(lambda x: x > 0))
RECALL = Parameter("a recall level in [0, 1]", number(lambda x: 0 <= x <= 1))
ND = Parameter("a number of documents, 1 or more", whole)
INTERPOLATION = Parameter("intuitive or ceiling", word("intuitive", "ceiling"), "intuitive")
ROUNDING = Parameter("up or nearest", word("up", "nearest"), "up")
LEVELS = Parameter("up to 15 recall levels in [0, 1], as in [0.2,0.5]", read_levels)
WORTH = "a number from -1e100 to 1e100"
INTERPOLATED = {"rounding": ROUNDING, **BINARY}
STOPPING = {"nr": NR, "recall": RECALL, "nd": ND, "interpolation": INTERPOLATION, **BINARY}
GRADED = {
    "dcg": Parameter("log2 or exp-log2", word("log2", "exp-log2"), "log2"),
    "gains": Parameter("a dict of gains, 0 or more, by grade", read_gains),
    "judged_only": JUDGED_ONLY,
}
MAX_REL = Parameter("the highest grade, above 0", number(lambda x: x > 0))
EXACT_AT_DOCUMENTS = (
    "exact mean over all orders of tied documents where the stop is a whole number of documents; "
    "between two, defined for random orders."
)
DEFINED = "defined for random orders inside ties; bounded by the best and the worst order."
ORDERS_ONLY = "no exact expectation: best, worst, doc_id or given."
SEARCHED = "exact mean over all orders of tied documents, unless a tie has too many."
SEARCHED_ENDS = (
    "exact mean over all orders of tied documents; best and worst, unless a tie has too many."
)
GEOMETRIC = (
    "exact mean for each query; the geometric mean is of these means, and its bounds are exact."
)
NO_TIES = "the order does not matter."
RBJ = "Raghavan, Bollmann & Jung 1989"
STOPS = ("nr", "recall", "nd")


def stop_arguments(measure: Any) -> tuple[float, float]:
    """Where a search stops (0 relevant documents, 1 recall, 2 recall by ceiling, 3 documents), and
    at how many."""
    stop = next(stop for stop in STOPS if stop in measure.parameters)
    kind = {"nr": 0.0, "recall": 1.0, "nd": 3.0}[stop]
    is_ceiling = measure.parameters.get("interpolation") == "ceiling"
    return 2.0 if is_ceiling else kind, float(measure.parameters[stop])


def worth(default: float) -> Parameter:
    """The worth of one document."""
    return Parameter(WORTH, number(lambda x: abs(x) <= 1e100), default)


def is_nearest(measure: Any) -> float:
    """1 where recall levels are rounded to the nearest number."""
    return float(measure.get("rounding") == "nearest")


def exponential(measure: Any) -> tuple[float]:
    """1 for gains 2^grade - 1."""
    return (float(measure.get("dcg") == "exp-log2"),)


def largest_gain(measure: Any) -> float:
    """So that sums of gains are finite."""
    return 1000.0 if measure.get("dcg") == "exp-log2" else 1e300


def rbp_marks(measure: Any) -> float:
    """Graded with max_rel=, else relevant or not."""
    return (graded_marks if measure.get("max_rel") else relevant_marks)(measure)


def at_cutoff(name: str, definition: str, source: str, **more: Any) -> MeasureSpec:
    """A row that needs a cut-off."""
    return MeasureSpec(name, definition, source, takes_cutoff=True, needs_cutoff=True, **more)


def squared_beta(measure: Any) -> tuple[float]:
    """The square of beta, to 15 digits: who writes trec_eval's parameter as a root gets it back, as
    sqrt(2) squared is 2.0000000000000004 in doubles."""
    return (float(f"{measure.get('beta') ** 2:.15g}"),)


def up_to_cutoff(name: str, definition: str, source: str, **more: Any) -> MeasureSpec:
    """A row that may have a cut-off."""
    return MeasureSpec(name, definition, source, takes_cutoff=True, **more)
