"""The documents to review and the cost for a precision at a recall, and the F-score (Dimm 2015,
section 1)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.foundation.arguments import broadcast, check_number, check_numbers, plain

if TYPE_CHECKING:
    from irbounds.typing import ArrayLike, FloatOrArray

# below, products of several shares lose digits before the quotient brings them back
LEAST_PRODUCT = 1e-280
MOST_WEIGHT = 1e100  # beyond, the square of an F-score's β times a share may overflow


def documents_to_review(
    population: ArrayLike, prevalence: ArrayLike, recall: ArrayLike, precision: ArrayLike
) -> Any:
    """The number of documents to retrieve and review to reach a recall, n = ρ N R/P (eq. 2).

    Parameters
    ----------
    population : float or array_like, 0 or more
        Documents there are, N.
    prevalence, recall : float or array_like, from 0 to 1
    precision : float or array_like, above 0, up to 1
        At that recall: measured, or from `extrapolate_precision`.  Arguments broadcast.

    Returns
    -------
    float or ndarray

    Examples
    --------
    >>> import irbounds as irb
    >>> x = irb.extrapolation.extrapolate_precision(0.60, 0.65, prevalence=0.03, target_recall=0.75)
    >>> round(irb.extrapolation.documents_to_review(1_000_000, 0.03, 0.75, x))
    48295
    """
    return plain(_documents(population, prevalence, recall, precision)[0])


def cost(
    population: ArrayLike,
    prevalence: ArrayLike,
    recall: ArrayLike,
    precision: ArrayLike,
    *,
    per_document: float = 1.0,
    per_relevant: float = 0.0,
    fixed: float = 0.0,
) -> Any:
    """The cost of a review up to a recall: ``fixed + per_document n + per_relevant ρ N R``, with n
    from `documents_to_review`.

    Parameters
    ----------
    population, prevalence, recall, precision : float or array_like
        As for `documents_to_review`.
    per_document : float, 0 or more
        First review of one retrieved document.
    per_relevant : float, 0 or more
        Additional cost of each relevant document found: a second review, redaction, privilege.
    fixed : float, 0 or more
        Cost that does not depend on recall: set-up, training, the samples that were assessed.

    Examples
    --------
    >>> import irbounds as irb
    >>> prices = {"per_document": 1.2, "per_relevant": 3, "fixed": 5000}
    >>> irb.extrapolation.cost(1_000_000, 0.03, recall=0.75, precision=0.5, **prices)
    126500.0
    """
    prices = check_prices(per_document=per_document, per_relevant=per_relevant, fixed=fixed)
    return plain(total_cost(*_documents(population, prevalence, recall, precision), **prices))


def check_prices(**prices: float) -> dict[str, float]:
    """Check that unit costs are 0 or more."""
    return {
        name: check_number(name, price, "must be 0 or more and finite", lambda x: 0 <= x < math.inf)
        for name, price in prices.items()
    }


def total_cost(
    documents: FloatOrArray,
    relevant: FloatOrArray,
    per_document: float,
    per_relevant: float,
    fixed: float,
) -> Any:
    """The cost of a review of `documents`, `relevant` of them relevant."""
    with np.errstate(over="ignore"):
        # there may be infinitely many
        of_documents = per_document * documents if per_document else 0.0
        return fixed + of_documents + per_relevant * relevant


def _documents(
    population: ArrayLike, prevalence: ArrayLike, recall: ArrayLike, precision: ArrayLike
) -> tuple[np.ndarray, np.ndarray]:
    """Documents to review, and relevant ones among them."""
    N = check_numbers(
        "population",
        population,
        "must be 0 or more and finite",
        lambda x: (x >= 0) & (x < math.inf),
    )
    rho, R = (
        check_numbers(name, value, "must be from 0 to 1", lambda x: (x >= 0) & (x <= 1))
        for name, value in (("prevalence", prevalence), ("recall", recall))
    )
    P = check_numbers(
        "precision", precision, "must be above 0, and 1 at most", lambda x: (x > 0) & (x <= 1)
    )
    N, rho, R, P = broadcast(population=N, prevalence=rho, recall=R, precision=P)
    # products of fractions from 1/2 to 1, so that no step of them underflows or overflows
    (rho, N, R, P), powers = zip(*map(np.frexp, (rho, N, R, P)), strict=True)
    power = powers[0] + powers[1] + powers[2]
    with np.errstate(over="ignore"):
        relevant = rho * N * R
        return np.ldexp(relevant / P, power - powers[3]), np.ldexp(relevant, power)


def f_score(recall: ArrayLike, precision: ArrayLike, beta: float = 1.0) -> Any:
    """F_b(R, P) = (b² + 1) R P/(b² P + R) (eq. 1); 0 where both are 0.  F_0 is precision, F_inf
    recall.

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.extrapolation.f_score(0.75, 0.5)
    0.6
    >>> irb.extrapolation.f_score([1.0, 0.0], [0.5, 0.0], beta=2)
    array([0.83333333, 0.        ])
    """
    R, P = (
        check_numbers(name, value, "must be from 0 to 1", lambda x: (x >= 0) & (x <= 1))
        for name, value in (("recall", recall), ("precision", precision))
    )
    weight = check_number("beta", beta, "must be 0 or more", lambda x: x >= 0)
    R, P = broadcast(recall=R, precision=P)
    if weight in (0, math.inf):
        return plain(np.array(R if weight else P))
    square = min(weight, MOST_WEIGHT) ** 2
    below = square * P + R
    result = np.divide((square + 1) * R * P, below, out=np.zeros_like(below), where=below > 0)
    is_far = (R > 0) & (P > 0) & ((R * P < LEAST_PRODUCT) | (weight >= MOST_WEIGHT))
    if is_far.any():  # as a weighted harmonic mean
        of_precision, of_recall = 0.0, 1.0
        # The square of 1e150 is a number; beyond, F is recall to the last digit.
        if weight < MOST_WEIGHT**1.5:
            of_precision, of_recall = 1 / (1 + weight**2), weight**2 / (1 + weight**2)
        with np.errstate(over="ignore"):
            result[is_far] = 1 / (of_recall / R[is_far] + of_precision / P[is_far])
    return plain(result)
