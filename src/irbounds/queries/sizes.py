"""How many queries a comparison or an interval needs, and what so many queries can show."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.foundation.arguments import check_level, check_number, check_numbers
from irbounds.foundation.errors import LARGEST_COUNT, InputError, check_choice, check_count, fail
from irbounds.queries.groups import Groups
from irbounds.queries.moments import mean_and_spread
from irbounds.queries.power import power_of_t
from irbounds.queries.student import quantile

if TYPE_CHECKING:
    from irbounds.typing import ArrayLike

SIDES = ("two-sided", "one-sided")
POWER = 0.8
LEAST_EFFECT, MOST_EFFECT = 1e-7, 1e300  # standard deviations: 2^52 queries show no smaller ones
ROUNDING = 4e-16  # of a chance


def queries_needed(
    difference: float | None = None,
    sd: float | None = None,
    *,
    pilot: ArrayLike | None = None,
    half_width: float | None = None,
    power: float | None = None,
    alpha: float = 0.05,
    side: str = "two-sided",
    group_size: float | None = None,
    correlation: float | None = None,
    groups: Any = None,
) -> int:
    """The least number of queries that shows a difference, or that makes an interval narrow enough.

    Parameters
    ----------
    difference : float, optional
        The mean difference of two systems that a paired t-test should find.  Its sign does not
        matter.
    sd : float, optional
        The standard deviation, over queries, of the differences of the two systems (or, with
        `half_width`, of what the interval is about).
    pilot : array_like, optional
        In place of `sd`: such differences, from two queries or more, whose standard deviation is
        taken.  That of few queries is uncertain: of 10, it is below 0.7 of the truth in one case of
        ten.
    half_width : float, optional
        In place of `difference`: the least n is sought with t s/√n at most this, t of the level
        1 - alpha.
    power : float, optional
        The chance with which the difference is found, 0.8 by default; an interval has none.
    alpha : float
        The level of the test.
    side : {"two-sided", "one-sided"}
    group_size : float, optional
        Queries in a group, such as those made from one document; 1 or more.
    correlation : float, optional
        The correlation ρ of the differences within a group, from 0 to 1.  The variance of the mean
        is then 1 + (group_size - 1) ρ times as large, and groups are the sampling units.
    groups : sequence, optional
        A group for each difference of `pilot`: size and correlation, where they are not given, are
        taken from it.

    Returns
    -------
    int

    See Also
    --------
    detectable_difference : The smallest difference that a number of queries can show.

    Notes
    -----
    Uses the noncentral t distribution, like G*Power: to find a difference of half a standard
    deviation takes 34 queries.

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.queries_needed(difference=0.02, sd=0.11)
    240
    >>> irb.queries_needed(half_width=0.02, sd=0.195716)
    371
    >>> irb.queries_needed(difference=0.02, sd=0.11, group_size=10, correlation=0.3)
    900
    """
    check_choice("side", side, SIDES)
    alpha = _check_alpha(alpha)
    size, rho = group_design(group_size, correlation, pilot, groups)
    spread = _spread(sd, pilot) * _of_groups(size, rho)
    sides = 2 if side == "two-sided" else 1
    if (difference is None) == (half_width is None):
        raise InputError("give `difference` or `half_width`, one of them")
    if half_width is not None:
        if power is not None:
            raise InputError("`power` goes with `difference`: an interval has no power")
        width = check_number("half_width", half_width, "must be above 0 and finite", _is_positive)
        n = _least(lambda n: _half_width(n, spread, alpha, sides) <= width, "half_width", width)
        return math.ceil(n * size)
    power = check_level(POWER if power is None else power, "power")
    wanted = check_number(
        "difference", difference, "must be finite and not 0", lambda x: 0 < abs(x) < math.inf
    )
    effect = abs(wanted) / spread
    if effect < LEAST_EFFECT:
        raise InputError(
            f"`difference` is {effect:.1g} standard deviations; no collection has enough queries "
            "to detect it"
        )
    effect = min(effect, MOST_EFFECT)
    n = _least(lambda n: power_of_t(n, effect, alpha, sides) >= power, "difference", wanted)
    return math.ceil(n * size)


def group_design(
    group_size: float | None, correlation: float | None, pilot: Any = None, groups: Any = None
) -> tuple[float, float]:
    """Queries in a group and their correlation: as given, or those of a pilot; 1 and 0 without
    groups."""
    if groups is not None:
        if pilot is None:
            raise InputError("`groups` goes with `pilot`: it has the group of each difference")
        values = np.asarray(pilot, float)
        found = Groups.of(groups, len(values))
        if found is not None:
            if group_size is None:
                group_size = float((found.sizes**2).sum()) / len(values)
            if correlation is None:
                correlation = found.correlation(values)
    if group_size is None and correlation is None:
        return 1.0, 0.0
    if group_size is None or correlation is None:
        raise InputError("give `group_size` and `correlation`, both of them")
    return (
        check_number("group_size", group_size, "must be 1 or more", lambda x: 1 <= x < math.inf),
        check_number("correlation", correlation, "must be from 0 to 1", lambda x: 0 <= x <= 1),
    )


def _of_groups(size: float, correlation: float) -> float:
    """How many times the standard deviation of a query is that of a group's mean."""
    return math.sqrt((1 + (size - 1) * correlation) / size)


def comparison_power(
    n: int, difference: float, sd: float, *, alpha: float = 0.05, side: str = "two-sided"
) -> float:
    """The chance that a paired t-test of n queries finds a difference.

    Parameters
    ----------
    n : int
        Queries, two or more.
    difference, sd : float
        The mean and the standard deviation of the differences over queries.
    alpha, side
        As in `queries_needed`; a one-sided test looks in the direction of the difference.

    Returns
    -------
    float

    Examples
    --------
    >>> import irbounds as irb
    >>> round(irb.queries.comparison_power(50, difference=0.05, sd=0.1), 6)
    0.933898
    """
    check_choice("side", side, SIDES)
    size = check_number("difference", difference, "must be finite", math.isfinite)
    effect = min(abs(size) / _spread(sd, None), MOST_EFFECT)
    return power_of_t(
        check_count("n", n, 2),
        effect,
        _check_alpha(alpha),
        2 if side == "two-sided" else 1,
    )


def detectable_difference(
    n: int,
    sd: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    side: str = "two-sided",
    group_size: float | None = None,
    correlation: float | None = None,
) -> float:
    """The least mean difference that a paired t-test of n queries finds with this power.

    Parameters
    ----------
    n : int
        Queries, two or more.
    sd : float
        The standard deviation of the differences over queries.
    power, alpha, side, group_size, correlation
        As in `queries_needed`.

    Returns
    -------
    float
        0 where the power is no more than `alpha`, which a test has without a difference.

    Examples
    --------
    >>> import irbounds as irb
    >>> round(irb.queries.detectable_difference(50, sd=1), 6)
    0.404183
    """
    check_choice("side", side, SIDES)
    n, power, alpha = (
        check_count("n", n, 2),
        check_level(power, "power"),
        _check_alpha(alpha),
    )
    spread, sides = _spread(sd, None), 2 if side == "two-sided" else 1
    size, rho = group_design(group_size, correlation)
    if size > 1:
        spread, n = spread * _of_groups(size, rho), int(n / size)
        if n < 2:
            fail("n", "must have two groups or more", n)

    def excess(effect: float) -> float:
        return power_of_t(n, effect, alpha, sides) - power

    if power <= alpha:
        return 0.0
    # From one standard error of the mean on, twice as far until the power is reached.
    high = 1 / math.sqrt(n)
    while excess(high) < 0:
        high *= 2
        if not math.isfinite(high):
            raise InputError(f"no difference is detected with power {power} at level {alpha}")
    return _root(excess, 0.0, high, alpha - power) * spread


def _root(f: Callable[[float], float], low: float, high: float, f_low: float) -> float:
    """Where a rising function is 0, to 1e-13 of the place: regula falsi in the manner of Anderson &
    Björck (1973), and a bisection wherever three steps do not halve the interval, as next to a
    power of 1, where the function is flat."""
    f_high, width = f(high), math.inf
    for step in range(400):  # three at most for a bit, of which there are 1100 between doubles of
        # all sizes, but 44 within the interval that is left
        x = high - f_high * (high - low) / (f_high - f_low)
        if step % 3 == 0:
            is_slow, width = high - low > width / 2, high - low
            x = (low + high) / 2 if is_slow else x
        if not low < x < high:
            x = (low + high) / 2
        value = f(x)
        if abs(value) <= ROUNDING or high - low <= 1e-13 * high:
            return x
        if value > 0:
            # The end that stays counts for less, so that the next line crosses nearer to it.
            share = 1 - value / f_high
            high, f_high = x, value
            f_low *= share if share > 0 else 0.5
        else:
            share = 1 - value / f_low
            low, f_low = x, value
            f_high *= share if share > 0 else 0.5
    return (low + high) / 2


def _is_positive(x: float) -> bool:
    return 0 < x < math.inf


def _spread(sd: float | None, pilot: ArrayLike | None) -> float:
    """The standard deviation that was given, or that of a pilot."""
    if (sd is None) == (pilot is None):
        raise InputError("give `sd`, the standard deviation over queries, or `pilot`, one of them")
    if pilot is None:
        return check_number("sd", sd, "must be above 0 and finite", _is_positive)
    values = check_numbers("pilot", pilot, "must be finite", np.isfinite)
    if values.ndim != 1 or len(values) < 2:
        fail("pilot", "must hold the differences of two queries or more", values.shape)
    spread = mean_and_spread(values)[1]
    if not spread > 0:
        raise InputError("`pilot` must hold differences that differ; they are all equal")
    return spread


def _check_alpha(alpha: float) -> float:
    """The level of a test, in the range of `check_level`."""
    rule = "must be between 0 and 1, for example 0.05"
    return check_number("alpha", alpha, rule, lambda x: 0 < x < 1 and 1 - x < 1)


def _half_width(n: int, spread: float, alpha: float, sides: int) -> float:
    return quantile(n - 1, alpha / sides) * spread / math.sqrt(n)


def _least(is_enough: Callable[[int], bool], argument: str, value: float) -> int:
    """The least n, 2 or more, from which on it is enough: doubled, then halved between."""
    few, many = 1, 2
    while not is_enough(many):
        few, many = many, 2 * many
        if many > LARGEST_COUNT:
            fail(argument, "must be so large that 2^52 queries show it", value)
    while many - few > 1:
        middle = (few + many) // 2
        if is_enough(middle):
            many = middle
        else:
            few = middle
    return many
