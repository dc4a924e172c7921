"""Two classifiers of several classes on the same objects.

The interval of each system and their correlation give that of the difference, as for one relevant
label (`square_and_add`).  Posteriors of the cells (truth, A, B) fail here: where a class is rare,
any prior of single cells moves an average by more than its standard error.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.counts.confusion import (
    AVERAGES,
    AveragedDistribution,
    ConfusionPosterior,
    as_square,
    cell_prior,
    coded_labels,
    table_of,
    weights_of,
)
from irbounds.counts.f_score import named_f
from irbounds.counts.square_and_add import reach_of
from irbounds.counts.superiority import Superiority
from irbounds.foundation.arguments import check_level, check_number
from irbounds.foundation.errors import InputError, check_choice, fail
from irbounds.foundation.interval import Interval

if TYPE_CHECKING:
    from irbounds.typing import LabelsLike

MEASURES = ("f", "precision", "recall", "accuracy")
STEPS = 40  # of the bisection for a probability, which is then within 1e-12


class PairedConfusion:
    """Two classifiers on the same objects, one label of several for each.

    Examples
    --------
    >>> import irbounds as irb
    >>> truth, a, b = list("aabbccaabb"), list("aabbccaabc"), list("abbaccbabb")
    >>> pair = irb.counts.PairedConfusion.from_labels(truth, a, b)
    >>> low, high = pair.difference_interval("f", "macro")
    >>> round(low, 2), round(high, 2)
    (-0.35, 0.53)
    >>> low, high = pair.difference_interval("accuracy")
    >>> round(low, 2), round(high, 2)
    (-0.22, 0.56)
    """

    def __init__(
        self, truth: np.ndarray, a: np.ndarray, b: np.ndarray, labels: tuple[Any, ...]
    ) -> None:
        """Places of the objects' labels in `labels`; `from_labels` makes them."""
        self.labels = labels
        self._objects = truth, a, b
        tables = (table_of(truth, own, len(labels)) for own in (a, b))
        self.a, self.b = (ConfusionPosterior(table, labels) for table in tables)

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
    ) -> Superiority:
        """The confidence that A exceeds B by more than `margin`: the level of the one-sided
        interval that ends there.

        Parameters
        ----------
        measure : {"f", "precision", "recall", "accuracy"}
            "f1" is "f" with β = 1.
        average, beta
            As in `ConfusionPosterior.f`.  Accuracy has none: it is every micro-average.
        margin : float, -1 to 1

        Returns
        -------
        Superiority
            Method "mover"; its error is not known.
        """
        margin = check_number("margin", margin, "must be from -1 to 1", lambda x: -1 <= x <= 1)
        asked = self._asked(measure, average, beta)
        least, most = 0.0, 1.0
        for _ in range(STEPS):
            tail = (least + most) / 2
            is_below = self._end(*asked, tail) <= margin
            least, most = (tail, most) if is_below else (least, tail)
        return Superiority(1 - (least + most) / 2, float("nan"), "mover")

    def difference_interval(
        self,
        measure: str = "f",
        average: Hashable = "macro",
        beta: float = 1.0,
        confidence_level: float = 0.95,
    ) -> Interval:
        """The interval of A minus B, equal-tailed; the estimate is that of the labels as they are.

        Parameters
        ----------
        measure, average, beta
            As in `prob_superior`.
        confidence_level : float
        """
        level = check_level(confidence_level)
        asked = self._asked(measure, average, beta)
        low, high = (self._end(*asked, p) for p in ((1 - level) / 2, (1 + level) / 2))
        of_a, of_b = (observed(own, *asked[:2], beta) for own in (self.a, self.b))
        low, high = min(low, of_a - of_b), max(high, of_a - of_b)
        return Interval(of_a - of_b, low, high, level, "two-sided", "mover")

    def _asked(self, measure: str, average: Hashable, beta: float) -> tuple[str, Hashable, float]:
        measure = named_f(measure, beta)
        if check_choice("measure", measure, MEASURES) == "accuracy":
            if average not in ("macro", "micro"):
                fail("average", "must not be given for accuracy, which has none", average)
            if "micro" in self.labels:
                raise InputError("`labels` must not have 'micro' for accuracy: rename this class")
            measure, average = "f", "micro"
        if average not in self.labels:
            check_choice("average", average, AVERAGES)
        return measure, average, as_square(beta)

    def _end(self, measure: str, average: Hashable, square: float, p: float) -> float:
        """The quantile of A minus B."""
        from scipy.special import ndtri

        tail = min(p, 1 - p)
        arms: list[float] = []
        estimates = []
        for own in (self.a, self.b):
            law = own._law(measure, average, square**0.5)
            estimate = (
                float(law.mean)
                if isinstance(law, AveragedDistribution)
                else observed(own, measure, average, square**0.5)
            )
            low, high = (float(law.ppf(x)) for x in (tail, 1 - tail))
            arms += [max(estimate - low, 0.0), max(high - estimate, 0.0)]
            estimates.append(estimate)
        phi = self._correlation(measure, average, square, float(ndtri(tail)) ** 2 / 3)
        below_a, above_a, below_b, above_b = map(np.asarray, arms)
        difference = estimates[0] - estimates[1]
        if p < 0.5:
            return max(difference - float(reach_of(below_a, above_a, below_b, above_b, phi)), -1.0)
        return min(difference + float(reach_of(below_b, above_b, below_a, above_a, phi)), 1.0)

    def _correlation(
        self, measure: str, average: Hashable, square: float, more: float
    ) -> np.ndarray:
        """Correlation of both averages by their linear terms, or that with `more` objects of each
        class that A alone gets right, and as many that B alone does, if it is less."""
        truth, a, b = self._objects
        of_a, of_b = (
            _influence(own.table, measure, average, square, self.labels) for own in (self.a, self.b)
        )
        x, y = of_a[truth, a], of_b[truth, b]
        sums = np.array([x @ y, x @ x, y @ y])
        others = 1 - np.eye(len(self.labels))
        right = np.stack([np.diag(of_a), np.diag(of_b)])
        wrong = np.stack(
            [(each * others).sum(axis=1) / others.sum(axis=1) for each in (of_a, of_b)]
        )
        unseen = more * np.array(
            [
                right[0] @ wrong[1] + wrong[0] @ right[1],
                right[0] @ right[0] + wrong[0] @ wrong[0],
                right[1] @ right[1] + wrong[1] @ wrong[1],
            ]
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            phis = [both / np.sqrt(first * second) for both, first, second in (sums, sums + unseen)]
        return np.asarray(np.clip(np.nan_to_num(np.min(phis), nan=0.0), -1, 1))


def _influence(
    table: np.ndarray, measure: str, average: Hashable, square: float, labels: tuple[Any, ...]
) -> np.ndarray:
    """Derivatives of the measure by the cells: what an object adds, by its truth and label."""
    full = table + cell_prior(len(table))  # so that no class is empty
    rows, columns, tp = full.sum(axis=1), full.sum(axis=0), np.diag(full)
    n = rows.sum()
    if average == "micro" and average not in labels:
        return (np.eye(len(full)) - tp.sum() / n) / n
    # tp/(u rows + v columns), whose linear term has 1 - value, -u value and -v value
    u, v = weights_of(measure, square)
    whole = u * rows + v * columns
    values = tp / whole
    weights = np.full(len(full), 1 / len(full))
    found = np.zeros_like(full)
    if average in labels:
        weights = np.eye(len(full))[labels.index(average)]
    elif average == "weighted":
        weights = rows / n
        found += ((values - weights @ values) / n)[:, None]
    scale = weights * values / whole
    found -= u * scale[:, None] + v * scale[None, :]
    return found + np.diag(weights / whole)


def observed(post: ConfusionPosterior, measure: str, average: Hashable, beta: float) -> float:
    """The measure of the table itself; a class without objects and labels counts 0."""
    rows, columns, tp = post.table.sum(axis=1), post.table.sum(axis=0), np.diag(post.table)
    if average == "micro" and average not in post.labels:
        return float(tp.sum() / max(rows.sum(), 1.0))
    u, v = weights_of(measure, as_square(beta))
    whole = u * rows + v * columns
    values = np.where(whole > 0, tp / np.where(whole > 0, whole, 1.0), 0.0)
    if average in post.labels:
        return float(values[post.labels.index(average)])
    weights = rows / max(rows.sum(), 1.0) if average == "weighted" else 1 / len(rows)
    return float((values * weights).sum())
