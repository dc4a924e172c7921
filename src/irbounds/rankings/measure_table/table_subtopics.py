"""Rows of measures of subtopics: the sum over subtopics of what a ranking gains for each."""

from __future__ import annotations

from typing import Any

from irbounds.rankings.measure_table.spec import (
    EXACT,
    JUDGED_ONLY,
    REL,
    MeasureSpec,
    OneMeasure,
    Parameter,
    number,
)

NOVELTY = 0.5  # alpha, where ndeval has no parameter for it
ALPHA = Parameter("a number from 0 to 1", number(lambda x: 0 <= x <= 1), NOVELTY)
BETA = Parameter("a number in (0, 1)", number(lambda x: 0 < x < 1), 0.5)
LINEAR = f"{EXACT[:-1]}; best and worst order by the number of subtopics."
NO_ENDS = f"{EXACT[:-1]}; no best and worst order."
ENDS_FIRST = f"{EXACT[:-1]}; best and worst order only @1."
ENDS_WITHOUT_NOVELTY = f"{EXACT[:-1]}; best and worst order only with alpha=0."
ENDS_FIRST_OR_WITHOUT = f"{EXACT[:-1]}; best and worst order only @1 and with alpha=0."
IDEAL = "that of the ideal ranking as ndeval's greedy search finds it"
SUM = (
    "Sum over subtopics and their relevant documents of (1-alpha)^(those above) {}, over {}; "
    "subtopics are column 2 of the qrels."
)
MOST = "the most that any documents could give"
LOG = "/log2(place + 1)"
CLARKE = "Clarke et al. 2008; ndeval"
CHAPELLE = "Chapelle et al. 2009; ndeval"
INTENTS = "Agrawal et al. 2009; ndeval"


def novelty(measure: OneMeasure) -> tuple[float, float]:
    """Alpha, which each document takes off its subtopics, and beta of places, or 0."""
    alpha, beta = measure.get("alpha"), measure.get("beta")
    return NOVELTY if alpha is None else float(alpha), float(beta or 0)


def is_linear(measure: OneMeasure) -> bool:
    """Whether a document adds the number of its subtopics times the worth of its place: then the
    best order of tied documents is by that number, and for others it is a search."""
    return bool(measure.spec.kernel == "P" or measure.cutoff == 1 or measure.get("alpha") == 0)


def _row(name: str, kernel: str, scale: str, definition: str, source: str, **more: Any) -> Any:
    extra = more.pop("parameters", {})
    return MeasureSpec(
        name,
        definition,
        source,
        parameters={**extra, "rel": REL, "judged_only": JUDGED_ONLY},
        kernel=kernel,
        scale=scale,
        has_extremes=is_linear,
        **more,
    )


CUT: dict[str, Any] = {"takes_cutoff": True, "needs_cutoff": True}
NOVEL: dict[str, Any] = {"arguments": novelty}
WITH_ALPHA: dict[str, Any] = {**NOVEL, "parameters": {"alpha": ALPHA}}
CUT_WITH_ALPHA: dict[str, Any] = {**CUT, **WITH_ALPHA, "tie_rule": ENDS_FIRST_OR_WITHOUT}
WITH_BOTH: dict[str, Any] = {
    **NOVEL,
    "parameters": {"alpha": ALPHA, "beta": BETA},
    "tie_rule": ENDS_WITHOUT_NOVELTY,
}

SUBTOPIC_ROWS = [
    _row("alpha_DCG", "NovelDCG", "most", SUM.format(LOG, MOST), CLARKE, **CUT_WITH_ALPHA),
    _row("alpha_nDCG", "NovelDCG", "ideal", SUM.format(LOG, IDEAL), CLARKE, **CUT_WITH_ALPHA),
    _row(
        "ERR_IA",
        "NovelERR",
        "most",
        SUM.format("/place", f"{MOST}; alpha is 0.5"),
        CHAPELLE,
        tie_rule=ENDS_FIRST,
        **CUT,
        **NOVEL,
    ),
    _row(
        "nERR_IA",
        "NovelERR",
        "ideal",
        SUM.format("/place", f"{IDEAL}; alpha is 0.5"),
        CHAPELLE,
        tie_rule=ENDS_FIRST,
        **CUT,
        **NOVEL,
    ),
    _row(
        "NRBP",
        "NovelRBP",
        "most",
        SUM.format("beta^(place-1)", MOST),
        "Clarke, Kolla & Vechtomova 2009; ndeval",
        **WITH_BOTH,
    ),
    _row(
        "nNRBP",
        "NovelRBP",
        "ideal",
        SUM.format("beta^(place-1)", IDEAL),
        "Clarke, Kolla & Vechtomova 2009; ndeval",
        **WITH_BOTH,
    ),
    _row("AP_IA", "AP", "mean", "Mean over subtopics of AP.", INTENTS, tie_rule=NO_ENDS),
    _row("P_IA", "P", "mean", "Mean over subtopics of P@k.", INTENTS, tie_rule=LINEAR, **CUT),
    _row(
        "StRecall",
        "Success",
        "mean",
        "The share of subtopics on which one of the first k documents is relevant.",
        "Zhai, Cohen & Lafferty 2003; ndeval",
        tie_rule=ENDS_FIRST,
        **CUT,
    ),
]
