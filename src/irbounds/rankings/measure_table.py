"""The table of measures: one row each."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Parameter:
    """A parameter of a measure: `read` converts what was written, or fails; `rule` says what is
    allowed."""

    rule: str
    read: Callable[[Any], Any]
    default: Any = None


def _number(allowed: Callable[[float], bool]) -> Callable[[Any], float]:
    def read(value: Any) -> float:
        if isinstance(value, bool | str) or not math.isfinite(value) or not allowed(value):
            raise ValueError
        # no -0, whose name would be another
        return value if isinstance(value, int) else float(value) + 0.0

    return read


def _whole(value: Any) -> int:
    return int(_number(lambda x: x >= 1 and x == int(x))(value))


def _word(*words: Any) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if value not in words or isinstance(value, bool) != isinstance(words[0], bool):
            raise ValueError
        return value

    return read


def _truth(value: Any) -> bool:
    return {True: True, False: False, "true": True, "false": False}[
        value if isinstance(value, bool) else str(value)
    ]


def _gains(value: Any) -> dict[float, float]:
    gain = _number(lambda x: x >= 0)
    return {gain(key): gain(item) for key, item in sorted(value.items())}


REL = Parameter("a grade, 0 or more", _number(lambda x: x >= 0), 1)
JUDGED_ONLY = Parameter("True or False", _truth, False)
BETA = Parameter("a number from 1e-100 to 1e100", _number(lambda x: 1e-100 <= x <= 1e100), 1.0)
NR = Parameter("a number of relevant documents above 0", _number(lambda x: x > 0))
RECALL = Parameter("a recall level in [0, 1]", _number(lambda x: 0 <= x <= 1))
ND = Parameter("a number of documents, 1 or more", _whole)
INTERPOLATION = Parameter("intuitive or ceiling", _word("intuitive", "ceiling"), "intuitive")
BINARY = {"rel": REL, "judged_only": JUDGED_ONLY}
STOPPING = {"nr": NR, "recall": RECALL, "nd": ND, "interpolation": INTERPOLATION, **BINARY}
GRADED = {
    "dcg": Parameter("log2 or exp-log2", _word("log2", "exp-log2"), "log2"),
    "gains": Parameter("a dict of gains, 0 or more, by grade", _gains),
    "judged_only": JUDGED_ONLY,
}
MAX_REL = Parameter("the highest grade, above 0", _number(lambda x: x > 0))

EXACT = "exact mean over all orders of tied documents."
EXACT_AT_DOCUMENTS = (
    "exact mean over all orders of tied documents where the stop is a whole number of documents; "
    "between two, defined for random orders."
)
DEFINED = "defined for random orders inside ties; bounded by the best and the worst order."
NO_TIES = "no order matters."
RBJ = "Raghavan, Bollmann & Jung 1989"


@dataclass(frozen=True)
class MeasureSpec:
    """A row: what the measure is and how it may be written."""

    name: str
    definition: str
    source: str
    parameters: dict[str, Parameter] = field(default_factory=lambda: dict(BINARY))
    takes_cutoff: bool = False
    needs_cutoff: bool = False
    at: str = "cutoff"
    tie_rule: str = EXACT
    is_graded: bool = False
    is_sum: bool = False
    lower_is_better: bool = False
    needs_collection_size: bool = False

    @property
    def form(self) -> str:
        """How it is written: AP[@k], P@k, IPrec@r."""
        letter = "r" if self.at == "recall" else "k"
        stop = "(nr=…)" if "nr" in self.parameters else ""
        return (
            self.name
            + stop
            + (f"@{letter}" if self.needs_cutoff else f"[@{letter}]" if self.takes_cutoff else "")
        )

    @property
    def example_cutoff(self) -> str:
        """A cut-off to show in messages."""
        return "0.5" if self.at == "recall" else "10"


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
    ),
    _up_to("RR", "1 over the place of the first relevant document.", "Kantor & Voorhees 2000"),
    _at(
        "Success",
        "1 if a relevant document is among the first k, else 0.",
        "Craswell & Hawking 2004",
    ),
    MeasureSpec(
        "Rprec", "Precision at as many documents as are relevant.", "Buckley & Voorhees 2005"
    ),
    MeasureSpec(
        "SetP",
        "Relevant retrieved documents over retrieved ones.",
        "van Rijsbergen 1979",
        tie_rule=NO_TIES,
        parameters={"relative": Parameter("True or False", _truth, False), **BINARY},
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
    ),
    MeasureSpec("SetAP", "SetP times SetR.", "trec_eval's set_map", tie_rule=NO_TIES),
    MeasureSpec(
        "NumRet",
        "Retrieved documents; with rel=, those of that grade or higher.",
        "trec_eval",
        parameters={
            "rel": Parameter("a grade, 0 or more", _number(lambda x: x >= 0)),
            "judged_only": JUDGED_ONLY,
        },
        tie_rule=NO_TIES,
        is_sum=True,
    ),
    MeasureSpec(
        "NumRel",
        "Relevant documents of the query, retrieved or not.",
        "trec_eval",
        parameters={"rel": REL},
        tie_rule=NO_TIES,
        is_sum=True,
    ),
    MeasureSpec(
        "NumRelRet", "Relevant retrieved documents.", "trec_eval", tie_rule=NO_TIES, is_sum=True
    ),
    _up_to(
        "Judged",
        "Judged documents among the first k (or those retrieved, if fewer), as a share.",
        "ir_measures",
        parameters={},
    ),
    _up_to(
        "DCG",
        "Sum of gain/log2(place + 1).",
        "Järvelin & Kekäläinen 2002",
        parameters=GRADED,
        is_graded=True,
    ),
    _up_to(
        "nDCG",
        "DCG over that of the ideal ranking of all judged documents.",
        "Järvelin & Kekäläinen 2002",
        parameters=GRADED,
        is_graded=True,
    ),
    _up_to(
        "RBP",
        "(1-p) times the sum of p^(place-1) over relevant documents; with max_rel=, gain "
        "grade/max_rel.",
        "Moffat & Zobel 2008",
        parameters={
            "p": Parameter("a number in (0, 1)", _number(lambda x: 0 < x < 1), 0.8),
            "max_rel": MAX_REL,
            **BINARY,
        },
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
    ),
    MeasureSpec(
        "Bpref",
        "Mean over relevant documents of the share of judged non-relevant ones below each.",
        "Buckley & Voorhees 2004",
        parameters={"rel": REL},
    ),
    _at(
        "IPrec",
        "Highest precision at recall r or more, as trec_eval 10 computes it.",
        "trec_eval",
        at="recall",
        tie_rule="no exact expectation: best, worst, doc_id or given.",
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
    ),
    MeasureSpec(
        "PRR",
        "Probability that a retrieved document is relevant: NR/(NR + ESL).",
        f"{RBJ}, eq. 3.3, 3.4",
        parameters=STOPPING,
        tie_rule=DEFINED,
    ),
    MeasureSpec(
        "EP",
        "Expected precision when the search stops.",
        f"{RBJ}, example 2.3",
        parameters=STOPPING,
        tie_rule=EXACT_AT_DOCUMENTS,
    ),
    MeasureSpec(
        "PRECALL",
        "NR/(NR + j + i s/r), the older practice.",
        f"{RBJ}, eq. 2.2",
        parameters=STOPPING,
        tie_rule=DEFINED,
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
    ),
]
SPECS = {spec.name: spec for spec in _ROWS}

ALIASES = {
    "MAP": "AP",
    "NDCG": "nDCG",
    "Precision": "P",
    "Recall": "R",
    "MRR": "RR",
    "RPrec": "Rprec",
    "BPref": "Bpref",
}

# Names of trec_eval, as patterns, and what they are called here.
TREC_NAMES = [
    (r"map", "AP"),
    (r"map_cut[_.](\d+)", r"AP@\1"),
    (r"P[_.](\d+)", r"P@\1"),
    (r"recall[_.](\d+)", r"R@\1"),
    (r"recip_rank", "RR"),
    (r"success[_.](\d+)", r"Success@\1"),
    (r"bpref", "Bpref"),
    (r"ndcg", "nDCG"),
    (r"ndcg_cut[_.](\d+)", r"nDCG@\1"),
    (r"iprec_at_recall[_.](\d?\.?\d+)", r"IPrec@\1"),
    (r"set_P", "SetP"),
    (r"set_recall", "SetR"),
    (r"set_F", "SetF"),
    (r"set_map", "SetAP"),
    (r"num_ret", "NumRet"),
    (r"num_rel", "NumRel"),
    (r"num_rel_ret", "NumRelRet"),
]

# Names of ranx, likewise; but for rbp, whose grades ranx takes as gains.
RANX_NAMES = [
    (r"map@(\d+)", r"AP@\1"),
    (r"mrr", "RR"),
    (r"mrr@(\d+)", r"RR@\1"),
    (r"precision", "SetP"),
    (r"precision@(\d+)", r"P@\1"),
    (r"recall", "SetR"),
    (r"recall@(\d+)", r"R@\1"),
    (r"f1", "SetF"),
    (r"f1@(\d+)", r"F@\1"),
    (r"hit_rate@(\d+)", r"Success@\1"),
    (r"r-precision", "Rprec"),
    (r"dcg", "DCG"),
    (r"dcg@(\d+)", r"DCG@\1"),
    (r"ndcg@(\d+)", r"nDCG@\1"),
    (r"dcg_burges", "DCG(dcg=exp-log2)"),
    (r"dcg_burges@(\d+)", r"DCG(dcg=exp-log2)@\1"),
    (r"ndcg_burges", "nDCG(dcg=exp-log2)"),
    (r"ndcg_burges@(\d+)", r"nDCG(dcg=exp-log2)@\1"),
]
