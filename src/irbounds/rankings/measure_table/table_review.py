"""Rows of measures of document reviews (technology-assisted review)."""

from __future__ import annotations

from typing import Any

from irbounds.rankings.measure_table.spec import (
    REL,
    MeasureSpec,
    OneMeasure,
    Parameter,
    judged_marks,
    up_to_cutoff,
    word,
)

WANTED = ("up", "nearest-even", "down")
IN = (
    "  The collection is that of collection_size, or what was retrieved or has a grade of 0 or "
    "more; what was not retrieved follows in random order."
)
ROUNDED = Parameter("up, nearest-even or down", word(*WANTED), "up")
PENALTY = Parameter("target or reached", word("target", "reached"), "target")
COHEN = "Cohen et al. 2006"
CLEF = "Kanoulas et al. 2017; tar_eval"


def _at_recall(name: str, definition: str, source: str, **more: Any) -> MeasureSpec:
    parameters = {"wanted": ROUNDED, **more.pop("parameters", {}), "rel": REL}
    return MeasureSpec(
        name,
        definition + IN,
        source,
        parameters=parameters,
        takes_cutoff=True,
        needs_cutoff=True,
        at="recall",
        arguments=_wanted,
        mark_level=judged_marks,
        **more,
    )


def _wanted(measure: OneMeasure) -> tuple[float, float, float]:
    """The level of recall, how documents are rounded, and what is taken off."""
    rounding = WANTED.index(measure.get("wanted"))
    return float(measure.cutoff), float(rounding), float(measure.get("penalty") == "reached")


def _of_all(name: str, definition: str, source: str, **more: Any) -> MeasureSpec:
    return MeasureSpec(
        name, definition + IN, source, parameters={"rel": REL}, mark_level=judged_marks, **more
    )


LOWER: dict[str, Any] = {"lower_is_better": True}
LOSS: dict[str, Any] = {"parameters": {"rel": REL}, "mark_level": judged_marks, **LOWER}

REVIEW_ROWS = [
    _at_recall(
        "WSS",
        "Work saved over sampling: the share of the collection behind the document with which "
        "recall reaches r, less 1 - r; with penalty=reached, less 1 - what is reached.  r times "
        "the relevant documents is rounded up; wanted=nearest-even is CLEF's, which is 0 where the "
        "run ends before.",
        COHEN,
        parameters={"penalty": PENALTY},
    ),
    _at_recall(
        "TNR",
        "The share of the documents that are not relevant behind the one with which recall reaches "
        "r (normalised WSS).",
        "Kusa et al. 2023",
    ),
    _at_recall(
        "Depth",
        "Documents read until recall reaches r.",
        "Cormack & Grossman 2014",
        **LOWER,
    ),
    _of_all("LastRel", "The place of the last relevant document.", CLEF, **LOWER),
    _of_all("ATD", "The mean place of the relevant documents.", "Ferdinands et al. 2023", **LOWER),
    _of_all(
        "NormArea",
        "The area below the curve of relevant documents found over documents read, over that of "
        "the best ranking.",
        CLEF,
    ),
    _of_all(
        "NormLoss",
        "The share of pairs (relevant, other) of the collection in the wrong order: 1 less the "
        "area below the ROC curve.",
        "asreview-insights' loss",
        **LOWER,
    ),
    up_to_cutoff(
        "LossR",
        "(1 - recall)² of the first k documents, or of all retrieved.",
        "Cormack & Grossman 2016; tar_eval's loss_r",
        **LOSS,
    ),
    up_to_cutoff(
        "LossE",
        "(100/N)² (k/(n + 100))² for k documents read, n relevant ones, N in the collection." + IN,
        "Cormack & Grossman 2016; tar_eval's loss_e",
        **LOSS,
    ),
    up_to_cutoff("LossER", "LossR plus LossE.", "tar_eval's loss_er", **LOSS),
    MeasureSpec(
        "NCG",
        "Recall after k % of the collection, rounded up to documents; R@k% is its other name." + IN,
        CLEF,
        parameters={"rel": REL},
        takes_cutoff=True,
        needs_cutoff=True,
        at="percentage",
        arguments=lambda measure: (float(measure.cutoff),),
        mark_level=judged_marks,
    ),
]
