"""The table of measures: one row each.

A measure is a row here and a kernel in csrc (measures.h says where); nothing else names it.
"""

from __future__ import annotations

from typing import Any

from irbounds.rankings.measure_spec import (
    BINARY,
    JUDGED_ONLY,
    REL,
    MeasureSpec,
    Parameter,
    given,
    graded_marks,
    judged_marks,
    number,
    read_gains,
    relevant_marks,
    truth,
    whole,
    word,
)

BETA = Parameter("a number from 1e-100 to 1e100", number(lambda x: 1e-100 <= x <= 1e100), 1.0)
NR = Parameter("a number of relevant documents above 0", number(lambda x: x > 0))
RECALL = Parameter("a recall level in [0, 1]", number(lambda x: 0 <= x <= 1))
ND = Parameter("a number of documents, 1 or more", whole)
INTERPOLATION = Parameter("intuitive or ceiling", word("intuitive", "ceiling"), "intuitive")
ROUNDING = Parameter("up or nearest", word("up", "nearest"), "up")
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
GEOMETRIC = (
    "exact mean for each query; the geometric mean is of these means, and its bounds are exact."
)
NO_TIES = "no order matters."
RBJ = "Raghavan, Bollmann & Jung 1989"
STOPS = ("nr", "recall", "nd")


def _stop(measure: Any) -> tuple[float, float]:
    """Where a search stops (0 relevant documents, 1 recall, 2 recall by ceiling, 3 documents), and
    at how many."""
    stop = next(stop for stop in STOPS if stop in measure.parameters)
    kind = {"nr": 0.0, "recall": 1.0, "nd": 3.0}[stop]
    is_ceiling = measure.parameters.get("interpolation") == "ceiling"
    return 2.0 if is_ceiling else kind, float(measure.parameters[stop])


def _worth(default: float) -> Parameter:
    return Parameter(WORTH, number(lambda x: abs(x) <= 1e100), default)


def squared_beta(measure: Any) -> tuple[float]:
    """The square of beta, to 15 digits: who writes trec_eval's parameter as a root gets it back, as
    sqrt(2) squared is 2.0000000000000004 in doubles."""
    return (float(f"{measure.get('beta') ** 2:.15g}"),)


def _is_nearest(measure: Any) -> float:
    return float(measure.get("rounding") == "nearest")


def _exponential(measure: Any) -> tuple[float]:
    return (float(measure.get("dcg") == "exp-log2"),)


def _largest_gain(measure: Any) -> float:
    return 1000.0 if measure.get("dcg") == "exp-log2" else 1e300


def _rbp_marks(measure: Any) -> float:
    return (graded_marks if measure.get("max_rel") else relevant_marks)(measure)


def _at(name: str, definition: str, source: str, **more: Any) -> MeasureSpec:
    return MeasureSpec(name, definition, source, takes_cutoff=True, needs_cutoff=True, **more)


def _up_to(name: str, definition: str, source: str, **more: Any) -> MeasureSpec:
    return MeasureSpec(name, definition, source, takes_cutoff=True, **more)


_ROWS = [
    _up_to(
        "AP",
        "Mean over the relevant documents of the precision at each (0 for those not retrieved).",
        "Harman 1992; expectation: McSherry & Najork 2008",
    ),
    _at("P", "Relevant documents among the first k, divided by k.", "van Rijsbergen 1979"),
    _at(
        "R",
        "Relevant documents among the first k, divided by all relevant ones.",
        "van Rijsbergen 1979",
    ),
    _at(
        "F",
        "(1+b²)PR/(b²P+R) of P@k and R@k.",
        "van Rijsbergen 1979",
        parameters={"beta": BETA, **BINARY},
        arguments=given("beta"),
    ),
    _up_to("RR", "1 over the place of the first relevant document.", "Kantor & Voorhees 2000"),
    _at(
        "Success",
        "1 if a relevant document is among the first k, else 0.",
        "Craswell & Hawking 2004",
    ),
    MeasureSpec(
        "Rprec",
        "Precision at as many documents as are relevant; with mult=, at mult times as many "
        "(plus 0.9, truncated, as trec_eval has it).",
        "Buckley & Voorhees 2005",
        parameters={
            "mult": Parameter(
                "a number above 0, at most 1000", number(lambda x: 0 < x <= 1000), 1.0
            ),
            **BINARY,
        },
        arguments=given("mult"),
    ),
    _at(
        "RelP",
        "Relevant documents among the first k, divided by the lesser of k and all relevant ones "
        "(capped recall).",
        "trec_eval's relative_P; BEIR's R_cap",
    ),
    MeasureSpec(
        "SetP",
        "Relevant retrieved documents over retrieved ones.",
        "van Rijsbergen 1979",
        tie_rule=NO_TIES,
        parameters={"relative": Parameter("True or False", truth, False), **BINARY},
        arguments=given("relative"),
    ),
    MeasureSpec(
        "SetR",
        "Relevant retrieved documents over relevant ones.",
        "van Rijsbergen 1979",
        tie_rule=NO_TIES,
    ),
    MeasureSpec(
        "SetF",
        "(1+b²)PR/(b²P+R) of SetP and SetR (trec_eval's set_F takes b² as its parameter).",
        "van Rijsbergen 1979",
        parameters={"beta": BETA, **BINARY},
        tie_rule=NO_TIES,
        arguments=squared_beta,
    ),
    MeasureSpec("SetAP", "SetP times SetR.", "trec_eval's set_map", tie_rule=NO_TIES),
    MeasureSpec(
        "NumRet",
        "Retrieved documents; with rel=, those of that grade or higher.",
        "trec_eval",
        parameters={
            "rel": Parameter("a grade, 0 or more", number(lambda x: x >= 0)),
            "judged_only": JUDGED_ONLY,
        },
        tie_rule=NO_TIES,
        aggregate="sum",
    ),
    MeasureSpec(
        "NumRel",
        "Relevant documents of the query, retrieved or not.",
        "trec_eval",
        parameters={"rel": REL},
        tie_rule=NO_TIES,
        aggregate="sum",
    ),
    MeasureSpec(
        "NumRelRet", "Relevant retrieved documents.", "trec_eval", tie_rule=NO_TIES, aggregate="sum"
    ),
    MeasureSpec(
        "NumNonrelRet",
        "Retrieved documents that were judged and are not relevant.",
        "trec_eval's num_nonrel_judged_ret",
        parameters={"rel": REL},
        mark_level=judged_marks,
        tie_rule=NO_TIES,
        aggregate="sum",
    ),
    MeasureSpec(
        "NumQ", "1 for each query.", "trec_eval", parameters={}, tie_rule=NO_TIES, aggregate="sum"
    ),
    MeasureSpec(
        "Utility",
        "a times the relevant retrieved documents, plus b times the other retrieved ones, plus c "
        "times the relevant ones not retrieved.",
        "trec_eval's utility, without its fourth term",
        parameters={"a": _worth(1.0), "b": _worth(-1.0), "c": _worth(0.0), **BINARY},
        tie_rule=NO_TIES,
        arguments=given("a", "b", "c"),
    ),
    _at(
        "Hole",
        "Documents among the first k that nobody judged for the query, divided by k.",
        "BEIR's Hole@k, counted by query",
        lower_is_better=True,
        parameters={},
        mark_level=judged_marks,
    ),
    _up_to(
        "Judged",
        "Judged documents among the first k (or those retrieved, if fewer), as a share.",
        "ir_measures",
        parameters={},
        mark_level=judged_marks,
    ),
    _up_to(
        "DCG",
        "Sum of gain/log2(place + 1).",
        "Järvelin & Kekäläinen 2002",
        parameters=GRADED,
        is_graded=True,
        arguments=_exponential,
        mark_level=graded_marks,
        largest_gain=_largest_gain,
    ),
    _up_to(
        "nDCG",
        "DCG over that of the ideal ranking of all judged documents.",
        "Järvelin & Kekäläinen 2002",
        parameters=GRADED,
        is_graded=True,
        arguments=_exponential,
        mark_level=graded_marks,
        largest_gain=_largest_gain,
    ),
    _up_to(
        "RBP",
        "(1-p) times the sum of p^(place-1) over relevant documents; with max_rel=, gain "
        "grade/max_rel.",
        "Moffat & Zobel 2008",
        parameters={
            "p": Parameter("a number in (0, 1)", number(lambda x: 0 < x < 1), 0.8),
            "max_rel": MAX_REL,
            **BINARY,
        },
        arguments=given("p", "max_rel"),
        mark_level=_rbp_marks,
    ),
    _up_to(
        "ERR",
        "Sum over places of 1/place times the chance that the reader stops there, "
        "stopping at a document with probability (2^grade - 1)/2^max_rel.",
        "Chapelle et al. 2009",
        parameters={
            "max_rel": Parameter(MAX_REL.rule, MAX_REL.read, 4),
            "judged_only": JUDGED_ONLY,
        },
        is_graded=True,
        arguments=given("max_rel"),
        mark_level=graded_marks,
        largest_gain=lambda measure: 1000.0,
    ),
    MeasureSpec(
        "Bpref",
        "Mean over relevant documents of the share of judged non-relevant ones below each.",
        "Buckley & Voorhees 2004",
        parameters={"rel": REL},
        mark_level=judged_marks,
    ),
    _up_to(
        "GMAP",
        "AP; one number over queries is the geometric mean of values raised to 0.00001 at least.",
        "Robertson 2006; trec_eval's gm_map",
        kernel="AP",
        aggregate="geometric mean",
        tie_rule=GEOMETRIC,
    ),
    MeasureSpec(
        "GMBpref",
        "Bpref; one number over queries is the geometric mean of values raised to 0.00001 at "
        "least.",
        "trec_eval's gm_bpref",
        parameters={"rel": REL},
        mark_level=judged_marks,
        kernel="Bpref",
        aggregate="geometric mean",
        tie_rule=GEOMETRIC,
    ),
    _at(
        "IPrec",
        "Highest precision where the relevant documents found are r of all or more: r times all, "
        "rounded up as trec_eval 9 does (plus 0.9, truncated); with rounding=nearest, to the "
        "nearest number, as trec_eval 10 does.",
        "trec_eval",
        at="recall",
        parameters=INTERPOLATED,
        tie_rule=ORDERS_ONLY,
        arguments=lambda measure: (measure.cutoff, _is_nearest(measure)),
        has_expectation=False,
    ),
    MeasureSpec(
        "IPrec11",
        "Mean of IPrec at recall 0, 0.1, …, 1.",
        "trec_eval's 11pt_avg",
        parameters=INTERPOLATED,
        tie_rule=ORDERS_ONLY,
        arguments=lambda measure: (_is_nearest(measure),),
        has_expectation=False,
    ),
    MeasureSpec(
        "ESL",
        "Expected search length: non-relevant documents read before the NR-th relevant one; "
        "infinite "
        "if never reached.",
        f"Cooper 1968; {RBJ}, Lemma 3.1",
        lower_is_better=True,
        parameters={"nr": NR, "recall": RECALL, **BINARY},
        tie_rule=EXACT_AT_DOCUMENTS,
        arguments=_stop,
    ),
    MeasureSpec(
        "PRR",
        "Probability that a retrieved document is relevant: NR/(NR + ESL).",
        f"{RBJ}, eq. 3.3, 3.4",
        parameters=STOPPING,
        tie_rule=DEFINED,
        arguments=_stop,
    ),
    MeasureSpec(
        "EP",
        "Expected precision when the search stops.",
        f"{RBJ}, example 2.3",
        parameters=STOPPING,
        tie_rule=EXACT_AT_DOCUMENTS,
        arguments=_stop,
    ),
    MeasureSpec(
        "PRECALL",
        "NR/(NR + j + i s/r), the older practice.",
        f"{RBJ}, eq. 2.2",
        parameters=STOPPING,
        tie_rule=DEFINED,
        arguments=_stop,
    ),
    _at("ER", "Expected recall after k documents.", f"{RBJ}, section 3.4"),
    _at(
        "Fallout",
        "Expected share of the non-relevant documents of the collection among the first k.",
        f"{RBJ}, section 3.5",
        lower_is_better=True,
        needs_collection_size=True,
    ),
    _at(
        "HT",
        "Hypergeometric tail: the chance that k documents drawn at random hold fewer relevant "
        "ones than the "
        "first k (those not retrieved count as not relevant).",
        "Joiner & Werner",
        needs_collection_size=True,
        cutoff_in_collection=True,
    ),
]
SPECS = {spec.name: spec for spec in _ROWS}
