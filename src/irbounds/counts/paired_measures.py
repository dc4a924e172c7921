"""The measures of two systems on the same objects, from the table of truth and both labels.

A table has the shape (..., 2, 2, 2): truth, label of a, label of b; 1 is relevant, or returned.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from irbounds.counts.f_score import named_f
from irbounds.counts.margins import Cells, Difference
from irbounds.counts.paired import PairedComparison
from irbounds.counts.posterior import PORTION, CountsPosterior
from irbounds.counts.shares import MixedShare, Part, Share, first_is_greater
from irbounds.counts.square_and_add import recovered_ends
from irbounds.foundation.arguments import check_number, plain
from irbounds.foundation.errors import check_choice

PROPORTIONS = ("accuracy", "recall", "specificity")  # shares of the same objects for both systems
MEASURES = ("f", "precision", "recall", "accuracy", "specificity", "negative_predictive_value")

FARTHEST_BETA = 1e150  # beyond it F is recall to the last digit, below its inverse precision


def checked_measure(measure: str, beta: float) -> tuple[str, float]:
    """The name of the measure, and β if it has one.  F with an extreme β becomes precision or
    recall."""
    beta = check_number("beta", beta, "must be 0 or more", lambda x: x >= 0)
    if check_choice("measure", measure := named_f(measure, beta), MEASURES) == "f":
        if beta > FARTHEST_BETA:
            measure = "recall"
        elif beta < 1 / FARTHEST_BETA:
            measure = "precision"
    return measure, beta if measure == "f" else 0.0


def proportion(table: np.ndarray, measure: str) -> tuple[np.ndarray, ...]:
    """The objects that count for both systems, for a alone, for b alone; and all."""
    relevant, others = table[..., 1, :, :], table[..., 0, ::-1, ::-1]
    counts = {"recall": relevant, "specificity": others, "accuracy": relevant + others}[measure]
    return counts[..., 1, 1], counts[..., 1, 0], counts[..., 0, 1], counts.sum(axis=(-1, -2))


def gamma_cells(table: np.ndarray, measure: str) -> Cells:
    """The cells by their names in the formulas; negative predictive value is the precision of the
    other label."""
    if measure == "negative_predictive_value":
        table = table[..., ::-1, ::-1, ::-1]
    x, y = table[..., 1, :, :], table[..., 0, :, :]
    return Cells(
        *(
            side[..., i, j]
            for side, i, j in (
                (x, 1, 1),
                (x, 1, 0),
                (x, 0, 1),
                (x, 0, 0),
                (y, 1, 1),
                (y, 1, 0),
                (y, 0, 1),
            )
        )
    )


def weight_of_relevant(measure: str, beta: float) -> float:
    """The weight of the relevant objects in the denominator of F; the returned objects have the
    rest."""
    return 1 / (1 + beta**-2) if measure == "f" else 0.0


def f_of_first(cells: Cells, weight: float) -> np.ndarray:
    """Observed F of the first system; nan if it is 0/0."""
    tp = cells.x11 + cells.x10
    return tp / (
        weight * (tp + cells.x01 + cells.x00) + (1 - weight) * (tp + cells.y11 + cells.y10)
    )


def drawn_difference(table: np.ndarray, measure: str, beta: float) -> np.ndarray:
    """The measure of a minus that of b, for tables of draws."""
    if measure in PROPORTIONS:
        _, wins, losses, n = proportion(table, measure)
        return (wins - losses) / n
    cells = gamma_cells(table, measure)
    return f_of_first(cells, weight_of_relevant(measure, beta)) - f_of_first(
        cells.exchanged(), weight_of_relevant(measure, beta)
    )


def probability_above(cells: Cells, beta: float) -> tuple[float, float]:
    """P(F_a > F_b); precision is F with β = 0."""
    x11, x10, x01, x00, y11, y10, y01 = map(float, cells)
    relevant = x11 + x10 + x01 + x00
    first, second = x10 + x01, y10 + y01
    # Y + β² R is a gamma variate for these β alone.
    of_y: Part = (
        Share(second, y11 + beta * relevant)
        if beta in (0, 1)
        else MixedShare(second, y11, relevant, beta)
    )
    return first_is_greater((x10, x01), Share(first, x11), (y10, y01), of_y)


def difference_quantiles(cells: Cells, weight: float, tail: float) -> tuple[float, ...]:
    """Both ends of the interval, and their standard errors."""
    difference = Difference(cells, weight)
    (low, low_error), (high, high_error) = difference.quantile(tail), difference.quantile(1 - tail)
    return low, high, low_error, high_error


def ends_of_both(
    table: np.ndarray, measure: str, beta: float, tail: float
) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the interval from those of both systems; a proportion is the recall of a table of
    relevant objects."""
    if measure not in PROPORTIONS:
        weight = weight_of_relevant(measure, beta)
        return recovered_ends(gamma_cells(table, measure), weight, beta, tail)
    both, wins, losses, n = proportion(table, measure)
    none = np.zeros_like(n)
    cells = Cells(both, wins, losses, n - both - wins - losses, none, none, none)
    return recovered_ends(cells, 1.0, beta, tail)


def alone(table: np.ndarray, prior: np.ndarray, given: Any, axis: int) -> CountsPosterior:
    """The posterior of one system, from the table and the prior summed over the axis of the other
    system."""
    table, prior = table.sum(axis=axis), prior.sum(axis=axis)
    (tn, fp), (fn, tp) = ((table[..., t, 0], table[..., t, 1]) for t in (0, 1))
    if np.ndim(given) == 0:
        # Each cell of one system is a sum of two, with the prior of both.
        given = 2 * given
    else:
        (prior_tn, prior_fp), (prior_fn, prior_tp) = prior.tolist()
        given = {
            "precision": (prior_tp, prior_fp),
            "recall": (prior_tp, prior_fn),
            "specificity": (prior_tn, prior_fp),
            "negative_predictive_value": (prior_tn, prior_fn),
            "f": (prior_tp, prior_fp, prior_fn),
            "cells": (prior_tp, prior_fp, prior_fn, prior_tn),
        }
    return CountsPosterior(tp, fp, fn, tn, prior=given)


def comparison(table: np.ndarray, prior: np.ndarray, measure: str) -> PairedComparison:
    """The wins and losses of accuracy, recall or specificity."""
    _, wins, losses, n = proportion(table, measure)
    _, win, loss, total = map(float, proportion(prior, measure))
    return PairedComparison(
        plain(wins), plain(losses), plain(n - wins - losses), (win, loss, total - win - loss)
    )


def draws_above(
    shapes: np.ndarray,
    measure: str,
    beta: float,
    margin: float,
    draws: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """The number of draws of each table's cells with a difference above the margin."""
    flat = shapes.reshape(-1, 8)
    found = np.zeros(len(flat))
    for i, shape in enumerate(flat):
        for start in range(0, draws, PORTION):  # so that an interrupt need not wait for all
            size = min(PORTION, draws - start), 8
            table = rng.standard_gamma(shape, size).reshape(-1, 2, 2, 2)
            found[i] += (drawn_difference(table, measure, beta) > margin).sum()
    return found.reshape(shapes.shape[:-3])


def table_lines(table: np.ndarray) -> list[str]:
    """One table as text, with a header."""
    rows = [["", "both", "only a", "only b", "neither"]]
    for name, side in (("relevant", table[1]), ("not relevant", table[0])):
        cells = (side[1, 1], side[1, 0], side[0, 1], side[0, 0])
        rows.append([name, *(f"{cell:.10g}" for cell in cells)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows
    ]
