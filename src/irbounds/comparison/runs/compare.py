"""Comparison of runs or evaluations query by query."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from irbounds.comparison.data.alignment import (
    align,
    evaluated,
    find_run,
    name_runs,
)
from irbounds.comparison.label_bounds.pairs import LabelBounds
from irbounds.comparison.runs.comparison import Comparison
from irbounds.comparison.runs.pairwise import Asked, take_differences
from irbounds.comparison.runs.slices import slices_of
from irbounds.comparison.significance.table import TESTS
from irbounds.comparison.significance.warnings import caution
from irbounds.foundation.errors import fail
from irbounds.rankings.data.collection import Qrels
from irbounds.rankings.data.evaluation import Evaluation
from irbounds.rankings.data.run_source import RunSource
from irbounds.rankings.data.shared_documents import warn_of_shared
from irbounds.rankings.evaluating.evaluator import Evaluator
from irbounds.rankings.reading.frames import check_columns, check_found
from irbounds.rankings.reading.groups import groups_by_query
from irbounds.rankings.unjudged.treatment import TREATMENTS, refuse_without_bounds

if TYPE_CHECKING:
    from irbounds.typing import (
        EvaluationsLike,
        GroupsLike,
        HiddenLike,
        MeasuresLike,
        QrelsLike,
        RNGLike,
        RunsLike,
        UnjudgedLike,
    )


def compare(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: MeasuresLike,
    *,
    test: str = "permutation",
    correction: str | None = "holm",
    baseline: Any = None,
    confidence_level: float = 0.95,
    family: str | None = None,
    resamples: int = 9999,
    rng: RNGLike = 0,
    ties: str = "expected",
    missing: str = "zero",
    no_relevant: str = "zero",
    drop_self: bool = False,
    duplicates: str = "error",
    judged_only: bool = False,
    collection_size: int | None = None,
    unjudged: UnjudgedLike = "nonrelevant",
    unjudged_hidden: HiddenLike | None = None,
    max_grade: float | None = None,
    score_precision: str = "float64",
    score_tolerance: float = 0.0,
    columns: Mapping[str, str] | None = None,
    groups: GroupsLike | None = None,
    by: Mapping[Any, Any] | None = None,
) -> Comparison:
    """Compare runs on the same queries: paired tests, intervals, and the effect of ties.

    Parameters
    ----------
    qrels : Qrels, path, dict or data frame
        As in `evaluate`.
    runs : list of runs, or dict of name and run
        Two or more of what `evaluate` takes.  Without names, files are called by their names,
        others run 1, run 2, ….
    measures : str, list of str, or ir_measures objects
        Not those that are a geometric mean or a median over queries: comparisons are of means.
    test : {"permutation", "t", "wilcoxon", "sign", "bootstrap"}
        The two-sided paired test.  Each has its own null hypothesis about the differences, query by
        query:

        - "permutation", Fisher's randomisation test of the mean: they are symmetric about 0.  It
          does not test the mean of skewed differences.
        - "t", Student's: their mean is 0, and they are normal.
        - "wilcoxon", signed ranks: those that are not 0 are symmetric about 0.
        - "sign", wins against losses: as many are above 0 as below.
        - "bootstrap", studentised and symmetric: their mean is 0; for 30 queries and more.

        Smucker, Allan & Carterette (2007) and Urbano, Lima & Hanjalic (2019) advise the first two
        for rankings.
    correction : {"holm", "bonferroni", "tukey", "dunnett", None}
        Controls the family-wise error rate at 1 - confidence_level, if the test holds its own
        level.  "tukey" compares
        all pairs of runs at once, "dunnett" all runs with the baseline, queries taken as
        blocks: with test="t" by a two-way layout without replication, with "permutation" by
        shuffling the runs' values within each query (Carterette 2012). With a baseline "tukey"
        means "dunnett".
    baseline : str or int, optional
        The name or place of a run: only the others' differences from it are taken.  Without it,
        every run is taken against those before it.
    confidence_level : float
        Level of the intervals; a difference is significant where the adjusted p-value is below 1
        less this.
    family : {"all", "measure"}, optional
        Whether p-values are adjusted for all differences, the default with several measures, or for
        those by each measure on its own.  "tukey" and "dunnett" hold by each measure; for all,
        their p-values are multiplied by the number of measures.
    resamples : int
        Number of resamples of the randomisation tests and the bootstrap.  All 2^n sign changes of n
        queries are taken if they are no more, and p-values count all sign changes where up to 16
        queries differ.
    rng : None, int or numpy Generator
        Seed of the resampling, recorded in the result; None draws one.  Every test starts from it.
    ties, missing, no_relevant, drop_self, duplicates, judged_only, collection_size
        As in `evaluate`.  With ``missing="skip"`` the queries are compared that every run has.
    unjudged : {"nonrelevant", "bounds", "condensed"}, float, dict, data frame or path
        As in `evaluate`; with probabilities the means over labels are compared, and nothing is said
        of ties.  "bounds" adds `Difference.unjudged_bounds`: the least and the greatest difference
        over all labels of the documents that either run retrieved and nobody judged, the same label
        for both.  They are exact for P, R, F, RBP, DCG, nDCG, Rprec without mult=, SetP, SetR, and
        for RR and Success of rankings without ties; others are outer bounds, and say so.
    unjudged_hidden, max_grade
        As in `evaluate`; hidden documents are those that neither run retrieved.
    score_precision, score_tolerance, columns
        As in `evaluate`.
    groups : mapping, path, data frame or sequence, optional
        ``{query: group}``, a file or a frame with these two columns, or the name of a column of a
        frame of judgments: queries that are alike, such as those of one document.  Groups are then
        the sample: whole groups change sign or are drawn, t is that of `mean_interval`,
        "wilcoxon" and "sign" take the means of groups.  A query that has none is a group of its
        own.
    by : dict, optional
        The label of each query, for `Comparison.slices`: the differences of the queries of each
        label, with Holm's correction over labels, and a test of whether they differ.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError
        Also where a mean is infinite (ESL never reached) and the test is not "sign", and where runs
        have no query in common.

    Warns
    -----
    FewQueriesWarning
        For test="bootstrap" with fewer than 30 queries or groups, and for fewer than 8 groups.
    NoVarianceWarning
        Where differences are equal on all queries, but not 0, or there is one query, and the test
        divides by their variance ("t", "bootstrap", and "tukey" and "dunnett" with "t"): p-value
        and interval are nan, as data without spread do not say how much there is.
    RunWarning
        As in `evaluate`.

    Notes
    -----
    Differences below 1e-12 of the values count as 0, as they come from rounding.  An interval
    belongs to its test, and leaves 0 out exactly where that rejects: see `Difference.estimand`.
    Intervals of "bonferroni", "tukey" and "dunnett" are simultaneous, others individual.  Runs that
    agree on every query have p = 1.

    No p-value of a pair is below 2^(1 - n), n the queries on which the runs differ, unless a test
    assumes more than symmetry: "t", and "tukey" and "dunnett" among three or more runs.  These two
    assume equal variances ("t"), or values that could be exchanged between all runs
    ("permutation"); they make too many claims where one run is far more spread than the others, and
    "holm" does not.  Where all differences of a pair that are not 0 have one size, the p-value of
    "t", "wilcoxon" and "bootstrap" is at least that of "sign": without this floor they reject too
    often.  A pair's ties are broken independently.  :doc:`/how_we_chose` compares the tests.

    Examples
    --------
    >>> import irbounds as irb
    >>> qrels = {f"q{i}": {"d1": 1} for i in range(8)}
    >>> first = {f"q{i}": {"d1": 1, "d2": 2} for i in range(8)}
    >>> second = {f"q{i}": {"d1": 2, "d2": 1 if i else 3} for i in range(8)}
    >>> comparison = irb.compare(qrels, {"first": first, "second": second}, "RR")
    >>> comparison.between("second", "first").p_value, comparison.between("second", "first").wins
    (0.015625, 7)
    """
    asked = Asked(test, correction, family, confidence_level, resamples, rng)
    asked.check(baseline)
    named = name_runs(runs)
    is_word = isinstance(unjudged, str) and unjudged in TREATMENTS
    with_labels = is_word and unjudged == "bounds"
    columns = check_columns(columns, is_shared=True)
    mend = partial(RunSource.mended, columns=columns, drop_self=drop_self, duplicates=duplicates)
    named = {name: mend(RunSource.of(run, name)).given for name, run in named.items()}
    judged = Qrels.of(qrels, columns) if with_labels else None
    if judged is None:
        refuse_without_bounds(unjudged_hidden, max_grade)
    else:
        named = {name: RunSource.of(run, name).whole(columns) for name, run in named.items()}
    evaluator = Evaluator(
        qrels if judged is None else judged,
        measures,
        ties=ties,
        bounds=is_word,  # probabilities have none over orders
        missing=missing,
        no_relevant=no_relevant,
        judged_only=judged_only,
        collection_size=collection_size,
        score_precision=score_precision,
        score_tolerance=score_tolerance,
        columns=columns,
        unjudged="nonrelevant" if with_labels else unjudged,
    )
    labels = None
    if judged is not None:
        labels = LabelBounds(evaluator, unjudged_hidden, max_grade)
    evaluations = {}
    for name, run in named.items():
        evaluations[name] = evaluated(evaluator, RunSource.of(run, name))
        evaluator._warn(name, evaluations[name])
    check_found(columns)
    if groups is None:
        warn_of_shared(evaluator.qrels)
    comparison = _compared(evaluations, asked, baseline, groups, qrels, by)
    if labels is None:
        return comparison
    return replace(comparison, differences=labels.of_comparison(comparison, named))


def compare_evaluations(
    evaluations: EvaluationsLike,
    *,
    test: str = "permutation",
    correction: str | None = "holm",
    baseline: Any = None,
    confidence_level: float = 0.95,
    family: str | None = None,
    resamples: int = 9999,
    rng: RNGLike = 0,
    groups: GroupsLike | None = None,
    by: Mapping[Any, Any] | str | None = None,
) -> Comparison:
    """`compare` for existing evaluations.

    Parameters
    ----------
    evaluations : list of Evaluation, or dict of name and Evaluation
        By the same measures and tie rule.  Without bounds nothing is said of what ties could
        change.
    test, correction, baseline, confidence_level, family, resamples, rng, groups
        As in `compare`; a sequence has a group for each query of the first evaluation.  The default
        are those of a column of groups that `read_scores` found.
    by : dict or str, optional
        As in `compare`; or a column that `read_scores` took as `by`.

    Examples
    --------
    >>> import irbounds as irb
    >>> evaluator = irb.Evaluator({"q1": {"d1": 1}, "q2": {"d1": 1}}, "RR")
    >>> runs = {"a": {"q1": {"d1": 1}}, "b": {"q1": {"d1": 1}, "q2": {"d2": 2, "d1": 1}}}
    >>> evaluations = {name: evaluator.evaluate(run) for name, run in runs.items()}
    >>> irb.comparison.compare_evaluations(evaluations, test="t").between("b", "a").difference
    0.25
    """
    asked = Asked(test, correction, family, confidence_level, resamples, rng)
    asked.check(baseline)
    columns = getattr(evaluations, "labels", {})  # of `Scores`
    if isinstance(by, str) and by not in columns:
        fail("by", f"must be one of the columns that were read, {', '.join(columns)}", by)
    labels = columns[by] if isinstance(by, str) else by
    groups = getattr(evaluations, "groups", None) if groups is None else groups
    return _compared(evaluations, asked, baseline, groups, by=labels)


def _compared(
    evaluations: EvaluationsLike,
    asked: Asked,
    baseline: Any,
    groups: GroupsLike | None,
    frame: Any = None,
    by: Mapping[Any, Any] | None = None,
) -> Comparison:
    """The comparison.  Its warnings name the line that called the public function."""
    named = name_runs(evaluations, "evaluations")
    baseline = find_run(baseline, list(named))
    first = next(iter(named.values()))
    if groups is not None and isinstance(first, Evaluation):
        groups = groups_by_query(groups, first.query_ids, frame)
    values = align(named, groups)  # type: ignore[arg-type]  # a mapping now
    settings = asked.settings(has_baseline=baseline is not None, n_measures=len(values.measures))
    differences = take_differences(values, baseline, settings)
    test = TESTS[settings.test]
    caution(
        test.name,
        test.fewest,
        len(values.query_ids),
        [
            f"{one.measure} of {one.run!r} less {one.against!r}"
            for one in differences
            if math.isnan(one.p_value)
        ],
        stacklevel=3,
        groups=values.groups,
    )
    return Comparison(
        runs=values.runs,
        measures=values.measures,
        query_ids=values.query_ids,
        values=values.chosen,
        low=values.low,
        high=values.high,
        differences=differences,
        test=test.name,
        correction=settings.correction,
        family=settings.family,
        baseline=baseline,
        confidence_level=settings.confidence_level,
        resamples=settings.resamples if test.resamples else None,
        seed=settings.seed if test.resamples else None,
        ties=first.ties,
        missing_queries={name: one.missing_queries for name, one in named.items()},
        unjudged_queries={name: one.unjudged_queries for name, one in named.items()},
        no_relevant_queries=first.no_relevant_queries,
        slices=None if by is None else slices_of(values, by, baseline, settings),
        groups=None if values.groups is None else values.groups.codes,
    )
