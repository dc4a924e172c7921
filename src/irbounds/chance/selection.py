"""Joiner & Werner's competition of methods, and Bechhofer's probability of a correct selection."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.foundation.arguments import as_array, as_floats, check_number, check_rng
from irbounds.foundation.distributions import beta_below, beyond_stirling, deviance
from irbounds.foundation.errors import InputError, check_choice, check_count, fail

if TYPE_CHECKING:
    from irbounds.typing import FloatOrArray, RNGLike

DEPTH = 40.0  # exp(-40) = 4e-18 is nothing beside 1
ARC = 10.0  # standard deviations of the terms about an angle: exp(-50)
NEGLIGIBLE = 1e-11  # beside the largest arc
BLOCK = 2**16  # elements at a time, some ms of work
LONG_STRIDE = 24  # of counts: sums over fewer are as quick one by one
GAUSS = 12  # nodes for the counts of a stride
SMOOTH = 1e4  # wins of a rival from which on only arcs matter: their standard deviation is 100


@dataclass(frozen=True, eq=False)
class Competition:
    """The number of trials in which each method had the highest value.

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
        """The method with most wins; the first of several."""
        return self.methods[int(np.argmax(self.wins))]

    def probability_of_correct_selection(self, ratio: float) -> float:
        """`irbounds.chance.probability_of_correct_selection` for these trials and methods."""
        return probability_of_correct_selection(self.trials, len(self.methods), ratio)


def competition(values: FloatOrArray, rng: RNGLike = None, *, ties: str = "chance") -> Competition:
    """Shares of wins: in each trial (for example a query at a cut) the method with the highest
    value wins.

    Parameters
    ----------
    values : dict of array_like, or array_like of shape (methods, ...)
        Values of each method at the same trials; all axes but the first count trials.
    rng : None, int or numpy.random.Generator
        Breaks ties.
    ties : {"chance", "shared"}
        Several methods with the highest value: one of them by chance, as in the paper, or each an
        equal part.

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.chance.competition({"a": [0.9, 0.8, 0.1], "b": [0.5, 0.8, 0.2]}, ties="shared").shares
    array([0.5, 0.5])
    """
    check_choice("ties", ties, ("chance", "shared"))
    if isinstance(values, dict):
        names = tuple(values)
        rows = [_trials(row, name) for name, row in values.items()]
    else:
        rule = "must be a dict of arrays or an array with a row for each method"
        # a frame has a column for each method
        if not isinstance(values, list | tuple | np.ndarray | memoryview):
            fail("values", rule, values)
        lines = values if isinstance(values, list | tuple) else as_array("values", values, rule)
        if isinstance(lines, np.ndarray) and not lines.ndim:
            fail("values", rule, values)
        rows = [_trials(row, name) for name, row in enumerate(lines)]
        names = tuple(range(len(rows)))
    if not rows or len({row.shape for row in rows}) > 1:
        raise InputError(
            "`values` must have one shape for every method; found "
            f"{', '.join(str(row.shape) for row in rows) or 'no method'}"
        )
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
        wins = (
            np.bincount(lots.argmax(axis=0), minlength=n_methods).astype(float)
            if trials
            else np.zeros(n_methods)
        )
    shares = wins / trials if trials else np.full(n_methods, math.nan)
    return Competition(names, wins, shares, trials, int((n_highest > 1).sum()))


def _trials(values: FloatOrArray, method: Any) -> np.ndarray:
    return as_floats("values", values, "must be numbers", f"for method {method}")


def probability_of_correct_selection(trials: int, methods: int, ratio: float) -> float:
    """The probability that the method with most wins is the best one.

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
        In the least favourable configuration, in which all others are equally good; equal counts
        are settled at random (Bechhofer, Elmaghraby & Morse 1959).  Exact for the multinomial but
        for rounding, error below 1e-9.

    Notes
    -----
    Counts of a multinomial are Poisson counts given their sum.  The probability of the event and of
    the sum is a coefficient of a power of truncated generating functions, read off on the unit
    circle, of which only arcs matter with many trials. Time grows as the square root of the trials
    to 10^6, about 0.3 s then, and hardly beyond; where rivals have few wins each (10^4 and less) it
    grows as those and as the square root of the trials.

    Examples
    --------
    >>> import irbounds as irb
    >>> round(irb.chance.probability_of_correct_selection(1000, 3, 1.5), 4)
    1.0
    """
    trials, methods = check_count("trials", trials, 0), check_count("methods", methods)
    ratio = check_number("ratio", ratio, "must be a number, 1 or more", lambda x: 1 <= x < math.inf)
    if methods == 1:
        return 1.0
    if trials == 0:
        return 1 / methods
    if methods == 2:
        return _of_two(trials, ratio)
    shares = ratio / (ratio + methods - 1), 1 / (ratio + methods - 1)
    # A rival has as many wins as the best with probability (1 - d²)^trials at most, d the
    # difference of the roots.
    # The difference of the roots of both shares, without subtracting roots that are nearly equal.
    roots_apart = math.sqrt(shares[1]) * (ratio - 1) / (math.sqrt(ratio) + 1)
    if roots_apart >= 1 or trials * -math.log1p(-(roots_apart**2)) > DEPTH + math.log(methods):
        return 1.0
    if trials * shares[1] < SMOOTH:
        event = _count_by_count(trials, methods, shares)
    else:
        event = sum(
            _arc(trials, methods, shares, *arc) for arc in _arcs(trials, methods, shares[1])
        )
    # Counts of the methods are independent Poisson counts, given that their sum is `trials`.
    return min(1.0, max(0.0, event / float(_poisson(np.array(trials), trials))))


def _count_by_count(trials: int, methods: int, centre_shares: tuple[float, float]) -> float:
    """P(the best wins, and the sum of the Poisson counts is `trials`), for rivals with few wins
    each, up to 10^12 rivals."""
    n_points = _count_points(trials, methods)
    steps = np.arange(_last_step(trials, methods, centre_shares[1]) + 1)
    angle = 2 * np.pi * steps / n_points
    # Points of the lower half circle are conjugates: twice the real part stands for both.
    weight = np.where((steps == 0) | (2 * steps == n_points), 1.0, 2.0)
    centre = [trials * share for share in centre_shares]
    # Only counts x of the best method that are likely and not hopeless matter.
    # Nine standard deviations, exp(-40) of a normal law, and some counts more for small means.
    low = max(0, math.floor(centre[1] - 9 * math.sqrt(centre[1]) - 20))
    high = min(trials, math.ceil(centre[0] + 9 * math.sqrt(centre[0]) + 40))
    # From `sure` on no other method has as many: its sum of the counts below x stays as it is, and
    # what is left of the best method's sum is its generating function, exp(centre (z - 1)), less
    # the terms that were added one by one.
    sure = math.ceil(centre[1] + 9 * math.sqrt(centre[1]) + 40)
    below = np.zeros(angle.size, complex)  # sum of the counts from 1 to x - 1 of another method
    own = np.zeros(angle.size, complex)  # sum of the counts below x of the best method
    total = np.zeros(angle.size, complex)
    for x in range(low, min(high + 1, sure)):
        turn = np.exp(1j * (x * angle % (2 * np.pi)))
        here, best = (float(_poisson(np.array(x), mean)) * turn for mean in reversed(centre))
        if x:  # with no win the best method has most only if nobody has one
            total += best * _mean_power(below, here, methods - 1, centre[1])
            below += here
        own += best
    if sure <= high:
        rest = np.exp(centre[0] * np.expm1(1j * angle)) - own
        total += rest * _power(below, methods - 1, centre[1])
    return (
        float((weight * (total * np.exp(-1j * (trials * angle % (2 * np.pi)))).real).sum())
        / n_points
    )


def _of_two(trials: int, ratio: float) -> float:
    """The probability of a majority, plus half that of a draw: with an even number of trials the
    last trial can be left out."""
    # P(a Beta(h, h) variate < x), x > 1/2, is 1/2 + P(a Beta(1/2, h) variate < (2 x - 1)²)/2; 2 x -
    # 1 has its digits where x itself has lost them.
    half, apart = (trials + 1) // 2, (ratio - 1) / (ratio + 1)
    rest = 4 * (ratio / (ratio + 1)) / (ratio + 1)  # 1 - apart²
    return 0.5 + 0.5 * float(beta_below(0.5, half, np.asarray(apart**2), np.asarray(rest)))


def _arcs(trials: int, methods: int, rival: float) -> list[tuple[float, int, int, int]]:
    """Arcs of the unit circle: the angle of the middle and the steps before and after it, and the
    stride of counts.

    Points are 2 π/n apart, n so many that sums n from the trials are 12 standard deviations away.
    Sums that end at a count are analytic but for multiples of 2 π/methods, where all of them turn
    alike: about 0 the terms fall as a normal density of `trials` times the angle squared. About 2 π
    j/methods they are smaller than there by (2 π mean)^(1/2) × 2 sin(π j / methods) for each rival,
    and once more by the standard deviation, as luck between equal counts takes away the first term
    (a sine of π j).
    """
    n_points = _count_points(trials, methods)
    reach = math.ceil(ARC * n_points / (2 * math.pi * math.sqrt(trials)))
    spread = math.sqrt(trials * rival)
    last = _last_step(trials, methods, rival)
    if 2 * reach * methods > n_points:  # a few points anyway
        return [(0.0, 0, last, 1)]
    stride = int(spread / (32 * math.sqrt(methods)))
    arcs = [(0.0, 0, min(reach, last), stride if stride > LONG_STRIDE else 1)]
    for j in range(1, methods // 2 + 1):
        size = math.sqrt(2 * math.pi * trials * rival) * 2 * math.sin(math.pi * j / methods)
        if size ** (1 - methods) * 3 * methods / math.sqrt(trials) > NEGLIGIBLE:
            arcs.append((2 * math.pi * j / methods, reach, reach, 1))
    return arcs


def _count_points(trials: int, methods: int) -> int:
    # A sum ranges to methods × trials: with one point more no two sums fall together. With 12
    # standard deviations of a count with mean `trials`, sums that fall together have a chance of
    # exp(-72); 80 more points allow for the longer tail of few trials.
    return min(methods * trials + 1, 12 * math.isqrt(trials) + 80)


def _last_step(trials: int, methods: int, rival: float) -> int:
    """The last step that matters, of half a turn.

    Sums of probabilities that rise and fall, p at most, turned by an angle, are p/sin(angle/2) at
    most (Abel), and the integrand is their power.
    """
    n_points = _count_points(trials, methods)
    # (p/sin(angle/2))^(methods - 1) is below NEGLIGIBLE/100 of P(sum = trials), which is about
    # 1/√(2 π trials).
    least = (NEGLIGIBLE / 100 / math.sqrt(2 * math.pi * trials)) ** (1 / (methods - 1))
    sine = float(_poisson(np.array(math.floor(trials * rival)), trials * rival)) / least
    return (
        n_points // 2
        if sine >= 1
        else min(n_points // 2, math.ceil(math.asin(sine) * n_points / math.pi))
    )


def _arc(
    trials: int,
    methods: int,
    shares: tuple[float, float],
    middle: float,
    before: int,
    after: int,
    stride: int,
) -> float:
    """The contribution of the points of an arc and their conjugates to P(the best wins, and the sum
    of counts is `trials`)."""
    n_points = _count_points(trials, methods)
    nearest = round(middle * n_points / (2 * math.pi))
    steps = np.arange(max(0, nearest - before), min(n_points // 2, nearest + after) + 1)
    angle = 2 * np.pi * steps / n_points
    weight = np.where((steps == 0) | (2 * steps == n_points), 1.0, 2.0)
    centre = [trials * share for share in shares]
    best, rival = (_Turning(mean, angle) for mean in centre)
    # Only counts x of the best method that are likely and not hopeless matter.
    low = max(0, math.floor(min(centre) - 9 * math.sqrt(centre[1]) - 20))
    high = min(trials, math.ceil(centre[0] + 9 * math.sqrt(centre[0]) + 40))
    others = np.zeros(angle.size, complex)  # sum of the counts below x of another method
    total = np.zeros(angle.size, complex)
    block = stride * max(1, BLOCK // angle.size)
    for start in range(low, high + 1, block):
        x = np.arange(start, min(start + block, high + 1), stride, dtype=float)
        rise = rival.at(x) if stride == 1 else rival.sums(x, stride)
        below = others + np.cumsum(rise, axis=0) - rise
        total += stride * (
            best.at(x) * _mean_power(below, rival.at(x), methods - 1, centre[1])
        ).sum(axis=0)
        others = below[-1] + rise[-1]
    back = (trials - best.middle - (methods - 1) * rival.middle) * angle
    return float((weight * (total * np.exp(-1j * back)).real).sum()) / n_points


class _Turning:
    """Poisson probabilities of counts times exp(i count angle), one row for each count, turned back
    by the mean."""

    def __init__(self, mean: float, angle: np.ndarray) -> None:
        self.mean, self.middle, self.angle = mean, round(mean), angle

    def at(self, x: np.ndarray) -> np.ndarray:
        turned = (x - self.middle)[:, None] * self.angle
        result = np.empty(turned.shape, complex)
        probability = _poisson(x, self.mean)[:, None]
        result.real, result.imag = probability * np.cos(turned), probability * np.sin(turned)
        return result

    def sums(self, x: np.ndarray, stride: int) -> np.ndarray:
        """Sums from each x to x + stride - 1, by Gauss quadrature for equally spaced points.

        See Szegő, Orthogonal Polynomials, 2.8. Exact for polynomials of degree 23; a stride is a
        small part of a standard deviation and of a turn.
        """
        k = np.arange(1.0, GAUSS)
        beside = np.sqrt(k**2 * (float(stride) ** 2 - k**2) / (4 * (4 * k**2 - 1)))
        nodes, vectors = np.linalg.eigh(np.diag(beside, 1) + np.diag(beside, -1))
        pairs = zip(nodes + (stride - 1) / 2, stride * vectors[0] ** 2, strict=True)
        return sum(
            (share * self.at(x + node) for node, share in pairs),
            np.zeros((x.size, self.angle.size), complex),
        )


def _poisson(x: np.ndarray, mean: float) -> np.ndarray:
    """Poisson probabilities, also for real x.

    Computed from the distance to the mean and the remainder of Stirling's formula (Loader 2000), so
    that large counts keep their digits.
    """
    safe = np.maximum(np.asarray(x, float), 0.5)
    fall = deviance(safe, np.full_like(safe, mean), safe - mean)
    inside = np.exp(-fall - beyond_stirling(safe)) / np.sqrt(2 * math.pi * safe)
    return np.where(x < 0.5, math.exp(-mean), inside)


# beyond either, a power multiplies rounding by no more than the trials, or 1000
FEW_WINS, FEW_METHODS = 3.0, 1000


def _power(below: np.ndarray, power: int, mean: float) -> np.ndarray:
    """(exp(-mean) + below)^power.  A power of 10^12 would multiply the rounding error of the sum,
    so the logarithm is computed first."""
    none = math.exp(-mean)
    if mean > FEW_WINS or power <= FEW_METHODS:
        return (none + below) ** power
    x, y = (part / none for part in (below.real, below.imag))
    with np.errstate(divide="ignore"):  # 0 to a power is 0
        log_size = np.log1p(np.maximum(x * (2 + x) + y * y, -1)) / 2 - mean
    return np.exp(power * log_size) * np.exp(1j * (power * np.arctan2(y, 1 + x)))


def _mean_power(below: np.ndarray, here: np.ndarray, power: int, mean: float) -> np.ndarray:
    """The mean of (exp(-mean) + below + u here)^power over u in (0, 1).

    So t rivals with an equal count leave 1/(t + 1) of a win. The integral in closed form, but where
    its two terms are nearly equal: there the integrand hardly changes, and some nodes do.
    """
    less, more = (_power(values, power + 1, mean) for values in (below, below + here))
    is_flat = np.abs((power + 1) * here) < 4 * np.abs(math.exp(-mean) + below)
    with np.errstate(divide="ignore", invalid="ignore"):
        closed = (more - less) / ((power + 1) * here)
    # n nodes are exact for powers up to 2 n - 1. For higher ones the integrand is at most exp(4)
    # times as large at one end as at the other, and the error of 16 nodes is below 1e-30.
    nodes, weights = np.polynomial.legendre.leggauss(min(power // 2 + 1, 16))
    some, step = below[is_flat], here[is_flat]
    by_nodes = np.zeros_like(some)
    for node, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
        by_nodes += weight * _power(some + node * step, power, mean)
    closed[is_flat] = by_nodes
    return closed
