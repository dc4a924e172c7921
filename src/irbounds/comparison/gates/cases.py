"""The check of one measure, from its findings with ties and labels as they may be."""

from __future__ import annotations

from typing import NamedTuple

from irbounds.comparison.gates.checks import Finding, Question
from irbounds.comparison.gates.rare_queries import Few
from irbounds.comparison.gates.result import GateCheck

DECIDED_BY = {  # how the worst and the best case are called
    "ties": ("in the worst order", "in the best"),
    "labels": ("with the worst labels of unjudged documents", "with the best"),
}
BETWEEN = {
    "ties": "ties may decide: the verdict is not sure for orders between the worst and the best",
    "labels": "labels may decide: the verdict is not sure for labels of unjudged documents between "
    "the worst and the best",
}
DOUBTED = "too few queries to say: the bounds, by Student's t, would decide, but {} not agree"
TOO_FEW = (
    "too few queries to say: if a share of {:.2g} of all queries differs from the rest, "
    "a sample of {} has {} of them with a probability of {:.2g}"
)
ALL_AGREE = (
    "too few queries to say: all of them agree, but if a share of {:.2g} of all queries does not, "
    "a sample of {} has none of these with a probability of {:.2g}"
)
DOUBTS = {  # tests beside Student's t (gate_checks.Finding)
    "skewness": "a test that allows for skewed differences",
    "signs": "the exact test by changes of sign",
}


def _doubted(names: tuple[str, ...], few: Few | None, n: int) -> str:
    if few is not None and few.agree:
        return ALL_AGREE.format(few.share, n, few.chance)
    if few is not None:
        how_many = "none" if few.unlike == 0 else f"at most {few.unlike}"
        return TOO_FEW.format(few.share, n, how_many, few.chance)
    said = " and ".join(DOUBTS[name] for name in names)
    return DOUBTED.format(f"{said} {'does' if len(names) == 1 else 'do'}")


class Case(NamedTuple):
    """A finding and its verdict; kind: of DECIDED_BY, or empty as the values are.

    holds: verdicts that no values between the worst and the best turn.
    """

    kind: str
    finding: Finding
    verdict: str
    holds: frozenset[str] = frozenset()


def check_of(
    name: str,
    sign: int,
    means: tuple[float, float],
    cases: list[Case],
    asked: Question,
    n: int,
) -> GateCheck:
    """The check of one measure, from its finding as the values are (the first case), and in the
    worst and the best case of ties and of labels."""
    (_, chosen, verdict, _), *others = cases
    reasons = [] if chosen.reason is None else [chosen.reason]
    if verdict == "unclear" and chosen.doubts:
        reasons.append(_doubted(tuple(dict.fromkeys(chosen.doubts)), chosen.few, n))
    turned = []
    outer: dict[str, tuple[float, float]] = {}
    for kind, (worst, best) in DECIDED_BY.items():
        own = [case for case in others if case.kind == kind]
        if not own:
            continue
        found = [case.verdict for case in own]
        if {*found, verdict} != {verdict}:
            turned.append(f"{kind} decide: {found[0]} {worst}, {found[1]} {best}")
        # Worst and best agree, but values between them may not: see `judge_between`.
        elif verdict != "unclear" and verdict not in own[0].holds:
            turned.append(BETWEEN[kind])
        values = [sign * case.finding.mean for case in (cases[0], *own)]
        outer[kind] = min(values), max(values)
    if turned:
        verdict, reasons = "unclear", turned
    ends = sorted((sign * chosen.low, sign * chosen.high))
    return GateCheck(
        name,
        verdict,
        means[0],
        means[1],
        sign * chosen.mean,
        ends[0],
        ends[1],
        chosen.p_value,
        asked.margin,
        n,
        chosen.spread,
        asked.alpha,
        outer.get("ties"),
        "; ".join(reasons) or None,
        outer.get("labels"),
        chosen.deciding_p,
    )
