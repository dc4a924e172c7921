"""Rows of measures of a user model (C/W/L), of pairs, and of overlap with the ideal ranking."""

from __future__ import annotations

import math
from typing import Any

from irbounds.foundation.errors import InputError
from irbounds.rankings.measure_table.spec import (
    JUDGED_ONLY,
    ORDERS_ONLY,
    REL,
    SEARCHED,
    MeasureSpec,
    OneMeasure,
    Parameter,
    at_cutoff,
    never,
    number,
    truth,
    up_to_cutoff,
    word,
)

LEAST_REL = Parameter("the grade of gain 0, 0 or more", number(lambda x: x >= 0), 0)
MOST_REL = Parameter("the grade of gain 1, above min_rel", number(lambda x: x > 0), required=True)
# INST divides by 2T twice: the square of less than 1e-154 is 0
TARGET = Parameter("a gain from 1e-100 to 1e6", number(lambda x: 1e-100 <= x <= 1e6), 1.0)
PATIENCE = Parameter("a number in (0, 1)", number(lambda x: 0 < x < 1), 0.9)
PERSISTENCE = Parameter(PATIENCE.rule, PATIENCE.read, 0.95)
DEEPEST = 1000  # cwl_eval goes no deeper
CWL = "Moffat, Bailey, Scholer & Thomas 2017; cwl_eval"
ICTIR = "Azzopardi, Mackenzie & Moffat 2021, eq. {}; cwl_eval"
USER = (
    "Mean gain under weights of places: a user goes on behind place i, of gain g, with probability "
    "{}, to place 1,000 at most; gains are grades from min_rel to max_rel as shares."
)
NO_ORDER = "neither an exact expectation nor a best order: doc_id or given."


def _gains(*keys: str) -> Any:
    """The lowest and the highest grade, and these parameters."""

    def arguments(measure: OneMeasure) -> tuple[float, ...]:
        least, most = measure.get("min_rel"), measure.get("max_rel")
        if least >= most:
            raise InputError(f"{measure}: min_rel must be below max_rel")
        return float(least), float(most), *(float(measure.get(key)) for key in keys)

    return arguments


def _gains_of_discounts(measure: OneMeasure) -> tuple[float, ...]:
    """The lowest and the highest grade, and the discounts of all places that count: one sum for all
    queries."""
    places = range(1, min(measure.cutoff, DEEPEST) + 1)
    return *_gains()(measure), math.fsum(1 / math.log2(place + 1) for place in places)


def _model(name: str, going_on: str, source: str, *keys: str, **more: Any) -> MeasureSpec:
    own = {"T": TARGET, "p": PATIENCE}
    parameters = {key: own[key] for key in keys}
    return MeasureSpec(
        name,
        USER.format(going_on),
        source,
        parameters={**parameters, "min_rel": LEAST_REL, "max_rel": MOST_REL},
        arguments=_gains(*keys),
        is_graded=True,
        clips_grades=True,
        **more,
    )


ORDER: dict[str, Any] = {
    "tie_rule": NO_ORDER,
    "has_expectation": False,
    "has_extremes": never,
}
EXTREMES: dict[str, Any] = {"tie_rule": ORDERS_ONLY, "has_expectation": False}
CUT: dict[str, Any] = {"takes_cutoff": True, "needs_cutoff": True}

MODEL_ROWS = [
    at_cutoff(
        "SDCG",
        "DCG over that of a ranking of k documents of grade max_rel, to place 1,000 at most; gains "
        "are grades from min_rel to max_rel as shares.",
        CWL,
        parameters={
            "dcg": Parameter("log2", word("log2"), "log2"),
            "min_rel": LEAST_REL,
            "max_rel": MOST_REL,
        },
        arguments=_gains_of_discounts,
        is_graded=True,
        clips_grades=True,
    ),
    _model("INSQ", "((i+2T-1)/(i+2T))²", f"Moffat, Scholer & Thomas 2012; {CWL}", "T"),
    _model(
        "INST",
        "((i+t-1)/(i+t))², t = 2T less all gains so far",
        f"Bailey, Moffat, Scholer & Thomas 2015; {CWL}",
        "T",
        **ORDER,
    ),
    _model(
        "BPM",
        "1 if all gains so far are below T and i below k, else 0",
        f"Zhang et al. 2017; {CWL}",
        "T",
        tie_rule=SEARCHED,
        **CUT,
    ),
    _model("NERR8", "1 - g if i is below k, else 0", ICTIR.format(8), **CUT, **EXTREMES),
    _model("NERR9", "(1-g) i/(i+1) if i is below k, else 0", ICTIR.format(9), **CUT, **EXTREMES),
    _model("NERR10", "p (1-g)", ICTIR.format(10), "p", **EXTREMES),
    _model("NERR11", "(1-g) ((i+2T-1)/(i+2T))²", ICTIR.format(11), "T", **EXTREMES),
    up_to_cutoff(
        "Accuracy",
        "The share of pairs (relevant, other) of the first k documents, or all retrieved, in which "
        "the relevant one is above; 1 if all are relevant, 0 if none is.",
        "ir_measures",
        parameters={"rel": REL, "judged_only": JUDGED_ONLY},
    ),
    MeasureSpec(
        "Compat",
        "Rank-biased overlap with the ideal ranking, which has documents of one grade in the order "
        "of the run and those not retrieved behind them; with normalize, over that of the ideal "
        "ranking with itself.",
        "Clarke, Vtyurina & Smucker 2021",
        parameters={
            "p": PERSISTENCE,
            "normalize": Parameter("True or False", truth, True),
        },
        arguments=lambda measure: (measure.get("p"), float(measure.get("normalize"))),
        is_graded=True,
    ),
]
