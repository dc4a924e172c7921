"""The hypergeometric distribution, and Joiner & Werner's measure along a ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds._core.distributions import hypergeometric as kernel
from irbounds.foundation.arguments import as_floats, check_numbers
from irbounds.foundation.errors import LARGEST_COUNT, InputError, check_count, fail

if TYPE_CHECKING:
    from irbounds.typing import FloatOrArray


def hypergeometric_pmf(
    found: FloatOrArray, population: FloatOrArray, relevant: FloatOrArray, drawn: FloatOrArray
) -> Any:
    """P(X = found), where X of the `drawn` documents are relevant.

    Parameters
    ----------
    found, population, relevant, drawn : int or array_like of int
        Relevant documents found; documents in the collection; relevant ones among them; documents
        drawn at random without replacement.  They broadcast.  In SciPy's letters these are k, M, n,
        N.

    Returns
    -------
    float or ndarray
        Relative error below 1e-13 for populations to 10^10 and 1e-12 beyond, down to 1e-300.

    Raises
    ------
    InputError
        For counts that are negative or not whole, ``found > drawn``, ``drawn > population`` or
        ``relevant > population``, naming the element.

    Examples
    --------
    >>> import irbounds as irb
    >>> round(irb.chance.hypergeometric_pmf(2, 10, 4, 3), 15)
    0.3
    """
    return _values("pmf", False, found, population, relevant, drawn)


def hypergeometric_cdf(
    found: FloatOrArray, population: FloatOrArray, relevant: FloatOrArray, drawn: FloatOrArray
) -> Any:
    """P(X <= found); arguments, accuracy and errors as in `hypergeometric_pmf`."""
    return _values("cdf", False, found, population, relevant, drawn)


def hypergeometric_sf(
    found: FloatOrArray, population: FloatOrArray, relevant: FloatOrArray, drawn: FloatOrArray
) -> Any:
    """P(X > found); arguments, accuracy and errors as in `hypergeometric_pmf`.

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.chance.hypergeometric_sf(107, 10_000, 1_000, 215)
    5.390805908200748e-52
    """
    return _values("sf", False, found, population, relevant, drawn)


def hypergeometric_logpmf(
    found: FloatOrArray, population: FloatOrArray, relevant: FloatOrArray, drawn: FloatOrArray
) -> Any:
    """log P(X = found), also if P underflows; arguments and errors as in `hypergeometric_pmf`."""
    return _values("pmf", True, found, population, relevant, drawn)


def hypergeometric_logcdf(
    found: FloatOrArray, population: FloatOrArray, relevant: FloatOrArray, drawn: FloatOrArray
) -> Any:
    """log P(X <= found), also if P underflows; arguments and errors as in `hypergeometric_pmf`."""
    return _values("cdf", True, found, population, relevant, drawn)


def hypergeometric_logsf(
    found: FloatOrArray, population: FloatOrArray, relevant: FloatOrArray, drawn: FloatOrArray
) -> Any:
    """log P(X > found), also if P underflows; arguments and errors as in `hypergeometric_pmf`."""
    return _values("sf", True, found, population, relevant, drawn)


def hypergeometric_tail(
    found: FloatOrArray, population: FloatOrArray, relevant: FloatOrArray, drawn: FloatOrArray
) -> Any:
    """P(X < found), the probability that a random draw finds fewer relevant documents (Joiner &
    Werner's measure).

    Arguments, accuracy and errors as in `hypergeometric_pmf`.

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.chance.hypergeometric_tail([1, 2, 3], 200, 12, [1, 2, 7]).round(5)
    array([0.94   , 0.99668, 0.9949 ])
    """
    return _values("cdf", False, found, population, relevant, drawn, below=1)


def hypergeometric_logtail(
    found: FloatOrArray, population: FloatOrArray, relevant: FloatOrArray, drawn: FloatOrArray
) -> Any:
    """log P(X < found), also if P underflows; arguments and errors as in `hypergeometric_pmf`."""
    return _values("cdf", True, found, population, relevant, drawn, below=1)


def hypergeometric_curve(
    relevance: Any, population: int, relevant: int, *, shown: int = 0, shown_relevant: int = 0
) -> np.ndarray:
    """P(X < found) at every cut of one ranking, in time linear in its length.

    Parameters
    ----------
    relevance : array_like, shape (cuts,)
        Relevance of the documents of the ranking, the first first; above 0 is relevant.
    population, relevant : int
        Documents in the collection, and relevant ones among them.
    shown, shown_relevant : int
        Documents that were shown before (feedback), and the relevant ones among them: both are
        dropped from the collection, so that the curve is the residual one.

    Returns
    -------
    ndarray, shape (cuts,)
        The probability that as many documents drawn at random include fewer relevant ones than the
        ranking's first. Relative error of the tail below 1e-12 over 10^6 cuts.

    Examples
    --------
    Table 1 of the paper, first rows:

    >>> import irbounds as irb
    >>> irb.chance.hypergeometric_curve([1, 1, 1, 0], 200, 12).round(5)
    array([0.94   , 0.99668, 0.99983, 0.99935])
    """
    marks = check_numbers("relevance", relevance, "must be finite", np.isfinite)  # a copy
    if marks.ndim != 1:
        fail("relevance", "must be a list of numbers", relevance)
    marks = (marks > 0).astype(float)
    left = check_count("population", population, 0) - check_count("shown", shown, 0)
    relevant_left = check_count("relevant", relevant, 0) - check_count(
        "shown_relevant", shown_relevant, 0
    )
    if left < 0:
        fail("shown", f"must be at most `population`, {population}", shown)
    if shown_relevant > min(shown, relevant):
        bound, most = ("shown", shown) if shown <= relevant else ("relevant", relevant)
        fail("shown_relevant", f"must be at most `{bound}`, {most}", shown_relevant)
    if relevant_left > left:
        fail(
            "relevant",
            f"must be at most {left + shown_relevant}, the relevant documents shown and all "
            f"{left} documents not shown",
            relevant,
        )
    found = int(np.count_nonzero(marks))
    if found > relevant_left or marks.size - found > left - relevant_left:
        raise InputError(
            f"`relevance` must have at most {relevant_left} relevant and {left - relevant_left} "
            f"other documents, which are left in the collection; found {found} and "
            f"{marks.size - found}"
        )
    return kernel.curve(marks, left, relevant_left)


def _values(function: str, as_log: bool, *given: FloatOrArray, below: int = 0) -> Any:
    counts = dict(zip(("found", "population", "relevant", "drawn"), given, strict=True))
    try:
        arrays = np.broadcast_arrays(*(_whole(name, value) for name, value in counts.items()))
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            "`found`, `population`, `relevant` and `drawn` must broadcast; found shapes "
            f"{', '.join(str(np.shape(value)) for value in counts.values())}"
        ) from None
    x, n_all, n_relevant, n_drawn = arrays
    for smaller, larger, small, large in (
        (x, n_drawn, "found", "drawn"),
        (n_drawn, n_all, "drawn", "population"),
        (n_relevant, n_all, "relevant", "population"),
    ):
        wrong = smaller > larger
        if wrong.any():
            i = int(np.flatnonzero(wrong)[0])
            fail(
                small,
                f"must be at most {large}, {larger.ravel()[i]:.0f}",
                int(smaller.ravel()[i]),
                f"at index {i}" if wrong.ndim else "",
            )
    flat = (
        np.ascontiguousarray(array.ravel()) for array in (x - below, n_all, n_relevant, n_drawn)
    )
    result = kernel.values(function, as_log, *flat).reshape(x.shape)
    return result if result.ndim else float(result)


def _whole(name: str, value: Any) -> np.ndarray:
    array = as_floats(name, value, "must be a whole number, 0 or more")
    wrong = ~((array >= 0) & (array <= LARGEST_COUNT) & (array == np.floor(array)))
    if wrong.any():
        i = int(np.flatnonzero(wrong)[0])
        fail(
            name,
            "must be a whole number from 0 to 2^52",
            array.ravel()[i].item(),
            f"at index {i}" if wrong.ndim else "",
        )
    return array
