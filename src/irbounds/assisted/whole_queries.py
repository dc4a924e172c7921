"""Intervals where people judged some queries in full: the mean over all queries by regression on
the judge's values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irbounds.assisted.estimators import PRIOR, Ends, correlation
from irbounds.assisted.judges import Judges
from irbounds.assisted.labels import Labels
from irbounds.foundation.errors import InputError
from irbounds.queries.groups import GroupedMeans, Groups
from irbounds.queries.student import quantile
from irbounds.rankings.data.collection import Run
from irbounds.rankings.evaluating.evaluator import evaluate_silently
from irbounds.rankings.reading.groups import group_labels

if TYPE_CHECKING:
    from irbounds.typing import GroupsLike, MeasureLike, RunLike

# A unit that alone has its value of the judge lies on the line, whatever its own value; its
# leverage is 1 within rounding.
ALONE = 1e-9


def regression(
    y: np.ndarray,
    judge: np.ndarray,
    sampled: np.ndarray,
    alpha: float,
    most: float = 0.0,
    is_plain: bool = False,
    groups: Groups | None = None,
) -> Ends:
    """The mean of y over all units, by its regression on the judge's values, which are known for
    all; Student's t with n - 2 degrees of freedom, for a finite population.

    `most` is the range of y if it is bounded, else 0.  The variance is the larger one of two.  That
    of Cochran (1977), 7.12, with the error of the slope, is right for a line with equal variances;
    without the slope's error intervals cover 90 % with 5 units and 92 % with 8.  That of MacKinnon
    and White (1985), HC3, allows unequal variances: a difference of two runs may be 0 for half of
    the queries.
    Values that are all equal have the variance of n + 1 values one of which is half 0 and half
    `most`, as they do not show that there are no others.

    `is_plain`: the textbook's variance alone (Cochran 1977, 7.12), which takes the slope as known.
    `groups`: of the units with a label, where whole groups were drawn.
    """
    n, size = int(sampled.sum()), sampled.size
    x, values = judge[sampled], y[sampled]
    away, mean = x - x.mean(), float(values.mean())
    spread = float((away**2).sum())
    df = n - 2 if spread else n - 1
    if df < 1:
        raise InputError(f"`human` must label at least 3 queries for unit='query'; found {n}")
    by_spread = away / spread if spread else np.zeros(n)
    slope, distance = float(by_spread @ (values - mean)), float(judge.mean() - x.mean())
    residual = values - mean - slope * away
    # The estimate, mean + slope × distance, has the variance of both, which are uncorrelated.
    of_slope = distance**2 / spread if spread and not is_plain else 0.0
    finite = (1 - n / size) / n + of_slope
    # The estimate is Σ weight y over the sample: the influence of each unit on it.
    weight = 1 / n + distance * by_spread
    estimate = mean + slope * distance
    if groups is not None:
        left = _left(groups.sums(away * by_spread))[groups.codes]
        below, above = _margins(n * weight * residual / left, groups, alpha, bool(spread))
        shrunk = math.sqrt(finite / (1 / n + of_slope))
        return Ends(estimate, estimate - below * shrunk, estimate + above * shrunk)
    variance = float((residual**2).sum()) / df * finite
    if spread and not is_plain:
        left = _left(1 / n + away * by_spread)
        # Residuals over 1 - leverage, as if each unit were left out (HC3): holds with unequal
        # variances.
        robust = float(np.square(weight * residual / left).sum())
        variance = max(variance, robust * finite / (1 / n + of_slope))
    if np.ptp(values) == 0 and not is_plain:
        share = PRIOR / (n + 1)
        variance = max(variance, most**2 * share * (1 - share) * finite)
    half = quantile(df, alpha) * float(np.sqrt(variance))
    return Ends(estimate, estimate - half, estimate + half)


def _left(leverage: np.ndarray) -> np.ndarray:
    """1 - leverage; infinite for what is alone."""
    return np.where(leverage < 1 - ALONE, 1 - leverage, np.inf)


def _margins(
    influence: np.ndarray, groups: Groups, alpha: float, has_slope: bool
) -> tuple[float, float]:
    """How far the ends are from the estimate, as for a mean over queries in groups; a slope takes a
    degree of freedom."""
    found = GroupedMeans.of(influence[:, None], groups)
    wider = 1.0
    if has_slope:
        wider = quantile(max(1.0, found.freedom - 1), alpha) / quantile(found.freedom, alpha)
    below, above = (float(side[0]) * wider for side in found.margins(alpha))
    return below, above


class QueryUnits(NamedTuple):
    """Values of a measure by people, nan where they did not judge the query, and by the judge."""

    human: np.ndarray
    judge: np.ndarray
    codes: np.ndarray | None = None  # the group of each query

    @property
    def sampled(self) -> np.ndarray:
        """Which queries people judged."""
        return ~np.isnan(self.human)

    @property
    def groups(self) -> Groups | None:
        """The groups of the queries that people judged, drawn as a whole."""
        if self.codes is None:
            return None
        return Groups(np.unique(self.codes[self.sampled], return_inverse=True)[1])


def query_units(
    human: Labels,
    judges: Judges,
    run: RunLike,
    measure: MeasureLike,
    against: RunLike | None,
    ties: str,
    groups: GroupsLike | None = None,
) -> QueryUnits:
    """Values, or differences of two runs, of every query of the judge; of several judges their
    mean."""
    judge = judges.common
    if against is not None and Run.of(run).to_dict() == Run.of(against).to_dict():
        raise InputError(
            "`run` and `against` must differ; found the same scores: their difference is 0"
        )
    for query, grades in human.items():
        if query not in judge:
            raise InputError(
                "`human` must label queries that the judge graded for unit='query'; found query "
                f"{query!r}"
            )
        lacking = [doc for doc in judge[query] if doc not in grades]
        if lacking:
            raise InputError(
                "`human` must label all of the judge's pairs in a query for unit='query'; found "
                f"no label for document {lacking[0]!r} of query {query!r}"
            )

    def values(labels: Labels) -> dict[str, float]:
        found: dict[str, float] = {}
        for sign, each in ((1.0, run), (-1.0, against)):
            if each is not None:
                ev = evaluate_silently(labels, each, [measure], ties=ties)
                for query, value in zip(ev.query_ids, ev.values[:, 0].tolist(), strict=True):
                    found[query] = found.get(query, 0.0) + sign * value
        return found

    first, *others = (values(grades) for grades in judges.grades)
    by_human = values(human)
    units = QueryUnits(
        np.array([by_human.get(query, math.nan) for query in first]),
        np.mean([[each[query] for query in first] for each in (first, *others)], axis=0),
        group_labels(groups, list(first)),
    )
    if units.codes is not None:
        _check_whole(units, list(first))
    return units


def _check_whole(units: QueryUnits, query_ids: list[str]) -> None:
    """Groups that were drawn have labels for all of their queries."""
    is_drawn = np.isin(units.codes, units.codes[units.sampled])
    lacking = np.flatnonzero(is_drawn & ~units.sampled)
    if lacking.size:
        raise InputError(
            "`groups` is for a sample of whole groups; found no labels for query "
            f"{query_ids[lacking[0]]!r} of a group with labels: leave `groups` out if queries were "
            "drawn one by one"
        )
    if len(units.groups) < 3:
        raise InputError(
            f"`human` must label at least 3 groups of queries; found {len(units.groups)}"
        )


def within_known(units: QueryUnits, ends: Ends, least: float, most: float) -> Ends:
    """Within what the queries without people's labels leave possible, if each of them has a value
    from `least` to `most`."""
    known, n = float(np.nansum(units.human)), units.human.size
    rest = n - int(units.sampled.sum())
    low, high = (known + rest * least) / n, (known + rest * most) / n
    return Ends(*(float(min(max(x, low), high)) for x in ends))


def by_regression(units: QueryUnits, alpha: float, most: float, method: str) -> Ends:
    """With the judge; `most` is the largest value that the measure may have, 0 if it has none."""
    return regression(
        units.human, units.judge, units.sampled, alpha, most, method == "cochran", units.groups
    )


def without_judge(units: QueryUnits, alpha: float, most: float) -> Ends:
    """Without."""
    nothing = np.zeros(units.judge.size)
    return regression(units.human, nothing, units.sampled, alpha, most, groups=units.groups)


def correlation_of(units: QueryUnits) -> float:
    """Over the queries that people judged."""
    return correlation(units.human[units.sampled], units.judge[units.sampled])
