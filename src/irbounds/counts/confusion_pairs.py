"""Two classifiers of several classes on the same objects, by draws."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.counts.confusion import (
    AVERAGES,
    ConfusionPosterior,
    as_square,
    cell_prior,
    coded_labels,
)
from irbounds.counts.superiority import Superiority
from irbounds.foundation.arguments import check_level, check_number, check_rng
from irbounds.foundation.distributions import BetaDistribution
from irbounds.foundation.errors import check_choice, check_count
from irbounds.foundation.interval import Interval

if TYPE_CHECKING:
    from irbounds.typing import LabelsLike, RNGLike

DRAWS = 20_000  # ends of 95 % intervals then err by some 0.02 standard deviations
PORTION = 2**21  # variates at a time

Sums = tuple[np.ndarray, np.ndarray, np.ndarray]


class PairedConfusion:
    """Two classifiers on the same objects, one label of several for each.

    The objects are a sample from the cells (truth, label of A, label of B), whose posterior is a
    Dirichlet law.  Its prior is that of `ConfusionPosterior` for each of both, and independent
    given the truth.

    Examples
    --------
    >>> import irbounds as irb
    >>> truth, a, b = list("aabbccaabb"), list("aabbccaabc"), list("abbaccbabb")
    >>> pair = irb.counts.PairedConfusion.from_labels(truth, a, b)
    >>> round(pair.prob_superior("f", "macro").probability, 2)
    0.8
    """

    def __init__(
        self, truth: np.ndarray, a: np.ndarray, b: np.ndarray, labels: tuple[Any, ...]
    ) -> None:
        """Places of the objects' labels in `labels`; `from_labels` makes them."""
        self.labels = labels
        self._objects = truth, a, b
        self.a, self.b = (
            ConfusionPosterior(_table(truth, own, len(labels)), labels) for own in (a, b)
        )

    @classmethod
    def from_labels(
        cls, truth: LabelsLike, a: LabelsLike, b: LabelsLike, labels: Sequence[Any] | None = None
    ) -> PairedConfusion:
        """From three vectors of labels of the same objects; `labels` as in
        `ConfusionPosterior.from_labels`."""
        (true, of_a, of_b), names = coded_labels(labels, truth=truth, a=a, b=b)
        return cls(true, of_a, of_b, names)

    def __repr__(self) -> str:
        return f"PairedConfusion({len(self._objects[0])} objects, {len(self.labels)} classes)"

    def prob_superior(
        self,
        measure: str = "f",
        average: Hashable = "macro",
        beta: float = 1.0,
        *,
        margin: float = 0.0,
        draws: int = DRAWS,
        rng: RNGLike = 0,
    ) -> Superiority:
        """P(A exceeds B by more than `margin`), from draws; `measure` is "f", "precision" or
        "recall", the rest as in `ConfusionPosterior.f`."""
        margin = check_number("margin", margin, "must be from -1 to 1", lambda x: -1 <= x <= 1)
        above = int((self._differences(measure, average, beta, draws, rng) > margin).sum())
        law = BetaDistribution(above + 0.5, draws - above + 0.5)
        return Superiority(above / draws, float(law.std), "monte-carlo", law)

    def difference_interval(
        self,
        measure: str = "f",
        average: Hashable = "macro",
        beta: float = 1.0,
        confidence_level: float = 0.95,
        *,
        draws: int = DRAWS,
        rng: RNGLike = 0,
    ) -> Interval:
        """An equal-tailed interval of A minus B; the estimate is that of the labels as they are."""
        level = check_level(confidence_level)
        found = self._differences(measure, average, beta, draws, rng)
        low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2]).tolist()
        estimate = observed(self.a, measure, average, beta) - observed(
            self.b, measure, average, beta
        )
        low, high = min(low, estimate), max(high, estimate)
        return Interval(estimate, low, high, level, "two-sided", "posterior", "monte-carlo")

    def _differences(
        self, measure: str, average: Hashable, beta: float, draws: int, rng: RNGLike
    ) -> np.ndarray:
        check_choice("measure", measure, ("f", "precision", "recall"))
        if average not in self.labels:
            check_choice("average", average, AVERAGES)
        check_count("draws", draws, 1)
        square = as_square(beta)
        parts = [
            _average(*of_a, measure, average, square, self.labels)
            - _average(*of_b, measure, average, square, self.labels)
            for of_a, of_b in self._sums(draws, check_rng(rng))
        ]
        return np.concatenate(parts)

    def _sums(self, draws: int, rng: np.random.Generator) -> Iterator[tuple[Sums, Sums]]:
        """Draws of the sums for A and for B, which share the cells that were seen."""
        n_classes = len(self.labels)
        prior = cell_prior(n_classes)
        (truth, a, b), counts = np.unique(np.stack(self._objects), axis=1, return_counts=True)
        own = prior[truth, a] * prior[truth, b]  # a row of the prior has mass 1
        left = [np.maximum(prior - _table(truth, one, n_classes, own), 0.0) for one in (a, b)]
        size = max(1, PORTION // (len(own) + 6 * n_classes))
        for start in range(0, draws, size):
            n = min(size, draws - start)
            seen = rng.standard_gamma(counts + own, (n, len(own)))
            of_a, of_b = (
                _add(seen, truth, one, _unseen(mass, n, rng))
                for one, mass in zip((a, b), left, strict=True)
            )
            yield of_a, of_b


def _table(
    truth: np.ndarray, label: np.ndarray, n: int, weights: np.ndarray | float = 1.0
) -> np.ndarray:
    table = np.zeros((n, n))
    np.add.at(table, (truth, label), weights)
    return table


def _unseen(mass: np.ndarray, n: int, rng: np.random.Generator) -> Sums:
    """Draws of the prior mass of cells that nobody saw: of correct cells, rows and columns.

    A cell is in a row and in a column at once.  The two are drawn apart, so that each sum has its
    law, and only what they share is lost.
    """
    others = mass.copy()
    np.fill_diagonal(others, 0.0)
    sums = np.diag(mass), others.sum(axis=1), others.sum(axis=0)
    correct, rows, columns = (rng.standard_gamma(one, (n, len(one))) for one in sums)
    return correct, rows, columns


def _add(seen: np.ndarray, truth: np.ndarray, label: np.ndarray, unseen: Sums) -> Sums:
    """Correct cells, whole rows and whole columns."""
    correct, rows, columns = unseen
    n_classes, is_right = rows.shape[1], truth == label
    correct = correct + seen[:, is_right] @ np.eye(n_classes)[truth[is_right]]
    wrong = seen[:, ~is_right]
    rows = rows + wrong @ np.eye(n_classes)[truth[~is_right]] + correct
    return correct, rows, columns + wrong @ np.eye(n_classes)[label[~is_right]] + correct


def _average(
    correct: np.ndarray,
    rows: np.ndarray,
    columns: np.ndarray,
    measure: str,
    average: Hashable,
    square: float,
    labels: tuple[Any, ...],
) -> np.ndarray:
    """The measure of each draw."""
    if average == "micro":
        return correct.sum(axis=1) / rows.sum(axis=1)
    if measure == "f":
        values = (1 + square) * correct / (square * rows + columns)
    else:
        values = correct / (columns if measure == "precision" else rows)
    if average in labels:
        return values[:, labels.index(average)]
    if average == "macro":
        return values.mean(axis=1)
    return (values * rows).sum(axis=1) / rows.sum(axis=1)


def observed(post: ConfusionPosterior, measure: str, average: Hashable, beta: float) -> float:
    """The measure of the table itself; a class without objects and labels counts 0."""
    correct, rows, columns = np.diag(post.table), post.table.sum(axis=1), post.table.sum(axis=0)
    never = 5e-324  # keeps 0/0 at 0
    sums = (correct[None], np.maximum(rows, never)[None], np.maximum(columns, never)[None])
    return float(_average(*sums, measure, average, as_square(beta), post.labels)[0])
