"""Joiner & Werner's competition of methods, and Bechhofer's confidence in its winner."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from irbounds.foundation.arguments import as_array, as_floats, check_number, check_rng
from irbounds.foundation.errors import InputError, check_choice, check_count, fail


@dataclass(frozen=True, eq=False)
class Competition:
    """How often each method had the highest value.

    Attributes
    ----------
    methods : tuple
        Names of the methods.
    wins : ndarray, shape (methods,)
        Trials won; with ``ties="shared"`` a tied trial counts in equal parts.
    shares : ndarray, shape (methods,)
        Wins over trials: estimates of the probability that a method is best at a trial.
    trials, tied : int
        Trials in all, and those in which several methods shared the highest value.
    """

    methods: tuple[Any, ...]
    wins: np.ndarray
    shares: np.ndarray
    trials: int
    tied: int

    @property
    def best(self) -> Any:
        """The method with most wins (the first of several)."""
        return self.methods[int(np.argmax(self.wins))]

    def probability_of_correct_selection(self, ratio: float) -> float:
        """See `irbounds.probability_of_correct_selection`, for these trials and methods."""
        return probability_of_correct_selection(self.trials, len(self.methods), ratio)


def competition(values: Any, rng: Any = None, *, ties: str = "chance") -> Competition:
    """At each trial (a query at a cut, say) the method with the highest value wins; shares of the wins.

    Parameters
    ----------
    values : dict of array_like, or array_like of shape (methods, ...)
        Values of each method at the same trials; all axes but the first count trials.
    rng : None, int or numpy.random.Generator
        Breaks ties.
    ties : {"chance", "shared"}
        Several methods with the highest value: one of them by chance, as in the paper, or each an equal part.

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.competition({"a": [0.9, 0.8, 0.1], "b": [0.5, 0.8, 0.2]}, ties="shared").shares
    array([0.5, 0.5])
    """
    check_choice("ties", ties, ("chance", "shared"))
    if isinstance(values, dict):
        names = tuple(values)
        rows = [_trials(row, name) for name, row in values.items()]
    else:
        rule = "must be a dict of arrays or an array with a row for each method"
        if not isinstance(values, list | tuple | np.ndarray | memoryview):  # a frame has a column for each method
            fail("values", rule, values)
        lines = values if isinstance(values, list | tuple) else as_array("values", values, rule)
        if isinstance(lines, np.ndarray) and not lines.ndim:
            fail("values", rule, values)
        rows = [_trials(row, name) for name, row in enumerate(lines)]
        names = tuple(range(len(rows)))
    if not rows or len({row.shape for row in rows}) > 1:
        raise InputError("`values` must have one shape for every method; found "
                         f"{', '.join(str(row.shape) for row in rows) or 'no method'}")
    table = np.stack([row.ravel() for row in rows])
    if np.isnan(table).any():
        method, trial = (int(i[0]) for i in np.nonzero(np.isnan(table)))
        fail("values", "must not be nan", math.nan, f"for method {names[method]}, trial {trial}")
    n_methods, trials = table.shape
    is_highest = table == table.max(axis=0) if trials else np.zeros((n_methods, 0), bool)
    n_highest = is_highest.sum(axis=0)
    if ties == "shared":
        wins = (is_highest / n_highest).sum(axis=1)
    else:
        lots = np.where(is_highest, check_rng(rng).random(table.shape), -1.0)
        wins = np.bincount(lots.argmax(axis=0), minlength=n_methods).astype(float) if trials else np.zeros(n_methods)
    shares = wins / trials if trials else np.full(n_methods, math.nan)
    return Competition(names, wins, shares, trials, int((n_highest > 1).sum()))


def _trials(values: Any, method: Any) -> np.ndarray:
    return as_floats("values", values, "must be numbers", f"for method {method}")


def probability_of_correct_selection(trials: int, methods: int, ratio: float) -> float:
    """The probability that the method with most wins is truly the best one.

    Parameters
    ----------
    trials : int
        Independent trials, each won by one method.
    methods : int
    ratio : float, at least 1
        How many times as probable a win of the best method is, at least, as one of the next.

    Returns
    -------
    float
        In the least favourable configuration, in which all others are equally good; equal counts are settled at
        random (Bechhofer, Elmaghraby & Morse 1959).  Exact for the multinomial but for rounding, error below 1e-9.

    Notes
    -----
    Counts of a multinomial are Poisson counts given their sum.  The probability of the event and of the sum is a
    coefficient of a power of truncated generating functions, read off on the unit circle; time grows as the trials,
    and hardly with the methods.

    Examples
    --------
    >>> import irbounds as irb
    >>> round(irb.probability_of_correct_selection(1000, 3, 1.5), 4)
    1.0
    """
    trials, methods = check_count("trials", trials, 0), check_count("methods", methods)
    ratio = check_number("ratio", ratio, "must be a number, 1 or more", lambda x: 1 <= x < math.inf)
    if methods == 1:
        return 1.0
    if trials == 0:
        return 1 / methods
    p = ratio / (ratio + methods - 1), 1 / (ratio + methods - 1)
    n_points = min(methods * trials + 1, 12 * math.isqrt(trials) + 80)
    angle = 2 * np.pi * np.arange(n_points // 2 + 1) / n_points
    weight = np.where((angle == 0) | (2 * np.arange(angle.size) == n_points), 1.0, 2.0)
    centre = [trials * share for share in p]
    # Only counts x of the best method that are likely and not hopeless matter.
    low = max(0, math.floor(centre[1] - 9 * math.sqrt(centre[1]) - 20))
    high = min(trials, math.ceil(centre[0] + 9 * math.sqrt(centre[0]) + 40))
    # From `sure` on no other method has as many: its sum of the counts below x stays as it is, and
    # what is left of the best method's sum is its generating function, exp(centre (z - 1)), less
    # the terms that were added one by one.
    sure = math.ceil(centre[1] + 9 * math.sqrt(centre[1]) + 40)
    below = np.zeros(angle.size, complex)  # sum of the counts from 1 to x - 1 of another method
    own = np.zeros(angle.size, complex)    # sum of the counts below x of the best method
    total = np.zeros(angle.size, complex)
    for x in range(low, min(high + 1, sure)):
        turn = np.exp(1j * (x * angle % (2 * np.pi)))
        here, best = _poisson(x, centre[1]) * turn, _poisson(x, centre[0]) * turn
        if x:  # with no win the best method has most only if nobody has one
            total += best * _mean_power(below, here, methods - 1, centre[1])
            below += here
        own += best
    if sure <= high:
        rest = np.exp(centre[0] * np.expm1(1j * angle)) - own
        total += rest * _power(below, methods - 1, centre[1])
    event = float((weight * (total * np.exp(-1j * (trials * angle % (2 * np.pi)))).real).sum()) / n_points
    return min(1.0, max(0.0, event / _poisson(trials, trials)))


def _poisson(x: int, mean: float) -> float:
    return math.exp(x * math.log(mean) - mean - math.lgamma(x + 1)) if mean > 0 else float(x == 0)


FEW_WINS, FEW_METHODS = 3.0, 1000  # beyond either, a power multiplies rounding by no more than the trials, or 1000


def _power(below: np.ndarray, power: int, mean: float) -> np.ndarray:
    """(exp(-mean) + below)^power, where a power of 10^12 must not multiply the rounding of the sum."""
    none = math.exp(-mean)
    if mean > FEW_WINS or power <= FEW_METHODS:
        return (none + below) ** power
    x, y = (part / none for part in (below.real, below.imag))
    with np.errstate(divide="ignore"):  # 0 to a power is 0
        log_size = np.log1p(np.maximum(x * (2 + x) + y * y, -1)) / 2 - mean
    return np.exp(power * log_size) * np.exp(1j * (power * np.arctan2(y, 1 + x)))


def _mean_power(below: np.ndarray, here: np.ndarray, power: int, mean: float) -> np.ndarray:
    """The mean of (exp(-mean) + below + u here)^power over u in (0, 1).

    So t rivals with an equal count leave 1/(t + 1) of a win. The integral in closed form, but where its two terms are
    nearly equal: there the integrand hardly changes, and some nodes do.
    """
    less, more = (_power(values, power + 1, mean) for values in (below, below + here))
    is_flat = np.abs((power + 1) * here) < 4 * np.abs(math.exp(-mean) + below)
    with np.errstate(divide="ignore", invalid="ignore"):
        closed = (more - less) / ((power + 1) * here)
    if not is_flat.any():
        return closed
    nodes, weights = np.polynomial.legendre.leggauss(min(power // 2 + 1, 16))
    by_nodes = np.zeros_like(below)
    for node, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
        by_nodes += weight * _power(below + node * here, power, mean)
    return np.where(is_flat, by_nodes, closed)
