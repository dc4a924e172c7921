"""The recall memo of a review that fallible assessors coded and people audited: every number beside
what it would be if all calls were right.

Where all documents were coded the memo is that of strata, the classes of calls, with a few columns
more; where only a sample was, there is no guaranteed bound, and a memo of its own."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Callable
from typing import Any

from irbounds.foundation.interval import Interval
from irbounds.report.memo import (
    INTERVALS,
    LABELS,
    SEGMENTS,
    TITLE,
    Segments,
    claim_side,
    common,
    picture,
    sensitivity,
    two_sides,
)
from irbounds.report.page import Page, file_of
from irbounds.samples.intervals.estimators import recall_posterior
from irbounds.samples.intervals.intervals import recall_interval
from irbounds.samples.intervals.pipeline import CODED_METHODS, method_for
from irbounds.samples.intervals.sensitivity import USUAL_PRIORS
from irbounds.samples.intervals.table import method_beside, model_of, offered
from irbounds.samples.model.priors import PerStratum
from irbounds.samples.model.strata import Audited, AuditedCounts, Segment, Stratum, check_segments

NOTES = {
    "recall": "share of the relevant documents that is retrieved",
    "precision": "share of the retrieved documents that is relevant",
    "F": "harmonic mean of recall and precision",
    "yield": "relevant documents in the collection",
    "elusion": "share of the unretrieved documents that is relevant",
}


def segments_of(inputs: dict[str, Any]) -> Segments:
    """Both segments, as the functions of samples take them."""
    retrieved, unretrieved = (
        [
            Audited(**{k: tuple(v) if isinstance(v, list) else v for k, v in one.items()})
            if isinstance(one, dict)
            else Stratum(*one)
            for one in inputs[name]
        ]
        for name in SEGMENTS
    )
    return retrieved, unretrieved


MEASURES = {"recall": recall_interval, **INTERVALS}
Parts = list[list[tuple[str, Stratum]]]  # strata of both segments, with their names


def classes(**segments: Segment) -> Parts | None:
    """The strata of checked segments with their names, those of a coded part by its calls; None
    where only a sample of a part was coded."""
    parts: Parts = []
    for name, segment in segments.items():
        found: list[tuple[str, Stratum]] = []
        are_coded = any(isinstance(one, AuditedCounts) for one in segment)
        several = sum(isinstance(one, AuditedCounts) == are_coded for one in segment) > 1
        for i, one in enumerate(segment, 1):
            kind = "part" if are_coded else "stratum"
            title = f"{name}, {kind} {i}" if several else name
            if not isinstance(one, AuditedCounts):
                title = f"{title}, not coded" if are_coded else title
                found.append((title, Stratum(*map(float, one))))
            elif one.judged < one.size:
                return None
            else:
                found += [
                    (f"{title}, called {call}", Stratum(*map(float, counts)))
                    for call, *counts in _calls(one)
                    if counts[0]
                ]
        parts.append(found or [(name, Stratum(0.0, 0.0, 0.0))])
    return parts


def _calls(one: AuditedCounts) -> list[tuple[str, Any, Any, Any]]:
    """Both classes of calls: documents, audited and relevant ones."""
    return [
        ("relevant", one.called, one.m1, one.x1),
        ("not relevant", one.judged - one.called, one.m0, one.x0),
    ]


def if_right(inputs: dict[str, Any], segments: Segments) -> dict[str, Any]:
    """The answers that there would be if every call were right: recall with the probability of the
    target, and all measures by their names."""
    claimed, level = believed(segments), inputs["confidence_level"]
    found = {
        LABELS.get(name, name): interval_of(
            *claimed, method=method_beside(inputs["method"], name), confidence_level=level
        )
        for name, interval_of in MEASURES.items()
    }
    prior = model_of(inputs["method"]).prior
    return {
        "believed": found,
        "claim": found["recall"],
        "chance": None
        if inputs["target"] is None
        else float(recall_posterior(*claimed, prior).sf(inputs["target"])),
    }


def believed(segments: Segments) -> tuple[list[Stratum], list[Stratum]]:
    """The strata that there would be if every call were right."""
    retrieved, unretrieved = (
        [
            Stratum(one.size, one.sampled, one.called) if isinstance(one, Audited) else one
            for one in segment
        ]
        for segment in segments
    )
    return retrieved, unretrieved


def findings(inputs: dict[str, Any], segments: Segments) -> dict[str, Any]:
    """All results, by their names in the template."""
    method, level = inputs["method"], inputs["confidence_level"]
    method_for("two-sided", method, *segments)  # refuses those that have no form
    model = model_of(method)
    posterior = recall_posterior(*segments, model.prior)
    interval = recall_interval(*segments, method=method, confidence_level=level)

    def both_sides(interval_of: Callable[..., Interval], measure: str) -> dict[str, Interval]:
        return {
            name: interval_of(*segments, method=method, confidence_level=level, side=side)
            for name, side in (("interval", "two-sided"), ("one_sided", claim_side(measure)))
        }

    audited = {name: both_sides(interval_of, name) for name, interval_of in MEASURES.items()}
    checked = check_segments(True, retrieved=segments[0], unretrieved=segments[1])
    return {
        **common(inputs, posterior, checked, audited, interval),
        "prior": "1" if model.prior == (1.0, 1.0) else "½",  # of the methods that have a form
        "per_stratum": isinstance(model.prior, PerStratum),
        "recall": audited["recall"],
        "coding": if_right(inputs, segments),
        "documents": sum(float(one.size) for segment in checked for one in segment),
        "measures": [
            {
                "name": LABELS.get(name, name),
                "what": NOTES[name],
                "unit": {"F": "", "yield": ""}.get(name, "%"),
                "digits": {"recall": 1, "F": 4, "yield": 0}.get(name, 2),
                "audited": audited[name],
            }
            for name in MEASURES
        ],
        "estimators": {
            "ratio": interval.estimate,
            "posterior mean": posterior.mean,
            "posterior median": posterior.median,
        },
        "sensitivity": sensitivity(inputs, segments, USUAL_PRIORS[:-1]),
        "methods": [
            {
                "name": row.name,
                **(two_sides(checked, row.name, interval) if row.name in CODED_METHODS else {}),
            }
            for row in offered(True)
        ],
        "picture": picture(posterior, interval, inputs["target"], "audits"),
    }


def rows(name: str, segment: Segment) -> list[dict[str, Any]]:
    """The rows of the table of inputs: a row for each class of calls, and for each sample of
    documents that nobody coded."""
    found = []
    for i, one in enumerate(segment, 1):
        title = f"{name}, part {i}" if len(segment) > 1 else name
        if not isinstance(one, AuditedCounts):
            found.append(_row(title, one.size, "not coded", math.nan, one.size, one[1], one[2]))
            continue
        for call, size, audited, relevant in _calls(one):
            if size or one.judged == 0:
                found.append(_row(title, one.size, call, one.judged, size, audited, relevant))
    return found


def _row(
    name: str,
    size: float,
    call: str,
    judged: float,
    of_class: float,
    audited: float,
    relevant: float,
) -> dict[str, Any]:
    share = float(relevant / audited) if audited else math.nan
    return {
        "name": name,
        "size": float(size),
        "call": call,
        "judged": float(judged),
        "of_class": float(of_class),
        "audited": float(audited),
        "relevant": float(relevant),
        "share": share,
    }


def command(inputs: dict[str, Any], segments: Segments, page: Page) -> str:
    """The command that makes this page: a call of the function, as no option of the command line
    holds an audited segment."""

    def quoted(text: str) -> str:  # in the quotes that a shell's single ones hold unchanged
        return json.dumps(text, ensure_ascii=False)

    arguments = [
        *(f"[{', '.join(map(_written, segment))}]" for segment in segments),
        *(f"{name}={inputs[name]!r}" for name in ("target", "confidence_level")),
        f"method={quoted(inputs['method'])}",
        *(f"{name}={quoted(text)}" for name, text in page.options(TITLE).items() if text),
        f"output={quoted('memo.html' if page.output is None else file_of(page.output))}",
    ]
    call = f"irb.report_recall({', '.join(arguments)})"
    return shlex.join(["python", "-c", f"import irbounds as irb; {call}"])


def _written(one: Audited | Stratum) -> str:
    """A part of a segment as it is called."""
    fields = ", ".join(map(repr, one))
    return f"irb.Audited({fields})" if isinstance(one, Audited) else f"({fields})"
