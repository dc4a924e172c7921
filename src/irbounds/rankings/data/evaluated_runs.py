"""The result of an evaluation of many runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from irbounds.foundation.errors import InputError, counted
from irbounds.rankings.data.evaluation import Evaluation


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

    def to_frame(
        self, backend: str = "pandas", rows: str = "runs", confidence_level: float = 0.95
    ) -> Any:
        """A data frame with a row for each run, with rows="queries" for each run and query, or with
        rows="measures" for each run and measure, with its interval of this level
        (`Evaluation.to_frame`).

        `backend` is "pandas", "polars" or "pyarrow".  Needs narwhals (``pip install
        "irbounds[frames]"``).
        """
        from irbounds.foundation.errors import check_choice
        from irbounds.foundation.frames import make_frame
        from irbounds.rankings.data.uncertainty import columns_of_measures

        check_choice("rows", rows, ("runs", "queries", "measures"))
        columns: dict[str, list[Any]] = {"run": []}
        for name, evaluation in self.evaluations.items():
            table: dict[str, Any]
            if rows == "runs":
                table = {measure: [value] for measure, value in evaluation.summary.items()}
            elif rows == "measures":
                table = columns_of_measures(evaluation, confidence_level)
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
