"""A warning where values without spread leave nothing to infer from."""

from __future__ import annotations

import warnings

from irbounds.warnings import NoVarianceWarning


def caution_of_equal_values(n: int, method: str, stacklevel: int) -> None:
    """Warn that an interval of a mean has no ends."""
    reason = "one query has no variance" if n == 1 else "values that are all equal have no variance"
    warnings.warn(
        f"{reason}, so that method={method!r} gives no interval; method='jeffreys' and "
        "method='guaranteed' do for measures in [0, 1]",
        NoVarianceWarning,
        stacklevel=stacklevel + 1,
    )
