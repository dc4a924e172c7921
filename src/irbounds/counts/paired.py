"""Two systems on the same objects: the objects on which only one of them is right (Goutte &
Gaussier 2005, section 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds._core.counts import shares
from irbounds.counts.labels import (
    as_labels,
    check_labels,
    label_weights,
    marks_of_each,
    spelt_alike,
)
from irbounds.counts.paired_proportions import MCNEMAR, mcnemar
from irbounds.foundation.arguments import broadcast, check_counts, check_level, check_numbers, plain
from irbounds.foundation.distributions import LARGE, Bounds, beta_below
from irbounds.foundation.errors import LARGEST_COUNT, check_choice, fail
from irbounds.foundation.quadrature import find_roots
from irbounds.foundation.read_only import ReadOnlyArrays
from irbounds.foundation.shares import flat_columns

if TYPE_CHECKING:
    from irbounds.typing import ArrayLike, FloatOrArray, LabelsLike, PriorLike

# Tails of the difference are wrong by up to 1e-3 where the shapes of both are below 2e-4; from 3e-4
# on they are within 1e-14.
LEAST_SHAPE = 1e-3
# betainc(a, a, 0.5) is 0 for a = 3e-308.  Shapes this small give their ratio, whatever their size.
TINY, LESS_TINY = 1e-290, 2.0**64


@dataclass(frozen=True, eq=False, repr=False)
class PairedComparison(ReadOnlyArrays):
    """The posterior of π1, the probability that only system 1 is right, and π2, the probability
    that only system 2 is right.  `update` returns a new one.

    Attributes
    ----------
    wins, losses, same : float or ndarray
        Objects on which only system 1 was right, only system 2, or both or neither.
    prior : tuple of float
        Prior of the three probabilities, as counts.
    """

    wins: FloatOrArray
    losses: FloatOrArray
    same: FloatOrArray
    prior: tuple[float, float, float]

    def __repr__(self) -> str:
        return (
            f"PairedComparison(wins={self.wins}, losses={self.losses}, same={self.same}, "
            f"probability={self.probability})"
        )

    @property
    def alpha(self) -> tuple[Any, Any, Any]:
        """The three parameters of the Dirichlet posterior: counts and prior added up."""
        first, second, third = self.prior
        return self.wins + first, self.losses + second, self.same + third

    @property
    def probability(self) -> Any:
        """P(π1 > π2) = I_1/2(losses + α2, wins + α1), exact; it does not depend on α3."""
        from scipy.special import betainc

        wins, losses = self.wins, self.losses
        first, second = wins + self.prior[0], losses + self.prior[1]
        if type(wins) is int and wins + losses < LARGE / 2:  # as nearly always
            if first + second < TINY:
                first, second = first * LESS_TINY, second * LESS_TINY
            return float(betainc(second, first, 0.5))
        half, scale = np.asarray(0.5), np.where(first + second < TINY, LESS_TINY, 1.0)
        return plain(beta_below(second * scale, first * scale, half, half))

    @property
    def difference(self) -> Any:
        """E[π1 - π2]."""
        first, second, third = self.alpha
        return plain((first - second) / (first + second + third))

    @property
    def difference_variance(self) -> Any:
        """Variance of π1 - π2."""
        first, second, third = self.alpha
        total = first + second + third
        # p1 + p2 - (p1 - p2)², the Dirichlet variance, written as a sum of positive terms.
        spread = 4 * (first / total) * (second / total) + (first + second) / total * (third / total)
        return plain(spread / (total + 1))

    @property
    def log_odds(self) -> Any:
        """E[log(π1/π2)] = ψ(wins + α1) - ψ(losses + α2)."""
        from scipy.special import digamma

        first, second, _ = self.alpha
        return plain(digamma(first) - digamma(second))

    @property
    def log_odds_variance(self) -> Any:
        """Variance of log(π1/π2)."""
        from scipy.special import polygamma

        first, second, _ = self.alpha
        return plain(polygamma(1, first) + polygamma(1, second))

    def difference_cdf(self, x: FloatOrArray) -> Any:
        """P(π1 - π2 <= x), exact; within 1e-10 for counts up to 10^12."""
        return plain(self._difference_tails(self._against("x", x))[0])

    def difference_sf(self, x: FloatOrArray) -> Any:
        """P(π1 - π2 > x), exact.  If x is the smallest difference that matters, this is the
        probability that system 1 is better by more than that."""
        return plain(self._difference_tails(self._against("x", x))[1])

    def difference_ppf(self, p: FloatOrArray) -> Any:
        """The quantile of π1 - π2: the point where `difference_cdf` is p."""
        p = check_numbers("p", p, "must be from 0 to 1", lambda v: (v >= 0) & (v <= 1))
        broadcast(p=p, alpha=np.broadcast_to(0.0, np.shape(self.difference)))
        return plain(self._difference_quantile(p))

    def difference_interval(self, level: float = 0.95) -> Bounds:
        """Equal-tailed interval of π1 - π2."""
        level = check_level(level, "level")
        return Bounds(self.difference_ppf((1 - level) / 2), self.difference_ppf((1 + level) / 2))

    def update(
        self, wins: FloatOrArray, losses: FloatOrArray, same: FloatOrArray = 0
    ) -> PairedComparison:
        """The posterior after more objects; updating equals pooling."""
        more = _counts(wins, losses, same)
        broadcast(counts=np.asarray(self.wins), more=np.asarray(more[0]))
        return PairedComparison(
            self.wins + more[0], self.losses + more[1], self.same + more[2], self.prior
        )

    def mcnemar(self, method: str = "exact") -> Any:
        """The two-sided p-value of McNemar's test of π1 = π2.

        Parameters
        ----------
        method : {"exact", "mid-p", "asymptotic"}
            As for `PairedCounts.mcnemar`.
        """
        check_choice("method", method, MCNEMAR)
        wins, losses = broadcast(
            wins=np.asarray(self.wins, float), losses=np.asarray(self.losses, float)
        )
        for name, counts in (("wins", wins), ("losses", losses)):
            check_numbers(
                name, counts, "must be whole for McNemar's test", lambda x: x == np.floor(x)
            )
        return plain(mcnemar(wins, losses, method))

    def to_dict(self) -> dict[str, Any]:
        """Counts, probability and effects by name, as floats or lists."""
        low, high = self.difference_interval()
        values = {
            "wins": self.wins,
            "losses": self.losses,
            "same": self.same,
            "probability": self.probability,
            "difference": self.difference,
            "difference_low": low,
            "difference_high": high,
            "log_odds": self.log_odds,
        }
        return {name: np.asarray(value, float).tolist() for name, value in values.items()}

    def _against(self, name: str, x: FloatOrArray) -> np.ndarray:
        x = check_numbers(name, x, "must be a number", lambda v: ~np.isnan(v))
        broadcast(**{name: x}, alpha=np.broadcast_to(0.0, np.shape(self.difference)))
        return x

    def _difference_tails(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Tail probabilities: π1 - π2 is above x if (1 - x) X > (1 + x) Y + x Z, where X, Y and Z
        are gamma variates with the shapes alpha.

        This is a comparison of independent variates, whose tails are one integral each.
        """
        first, second, _ = self.alpha
        if np.any(np.maximum(first, second) < LEAST_SHAPE):
            fail("prior", "must be 0.001 or more where neither system won alone", self.prior)
        shape, columns = flat_columns(*self.alpha, np.clip(x, -1, 1))
        below, above = shares.difference_tails(*columns)
        return below.reshape(shape), above.reshape(shape)

    def _difference_quantile(self, p: np.ndarray) -> np.ndarray:
        """The quantile, searched within as many standard deviations of the mean as Cantelli's
        inequality allows."""
        mean, std = np.asarray(self.difference, float), np.sqrt(self.difference_variance)
        with np.errstate(divide="ignore"):
            low = mean - std * np.sqrt((1 - p) / p) * (1 + 1e-9)
            high = mean + std * np.sqrt(p / (1 - p)) * (1 + 1e-9)

        def miss(x: np.ndarray) -> np.ndarray:
            below, above = self._difference_tails(x)
            # By the smaller tail, which has more digits.
            return np.where(p < 0.5, below - p, (1 - p) - above)

        low, high = np.clip(low, -1, 1), np.clip(high, -1, 1)
        return find_roots(miss, low, high, tolerance=0.0)


def paired_comparison(
    wins: FloatOrArray, losses: FloatOrArray, same: FloatOrArray = 0, prior: PriorLike = 0.5
) -> PairedComparison:
    """The probability that one of two systems is right more often than the other, from their
    outcomes on the same objects.

    Parameters
    ----------
    wins, losses, same : float or array_like, 0 or more
        Objects on which only system 1 was right, only system 2 was, or both or neither.  Arrays
        broadcast: a table of categories in one call.  Fractions count as weights do.
    prior : float or (α1, α2, α3)
        Prior of the Dirichlet posterior; 1/2 is Jeffreys'.  α3 plays no part in the probability.

    Returns
    -------
    PairedComparison

    Examples
    --------
    >>> import irbounds as irb
    >>> result = irb.counts.paired_comparison(17, 4)
    >>> round(result.probability, 5), round(result.log_odds, 3)
    (0.9983, 1.444)
    >>> irb.counts.paired_comparison([43, 8], [28, 3]).probability.round(4)
    array([0.9628, 0.936 ])
    >>> result.update(wins=2, losses=7).wins
    19
    """
    rule = "must be a number above 0, or three of them"
    # as nearly always: NumPy would take longer than the rest
    if type(prior) is float and 0 < prior <= LARGEST_COUNT:
        first = second = third = prior
    else:
        sides = check_numbers("prior", prior, rule, lambda x: (x > 0) & (x <= LARGEST_COUNT))
        if sides.shape not in ((), (3,)):
            fail("prior", rule, prior)
        first, second, third = np.broadcast_to(sides, 3).tolist()
    return PairedComparison(*_counts(wins, losses, same), (first, second, third))


def _counts(wins: FloatOrArray, losses: FloatOrArray, same: FloatOrArray) -> tuple[Any, Any, Any]:
    if (
        type(wins) is type(losses) is type(same) is int
        and 0 <= wins <= LARGEST_COUNT
        and 0 <= losses <= LARGEST_COUNT
        and 0 <= same <= LARGEST_COUNT
    ):
        return wins, losses, same
    checked = broadcast(
        wins=check_counts("wins", wins),
        losses=check_counts("losses", losses),
        same=check_counts("same", same),
    )
    return tuple(map(plain, checked))


def paired_comparison_from_labels(
    truth: LabelsLike,
    predictions_a: LabelsLike,
    predictions_b: LabelsLike,
    *,
    labels: Sequence[Any] | None = None,
    weights: ArrayLike | None = None,
    prior: PriorLike = 0.5,
) -> PairedComparison:
    """`paired_comparison` from labels of the same objects.

    Parameters
    ----------
    truth, predictions_a, predictions_b : array_like, shape (objects,) or (objects, categories)
        Labels of any kind; a system is right where its label is the true one.  With two axes: marks
        of every category, and one comparison for each.
    labels : sequence, optional
        Several labels in turn against all others: one comparison for each.
    weights : array_like, shape (objects,), optional
        Weight of each object.

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.counts.paired_comparison_from_labels([1, 1, 0, 0], [1, 1, 0, 1], [1, 0, 1, 1])
    PairedComparison(wins=2.0, losses=0.0, same=2.0, probability=0.9244131815783876)
    """
    found = as_labels(truth=truth, predictions_a=predictions_a, predictions_b=predictions_b)
    if labels is not None:
        true, *marks = marks_of_each(found, labels)
        right, other = (true == each for each in marks)
    else:
        check_labels(found)
        true, *arrays = spelt_alike(found)
        right, other = (array == true for array in arrays)
    weight = label_weights(weights, truth, len(right))
    wins, losses, same = (
        plain(weight @ cell) for cell in (right & ~other, ~right & other, right == other)
    )
    return paired_comparison(wins, losses, same, prior)
