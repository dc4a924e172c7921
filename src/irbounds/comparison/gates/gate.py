"""Gates: may this run take the place of that one?  Not if it is worse by more than a margin."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from irbounds.comparison.data.alignment import evaluated
from irbounds.comparison.gates.inputs import (
    BASELINE,
    NEW,
    LabelRange,
    gained_queries,
    judged_share,
    ranges_of_evaluations,
    ranges_of_runs,
    unchanged_queries,
)
from irbounds.comparison.gates.result import FEW_JUDGED, Gate, GateCheck
from irbounds.comparison.gates.verdicts import checks_of, unless_gained
from irbounds.comparison.label_bounds.pairs import LabelBounds
from irbounds.foundation.arguments import check_flag, check_number
from irbounds.foundation.errors import InputError, check_choice, counted
from irbounds.rankings.data.collection import Qrels, Run
from irbounds.rankings.data.evaluation import Evaluation
from irbounds.rankings.data.run_source import RunSource
from irbounds.rankings.data.shared_documents import warn_of_shared
from irbounds.rankings.data.uncertainty import limits_of
from irbounds.rankings.evaluating.evaluator import Evaluator
from irbounds.rankings.measure_table.measure import Measure
from irbounds.rankings.reading.frames import check_columns, check_found
from irbounds.rankings.reading.groups import groups_by_query
from irbounds.rankings.unjudged.treatment import refuse_without_bounds

if TYPE_CHECKING:
    from irbounds.typing import GroupsLike, HiddenLike, MeasuresLike, QrelsLike, RunLike

PREVIOUS = "previous"


def gate(
    qrels: QrelsLike,
    baseline: Any,
    new: RunLike,
    measures: MeasuresLike,
    *,
    margin: Any = 0.01,
    alpha: float = 0.05,
    strict: bool = False,
    previous: RunLike | None = None,
    min_judged: float | None = None,
    ties: str = "expected",
    missing: str = "zero",
    no_relevant: str = "zero",
    drop_self: bool = False,
    duplicates: str = "error",
    judged_only: bool = False,
    collection_size: int | None = None,
    unjudged: str = "nonrelevant",
    unjudged_hidden: HiddenLike | None = None,
    max_grade: float | None = None,
    score_precision: str = "float64",
    score_tolerance: float = 0.0,
    columns: Mapping[str, str] | None = None,
    groups: GroupsLike | None = None,
) -> Gate:
    """Whether a new run is worse than a baseline by more than a margin.

    The queries are taken as a random sample.  By each measure the new run passes if a drop of more
    than `margin` can be ruled out at `alpha`: the one-sided bound of the mean difference, by the
    paired t, is above -margin.  It fails if the other bound is below -margin, or with `strict`
    below 0.  A skewness-corrected t-test (Hall) must agree, and with up to 16 queries, or where all
    differences but zeros have one size, the exact test by changes of sign.  Else the verdict is
    "unclear".

    It is also "unclear" where too few queries were asked to rule out a rare group that would
    reverse the result: a fifth of all queries that differs from the rest, or, if all queries of the
    sample agree, a tenth that does not.  The sample must have some of these with a probability of
    1 - `alpha`.  At 0.05 this asks for 14 queries, 22 or 30 where 1 or 2 differ from the rest, and
    29 where all agree; for fewer where the measure is at most 1 and such shares could not reverse
    the mean.

    Parameters
    ----------
    qrels, measures
        As in `evaluate`; measures that are a geometric mean or a median over queries are refused.
    baseline, new : run
        Runs as `evaluate` takes them.  The baseline is best pinned: against last night's run, small
        losses add up unseen.
    margin : float, or dict of float by measure
        The loss that does not matter, 0 or more; below 1 for measures from 0 to 1, unless `strict`.
    alpha : float
        The chance of a wrong "fail" (over all measures together, by Holm's correction), and of
        letting a loss of `margin` or more pass, where differences are normal: see Notes.
    strict : bool
        Fail also where the new run is worse by less than the margin, if that is beyond chance.
    previous : run, optional
        Last night's run. `Gate.drift` has the changes since then; they do not affect the verdict.
    min_judged : float, optional
        The least mean share of judged documents among the first 10 (or the largest cut-off of the
        measures) of the new run; with fewer the verdict is "unclear" at best.
    ties, missing, no_relevant, drop_self, duplicates, judged_only, collection_size
        As in `evaluate`.  With ties="expected" the worst and the best values for the new run over
        all orders of tied documents are taken as well; if the verdict is not the same there, it is
        "unclear".  Then no order between them has the opposite verdict.  Queries whose documents
        and scores are the same in both runs count as unchanged. Other rules take one order.  A pass
        must hold without queries that only the new run has. With missing="skip" the verdict is
        "unclear" at best where the new run lacks judged queries that the baseline has.
    unjudged : {"nonrelevant", "bounds"}
        With "bounds" the least and the greatest difference of each query over all labels of the
        documents that either run retrieved and nobody judged are taken as well, those of
        `compare`; ties keep their expected values.  If the verdict is not the same there, it is
        "unclear".
    unjudged_hidden, max_grade
        As in `compare`.
    score_precision, score_tolerance, columns
        As in `evaluate`.
    groups : mapping, path, data frame or sequence, optional
        As in `compare`: groups of queries are then the sample, and are counted in place of queries.
        The share that differs is 0.26 then, so that a verdict takes 10 groups or more at 0.05, and
        22 or 30 where only 1 or 2 differ from the rest.

    Returns
    -------
    Gate

    Raises
    ------
    InputError
        For what `evaluate` refuses, measures that are no mean or sum over queries, runs without a
        query in common, margins and levels outside their ranges, and bounds over labels where
        `evaluate` has none.

    Notes
    -----
    If a few queries lose much, the error can exceed `alpha`, as a sample may lack such queries. For
    skewed differences it is close to `alpha`. The tests beside t cost some power with fewer than 50
    queries: :doc:`/how_we_chose`.

    Repeated gates on the same queries need no correction for repeated looks if the baseline stays.

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
    with_labels = check_choice("unjudged", unjudged, ("nonrelevant", "bounds")) == "bounds"
    if not with_labels:
        refuse_without_bounds(unjudged_hidden, max_grade)
    columns = check_columns(columns, is_shared=True)
    if with_labels or min_judged is not None:
        qrels = Qrels.of(qrels, columns)
    evaluator = Evaluator(
        qrels,
        measures,
        ties=ties,
        bounds=has_bounds,
        missing=missing,
        no_relevant=no_relevant,
        judged_only=judged_only,
        collection_size=collection_size,
        score_precision=score_precision,
        score_tolerance=score_tolerance,
        columns=columns,
    )
    labels = with_labels and LabelBounds(evaluator, unjudged_hidden, max_grade)
    given = {BASELINE: baseline, NEW: new}
    if previous is not None:
        given[PREVIOUS] = previous
    # runs are read again where ties ask for it; standard input and iterators can be read once
    mend = partial(RunSource.mended, columns=columns, drop_self=drop_self, duplicates=duplicates)
    given = {name: mend(RunSource.of(run, name)).given for name, run in given.items()}
    runs = {
        name: run if not labels and RunSource.of(run).can_reread else Run.of(run, evaluator.columns)
        for name, run in given.items()
    }
    evaluations = {
        name: evaluated(evaluator, RunSource.of(run, name)) for name, run in runs.items()
    }
    check_found(columns)
    if groups is None:
        warn_of_shared(evaluator.qrels)
    for name, evaluation in evaluations.items():
        evaluator._warn(name, evaluation)
    judged = judged_share(
        qrels, runs[NEW], evaluations[NEW].measures, min_judged, evaluator.columns
    )
    unchanged = unchanged_queries(runs, evaluations, evaluator.columns) if has_bounds else set()
    ranges = ranges_of_runs(labels, runs, evaluations) if labels else None
    named = (
        None if groups is None else groups_by_query(groups, evaluations[BASELINE].query_ids, qrels)
    )
    return _gate(evaluations, margin, alpha, strict, judged, unchanged, ranges, named)


def gate_evaluations(
    baseline: Evaluation,
    new: Evaluation,
    *,
    margin: Any = 0.01,
    alpha: float = 0.05,
    strict: bool = False,
    previous: Evaluation | None = None,
    unjudged: str = "nonrelevant",
    groups: GroupsLike | None = None,
) -> Gate:
    """`gate` for existing evaluations.

    Parameters
    ----------
    baseline, new, previous : Evaluation
        By the same measures and tie rule.  Ties are taken into account where all have bounds.
    margin, alpha, strict
        As in `gate`.
    unjudged : {"nonrelevant", "bounds"}
        "bounds" takes the bounds over labels of evaluations with unjudged="bounds".  They are wider
        than those of `gate`: a document may have one label in one run and another in the other.
    groups
        As in `gate`; a sequence has a group for each query of the baseline.

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
    >>> irb.comparison.gate_evaluations(*runs).verdict
    'pass'
    """
    evaluations = {BASELINE: baseline, NEW: new}
    if previous is not None:
        evaluations[PREVIOUS] = previous
    with_labels = check_choice("unjudged", unjudged, ("nonrelevant", "bounds")) == "bounds"
    ranges = ranges_of_evaluations(evaluations) if with_labels else None
    named = None
    if groups is not None and isinstance(baseline, Evaluation):
        named = groups_by_query(groups, baseline.query_ids)
    return _gate(evaluations, margin, alpha, strict, None, set(), ranges, named)


def _gate(
    evaluations: dict[str, Evaluation],
    margin: Any,
    alpha: float,
    strict: bool,
    judged: tuple[float, float] | None,
    unchanged: set[Any],
    ranges: LabelRange | None,
    groups: Mapping[Any, Any] | None,
) -> Gate:
    # at most 0.5, so that no run can both pass and fail
    alpha = check_number(
        "alpha", alpha, "must be above 0 and at most 0.5, for example 0.05", lambda x: 0 < x <= 0.5
    )
    is_strict = check_flag("strict", strict)
    measures = evaluations[NEW].measures
    margins = _margins(margin, measures, is_strict)
    against = {BASELINE: evaluations[BASELINE], NEW: evaluations[NEW]}
    checks = checks_of(against, margins, alpha, is_strict, unchanged, ranges, groups=groups)
    gained = gained_queries(against)
    if gained and any(check.verdict == "pass" for check in checks):
        shared: tuple[GateCheck | None, ...] = (None,) * len(checks)
        if len(gained) < checks[0].n_queries:
            shared = checks_of(
                against, margins, alpha, is_strict, unchanged, ranges, gained, groups
            )
        checks = tuple(
            unless_gained(check, other, len(gained))
            for check, other in zip(checks, shared, strict=True)
        )
    drift: tuple[GateCheck, ...] = ()
    if PREVIOUS in evaluations:
        # The difference from the previous run is told; it decides nothing.
        since = {BASELINE: evaluations[PREVIOUS], NEW: evaluations[NEW]}
        drift = checks_of(since, margins, alpha, is_strict, set(), groups=groups)
    found = {check.verdict for check in checks}
    verdict = "fail" if "fail" in found else "unclear" if "unclear" in found else "pass"
    reasons = []
    if judged is not None and judged[0] < judged[1]:
        reasons.append(f"only {judged[0]:.3f} {FEW_JUDGED}, less than {judged[1]:g}")
    old, own = against[BASELINE], against[NEW]
    only_new = set(own.missing_queries).difference(old.missing_queries)
    n_lost = len(only_new.union(old.query_ids).difference(own.query_ids))
    if n_lost:  # with missing="skip"
        lost = counted(n_lost, "query", "queries")
        them = "it" if n_lost == 1 else "them"
        reasons.append(f"{lost} of the baseline left out, as the new run lacks {them}")
    if reasons and verdict == "pass":
        verdict = "unclear"
    barren = own.no_relevant_queries
    return Gate(
        verdict=verdict,
        checks=checks,
        alpha=alpha,
        strict=is_strict,
        ties=own.ties,
        drift=drift,
        judged=None if judged is None else judged[0],
        reason="; ".join(reasons) or None,
        missing_queries=own.missing_queries,
        baseline_missing_queries=old.missing_queries,
        unjudged_queries=own.unjudged_queries,
        no_relevant_queries=barren,
        skips_no_relevant=not {*barren[:1]} <= {*own.query_ids},
    )


def _margins(margin: Any, measures: tuple[str, ...], is_strict: bool) -> dict[str, float]:
    rule = "must be 0 or more and finite"

    def checked(value: Any, name: str) -> float:
        found = check_number("margin", value, rule, lambda x: 0 <= x < math.inf)
        if limits_of(name) is not None and found >= 1 and not is_strict:
            raise InputError(
                f"`margin` must be below 1 for {name}, which is from 0 to 1: no loss could fail; "
                f"found {found:g}"
            )
        return found

    if not isinstance(margin, Mapping):
        return {name: checked(margin, name) for name in measures}
    named = {
        str(name) if name in measures else _known(name): value for name, value in margin.items()
    }
    missing = [name for name in measures if str(name) not in named]
    if missing or len(named) > len(measures):
        raise InputError(
            f"`margin` must have the measures {', '.join(measures)}; found {', '.join(named)}"
        )
    return {name: checked(named[name], name) for name in measures}


def _known(name: Any) -> str:
    """The measure's name however it is written; one's own as it is."""
    try:
        return Measure.parse(str(name))
    except InputError:
        return str(name)
