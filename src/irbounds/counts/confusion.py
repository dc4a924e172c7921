"""Posteriors of one labelling of several classes: accuracy, and precision, recall and F by class,
macro-averaged, or weighted by the classes' sizes.

The table of truth by prediction is multinomial.  The accuracy, which micro-averaged precision,
recall and F are too, has Jeffreys' posterior, and so have the measures of one class against the
others.  Averages over classes have intervals by MOVER (Zou & Donner 2008): the distances of the
classes' ends from their estimates are added as standard errors are, with the correlation of two
classes by the delta method.  Posteriors of the whole table fail here: with 20 classes and 60
objects any prior of single cells moves the average by more than its standard error.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.counts.labels import as_labels, check_labels, spelt_alike
from irbounds.counts.posterior import CountsPosterior
from irbounds.foundation.arguments import check_counts, check_number
from irbounds.foundation.distributions import BetaDistribution, Distribution
from irbounds.foundation.errors import InputError, check_choice, fail

if TYPE_CHECKING:
    from irbounds.typing import ArrayLike, LabelsLike

# of the squared distances, over the number of objects of a class: posteriors and the delta method
# have too little variance there; docs/how_we_chose.md has the coverage
INFLATION = 0.5
AVERAGES = ("micro", "macro", "weighted")
SHARED = 0.5  # prior mass of the correct cell of a class, and of all wrong ones of its row


def cell_prior(n_classes: int) -> np.ndarray:
    """The prior mass of each cell of the table."""
    prior = np.full((n_classes, n_classes), SHARED / max(n_classes - 1, 1))
    np.fill_diagonal(prior, SHARED)
    return prior


class ConfusionPosterior:
    """Posteriors of a classifier that gives one label of several to each object.

    Parameters
    ----------
    table : array_like, shape (K, K)
        Numbers of objects by true label (rows) and predicted label (columns); K is 2 or more.
    labels : sequence, optional
        Names of the classes; 0 to K - 1 by default.

    Raises
    ------
    InputError
        For a table that is not square, and counts that are negative or not finite.

    Notes
    -----
    Each error is a false positive of one class and a false negative of another.  `micro_average`
    and `macro_average` take classes for independent, so their intervals are too narrow here.
    Micro-averaged precision, recall and F are all the accuracy.  Intervals of averages cover about
    95 %, less where a class has fewer than five objects (How we chose).  Sources: Goutte & Gaussier
    (2005) for one class, Zou & Donner (2008) for averages.

    Examples
    --------
    >>> import irbounds as irb
    >>> post = irb.counts.ConfusionPosterior([[50, 3, 2], [4, 30, 1], [0, 2, 8]], ["a", "b", "c"])
    >>> [round(end, 3) for end in post.accuracy().interval(0.95)]
    [0.806, 0.933]
    >>> [round(end, 2) for end in post.f("macro").interval(0.95)]
    [0.73, 0.92]
    >>> [round(end, 3) for end in post.f("c").interval(0.95)]
    [0.501, 0.899]
    """

    def __init__(self, table: ArrayLike, labels: Sequence[Any] | None = None) -> None:
        counts = check_counts("table", table)
        if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or len(counts) < 2:
            raise InputError(
                "`table` must have a row and a column for each class, two classes or more; found "
                f"shape {counts.shape}"
            )
        self.table: np.ndarray = counts.copy()
        self.table.flags.writeable = False
        self.labels = tuple(range(len(counts)) if labels is None else labels)
        if len(self.labels) != len(counts) or len(set(self.labels)) != len(counts):
            raise InputError(
                f"`labels` must name each of the {len(counts)} classes once; found "
                f"{len(self.labels)} names"
            )

    @classmethod
    def from_labels(
        cls, truth: LabelsLike, prediction: LabelsLike, labels: Sequence[Any] | None = None
    ) -> ConfusionPosterior:
        """From two vectors of labels of the same objects.

        Parameters
        ----------
        truth, prediction : array_like, shape (objects,)
        labels : sequence, optional
            The classes.  By default those that occur, sorted.  A class that no object has and none
            was given has the prior as its law.

        Examples
        --------
        >>> import irbounds as irb
        >>> irb.counts.ConfusionPosterior.from_labels(list("aabbc"), list("abbbc"))
        ConfusionPosterior(5 objects, 3 classes, 4 correct)
        """
        (true, predicted), names = coded_labels(labels, truth=truth, prediction=prediction)
        return cls(table_of(true, predicted, len(names)), names)

    def __repr__(self) -> str:
        correct = np.trace(self.table)
        return (
            f"ConfusionPosterior({self.table.sum():g} objects, {len(self.labels)} classes, "
            f"{correct:g} correct)"
        )

    def accuracy(self) -> BetaDistribution:
        """The share of correct labels: Beta(correct + 1/2, wrong + 1/2)."""
        correct = float(np.trace(self.table))
        return BetaDistribution(correct + 0.5, float(self.table.sum()) - correct + 0.5)

    def precision(self, average: Hashable = "macro") -> Distribution:
        """Precision of one class, or its average; `average` as of `f`."""
        return self._law("precision", average, 1.0)

    def recall(self, average: Hashable = "macro") -> Distribution:
        """Recall of one class, or its average; `average` as of `f`."""
        return self._law("recall", average, 1.0)

    def f(self, average: Hashable = "macro", beta: float = 1.0) -> Distribution:
        """F of one class, or its average over classes.

        Parameters
        ----------
        average : {"micro", "macro", "weighted"} or a label
            "micro" is the accuracy.  "weighted" weighs classes by their share of the objects.
        beta : float
            Weight of recall.

        Returns
        -------
        Distribution
            Exact for "micro" and for a label, an approximation for "macro" and "weighted".
        """
        return self._law("f", average, beta)

    def of_class(self, label: Hashable) -> CountsPosterior:
        """The posterior of one class against the others."""
        if label not in self.labels:
            known = ", ".join(map(repr, self.labels[:5]))
            fail("label", f"must be one of the classes, {known}", label)
        place = self.labels.index(label)
        tp = self.table[place, place]
        fp, fn = self.table[:, place].sum() - tp, self.table[place].sum() - tp
        return CountsPosterior(tp, fp, fn, tn=self.table.sum() - tp - fp - fn)

    def _law(self, measure: str, average: Hashable, beta: float) -> Distribution:
        if average in self.labels:
            law = self.of_class(average).measure(measure, beta)
            assert isinstance(law, Distribution)
            return law
        is_accuracy = (measure, average) == ("recall", "weighted")
        if check_choice("average", average, AVERAGES) == "micro" or is_accuracy:
            return self.accuracy()
        return AveragedDistribution.of(self.table, measure, str(average), as_square(beta))


class AveragedDistribution(Distribution):
    """The distribution of an average over classes, made of the ends of its intervals.

    Its mean is the estimate.  There is no density.
    """

    is_approximate = True

    def __init__(
        self,
        laws: Distribution,
        estimates: np.ndarray,
        weights: np.ndarray,
        correlation: np.ndarray,
        sizes: np.ndarray,
        variance: float = 0.0,
    ) -> None:
        self.shape = ()
        self._laws, self._estimates, self._weights = laws, estimates, weights
        self._correlation, self._variance = correlation, variance
        self._inflation = np.sqrt(1 + INFLATION / np.maximum(sizes, INFLATION))

    @classmethod
    def of(
        cls, table: np.ndarray, measure: str, average: str, square: float
    ) -> AveragedDistribution:
        """That of a table; `square` is β²."""
        rows, columns, tp = table.sum(axis=1), table.sum(axis=0), np.diag(table)
        post = CountsPosterior(tp, columns - tp, rows - tp)
        estimates, sizes = _estimates(tp, rows, columns, measure, square)
        correlation = np.eye(len(tp))
        if measure == "f":
            correlation = _correlation(table, square)
        common = 1 / (1 + sizes)  # what classes without objects share is unknown
        correlation = np.maximum(correlation, np.outer(common, common))
        np.fill_diagonal(correlation, 1.0)
        weights, variance = np.full(len(tp), 1 / len(tp)), 0.0
        if average == "weighted":
            total = max(table.sum(), 1.0)
            weights = (rows + 0.5) / (rows + 0.5).sum()
            variance = float(weights @ (estimates - weights @ estimates) ** 2) / total
        laws = post.measure(measure, square**0.5)
        assert isinstance(laws, Distribution)
        return cls(laws, estimates, weights, correlation, sizes, variance)

    @property
    def mean(self) -> float:
        """The estimate."""
        return float(self._weights @ self._estimates)

    @property
    def var(self) -> float:
        """The square of half the central 68.27 % interval."""
        low, high = self._quantile(np.array([0.158655, 0.841345]))
        return float((high - low) / 2) ** 2

    @property
    def mode(self) -> float:
        """Not available."""
        raise InputError("the distribution of an average has no `pdf` and no `mode`")

    def _quantile(self, p: np.ndarray) -> np.ndarray:
        """An end: the estimate less, or more, the arm of the interval that has it."""
        p = np.asarray(p, float)
        tail = np.minimum(p, 1 - p)[..., None]
        low = np.minimum(self._laws.ppf(tail), self._estimates)
        high = np.maximum(self._laws.ppf(1 - tail), self._estimates)
        scale = self._weights * self._inflation
        arms = (self._estimates - low) * scale, (high - self._estimates) * scale
        squares = [np.einsum("...k,kl,...l->...", arm, self._correlation, arm) for arm in arms]
        # Sums of many classes are symmetric, those of one as its law is.
        width = (arms[0] + arms[1]) ** 2
        with np.errstate(invalid="ignore"):
            share = np.square(width).sum(-1) ** 0.5 / width.sum(-1)
        middle = (squares[0] + squares[1]) / 2
        own = np.where(p < 0.5, *squares)
        from scipy.special import ndtri

        drift = ndtri(p) ** 2 * self._variance
        arm = np.sqrt(middle + (own - middle) * np.nan_to_num(share, nan=1.0) + drift)
        return np.clip(self.mean + np.where(p < 0.5, -arm, arm), 0.0, 1.0)

    def _density(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.asarray(self.mode)  # raises

    def _draw(self, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        return self._quantile(rng.random(shape))

    def _below(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        shape = np.shape(x)
        low, high = np.zeros(shape), np.ones(shape)
        for _ in range(50):  # probabilities to 1e-15
            middle = (low + high) / 2
            is_below = self._quantile(middle) <= x
            low, high = np.where(is_below, middle, low), np.where(is_below, high, middle)
        return np.where(x >= 1, 1.0, low)

    def _above(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return 1 - self._below(x, y)


def _estimates(
    tp: np.ndarray, rows: np.ndarray, columns: np.ndarray, measure: str, square: float
) -> tuple[np.ndarray, np.ndarray]:
    """Estimates of the classes, 1/2 where there is no object, and the sizes behind them."""
    u, v = weights_of(measure, square)
    whole = u * rows + v * columns
    some = np.where(whole > 0, whole, 1.0)
    if measure != "f":
        return np.where(whole > 0, tp / some, 0.5), whole
    # F is biased by its second derivatives times half the variances of tp, fp and fn
    bias = u * v * tp * (rows + columns - 2 * tp) / some**3
    return np.where(whole > 0, np.minimum(tp / some + bias, 1.0), 0.5), (rows + columns) / 2


def weights_of(measure: str, square: float) -> tuple[float, float]:
    """u and v in tp/(u rows + v columns), which the measure of a class is."""
    return {
        "f": (square / (1 + square), 1 / (1 + square)),
        "recall": (1.0, 0.0),
        "precision": (0.0, 1.0),
    }[measure]


def _correlation(table: np.ndarray, square: float) -> np.ndarray:
    """Correlations of the classes' F by the delta method; two classes share two cells."""
    table = table + cell_prior(len(table))  # so that none is empty
    rows, columns, tp = table.sum(axis=1), table.sum(axis=0), np.diag(table)
    u, v = weights_of("f", square)
    whole = u * rows + v * columns
    f = tp / whole
    of_fn, of_fp = u * f / whole, v * f / whole
    variance = tp * ((1 - f) / whole) ** 2
    variance += (rows - tp) * of_fn**2 + (columns - tp) * of_fp**2
    shared = table * np.outer(of_fn, of_fp)
    return (shared + shared.T) / np.sqrt(np.outer(variance, variance))


def table_of(truth: np.ndarray, prediction: np.ndarray, n_classes: int) -> np.ndarray:
    """The table of objects whose labels are given as places in a list."""
    cells = np.bincount(truth * n_classes + prediction, minlength=n_classes**2)
    return cells.reshape(n_classes, n_classes).astype(float)


def as_square(beta: float) -> float:
    """β², after a check."""
    return check_number("beta", beta, "must be above 0 and finite", lambda x: 0 < x < 1e150) ** 2


def coded_labels(
    labels: Sequence[Any] | None, **vectors: LabelsLike
) -> tuple[list[np.ndarray], tuple[Any, ...]]:
    """Vectors of labels as places in the list of classes."""
    given = as_labels(**vectors)
    check_labels(given, labels or ())
    arrays = spelt_alike(given)
    if any(array.ndim != 1 for array in arrays):
        raise InputError(
            "labels must have one axis; marks of several categories are CountsPosterior's"
        )
    together = np.concatenate(arrays)
    found, places = np.unique(together, return_inverse=True)
    names = tuple(found.tolist())
    if labels is not None:
        unknown = [name for name in names if name not in list(labels)]
        if unknown:
            fail("labels", "must have each label that occurs", unknown[0])
        order = np.array([list(labels).index(name) for name in names], int)
        names, places = tuple(labels), order[places.ravel()]
    if len(names) < 2:
        raise InputError(
            f"labels must be of two classes or more; found {', '.join(map(repr, names))}"
        )
    return np.split(places.ravel(), len(arrays)), names
