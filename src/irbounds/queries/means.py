"""Intervals of a mean over queries: these ones are a sample of those that users ask."""

from __future__ import annotations

import math
import os
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.foundation.arguments import as_floats, check_numbers, check_rng
from irbounds.foundation.errors import InputError, check_choice, check_count, fail
from irbounds.foundation.interval import Interval, one_sided, tail_probability
from irbounds.queries.cautions import (
    caution_of_equal_values,
    caution_of_few_groups,
    caution_of_limits,
)
from irbounds.queries.ends import MEAN_METHODS, WIDENED, Question, t_ends
from irbounds.queries.grouped import ends_of_groups, with_inflation
from irbounds.queries.groups import Groups
from irbounds.queries.moments import Moments, moments_of
from irbounds.queries.widened import widened_ends

if TYPE_CHECKING:
    from irbounds.typing import ArrayLike, RNGLike

STATISTICS = ("mean", "geometric-mean", "median")
LEAST_VALUE = 1e-5  # what trec_eval's gm_map takes for smaller values, 0 above all
LEAST_RESAMPLES = 100
UNIT = (0.0, 1.0)
FORMER_NAMES = {"guaranteed": "gaffke"}  # of methods
FINITE = "must be finite"


def mean_interval(
    values: ArrayLike,
    *,
    method: str | None = None,
    confidence_level: float = 0.95,
    side: str = "two-sided",
    statistic: str = "mean",
    limits: tuple[float, float] | None = None,
    resamples: int = 9999,
    rng: RNGLike = 0,
    groups: Any = None,
) -> Interval:
    """A confidence interval of the mean, with the queries as a random sample.

    It differs from the range over orders of tied documents (`Evaluation.mean_bounds`), which is of
    these queries.

    Parameters
    ----------
    values : array_like, shape (queries,) or (queries, columns)
        Per-query values.
    method : str, optional
        The result says which one it was.  The default is "t" without `limits`, and with them
        "widened-t", which is "t" where both ends are Student's.

        - "t": Student's interval; "hall": with a correction for skewness (Hall 1992).
        - "widened-t": Student's, widened where values are skewed, and where values that a sample of
          this size may lack could move the mean further; hardly ever wider than "gaffke".
        - "wilson": the score interval (1927) for values at the limits; for others that of as many
          queries as a proportion would have with their variance (Korn & Graubard 1998).
        - "jeffreys": half a query at either limit joins the sample, and all get random weights.
        - "bca": the bootstrap, bias-corrected and accelerated, as `scipy.stats.bootstrap` with the
          same seed; resamples whose mean is the sample's but for rounding count as half below it.
        - "gaffke": his bound on either side.  That it covers with at least the level is a
          conjecture, proved in part (Learned-Miller & Thomas 2019).  It is wider.  The former name
          "guaranteed" is taken.
        - "bayesian-bootstrap": quantiles of the mean under random weights, without drawing.

        The median has one method, "order-statistics".
    confidence_level : float
    side : {"two-sided", "lower", "upper"}
        The open end has the limit, or is infinite without `limits`.
    statistic : {"mean", "geometric-mean", "median"}
        The geometric mean takes values below 1e-5 for 1e-5, as trec_eval's gm_map; its interval is
        that of the mean of the logarithms.
    limits : pair of float, optional
        The least and the greatest possible value; one of them may be infinite for "t", "hall",
        "widened-t" and the bootstraps.  Methods that need limits, "widened-t", "wilson", "jeffreys"
        and "gaffke", take (0, 1) if none are given; ends of others are clipped to them.
    resamples : int
        For "bca", 100 or more.
    rng : None, int or numpy Generator
        For "bca"; the seed of its resamples.
    groups : sequence, optional
        A label for each query; those of one label, such as questions about one document, are taken
        as alike, and their groups as the sample.  A query with None is a group of its own.

    Returns
    -------
    Interval
        `raw_low` and `raw_high` are the ends before they were clipped, of "widened-t" those of "t".
        Where the default differs among columns, `method` and `engine` name all of them, with commas
        between.

    Raises
    ------
    InputError
        For values that are not finite or outside `limits`, and methods that need limits, or are not
        for the statistic or for groups of different sizes.

    Warns
    -----
    NoVarianceWarning
        Where there is one query or all values are equal: methods that divide by the spread have
        ends of nan.
    FewQueriesWarning
        Where an end is what the limits allow: the default moved it more than three times as far
        from the mean as "t".  For fewer than 8 groups, and fewer than 60 of very unequal sizes.

    Notes
    -----
    At 0.95 and limits 0 and 1 the default covers 0.88 or more at 5 queries, 0.90 at 10 and about
    0.93 from 25 on, also where most values are 0: :doc:`/how_we_chose` has the table.  Values that
    are close together and far from a limit, such as ten between 0.05 and 0.15, have ends two to
    seven times as far away as t's: six in ten samples of ten queries lack a value that one query in
    twenty has, look like these, and would have an interval without the mean.  Whoever knows that
    there are no such values takes "t".
    Without limits nothing is known of values that the sample lacks, and t covers less where values
    are skewed.  A one-sided bound leaves out no more than that.  For the geometric mean the default
    with limits is "jeffreys", as a query that fails counts as 1e-5 and a sample may lack it.

    Groups of one size have the interval of their means.  For others "t" has the variance CR2 of
    Bell & McCaffrey (2002) and Satterthwaite's degrees of freedom with queries of a group as copies
    (Imbens & Kolesár 2016), and an end is up to 1.5 times as far from the mean where the sums of
    groups are skewed; "widened-t" is also widened by groups that the sample may lack, as large as
    its largest.  Where sizes go with the score, 8 to 60 groups cover 0.95 or more within limits and
    0.87 to 0.94 in the worst of 16 designs without, 0.96 on average; where few large groups score
    apart and samples may lack them, 0.87 and 0.57 in the worst.

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.mean_interval([0.2, 0.5, 0.9, 0.4, 0.7])
    Interval(0.54 in [0.204521, 0.875479], 0.95 two-sided, t)
    >>> irb.mean_interval([1, 1, 1, 1, 0], limits=(0, 1))
    Interval(0.8 in [0.265488, 0.998255], 0.95 two-sided, widened-t)
    >>> irb.mean_interval([1, 1, 1, 1, 1], method="gaffke")
    Interval(1 in [0.478176, 1], 0.95 two-sided, gaffke)
    """
    return interval_of_columns(
        values,
        method,
        confidence_level,
        side,
        statistic,
        limits,
        check_count("resamples", resamples, LEAST_RESAMPLES),
        rng,
        stacklevel=2,
        groups=groups,
    )


def interval_of_columns(
    values: ArrayLike,
    method: str | None,
    level: float,
    side: str,
    statistic: str,
    limits: tuple[float, float] | None,
    resamples: int,
    rng: RNGLike,
    stacklevel: int,
    groups: Any = None,
) -> Interval:
    """The same for callers that warn in their callers' name."""
    if statistic == "geometric mean":  # as `Evaluation.aggregated` spells it
        statistic = "geometric-mean"
    check_choice("statistic", statistic, STATISTICS)
    array = _as_floats(values)
    columns = array.reshape(len(array), -1)
    moments = moments_of(columns)
    sample = Groups.of(groups, len(columns))
    # One value that is not finite makes its mean so: the values are searched only then.
    if not np.isfinite(moments.mean).all():
        check_numbers("values", values, FINITE, np.isfinite)  # which says where
    tail = tail_probability(level, side)
    method = current_name(method)
    seed = _seed(rng) if method == "bca" else 0
    if limits is None and method in MEAN_METHODS and MEAN_METHODS[method].needs_limits:
        limits = UNIT
    ends_at = _check_limits(limits)
    if ends_at is not None:
        _check_within(columns, moments, ends_at)
    if statistic == "median":
        check_choice("method", method or "order-statistics", ["order-statistics"])
        estimate, low, high = _median(columns, tail, ends_at, sample)
        raw_low, raw_high = None, None
        name, engine = "order-statistics", "exact"
    else:
        if method is not None:
            check_choice("method", method, MEAN_METHODS)
            _check_finite(method, ends_at)
        sides = 2 if side == "two-sided" else 1
        asked = Question(tail, sides, ends_at, resamples, seed, moments, sample)
        names, (estimate, low, high, raw_low, raw_high) = _mean(
            columns, asked, method, statistic, stacklevel + 1
        )
        names = names or [method or "t"]  # of no columns
        name, engine = (_joined(each) for each in (names, [MEAN_METHODS[x].engine for x in names]))
        if ends_at is not None:
            low, high = (np.minimum(np.maximum(end, ends_at[0]), ends_at[1]) for end in (low, high))
    least, most = ends_at or (-math.inf, math.inf)
    least = max(least, 0.0) if statistic == "geometric-mean" else least
    low, high = one_sided(low, high, side, least, most)
    shaped = partial(_shaped, array.shape[1:])
    found = Interval(
        shaped(estimate),
        shaped(low),
        shaped(high),
        level,
        side,
        name,
        engine,
        raw_low=shaped(raw_low),
        raw_high=shaped(raw_high),
    )
    if WIDENED in name and ends_at is not None:
        caution_of_limits(found, len(array), ends_at, stacklevel + 1, sample)
    if sample is None:
        return found
    caution_of_few_groups(sample, tail, stacklevel + 1)
    options = method, level, side, statistic, limits, resamples, seed, stacklevel
    return with_inflation(found, len(sample), lambda: interval_of_columns(values, *options))


def _shaped(shape: tuple[int, ...], column: np.ndarray | None) -> Any:
    """Numbers by column, as the values were given."""
    if column is None or not shape:
        return None if column is None else float(column[0])
    return np.asarray(column, float).reshape(shape)


def current_name(method: str | None) -> str | None:
    """The present name of a method that had another one."""
    return FORMER_NAMES.get(method, method) if isinstance(method, str) else method


def _as_floats(values: ArrayLike) -> np.ndarray:
    """Values of one query or more."""
    array = as_floats("values", values, FINITE)
    if array.ndim not in (1, 2) or not len(array):
        fail(
            "values",
            "must have the shape (queries,) or (queries, columns), with a query or more",
            array.shape,
        )
    return array


def _check_limits(limits: tuple[float, float] | None) -> tuple[float, float] | None:
    if limits is None or limits is UNIT:
        return limits
    rule = "must be two numbers, the least and the greatest possible value"
    pair = as_floats("limits", limits, rule)
    if pair.shape != (2,) or not pair[0] < pair[1]:
        fail("limits", rule, limits)
    least, most = map(float, pair)
    return None if math.isinf(least) and math.isinf(most) else (least, most)


def _check_finite(method: str, limits: tuple[float, float] | None) -> None:
    if (
        MEAN_METHODS[method].needs_limits
        and method != WIDENED
        and math.inf in map(abs, limits or ())
    ):
        raise InputError(f"method {method!r} needs two finite `limits`; found {limits}")


def _check_within(columns: np.ndarray, moments: Moments, limits: tuple[float, float]) -> None:
    if (moments.least < limits[0]).any() or (moments.most > limits[1]).any():
        is_outside = (columns < limits[0]) | (columns > limits[1])
        i = int(np.argwhere(is_outside)[0][0])
        found = float(columns[is_outside][0])
        raise InputError(
            f"`values` must be within limits, {limits[0]:g} to {limits[1]:g}; found {found:g} at "
            f"index {i}"
        )


def _seed(rng: RNGLike) -> int:
    """A seed, from which every column starts: resamples are drawn once for all of them."""
    if rng is None:  # a generator for one number takes longer than a small bootstrap
        return int.from_bytes(os.urandom(4), "little")
    if isinstance(rng, int | np.integer) and not isinstance(rng, bool) and rng >= 0:
        return int(rng)
    return int(check_rng(rng).integers(2**32))


def _joined(names: list[str]) -> str:
    """One name, or all of them by column where the default differs among columns."""
    return names[0] if len({*names}) == 1 else ", ".join(names)


def _mean(
    columns: np.ndarray, asked: Question, method: str | None, statistic: str, stacklevel: int
) -> tuple[list[str], tuple[np.ndarray, ...]]:
    """By column the method; estimate, ends and raw ends of means or geometric means."""
    is_geometric = statistic == "geometric-mean"
    if is_geometric:
        if (asked.moments.least < 0).any():
            raise InputError("`values` must be 0 or more for the geometric mean")
        columns = np.log(np.maximum(columns, LEAST_VALUE))
        limits = asked.limits
        if limits is not None:
            low, high = limits
            limits = math.log(max(low, LEAST_VALUE)), math.log(max(high, LEAST_VALUE))
        asked = asked._replace(moments=moments_of(columns), limits=limits)
    if asked.groups is not None:
        mean = asked.moments.mean
        if not asked.groups.are_equal:
            return ends_of_groups(
                columns, asked, asked.groups, method, is_geometric, stacklevel + 1
            )
        columns = asked.groups.means(columns)
        asked = asked._replace(moments=moments_of(columns)._replace(mean=mean), groups=None)
    if method is None and asked.limits is not None and not is_geometric:
        *found, are_students = widened_ends(
            columns, asked.moments, asked.limits, asked.tail, asked.sides
        )
        return ["t" if is_t else WIDENED for is_t in are_students], (asked.moments.mean, *found)
    # Values of queries that fail are far from all others, and a sample may lack them.
    is_closed = asked.limits is not None and math.isfinite(asked.limits[1])
    name = method or ("jeffreys" if is_closed else "t")
    ends = _ends(columns, name, asked, stacklevel + 1)
    raw = t_ends(columns, asked) if name == WIDENED else ends
    results = (asked.moments.mean, *ends, *raw)
    names = [name] * columns.shape[1]
    return names, tuple(np.exp(result) for result in results) if is_geometric else results


def _ends(
    columns: np.ndarray, name: str, asked: Question, stacklevel: int
) -> tuple[np.ndarray, np.ndarray]:
    """Ends by a method, nan where it has none."""
    method = MEAN_METHODS[name]
    has_ends = method.has_ends(asked.moments, asked.limits)
    if has_ends.all():
        return method.ends(columns, asked)
    caution_of_equal_values(len(columns), name, stacklevel + 1)
    low, high = np.full((2, columns.shape[1]), math.nan)
    if has_ends.any():
        part = asked._replace(moments=Moments(*(moment[has_ends] for moment in asked.moments)))
        low[has_ends], high[has_ends] = method.ends(columns[:, has_ends], part)
    return low, high


def _median(
    columns: np.ndarray, tail: float, limits: tuple[float, float] | None, groups: Groups | None
) -> tuple[np.ndarray, ...]:
    """The median between two values in order: so many that a fair coin shows fewer heads with a
    chance of `tail` or less.  Whatever the law of the values, coverage is the level or more."""
    if groups is not None:
        raise InputError("the median takes no `groups`; the mean does")
    from scipy.stats import binom

    ordered = np.sort(columns, axis=0)
    n = len(ordered)
    # ppf gives the least count whose probability reaches the tail, which mostly exceeds it; an end
    # may leave out the tail at most.
    few = int(binom.ppf(tail, n, 0.5))
    if binom.cdf(few, n, 0.5) > tail:
        few -= 1
    middle = ordered[(n - 1) // 2] / 2 + ordered[n // 2] / 2
    if few < 0:  # too few queries for an end
        least, most = limits or (-math.inf, math.inf)
        return middle, np.full(len(middle), least), np.full(len(middle), most)
    return middle, ordered[few], ordered[n - 1 - few]
