"""Measures of rankings given as plain arrays: `rank_measures`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds._core.documents.doc_rows import BadRow, DocRows
from irbounds.foundation.arguments import as_floats, is_masked
from irbounds.foundation.errors import LARGEST_COUNT, InputError, fail
from irbounds.rankings.data.equal_scores import ScoreRule
from irbounds.rankings.data.evaluation import Evaluation
from irbounds.rankings.data.warnings import warn_of_run
from irbounds.rankings.evaluating.measure_plan import Plan
from irbounds.rankings.measure_table.measure import parse_measures

if TYPE_CHECKING:
    from irbounds.typing import ArrayLike, MeasuresLike


def rank_measures(
    scores: ArrayLike,
    relevance: ArrayLike,
    measures: MeasuresLike,
    *,
    groups: ArrayLike | None = None,
    n_relevant: ArrayLike | None = None,
    unretrieved: ArrayLike | None = None,
    unretrieved_groups: ArrayLike | None = None,
    doc_ids: ArrayLike | None = None,
    ties: str = "expected",
    bounds: bool = False,
    judged_only: bool = False,
    collection_size: int | None = None,
    score_precision: str = "float64",
    score_tolerance: float = 0.0,
) -> Evaluation:
    """Measures of rankings given as plain arrays without ids.

    Parameters
    ----------
    scores, relevance : array_like, shape (rows,) or (queries, documents)
        Scores, higher first, and grades; a negative grade means unjudged.
    measures : str, list of str, or ir_measures objects
    groups : array_like, shape (rows,), optional
        The query of each row, as text or numbers, which are kept apart; rows of a query need not
        be adjacent. Without it all rows are one query, or each row of a two-dimensional array
        is.
    n_relevant : int or array_like, shape (queries,), optional
        All relevant documents of each query where the rows lack some; those count as unretrieved,
        of grade 1.  Time does not grow with it.
    unretrieved, unretrieved_groups : array_like, shape (k,), optional
        Instead of `n_relevant`: grades of judged documents that were not retrieved, and their
        queries.
    doc_ids : array_like of str, shape (rows,), optional
        For ``ties="doc_id"``.
    ties, bounds, judged_only, collection_size, score_precision, score_tolerance
        As in `evaluate`.

    Returns
    -------
    Evaluation
        Its query_ids are the groups in order of first appearance, or 0, 1, ….

    Raises
    ------
    InputError
        For arrays of other shapes, scores that are nan, and what `evaluate` refuses.

    Examples
    --------
    >>> import irbounds as irb
    >>> scores, relevance, groups = [0.9, 0.9, 0.1, 0.7], [1, 0, 1, 0], ["a", "a", "a", "b"]
    >>> irb.rank_measures(scores, relevance, "AP RR", groups=groups).values
    array([[0.70833333, 0.75      ],
           [0.        , 0.        ]])
    """
    parsed = parse_measures(measures)
    score_rule = ScoreRule.read(score_precision, score_tolerance)
    plan = Plan(parsed, ties, bounds, judged_only, collection_size, score_rule)
    score, grade = _numbers("scores", scores), _numbers("relevance", relevance)
    if score.shape != grade.shape or score.ndim not in (1, 2):
        raise InputError(
            "`scores` and `relevance` must have one shape, with one or two dimensions; "
            f"found {score.shape} and {grade.shape}"
        )
    if not np.isfinite(grade).all():
        place = tuple(np.argwhere(~np.isfinite(grade))[0])
        fail("relevance", "must be finite", float(grade[place]), _at(place))
    names = _names(doc_ids, score.shape, ties)
    labels, start, order = _group(score, groups)
    shape, score, grade = score.shape, score.ravel(), grade.ravel()
    if order is not None:
        score, grade = score[order], grade[order]
        names = None if names is None else names[order]
    extra, extra_count, extra_start = _unretrieved(
        grade,
        start,
        labels,
        n_relevant,
        unretrieved,
        unretrieved_groups,
        graded=any(measure.spec.is_graded for measure in parsed),
    )
    if plan.has_gains:
        plan.fit(np.concatenate([grade, extra]))
    _check_gains(plan, grade, extra)
    most = int(
        (np.diff(start) + np.diff(np.append(0, np.cumsum(extra_count))[extra_start])).max(initial=0)
    )
    plan.check_size(most)
    values, low, high = plan.make_arrays(len(labels))
    job = plan.make_job(None, values, low, high)
    rows = None
    if names is not None:
        rows = DocRows()
        try:
            rows.append_items(names.ravel().tolist(), score.tolist())
        except BadRow as error:
            raise InputError(f"`doc_ids`: {error.problem}") from None
    try:
        bad = job.run_groups(score, grade, start, extra, extra_count, extra_start, rows)
    except BadRow as error:
        raise InputError(f"{error.problem} (query {labels[job.failed_query]!r})") from None
    if bad >= 0:
        place = np.unravel_index(bad if order is None else order[bad], shape)
        query = labels[int(np.searchsorted(start, bad, side="right")) - 1]
        fail("scores", "must not be nan", math.nan, f"{_at(place)} (query {query!r})")
    return Evaluation(
        tuple(parsed),
        tuple(labels),
        values,
        low if bounds else None,
        high if bounds else None,
        ties,
    )


def _names(doc_ids: ArrayLike | None, shape: tuple[int, ...], ties: str) -> np.ndarray | None:
    """Ids of the documents, in the shape of the scores."""
    if doc_ids is None:
        if ties == "doc_id":
            raise InputError("ties='doc_id' needs `doc_ids`")
        return None
    names = np.asarray(doc_ids, dtype=object)
    if names.shape != shape:
        fail("doc_ids", f"must have the shape of `scores`, {shape}", names.shape)
    return names


def _check_gains(plan: Plan, *grades: np.ndarray) -> None:
    highest = [_highest_gain(view.gain_of, *grades) for view in plan.views]
    plan.check_gains(highest)
    if 0 < max(highest) < 1:  # grade 0 alone may be right, where nothing relevant was retrieved
        warn_of_run("rank_measures", plan.unreached(highest))


def _highest_gain(gain_of: dict[float, float], *grades: np.ndarray) -> float:
    """The highest of all grades, or of the gains that replace them."""
    if not gain_of:
        return max(float(grade.max(initial=0.0)) for grade in grades)
    return max(
        (gain_of.get(grade, grade) for grade in np.unique(np.concatenate(grades)).tolist()),
        default=0.0,
    )


def _numbers(argument: str, values: ArrayLike) -> np.ndarray:
    array = _array(argument, values)
    kind = array.dtype.kind
    if array.size == 0:
        return np.zeros(array.shape)
    for place, value in np.ndenumerate(array) if kind not in "buif" else ():
        if kind != "O" or not isinstance(value, int | float | np.bool_ | np.integer | np.floating):
            fail(argument, "must be numbers", value, _at(place))
    try:
        with np.errstate(over="ignore"):  # of long doubles
            return np.ascontiguousarray(array, dtype=np.float64)
    except OverflowError:
        raise InputError(f"`{argument}` must be numbers that 64-bit floats can hold") from None


def _array(argument: str, values: ArrayLike) -> np.ndarray:
    """An array; of objects if NumPy would convert numbers to text."""
    if is_masked(values):
        fail(argument, "must have no masked elements", values)
    try:
        array = np.asarray(values)
        is_text = array.dtype.kind in "US" and not isinstance(values, np.ndarray)
        return np.asarray(values, dtype=object) if is_text else array
    except (TypeError, ValueError):
        raise InputError(f"`{argument}` must be an array; found rows of several lengths") from None


def _at(place: tuple[Any, ...]) -> str:
    """The position of an element of an array, for messages."""
    return f"at index {place[0] if len(place) == 1 else tuple(map(int, place))}"


def _group(
    score: np.ndarray, groups: ArrayLike | None
) -> tuple[list[Any], np.ndarray, np.ndarray | None]:
    """Labels, the start of each group (and the end of the last one), and the order of rows that
    makes groups contiguous."""
    if groups is None:
        n_queries, size = score.shape if score.ndim == 2 else (1, score.size)
        return list(range(n_queries)), np.arange(n_queries + 1, dtype=np.int64) * size, None
    label = _array("groups", groups)
    if score.ndim != 1 or label.shape != score.shape:
        fail("groups", f"must have one entry for each row, {score.shape}", label.shape)
    if label.size == 0:
        return [], np.zeros(1, np.int64), None
    # Labels are compared as Python objects once for each stretch of equal ones, not for each row.
    first = np.flatnonzero(np.concatenate(([True], label[1:] != label[:-1])))
    is_nan = np.asarray(label[first] != label[first])
    if is_nan.any():
        fail("groups", "must not be nan", math.nan, _at((first[is_nan][0],)))
    labels = label[first].tolist()
    if len(set(labels)) == len(labels):
        return labels, np.append(first, label.size).astype(np.int64), None
    # A label comes again: its stretches are joined, in the order of the rows.
    number: dict[Any, int] = {}
    for name in labels:
        number.setdefault(name, len(number))
    of_stretch = np.array([number[name] for name in labels])
    of_row = np.repeat(of_stretch, np.diff(np.append(first, label.size)))
    order = np.argsort(of_row, kind="stable")
    start = np.concatenate(([0], np.cumsum(np.bincount(of_row))))
    return list(number), start.astype(np.int64), order


def _unretrieved(
    grade: np.ndarray,
    start: np.ndarray,
    labels: list[Any],
    n_relevant: ArrayLike | None,
    unretrieved: ArrayLike | None,
    unretrieved_groups: ArrayLike | None,
    graded: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Grades of judged documents that were not retrieved, their counts, and the start of each
    group."""
    # Measures need only the number of these documents with each grade.  `unretrieved` lists their
    # grades.  `n_relevant` is the number of all relevant documents; those that were not retrieved
    # are taken to have grade 1.  With other grades among the retrieved documents, this would be a
    # guess, so it is refused.
    n_groups = len(labels)
    if unretrieved is not None:
        if n_relevant is not None:
            raise InputError("give `n_relevant` or `unretrieved`, not both")
        grades = _numbers("unretrieved", unretrieved).ravel()
        if not (np.isfinite(grades) & (grades >= 0)).all():
            fail(
                "unretrieved",
                "must be grades, 0 or more",
                grades[~(np.isfinite(grades) & (grades >= 0))][0].item(),
            )
        number = {name: i for i, name in enumerate(labels)}
        if unretrieved_groups is not None:
            names = _array("unretrieved_groups", unretrieved_groups).ravel().tolist()
        elif n_groups == 1:
            names = labels * grades.size
        else:
            raise InputError(
                "`unretrieved` needs `unretrieved_groups` where there are several queries"
            )
        if len(names) != grades.size:
            fail(
                "unretrieved_groups",
                f"must have one entry for each of {grades.size} grades",
                len(names),
            )
        unknown = [name for name in names if name not in number]
        if unknown:
            fail("unretrieved_groups", "must be among the groups", unknown[0])
        of_row = np.array([number[name] for name in names], dtype=np.int64)
        order = np.argsort(of_row, kind="stable")
        start = np.searchsorted(of_row[order], np.arange(n_groups + 1)).astype(np.int64)
        return grades[order], np.ones(grades.size, np.int64), start
    if n_relevant is None:
        return np.zeros(0), np.zeros(0, np.int64), np.zeros(n_groups + 1, np.int64)
    rule = f"must be a whole number, or one for each of {n_groups} queries"
    wanted = as_floats("n_relevant", _array("n_relevant", n_relevant), rule)
    is_whole = wanted == np.rint(wanted)
    if wanted.shape not in ((), (n_groups,)) or not is_whole.all():
        fail("n_relevant", rule, n_relevant)
    if (np.abs(wanted) > LARGEST_COUNT).any():
        fail("n_relevant", "must be at most 2^52", wanted.max().item())
    found = np.array(
        [np.count_nonzero(grade[start[q] : start[q + 1]] > 0) for q in range(n_groups)],
        dtype=np.int64,
    )
    more = np.broadcast_to(wanted, (n_groups,)).astype(np.int64) - found
    if (more < 0).any():
        query = int(np.flatnonzero(more < 0)[0])
        fail(
            "n_relevant",
            f"must be at least the {found[query]} relevant documents of query {labels[query]!r}",
            int(more[query] + found[query]),
        )
    if graded and more.any() and ((grade > 0) & (grade != 1)).any():
        raise InputError(
            "with graded relevance give `unretrieved`, the grades of what was not retrieved, "
            "instead of `n_relevant`"
        )
    return np.ones(n_groups), more, np.arange(n_groups + 1, dtype=np.int64)
