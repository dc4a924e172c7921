"""Rows of measures of subtopics: the sum over subtopics of what a ranking gains for each."""

from __future__ import annotations

from typing import Any

from irbounds.rankings.measure_spec import (
    JUDGED_ONLY,
    REL,
    MeasureSpec,
    Parameter,
    never,
    number,
)

NOVELTY = 0.5  # alpha, where ndeval has no parameter for it
ALPHA = Parameter("a number from 0 to 1", number(lambda x: 0 <= x <= 1), NOVELTY)
BETA = Parameter("a number in (0, 1)", number(lambda x: 0 < x < 1), 0.5)
TIES = "exact mean over all orders of tied documents; no best and worst order."
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


def novelty(measure: Any) -> tuple[float, float]:
    """Alpha, which each document takes off its subtopics, and beta of places, or 0."""
    alpha, beta = measure.get("alpha"), measure.get("beta")
    return NOVELTY if alpha is None else float(alpha), float(beta or 0)


def _row(name: str, kernel: str, scale: str, definition: str, source: str, **more: Any) -> Any:
    extra = more.pop("parameters", {})
    return MeasureSpec(
        name,
        definition,
        source,
        parameters={**extra, "rel": REL, "judged_only": JUDGED_ONLY},
        kernel=kernel,
        scale=scale,
        tie_rule=TIES,
        has_extremes=never,
        **more,
    )


CUT: dict[str, Any] = {"takes_cutoff": True, "needs_cutoff": True}
NOVEL: dict[str, Any] = {"arguments": novelty}
WITH_ALPHA: dict[str, Any] = {**NOVEL, "parameters": {"alpha": ALPHA}}
WITH_BOTH: dict[str, Any] = {**NOVEL, "parameters": {"alpha": ALPHA, "beta": BETA}}

SUBTOPIC_ROWS = [
    _row("alpha_DCG", "NovelDCG", "most", SUM.format(LOG, MOST), CLARKE, **CUT, **WITH_ALPHA),
    _row("alpha_nDCG", "NovelDCG", "ideal", SUM.format(LOG, IDEAL), CLARKE, **CUT, **WITH_ALPHA),
    _row(
        "ERR_IA",
        "NovelERR",
        "most",
        SUM.format("/place", f"{MOST}; alpha is 0.5"),
        CHAPELLE,
        **CUT,
        **NOVEL,
    ),
    _row(
        "nERR_IA",
        "NovelERR",
        "ideal",
        SUM.format("/place", f"{IDEAL}; alpha is 0.5"),
        CHAPELLE,
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
    _row("AP_IA", "AP", "mean", "Mean over subtopics of AP.", INTENTS),
    _row("P_IA", "P", "mean", "Mean over subtopics of P@k.", INTENTS, **CUT),
    _row(
        "StRecall",
        "Success",
        "mean",
        "The share of subtopics on which one of the first k documents is relevant.",
        "Zhai, Cohen & Lafferty 2003; ndeval",
        **CUT,
    ),
]
