"""Measures of one's own: Python functions of a ranking."""

from __future__ import annotations

import keyword
import math
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, groupby, product
from typing import Any

import numpy as np

from irbounds._core.documents.doc_rows import BadRow
from irbounds.foundation.arguments import check_flag
from irbounds.foundation.errors import fail, shown
from irbounds.rankings.measure_table.aggregates import check_aggregate
from irbounds.rankings.measure_table.measure import Measure, is_known
from irbounds.rankings.measure_table.spec import MeasureSpec

MOST_ORDERS = 5040  # of 7 documents of different grades: 10 to 50 milliseconds of a short function
TIE_RULE = (
    f"exact mean, best and worst over all orders of tied grades, up to {MOST_ORDERS:,} orders for "
    "each query; any ties by doc_id and given."
)


def define_measure(
    name: str,
    function: Callable[[np.ndarray, int], float],
    *,
    rel: float = 1,
    lower_is_better: bool = False,
    aggregate: str = "mean",
    definition: str = "",
) -> Measure:
    """A measure of one's own, for `evaluate`, `compare` and reports.

    Parameters
    ----------
    name : str
        The name in results: letters, digits and underscores, and no built-in measure's name.
    function : callable
        ``function(grades, n_relevant)`` returns a number, not nan.  `grades` is an array of the
        grades of one query's documents, first retrieved first, below 0 where nobody judged;
        `n_relevant` counts the query's relevant documents, retrieved or not.
    rel : float
        The lowest relevant grade, for `n_relevant`.
    lower_is_better : bool
    aggregate : {"mean", "sum", "geometric mean", "median"}
        How ``Evaluation.summary`` joins the values of all queries.
    definition : str
        A sentence for reports.

    Returns
    -------
    Measure

    Notes
    -----
    Under ties the function is called for each different order of the grades of tied documents, up
    to 5,040 for a query: ``ties="expected"`` is the mean over them, "best", "worst" and bounds the
    extremes.  ``ties="doc_id"`` and ``"given"`` without bounds ask for one order only.

    Examples
    --------
    The share of documents above the first relevant one, of two that tie:

    >>> import irbounds as irb
    >>> def above(grades, n_relevant):
    ...     found = grades >= 1
    ...     return found.argmax() / len(grades) if found.any() else 1.0
    >>> effort = irb.define_measure("effort", above, lower_is_better=True)
    >>> irb.evaluate({"q": {"d1": 1}}, {"q": {"d1": 1, "d2": 1}}, ["RR", effort], bounds=True)
    Evaluation of 1 query, ties expected
      RR      0.7500  in [0.5000, 1.0000]
      effort  0.2500  in [0.0000, 0.5000]
    """
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        fail("name", "must be of letters, digits and underscores", name)
    if is_known(name):
        fail("name", "must not be that of a built-in measure", name)
    if not callable(function):
        fail("function", "must be callable", function)
    if isinstance(rel, bool | str) or not math.isfinite(rel) or rel < 0:
        fail("rel", "must be a grade, 0 or more", rel)
    spec = MeasureSpec(
        name,
        definition or "A measure of one's own.",
        "",
        {},
        tie_rule=TIE_RULE,
        aggregate=check_aggregate("aggregate", aggregate),
        lower_is_better=check_flag("lower_is_better", lower_is_better),
        function=function,
        rel=float(rel),
    )
    return Measure(name, spec=spec)


class OwnMeasures:
    """Values of measures of one's own for one query after the other, and with bounds the least and
    the greatest over all orders of tied documents."""

    def __init__(self, measures: Sequence[Measure], ties: str, bounds: bool) -> None:
        self.measures = measures
        self.ties = ties
        self.bounds = bounds

    def __call__(
        self,
        scores: list[float],
        grades: list[float],
        ids: list[bytes] | None,
        level: list[float],
        count: list[int],
    ) -> tuple[list[float], list[float], list[float]]:
        """Values, lows and highs; `level` and `count` are what was judged, `ids` break ties by
        doc_id."""
        ranked = sorted(range(len(scores)), key=lambda row: -scores[row])
        apart = self.ties in ("doc_id", "given")
        orders: list[list[float]] = []
        if self.bounds or not apart:
            tied = [
                [grades[row] for row in group]
                for _, group in groupby(ranked, key=lambda row: scores[row])
            ]
            self._check_orders(tied)
            # Tied groups are shuffled independently: each order of one goes with each of the
            # others, and all that results is equally likely.
            every = product(*(list(_arrangements(group)) for group in tied))
            orders = [list(chain.from_iterable(order)) for order in every]
        if self.ties == "doc_id" and ids is not None:
            # Sorts are stable: after the second one ids decide between equal scores only.
            ranked.sort(key=lambda row: ids[row], reverse=True)
            ranked.sort(key=lambda row: -scores[row])
        chosen = [grades[row] for row in ranked]
        found = [
            self._measure(measure, orders, chosen if apart else None, level, count)
            for measure in self.measures
        ]
        values, lows, highs = zip(*found, strict=True)
        return list(values), list(lows), list(highs)

    def _measure(
        self,
        measure: Measure,
        orders: list[list[float]],
        chosen: list[float] | None,
        level: list[float],
        count: list[int],
    ) -> tuple[float, float, float]:
        judged = zip(level, count, strict=True)
        n_relevant = sum(times for grade, times in judged if grade >= measure.spec.rel)
        values = [_call(measure, order, n_relevant) for order in orders]
        if chosen is not None:
            value = _call(measure, chosen, n_relevant)
            return value, min(values, default=value), max(values, default=value)
        low, high = min(values), max(values)
        if self.ties == "expected":
            infinite = math.isinf(low) or math.isinf(high)
            # fsum raises an error for ∞ - ∞, where sum gives nan.
            mean = sum(values) / len(values) if infinite else math.fsum(values) / len(values)
            # Rounding must not put the mean outside of its bounds.
            return mean, min(low, mean), max(high, mean)
        return low if (self.ties == "best") == measure.spec.lower_is_better else high, low, high

    def _check_orders(self, tied: list[list[float]]) -> None:
        n_orders = 1
        for grades in tied:
            # n!/Π times! orders: documents with one grade do not differ.
            n_orders *= math.factorial(len(grades))
            for grade in set(grades):
                n_orders //= math.factorial(grades.count(grade))
            if n_orders > MOST_ORDERS:
                what = "bounds are" if self.ties in ("doc_id", "given") else "it is"
                raise BadRow(
                    f"{self.measures[0]} is a Python function: {what} computed over all orders of "
                    f"tied grades, up to {MOST_ORDERS:,}, and there are more; choose ties='doc_id' "
                    "or 'given', without bounds"
                )


def _call(measure: Measure, grades: list[float], n_relevant: int) -> float:
    assert measure.spec.function is not None
    found: Any = measure.spec.function(np.array(grades, dtype=float), n_relevant)
    try:
        value = float(found)
    except (TypeError, ValueError):
        value = math.nan
    if math.isnan(value):
        raise BadRow(f"{measure} must return a number; found {shown(found)}")
    return value


def _arrangements(grades: list[float]) -> Iterator[list[float]]:
    """The different orders of grades, each as often as any other among all orders of documents."""
    order = sorted(grades)
    while True:
        yield order.copy()
        # The next permutation in lexicographic order: the last number that is below the one behind
        # it is exchanged with the least greater number behind it, and the rest is turned round.
        last = len(order) - 2
        while last >= 0 and order[last] >= order[last + 1]:
            last -= 1
        if last < 0:
            return
        other = len(order) - 1
        while order[other] <= order[last]:
            other -= 1
        order[last], order[other] = order[other], order[last]
        order[last + 1 :] = reversed(order[last + 1 :])
