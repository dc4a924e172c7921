"""Which test a guaranteed bound inverts, and why one of several strata is loose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irbounds.samples.bounds.guaranteed import test_of
from irbounds.samples.model.strata import check_segments

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
    segments = {"retrieved": retrieved, "unretrieved": unretrieved}
    return test_of(*check_segments(**{k: v for k, v in segments.items() if v is not None}))
