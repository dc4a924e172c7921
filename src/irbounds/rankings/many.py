"""Evaluation of many runs in threads, and its result."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from irbounds.foundation.errors import InputError, check_count, counted
from irbounds.rankings.evaluation import Evaluation

if TYPE_CHECKING:
    from concurrent.futures import Future


@dataclass(frozen=True, eq=False)
class EvaluatedRuns(Mapping[str, Evaluation]):
    """Evaluations of runs by name, in the order in which the runs were given.

    Attributes
    ----------
    evaluations : dict
        ``{name: Evaluation}``.
    errors : dict
        ``{name: InputError}`` of the runs that could not be evaluated.
    """

    evaluations: dict[str, Evaluation]
    errors: dict[str, InputError] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Evaluation:
        return self.evaluations[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.evaluations)

    def __len__(self) -> int:
        return len(self.evaluations)

    def to_frame(self, backend: str = "pandas", rows: str = "runs") -> Any:
        """A data frame with a row for each run, or with rows="queries" for each run and query.

        `backend` is "pandas", "polars" or "pyarrow".  Needs narwhals (``pip install
        "irbounds[frames]"``).
        """
        from irbounds.foundation.errors import check_choice
        from irbounds.foundation.frames import make_frame

        columns: dict[str, list[Any]] = {"run": []}
        for name, evaluation in self.evaluations.items():
            if check_choice("rows", rows, ("runs", "queries")) == "runs":
                table: dict[str, Any] = {
                    measure: [value] for measure, value in evaluation.summary.items()
                }
            else:
                table = {"query_id": list(evaluation.query_ids), **evaluation.columns()}
            columns["run"] += [name] * len(next(iter(table.values())))
            for column, values in table.items():
                columns.setdefault(column, []).extend(values)
        return make_frame(columns, backend)

    def _repr_html_(self) -> str:
        """A table for notebooks: a row for each run."""
        from irbounds.foundation.writing import as_html, html_lines

        measures = list(dict.fromkeys(m for own in self.evaluations.values() for m in own.summary))
        rows = [
            [name, *(f"{evaluation.summary[measure]:.4f}" for measure in measures)]
            for name, evaluation in self.evaluations.items()
        ]
        return as_html(["run", *measures], rows) + html_lines(map(str, self.errors.values()))

    def __repr__(self) -> str:
        lines = [f"{counted(len(self), 'evaluated run', 'evaluated runs')}"]
        lines += [
            f"  {name}: "
            + ", ".join(f"{measure} {value:.4f}" for measure, value in evaluation.summary.items())
            for name, evaluation in self.evaluations.items()
        ]
        return "\n".join(lines + [f"  {error}" for error in self.errors.values()])


def in_threads(
    work: Callable[[Any], Evaluation], named: Iterable[tuple[str, Any]], jobs: int | None = None
) -> Iterator[tuple[str, Evaluation | InputError]]:
    """(name, outcome) of each run in order, as soon as it and those before it are done.

    At most twice `jobs` runs are started ahead of the consumer.
    """
    jobs = (os.cpu_count() or 1) if jobs is None else check_count("jobs", jobs, least=1)

    def outcome(source: Any) -> Evaluation | InputError:
        try:
            return work(source)
        except InputError as error:
            return error

    if jobs == 1:
        yield from ((name, outcome(source)) for name, source in named)
        return
    from concurrent.futures import ThreadPoolExecutor  # here, as one run alone needs no threads

    waiting: deque[tuple[str, Future[Evaluation | InputError]]] = deque()
    pool = ThreadPoolExecutor(jobs)
    try:
        for name, source in named:
            waiting.append((name, pool.submit(outcome, source)))
            if len(waiting) == 2 * jobs:
                first, future = waiting.popleft()
                yield first, future.result()
        while waiting:
            first, future = waiting.popleft()
            yield first, future.result()
    finally:  # also where the caller stops early, in whatever thread collects this generator then
        pool.shutdown(wait=False, cancel_futures=True)
