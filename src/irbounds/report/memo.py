"""Parts that both kinds of recall memo share: for samples, and for coded documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from irbounds.foundation.interval import Interval
from irbounds.foundation.rounding import probability, rounded_down, rounded_up
from irbounds.plot.posteriors import recall_posterior as draw_posterior
from irbounds.report.charts import WIDE, chart
from irbounds.report.page import decimals, levels, written
from irbounds.samples.bounds.guaranteed import name_of_test
from irbounds.samples.intervals.estimators import RecallPosterior
from irbounds.samples.intervals.intervals import (
    elusion_interval,
    f_interval,
    precision_interval,
    yield_interval,
)
from irbounds.samples.intervals.pipeline import recall_ends_of
from irbounds.samples.intervals.sensitivity import PriorSensitivity, prior_sensitivity
from irbounds.samples.intervals.table import model_of
from irbounds.samples.intervals.tested_strata import loose_bound_note
from irbounds.samples.model.priors import PerStratum, Prior
from irbounds.samples.model.strata import AuditedCounts, Segment
from irbounds.samples.model.warnings import cautions_of_prior

INTERVALS: dict[str, Callable[..., Interval]] = {
    "precision": precision_interval,
    "F": f_interval,
    "yield": yield_interval,
    "elusion": elusion_interval,
}
LABELS = {"F": "F1"}
SEGMENTS = ("retrieved", "unretrieved")
TITLE = "Recall validation memo"
LEAST_LEVEL = 0.8  # below it a posterior interval need not hold a ratio, and nothing warns
ROUNDED = 1e-12


Segments = tuple[list[Any], list[Any]]  # as the functions of samples take them


def common(
    inputs: Mapping[str, Any],
    posterior: RecallPosterior,
    checked: Sequence[Segment],
    rows: Mapping[str, dict[str, Any]],
    claimed: Interval,
) -> dict[str, Any]:
    """Findings by their names in both templates.

    rows: by measure the "interval" and the "one_sided" bound, which becomes the claim for recall;
    claimed: the two-sided interval by the method of that bound.
    """
    method, level, target = inputs["method"], inputs["confidence_level"], inputs["target"]
    recall, prior = rows["recall"], model_of(method).prior
    verdict, claim = claim_of(recall["one_sided"], claimed, target)
    recall["one_sided"] = claim
    shown = {LABELS.get(name, name): row["interval"] for name, row in rows.items()}
    return {
        "method": method,
        "claim": claim,
        "verdict": verdict,
        "claim_method": claim.method,
        # a claim chosen by the samples: a lower bound, or an upper end with half of its error
        "most_wrong": written(1.5 * (1 - level), decimals(150 * (1 - level)), "%"),
        **levels(level, target),
        "chance": None if target is None else float(posterior.sf(target)),
        "cautions": [*cautions(prior, checked), *outside(shown)],
    }


def sensitivity(
    inputs: Mapping[str, Any], segments: Segments, priors: Sequence[Any]
) -> PriorSensitivity:
    """The answers of other priors about the target."""
    others = alike(priors, model_of(inputs["method"]).prior)
    level = inputs["confidence_level"]
    return prior_sensitivity(*segments, inputs["target"], others, confidence_level=level)


def picture(
    posterior: RecallPosterior, interval: Interval, target: float | None, given: str
) -> str:
    """The posterior of recall, given samples or audits."""
    return chart(
        "recall",
        "Posterior of recall"
        if target is None
        else f"P(recall ≥ {target:g}) {probability(float(posterior.sf(target)))}",
        f"How probable each recall is, given the {given}. The "
        f"{100 * interval.confidence_level:g} % interval reaches from "
        f"{rounded_down(interval.low, 4):.4f} to {rounded_up(interval.high, 4):.4f}.",
        lambda ax: draw_posterior(posterior, target, ax, interval=interval),
        (WIDE, 2.8),
    )


def alike(priors: Sequence[Any], prior: Prior | None) -> list[Any]:
    """Other priors, each in every stratum if this one is: one that strata share may give a range
    that leaves out what the memo says by its own prior."""
    if not isinstance(prior, PerStratum):
        return [*priors]
    return [PerStratum(each if isinstance(each, str) else (each, each)) for each in priors]


def claim_of(bound: Interval, interval: Interval, target: float | None) -> tuple[str, Interval]:
    """Whether the target, if there is one, was reached or missed, and the one statement of the
    finding: the lower bound, or the two-sided interval of the same method where all of it is below
    the target.

    A lower bound and an upper bound of 95 % would together hold in 90 % of reviews only.
    """
    if target is None:
        return "none", bound
    if bound.low >= target:
        return "reached", bound
    return ("missed", interval) if interval.high < target else ("open", bound)


def how_assessed(size: float, sampled: float) -> str:
    """In words, which the memo's notes look for."""
    if sampled == 0 < size:
        return "not sampled"
    return "read whole" if sampled == size else "simple random sample"


def words_of_test(segments: Sequence[Segment], level: float) -> str:
    """The test of the guaranteed bound, and why one of strata is loose."""
    one, other = segments
    note = loose_bound_note(one, other, confidence_level=level)
    return name_of_test(one, other) + (note and f"; {note}")


def claim_side(measure: str) -> str:
    """The side of a one-sided bound: a review claims that elusion is at most so much, and all else
    at least."""
    return "upper" if measure == "elusion" else "lower"


def counts(segment: Segment) -> list[Any]:
    """Strata as lists of whole numbers, audited segments as dicts: for the line that is hashed."""
    return [
        {
            "size": int(one.size),
            "sampled": int(one.judged),
            "called": int(one.called),
            "called_audit": [int(one.m1), int(one.x1)],
            "other_audit": [int(one.m0), int(one.x0)],
        }
        if isinstance(one, AuditedCounts)
        else [int(field) for field in one]
        for one in segment
    ]


def cautions(prior: Prior | None, segments: Sequence[Segment]) -> list[str]:
    """The warnings of intervals of checked segments about the prior, as sentences."""
    if prior is None:
        return []
    found = cautions_of_prior(prior, **dict(zip(SEGMENTS, segments, strict=True)))
    return [f"{caution[0].upper()}{caution[1:]}." for caution in found]


def outside(intervals: Mapping[str, Interval]) -> list[str]:
    """A sentence that names the measures whose estimates lie outside their intervals."""
    names = [name for name, one in intervals.items() if not holds_estimate(one)]
    if not names:
        return []
    return [
        f"The estimate lies outside its interval: {', '.join(names)}. The prior, or what the "
        "method adds to the counts, outweighs the samples."
    ]


def two_sides(segments: list[Segment], method: str, shown: Interval) -> dict[str, Any]:
    """The two-sided interval and the lower bound of recall by the method, and whether the interval
    holds the estimate: what the page says is not also raised as a warning."""
    retrieved, unretrieved = segments
    level = shown.confidence_level
    low, high = map(float, recall_ends_of(retrieved, unretrieved, method, level, "two-sided"))
    two_sided = replace(shown, low=low, high=high, method=method)
    return {
        "interval": two_sided,
        "lower": float(recall_ends_of(retrieved, unretrieved, method, level, "lower")[0]),
        "holds_estimate": holds_estimate(two_sided),
    }


def holds_estimate(one: Interval) -> bool:
    """False if the interval says by its own ends that its estimate is impossible."""
    return one.confidence_level < LEAST_LEVEL or not (
        one.estimate < one.low - ROUNDED or one.estimate > one.high + ROUNDED
    )
