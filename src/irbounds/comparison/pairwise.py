"""The differences of pairs of runs: tests, corrections, effects."""
from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

import numpy as np

from irbounds.comparison.alignment import Aligned
from irbounds.comparison.corrections import CORRECTIONS, adjust
from irbounds.comparison.difference import Difference
from irbounds.comparison.paired_tests import ESTIMANDS, TESTS, Outcome, Plan
from irbounds.comparison.tukey import randomised, residual_deviation, two_way
from irbounds.foundation.errors import InputError, check_choice
from irbounds.foundation.laws import Bounds
from irbounds.rankings.measure import Measure

NO_DIFFERENCE = 1e-12  # relative: what rounding makes of equal values reached in two ways
FAMILIES = ("measure", "all")
TUKEY_TESTS = ("t", "permutation")


class Settings(NamedTuple):
    """How runs are compared."""

    test: str
    correction: str | None
    family: str
    confidence_level: float
    resamples: int
    seed: int


def check_options(test: str, correction: str | None, family: str) -> None:
    """Refuse unknown words, and words that do not go together."""
    check_choice("test", test, TESTS)
    if correction is not None:
        check_choice("correction", correction, CORRECTIONS)
    check_choice("family", family, FAMILIES)
    if correction == "tukey" and test not in TUKEY_TESTS:
        raise InputError(f"correction='tukey' goes with test='t' or 'permutation'; found {test!r}")
    if correction == "tukey" and family != "measure":
        raise InputError("correction='tukey' is over the pairs of runs by one measure; found family='all'")


def take_differences(values: Aligned, baseline: str | None, settings: Settings) -> tuple[Difference, ...]:
    """Every pair (or every run against the baseline), measure by measure."""
    pairs = _pairs(values.runs, baseline)
    run, against = (np.array(side) for side in zip(*pairs, strict=True))
    columns = subtract(values.chosen[run], values.chosen[against])  # pairs × queries × measures
    _check_finite(values, columns, settings.test)
    n_measures = len(values.measures)
    alpha = 1 - settings.confidence_level
    if settings.correction == "bonferroni":
        alpha /= len(pairs) * (n_measures if settings.family == "all" else 1)
    plan = Plan(alpha, settings.resamples, settings.seed)
    with np.errstate(invalid="ignore"):
        if settings.correction == "tukey":
            outcome, adjusted, spread = _tukey(values, columns, settings, plan)
        else:
            outcome = TESTS[settings.test](columns.transpose(1, 2, 0).reshape(columns.shape[1], -1), plan)
            adjusted = _adjust(outcome.p_value, n_measures, settings)
            spread = columns.std(axis=1, ddof=1).T.ravel() if columns.shape[1] > 1 else np.full(
                len(outcome.p_value), math.nan)
    means = {what: None if array is None else array.mean(axis=1) for what, array in (
        ("chosen", values.chosen), ("low", values.low), ("high", values.high))}
    return tuple(
        _difference(values, means, number // len(pairs), pairs[number % len(pairs)], columns[number % len(pairs), :,
                    number // len(pairs)], Outcome(*(column[number] for column in outcome)), adjusted[number],
                    spread[number], settings)
        for number in range(n_measures * len(pairs)))


def subtract(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Differences; 0 where values are equal but for rounding, or both infinite."""
    with np.errstate(invalid="ignore"):
        difference = first - second
        is_same = np.abs(difference) <= NO_DIFFERENCE * np.maximum(np.abs(first), np.abs(second))
    difference[is_same & np.isfinite(difference) | (first == second)] = 0.0
    return difference


def _pairs(runs: tuple[str, ...], baseline: str | None) -> list[tuple[int, int]]:
    """Places of (run, against): each against those before it, or against the baseline."""
    if baseline is not None:
        place = runs.index(baseline)
        return [(run, place) for run in range(len(runs)) if run != place]
    return [(run, against) for against, run in itertools.combinations(range(len(runs)), 2)]


def _check_finite(values: Aligned, columns: np.ndarray, test: str) -> None:
    if test == "sign" or np.isfinite(columns).all():
        return
    run, query, measure = np.argwhere(np.isinf(values.chosen))[0]
    raise InputError(f"{values.measures[measure]} of {values.runs[run]!r} is infinite for query "
                     f"{values.query_ids[query]!r}, so that there is no mean to test: give collection_size, or take "
                     "test='sign'")


def _adjust(p_values: np.ndarray, n_measures: int, settings: Settings) -> np.ndarray:
    if settings.family == "all":
        return adjust(p_values, settings.correction)
    return np.concatenate([adjust(part, settings.correction) for part in np.split(p_values, n_measures)])


def _tukey(values: Aligned, columns: np.ndarray, settings: Settings, plan: Plan
           ) -> tuple[Outcome, np.ndarray, np.ndarray]:
    """The outcome by columns, measure by measure; its p-values, which are adjusted; and the residual deviation."""
    systems = np.ascontiguousarray(values.chosen.transpose(0, 2, 1))
    differences = columns.mean(axis=1)
    honest = (two_way if settings.test == "t" else randomised)(systems, differences, plan)
    flat = {name: array.T.ravel() for name, array in honest._asdict().items() if name != "residual"}
    middle = differences.T.ravel()
    outcome = Outcome(flat["statistic"], flat["p_value"], middle, middle - flat["margin"], middle + flat["margin"])
    return outcome, flat["p_value"], np.repeat(residual_deviation(systems), len(differences))


def _difference(values: Aligned, means: dict[str, Any], measure: int, pair: tuple[int, int], column: np.ndarray,
                outcome: Outcome, adjusted: float, spread: float, settings: Settings) -> Difference:
    name, (run, against) = values.measures[measure], pair
    ahead, behind = int(np.count_nonzero(column > 0)), int(np.count_nonzero(column < 0))
    wins, losses = (behind, ahead) if Measure.parse(name).spec.lower_is_better else (ahead, behind)
    same = len(column) - wins - losses
    mean = float(column.mean())
    return Difference(
        measure=name, run=values.runs[run], against=values.runs[against], mean=float(means["chosen"][run, measure]),
        against_mean=float(means["chosen"][against, measure]), difference=mean, estimand=ESTIMANDS[settings.test],
        estimate=float(outcome.estimate), low=float(outcome.low), high=float(outcome.high),
        p_value=float(outcome.p_value), adjusted_p_value=float(adjusted), statistic=float(outcome.statistic),
        is_significant=bool(adjusted < 1 - settings.confidence_level),
        wins=wins, losses=losses, same=same, effect_size=_effect(mean, float(spread)),
        superiority=(wins + same / 2) / len(column),
        run_ties=_tie_range(means, run, measure), against_ties=_tie_range(means, against, measure))


def _effect(mean: float, spread: float) -> float:
    if math.isnan(spread) or spread > 1e-14 * abs(mean):
        return mean / spread
    return math.copysign(math.inf, mean) if mean else 0.0


def _tie_range(means: dict[str, Any], run: int, measure: int) -> Bounds | None:
    if means["low"] is None:
        return None
    return Bounds(float(means["low"][run, measure]), float(means["high"][run, measure]))
