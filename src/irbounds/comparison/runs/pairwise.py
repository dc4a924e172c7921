"""The differences of pairs of runs: tests, corrections, effects."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irbounds._core.common.exact_sum import column_means
from irbounds.comparison.data.alignment import Aligned, seed_of
from irbounds.comparison.data.difference import Difference
from irbounds.comparison.data.subtraction import NO_DIFFERENCE, difference_of_means, subtract
from irbounds.comparison.significance.corrections import (
    CORRECTIONS,
    adjust_with_unknown,
    alpha_of,
    is_joint,
)
from irbounds.comparison.significance.paired_tests import Outcome, Plan, in_agreement, spreads_of
from irbounds.comparison.significance.table import TESTS, PairedTest
from irbounds.comparison.significance.warnings import reason_of
from irbounds.foundation.arguments import check_level
from irbounds.foundation.distributions import Bounds
from irbounds.foundation.errors import InputError, check_choice, check_count

if TYPE_CHECKING:
    from irbounds.typing import RNGLike

FAMILIES = ("measure", "all")


class Settings(NamedTuple):
    """The settings of a comparison."""

    test: str
    correction: str | None
    family: str
    confidence_level: float
    resamples: int
    seed: int


class Asked(NamedTuple):
    """The arguments of a comparison about its tests, as the user gave them."""

    test: str
    correction: str | None
    family: str | None
    confidence_level: float
    resamples: int
    rng: RNGLike

    def check(self, baseline: object) -> None:
        """Refuse unknown words and combinations that do not work."""
        check_options(self.test, self.correction, self.family, baseline)

    def settings(self, *, has_baseline: bool, n_measures: int) -> Settings:
        """The settings that they mean."""
        level = check_level(self.confidence_level)
        resamples = check_count("resamples", self.resamples, 100)
        correction = self.correction
        if correction is not None and has_baseline:
            # Against a baseline Tukey's method becomes Dunnett's.
            correction = CORRECTIONS[correction].with_baseline or correction
        family = self.family or ("all" if n_measures > 1 else "measure")
        seed = seed_of(self.rng) if TESTS[self.test].resamples else 0
        return Settings(self.test, correction, family, level, resamples, seed)


class Means(NamedTuple):
    """Means over the queries, each of shape (runs, measures)."""

    chosen: np.ndarray
    low: np.ndarray | None
    high: np.ndarray | None

    @classmethod
    def of(cls, values: Aligned) -> Means:
        """The means of aligned values."""

        def take(array: np.ndarray | None) -> np.ndarray | None:
            return None if array is None else np.array([column_means(run) for run in array])

        return cls(
            np.array([column_means(run) for run in values.chosen]),
            take(values.low),
            take(values.high),
        )

    def range_of(self, run: int, measure: int) -> Bounds | None:
        """The smallest and the largest mean of a run over the orders of its ties."""
        if self.low is None or self.high is None:
            return None
        return Bounds(float(self.low[run, measure]), float(self.high[run, measure]))


def check_options(
    test: str, correction: str | None, family: str | None, baseline: object = None
) -> None:
    """Refuse unknown options and combinations that do not work."""
    check_choice("test", test, TESTS)
    if correction is not None:
        check_choice("correction", correction, CORRECTIONS)
    if family is not None:
        check_choice("family", family, FAMILIES)
    if correction is None:
        return
    if is_joint(correction) and TESTS[test].joint is None:
        names = " or ".join(repr(name) for name in reversed(TESTS) if TESTS[name].joint)
        raise InputError(f"correction={correction!r} requires test={names}; found {test!r}")
    if CORRECTIONS[correction].needs_baseline and baseline is None:
        raise InputError(f"correction={correction!r} requires `baseline`")


def take_differences(
    values: Aligned, baseline: str | None, settings: Settings
) -> tuple[Difference, ...]:
    """Every pair (or every run against the baseline), measure by measure."""
    pairs = pairs_of(values.runs, baseline)
    columns = columns_of_pairs(
        values, pairs
    )  # a row for each measure and pair: queries lie side by side
    test = TESTS[settings.test]
    _check_finite(values, columns, test)
    means = Means.of(values)
    plan = Plan(
        _alpha_of_one(settings, len(pairs), len(values.measures)), settings.resamples, settings.seed
    )
    with np.errstate(invalid="ignore"):
        differences = np.array(
            [
                [
                    _less(means, pair, measure, columns[measure * len(pairs) + number])
                    for measure in range(len(values.measures))
                ]
                for number, pair in enumerate(pairs)
            ]
        )
        if is_joint(settings.correction):
            outcome, spread = _joint(values, differences, baseline, settings, plan)
        else:
            outcome, spread = test(columns.T, plan, values.groups), spreads_of(columns.T)
            outcome = _about(outcome, differences.T.ravel(), test)
    adjusted = _adjust(outcome.p_value, len(values.measures), settings)
    # Simultaneous intervals go with adjusted p-values, single ones with their own.
    is_decided_by = adjusted if _holds_together(settings) else outcome.p_value
    outcome = in_agreement(outcome, is_decided_by, alpha_of(settings.confidence_level))
    return tuple(
        _difference(
            values,
            means,
            (number // len(pairs), *pairs[number % len(pairs)]),
            columns[number],
            differences[number % len(pairs), number // len(pairs)],
            Outcome(*(column[number] for column in outcome)),
            adjusted[number],
            spread[number],
            settings,
        )
        for number in range(len(columns))
    )


def pairs_of(runs: tuple[str, ...], baseline: str | None) -> list[tuple[int, int]]:
    """Indices of (run, against): each against those before it, or against the baseline."""
    if baseline is not None:
        place = runs.index(baseline)
        return [(run, place) for run in range(len(runs)) if run != place]
    return [(run, against) for against, run in itertools.combinations(range(len(runs)), 2)]


def columns_of_pairs(values: Aligned, pairs: list[tuple[int, int]]) -> np.ndarray:
    """Differences query by query, shape (measures × pairs, queries); differences equal up to
    rounding become equal."""
    by_measure = np.ascontiguousarray(values.chosen.transpose(2, 0, 1))
    columns = np.empty((len(by_measure) * len(pairs), by_measure.shape[2]))
    for number, (own, (run, against)) in enumerate(itertools.product(by_measure, pairs)):
        first, second = own[run], own[against]
        columns[number] = subtract(first, second)
        # Differences that are one number up to rounding become that number, the one with the least
        # room: a test would take their rounding for spread, and find any mean significant beside
        # it.
        dust = NO_DIFFERENCE * np.maximum(np.abs(first), np.abs(second))
        sharpest = columns[number, np.argmin(dust)]
        if np.isfinite(sharpest) and (np.abs(columns[number] - sharpest) <= dust).all():
            columns[number] = sharpest
    return columns


def _less(means: Means, pair: tuple[int, int], measure: int, column: np.ndarray) -> float:
    """A run's mean minus another's; if both are infinite, the mean of the differences."""
    first, second = (float(means.chosen[run, measure]) for run in pair)
    if math.isinf(first) and math.isinf(second):
        return float(column_means(column[:, None])[0])
    return difference_of_means(first, second)


def _alpha_of_one(settings: Settings, n_pairs: int, n_measures: int) -> float:
    """The level of one interval: Bonferroni, and several measures of a joint test, divide that
    of the family."""
    alpha = alpha_of(settings.confidence_level)
    if settings.correction is not None and CORRECTIONS[settings.correction].shares_alpha:
        alpha /= n_pairs
    if _holds_together(settings) and settings.family == "all":
        alpha /= n_measures
    return alpha


def _holds_together(settings: Settings) -> bool:
    """Whether intervals are simultaneous, so that adjusted p-values decide about them."""
    return settings.correction is not None and CORRECTIONS[settings.correction].holds_together


def _check_finite(values: Aligned, columns: np.ndarray, test: PairedTest) -> None:
    if np.isfinite(columns).all() or (test.allows_infinite and values.groups is None):
        return
    run, query, measure = np.argwhere(np.isinf(values.chosen))[0]
    raise InputError(
        f"{values.measures[measure]} of {values.runs[run]!r} is infinite for query "
        f"{values.query_ids[query]!r}, so there is no mean to test: pass `collection_size`, or "
        "test='sign'"
    )


def _about(outcome: Outcome, differences: np.ndarray, test: PairedTest) -> Outcome:
    """The interval of a mean, shifted to the difference of the means, which rounding may
    separate from the mean difference."""
    if test.estimand != "mean":
        return outcome
    shift = differences - outcome.estimate if test.is_centred else 0.0
    return outcome._replace(
        estimate=differences, low=outcome.low + shift, high=outcome.high + shift
    )


def _adjust(p_values: np.ndarray, n_measures: int, settings: Settings) -> np.ndarray:
    if is_joint(settings.correction):
        return np.minimum(p_values * (n_measures if settings.family == "all" else 1), 1.0)
    parts = 1 if settings.family == "all" else n_measures
    return np.concatenate(
        [adjust_with_unknown(part, settings.correction) for part in np.split(p_values, parts)]
    )


def _joint(
    values: Aligned, differences: np.ndarray, baseline: str | None, settings: Settings, plan: Plan
) -> tuple[Outcome, np.ndarray]:
    """The outcome by columns, measure by measure, and the residual deviation."""
    systems = np.ascontiguousarray(values.chosen.transpose(0, 2, 1))
    place = None if baseline is None else values.runs.index(baseline)
    test = TESTS[settings.test]
    assert test.joint is not None
    assert test.grouped_joint is not None
    honest = (
        test.joint(systems, differences, plan, place)
        if values.groups is None
        else test.grouped_joint(systems, differences, plan, place, values.groups)
    )
    flat = {name: array.T.ravel() for name, array in honest._asdict().items() if name != "residual"}
    middle = differences.T.ravel()
    outcome = Outcome(
        flat["statistic"],
        flat["p_value"],
        middle,
        middle - flat["margin"],
        middle + flat["margin"],
        np.zeros(len(middle), bool),
    )
    return outcome, np.repeat(honest.residual, len(differences))


def _difference(
    values: Aligned,
    means: Means,
    place: tuple[int, int, int],
    column: np.ndarray,
    difference: float,
    outcome: Outcome,
    adjusted: float,
    spread: float,
    settings: Settings,
) -> Difference:
    measure, run, against = place
    spec = values.measures[measure].spec
    ahead, behind = int(np.count_nonzero(column > 0)), int(np.count_nonzero(column < 0))
    wins, losses = (behind, ahead) if spec.lower_is_better else (ahead, behind)
    same = len(column) - wins - losses
    return Difference(
        measure=str(values.measures[measure]),
        run=values.runs[run],
        against=values.runs[against],
        mean=float(means.chosen[run, measure]),
        against_mean=float(means.chosen[against, measure]),
        difference=float(difference),
        estimand=TESTS[settings.test].estimand,
        estimate=float(outcome.estimate),
        low=float(outcome.low),
        high=float(outcome.high),
        p_value=float(outcome.p_value),
        adjusted_p_value=float(adjusted),
        statistic=float(outcome.statistic),
        is_significant=bool(adjusted < alpha_of(settings.confidence_level)),
        wins=wins,
        losses=losses,
        same=same,
        effect_size=_effect(float(difference), float(spread)),
        superiority=(wins + same / 2) / len(column),
        run_ties=means.range_of(run, measure),
        against_ties=means.range_of(against, measure),
        reason=reason_of(len(column), values.groups) if math.isnan(outcome.low) else None,
        has_raised_p=bool(outcome.is_raised),
    )


def _effect(mean: float, spread: float) -> float:
    if math.isnan(spread) or spread > 0:
        return mean / spread
    return math.copysign(math.inf, mean) if mean else 0.0
