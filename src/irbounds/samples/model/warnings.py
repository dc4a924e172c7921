"""Warnings about misleading intervals."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.samples.model.priors import PerStratum, Prior
from irbounds.samples.model.strata import Segment
from irbounds.warnings import SampleWarning

if TYPE_CHECKING:
    from irbounds.typing import FloatOrArray

# Documents that the prior is worth, in proportion to those sampled.  A half prior is worth one
# document, so that a segment of which four or more were sampled is never warned about.
HEAVY = 0.25


def warn_of_prior(prior: Prior, stacklevel: int, **segments: Segment) -> None:
    """Warn if the prior weighs more than a quarter of the sampled documents."""
    for text in cautions_of_prior(prior, **segments):
        warnings.warn(text, SampleWarning, stacklevel=stacklevel + 1)


def cautions_of_prior(prior: Prior, **segments: Segment) -> Iterator[str]:
    """A line for each segment in which the prior weighs more than a quarter of the sampled
    documents."""
    for name, segment in segments.items():
        if len(segment) == 1 and not isinstance(prior, PerStratum):
            a, b = prior if isinstance(prior, tuple) else (1.0, 1.0)
            if np.all(HEAVY * segment[0].sampled >= a + b):
                continue  # the usual case, which takes a tenth of what follows
        sampled: FloatOrArray = 0.0
        n_open: Any = 0
        for stratum in segment:
            is_open = np.asarray(stratum.sampled) < stratum.size
            sampled = sampled + np.where(is_open, stratum.sampled, 0.0)
            n_open = n_open + is_open
        if isinstance(prior, PerStratum):
            a, b = prior.prior if isinstance(prior.prior, tuple) else (1.0, 1.0)
            # A whole prior in each stratum that is not read to its end; below one for all of them.
            worth = (a + b) * n_open
        else:
            a, b = prior if isinstance(prior, tuple) else (1.0, 1.0)
            worth = (a + b) * (n_open > 0)
        heavy = (worth > HEAVY * sampled) & (n_open > 0)
        if heavy.any():
            where = "" if heavy.ndim == 0 else f" in {int(heavy.sum())} of {heavy.size} questions"
            yield (
                f"the prior weighs more than a quarter as much as the sample of the {name} "
                f"segment{where}: the interval depends strongly on the prior"
            )


def warn_of_few(prior: tuple[float, float], found: FloatOrArray, stacklevel: int) -> None:
    """Warn if a prior of the retrieved share weighs more than a quarter of the relevant documents
    in a sample that is not divided; 0 of them give no interval, nor a warning."""
    heavy = (sum(prior) > HEAVY * np.asarray(found)) & (np.asarray(found) > 0)
    if heavy.any():
        where = "" if heavy.ndim == 0 else f" in {int(heavy.sum())} of {heavy.size} questions"
        warnings.warn(
            "the prior weighs more than a quarter as much as the relevant documents in the sample"
            f"{where}: the interval depends strongly on the prior",
            SampleWarning,
            stacklevel=stacklevel + 1,
        )


def warn_of_estimate(
    estimate: FloatOrArray, low: FloatOrArray, high: FloatOrArray, stacklevel: int
) -> None:
    """Warn if the estimate lies outside its interval."""
    outside = (np.asarray(estimate) < np.asarray(low) - 1e-12) | (
        np.asarray(estimate) > np.asarray(high) + 1e-12
    )
    if outside.any():
        where = "" if outside.ndim == 0 else f" in {int(outside.sum())} of {outside.size} questions"
        warnings.warn(
            f"the estimate lies outside its interval{where}: the prior outweighs the samples",
            SampleWarning,
            stacklevel=stacklevel + 1,
        )
