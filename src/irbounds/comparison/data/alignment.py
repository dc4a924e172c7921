"""The compared data: runs by name, and their values on the same queries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from numbers import Number
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irbounds.foundation.errors import InputError, fail, suggest
from irbounds.foundation.paths import is_path, name_of, numbered, short_names
from irbounds.queries.groups import Groups
from irbounds.rankings.data.evaluation import Evaluation
from irbounds.rankings.data.run_source import RunSource
from irbounds.rankings.evaluating.evaluator import Evaluator
from irbounds.rankings.measure_table.measure import Measure
from irbounds.rankings.reading.groups import groups_of

if TYPE_CHECKING:
    from irbounds.typing import RNGLike, RunLike, RunsLike

COMPARED = ("mean", "sum")  # aggregates whose differences are those of the values by query
OF_MEANS = {"GMAP": ": compare AP", "GMBpref": ": compare Bpref"}


class Aligned(NamedTuple):
    """Values of runs on the queries that all of them have, each of shape (runs, queries,
    measures); and the groups that these queries are of, if any."""

    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    query_ids: tuple[Any, ...]
    chosen: np.ndarray
    low: np.ndarray | None
    high: np.ndarray | None
    groups: Groups | None = None


WITHOUT_BOUNDS = re.compile(r": choose [^(]*, without bounds")


def name_runs(runs: RunsLike, argument: str = "runs") -> dict[str, Any]:
    """Runs (or evaluations) by name: the given name, the file name, the run's own name, or run 1,
    run 2, …; equal names are made distinct."""
    one = argument.removesuffix("s")
    if isinstance(runs, dict):
        named = {str(name): run for name, run in runs.items()}
        if len(named) < len(runs):
            fail(argument, "must have names that differ as text", list(runs))
        if any(
            isinstance(run, dict)
            and run
            and all(isinstance(score, Number | np.number) for score in run.values())
            for run in named.values()
        ):
            raise InputError(
                f"`{argument}` must be a list of runs or {{name: run}}; found one run, "
                f"{{query: {{doc: "
                "score}}"
            )
    elif isinstance(runs, list | tuple):
        paths = [name_of(run) for run in runs if is_path(run)]
        short = dict(zip(paths, short_names(paths), strict=True))
        names = [
            short[name_of(run)] if is_path(run) else _own_name(run) or f"{one} {place}"
            for place, run in enumerate(runs, 1)
        ]
        named = dict(zip(numbered(names), runs, strict=True))
    else:
        fail(argument, "must be a list or a dict of names", type(runs).__name__)
    if len(named) < 2:
        fail(argument, "must be two or more", len(named))
    return named


def _own_name(run: RunLike) -> str:
    """The name of a run object, for example of ranx; not the column of a data frame."""
    name = getattr(run, "name", None)
    return name if isinstance(name, str) else ""


def find_run(run: object, names: list[str]) -> str | None:
    """The name of a run given by its name or index."""
    if run is None:
        return None
    if (
        isinstance(run, int | np.integer)
        and not isinstance(run, bool)
        and -len(names) <= run < len(names)
    ):
        return names[run]
    name = name_of(run) if is_path(run) else str(run)
    ends = [other for other in names if f"/{name}".endswith(f"/{other}")]
    if name not in names and len(ends) == 1:  # the path of a run that is called by its file name
        return ends[0]
    if name not in names:
        raise InputError(
            f"`baseline` must be one of the runs, {', '.join(map(repr, names))}; found {run!r}"
            f"{suggest(name, names)}"
        )
    return name


def seed_of(rng: RNGLike) -> int:
    """The integer seed of the resampling: the given one, or one drawn for None or from a
    generator."""
    if isinstance(rng, int | np.integer) and not isinstance(rng, bool):
        if rng < 0:
            fail("rng", "must be 0 or more", rng)
        return int(rng)
    if rng is not None and not isinstance(rng, np.random.Generator):
        fail("rng", "must be None, a whole number or a numpy Generator", rng)
    return int(np.random.default_rng(rng).integers(2**32))


def check_compared(measures: Iterable[Measure]) -> None:
    """Refuse measures whose number over queries is none of `COMPARED`."""
    for measure in measures:
        how = measure.spec.aggregate
        if how not in COMPARED:
            raise InputError(
                f"measure {measure} is a {how} over queries; comparisons are of means"
                + OF_MEANS.get(measure.spec.name, "")
            )


def align(named: dict[str, Evaluation], groups: Mapping[Any, Any] | None = None) -> Aligned:
    """The values of evaluations on the queries that all of them have, in the order of the first;
    groups by query."""
    for name, evaluation in named.items():
        if not isinstance(evaluation, Evaluation):
            fail("evaluations", "must be Evaluations", type(evaluation).__name__, f"as {name!r}")
    first_name, first = next(iter(named.items()))
    for name, evaluation in named.items():
        for what in ("measures", "ties"):
            if getattr(evaluation, what) != getattr(first, what):
                raise InputError(
                    f"evaluations must be of the same {what}; found {getattr(first, what)!r} of "
                    f"{first_name!r} and {getattr(evaluation, what)!r} of {name!r}"
                )
    check_compared(first.measures)
    query_ids, rows = _shared(named)
    if not query_ids:
        raise InputError("the runs have no judged query in common")

    def stack(attribute: str) -> np.ndarray:
        return np.stack(
            [getattr(evaluation, attribute)[rows[name]] for name, evaluation in named.items()]
        )

    has_bounds = all(evaluation.low is not None for evaluation in named.values())
    aligned = Aligned(
        tuple(named),
        first.measures,
        query_ids,
        stack("values"),
        stack("low") if has_bounds else None,
        stack("high") if has_bounds else None,
        None if groups is None else groups_of(groups, query_ids),
    )
    if np.isnan(aligned.chosen).any():
        run, query, measure = np.argwhere(np.isnan(aligned.chosen))[0]
        raise InputError(
            f"{aligned.measures[measure]} of {aligned.runs[run]!r} is nan for query "
            f"{query_ids[query]!r}: remove the query, or give it a value"
        )
    return aligned


def _shared(named: dict[str, Evaluation]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The queries that all have, in the order of the first, so that results do not depend on the
    order of a set; and the rows of each."""
    first, *others = (evaluation.query_ids for evaluation in named.values())
    if all(own == first for own in others):
        return first, dict.fromkeys(named, slice(None))
    shared = set(first).intersection(*others)
    query_ids = tuple(query for query in first if query in shared)
    rows = {}
    for name, evaluation in named.items():
        place = {query: number for number, query in enumerate(evaluation.query_ids)}
        rows[name] = np.array([place[query] for query in query_ids])
    return query_ids, rows


def refused_with_bounds(error: InputError) -> InputError:
    """The refusal of a run by an evaluation with bounds, which a comparison cannot leave out."""
    problem = WITHOUT_BOUNDS.sub(", which a comparison shows: leave the measure out", str(error))
    return error if problem == str(error) else InputError(problem)


def evaluated(evaluator: Evaluator, source: RunSource) -> Evaluation:
    """The values of a run that is compared; errors name it."""
    try:
        return evaluator._evaluate_silently(source)
    except InputError as error:
        raise refused_with_bounds(error) from None
