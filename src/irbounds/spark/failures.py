"""Errors that a job of Spark finds in the rows."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

from irbounds.foundation.errors import InputError, counted

MARK, END = "irbounds: ", "\N{END OF PROOF}"


@contextlib.contextmanager
def input_errors() -> Iterator[None]:
    """A context manager: errors in rows that a job finds are raised as an InputError of one line.

    Examples
    --------
    >>> from irbounds.spark import evaluate, input_errors
    >>> with input_errors():  # doctest: +SKIP
    ...     evaluate(run_df, qrels_df, "AP").per_query.write.parquet("ap.parquet")
    """
    try:
        yield
    except Exception as error:
        found = re.search(f"{MARK}(.*?){END}", str(error), re.DOTALL)
        if found is None and "No module named 'irbounds" in str(error):
            raise ImportError(
                "irbounds is not installed on the machines that run Spark's tasks"
            ) from None
        if found is None:
            raise
        raise InputError(found.group(1)) from None


def refuse_run(
    has_judged: bool, unjudged: str | None, judged: str, lacking: str | None, n_lacking: int
) -> None:
    """Refuse a run that `irbounds.evaluate` refuses, in its order.

    has_judged: whether the run has a judged query; unjudged, judged, lacking: a query without
    judgments, a judged one, and one that the run may not lack, or None if there is none.
    """
    if not has_judged and unjudged is None:
        raise InputError("run: it has no rows")
    if not has_judged:
        raise InputError(
            f"run: none of its queries is judged: it has {unjudged!r}, the qrels have {judged!r}"
        )
    if lacking is not None:
        raise InputError(
            f"run: it lacks the judged query {lacking!r} "
            f"({counted(n_lacking, 'such query', 'such queries')})"
        )
