"""Compares runs, or evaluations of them, query by query."""
from __future__ import annotations

from typing import Any

from irbounds.comparison.alignment import align, find_run, name_runs, seed_of
from irbounds.comparison.comparison import Comparison
from irbounds.comparison.paired_tests import RESAMPLING
from irbounds.comparison.pairwise import Settings, check_options, take_differences
from irbounds.foundation.arguments import check_level
from irbounds.foundation.errors import InputError, check_count
from irbounds.rankings.evaluator import Evaluator
from irbounds.rankings.files import is_path


def compare(
    qrels: Any, runs: Any, measures: Any, *, test: str = "permutation", correction: str | None = "holm",
    baseline: Any = None, confidence_level: float = 0.95, family: str = "measure", resamples: int = 9999,
    rng: Any = None, ties: str = "expected", missing: str = "zero", judged_only: bool = False,
    collection_size: int | None = None,
) -> Comparison:
    """Compare runs on the same queries: paired tests, intervals, and what tie-breaking could change.

    Parameters
    ----------
    qrels : Qrels, path, dict or data frame
        As in `evaluate`.
    runs : list of runs, or dict of name and run
        Two or more of what `evaluate` takes.  Without names, files are called by their paths, others run 1, run 2, ….
    measures : str, list of str, or ir_measures objects
    test : {"permutation", "t", "wilcoxon", "sign", "bootstrap"}
        The two-sided paired test, through SciPy: Fisher's randomisation test of the mean, Student's t, Wilcoxon's
        signed ranks, wins against losses, or the BCa bootstrap of the mean.  Smucker, Allan & Carterette (2007) and
        Urbano, Lima & Hanjalic (2019) advise the first two for rankings.
    correction : {"holm", "bonferroni", "tukey", None}
        What holds the chance of any false claim in the family to 1 - confidence_level.  "tukey" compares all runs at
        once, queries taken as blocks: with test="t" by a two-way layout without replication, with "permutation" by
        shuffling the runs' values within each query (Carterette 2012).
    baseline : str or int, optional
        The name or place of a run: only the others' differences from it are taken.  Without it, every run is taken
        against those before it.
    confidence_level : float
        Of the intervals; a difference is significant where the adjusted p-value is below 1 less this.
    family : {"measure", "all"}
        Whether p-values are adjusted for the differences by one measure, as is the custom, or for all.
    resamples : int
        Of the randomisation test and the bootstrap.  All 2^n sign changes of n queries are taken if they are no more.
    rng : None, int or numpy Generator
        Seed of the resampling, recorded in the result.  Every test starts from it, as SciPy does when called with it.
    ties, missing, judged_only, collection_size
        As in `evaluate`.  With ``missing="skip"`` the queries are compared that every run has.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError
        Also where a mean is infinite (ESL never reached) and the test is not "sign", and where runs have no query in
        common.

    Notes
    -----
    Differences below 1e-12 of the values count as 0, as they come from rounding.  Intervals belong to their tests: see
    `Difference.estimand`; those of "bonferroni" and "tukey" hold together, others one by one.  Runs that agree on every
    query have p = 1.  A pair's ties are broken independently.

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
    check_options(test, correction, family)
    named = name_runs(runs)
    evaluator = Evaluator(qrels, measures, ties=ties, bounds=True, missing=missing, judged_only=judged_only,
                          collection_size=collection_size)
    evaluations = {}
    for name, run in named.items():
        try:
            evaluations[name] = evaluator.evaluate(run)
        except InputError as error:
            raise error if is_path(run) else InputError(f"{name}: {str(error).removeprefix('run: ')}") from None
    return compare_evaluations(evaluations, test=test, correction=correction, baseline=baseline,
                               confidence_level=confidence_level, family=family, resamples=resamples, rng=rng)


def compare_evaluations(
    evaluations: Any, *, test: str = "permutation", correction: str | None = "holm", baseline: Any = None,
    confidence_level: float = 0.95, family: str = "measure", resamples: int = 9999, rng: Any = None,
) -> Comparison:
    """As `compare`, from evaluations that are there already.

    Parameters
    ----------
    evaluations : list of Evaluation, or dict of name and Evaluation
        By the same measures and tie rule.  Without bounds nothing is said of what ties could change.
    test, correction, baseline, confidence_level, family, resamples, rng
        As in `compare`.

    Examples
    --------
    >>> import irbounds as irb
    >>> evaluator = irb.Evaluator({"q1": {"d1": 1}, "q2": {"d1": 1}}, "RR")
    >>> runs = {"a": {"q1": {"d1": 1}}, "b": {"q1": {"d1": 1}, "q2": {"d2": 2, "d1": 1}}}
    >>> evaluations = {name: evaluator.evaluate(run) for name, run in runs.items()}
    >>> irb.compare_evaluations(evaluations, test="t").between("b", "a").difference
    0.25
    """
    check_options(test, correction, family)
    level = check_level(confidence_level)
    resamples = check_count("resamples", resamples, 100)
    named = name_runs(evaluations, "evaluations")
    baseline = find_run(baseline, list(named))
    seed = seed_of(rng) if test in RESAMPLING else None
    values = align(named)
    differences = take_differences(values, baseline, Settings(test, correction, family, level, resamples, seed or 0))
    return Comparison(
        values.runs, values.measures, values.query_ids, values.chosen, values.low, values.high, differences, test,
        correction, family, baseline, level, None if seed is None else resamples, seed,
        next(iter(named.values())).ties,
        {name: evaluation.missing_queries for name, evaluation in named.items()},
        {name: evaluation.unjudged_queries for name, evaluation in named.items()})
