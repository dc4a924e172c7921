"""Reference precision-recall curves, and extrapolation of precision along them (Dimm 2015)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from irbounds._core.distributions import precision_curve as kernel
from irbounds.foundation.arguments import Rule, broadcast, check_number, check_numbers, plain
from irbounds.foundation.errors import check_choice, counted, fail
from irbounds.foundation.read_only import ReadOnlyArrays
from irbounds.warnings import ExtrapolationWarning

if TYPE_CHECKING:
    from irbounds.typing import ArrayLike, FloatOrArray

LEAST_PREVALENCE = 1e-100
# a distance in recall, and a recall or precision, beyond which extrapolation is unreliable
FAR, NEAR_1 = 0.3, 0.99

RULES: dict[str, tuple[str, Rule]] = {
    "recall": ("must be between 0 and 1", lambda x: (x > 0) & (x < 1)),
    "precision": ("must be between 0 and 1", lambda x: (x > 0) & (x < 1)),
    "prevalence": (
        "must be between 0 and 1, and 1e-100 or more",
        lambda x: (x >= LEAST_PREVALENCE) & (x < 1),
    ),
    "target_recall": ("must be from 0 to 1", lambda x: (x >= 0) & (x <= 1)),
}


class Sensitivity(NamedTuple):
    """Derivatives of the extrapolated precision X with respect to the measured precision P, recall
    R and prevalence ρ: dX/dP, dX/dR and dX/dρ.

    An error of 0.01 in P moves X by about 0.01 dX/dP.
    """

    precision: FloatOrArray
    recall: FloatOrArray
    prevalence: FloatOrArray


@dataclass(frozen=True, eq=False)
class PrecisionCurve(ReadOnlyArrays):
    """A reference precision-recall curve X(R; ρ, β), or many of them.

    Parameters
    ----------
    prevalence : float or array_like, between 0 and 1
        ρ, the share of relevant documents; precision at recall 1.
    beta : float or array_like, -1 or more
        β, which rises with precision.  For β > 0 these are the paper's curves (eq. 10, 11).  They
        have a limit for β → 0 that is above ρ, X(R) = 1/(1 + (1 - ρ)/ρ × (1 + R)/2), and none of
        them passes below it.  From there to random order the family is continued by a straight
        line: for -1 ≤ β ≤ 0, 1/X = -β/ρ + (1 + β)/X₀ with that limit X₀, and so for 1/x, so that
        every point with ρ < P < 1 has its curve, and X → ρ at every recall as P → ρ.  β = inf is
        perfect.

    Notes
    -----
    X and x are within 1e-14 (relative) of exact arithmetic for ρ from 1e-9 to 0.99, β from 1e-8 to
    1e12, R from 1e-9.

    Source: W. C. Dimm, "Information retrieval performance measurement using extrapolated
    precision", 2015.

    Examples
    --------
    >>> import irbounds as irb
    >>> through = irb.extrapolation.PrecisionCurve.through
    >>> curve = through(recall=0.75, precision=0.5, prevalence=0.03)
    >>> round(curve.beta, 6)
    48.978859
    >>> curve.precision([0.5, 0.75, 1.0]).round(4)
    array([0.7665, 0.5   , 0.03  ])
    """

    prevalence: FloatOrArray
    beta: FloatOrArray

    def __post_init__(self) -> None:
        rho = check_numbers("prevalence", self.prevalence, *RULES["prevalence"])
        beta = check_numbers("beta", self.beta, "must be -1 or more", lambda x: x >= -1)
        broadcast(prevalence=rho, beta=beta)
        self._keep(rho, beta)

    def _keep(self, rho: np.ndarray, beta: np.ndarray) -> None:
        self.__dict__.update(prevalence=plain(rho), beta=plain(beta))
        super().__post_init__()

    @classmethod
    def through(
        cls,
        recall: ArrayLike,
        precision: ArrayLike,
        prevalence: ArrayLike,
        *,
        on_invalid: str = "raise",
    ) -> Self:
        """The curve through a point, or one curve through each of many points.

        Parameters
        ----------
        recall, precision, prevalence : float or array_like
            Between 0 and 1, precision above prevalence; they broadcast.
        on_invalid : {"raise", "nan"}
            With "nan", points that break these rules get a curve of nan.

        Raises
        ------
        InputError
            A ValueError that names the element.
        """
        point = check_points(on_invalid, recall=recall, precision=precision, prevalence=prevalence)
        # Not by the constructor, which refuses the nan of points that are to be skipped.
        curve = cls.__new__(cls)
        beta = through(point["recall"], point["precision"], point["prevalence"])
        curve._keep(point["prevalence"], beta)
        return curve

    def precision(self, recall: ArrayLike) -> Any:
        """X(R), the expected precision at a recall in [0, 1] (eq. 11).

        Examples
        --------
        >>> import irbounds as irb
        >>> round(irb.extrapolation.PrecisionCurve(prevalence=0.03, beta=833).precision(0.75), 5)
        0.94902
        """
        return self._values("precision", recall)

    def relevance_probability(self, recall: ArrayLike) -> Any:
        """x(R), the probability that a document at this recall is relevant (eq. 10)."""
        return self._values("relevance", recall)

    def sensitivity(self, recall: ArrayLike, target_recall: ArrayLike) -> Sensitivity:
        """Derivatives of X(target_recall) with respect to the point at `recall` on the curve.

        Returns
        -------
        Sensitivity
            Derivatives by precision, recall and prevalence, the other two held.

        Notes
        -----
        The derivative by recall is a difference of two precisions: near recall 0 and 1 its error
        is up to ``1e-15 / min(recall, 1 - recall)``.  The derivatives are nan where the precision
        at `recall` is 1.

        Examples
        --------
        >>> import irbounds as irb
        >>> curve = irb.extrapolation.PrecisionCurve.through(0.6, 0.95, 0.03)
        >>> round(curve.sensitivity(0.6, 0.9).precision, 1)
        4.2
        """
        inner = check_numbers("recall", recall, *RULES["recall"])
        target = check_numbers("target_recall", target_recall, *RULES["target_recall"])
        return sensitivity_at(
            *broadcast(
                recall=inner,
                prevalence=np.asarray(self.prevalence),
                beta=np.asarray(self.beta),
                target_recall=target,
            )
        )

    def _values(self, value: str, recall: ArrayLike) -> Any:
        R = check_numbers("recall", recall, *RULES["target_recall"])
        return plain(
            values(
                value,
                *broadcast(
                    recall=R, prevalence=np.asarray(self.prevalence), beta=np.asarray(self.beta)
                ),
            )
        )


def extrapolate_precision(
    recall: ArrayLike,
    precision: ArrayLike,
    prevalence: ArrayLike,
    target_recall: ArrayLike,
    *,
    on_invalid: str = "raise",
) -> Any:
    """Precision at another recall, on the reference curve through one measured point: X(R_T) (Dimm
    2015).

    Parameters
    ----------
    recall, precision, prevalence : float or array_like
        The point, each between 0 and 1, and precision above prevalence: an order no better than
        random lies on no curve.  All four arguments broadcast.
    target_recall : float or array_like, from 0 to 1
        R_T.
    on_invalid : {"raise", "nan"}
        With "nan", elements that break these rules give nan.

    Returns
    -------
    float or ndarray
        ``precision`` itself where ``target_recall == recall``.

    Raises
    ------
    InputError
        A ValueError that names the element.

    Warns
    -----
    ExtrapolationWarning
        Where recall or precision is above 0.99, or recall more than 0.3 from the target; with
        derivatives of the result there (`PrecisionCurve.sensitivity` has them for all).

    Examples
    --------
    Which of two reviews, one stopped at 70 % recall and one at 80 %, would be better at 75 %?

    >>> import irbounds as irb
    >>> measured = [0.70, 0.80], [0.50, 0.42]
    >>> found = irb.extrapolation.extrapolate_precision(*measured, 0.03, target_recall=0.75)
    >>> found.round(4)
    array([0.4317, 0.4988])
    """
    point = check_points(
        on_invalid,
        recall=recall,
        precision=precision,
        prevalence=prevalence,
        target_recall=target_recall,
    )
    R, P, rho, target = point.values()
    beta = through(R, P, rho)
    warn_where_little_is_said(R, P, rho, beta, target, stacklevel=3)
    result = values("precision", target, rho, beta)
    # The point itself: through the curve it would come back with rounding.
    np.copyto(result, P, where=target == R)
    return plain(result)


def values(value: str, recall: np.ndarray, prevalence: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """Precision, relevance or slope of curves, arrays of one shape."""
    return kernel.values(value, _flat(recall), _flat(prevalence), _flat(beta)).reshape(recall.shape)


def through(recall: np.ndarray, precision: np.ndarray, prevalence: np.ndarray) -> np.ndarray:
    """β of curves through points, arrays of one shape: -1 where precision is at or below
    prevalence, inf where it, or recall, is 1."""
    return kernel.through(_flat(recall), _flat(precision), _flat(prevalence)).reshape(recall.shape)


def sensitivity_at(
    recall: np.ndarray, rho: np.ndarray, beta: np.ndarray, target: np.ndarray
) -> Sensitivity:
    """`PrecisionCurve.sensitivity` for arrays of one shape; nan or infinite where recall is 1."""
    odds, odds_here, odds_of_target = (
        _odds_against("precision", recall, rho, beta),
        _odds_against("relevance", recall, rho, beta),
        _odds_against("precision", target, rho, beta),
    )
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        # By eq. 11 logit X = logit ρ - ln H(R; β), and so logit P = logit ρ - ln H at the measured
        # R. If β keeps the curve in the point, d logit X = share d logit P + (1 - share) d logit ρ;
        # `share` is d ln H/d ln β at the target over that at R.
        share = np.where(
            target == recall,
            1.0,
            values("slope", target, rho, beta) / values("slope", recall, rho, beta),
        )
        # d logit y = dy/(y (1 - y)), so that dX/dP = share X (1 - X)/(P (1 - P)); at the target
        # itself X is P, and dX/dP is 1.  With the odds o against y, y (1 - y) is o/(1 + o)².
        spread = odds_of_target / np.square(1 + odds_of_target)
        by_precision = np.where(
            target == recall, 1.0, share * spread / (odds / np.square(1 + odds))
        )
        # A move of the point along its own curve leaves X as it is, and there dP/dR =
        # P/R (1 - P/x) (eq. 3): 0 = dX/dR + dX/dP dP/dR.  1 - P/x is (1 - P) times 1 less the
        # ratio of the odds against x and against P.
        by_recall = share * spread * (odds_here / odds - 1) / recall
        by_prevalence = (1 - share) * spread / (rho * (1 - rho))
    return Sensitivity(plain(by_precision), plain(by_recall), plain(by_prevalence))


def _odds_against(value: str, recall: np.ndarray, rho: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """(1 - y)/y of precision or relevance y.

    Near y = 1 its digits are lost.  But logit y - logit ρ does not depend on ρ: with a prevalence
    by which y is about 1/2 they are all there.
    """
    y, against = values(value, recall, rho, beta), (1 - rho) / rho
    with np.errstate(divide="ignore", invalid="ignore"):
        moved = against * y / (1 - y)  # the odds against relevance by which y is 1/2
        # Near a prevalence of 1 the digits of 1 - ρ are lost instead.
        is_lower = (y > 0.5) & (moved > 0.1)
        lower = np.where(is_lower, np.maximum(1 / (1 + moved), LEAST_PREVALENCE), rho)
        y = values(value, recall, lower, beta)
        return (1 - y) / y * np.where(is_lower, against / ((1 - lower) / lower), 1)


def check_points(on_invalid: str, **arguments: ArrayLike) -> dict[str, np.ndarray]:
    """The arguments by name, in one shape; invalid elements raise an error or become nan."""
    raises = check_choice("on_invalid", on_invalid, ("raise", "nan")) == "raise"
    arrays = [
        check_numbers(name, value, *RULES[name]) if raises else _with_nan(name, value)
        for name, value in arguments.items()
    ]
    point = dict(
        zip(arguments, broadcast(**dict(zip(arguments, arrays, strict=True))), strict=True)
    )
    is_random = point["precision"] <= point["prevalence"]
    if not raises:
        wrong = is_random | np.isnan(sum(point.values()))
        return {name: np.where(wrong, np.nan, array) for name, array in point.items()}
    if is_random.any():
        i = tuple(map(int, np.argwhere(is_random)[0]))
        where = f"at index {i[0] if len(i) == 1 else i}" if i else ""
        fail(
            "precision",
            f"must be above prevalence, {point['prevalence'][i]:g} (no better than random order)",
            point["precision"][i].item(),
            where,
        )
    return point


def check_target(value: ArrayLike) -> float:
    """Check that the target is one recall."""
    return float(
        check_number("target_recall", value, "must be a number from 0 to 1", lambda x: 0 <= x <= 1)
    )


def _with_nan(name: str, value: ArrayLike) -> np.ndarray:
    array = check_numbers(name, value, "must be numbers", lambda x: np.ones(x.shape, bool))
    return np.where(RULES[name][1](array), array, np.nan)


def _flat(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array, dtype=float).ravel()


def warn_where_little_is_said(
    recall: np.ndarray,
    precision: np.ndarray,
    rho: np.ndarray,
    beta: np.ndarray,
    target: np.ndarray,
    stacklevel: int = 4,
    place_of: Callable[[tuple[int, ...]], str] | None = None,
) -> None:
    """Give one warning for all elements.  It describes an element with the most reasons, and of
    these the one farthest from the target.

    `place_of` names an element; by default by its index.
    """
    distance = np.abs(target - recall)
    moves = distance > 0
    reasons: tuple[tuple[np.ndarray, Callable[[tuple[int, ...]], str]], ...] = (
        (
            distance > FAR + 1e-9,
            lambda i: f"recall {recall[i]:g} is far from the target {target[i]:g}",
        ),
        ((recall > NEAR_1) & moves, lambda i: f"recall {recall[i]:g} is very near 1"),
        ((precision > NEAR_1) & moves, lambda i: f"precision {precision[i]:g} is very near 1"),
        (
            (precision <= rho) & (precision > 0),
            lambda i: f"precision {precision[i]:g} is no higher than prevalence, {rho[i]:g}",
        ),
    )
    n_reasons = sum(found.astype(np.int8) for found, _ in reasons)
    little = np.asarray(n_reasons > 0)
    if not little.any():
        return
    # A distance is at most 1, so that it orders elements with as many reasons.
    worst = int(np.argmax(np.where(little, n_reasons + distance, -1)))
    i = tuple(map(int, np.unravel_index(worst, distance.shape)))
    by = sensitivity_at(*(np.asarray(array[i]) for array in (recall, rho, beta, target)))
    change = (
        f"; a change of precision by 0.01 changes it by {0.01 * by.precision:.2g}, one of recall "
        f"by {0.01 * by.recall:.2g}"
        if math.isfinite(by.precision + by.recall)
        else ""
    )
    index = f"at index {i[0] if len(i) == 1 else i}" if place_of is None else place_of(i)
    place = f" {index} ({counted(int(little.sum()), 'such element', 'such elements')})" if i else ""
    told = " and ".join(tell(i) for found, tell in reasons if found[i])
    warnings.warn(
        f"extrapolated precision is unreliable{place}: {told}{change}",
        ExtrapolationWarning,
        stacklevel=stacklevel,
    )
