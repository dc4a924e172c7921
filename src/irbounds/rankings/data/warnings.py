"""Warnings of runs that can be evaluated, but hardly were meant so."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable

from irbounds import _version
from irbounds._core.evaluating.rankings import RankingJob
from irbounds.foundation.errors import counted
from irbounds.warnings import RunWarning

PACKAGE = os.path.dirname(_version.__file__)  # noqa: PTH120, a faster start

SELVES = 0.9  # the share of queries from which it is no chance that they retrieve themselves


def cautions_of(job: RankingJob) -> tuple[str, ...]:
    """Cautions about the rankings that a job evaluated."""
    found = []
    if job.n_docs > 0 and job.n_judged == 0:
        why = "are these the document ids of the judgments?"
        if job.n_negative > 0:
            why = f"negative grades, {job.n_negative:,} here, mean unjudged"
        found.append(f"none of its {counted(job.n_docs, 'document', 'documents')} is judged: {why}")
    if job.n_rankings > 0 and job.n_tied == job.n_rankings:
        n = job.n_tied
        which = "the only query" if n == 1 else f"all {n:,} queries"
        found.append(f"all documents have the same score, in {which} with two documents or more")
    if job.n_selves > 0 and job.n_selves >= SELVES * job.n_queries:
        those = counted(job.n_queries, "query", "queries")
        found.append(
            f"{job.n_selves:,} of {those} retrieved a document of the query's own id, not judged "
            "as relevant: if queries are documents, drop_self=True leaves them out"
        )
    return tuple(found)


def warn_of_run(name: str, cautions: Iterable[str]) -> None:
    """Warn of a run by its name, at the line that called the package."""
    for caution in cautions:
        warnings.warn(f"{name}: {caution}", RunWarning, stacklevel=outside())


def outside() -> int:
    """The stacklevel, for the caller, of the first frame that is not of this package."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame, level = frame.f_back, level + 1
    return level
