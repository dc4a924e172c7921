"""The check of each measure: as the values are, and for and against the new run where ties and
labels may decide."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from irbounds._core.common.exact_sum import column_means
from irbounds.comparison.data.alignment import align
from irbounds.comparison.data.subtraction import subtract
from irbounds.comparison.gates.checks import Finding, Question, judge, verdicts
from irbounds.comparison.gates.inputs import LabelRange, without, worst_and_best
from irbounds.comparison.gates.rare_queries import Few
from irbounds.comparison.gates.result import GateCheck
from irbounds.foundation.errors import InputError, counted
from irbounds.rankings.data.evaluation import Evaluation
from irbounds.rankings.data.uncertainty import limits_of
from irbounds.rankings.measure_table.measure import Measure
from irbounds.rankings.reading.groups import groups_of

DECIDED_BY = {  # how the worst and the best case are called
    "ties": ("in the worst order", "in the best"),
    "labels": ("with the worst labels of unjudged documents", "with the best"),
}
DOUBTED = "too few {} to say: the bounds of Student's t would decide, but {} not agree"
TOO_FEW = (
    "too few {0} to say: with a chance of {4:.2g} %, {2} {0} include {3} of a kind that makes up "
    "{1:.2g} % of all {0}, and such a kind could reverse the result; {5} {0} or more are needed"
)
ALL_AGREE = (
    "too few {0} to say: all agree, but with a chance of {3:.2g} %, {2} {0} include none of a kind "
    "that makes up {1:.2g} % of all {0} and disagrees; {4} {0} or more are needed"
)
DOUBTS = {  # tests beside Student's t (`Finding`)
    "skewness": "a test that allows for skewed differences",
    "signs": "the exact test by changes of sign",
}


def _doubted(names: tuple[str, ...], few: Few | None, n: int, units: str, alpha: float) -> str:
    if few is not None and few.agree:
        return ALL_AGREE.format(units, 100 * few.share, n, 100 * few.chance, few.enough(alpha))
    if few is not None:
        how_many = "none" if few.unlike == 0 else f"at most {few.unlike}"
        return TOO_FEW.format(
            units, 100 * few.share, n, how_many, 100 * few.chance, few.enough(alpha)
        )
    said = " and ".join(DOUBTS[name] for name in names)
    return DOUBTED.format(units, f"{said} {'does' if len(names) == 1 else 'do'}")


class Case(NamedTuple):
    """A finding and its verdict; kind: of DECIDED_BY, or empty as the values are."""

    kind: str
    finding: Finding
    verdict: str


def check_of(
    name: str,
    sign: int,
    means: tuple[float, float],
    cases: list[Case],
    asked: Question,
    n: int,
    n_groups: int | None,
) -> GateCheck:
    """The check of one measure, from its finding as the values are (the first case), and in the
    worst and the best case of ties and of labels."""
    (_, chosen, verdict), *others = cases
    reasons = [] if chosen.reason is None else [chosen.reason]
    if verdict == "unclear" and chosen.doubts:
        reasons.append(
            _doubted(
                tuple(dict.fromkeys(chosen.doubts)),
                chosen.few,
                n_groups or n,
                "groups" if n_groups else "queries",
                asked.alpha,
            )
        )
    turned = []
    outer: dict[str, tuple[float, float]] = {}
    for kind, (worst, best) in DECIDED_BY.items():
        own = [case for case in others if case.kind == kind]
        if not own:
            continue
        found = [case.verdict for case in own]
        if {*found, verdict} != {verdict}:
            turned.append(f"{kind} decide: {found[0]} {worst}, {found[1]} {best}")
        values = [sign * case.finding.mean for case in (cases[0], *own)]
        outer[kind] = min(values), max(values)
    if turned:
        verdict, reasons = "unclear", turned
    ends = sorted((sign * chosen.low, sign * chosen.high))
    return GateCheck(
        measure=name,
        verdict=verdict,
        baseline=means[0],
        new=means[1],
        difference=sign * chosen.mean,
        low=ends[0],
        high=ends[1],
        p_value=chosen.p_value,
        margin=asked.margin,
        n_queries=n,
        sd=chosen.spread,
        alpha=asked.alpha,
        tie_bounds=outer.get("ties"),
        reason="; ".join(reasons) or None,
        unjudged_bounds=outer.get("labels"),
        deciding_p=chosen.deciding_p,
        n_groups=n_groups,
    )


def unless_gained(check: GateCheck, shared: GateCheck | None, n_gained: int) -> GateCheck:
    """The check; a pass is unclear if it is none over the queries that the baseline has, if it has
    any: a file that was cut short makes a bad baseline."""
    if check.verdict != "pass" or (shared is not None and shared.verdict == "pass"):
        return check
    reason = f"passes only by {counted(n_gained, 'query', 'queries')} that the baseline lacks"
    if shared is not None:
        reason += f", {shared.verdict} without"
    return replace(check, verdict="unclear", reason=reason)


def checks_of(
    evaluations: dict[str, Evaluation],
    margins: dict[str, float],
    alpha: float,
    strict: bool,
    unchanged: set[Any],
    ranges: LabelRange | None = None,
    left_out: frozenset[Any] = frozenset(),
    groups: Mapping[Any, Any] | None = None,
) -> tuple[GateCheck, ...]:
    """A check for each measure: as the values are, with ties for and against the new run, and with
    labels for and against it."""
    aligned = without(align(evaluations), left_out)
    sample = None if groups is None else groups_of(groups, aligned.query_ids)
    signs = [-1 if Measure.of(name).spec.lower_is_better else 1 for name in aligned.measures]
    orders = [(aligned.chosen[0], aligned.chosen[1])]
    for j, name in enumerate(aligned.measures):
        _check_finite(aligned.chosen[:, :, j], name, aligned.query_ids)
    if aligned.low is not None and aligned.high is not None:
        # the worst and the best for the new run
        low, high = aligned.low, aligned.high
        flip = np.array(signs) < 0
        worst = np.where(flip, low[0], high[0]), np.where(flip, high[1], low[1])
        best = np.where(flip, high[0], low[0]), np.where(flip, low[1], high[1])
        orders += [worst, best]
    # The same documents in the same ties: whatever breaks these breaks them alike in both runs.
    same = np.array([query in unchanged for query in aligned.query_ids])
    cases = [subtract(own, old) * signs for old, own in orders]
    for apart in cases:
        apart[same] = 0.0
    # One name for each case: as the values are, then worst and best.
    decided_by = ["", *["ties", "ties"][: len(cases) - 1]]
    if ranges is not None:
        cases += worst_and_best(ranges, cases[0], aligned.query_ids, aligned.measures, signs)
        decided_by += ["labels", "labels"]
    asked = [
        Question(margins[name], alpha, strict, 1.0 if limits_of(name) else math.inf)
        for name in aligned.measures
    ]
    findings = [
        [judge(apart[:, j], asked[j], sample) for j in range(len(asked))] for apart in cases
    ]
    by_case = [verdicts(each, alpha) for each in findings]
    n = len(aligned.query_ids)
    means = [column_means(aligned.chosen[run]).tolist() for run in (0, 1)]
    return tuple(
        check_of(
            name,
            signs[j],
            (means[0][j], means[1][j]),
            [
                Case(kind, found[j], said[j])
                for kind, found, said in zip(decided_by, findings, by_case, strict=True)
            ],
            asked[j],
            n,
            None if sample is None else len(sample),
        )
        for j, name in enumerate(aligned.measures)
    )


def _check_finite(values: np.ndarray, name: str, query_ids: tuple[Any, ...]) -> None:
    is_finite = np.isfinite(values).all(axis=0)
    if not is_finite.all():
        query = query_ids[int(np.argmin(is_finite))]
        raise InputError(f"{name} is infinite for query {query!r}, so it has no mean to compare")
