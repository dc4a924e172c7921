"""Which ranks a system may have: 1 and those that are better, to all less those that are worse.

Pairs are told apart by paired t-tests.  Where a correction keeps the chance of any false claim
about the pairs at α, all true ranks lie in their sets together with the chance 1 - α (Mogstad,
Romano, Shaikh & Wilhelm 2024): a true rank leaves its set only if some pair is claimed the wrong
way round, or claimed though equal.

"max-t" claims a pair where both Student's t and Hall's (1992) transform of it, which takes off the
skewness, are beyond Bonferroni's point and that of the bootstrap (`bootstrap_points`), and where
the sample shows what losses are like.  Each alone errs too often where scores are skewed, or change
on few units.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from irbounds._core.draws import query_draws
from irbounds.comparison.significance.corrections import adjust
from irbounds.comparison.significance.hall import skewness_error, transform, turn
from irbounds.queries.groups import Units
from irbounds.queries.moments import unbiased

# With 999 resamples α (999 + 1) is whole for the usual α, so that the point is one of them.
RESAMPLES = 999
REPEATING = 7  # queries or fewer: many resamples draw them as often, 1,716 different ones of 7
CELLS = 4_000_000  # weights in memory at a time
EQUAL = 1e-12  # relative: differences that are equal but for rounding


def bootstrap_points(units: Units, alpha: float, rng: np.random.Generator) -> np.ndarray:
    """The t that the pairs of each system exceed with the chance alpha, and last that of all pairs.

    The studentised max-t bootstrap (Romano & Wolf 2005; for ranks Mogstad et al. 2024): queries are
    drawn again, t is taken of every pair's differences less their mean, and the largest is kept.

    Shape (systems + 1,).  Infinite where a share alpha of the resamples has no variance.
    """
    means, weights = units.group_means(), units.weights
    n = len(means)
    centre = np.array([math.fsum(column) for column in (weights[:, None] * means).T])
    values = np.ascontiguousarray(means - centre)
    least = EQUAL * float(np.abs(means).max())
    # So many that one of them at least is beyond the point.
    resamples = max(RESAMPLES, math.ceil(2 / alpha) - 1)
    batch = max(1, CELLS // n)
    systems = values.shape[1]
    largest = np.empty((resamples, systems + 1))
    for first in range(0, resamples, batch):
        rows = min(batch, resamples - first)
        # Each row's places are shifted by n, so that one count serves all rows.
        drawn = rng.integers(0, n, (rows, n)) + n * np.arange(rows)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n)
        back: Any = slice(None)
        if n <= REPEATING:
            counts, back = np.unique(counts, axis=0, return_inverse=True)
            back = back.ravel()
        own = counts * weights
        total = own.sum(axis=1, keepdims=True)
        squares = counts * weights**2 / total**2
        found = query_draws.pair_squares(values, own / total, squares, least)
        largest[first : first + rows, :systems] = found[back]
    largest[:, systems] = largest[:, :systems].max(axis=1)
    # of B resamples and the sample itself at most a share alpha is as large
    place = resamples - math.floor(alpha * (resamples + 1) + 1e-9)
    largest.partition(place, axis=0)
    return np.asarray(np.sqrt(largest[place]))


MAX_T = "max-t"
CORRECTIONS = (MAX_T, "bonferroni", "holm")
# Hall's transform is also taken at a skewness less by so much of its standard error, and must then
# be beyond Bonferroni's point.  Without this, ranks of two systems with lognormal scores, skewed to
# opposite sides, held in .948 to .956 of the samples of 10 to 20 units (800 each), with half of it
# in .960 to .978.  With all of it in .973 or more, but pairs of 15 systems that are apart by one
# deviation were told apart in .20 of the samples of 20 units, with half of it in .31.
SLACK = 0.5
# Where one of two systems is better on every unit, or equal, the sample does not show how large
# losses are: if one unit in ten is a loss, 36 units have one with 1 - .05/2.  Scores that change by
# 1 on 4 % of the units, up or down, make a pair of which 8 % are so: without this, ranks of two
# systems held in .43 of the samples of 5 units, with it in .94 or more of all sizes.
AGAINST = 1 / 10
# Up to ten systems the chance is that over all pairs, though of no more than six: 53 units for four
# systems or more.  With 36 units, those scores of 4, 5 and 8 systems held in .89 to .92.  Of 15
# systems they held in .98 with 41: others show what losses are like, which makes the bootstrap's
# point larger.
MOST_SYSTEMS, MOST_PAIRS = 10, 6
# Scores that lie between 0 and one of these are taken for those of such a scale, so that no loss is
# larger.  A gain of m then needs losses on a share m/(m + scale) of the units to be none, and fewer
# units have one of these: 25 where m is .16, 14 where it is .31.
SCALES = (1.0, 100.0)
MOST_CHAINED = 2000  # systems: their pairs take 4 MB, and chains of them up to some seconds


class RankSets(NamedTuple):
    """Least and greatest ranks, each of shape (systems,).

    `starts` has the places of the systems that begin a tier, if the systems are in order, the best
    first: a tier begins with the best one that is left, and takes those after it up to the first
    that it is better than.
    """

    low: np.ndarray
    high: np.ndarray
    single_low: np.ndarray
    single_high: np.ndarray
    starts: tuple[int, ...]


class Pairs(NamedTuple):
    """One system beside each: mean differences, Student's t, Hall's transform of it, and the same
    at a skewness that is less in favour (`SLACK`), each of shape (systems,).

    Without variance these are infinite, or nan where the systems are equal.  `agree`: no unit is
    against the sign of the mean.
    """

    mean: np.ndarray
    t: np.ndarray
    hall: np.ndarray
    careful: np.ndarray
    agree: np.ndarray


class PairTests:
    """Groups are what is sampled: their means are compared, with 1/Σ w² - 1 degrees of freedom.

    A row of pairs at a time: 10,000 systems have 10^8 pairs.
    """

    def __init__(self, units: Units) -> None:
        self.means, self.weights = units.group_means(), units.weights
        self.squares = math.fsum(self.weights**2)
        self.systems = self.means.shape[1]
        self.freedom = 1 / self.squares - 1 if len(self.weights) > 1 else 0.0
        sizes = np.abs(self.means)
        self._room = EQUAL * sizes.max(axis=0)
        has_sign = (self.means >= 0).all() or (self.means <= 0).all()
        fitting = [scale for scale in SCALES if has_sign and sizes.max() <= scale]
        self._scale = fitting[0] if fitting else math.inf

    def of(self, system: int) -> Pairs:
        """The pairs of one system.  Those of the other way round have the same numbers, negative.

        With u = t/√n, n = 1/Σ w², and the skewness γ, Hall's transform is √n (u + γ u²/3 + γ² u³/27
        + γ/(6 n)).
        """
        squares, column, n = self.squares, self.weights[:, None], 1 / self.squares
        root = math.sqrt(squares)
        room = np.maximum(self._room[system], self._room)
        apart = self.means[:, system : system + 1] - self.means
        apart[np.abs(apart) <= room] = 0.0
        mean = (column * apart).sum(axis=0)
        agree = np.where(mean > 0, apart.min(axis=0) >= 0, apart.max(axis=0) <= 0)
        is_known = np.ptp(apart, axis=0) > room
        apart -= mean
        square = apart * apart
        with np.errstate(divide="ignore", invalid="ignore"):
            t = mean / np.sqrt((column**2 * square).sum(axis=0) / (1 - squares))
            spread = np.sqrt((column * square).sum(axis=0) / (1 - squares))
            skewness = (column * (square * apart)).sum(axis=0) / (spread * spread * spread)
            u = t * root
            straight = u + skewness * u * u / 3 + skewness * skewness * u * u * u / 27
            hall = (straight + skewness * squares / 6) / root
            careful = np.sign(u) * _careful_hall(n, np.abs(u), np.sign(u) * skewness)
        # Their limits for a variance that vanishes: how many units agree is left to decide.
        limits = np.where(mean == 0, math.nan, np.copysign(math.inf, mean))[~is_known]
        t[~is_known] = hall[~is_known] = careful[~is_known] = limits
        return Pairs(mean, t, hall, careful, agree)

    def shows_losses(self, alpha: float, pairs: int, mean: Any = 0.0) -> np.ndarray:
        """Whether pairs with these mean differences may be told apart where all units agree, among
        so many pairs."""
        pairs = min(pairs, MOST_PAIRS) if self.systems <= MOST_SYSTEMS else 1
        return np.asarray(self._no_loss(mean) < alpha / 2 / pairs)

    def _no_loss(self, mean: Any) -> Any:
        """The chance of no loss among the units, if a share of all is one that undoes this mean
        difference, a tenth at least."""
        size = np.abs(mean)
        against = np.maximum(AGAINST, size / (size + self._scale))
        return (1 - against) ** (1 / self.squares)

    def p_values(self, pairs: Pairs) -> np.ndarray:
        """Two-sided p-values: without variance twice the chance that the sample lacks losses, and 1
        of equal systems."""
        from scipy.special import stdtr

        p_value = np.ones(pairs.t.shape)
        is_known = np.isfinite(pairs.t)
        p_value[is_known] = 2 * stdtr(self.freedom, -np.abs(pairs.t[is_known]))
        is_same = np.isinf(pairs.t)  # the same difference on all units
        p_value[is_same] = np.minimum(2 * self._no_loss(pairs.mean[is_same]), 1.0)
        return p_value


def _careful_hall(n: float, u: np.ndarray, skewness: np.ndarray) -> np.ndarray:
    """Hall's transform of u = t/√n, above 0, at the worst skewness within `SLACK`; 0 of two units
    or fewer."""
    if n <= 2 + EQUAL:
        return np.zeros(u.shape)
    skewness = skewness * unbiased(n)
    least = np.maximum(turn(n, u), skewness - SLACK * skewness_error(n, skewness))
    return np.asarray(transform(n, u, np.minimum(least, skewness)))


# the pairs of one system that are apart: among all pairs, and among its own
Told = tuple[np.ndarray, np.ndarray]


def rank_sets(
    units: Units, correction: str | None, alpha: float, rng: np.random.Generator
) -> RankSets:
    """Simultaneous intervals of ranks, and individual ones."""
    systems = units.values.shape[1]
    low, single_low = np.ones((2, systems), int)
    high, single_high = np.full((2, systems), systems)
    starts = [0]
    for i, (pairs, found, single) in enumerate(told_apart(units, correction, alpha, rng)):
        is_better = found & (pairs.mean > 0)
        # The best possible rank is one below all systems that are shown to be better.
        low[i] += np.count_nonzero(found & (pairs.mean < 0))
        high[i] -= np.count_nonzero(is_better)
        single_low[i] += np.count_nonzero(single & (pairs.mean < 0))
        single_high[i] -= np.count_nonzero(single & (pairs.mean > 0))
        # A tier reaches to the first system that its best one is shown to be better than.
        if i == starts[-1] and is_better[i + 1 :].any():
            starts.append(i + 1 + int(np.argmax(is_better[i + 1 :])))
    return RankSets(low, high, single_low, single_high, tuple(starts))


def told_apart(
    units: Units, correction: str | None, alpha: float, rng: np.random.Generator
) -> Iterator[tuple[Pairs, np.ndarray, np.ndarray]]:
    """For each system its pairs, and `Told`; none of one unit."""
    tests = PairTests(units)
    if tests.freedom <= 0:
        return
    tell = (
        _by_max_t(tests, alpha, bootstrap_points(units, alpha, rng))
        if correction == MAX_T
        else _by_p_values(tests, correction, alpha)
    )
    chains = _chains(tests, tell, alpha) if correction == MAX_T else None
    for i in range(tests.systems):
        pairs = tests.of(i)
        found, single = tell(i, pairs)
        if chains is not None:
            linked = chains[i] | chains[:, i]
            found, single = found | linked, single | linked
        yield pairs, found, single


def _chains(
    tests: PairTests, tell: Callable[[int, Pairs], Told], alpha: float
) -> np.ndarray | None:
    """Which systems (rows) are better than which, directly or by way of others: the best may be
    better than the worst on all units, which shows no losses, and both be told apart from those
    between.  That takes no more claims: if all direct ones are right, so are the chains.

    None where no pair needs it.
    """
    systems = tests.systems
    if tests.shows_losses(alpha, math.comb(systems, 2)) or systems > MOST_CHAINED:
        return None
    better = np.zeros((systems, systems), bool)
    # The worst first, so that what each is better than is known before.
    order = np.argsort(tests.weights @ tests.means, kind="stable")
    for i in order.tolist():
        pairs = tests.of(i)
        better[i] = tell(i, pairs)[0] & (pairs.mean > 0)
        through = np.zeros(systems, bool)
        for k in order[::-1][better[i][order[::-1]]].tolist():
            if not through[k]:
                through |= better[k]
        better[i] |= through
    return better


def _by_p_values(
    tests: PairTests, correction: str | None, alpha: float
) -> Callable[[int, Pairs], Told]:
    systems = tests.systems
    n_pairs = systems * (systems - 1) // 2
    largest = _largest_of_holm(tests, n_pairs, alpha) if correction == "holm" else 0.0

    def tell(system: int, pairs: Pairs) -> Told:
        p_value = tests.p_values(pairs)
        is_other = np.arange(systems) != system
        single = np.zeros(systems, bool)
        # For its own rank a system's pairs are the whole family: fewer tests than all pairs are.
        single[is_other] = adjust(p_value[is_other], correction) < alpha
        if correction == "holm":
            return p_value <= largest, single
        return (p_value * (n_pairs if correction == "bonferroni" else 1) < alpha) & is_other, single

    return tell


def _largest_of_holm(tests: PairTests, n_pairs: int, alpha: float) -> float:
    """The largest p-value that Holm's method rejects among all pairs; -1 if there is none.

    None of alpha or more is rejected, so that the others need not be kept.
    """
    parts = []
    for i in range(tests.systems):
        own = tests.p_values(tests.of(i))[i + 1 :]
        parts.append(own[own < alpha])
    p_value = np.sort(np.concatenate(parts))
    # Holm's method goes through the p-values in order, and stops at the first that it keeps.
    is_kept = p_value * np.arange(n_pairs, n_pairs - p_value.size, -1) >= alpha
    rejected = int(np.argmax(is_kept)) if is_kept.any() else p_value.size
    return float(p_value[rejected - 1]) if rejected else -1.0


def _by_max_t(
    tests: PairTests, alpha: float, bootstrapped: np.ndarray
) -> Callable[[int, Pairs], Told]:
    from scipy.special import stdtrit

    systems = tests.systems
    # Bonferroni: one system is in systems - 1 pairs, all systems in systems (systems - 1)/2.
    tails = alpha / 2 / np.append(np.full(systems, systems - 1), systems * (systems - 1) / 2)
    bonferroni = -stdtrit(tests.freedom, tails)
    points = np.maximum(bootstrapped, bonferroni)

    def tell(system: int, pairs: Pairs) -> Told:
        # Both tests must agree on the direction, and the weaker of both counts.
        sign = np.sign(pairs.t)
        straight = np.maximum(sign * pairs.hall, 0)  # 0 where it says the other way
        size = np.nan_to_num(np.minimum(np.abs(pairs.t), straight))
        careful = np.nan_to_num(sign * pairs.careful)
        single, found = (
            (size > points[place])
            & (careful > bonferroni[place])
            & (~pairs.agree | tests.shows_losses(alpha, count, pairs.mean))
            for place, count in ((system, systems - 1), (-1, math.comb(systems, 2)))
        )
        return found, single

    return tell
