"""Which test a guaranteed bound inverts, and why one of several strata is loose."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from irbounds.foundation.interval import tail_probability
from irbounds.samples.bounds.guaranteed import BUEHLER, EXPONENTIAL, name_of_test, recall_ends
from irbounds.samples.model.point_estimates import estimated_yield
from irbounds.samples.model.strata import Segment, Stratum, check_segments, total

if TYPE_CHECKING:
    from irbounds.typing import SegmentLike


def guaranteed_test(retrieved: SegmentLike, unretrieved: SegmentLike | None = None) -> str:
    """The name of the test that method "guaranteed" inverts.

    Parameters
    ----------
    retrieved, unretrieved : Stratum, (size, sampled, relevant) or a list of such
        As in `recall_interval`, but for one question; the second is left out for a share of one
        segment.  Only sizes and samples decide.

    Returns
    -------
    str
        "Buehler's bound", "exact test of the weighted counts" or "exponential bound".

    Raises
    ------
    InputError
        For impossible counts, and for `Audited` segments.

    Examples
    --------
    >>> import irbounds as irb
    >>> irb.samples.guaranteed_test((500, 50, 40), [(2000, 100, 3), (9000, 100, 0)])
    'exact test of the weighted counts'
    """
    if unretrieved is None:
        return name_of_test(*check_segments(retrieved=retrieved))
    return name_of_test(*check_segments(retrieved=retrieved, unretrieved=unretrieved))


LOOSE = 0.01  # difference of bounds from which a line says so


def loose_bound_note(
    retrieved: SegmentLike,
    unretrieved: SegmentLike,
    *,
    confidence_level: float = 0.95,
    side: str = "lower",
) -> str:
    """Why the guaranteed low end of recall is loose, and what equal sampling rates would give.

    Parameters
    ----------
    retrieved, unretrieved : Stratum, (size, sampled, relevant) or a list of such
        As in `recall_interval`, but for one question.
    confidence_level : float
    side : {"two-sided", "lower", "upper"}

    Returns
    -------
    str
        Empty where there is nothing to say: one test for all rates, a stratum without a sample, or
        a bound within 0.01 of that with equal rates.

    Raises
    ------
    InputError
        For impossible counts, and for `Audited` segments.

    Examples
    --------
    >>> import irbounds as irb
    >>> rates = [(9000, 90, 2), (5000, 100, 1), (8000, 400, 4), (3000, 300, 3)]
    >>> irb.samples.loose_bound_note((4000, 200, 180), rates)[:48]
    'recall at least 0.7733 is an exponential bound, '
    """
    tail_probability(confidence_level, side)
    segments = check_segments(retrieved=retrieved, unretrieved=unretrieved)
    test = name_of_test(*segments)
    if test == BUEHLER or side == "upper":
        return ""
    equal = [_of_one_rate(segment) for segment in segments]
    if any(segment is None for segment in equal):
        return ""
    one, other = (segment for segment in equal if segment is not None)
    now = float(recall_ends(segments[0], segments[1], confidence_level, side)[0])
    then = float(recall_ends(one, other, confidence_level, side)[0])
    if then < now + LOOSE:
        return ""
    because = (
        "an exponential bound, as more than four strata have unlike sampling rates"
        if test == EXPONENTIAL
        else "the worst case over strata of unlike sampling rates"
    )
    now, then = (math.floor(end * 1e4) / 1e4 for end in (now, then))  # bounds are rounded outwards
    return (
        f"recall at least {now:.4f} is {because}; as many documents at one sampling rate in each "
        f"segment would give about {then:.4f}"
    )


def _of_one_rate(segment: Segment) -> Segment | None:
    """The sample of as many documents from the whole segment that has its estimated yield."""
    if any(stratum.sampled == 0 < stratum.size for stratum in segment):
        return None
    size, sampled = total(segment, "size"), total(segment, "sampled")
    found = float(estimated_yield(segment)) / size * sampled if size else 0.0
    return [Stratum(size, sampled, min(sampled, float(math.floor(found + 0.5))))]
