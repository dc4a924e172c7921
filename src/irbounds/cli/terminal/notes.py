"""Notes on stderr that several commands have."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from irbounds.cli.terminal.screen import complain
from irbounds.foundation.errors import InputError, counted

COUNTS = {"zero": ", counted as 0", "skip": ", left out"}  # judged queries that a run lacks


def notes_on_queries(
    run: str, missing: Sequence[Any], unjudged: Sequence[Any], rule: str
) -> Iterator[str]:
    """Queries in which a run and the judgments differ; `rule` is that of --missing."""
    for queries, what in (
        (missing, f"judged but missing from the run{COUNTS.get(rule, '')}"),
        (unjudged, "in the run but not judged, left out"),
    ):
        if queries:
            more = ", …" if len(queries) > 3 else ""
            yield (
                f"{run}: {counted(len(queries), 'query', 'queries')} {what}: "
                f"{', '.join(map(str, queries[:3]))}{more}"
            )


@contextlib.contextmanager
def warnings_as_notes(*kinds: type[Warning], with_errors: bool = False) -> Iterator[None]:
    """Print each warning of these kinds as a line on stderr, once; those before an error only
    `with_errors`, which they help to understand."""
    with warnings.catch_warnings(record=True) as caught:
        for kind in kinds:
            warnings.simplefilter("always", kind)
        try:
            yield
        except InputError:
            if with_errors:
                complain(dict.fromkeys(str(warning.message) for warning in caught))
            raise
    complain(dict.fromkeys(str(warning.message) for warning in caught))


@contextlib.contextmanager
def notes_on_tests() -> Iterator[None]:
    """Print the warnings of comparisons as lines on stderr."""
    from irbounds.warnings import FewQueriesWarning, FewUnitsWarning, NoVarianceWarning, RunWarning

    with warnings_as_notes(FewQueriesWarning, FewUnitsWarning, NoVarianceWarning, RunWarning):
        yield
