"""Gates: may this run take the place of that one?  Not if it is worse by more than a margin."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from irbounds._core.exact_sum import column_means
from irbounds.comparison.alignment import align
from irbounds.comparison.gate_checks import Finding, Question, judge, verdicts
from irbounds.comparison.gate_result import Gate, GateCheck
from irbounds.comparison.subtraction import subtract
from irbounds.foundation.arguments import check_flag, check_level, check_number
from irbounds.foundation.errors import InputError, fail
from irbounds.foundation.paths import can_reread, is_path
from irbounds.rankings.cautions import warn_of_run
from irbounds.rankings.collection import Qrels, Run
from irbounds.rankings.evaluation import Evaluation
from irbounds.rankings.evaluator import Evaluator
from irbounds.rankings.frames import check_columns
from irbounds.rankings.measure import Measure

BASELINE, NEW, PREVIOUS = "baseline", "new", "previous"


def gate(
    qrels: Any,
    baseline: Any,
    new: Any,
    measures: Any,
    *,
    margin: Any = 0.01,
    alpha: float = 0.05,
    strict: bool = False,
    previous: Any = None,
    min_judged: float | None = None,
    ties: str = "expected",
    missing: str = "zero",
    judged_only: bool = False,
    collection_size: int | None = None,
    score_precision: str = "float64",
    score_tolerance: float = 0.0,
    columns: Mapping[str, str] | None = None,
) -> Gate:
    """Whether a new run is worse than a baseline by more than a margin.

    The queries are taken as a sample of those that users ask.  By each measure the new run passes
    if the one-sided 1 - alpha bound of the mean difference, by the paired t, is above -margin; it
    fails if the other bound is below -margin, or with `strict` below 0.  Else the queries are too
    few to say, and the verdict is "unclear".

    Parameters
    ----------
    qrels, measures
        As in `evaluate`.
    baseline, new : run
        Runs as `evaluate` takes them.  The baseline is best pinned: against last night's run, small
        losses add up unseen.
    margin : float, or dict of float by measure
        The loss that does not matter, 0 or more.
    alpha : float
        The chance of a wrong "fail" (over all measures together, by Holm's correction), and of
        letting a loss of `margin` or more pass, where differences are normal: see Notes.
    strict : bool
        Fail also where the new run is worse by less than the margin, if that is beyond chance.
    previous : run, optional
        Last night's: what changed since is shown beside (`Gate.drift`); it does not count.
    min_judged : float, optional
        The least mean share of judged documents among the first 10 (or the largest cut-off of the
        measures) of the new run; with fewer the verdict is "unclear" at best.
    ties, missing, judged_only, collection_size
        As in `evaluate`.  With ties="expected" the least and the greatest values over all orders of
        tied documents are taken as well, and where they change the verdict it is "unclear".
        Queries whose documents and scores are the same in both runs count as unchanged in every
        order.  Other rules take one order.
    score_precision, score_tolerance, columns
        As in `evaluate`.

    Returns
    -------
    Gate

    Notes
    -----
    Where few queries change by much, `alpha` does not hold: no test finds a loss in queries that
    the sample lacks.  A run that loses 1 on 1 % of the queries, the margin 0.01, passes with a
    chance of 0.99^n where none of the n queries is among them: 0.61 of 50, 0.13 of 200.  A run that
    gains as rarely, and loses as much on average, fails as often.

    The same queries night after night are no new data: a run that did not change gets the same
    verdict each time, and no correction for looking often is due.  But a baseline that is replaced
    each night is another one each time.

    Examples
    --------
    >>> import irbounds as irb
    >>> qrels = {f"q{i}": {"d1": 1} for i in range(40)}
    >>> good = {query: {"d1": 2.0, "d2": 1.0} for query in qrels}
    >>> bad = {query: {"d1": 1.0, "d2": 2.0} if query > "q2" else good[query] for query in qrels}
    >>> irb.gate(qrels, good, bad, "RR").verdict
    'fail'
    >>> irb.gate(qrels, good, good, "RR").verdict
    'pass'
    """
    has_bounds = ties == "expected"
    if min_judged is not None:
        qrels = Qrels.of(qrels, check_columns(columns))
    evaluator = Evaluator(
        qrels,
        measures,
        ties=ties,
        bounds=has_bounds,
        missing=missing,
        judged_only=judged_only,
        collection_size=collection_size,
        score_precision=score_precision,
        score_tolerance=score_tolerance,
        columns=columns,
    )
    given = {BASELINE: baseline, NEW: new}
    if previous is not None:
        given[PREVIOUS] = previous
    # runs are read again where ties ask for it; standard input and iterators can be read once
    runs = {
        name: run if is_path(run) and can_reread(run) else Run.of(run, evaluator.columns)
        for name, run in given.items()
    }
    evaluations = {name: evaluator._evaluate_silently(run) for name, run in runs.items()}
    for name, evaluation in evaluations.items():
        warn_of_run(name, evaluation.cautions)
    judged = _judged(qrels, runs[NEW], evaluations[NEW].measures, min_judged, evaluator.columns)
    unchanged = _unchanged(runs, evaluations, evaluator.columns) if has_bounds else set()
    return _gate(evaluations, margin, alpha, strict, judged, unchanged)


def gate_evaluations(
    baseline: Evaluation,
    new: Evaluation,
    *,
    margin: Any = 0.01,
    alpha: float = 0.05,
    strict: bool = False,
    previous: Evaluation | None = None,
) -> Gate:
    """As `gate`, from evaluations that are there already.

    Parameters
    ----------
    baseline, new, previous : Evaluation
        By the same measures and tie rule.  Ties are taken into account where all have bounds.
    margin, alpha, strict
        As in `gate`.

    Returns
    -------
    Gate

    Examples
    --------
    >>> import numpy as np
    >>> import irbounds as irb
    >>> old = np.linspace(0.2, 0.8, 50)[:, None]
    >>> new = old + np.tile([0.03, -0.02], 25)[:, None]
    >>> runs = [irb.Evaluation(("AP",), tuple(range(50)), values) for values in (old, new)]
    >>> irb.gate_evaluations(*runs).verdict
    'pass'
    """
    evaluations = {BASELINE: baseline, NEW: new}
    if previous is not None:
        evaluations[PREVIOUS] = previous
    return _gate(evaluations, margin, alpha, strict, None, set())


def _gate(
    evaluations: dict[str, Evaluation],
    margin: Any,
    alpha: float,
    strict: bool,
    judged: tuple[float, float] | None,
    unchanged: set[Any],
) -> Gate:
    alpha = check_level(alpha, "alpha")
    if alpha > 0.5:
        fail("alpha", "must be at most 0.5, so that no run can both pass and fail", alpha)
    is_strict = check_flag("strict", strict)
    measures = evaluations[NEW].measures
    margins = _margins(margin, measures)
    against = {BASELINE: evaluations[BASELINE], NEW: evaluations[NEW]}
    checks = _checks(against, margins, alpha, is_strict, unchanged)
    drift: tuple[GateCheck, ...] = ()
    if PREVIOUS in evaluations:
        since = {BASELINE: evaluations[PREVIOUS], NEW: evaluations[NEW]}
        drift = _checks(since, margins, alpha, is_strict, set())
    found = {check.verdict for check in checks}
    verdict = "fail" if "fail" in found else "unclear" if "unclear" in found else "pass"
    reason = None
    if judged is not None and judged[0] < judged[1]:
        reason = f"only {judged[0]:.3f} of the first documents are judged, less than {judged[1]:g}"
        verdict = "fail" if verdict == "fail" else "unclear"
    return Gate(
        verdict,
        checks,
        alpha,
        is_strict,
        evaluations[NEW].ties,
        drift,
        None if judged is None else judged[0],
        reason,
        evaluations[NEW].missing_queries,
    )


def _margins(margin: Any, measures: tuple[str, ...]) -> dict[str, float]:
    rule = "must be 0 or more and finite"

    def checked(value: Any) -> float:
        return check_number("margin", value, rule, lambda x: 0 <= x < math.inf)

    if not isinstance(margin, Mapping):
        return dict.fromkeys(measures, checked(margin))
    named = {str(_known(name)): value for name, value in margin.items()}
    missing = [name for name in measures if str(name) not in named]
    if missing or len(named) > len(measures):
        raise InputError(
            f"`margin` must have the measures {', '.join(measures)}; found {', '.join(named)}"
        )
    return {name: checked(named[name]) for name in measures}


def _known(name: Any) -> str:
    """The measure's name however it is written; one's own as it is."""
    try:
        return Measure.parse(str(name))
    except InputError:
        return str(name)


def _checks(
    evaluations: dict[str, Evaluation],
    margins: dict[str, float],
    alpha: float,
    strict: bool,
    unchanged: set[Any],
) -> tuple[GateCheck, ...]:
    """A check for each measure: as the values are, and with ties for and against the new run."""
    aligned = align(evaluations)
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
    same = np.array([query in unchanged for query in aligned.query_ids])
    findings: list[list[Finding]] = []
    for old, own in orders:
        apart = subtract(own, old) * signs
        apart[same] = 0.0
        findings.append(
            [
                judge(apart[:, j], Question(margins[name], alpha, strict))
                for j, name in enumerate(aligned.measures)
            ]
        )
    by_order = [verdicts(each, alpha) for each in findings]
    n = len(aligned.query_ids)
    means = [column_means(aligned.chosen[run]).tolist() for run in (0, 1)]
    return tuple(
        _check(
            name,
            signs[j],
            (means[0][j], means[1][j]),
            [each[j] for each in findings],
            [each[j] for each in by_order],
            Question(margins[name], alpha, strict),
            n,
        )
        for j, name in enumerate(aligned.measures)
    )


def _check(
    name: str,
    sign: int,
    means: tuple[float, float],
    findings: list[Finding],
    by_order: list[str],
    asked: Question,
    n: int,
) -> GateCheck:
    chosen = findings[0]
    verdict, reason = by_order[0], chosen.reason
    if len(set(by_order)) > 1:
        verdict = "unclear"
        reason = f"ties decide: {by_order[1]} in the worst order, {by_order[2]} in the best"
    ends = sorted((sign * chosen.low, sign * chosen.high))
    outer = [sign * finding.mean for finding in findings]
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
        (min(outer), max(outer)) if len(findings) > 1 else None,
        reason,
    )


def _check_finite(values: np.ndarray, name: str, query_ids: tuple[Any, ...]) -> None:
    is_finite = np.isfinite(values).all(axis=0)
    if not is_finite.all():
        query = query_ids[int(np.argmin(is_finite))]
        raise InputError(
            f"{name} is infinite for query {query!r}, so that there is no mean to judge by"
        )


def _judged(
    qrels: Any,
    new: Any,
    measures: tuple[str, ...],
    least: float | None,
    columns: dict[str, str],
) -> tuple[float, float] | None:
    """The mean share of judged documents among the first of the new run, and the least allowed."""
    if least is None:
        return None
    least = check_number(
        "min_judged", least, "must be between 0 and 1, as 0.9 is", lambda x: 0 <= x <= 1
    )
    cutoffs = [Measure.of(name).cutoff for name in measures]
    deepest = max([int(k) for k in cutoffs if isinstance(k, int)], default=10)
    name = f"Judged@{deepest}"
    return Evaluator(qrels, name, columns=columns)._evaluate_silently(new).mean[name], least


def _unchanged(
    runs: dict[str, Any], evaluations: dict[str, Evaluation], columns: dict[str, str]
) -> set[Any]:
    """Queries with ties whose documents and scores are the same in the baseline and the new run:
    whatever breaks their ties breaks them alike."""
    old, own = evaluations[BASELINE], evaluations[NEW]
    if old.query_ids != own.query_ids or own.low is None or own.high is None:
        return set()
    assert old.low is not None
    assert old.high is not None
    has_ties = (own.low != own.high).any(axis=1)
    is_alike = ((old.values == own.values) & (old.low == own.low) & (old.high == own.high)).all(
        axis=1
    )
    rows = np.flatnonzero(has_ties & is_alike)
    if not len(rows):
        return set()
    first, second = (Run.of(runs[name], columns) for name in (BASELINE, NEW))
    queries = [own.query_ids[i] for i in rows.tolist()]
    return {
        query
        for query in queries
        if str(query) in first and str(query) in second and first[str(query)] == second[str(query)]
    }
