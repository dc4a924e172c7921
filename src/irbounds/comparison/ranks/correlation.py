"""The rank correlation of two leaderboards, bounded by the pairs of systems that are told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irbounds._core.common.exact_sum import column_means
from irbounds.comparison.data.alignment import align, name_runs
from irbounds.comparison.ranks.leaderboard import check_finite
from irbounds.comparison.ranks.rank_sets import CORRECTIONS, MOST_CHAINED, told_apart
from irbounds.comparison.significance.corrections import alpha_of
from irbounds.comparison.significance.warnings import caution_of_few_units
from irbounds.foundation.arguments import check_rng
from irbounds.foundation.errors import InputError, check_choice
from irbounds.foundation.interval import Interval
from irbounds.queries.groups import Units
from irbounds.rankings.data.evaluation import Evaluation
from irbounds.rankings.measure_table.measure import find_measure
from irbounds.rankings.pairs.run_pairs import compare_rankings
from irbounds.rankings.reading.groups import groups_by_query

if TYPE_CHECKING:
    from irbounds.typing import EvaluationsLike, GroupsLike, MeasureLike, RNGLike


def leaderboard_correlation(
    a: EvaluationsLike,
    b: EvaluationsLike,
    correlation: str = "Tau",
    *,
    measure: MeasureLike | None = None,
    correction: str | None = "max-t",
    confidence_level: float = 0.95,
    groups: GroupsLike | None = None,
    rng: RNGLike = 0,
) -> Interval:
    """The rank correlation of two leaderboards of the same systems, over queries like these.

    Parameters
    ----------
    a, b : dict of name and Evaluation, list of Evaluation, or Scores
        As `compare_evaluations` takes them, such as the judgments of people and those of a model.
        Systems are matched by name, in any order.  Each may have its own queries and its own
        measure.  Where lower scores are better, read them with ``lower_is_better`` of
        `read_scores`.
    correlation : {"Tau", "TauAP", "Spearman"}
        Kendall's tau, tau_AP of `b` with `a` as the reference, or the correlation of ranks.  Equal
        means count as the mean over their orders, as in `compare_rankings`.
    measure : str, optional
        The measure of both; the only one of each, if not given.
    correction : {"max-t", "bonferroni", "holm", None}
        As in `compare_scores`.
    confidence_level : float
    groups : mapping, path or data frame, optional
        ``{query: group}``, as in `compare_evaluations`, for the queries of both.
    rng : None, int or numpy Generator

    Returns
    -------
    Interval
        `estimate` is the correlation of the means of these queries.  The ends bound that of the
        means over all queries like these.

    Raises
    ------
    InputError
        Also where the leaderboards do not have the same systems, or one of them has no query that
        all its systems have.

    Warns
    -----
    FewUnitsWarning
        A leaderboard has fewer than 40 queries, or groups of them.

    Notes
    -----
    Each leaderboard tells pairs of systems apart, with half of the error probability, as the ranks
    of `compare_scores` do.  A pair that both tell apart adds to the correlation or takes away from
    it; any other pair may do either.  So the interval holds if all claims about pairs are right,
    also where true means are equal, and reaches far down where many pairs are too close to call.

    Bootstrap intervals do not keep their level: noise in the means lowers the correlation, and
    resampling adds noise (:doc:`/how_we_chose`).

    References
    ----------
    Yilmaz, Aslam & Robertson 2008; Mogstad, Romano, Shaikh & Wilhelm 2024, for the pairs.

    Examples
    --------
    A model's scores are those of people, and noise:

    >>> import numpy as np
    >>> import irbounds as irb
    >>> rng = np.random.default_rng(1)
    >>> people, model = [], []
    >>> for system, quality in zip("abcde", (0.1, 0.3, 0.4, 0.6, 0.8)):
    ...     for query, score in enumerate(rng.normal(quality, 0.2, 60)):
    ...         people += [{"system": system, "query": query, "score": score}]
    ...         model += [{"system": system, "query": query, "score": score + rng.normal(0, 0.2)}]
    >>> people, model = irb.rankings.read_scores(people), irb.rankings.read_scores(model)
    >>> irb.comparison.leaderboard_correlation(people, model)
    Interval(1 in [0.6, 1], 0.95 two-sided, pairs of systems, max-t)
    """
    check_choice("correlation", correlation, tuple(BOUNDS))
    if correction is not None:
        check_choice("correction", correction, CORRECTIONS)
    alpha, generator = alpha_of(confidence_level) / 2, check_rng(rng)
    first = _board(a, "a", None, measure, groups)
    second = _board(b, "b", first.systems, measure, groups)
    better = []
    for board in (first, second):
        caution_of_few_units(board.units, correction, 2)
        better.append(_better(board.units, correction, alpha, generator))
    x, y = ({"all": dict(zip(first.systems, one.means, strict=True))} for one in (first, second))
    estimate = compare_rankings(x, y, correlation).mean[correlation]
    low, high = BOUNDS[correlation](*better)
    return Interval(
        estimate=estimate,
        low=min(max(low, -1.0), estimate),  # equal but for rounding
        high=max(min(high, 1.0), estimate),
        confidence_level=confidence_level,
        side="two-sided",
        method=f"pairs of systems, {correction or 'no correction'}",
        n_groups=None if groups is None else min(len(one.units.weights) for one in (first, second)),
    )


class _Board(NamedTuple):
    """A leaderboard.  Higher values of the units are better."""

    systems: tuple[str, ...]
    means: list[float]
    units: Units


def _board(
    given: EvaluationsLike,
    name: str,
    systems: tuple[str, ...] | None,
    measure: MeasureLike | None,
    groups: GroupsLike | None,
) -> _Board:
    """One leaderboard, in the order of these systems."""
    named = name_runs(given, name)
    if systems is not None:
        for less, more, names in (("b", "a", systems), ("a", "b", named)):
            lacking = [one for one in names if one not in (named if less == "b" else systems)]
            if lacking:
                raise InputError(
                    f"`a` and `b` must have the same systems; `{less}` lacks {lacking[0]!r} "
                    f"of `{more}`"
                )
        named = {one: named[one] for one in systems}
    own = getattr(given, "groups", None) if groups is None else groups  # of `Scores`
    one = next(iter(named.values()))
    if own is not None and isinstance(one, Evaluation):
        own = groups_by_query(own, one.query_ids)
    values = align(named, own)  # type: ignore[arg-type]  # a mapping now
    if measure is None and len(values.measures) > 1:
        raise InputError(f"pass `measure`, one of {', '.join(values.measures)}, of `{name}`")
    try:
        place = 0 if measure is None else find_measure(measure, values.measures, "evaluated")
    except KeyError as error:
        raise InputError(f"`{name}`: {error.args[0]}") from None
    chosen = values.measures[place]
    columns = np.ascontiguousarray(values.chosen[:, :, place].T)
    check_finite(columns, values.query_ids, values.runs, chosen)
    columns = -columns if chosen.spec.lower_is_better else columns
    return _Board(
        values.runs, column_means(columns).tolist(), Units.of_queries(columns, values.groups)
    )


def _better(
    units: Units, correction: str | None, alpha: float, rng: np.random.Generator
) -> np.ndarray:
    """Which systems (rows) are told to be better than which, also by way of others."""
    systems = units.values.shape[1]
    better = np.zeros((systems, systems), bool)
    for i, (pairs, found, _) in enumerate(told_apart(units, correction, alpha, rng)):
        better[i] = found & (pairs.mean > 0)
    count = -1
    while systems <= MOST_CHAINED and count < np.count_nonzero(better):
        count = int(np.count_nonzero(better))
        chained = better.astype(np.float32)
        better |= chained @ chained > 0
    return better


def tau_bounds(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """Ends for tau: pairs that both leaderboards tell apart are known, others are free.

    Arguments of this and the next: square arrays of bool, whether a row is better than a column.
    """
    concordant = 2 * np.count_nonzero(a & b)
    discordant = 2 * np.count_nonzero(a & b.T)
    pairs = len(a) * (len(a) - 1)
    return 2 * concordant / pairs - 1, 1 - 2 * discordant / pairs


def spearman_bounds(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """Ends for Spearman's correlation: each difference of ranks is taken as far as ranks go."""
    n = len(a)
    (low_a, high_a), (low_b, high_b) = ((x.sum(axis=0), n - 1 - x.sum(axis=1)) for x in (a, b))
    most = np.maximum(high_a - low_b, high_b - low_a)
    least = np.maximum(np.maximum(low_a - high_b, low_b - high_a), 0)
    scale = 6 / (n * (n - 1) * (n + 1))
    return 1 - scale * int((most**2).sum()), 1 - scale * int((least**2).sum())


def tau_ap_bounds(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """Ends for tau_AP, with a as the reference.

    By system, these are the least and the greatest share of those above it in b that are so in a.
    The first system has no share.  It is one that none is known to be above.
    """
    above = b.sum(axis=0)
    right, wrong = (a & b).sum(axis=0), (a.T & b).sum(axis=0)
    unknown = ~(b | b.T | np.eye(len(a), dtype=bool))
    against, in_favour = ((unknown & ~x).sum(axis=0) for x in (a, a.T))
    low = right / np.maximum(above + against, 1)
    high = (above - wrong + in_favour) / np.maximum(above + in_favour, 1)
    greatest = high.sum() - high[above == 0].min()  # where above is 0, the least is 0
    least, most = (2 * float(part) / (len(a) - 1) - 1 for part in (low.sum(), greatest))
    return least, most


BOUNDS = {"Tau": tau_bounds, "TauAP": tau_ap_bounds, "Spearman": spearman_bounds}
