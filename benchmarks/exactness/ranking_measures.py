"""Measures that few tools have, on the questions of `hunts/ranking_measures.py`: every order of
tied documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from hunts import ranking_measures as asked

from exactness.measure import ABOVE_1, Family, Row

SHORT = 1e-13
ORDERS = "all orders, fractions"
ONE_ORDER = "definition, fractions"

Draw = Callable[[np.random.Generator, str], dict[str, Any]]


def _rows(
    names: list[str],
    n: int,
    what: str,
    against: str,
    draw: Draw,
    value: Callable[[dict[str, Any]], float],
    truth: Callable[[dict[str, Any]], float],
) -> Iterator[Row]:
    """A row for each measure."""
    rng = np.random.default_rng(7)
    for name in names:
        row = Row(f"{name}, {what}", against, SHORT, ABOVE_1)
        for _ in range(n):
            args = draw(rng, name)
            row.add(value(args), truth(args))
        yield row


def _of_table(rows: dict[str, Any]) -> Draw:
    return lambda rng, name: asked.drawn({name: rows[name]}, rng)


def means(n: int) -> Iterator[Row]:
    """Expectations, of measures cut off as well."""
    for rows, what in (
        ({**asked.SEARCHED, **asked.MEANS_AND_ENDS}, "expected under ties"),
        (asked.SEARCHED, "expected under ties, cut off"),
    ):
        names = [name for name in rows if what.endswith("ties") or rows[name][1] == "must"]
        yield from _rows(
            names, n, what, ORDERS, _of_table(rows), asked.mean_value, asked.mean_truth
        )


def ends(n: int) -> Iterator[Row]:
    """The best and the worst order."""
    rows = {**asked.SEARCHED, **asked.MEANS_AND_ENDS, **asked.ENDS_ALONE}
    names = [name for name in rows if name not in ("IPrec", "IPrec11")]  # beside other rows

    def draw(rng: np.random.Generator, name: str) -> dict[str, Any]:
        end = "best" if rng.random() < 0.5 else "worst"
        return {**asked.drawn({name: rows[name]}, rng), "end": end}

    yield from _rows(names, n, "bounds under ties", ORDERS, draw, asked.end_value, asked.end_truth)


def orders(n: int) -> Iterator[Row]:
    """Measures without an expectation and without bounds."""
    rows = asked.ORDERS_ALONE
    yield from _rows(
        list(rows),
        n,
        "in the given order",
        ONE_ORDER,
        _of_table(rows),
        asked.order_value,
        asked.order_truth,
    )


def of_subtopics(n: int) -> Iterator[Row]:
    """Measures of subtopics."""
    yield from _rows(
        list(asked.FORMS),
        n,
        "expected under ties",
        ORDERS,
        asked.with_subtopics,
        asked.subtopics_value,
        asked.subtopics_truth,
    )


def of_queries(n: int) -> Iterator[Row]:
    """One number over queries that is a geometric mean."""
    row = Row("GMAP and GMBpref, several queries", ORDERS, SHORT, ABOVE_1)
    rng = np.random.default_rng(7)
    for _ in range(n):
        args = asked.several(rng)
        row.add(asked.geometric_value(args), asked.geometric_truth(args))
    yield row


def of_reviews(n: int) -> Iterator[Row]:
    """Measures of reviews."""
    yield from _rows(
        list(asked.REVIEWS),
        n,
        "expected under ties",
        ORDERS,
        asked.review,
        asked.review_value,
        asked.review_truth,
    )


FAMILIES = [
    Family(means, 60, 2, ""),
    Family(ends, 30, 1, ""),
    Family(orders, 30, 1, ""),
    Family(of_subtopics, 60, 2, ""),
    Family(of_queries, 60, 2, ""),
    Family(of_reviews, 60, 2, ""),
]
