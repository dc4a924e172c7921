"""The table of measures: one row each.

A measure is a row here and a kernel in csrc (measures.h says where); nothing else names it.
"""

from __future__ import annotations

from irbounds.rankings.measure_table.spec import (
    BETA,
    BINARY,
    DEFINED,
    EXACT_AT_DOCUMENTS,
    GAIN_REL,
    GAINS,
    GEOMETRIC,
    INTERPOLATED,
    JUDGED_ONLY,
    LEVELS,
    MAX_REL,
    NO_TIES,
    NR,
    RBJ,
    RECALL,
    REL,
    SEARCHED,
    STOPPING,
    MeasureSpec,
    Parameter,
    at_cutoff,
    given,
    is_nearest,
    judged_marks,
    number,
    rbp_marks,
    squared_beta,
    stop_arguments,
    truth,
    up_to_cutoff,
    worth,
)
from irbounds.rankings.measure_table.table_models import MODEL_ROWS
from irbounds.rankings.measure_table.table_review import REVIEW_ROWS
from irbounds.rankings.measure_table.table_subtopics import SUBTOPIC_ROWS
from irbounds.rankings.measure_table.table_trec import TREC_ROWS

GAINS_OR_REL = {
    **GAINS,
    "parameters": {**GAINS["parameters"], "rel": GAIN_REL},
}
_ROWS = [
    up_to_cutoff(
        "AP",
        "Mean over the relevant documents of the precision at each (0 for those not retrieved).",
        "Harman 1992; expectation: McSherry & Najork 2008",
    ),
    at_cutoff(
        "APMin",
        "AP@k divided by the lesser of k and all relevant documents, not by all relevant ones.",
        "Kaggle's MAP@k",
    ),
    up_to_cutoff(
        "APRet",
        "Mean over the relevant documents among the first k (or all retrieved) of the precision at "
        "each.",
        "ragas' context precision",
    ),
    at_cutoff("P", "Relevant documents among the first k, divided by k.", "van Rijsbergen 1979"),
    at_cutoff(
        "R",
        "Relevant documents among the first k, divided by all relevant ones.",
        "van Rijsbergen 1979",
    ),
    at_cutoff(
        "F",
        "(1+b²)PR/(b²P+R) of P@k and R@k.",
        "van Rijsbergen 1979",
        parameters={"beta": BETA, **BINARY},
        arguments=squared_beta,
    ),
    up_to_cutoff(
        "RR", "1 over the place of the first relevant document.", "Kantor & Voorhees 2000"
    ),
    up_to_cutoff(
        "Success",
        "1 if a relevant document is among the first k (or all), else 0.",
        "Craswell & Hawking 2004",
    ),
    MeasureSpec(
        "Rprec",
        "Precision at as many documents as are relevant; with mult=, at mult times as many "
        "(plus 0.9, truncated, as in trec_eval).",
        "Buckley & Voorhees 2005",
        parameters={
            "mult": Parameter(
                "a number above 0, at most 1000", number(lambda x: 0 < x <= 1000), 1.0
            ),
            **BINARY,
        },
        arguments=given("mult"),
    ),
    at_cutoff(
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
        "times the relevant ones not retrieved, plus d times all others of the collection.",
        "trec_eval's utility",
        parameters={
            "a": worth(1.0),
            "b": worth(-1.0),
            "c": worth(0.0),
            "d": worth(0.0),
            **BINARY,
        },
        tie_rule=NO_TIES,
        arguments=given("a", "b", "c", "d"),
        size_for="d",
    ),
    at_cutoff(
        "Hole",
        "Documents among the first k that nobody judged for the query, divided by k.",
        "BEIR's Hole@k, counted by query",
        lower_is_better=True,
        parameters={},
        mark_level=judged_marks,
    ),
    up_to_cutoff(
        "Judged",
        "Judged documents among the first k (or those retrieved, if fewer), as a share.",
        "ir_measures",
        parameters={},
        mark_level=judged_marks,
    ),
    up_to_cutoff(
        "DCG",
        "Sum of gain/log2(place + 1).",
        "Järvelin & Kekäläinen 2002",
        **GAINS_OR_REL,
    ),
    up_to_cutoff(
        "nDCG",
        "DCG over that of the ideal ranking of all judged documents.",
        "Järvelin & Kekäläinen 2002",
        **GAINS_OR_REL,
    ),
    up_to_cutoff(
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
        mark_level=rbp_marks,
    ),
    up_to_cutoff(
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
        largest_gain=lambda measure: 1000.0,
    ),
    MeasureSpec(
        "Bpref",
        "Mean over relevant documents of the share of judged non-relevant ones below each.",
        "Buckley & Voorhees 2004",
        parameters={"rel": REL},
        mark_level=judged_marks,
    ),
    up_to_cutoff(
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
    at_cutoff(
        "IPrec",
        "Highest precision where the relevant documents found are r of all or more: r times all, "
        "rounded up as trec_eval 9 does (plus 0.9, truncated); with rounding=nearest, to the "
        "nearest number, as trec_eval 10 does.",
        "trec_eval",
        at="recall",
        parameters=INTERPOLATED,
        tie_rule=SEARCHED,
        arguments=lambda measure: (measure.cutoff, is_nearest(measure)),
    ),
    MeasureSpec(
        "IPrec11",
        "Mean of IPrec at recall 0, 0.1, …, 1, or at levels=.",
        "trec_eval's 11pt_avg",
        parameters={"levels": LEVELS, **INTERPOLATED},
        tie_rule=SEARCHED,
        arguments=lambda measure: (is_nearest(measure), *(measure.get("levels") or ())),
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
        arguments=stop_arguments,
    ),
    MeasureSpec(
        "PRR",
        "Probability that a retrieved document is relevant: NR/(NR + ESL).",
        f"{RBJ}, eq. 3.3, 3.4",
        parameters=STOPPING,
        tie_rule=DEFINED,
        arguments=stop_arguments,
    ),
    MeasureSpec(
        "EP",
        "Expected precision when the search stops.",
        f"{RBJ}, example 2.3",
        parameters=STOPPING,
        tie_rule=EXACT_AT_DOCUMENTS,
        arguments=stop_arguments,
    ),
    MeasureSpec(
        "PRECALL",
        "NR/(NR + j + i s/r), the older practice.",
        f"{RBJ}, eq. 2.2",
        parameters=STOPPING,
        tie_rule=DEFINED,
        arguments=stop_arguments,
    ),
    at_cutoff("ER", "Expected recall after k documents.", f"{RBJ}, section 3.4"),
    at_cutoff(
        "Fallout",
        "Expected share of the non-relevant documents of the collection among the first k.",
        f"{RBJ}, section 3.5",
        lower_is_better=True,
        needs_collection_size=True,
    ),
    at_cutoff(
        "HT",
        "Hypergeometric tail: the chance that k documents drawn at random hold fewer relevant "
        "ones than the "
        "first k (those not retrieved count as not relevant).",
        "Joiner & Werner",
        needs_collection_size=True,
        cutoff_in_collection=True,
    ),
]
SPECS = {
    spec.name: spec for spec in [*_ROWS, *SUBTOPIC_ROWS, *MODEL_ROWS, *REVIEW_ROWS, *TREC_ROWS]
}
