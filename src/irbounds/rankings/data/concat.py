"""One evaluation of several, of different queries."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from irbounds.foundation.errors import InputError, fail
from irbounds.rankings.data.evaluation import Evaluation

ARRAYS = ("values", "low", "high", "unjudged_low", "unjudged_high", "judged")


def concat(evaluations: Iterable[Evaluation]) -> Evaluation:
    """Join the evaluations of parts of the queries, as of one run that was evaluated in parts.

    Parameters
    ----------
    evaluations : list of Evaluation
        By the same measures and tie rule, with the same bounds; no query is in two of them.

    Returns
    -------
    Evaluation
        Its means are those of the whole to the last bit, as sums are exact.  Queries come in the
        order of the parts.

    Raises
    ------
    InputError
        For parts that differ in more than their queries, and a query that is judged in two.

    Examples
    --------
    >>> import irbounds as irb
    >>> qrels = {"q1": {"d1": 1}, "q2": {"d1": 1}}
    >>> run = {"q1": {"d1": 1.0}, "q2": {"d1": 1.0, "d2": 2.0}}
    >>> parts = [irb.evaluate({q: qrels[q]}, {q: run[q]}, "RR") for q in qrels]
    >>> irb.rankings.concat(parts).mean
    {'RR': 0.75}
    """
    parts = list(evaluations)
    for place, part in enumerate(parts):
        if not isinstance(part, Evaluation):
            fail("evaluations", "must be a list of Evaluation", type(part).__name__, f"at {place}")
    if not parts:
        fail("evaluations", "must have an evaluation", parts)
    first = parts[0]
    for place, part in enumerate(parts[1:], 1):
        for what in ("measures", "ties"):
            if getattr(part, what) != getattr(first, what):
                raise InputError(
                    f"`evaluations` must be of the same {what}; found {getattr(first, what)!r} at "
                    f"index 0 and {getattr(part, what)!r} at index {place}"
                )
        for what in ARRAYS:
            if (getattr(part, what) is None) != (getattr(first, what) is None):
                raise InputError(
                    f"`evaluations` must all have {what!r} or none; index 0 and index {place} "
                    "differ"
                )
    part_of: dict[Any, int] = {}
    for place, part in enumerate(parts):
        judged = (*part.query_ids, *part.missing_queries, *part.no_relevant_queries)
        for query in dict.fromkeys(judged):
            if part_of.setdefault(query, place) != place:
                raise InputError(
                    f"`evaluations` must have each query once; {query!r} is judged at index "
                    f"{part_of[query]} and at index {place}"
                )
    arrays: dict[str, Any] = {
        what: None
        if getattr(first, what) is None
        else np.concatenate([getattr(part, what) for part in parts])
        for what in ARRAYS
    }
    unjudged = dict.fromkeys(query for part in parts for query in part.unjudged_queries)
    return Evaluation(
        first.measures,
        tuple(query for part in parts for query in part.query_ids),
        **arrays,
        ties=first.ties,
        missing_queries=tuple(query for part in parts for query in part.missing_queries),
        unjudged_queries=tuple(query for query in unjudged if query not in part_of),
        no_relevant_queries=tuple(query for part in parts for query in part.no_relevant_queries),
        cautions=tuple(dict.fromkeys(line for part in parts for line in part.cautions)),
    )
