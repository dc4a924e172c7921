"""Overlap and rank correlation of two rankings of each query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from irbounds._core.evaluating.ranking_pairs import PairJob
from irbounds.foundation.arguments import check_flag
from irbounds.foundation.errors import InputError, check_choice
from irbounds.rankings.data.collection import Run
from irbounds.rankings.data.equal_scores import ScoreRule
from irbounds.rankings.data.evaluation import Evaluation
from irbounds.rankings.data.run_source import RunSource
from irbounds.rankings.data.warnings import warn_of_run
from irbounds.rankings.pairs.pair_measures import (
    USUAL,
    PairMeasure,
    as_rows,
    parse_pair_measures,
)
from irbounds.rankings.reading.frames import check_columns, check_found

if TYPE_CHECKING:
    from irbounds.typing import MeasuresLike, RunLike

TIES = ("expected", "best", "worst")


def compare_rankings(
    run_a: RunLike,
    run_b: RunLike,
    measures: MeasuresLike = USUAL,
    *,
    ties: str = "expected",
    bounds: bool = False,
    missing: str = "zero",
    drop_self: bool = False,
    duplicates: str = "error",
    columns: Mapping[str, str] | None = None,
    score_precision: str = "float64",
    score_tolerance: float = 0.0,
) -> Evaluation:
    """Compare two rankings of each query, where scores of both may tie.

    Parameters
    ----------
    run_a, run_b : Run, path, dict, data frame or named tuples
        As `evaluate` takes a run; `Run.from_topk` reads matrices of a vector index.
        `run_a` is the reference: the queries are its queries, and TauAP measures `run_b` by it.
    measures : str or list of str
        By default "Overlap@10 RBO(p=0.9) Tau".
        ``Overlap@k``: the share of the first k documents that both have;
        ``RBO(p=0.9)``: rank-biased overlap, extrapolated, ``RBO(p=0.9)@k``: its sum down to depth
        k, p above 0 and below 1; ``Tau``, ``TauAP`` and ``Spearman``: rank correlations, for which
        documents that one run lacks tie at its end.
    ties : {"expected", "best", "worst"}
        The exact mean over all orders of tied documents in both runs, or the orders of the greatest
        or least value.  ``RBO(p=0.9,ties=w)``, with w, a or b, is by the rules of Corsi & Urbano
        instead of the mean; so are ``Tau(ties=b)``, tau_b, and ``Spearman(ties=b)``, the
        correlation of mean ranks.  The mean of Tau is tau_a.
    bounds : bool
        Give the least and the greatest value over all orders of ties in both as well.  They are
        attained.
    missing : {"zero", "skip", "error"}
        A query that `run_b` lacks counts as an empty ranking, is left out, or is refused.
    drop_self, duplicates, columns, score_precision, score_tolerance
        As in `evaluate`.

    Returns
    -------
    Evaluation
        Values within 1e-12; `Evaluation.interval` bounds the mean over other queries.  Queries of
        `run_b` alone are its `unjudged_queries`.

    Raises
    ------
    InputError
        For a run without rows, no query in common, or a value that is not defined: ``ties=b`` where
        a run ties all its documents.

    Warns
    -----
    RunWarning
        The runs have no document in common.

    Notes
    -----
    The least and the greatest values of all these measures are attained by two pairs of orders:
    tied documents in the order of the other run, or in the reverse of it.

    References
    ----------
    Webber, Moffat & Zobel 2010; Corsi & Urbano 2024; Yilmaz, Aslam & Robertson 2008.

    Examples
    --------
    An approximate index returned one of two documents that are equally near:

    >>> import irbounds as irb
    >>> exact = {"q": {"d1": 0.9, "d2": 0.5, "d3": 0.5}}
    >>> approximate = {"q": {"d1": 0.9, "d3": 0.5}}
    >>> irb.rankings.compare_rankings(exact, approximate, "Overlap@2 RBO(p=0.9)", bounds=True)
    Evaluation of 1 query
      Overlap@2   0.7500  in [0.5000, 1.0000]
      RBO(p=0.9)  0.9100  in [0.8200, 1.0000]
    """
    wanted = parse_pair_measures(measures)
    ties, bounds = check_choice("ties", ties, TIES), check_flag("bounds", bounds)
    check_choice("missing", missing, ("zero", "skip", "error"))
    rule = ScoreRule.read(score_precision, score_tolerance)
    columns = check_columns(columns, is_shared=True)
    first, second = (
        _in_memory(run, name, columns, drop_self, duplicates)
        for run, name in ((run_a, "run_a"), (run_b, "run_b"))
    )
    check_found(columns)
    if first.by_position != second.by_position:
        raise InputError("`run_a` and `run_b` must both have query ids, or both be lists")
    return _compare(first, second, wanted, rule, ties, bounds, missing)


def _in_memory(
    run: RunLike, name: str, columns: dict[str, str], drop_self: bool, duplicates: str
) -> Run:
    source = RunSource.of(run, name)
    source = source.mended(columns, drop_self=drop_self, duplicates=duplicates)
    found = source.whole(columns)
    if source.cautions:
        warn_of_run(source.title, source.cautions)
    if not found._table.n_rows:
        raise InputError(f"{source.title}: there are no rows")
    return found


def _compare(
    a: Run,
    b: Run,
    measures: list[PairMeasure],
    rule: ScoreRule,
    ties: str,
    bounds: bool,
    missing: str,
) -> Evaluation:
    place = b._numbers
    queries = a.query_ids
    lacking = [query for query in queries if query not in place]
    if len(lacking) == len(queries):
        raise InputError(
            f"`run_b` has none of the queries of `run_a`: {queries[0]!r} there, "
            f"{b.query_ids[0]!r} here"
        )
    if lacking and missing == "error":
        raise InputError(f"`run_b` lacks {len(lacking):,} queries of `run_a`, first {lacking[0]!r}")
    if missing == "skip":
        queries = [query for query in queries if query in place]
    job = PairJob(as_rows(measures), rule.kernel(), bounds or ties != "expected")
    values, low, high = job.run(
        a._table,
        b._table,
        np.array([a._numbers[query] for query in queries], np.int64),
        np.array([place.get(query, -1) for query in queries], np.int64),
    )
    for row, column in np.argwhere(np.isnan(values))[:1].tolist():
        raise InputError(
            f"{measures[column].measure} is not defined for query {queries[row]!r}: a run has one "
            "score for all its documents; without ties=b it is the mean over orders"
        )
    if not job.n_common:
        warn_of_run("run_b", ["shares no document with run_a: are their ids of one kind?"])
    return Evaluation(
        tuple(one.measure for one in measures),
        tuple(queries),
        {"expected": values, "best": high, "worst": low}[ties],
        low if bounds else None,
        high if bounds else None,
        ties,
        tuple(lacking),
        tuple(query for query in place if query not in a._numbers),
    )
