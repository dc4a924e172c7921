"""Exact sums of values on the cluster: a few doubles for each partition, whose sum is that of all
its values without an error."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa

SUMS = (
    "state int, measure string, n long, first string, problem string, value array<double>, "
    "low array<double>, high array<double>"
)
KINDS = ("value", "low", "high")


@dataclass
class Total:
    """The sums of outcomes of one state and measure; the first query and problem by their text."""

    n: int = 0
    first: str | None = None
    problem: str | None = None
    parts: dict[str, list[float]] = field(default_factory=lambda: {kind: [] for kind in KINDS})

    def add(self, row: dict[str, Any]) -> None:
        """Add another total."""
        self.n += row["n"]
        for name in ("first", "problem"):
            texts = [text for text in (getattr(self, name), row[name]) if text is not None]
            setattr(self, name, min(texts, default=None))
        for kind in KINDS:
            self.parts[kind] = exact_parts([*self.parts[kind], *(row[kind] or ())])


def exact_parts(values: Iterable[float]) -> list[float]:
    """Doubles whose exact sum is that of the values: the rounded sum, what it lacks, and so on."""
    rest, parts = list(values), []
    # fsum rounds the exact sum once.  With its result subtracted, what is left is at most half a
    # unit in the last place of that result, so each part is 2**53 times smaller than the one
    # before, and 40 rounds span all doubles (2**-1074 to 2**1024).  The sum of the parts is the sum
    # of the values exactly, in whatever order partitions are added.
    while rest and (total := math.fsum(rest)) != 0:
        parts.append(total)
        # inf - inf would be nan: the sum stays inf.
        if not math.isfinite(total):
            break
        rest.append(-total)
    return parts


def mean_of(totals: Iterable[Total], kind: str) -> float:
    """The double nearest to the exact mean; nan of nothing."""
    totals = list(totals)
    n = sum(total.n for total in totals)
    parts = [part for total in totals for part in total.parts[kind]]
    if n == 0 or not all(map(math.isfinite, parts)):
        return math.fsum(parts) / n if n else math.nan
    # Divided as fractions: a quotient of the rounded sum would be rounded twice, and could differ
    # from the mean on one machine in its last digit.
    return float(sum(map(Fraction, parts), Fraction(0)) / n)


def partial_sums(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """For ``mapInArrow``: the totals of a partition of outcomes."""
    import pyarrow as pa

    totals: dict[tuple[int, str | None], Total] = {}
    for batch in batches:
        state = batch.column("state").to_numpy()
        for name in batch.column("measure").unique().to_pylist():
            of_measure = np.array([text == name for text in batch.column("measure").to_pylist()])
            for kind in np.unique(state[of_measure]).tolist():
                rows = batch.filter(pa.array(of_measure & (state == kind)))
                totals.setdefault((kind, name), Total()).add(
                    {
                        "n": rows.num_rows,
                        "first": min(rows.column("query_id").to_pylist()),
                        "problem": min(
                            filter(None, rows.column("problem").to_pylist()), default=None
                        ),
                        **{value: rows.column(value).drop_null().to_pylist() for value in KINDS},
                    }
                )
    if totals:
        states, names = zip(*totals, strict=True)
        found = list(totals.values())
        doubles = pa.list_(pa.float64())
        yield pa.RecordBatch.from_pydict(
            {
                "state": pa.array(states, pa.int32()),
                "measure": pa.array(names, pa.string()),
                "n": pa.array([total.n for total in found], pa.int64()),
                "first": pa.array([total.first for total in found], pa.string()),
                "problem": pa.array([total.problem for total in found], pa.string()),
                **{kind: pa.array([t.parts[kind] for t in found], doubles) for kind in KINDS},
            }
        )
