"""Methods for an interval on one proportion: one row each, which everything else reads.

A row's functions take arrays of one shape: x relevant of n > 0 sampled documents, 0 <= x <= n.
Those of a finite population of `size` >= n documents return numbers of relevant documents in it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from irbounds.foundation.errors import check_choice
from irbounds.samples.bounds.anytime import finite_anytime
from irbounds.samples.model.exact_limits import (
    Ends,
    Tail,
    agresti_coull,
    blaker,
    clopper_pearson,
    finite_blaker,
    finite_mid_p,
    finite_tails,
    jeffreys,
    mid_p,
    wald,
    wilson,
    wilson_corrected,
)

if TYPE_CHECKING:
    from irbounds.typing import FloatOrArray


def _scaled(ends: Callable[..., Ends]) -> Callable[..., Ends]:
    """The method for a finite population, whose variance is (size - n)/(size - 1) times the
    binomial's."""

    def finite(x: FloatOrArray, n: FloatOrArray, size: FloatOrArray, tail: Tail) -> Ends:
        # A smaller z has the effect of a smaller variance: the formulas hold both only as z² times
        # the variance, or its root.
        low, high = ends(x, n, tail, tail.z * np.sqrt((size - n) / np.maximum(size - 1, 1)))
        return size * low, size * high

    finite.__doc__ = ends.__doc__
    return finite


@dataclass(frozen=True, kw_only=True)
class ProportionMethod:
    """A method for an interval on one proportion.

    Attributes
    ----------
    name : str
    note : str
        One line for tables.
    ends : function, optional
        (x, n, tail) to ends for an unlimited population; None where there is no form.
    finite : function, optional
        (x, n, size, tail) to numbers of relevant documents in a finite population; ditto.
    is_exact : bool
        Whether these are the numbers that an exact test accepts.
    keeps_level : bool
        Whether intervals never cover less than their level, whatever the proportion is.
    is_usual, is_usual_with_size : bool
        Whether it is the default, without and with the size of the population.
    takes_prior : bool
        Whether `finite` takes a prior that weighs its evidence.
    """

    name: str
    note: str
    ends: Callable[..., Ends] | None = field(default=None, repr=False)
    finite: Callable[..., Ends] | None = field(default=None, repr=False)
    is_exact: bool = False
    keeps_level: bool = False
    is_usual: bool = False
    is_usual_with_size: bool = False
    takes_prior: bool = False


PROPORTION_METHODS: dict[str, ProportionMethod] = {
    method.name: method
    for method in (
        ProportionMethod(
            name="wilson",
            note="score test, inverted; the default",
            ends=wilson,
            finite=_scaled(wilson),
            is_usual=True,
        ),
        ProportionMethod(
            name="wilson-cc",
            note="the same, with correction for continuity",
            ends=wilson_corrected,
            finite=_scaled(wilson_corrected),
        ),
        ProportionMethod(
            name="wald",
            note="normal approximation; covers far less than its level for small counts",
            ends=wald,
            finite=_scaled(wald),
        ),
        ProportionMethod(
            name="agresti-coull",
            note="normal approximation with z²/2 more of either kind",
            ends=agresti_coull,
            finite=_scaled(agresti_coull),
        ),
        ProportionMethod(
            name="jeffreys",
            note="posterior with Jeffreys' prior; for a finite population `precision_interval` "
            "has it",
            ends=jeffreys,
        ),
        ProportionMethod(
            name="mid-p",
            note="exact tails in which the sample counts half: covers its level on average",
            ends=mid_p,
            finite=finite_mid_p,
            is_exact=True,
        ),
        ProportionMethod(
            name="clopper-pearson",
            note="exact tails: never covers less than its level",
            ends=clopper_pearson,
            finite=finite_tails,
            is_exact=True,
            keeps_level=True,
        ),
        ProportionMethod(
            name="blaker",
            note="Blaker's exact test: never covers less than its level, and is never wider than "
            "clopper-pearson",
            ends=blaker,
            finite=finite_blaker,
            is_exact=True,
            keeps_level=True,
        ),
        ProportionMethod(
            name="hypergeometric",
            note="exact tails of a finite population: never covers less than its level; needs "
            "`size`",
            finite=finite_tails,
            is_exact=True,
            keeps_level=True,
            is_usual_with_size=True,
        ),
        ProportionMethod(
            name="anytime",
            note="never covers less than its level at all looks together at a sample that grows; "
            "needs `size`",
            finite=finite_anytime,
            is_exact=True,
            keeps_level=True,
            takes_prior=True,
        ),
    )
}


def usual_proportion_method(has_size: bool, method: str | None = None) -> str:
    """The method that was asked for, or the usual one."""
    if method is not None:
        return check_choice("method", method, PROPORTION_METHODS)
    (usual,) = (
        row.name
        for row in PROPORTION_METHODS.values()
        if (row.is_usual_with_size if has_size else row.is_usual)
    )
    return usual
