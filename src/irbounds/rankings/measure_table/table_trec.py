"""Rows of measures that trec_eval alone has."""

from __future__ import annotations

from irbounds.rankings.measure_table.spec import (
    BINARY,
    GAINS,
    GRADED,
    JUDGED_ONLY,
    NO_TIES,
    ORDERS_ONLY,
    SEARCHED,
    SEARCHED_ENDS,
    MeasureSpec,
    OneMeasure,
    Parameter,
    given,
    judged_marks,
    number,
    up_to_cutoff,
)

PATIENCE = Parameter("a number in (0, 1)", number(lambda x: 0 < x < 1), 0.9)


def pooled_marks(measure: OneMeasure) -> float:
    """Documents in the pool count, judged or not (-0.5)."""
    return -0.5


TREC_ROWS = [
    up_to_cutoff(
        "IDCG",
        "DCG of the ideal ranking of all judged documents.",
        "trec_eval's ideal_dcg",
        **{**GAINS, "tie_rule": NO_TIES},
    ),
    MeasureSpec(
        "nDCGrel",
        "Mean over the documents with a gain of nDCG at the place of each; those not retrieved "
        "count where the ranking ends.",
        "trec_eval's ndcg_rel",
        **GAINS,
    ),
    MeasureSpec(
        "RnDCG",
        "Mean of nDCG at the places where the gain of the ideal ranking falls, and at the end of "
        "the ranking if two documents or more follow the last of them; 0 if no document is "
        "relevant (rel=).",
        "trec_eval's Rndcg",
        **{**GAINS, "parameters": {**GAINS["parameters"], **BINARY}},
    ),
    MeasureSpec(
        "G",
        "Sum of gain/log2(2 + C - S) over the sum of all gains: S gains so far, C as many of the "
        "ideal ranking, each at least 1.",
        "trec_eval's G",
        **{**GAINS, "tie_rule": SEARCHED},
    ),
    MeasureSpec(
        "binG",
        "Mean over the relevant documents of 1/log2(2 + documents above that are not relevant).",
        "trec_eval's binG",
    ),
    MeasureSpec(
        "YAAP",
        "log((1 + s)/(1 + n - s)) of n relevant documents, s = n AP.",
        "Robertson 2012; trec_eval's yaap",
        tie_rule=ORDERS_ONLY,
        has_expectation=False,
    ),
    MeasureSpec(
        "infAP",
        "AP from a sample of the pool: the precision above a relevant document is that of the "
        "judged documents there, over the share that the pool holds.  Judgments below 0 are of "
        "the pool and unjudged.",
        "Yilmaz & Aslam 2006; trec_eval's infAP",
        parameters=BINARY,
        tie_rule=SEARCHED_ENDS,
        mark_level=pooled_marks,
    ),
    up_to_cutoff(
        "RBPGraded",
        "RBP with gains over h, the highest gain of the query's judged documents and of gains=, at "
        "least 1; a gain is the grade unless gains= gives another.",
        "trec_eval's rbp",
        parameters={"p": PATIENCE, "gains": GRADED["gains"], "judged_only": JUDGED_ONLY},
        arguments=lambda measure: (
            float(measure.get("p")),
            max((measure.get("gains") or {}).values(), default=0.0),
        ),
        is_graded=True,
    ),
    MeasureSpec(
        "RBPResid",
        "What RBP would gain if unjudged documents and all behind the last were relevant; 0 if all "
        "documents retrieved are judged.",
        "Moffat & Zobel 2008; trec_eval's rbp_resid",
        parameters={"p": PATIENCE},
        arguments=given("p"),
        mark_level=judged_marks,
        lower_is_better=True,
    ),
]
