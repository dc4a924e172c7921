"""Two systems on the same objects: their measures from the joint table of truth and labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.counts.labels import label_marks, label_weights
from irbounds.counts.margins import Cells, Difference
from irbounds.counts.paired_measures import (
    MEASURES,
    PROPORTIONS,
    alone,
    checked_measure,
    comparison,
    difference_quantiles,
    draws_above,
    ends_of_both,
    f_of_first,
    gamma_cells,
    probability_above,
    proportion,
    table_lines,
    weight_of_relevant,
)
from irbounds.counts.paired_proportions import MCNEMAR, mcnemar, newcombe, tango
from irbounds.counts.posterior import CountsPosterior
from irbounds.counts.superiority import Superiority
from irbounds.foundation.arguments import check_number, check_numbers, check_rng, plain
from irbounds.foundation.errors import LARGEST_COUNT, InputError, check_choice, check_count, fail
from irbounds.foundation.interval import Interval, normal_quantile, one_sided, tail_probability

if TYPE_CHECKING:
    from irbounds.typing import ArrayLike, FloatOrArray, LabelsLike, RNGLike

INTERVALS = ("mover", "posterior", "newcombe", "tango")
# The least shape of a gamma variate: 10^(-308 shape) of the probability is below all doubles.
LEAST_SHAPE = 0.05
# Bounds of errors: of incomplete beta functions, and of `PairedComparison.difference_cdf`.
CLOSED_ERROR, DIFFERENCE_ERROR = 1e-14, 1e-10


class PairedCounts:
    """Two systems on the same objects: posteriors, intervals and tests of their difference.

    Parameters
    ----------
    table : array_like, shape (..., 2, 2, 2)
        Counts of objects by truth, label of system a and label of system b; 1 is relevant, or
        returned, and 0 is not.  ``table[1][1][0]`` counts the relevant objects that only a
        returned.  Leading axes are several tables.  Precision, recall and F do not depend on
        ``table[0][0][0]``: it may be 0 where nobody counted it.
    prior : float or array_like, shape (2, 2, 2)
        Dirichlet parameter of each of the eight cells, or an array of all of them.

    Attributes
    ----------
    table : ndarray
    prior : float or ndarray
    shape : tuple of int
        Shape of the leading axes; () is one table.

    Notes
    -----
    The posterior is a Dirichlet distribution of the eight cells, by default with Jeffreys' prior of
    1/2 in each.  A cell of a system's own table is two of them: each system alone, as `a` and `b`
    have it, is ``CountsPosterior(tp, fp, fn, prior=1)``.  ``prior=0.25`` makes it the usual
    ``CountsPosterior(tp, fp, fn)``.

    Examples
    --------
    System b returns what a returns, but for nine relevant documents:

    >>> import irbounds as irb
    >>> pairs = irb.PairedCounts([[[100, 0], [0, 26]], [[20, 0], [9, 71]]])
    >>> pairs
    PairedCounts of 226 objects, prior=0.5
                    both  only a  only b  neither
      relevant        71       9       0       20
      not relevant    26       0       0      100
    >>> round(pairs.prob_superior("f").probability, 4)
    0.9995
    >>> round(irb.prob_superior(pairs.a, pairs.b).probability, 4)  # as if on different objects
    0.874
    """

    def __init__(self, table: ArrayLike, prior: Any = 0.5) -> None:
        cells = check_numbers(
            "table", table, "must be from 0 to 2^52", lambda x: (x >= 0) & (x <= LARGEST_COUNT)
        )
        if cells.shape[-3:] != (2, 2, 2):
            fail("table", "must have the shape (..., 2, 2, 2): truth, a, b", cells.shape)
        cells.flags.writeable = False
        self.table: np.ndarray = cells
        self.shape: tuple[int, ...] = cells.shape[:-3]
        rule = "must be a number above 0, or an array of the shape (2, 2, 2)"
        given = check_numbers("prior", prior, rule, lambda x: (x > 0) & (x <= LARGEST_COUNT))
        if given.shape not in ((), (2, 2, 2)):
            fail("prior", rule, prior)
        self.prior: Any = given if given.ndim else float(given)
        self._prior = np.array(np.broadcast_to(given, (2, 2, 2)))
        given.flags.writeable = self._prior.flags.writeable = False

    @classmethod
    def from_labels(
        cls,
        truth: LabelsLike,
        a: FloatOrArray,
        b: FloatOrArray,
        *,
        positive: FloatOrArray = 1,
        labels: Sequence[Any] | None = None,
        weights: ArrayLike | None = None,
        prior: Any = 0.5,
    ) -> PairedCounts:
        """From three vectors of labels of the same objects.

        Parameters
        ----------
        truth, a, b : array_like, shape (objects,) or (objects, categories)
            Labels, as `CountsPosterior.from_labels` takes them; with two axes, one table for each.
            pandas objects must have one index, in one order.
        positive : label
            The label that counts as relevant, where there is one axis.
        labels : sequence, optional
            Several labels in turn as the relevant one: one table for each.
        weights : array_like, shape (objects,), optional
            Weight of each object.

        Examples
        --------
        >>> import irbounds as irb
        >>> irb.PairedCounts.from_labels([1, 1, 0, 0, 1], [1, 1, 0, 1, 1], [1, 0, 0, 1, 1])
        PairedCounts of 5 objects, prior=0.5
                        both  only a  only b  neither
          relevant         2       1       0        0
          not relevant     1       0       0        1
        """
        true, first, second = label_marks({"truth": truth, "a": a, "b": b}, positive, labels)
        weight = None if weights is None else label_weights(weights, truth, len(true))
        cells = 4 * true.astype(np.uint8) + 2 * first.astype(np.uint8) + second.astype(np.uint8)
        if cells.ndim == 1:
            return cls(np.bincount(cells, weight, minlength=8).reshape(2, 2, 2), prior)
        tables = [np.bincount(column, weight, minlength=8).reshape(2, 2, 2) for column in cells.T]
        return cls(np.reshape(tables, (-1, 2, 2, 2)), prior)

    @property
    def a(self) -> CountsPosterior:
        """The posterior of system a alone."""
        return alone(self.table, self._prior, self.prior, axis=-1)

    @property
    def b(self) -> CountsPosterior:
        """The posterior of system b alone."""
        return alone(self.table, self._prior, self.prior, axis=-2)

    def __getitem__(self, index: Any) -> PairedCounts:
        """A part of an array of tables."""
        if not self.shape:
            raise InputError("a single table cannot be indexed")
        return PairedCounts(self.table[index], self.prior)

    def __repr__(self) -> str:
        prior = f"prior={self.prior}" if np.ndim(self.prior) == 0 else "prior of eight cells"
        if self.shape:
            return f"PairedCounts of {math.prod(self.shape)} tables, {prior}"
        lines = table_lines(self.table)
        return "\n  ".join([f"PairedCounts of {self.table.sum():.10g} objects, {prior}", *lines])

    def difference(self, measure: str = "f", beta: float = 1.0) -> Any:
        """The observed difference, measure of a minus measure of b; nan if one of them is 0/0."""
        measure, beta = checked_measure(measure, beta)
        with np.errstate(divide="ignore", invalid="ignore"):
            if measure in PROPORTIONS:
                _, wins, losses, n = proportion(self.table, measure)
                return plain((wins - losses) / n)
            cells = gamma_cells(self.table, measure)
            first, second = (
                f_of_first(side, weight_of_relevant(measure, beta))
                for side in (cells, cells.exchanged())
            )
            return plain(first - second)

    def prob_superior(
        self,
        measure: str = "f",
        beta: float = 1.0,
        margin: float = 0.0,
        *,
        method: str = "exact",
        draws: int = 100_000,
        rng: RNGLike = None,
    ) -> Superiority:
        """The probability that system a is better than system b by more than a margin.

        Parameters
        ----------
        measure : str
            "f", "precision", "recall", "accuracy", "specificity" or "negative_predictive_value".
        beta : float
            Weight of recall in F, against 1 of precision.
        margin : float, from -1 to 1
            P(M_a - M_b > margin).
        method : {"exact", "monte-carlo"}
        draws : int
            Number of draws for Monte Carlo.
        rng : None, int or numpy.random.Generator

        Returns
        -------
        Superiority
            `standard_error` is the most that the error of the probability may be: some 1e-9, or,
            for F, precision and negative predictive value with a margin, 1e-5 (1e-3 with a few
            objects).  These are averages over 2^17 Sobol points: `method` is "quasi-monte-carlo".

        Examples
        --------
        >>> import irbounds as irb
        >>> pairs = irb.PairedCounts([[[900, 12], [20, 30]], [[15, 9], [16, 60]]])
        >>> for measure in ("precision", "recall", "f", "accuracy"):
        ...     print(measure, round(pairs.prob_superior(measure).probability, 4))
        precision 0.2947
        recall 0.9199
        f 0.7011
        accuracy 0.4478
        """
        measure, beta = checked_measure(measure, beta)
        margin = check_number("margin", margin, "must be from -1 to 1", lambda x: -1 <= x <= 1)
        if check_choice("method", method, ("exact", "monte-carlo")) == "monte-carlo":
            draws, rng = check_count("draws", draws), check_rng(rng)
            wins = draws_above(self.table + self._prior, measure, beta, margin, draws, rng)
            return Superiority.of_draws(wins, draws)
        if measure in PROPORTIONS:
            pairs = comparison(self.table, self._prior, measure)
            above = 1 - pairs.difference_cdf(margin) if margin else pairs.probability
            error = np.full(self.shape, DIFFERENCE_ERROR if margin else CLOSED_ERROR)
            return Superiority(plain(above), plain(error), "exact")
        if margin:
            # With a margin the terms of both systems do not cancel, and seven variates remain.
            weight = weight_of_relevant(measure, beta)
            above, error = self._each(
                lambda cells: Difference(cells, weight).above(margin), measure
            )
            return Superiority(plain(above), plain(error), "quasi-monte-carlo")
        above, error = self._each(lambda cells: probability_above(cells, beta), measure)
        return Superiority(plain(above), plain(error), "exact")

    def difference_interval(
        self,
        measure: str = "f",
        beta: float = 1.0,
        confidence_level: float = 0.95,
        method: str = "mover",
        *,
        side: str = "two-sided",
    ) -> Interval:
        """An interval for the difference: the measure of a minus the measure of b.

        Parameters
        ----------
        measure : str
        beta : float
            As for `prob_superior`.
        confidence_level : float
        method : {"mover", "posterior", "newcombe", "tango"}
            "mover" combines an interval of each system by their correlation (Zou & Donner 2008).
            "posterior" has equal tails, extended to the observed difference; it alone depends on
            `prior`.  "newcombe" (1998, method 10) and "tango" (1998, by scores) are for accuracy,
            recall and specificity, proportions of the same objects, and need whole counts.
        side : {"two-sided", "lower", "upper"}

        Returns
        -------
        Interval
            `estimate` is `difference`, which lies inside at levels of one half and above.  The ends
            of "mover" are computed within 1e-9.  The posterior's ends are exact for proportions;
            for F, precision and negative predictive value, `standard_error` has their errors.

        Notes
        -----
        The page "How we chose the defaults" has the measured coverage of each method.

        Examples
        --------
        >>> import irbounds as irb
        >>> pairs = irb.PairedCounts([[[900, 12], [20, 30]], [[15, 9], [16, 60]]])
        >>> pairs.difference_interval("recall", method="tango")
        Interval(0.07 in [-0.0294711, 0.171175], 0.95 two-sided, tango)
        """
        measure, beta = checked_measure(measure, beta)
        tail = tail_probability(confidence_level, side)
        check_choice("method", method, INTERVALS)
        estimate = self.difference(measure, beta)
        engine, error = "formula", None
        if method == "mover":
            low, high = ends_of_both(self.table, measure, beta, tail)
        elif method != "posterior":
            both, wins, losses, n = self._whole(measure, f"method={method!r}")
            # A one-sided level below one half has a negative z: its ends are those of |z|,
            # exchanged.
            z = normal_quantile(confidence_level, side)
            ends = (
                newcombe(both, wins, losses, n, abs(z))
                if method == "newcombe"
                else tango(wins, losses, n, abs(z))
            )
            low, high = ends if z >= 0 else ends[::-1]
        elif measure in PROPORTIONS:
            pairs = comparison(self.table, self._prior, measure)
            low, high = (pairs._difference_quantile(np.asarray(p)) for p in (tail, 1 - tail))
            engine = "exact"
        else:
            low, high, *errors = self._each(
                lambda cells: difference_quantiles(cells, weight_of_relevant(measure, beta), tail),
                measure,
            )
            engine, error = "quasi-monte-carlo", tuple(map(plain, errors))
        if tail <= 0.5:  # else posterior ends may leave it out; it is nan where it is 0/0
            low, high = np.fmin(low, estimate), np.fmax(high, estimate)
        low, high = one_sided(low, high, side, -1.0, 1.0)
        return Interval(
            estimate,
            plain(low),
            plain(high),
            confidence_level,
            side,
            method,
            engine,
            error,
        )

    def mcnemar(self, measure: str = "accuracy", method: str = "exact") -> Any:
        """McNemar's two-sided test that both systems have the same accuracy, recall or specificity.

        Parameters
        ----------
        measure : {"accuracy", "recall", "specificity"}
        method : {"exact", "mid-p", "asymptotic"}
            "exact" is the binomial test: the default, as it alone never rejects too often.
            "mid-p" counts half of the probability of what was seen, and rejects less seldom.
            "asymptotic" is the chi-square without a correction.

        Examples
        --------
        >>> import irbounds as irb
        >>> pairs = irb.PairedCounts([[[0, 0], [0, 0]], [[12, 7], [1, 1]]])
        >>> round(pairs.mcnemar("recall"), 4), round(pairs.mcnemar("recall", "mid-p"), 4)
        (0.0703, 0.0391)
        """
        check_choice("method", method, MCNEMAR)
        _, wins, losses, _ = self._whole(
            check_choice("measure", measure, PROPORTIONS), "McNemar's test"
        )
        return plain(mcnemar(wins, losses, method))

    def to_dict(self) -> dict[str, Any]:
        """The table, and each measure's difference, probability and McNemar's p-value, as lists."""

        def simple(value: Any) -> Any:
            return np.asarray(value, float).tolist()

        is_whole = bool((self.table == np.floor(self.table)).all())
        measures = {
            name: {
                "difference": simple(self.difference(name)),
                "probability": simple(self.prob_superior(name).probability),
            }
            | ({"mcnemar": simple(self.mcnemar(name))} if is_whole and name in PROPORTIONS else {})
            for name in MEASURES
        }
        return {"table": self.table.tolist(), "prior": simple(self.prior), "measures": measures}

    def _whole(self, measure: str, what: str) -> tuple[np.ndarray, ...]:
        """The counts of a proportion; fails if the measure is not a proportion or the counts are
        not integers."""
        if measure not in PROPORTIONS:
            fail("measure", f"must be accuracy, recall or specificity for {what}", measure)
        counts = proportion(self.table, measure)
        if any((count != np.floor(count)).any() for count in counts):
            raise InputError(f"`table` must have whole counts for {what}")
        return counts

    def _each(self, function: Callable[[Cells], Sequence[float]], measure: str) -> np.ndarray:
        """The results of a function of each table's gamma shapes; they are the first axis."""
        cells = gamma_cells(self.table + self._prior, measure)
        if min(values.min(initial=LEAST_SHAPE) for values in cells) < LEAST_SHAPE:
            fail(
                "prior",
                f"must be 0.05 or more for {measure.replace('_', ' ')} where a cell is empty",
                self.prior,
            )
        flat = [np.ravel(values) for values in cells]
        found = np.array([function(Cells(*values)) for values in zip(*flat, strict=True)], float)
        return found.T.reshape(-1, *self.shape)
