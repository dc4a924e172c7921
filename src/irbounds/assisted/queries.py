"""Whole queries as units: people judge some queries in full, the judge all of them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from irbounds.assisted.estimators import Ends, correlation
from irbounds.assisted.judges import Judges
from irbounds.assisted.labels import Labels
from irbounds.assisted.regression import regression
from irbounds.foundation.errors import InputError
from irbounds.rankings.data.collection import Run
from irbounds.rankings.evaluating.evaluator import evaluate_silently


class QueryUnits(NamedTuple):
    """Values of a measure by people, nan where they did not judge the query, and by the judge."""

    human: np.ndarray
    judge: np.ndarray

    @property
    def sampled(self) -> np.ndarray:
        """Which queries people judged."""
        return ~np.isnan(self.human)


def query_units(
    human: Labels, judges: Judges, run: Any, measure: Any, against: Any, ties: str
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
    return QueryUnits(
        np.array([by_human.get(query, math.nan) for query in first]),
        np.mean([[each[query] for query in first] for each in (first, *others)], axis=0),
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
    return regression(units.human, units.judge, units.sampled, alpha, most, method == "cochran")


def without_judge(units: QueryUnits, alpha: float, most: float) -> Ends:
    """Without."""
    return regression(units.human, np.zeros(units.judge.size), units.sampled, alpha, most)


def correlation_of(units: QueryUnits) -> float:
    """Over the queries that people judged."""
    return correlation(units.human[units.sampled], units.judge[units.sampled])
