"""Warnings of a comparison about unreliable tests."""

from __future__ import annotations

import warnings

from irbounds.foundation.errors import counted
from irbounds.queries.cautions import caution_of_few_groups
from irbounds.queries.groups import Groups, Units
from irbounds.warnings import FewQueriesWarning, FewUnitsWarning
from irbounds.warnings import NoVarianceWarning as NoVarianceWarning

FEW = 30  # queries: benchmarks/results/gates.md
# Where scores change by 1 on 4 % of the units, and by a normal deviation of 0.1 on all, ranks of
# two systems by "max-t" are all right in .90 of samples of 14 units, .86 of 25 and .95 of 41 (200
# samples; benchmarks/results/ranks.md).
FEW_UNITS = 40


def caution_of_few_units(units: Units, correction: str | None, stacklevel: int) -> None:
    """Warn where there are so few units, or groups of them, that other units may differ much."""
    n = len(units.weights)
    if n >= FEW_UNITS:
        return
    name, names = units.singular, units.plural
    if units.groups is not None:
        name, names = "group", "groups"
    rely = (
        "their intervals cover less than their level if scores change much on a few units only"
        if correction == "max-t"
        else "their intervals cover less than their level if scores are skewed; "
        "correction='max-t' allows for that"
    )
    rely += f"; P(best) says only which is best for this {name}" if n == 1 else ""
    warnings.warn(
        f"ranks of {counted(n, name, names)}, fewer than {FEW_UNITS}: {rely}",
        FewUnitsWarning,
        stacklevel=stacklevel + 1,
    )


def caution(
    test: str,
    fewest: int,
    n_queries: int,
    undecided: list[str],
    stacklevel: int,
    groups: Groups | None = None,
) -> None:
    """Warn of fewer queries, or groups of them, than a test should have, and of differences (by
    name) that have no p-value."""
    if groups is not None:
        caution_of_few_groups(groups, 0.025, stacklevel + 1)
    n = n_queries if groups is None else len(groups)
    if n < fewest:
        units = counted(n, "query", "queries") if groups is None else counted(n, "group", "groups")
        warnings.warn(
            f"{test} of {units}, fewer than {fewest}: resamples "
            "have few different values; test='permutation' is exact for few queries",
            FewQueriesWarning,
            stacklevel=stacklevel + 1,
        )
    if undecided:
        more = f" (and {len(undecided) - 1} more)" if len(undecided) > 1 else ""
        warnings.warn(
            f"{undecided[0]}{more}: {reason_of(n_queries, groups)}; no p-value, no interval",
            NoVarianceWarning,
            stacklevel=stacklevel + 1,
        )


def reason_of(n_queries: int, groups: Groups | None = None) -> str:
    """The reason why there is no variance."""
    if groups is not None and len(groups) == 1:
        return "one group has no variance"
    return (
        "one query has no variance"
        if n_queries == 1
        else ("differences that are equal on all queries have no variance")
    )
