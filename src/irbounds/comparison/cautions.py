"""Warnings of a comparison about unreliable tests."""

from __future__ import annotations

import warnings

from irbounds.foundation.errors import counted
from irbounds.queries.cautions import NoVarianceWarning as NoVarianceWarning

FEW = 30  # queries: benchmarks/results/comparison_nulls.md


class FewQueriesWarning(UserWarning):
    """The bootstrap has fewer than 30 queries."""


def caution(test: str, fewest: int, n_queries: int, undecided: list[str], stacklevel: int) -> None:
    """Warn of fewer queries than a test should have, and of differences (by name) that have no
    p-value."""
    if n_queries < fewest:
        warnings.warn(
            f"{test} of {counted(n_queries, 'query', 'queries')}, fewer than {fewest}: resamples "
            "have few different values; test='permutation' is exact for few queries",
            FewQueriesWarning,
            stacklevel=stacklevel + 1,
        )
    if undecided:
        more = f" (and {len(undecided) - 1} more)" if len(undecided) > 1 else ""
        warnings.warn(
            f"{undecided[0]}{more}: {reason_of(n_queries)}; no p-value, no interval",
            NoVarianceWarning,
            stacklevel=stacklevel + 1,
        )


def reason_of(n_queries: int) -> str:
    """The reason why there is no variance."""
    return (
        "one query has no variance"
        if n_queries == 1
        else ("differences that are equal on all queries have no variance")
    )
