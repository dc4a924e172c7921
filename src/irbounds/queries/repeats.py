"""Several scores of a system for a unit: how much units and repeats vary, and what to buy."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.foundation.arguments import as_floats, broadcast, check_level
from irbounds.foundation.errors import InputError, check_choice, check_count, fail
from irbounds.queries.groups import GroupedMeans, Groups
from irbounds.queries.student import quantile

if TYPE_CHECKING:
    from irbounds.typing import ArrayLike, CountLike, FloatArray, FloatOrArray

DESIGNS = ("nested", "crossed")
MOST_UNITS = 10**9


def pass_at_k(n: CountLike, c: CountLike, k: CountLike) -> FloatOrArray:
    """pass@k: the chance that one of k answers is right, drawn from n of which c are.

    1 - C(n - c, k) / C(n, k), to the last bit; without bias for k further answers (Chen et al.
    2021, arXiv:2107.03374).

    Parameters
    ----------
    n, c, k : int or array of int
        Answers to a unit, those that are right, and those that are drawn; c and k are n at most.

    Returns
    -------
    float or array

    Examples
    --------
    The mean over units, with an interval:

    >>> import irbounds as irb
    >>> found = irb.queries.pass_at_k(10, [0, 1, 5, 10], 5)
    >>> found.round(4).tolist()
    [0.0, 0.5, 0.996, 1.0]
    >>> irb.mean_interval(found, limits=(0, 1))
    Interval(0.624008 in [0.143429, 0.959539], 0.95 two-sided, widened-t)
    """
    return _passes(n, c, k, lambda n, c, k: comb(n, k) - comb(n - c, k))


def pass_hat_k(n: CountLike, c: CountLike, k: CountLike) -> FloatOrArray:
    """pass^k: the chance that all of k answers are right, drawn from n of which c are.

    C(c, k) / C(n, k), to the last bit; without bias for k further answers (Yao et al. 2024,
    arXiv:2406.12045).

    Parameters
    ----------
    n, c, k : int or array of int
        As in `pass_at_k`.

    Returns
    -------
    float or array

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.queries.pass_hat_k(10, 5, 2)
    0.2222222222222222
    """
    return _passes(n, c, k, lambda n, c, k: comb(c, k))


def _passes(n: CountLike, c: CountLike, k: CountLike, ways: Any) -> FloatOrArray:
    rule = "must be whole numbers, 0 or more"
    given = {name: as_floats(name, value, rule) for name, value in (("n", n), ("c", c), ("k", k))}
    for name, array in given.items():
        if not ((array >= 0) & (array == np.floor(array)) & (array < 2**52)).all():
            fail(name, rule, {"n": n, "c": c, "k": k}[name])
    number, right, drawn = broadcast(**given)
    if (drawn < 1).any():
        fail("k", "must be 1 or more", k)
    if (right > number).any():
        fail("c", "must be `n` at most", c)
    if (drawn > number).any():
        fail("k", "must be `n` at most: no more answers can be drawn than there are", k)
    rows = np.stack([number.ravel(), right.ravel(), drawn.ravel()], axis=1).astype(np.int64)
    different, places = np.unique(rows, axis=0, return_inverse=True)
    # whole numbers of any size, whose quotient is the nearest double
    found = np.array([ways(*row) / comb(row[0], row[2]) for row in different.tolist()])
    shaped = found[places.reshape(-1)].reshape(number.shape)
    return shaped if number.ndim else float(shaped)


@dataclass(frozen=True)
class Repeated:
    """The mean over units and repeats, and how much each of them varies.

    Attributes
    ----------
    estimate, low, high : float
        The mean, and its interval over units and repeats like these.
    confidence_level : float
    design : {"nested", "crossed"}
    n_units : int
    n_repeats : float
        Repeats of a unit; their harmonic mean where units have different numbers.
    unit_variance, repeat_variance, residual_variance : float
        The components.  Without crossing the repeats' is 0: all within a unit is residual.  With
        groups the units' is that of as many independent units with the same error.
    n_groups : int or None
        Groups of units.
    """

    estimate: float
    low: float
    high: float
    confidence_level: float
    design: str
    n_units: int
    n_repeats: float
    unit_variance: float
    repeat_variance: float
    residual_variance: float
    n_groups: int | None = None

    @property
    def moves_together(self) -> bool:
        """Whether crossed repeats vary beyond chance (p below 0.001): a repeat then moves the
        scores of all units, and an interval over units alone is too narrow."""
        return self._p_of_repeats < 0.001

    @property
    def _p_of_repeats(self) -> float:
        """The p-value of the hypothesis that crossed repeats move each unit on its own."""
        from scipy.special import chdtrc

        if self.design != "crossed" or self.repeat_variance == 0:
            return 1.0
        if self.residual_variance == 0:
            return 0.0
        ratio = 1 + self.n_units * self.repeat_variance / self.residual_variance
        freedom = self.n_repeats - 1
        # F with many degrees below: chi-square over its own
        return float(chdtrc(freedom, freedom * ratio))

    def standard_error(self, n_units: int, n_repeats: int) -> float:
        """That of the mean over so many units and repeats, by these components."""
        units = check_count("n_units", n_units)
        repeats = check_count("n_repeats", n_repeats)
        return math.sqrt(
            self.unit_variance / units
            + self.repeat_variance / repeats
            + self.residual_variance / (units * repeats)
        )

    def units_needed(self, half_width: float, n_repeats: int) -> int | None:
        """The least number of units whose interval has this half width, with so many repeats of
        each; None if no number does.  The normal quantile stands for Student's."""
        from scipy.special import ndtri

        if not 0 < half_width < math.inf:
            fail("half_width", "must be above 0 and finite", half_width)
        repeats = check_count("n_repeats", n_repeats)
        allowed = (half_width / float(ndtri((1 + self.confidence_level) / 2))) ** 2
        allowed -= self.repeat_variance / repeats
        each = self.unit_variance + self.residual_variance / repeats
        if allowed <= 0 or each / allowed > MOST_UNITS:
            return None
        return max(2, math.ceil(each / allowed))

    def to_text(self) -> str:
        """The components, and what twice the units or twice the repeats would bring."""
        repeats = max(1, round(self.n_repeats))
        now, units, more = (
            self.standard_error(*counts)
            for counts in (
                (self.n_units, repeats),
                (2 * self.n_units, repeats),
                (self.n_units, 2 * repeats),
            )
        )
        of_groups = "" if self.n_groups is None else f" by {self.n_groups} groups"
        between = f", between repeats {math.sqrt(self.repeat_variance):.4f}"
        return (
            f"sd between units {math.sqrt(self.unit_variance):.4f}"
            + between * (self.design == "crossed")
            + f", within {math.sqrt(self.residual_variance):.4f}; "
            f"standard error {now:.4f}{of_groups}, "
            f"with twice the units {units:.4f}, with twice the repeats {more:.4f}"
        )

    def __repr__(self) -> str:
        return (
            f"Repeated({self.estimate:.6g} in [{self.low:.6g}, {self.high:.6g}], "
            f"{self.confidence_level:g}, {self.design}: {self.to_text()})"
        )


def repeated_interval(
    scores: ArrayLike,
    design: str = "nested",
    confidence_level: float = 0.95,
    *,
    groups: Any = None,
) -> Repeated:
    """The interval of a mean over units and repeats, by analysis of variance.

    Parameters
    ----------
    scores : array_like, shape (units, repeats)
        Scores, or differences of two systems; nan where a unit has fewer repeats.
    design : {"nested", "crossed"}
        Whether each unit is repeated on its own (answers drawn again), or a repeat is one for all
        units (a seed of training, a build of an index), whose scores then move together.
    confidence_level : float
    groups : sequence, optional
        The group of each unit, as in `mean_interval`.

    Returns
    -------
    Repeated

    Raises
    ------
    InputError
        For fewer than two units, fewer than two repeats, and for a crossed design in which a unit
        lacks a repeat.

    Notes
    -----
    Nested: Student's t of the units' means.  Crossed: the half width is the root of
    t_u² MS_units / (units × repeats) + t_r² (MS_repeats - MS_residual) / (units × repeats), with
    the degrees of freedom of units and of repeats; it holds where either of them makes all the
    variance.  Between them it covers 0.93 or more with three repeats, 0.90 with two.  Two or three
    repeats that vary make a wide interval, as it has to be.

    Examples
    --------
    >>> import irbounds as irb
    >>> scores = [[0.6, 0.7, 0.5], [0.2, 0.4, 0.2], [0.9, 0.9, 0.8], [0.4, 0.5, 0.2]]
    >>> found = irb.queries.repeated_interval(scores, "crossed")
    >>> round(found.low, 4), round(found.high, 4)
    (0.0378, 1.0122)
    >>> print(found.to_text())  # doctest: +NORMALIZE_WHITESPACE
    sd between units 0.2651, between repeats 0.0957, within 0.0577; standard error 0.1446,
    with twice the units 0.1094, with twice the repeats 0.1387
    """
    check_choice("design", design, DESIGNS)
    level = check_level(confidence_level)
    rule = "must be numbers, of shape (units, repeats)"
    array = as_floats("scores", scores, rule)
    if array.ndim != 2:
        fail("scores", rule, array.shape)
    if np.isinf(array).any():
        fail("scores", "must be finite", math.inf)
    counts = (~np.isnan(array)).sum(axis=1)
    if len(array) < 2 or (counts == 0).any() or counts.max() < 2:
        raise InputError(
            "`scores` must have two units or more, each with a score, and a unit with two; found "
            f"{len(array)} units of {counts.min(initial=0)} to {counts.max(initial=0)} scores"
        )
    sample = Groups.of(groups, len(array))
    if sample is not None and len(sample) < 2:
        fail("groups", "must be two or more", len(sample))
    if design == "crossed":
        if counts.min() < array.shape[1]:
            row = int(np.argmin(counts))
            raise InputError(
                f"a crossed design needs each repeat of each unit; the unit at index {row} has "
                f"{counts[row]} of {array.shape[1]}: choose design='nested'"
            )
        return _crossed(array, level, sample)
    return _nested(array, counts, level, sample)


def _of_units(means: FloatArray, groups: Groups | None) -> tuple[float, float]:
    """The variance of the mean of the units' means, and its degrees of freedom."""
    n = len(means)
    if groups is None:
        return float(means.var(ddof=1)) / n, n - 1.0
    found = GroupedMeans.of(means[:, None], groups)
    return float(found.error[0]) ** 2, found.freedom


def _nested(array: FloatArray, counts: np.ndarray, level: float, groups: Groups | None) -> Repeated:
    n = len(array)
    means = np.nansum(array, axis=1) / counts
    within = float(np.nansum((array - means[:, None]) ** 2)) / float(counts.sum() - n)
    harmonic = n / float((1 / counts).sum())
    of_units = _of_units(means, groups)
    # n E[variance of the mean] = unit_variance + within × mean(1 / count)
    components = max(0.0, n * of_units[0] - within / harmonic), 0.0, within
    found = _ends(float(means.mean()), [of_units], level, ("nested", n, harmonic), components)
    return found if groups is None else replace(found, n_groups=len(groups))


def _crossed(array: FloatArray, level: float, groups: Groups | None) -> Repeated:
    n, m = array.shape
    mean = float(array.mean())
    by_unit, by_repeat = array.mean(axis=1), array.mean(axis=0)
    of_units = _of_units(by_unit, groups)
    of_repeats = n * float(((by_repeat - mean) ** 2).sum()) / (m - 1)
    rest = array - by_unit[:, None] - by_repeat + mean
    residual = float((rest**2).sum()) / ((n - 1) * (m - 1))
    repeats = max(0.0, (of_repeats - residual) / n)
    parts = [of_units, (repeats / m, m - 1.0)]
    components = max(0.0, n * of_units[0] - residual / m), repeats, residual
    found = _ends(mean, parts, level, ("crossed", n, float(m)), components)
    return found if groups is None else replace(found, n_groups=len(groups))


def _ends(
    mean: float,
    parts: list[tuple[float, float]],
    level: float,
    of: tuple[str, int, float],
    components: tuple[float, float, float],
) -> Repeated:
    """The interval from variances of the mean and their degrees of freedom."""
    tail = (1 - level) / 2
    reach = math.sqrt(sum(quantile(degrees, tail) ** 2 * variance for variance, degrees in parts))
    return Repeated(mean, mean - reach, mean + reach, level, *of, *components)
