"""Intervals for one proportion (Webber 2013, sections 2.5 to 2.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.foundation.arguments import broadcast, check_numbers, check_same_index, plain
from irbounds.foundation.errors import InputError, shown
from irbounds.foundation.interval import (
    Interval,
    normal_quantile,
    one_sided,
    tail_probability,
    with_known,
)
from irbounds.samples.model.exact_limits import Tail
from irbounds.samples.one_proportion.table import PROPORTION_METHODS, usual_proportion_method

if TYPE_CHECKING:
    from irbounds.typing import FloatOrArray


def check_sample(
    relevant: FloatOrArray, sampled: FloatOrArray, names: tuple[str, str] = ("relevant", "sampled")
) -> list[np.ndarray]:
    """Counts in one shape; the first is at most the second."""
    check_same_index(**dict(zip(names, (relevant, sampled), strict=True)))
    arrays = [
        check_numbers(
            name,
            value,
            "must be a whole number, 0 or more",
            lambda x: (x >= 0) & (x < 2.0**52) & (x == np.floor(x)),
        )
        for name, value in zip(names, (relevant, sampled), strict=True)
    ]
    x, n = broadcast(**dict(zip(names, arrays, strict=True)))
    if (x > n).any():
        i = tuple(np.argwhere(x > n)[0])
        raise InputError(
            f"`{names[0]}` must be at most {names[1]}; found {x[i]:.0f} of {n[i]:.0f}"
            + (f" at index {', '.join(map(str, i))}" if i else "")
        )
    return [x, n]


def check_two_samples(
    x1: FloatOrArray, n1: FloatOrArray, x2: FloatOrArray, n2: FloatOrArray
) -> tuple[np.ndarray, ...]:
    """Counts of two samples, x1 of n1 and x2 of n2, in one shape."""
    check_same_index(x1=x1, n1=n1, x2=x2, n2=n2)
    x, m = check_sample(x1, n1, ("x1", "n1"))
    y, k = check_sample(x2, n2, ("x2", "n2"))
    return broadcast(x1=x, n1=m, x2=y, n2=k)


def binomial_interval(
    relevant: FloatOrArray,
    sampled: FloatOrArray,
    *,
    method: str | None = None,
    size: FloatOrArray = None,
    confidence_level: float = 0.95,
    side: str = "two-sided",
    prior: Any = None,
) -> Interval:
    """An interval for a proportion, from a simple random sample.

    Parameters
    ----------
    relevant, sampled : int or array_like of int
        Relevant documents in the sample, and the sample.  Nothing sampled gives [0, 1].
    method : str, optional
        "wilson" (the default), "wilson-cc" with correction for continuity, "wald", "agresti-coull":
        by the normal distribution.  "jeffreys": the posterior with Jeffreys' prior.
        "clopper-pearson" and "blaker" are exact: they never cover less than the level, and "blaker"
        lies within "clopper-pearson".  "mid-p": exact tails, in which the sample itself counts
        half; it covers the level on the average, not always.

        With `size` the methods have forms for a finite population: the tests are hypergeometric, or
        the variance is (size - sampled)/(size - 1) of the binomial one.  The default is then
        "hypergeometric", all numbers that neither tail rejects, as "clopper-pearson" also gives.
        "blaker" is the shorter exact interval.  "jeffreys" has no such form here: it is
        "betabinom-half" of `precision_interval`.  "anytime" is for samples that grow: its
        intervals at all looks are true together with the level, whenever one stops.

        Two-sided intervals contain the estimate with these exceptions.  Those for a finite
        population end at whole documents, between which the estimate may be.  "jeffreys" and
        "mid-p" have the middle at a median, which shows at levels near 0.
    size : int or array_like of int, optional
        Documents in the finite population.  Where all of them were sampled, both ends are the
        proportion itself.
    confidence_level : float
    side : {"two-sided", "lower", "upper"}
        A one-sided "blaker" bound is that of "clopper-pearson": it has one tail.  The default is
        "wilson" for one-sided bounds without `size` as well: for some shares such a 95 % bound
        covers 0.80 with 10 documents, and 0.73 with one.  "clopper-pearson" covers at least the
        level for every share.
    prior : float or pair of float, optional
        For "anytime": the parameters of the beta-binomial distribution by which evidence is
        weighed, 0.5 by default. The interval holds with every prior.

    Returns
    -------
    Interval

    Notes
    -----
    Coverage of 95 % intervals, all samples enumerated: the least over all p, and the mean over p,
    for samples of 1 to 30; and the same over all numbers of relevant documents in populations of 2
    to 30 (samples of less than all).

    ===============  ============  ============
    method           infinite      finite
    ===============  ============  ============
    wilson           0.793, 0.954  0.800, 0.963
    wilson-cc        0.945, 0.980  0.947, 0.994
    wald             0.000, 0.751  0.000, 0.784
    agresti-coull    0.820, 0.963  0.800, 0.970
    jeffreys         0.853, 0.954
    mid-p            0.912, 0.967  0.900, 0.984
    blaker           0.950, 0.971  0.950, 0.987
    clopper-pearson  0.950, 0.982  0.950, 0.993
    ===============  ============  ============

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.binomial_interval(15, 148)
    Interval(0.101351 in [0.0623864, 0.160487], 0.95 two-sided, wilson)
    >>> irb.binomial_interval(3, 10, size=100)
    Interval(0.3 in [0.08, 0.63], 0.95 two-sided, hypergeometric)
    >>> irb.binomial_interval(3, 10, size=100, method="blaker")
    Interval(0.3 in [0.1, 0.6], 0.95 two-sided, blaker)
    >>> irb.binomial_interval(3, 10, size=100, method="anytime", prior=1)
    Interval(0.3 in [0.05, 0.71], 0.95 two-sided, anytime)
    """
    name = usual_proportion_method(size is not None, method)
    if prior is not None and not PROPORTION_METHODS[name].takes_prior:
        raise InputError(f"method {name!r} takes no `prior`; found {shown(prior)}")
    check_same_index(relevant=relevant, sampled=sampled, size=size)
    x, n = check_sample(relevant, sampled)
    tail = Tail(
        tail_probability(confidence_level, side), normal_quantile(confidence_level, side), side
    )
    if size is None:
        low, high = _endless(name, x, n, tail)
        is_known: FloatOrArray = False
    else:
        n_all, x, n = _check_size(size, x, n)
        low, high = _of_population(name, x, n, n_all, tail, prior)
        is_known = (n == n_all) & (n_all > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = x / n
    low, high = with_known(*one_sided(low, high, side), estimate, is_known)
    is_exact = size is not None and PROPORTION_METHODS[name].is_exact
    return Interval(
        estimate=plain(estimate),
        low=plain(low),
        high=plain(high),
        confidence_level=confidence_level,
        side=side,
        method=name,
        engine="exact" if is_exact else "formula",
    )


def _endless(name: str, x: np.ndarray, n: np.ndarray, tail: Tail) -> tuple[np.ndarray, np.ndarray]:
    """Ends for an unlimited population."""
    ends = PROPORTION_METHODS[name].ends
    if ends is None:
        raise InputError(f"method {name!r} is for a finite population: give its `size`")
    some = n > 0
    # Elements without a sample are computed with n = 1 and then replaced: they must not raise
    # warnings or stop the searches of the others.
    low, high = ends(x, np.where(some, n, 1.0), tail)
    return np.clip(np.where(some, low, 0.0), 0, 1), np.clip(np.where(some, high, 1.0), 0, 1)


def _of_population(
    name: str, x: np.ndarray, n: np.ndarray, size: np.ndarray, tail: Tail, prior: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Ends for a finite population, at least the relevant documents that were found and at most
    those that are possible."""
    method = PROPORTION_METHODS[name]
    if method.finite is None:
        raise InputError(f"method {name!r} does not support `size` ({method.note})")
    some = n > 0
    options = {"prior": prior} if method.takes_prior else {}
    counts = x, np.where(some, n, 1.0), np.where(some, size, 1.0)
    low, high = method.finite(*counts, tail, **options)
    low, high = np.clip(low, x, size - n + x), np.clip(high, x, size - n + x)
    total = np.maximum(size, 1.0)
    return np.where(some, low / total, 0.0), np.where(some, high / total, 1.0)


def _check_size(size: FloatOrArray, x: np.ndarray, n: np.ndarray) -> tuple[np.ndarray, ...]:
    """The population, its sample and the relevant documents found, in one shape."""
    n_all = check_numbers(
        "size",
        size,
        "must be a whole number, 0 or more",
        lambda v: (v >= 0) & (v < 2.0**52) & (v == np.floor(v)),
    )
    n_all, x, n = broadcast(size=n_all, relevant=x, sampled=n)
    if (n > n_all).any():
        i = tuple(np.argwhere(n > n_all)[0])
        raise InputError(f"`sampled` must be at most size; found {n[i]:.0f} of {n_all[i]:.0f}")
    return n_all, x, n
