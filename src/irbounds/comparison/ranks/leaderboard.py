"""Ranks of runs that were compared, and of systems whose scores were computed elsewhere."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.comparison.data.data import ComparisonData
from irbounds.comparison.ranks.ranks import Ranks, check_rank_options, rank_systems
from irbounds.foundation.arguments import as_floats, check_flag
from irbounds.foundation.errors import InputError, fail, shown
from irbounds.foundation.frames import column_names, columns_of
from irbounds.queries.groups import Groups, Units
from irbounds.rankings.measure_table.measure import find_measure

if TYPE_CHECKING:
    from irbounds.typing import MeasureLike, RNGLike

RankOptions = tuple[str, str | None, str, float, int, Any]


def ranks_of(compared: ComparisonData, measure: MeasureLike, options: RankOptions) -> Ranks:
    """Ranks of compared runs, queries as units."""
    if measure is None and len(compared.measures) > 1:
        raise InputError(f"pass `measure`, one of {', '.join(compared.measures)}")
    number = find_measure(
        compared.measures[0] if measure is None else measure, compared.measures, "compared"
    )
    name = compared.measures[number]
    values = compared.values[:, :, number].T
    check_finite(values, compared.query_ids, compared.runs, name)
    sign = -1 if name.spec.lower_is_better else 1
    groups = None if compared.groups is None else Groups(compared.groups)
    units = Units.of_queries(sign * values, groups)
    return rank_systems(compared.runs, units, *options, sign=sign, stacklevel=3)


def check_finite(
    values: np.ndarray, units: Sequence[Any], systems: Sequence[str], what: str
) -> None:
    """Refuse values, of shape (units, systems), that have no mean."""
    is_finite = np.isfinite(values)
    if not is_finite.all():
        unit, system = np.argwhere(~is_finite)[0]
        raise InputError(
            f"{what} of {systems[system]!r} is {values[unit, system]:g} for {units[unit]!r}, so "
            "the system has no mean to rank by"
        )


def compare_scores(
    scores: Any,
    *,
    system: str = "system",
    unit: str | Sequence[str] | None = None,
    score: str = "score",
    weights: Mapping[Any, float] | None = None,
    lower_is_better: bool = False,
    method: str = "bayesian-bootstrap",
    correction: str | None = "max-t",
    average: str = "mean",
    confidence_level: float = 0.95,
    draws: int = 10_000,
    rng: RNGLike = 0,
    p_beats: bool = True,
) -> Ranks:
    """Rank systems by existing scores, as on a leaderboard.

    Parameters
    ----------
    scores : data frame, or dict of dicts
        A row for each system and unit, with the columns that `system`, `unit` and `score` name; or
        ``{system: {unit: score}}``.  Every system has a score for every unit.
    system, score : str
        Columns of the frame.
    unit : str, or list of one or two, optional
        The column of the units that the systems are scored on, queries or tasks: those that the
        frame has of "task", "query_id" and "query", if not given.  With two, as in
        ``["task", "query_id"]``, the first has the groups, and the mean is that of the groups'
        means.  Tasks, and the queries in each, are then both drawn again.  In a dict, units of two
        levels are pairs.
    weights : dict, optional
        Weight of each group (each unit, where there is one level) in the mean; equal by default.
    lower_is_better : bool
    method : {"bayesian-bootstrap", "t"}
        How units are drawn again, for the probabilities and the ranks in the draws: by random
        weights, or by Student's distribution with the units' covariance.
    correction : {"max-t", "bonferroni", "holm", None}
        Over the paired t-tests of all pairs of systems, for simultaneous intervals of ranks.
        "max-t" allows for skewed scores: Student's t and Hall's skewness-corrected t must exceed
        Bonferroni's point and the largest t in 999 bootstrap resamples.  A pair in which no unit
        disagrees needs 36 units, 46 among three systems and 53 among four to ten, at 0.95; fewer
        where all scores lie between 0 and 1, or 0 and 100, and the gain is above a ninth of that.
        "bonferroni" and "holm" separate more pairs, and rely on differences that are nearly normal.
        None corrects nothing.
    average : {"mean", "borda"}
        Rank by mean scores, or by the share of the other systems that each beats on a unit, which
        does not depend on the scales of the units.
    confidence_level : float
    draws : int
        100 or more.
    rng : None, int or numpy Generator
    p_beats : bool
        Whether to count, for every pair of systems, the draws in which one beats the other.  With
        more than 4,000 systems this must be False: see Notes.

    Returns
    -------
    Ranks

    Warns
    -----
    FewUnitsWarning
        There are fewer than 40 units, or groups of them: see Notes.

    Notes
    -----
    Time grows with the square of the number of systems, and so does memory for `p_beats`: 2,000
    systems on 3 units take half a minute.  Without `p_beats` 10,000 systems on 3 units take 15 s
    and 250 MB.  The bootstrap of "max-t" takes 0.3 ns for each resample, pair and unit.

    "max-t" asks for a large t with few units: with fewer than 15 take more of them, or "bonferroni"
    where the differences are nearly normal.  Fewer than 40 units get a warning, as the sample may
    lack those on which a system fails.  :doc:`/how_we_chose` compares the corrections.

    Examples
    --------
    >>> import warnings
    >>> import irbounds as irb
    >>> warnings.simplefilter("ignore", irb.warnings.FewUnitsWarning)  # four tasks are few
    >>> scores = {
    ...     "a": {"t1": 0.71, "t2": 0.52, "t3": 0.64, "t4": 0.80},
    ...     "b": {"t1": 0.61, "t2": 0.40, "t3": 0.55, "t4": 0.69},
    ...     "c": {"t1": 0.60, "t2": 0.43, "t3": 0.53, "t4": 0.70},
    ... }
    >>> irb.comparison.compare_scores(scores).tiers  # four tasks say little
    (('a', 'c', 'b'),)
    >>> ranks = irb.comparison.compare_scores(scores, correction="bonferroni")  # normal scores
    >>> ranks.tiers
    (('a',), ('c', 'b'))
    >>> ranks["b"]["low"], ranks["b"]["high"]
    (2, 3)
    """
    check_rank_options(method, correction, average, confidence_level, draws)
    sign = -1 if check_flag("lower_is_better", lower_is_better) else 1
    has_beats = check_flag("p_beats", p_beats)
    rows = (
        _from_dict(scores)
        if isinstance(scores, Mapping)
        else _from_frame(scores, system, unit, score)
    )
    if not rows[0]:
        raise InputError("`scores` must have a row; found none")
    names, units, values = _as_table(*rows)
    check_finite(values, [one[0] if len(one) == 1 else one for one in units], names, "the score")
    groups = list(dict.fromkeys(one[0] for one in units))
    place = {name: number for number, name in enumerate(groups)}
    codes = np.array([place[one[0]] for one in units])
    of_units = Groups(codes) if len(groups) < len(units) else None
    arranged = Units(sign * values, _check_weights(weights, groups), of_units)
    options = (method, correction, average, confidence_level, draws, rng)
    return rank_systems(names, arranged, *options, has_beats, sign=sign, stacklevel=2)


Rows = tuple[list[str], list[tuple[Any, ...]], list[Any]]


def _from_dict(scores: Mapping[Any, Any]) -> Rows:
    names, units, found = [], [], []
    for name, own in scores.items():
        if not isinstance(own, Mapping):
            fail("scores", "must be a data frame or {system: {unit: score}}", own, f"as {name!r}")
        for one, score in own.items():
            names.append(str(name))
            units.append(one if isinstance(one, tuple) else (one,))
            found.append(score)
    return names, units, found


def _from_frame(scores: Any, system: str, unit: Any, score: str) -> Rows:
    if unit is None:
        known = column_names(scores)
        unit = [name for name in ("task", "query_id", "query") if name in known][:2]
        if not unit:
            raise InputError(
                "the data frame has no column 'task', 'query_id' or 'query': name the column of "
                "the units with `unit`"
            )
    levels = [unit] if isinstance(unit, str) else list(unit)
    if len(levels) not in (1, 2):
        fail("unit", "must name one column or two", unit)
    names, found, *places = columns_of(scores, [system, score, *levels])
    return [str(name) for name in names], list(zip(*places, strict=True)), found


def _as_table(
    names: list[str], units: list[tuple[Any, ...]], scores: list[Any]
) -> tuple[tuple[str, ...], list[tuple[Any, ...]], np.ndarray]:
    """Systems, units, and scores of shape (units, systems), in the order in which they come."""
    systems = {name: number for number, name in enumerate(dict.fromkeys(names))}
    places = {one: number for number, one in enumerate(dict.fromkeys(units))}
    if len({len(one) for one in places}) > 1:
        raise InputError("`scores` must have units of one level, or all of two")
    values = np.full((len(places), len(systems)), math.nan)
    is_there = np.zeros(values.shape, bool)
    numbers = as_floats("scores", scores, "must be numbers")  # nan is refused with its unit
    for name, one, number in zip(names, units, numbers.tolist(), strict=True):
        cell = places[one], systems[name]
        if is_there[cell]:
            raise InputError(f"{name!r} has two scores for {_unit(one)}")
        is_there[cell] = True
        values[cell] = number
    if not is_there.all():
        unit, system = np.argwhere(~is_there)[0]
        raise InputError(
            f"{list(systems)[system]!r} has no score for {_unit(list(places)[unit])}: leave the "
            "unit out, or give it a score"
        )
    return tuple(systems), list(places), values


def _unit(one: tuple[Any, ...]) -> str:
    return shown(one[0] if len(one) == 1 else one)


def _check_weights(weights: Mapping[Any, float] | None, groups: list[Any]) -> np.ndarray:
    """The weights of the groups; the sum is 1."""
    if weights is None:
        return np.full(len(groups), 1 / len(groups))
    if not isinstance(weights, Mapping):
        fail("weights", "must be a dict of weights by unit", weights)
    missing = [group for group in groups if group not in weights]
    if missing:
        raise InputError(f"`weights` must have every unit; it lacks {missing[0]!r}")
    rule = "must be above 0 and finite"
    found = as_floats("weights", [weights[group] for group in groups], rule)
    is_wrong = ~((found > 0) & (found < math.inf))
    if is_wrong.any():
        group = groups[int(np.argmax(is_wrong))]
        rule += " (leave other units out)"
        fail("weights", rule, weights[group], f"for unit {group!r}")
    # Over the largest first, so that the sum is finite.
    found = found / found.max()
    return np.asarray(found / math.fsum(found))
