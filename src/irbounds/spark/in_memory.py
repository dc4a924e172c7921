"""The driver of the path in memory: judgments to the tasks, the run through the kernel where it
lies, and what that leaves.

1. The judgments are collected and sent to every task.  Each evaluates its partition of the run a
   chunk at a time (`irbounds.spark.chunks`); nothing is exchanged.
2. Queries that came in several chunks are exchanged by query, and evaluated again.
3. Queries too large for that, and those with a faulty row, go through the distributed counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.foundation.errors import InputError
from irbounds.rankings.data.evaluation import Evaluation
from irbounds.rankings.evaluating.evaluator import Evaluator
from irbounds.spark.chunks import CHUNK_OUTCOMES, ChunkWorker, Found, Numbers
from irbounds.spark.failures import refuse_run
from irbounds.spark.frames import F, is_small, plain_run_rows, qrels_rows, to_arrow
from irbounds.spark.records import Columns, Part, State, problem_text
from irbounds.spark.request import Request

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

# Judgments that are sent to the tasks unless broadcast=True: 20 to 40 MB of text, and an index of
# 100 MB in each worker, made in .3 seconds by each task.
MOST_JUDGMENTS = 1_000_000


@dataclass(frozen=True)
class Collected:
    """All values on the driver, queries sorted by id.

    seen: whether a judged query is in the run; first_judged: the first judged query.
    """

    evaluation: Evaluation
    missing: str
    seen: bool
    first_judged: str

    def check(self) -> None:
        """Refuse what `irbounds.evaluate` refuses, in its order."""
        found = self.evaluation
        lacking = found.missing_queries if self.missing == "error" else ()
        refuse_run(
            self.seen,
            next(iter(found.unjudged_queries), None),
            self.first_judged,
            next(iter(lacking), None),
            len(lacking),
        )

    def check_missing(self) -> None:
        """Refuse missing queries where they are an error."""
        if self.evaluation.missing_queries and self.missing == "error":
            raise InputError(
                f"run: it lacks the judged query {self.evaluation.missing_queries[0]!r}"
            )


def collect(request: Request) -> Collected | None:
    """Evaluate in memory; None if the judgments are too many for that."""
    rows = qrels_rows(request.qrels_df, request.columns)
    if request.broadcast is None and not is_small(request.qrels_df):
        rows = rows.limit(MOST_JUDGMENTS + 1)
    table = to_arrow(rows)
    if request.broadcast is None and table.num_rows > MOST_JUDGMENTS:
        return None
    return InMemory(request, judgments(table, request.columns)).collected()


def counted(outcomes: DataFrame, request: Request) -> Collected:
    """The values of distributed counts."""
    table = to_arrow(outcomes)
    refuse(table.column("problem").to_pylist())
    state = table.column("state").to_numpy()
    ids = np.array(table.column("query_id").to_pylist(), object)
    evaluated, missing, unjudged = (sorted(set(ids[state == kind].tolist())) for kind in State)
    if not evaluated and not missing:
        raise InputError("`qrels` has no query")
    kept = sorted(evaluated + (missing if request.missing != "skip" else []))
    number = {query: place for place, query in enumerate(kept)}
    columns = {str(measure): place for place, measure in enumerate(request.measures)}
    rows = np.array([query in number for query in ids], bool) & (state != State.UNJUDGED)
    measures = np.array(table.column("measure").to_pylist(), object)[rows]
    places = [number[query] for query in ids[rows]], [columns[name] for name in measures]
    arrays = np.zeros((3, len(kept), len(columns)))
    for array, kind in zip(arrays, ("value", "low", "high"), strict=True):
        array[places] = table.column(kind).to_numpy()[rows]
    evaluation = Evaluation(
        measures=request.measures,
        query_ids=tuple(kept),
        values=arrays[0],
        low=arrays[1] if request.bounds else None,
        high=arrays[2] if request.bounds else None,
        ties=request.ties,
        missing_queries=tuple(missing),
        unjudged_queries=tuple(unjudged),
    )
    return Collected(evaluation, request.missing, bool(evaluated), min(evaluated + missing))


def judgments(table: pa.Table, columns: Columns) -> pa.Table:
    """The judgments as `Evaluator` takes them; raises InputError for rows that cannot be used."""
    import pyarrow.compute as pc

    bad = table.filter(pc.greater(table.column("bad"), 0))
    refuse(
        problem_text(Part(row["bad"]), row["query_id"], None, row["grade"], columns)
        for row in bad.sort_by("bad").to_pylist()
    )
    return table.select(["query_id", "doc_id", "grade"]).rename_columns(
        ["query_id", "doc_id", "relevance"]
    )


@dataclass
class InMemory:
    """One evaluation."""

    request: Request
    judgments: pa.Table
    n_rows: np.ndarray = field(init=False)
    unjudged: set[bytes] = field(init=False, default_factory=set)

    @cached_property
    def evaluator(self) -> Evaluator:
        """On the driver, for the missing queries."""
        return Evaluator(self.judgments, self.request.measures, **self.request.evaluator_options)

    @cached_property
    def numbers(self) -> Numbers:
        """The values of all judged queries."""
        return Numbers(self.evaluator)

    @cached_property
    def query_ids(self) -> list[str]:
        """The judged queries."""
        return self.evaluator.qrels.query_ids

    def collected(self) -> Collected:
        """Run the jobs."""
        _ = self.numbers  # judgments that cannot be used are refused before the job
        table = to_arrow(self._run.mapInArrow(self._worker, CHUNK_OUTCOMES))
        # split: came in several chunks; left: cannot be evaluated in memory.
        split, left = self._put_outcomes(table)
        # By the first pass, which read all of the run: the exchange reads chosen queries only.
        seen = self.n_rows > 0
        if split.any():
            again, still_left = self._put_outcomes(self._exchanged(split), is_exchanged=True)
            left |= still_left | again  # again: of a run that changes each time it is read
        if left.any():
            self._count(left)
        return self._result(seen)

    @property
    def _run(self) -> DataFrame:
        return plain_run_rows(self.request.run_df, self.request.columns)

    def _exchanged(self, chosen: np.ndarray) -> pa.Table:
        """The outcomes of these queries, which came in several chunks."""
        rows = self._only(self._run, chosen).repartition("query_id")
        rows = rows.sortWithinPartitions("query_id")
        return to_arrow(rows.mapInArrow(self._worker, CHUNK_OUTCOMES))

    def _put_outcomes(
        self, table: pa.Table, *, is_exchanged: bool = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """Put the values of the queries that a pass evaluated; which came in several chunks, and
        which of the others cannot be evaluated in memory."""
        found = table.column("found").to_numpy()
        query_ids = table.column("query_id")
        number = np.array([self.numbers.number(query) for query in query_ids.to_pylist()], np.int64)
        problems = table.column("problem").to_pylist()
        is_judged = number >= 0
        self.unjudged.update(query_ids.filter(_mask(found == Found.UNJUDGED)).to_pylist())
        times, rows = np.zeros((2, len(self.query_ids)), np.int64)
        # `np.add.at` and not `times[number] += 1`, which adds once for a number that occurs twice.
        np.add.at(times, number[is_judged], 1)
        np.add.at(rows, number[is_judged], table.column("rows").to_numpy()[is_judged])
        faulty = np.zeros(len(times), bool)
        faulty[number[is_judged & (found == Found.FAULTY)]] = True
        large = np.zeros(len(times), bool)
        large[number[is_judged & (found == Found.LARGE)]] = True
        large |= (times > 1) & (rows > self.request.most_rows)
        is_fine = is_judged & (found == Found.EVALUATED)
        # Values of a query whose rows came in two chunks are those of two shorter rankings: they
        # are not used.
        is_fine[is_fine] = times[number[is_fine]] == 1
        self._put(number[is_fine], table.column("numbers").filter(_mask(is_fine)).to_pylist())
        if not is_exchanged:
            self.n_rows = rows
        # A row without a value is named by the worker with 0 rows: no other way could evaluate it.
        is_lost = (found == Found.FAULTY) & (table.column("rows").to_numpy() == 0)
        self._refuse(problems, is_lost, large)
        return (times > 1) & ~large & ~faulty, large | faulty

    def _refuse(self, problems: list[str | None], is_lost: np.ndarray, large: np.ndarray) -> None:
        """Raise for rows without values, and where the distributed counts cannot help."""
        refuse(problems[row] for row in np.flatnonzero(is_lost))
        reason = self.request.only_in_memory
        if not reason:
            return
        refuse(problems)
        if large.any():
            query = self.query_ids[int(np.argmax(large))]
            raise InputError(
                f"run: query {query!r} has more rows than max_rows_in_memory="
                f"{self.request.most_rows}, and {reason} needs all of a query's rows in memory"
            )

    def _put(self, number: np.ndarray, rows: list[bytes]) -> None:
        if not rows:
            return
        width = self.numbers.rows(np.zeros(0, np.int64)).shape[1]
        self.numbers.put(number, np.frombuffer(b"".join(rows)).reshape(-1, width))

    @cached_property
    def _worker(self) -> ChunkWorker:
        import pyarrow as pa

        sink = pa.BufferOutputStream()
        codec = "zstd" if pa.Codec.is_available("zstd") else None
        options = pa.ipc.IpcWriteOptions(compression=codec)
        with pa.ipc.new_stream(sink, self.judgments.schema, options=options) as stream:
            stream.write_table(self.judgments)
        request = self.request
        tied_by: tuple[str, ...] = ()
        if request.columns.order is not None:
            is_merged = request.score_tolerance > 0 or request.score_precision != "float64"
            tied_by = ("query_id", "order") if is_merged else ("query_id", "order", "score")
        return ChunkWorker(
            sink.getvalue().to_pybytes(),
            tuple(request.measures),
            request.evaluator_options,
            request.most_rows,
            request.columns,
            tied_by,
        )

    def _only(self, frame: DataFrame, chosen: np.ndarray) -> DataFrame:
        """The rows of these queries."""
        ids = [(self.query_ids[number],) for number in np.flatnonzero(chosen)]
        if 2 * len(ids) > len(self.query_ids):  # most: others are named only
            return frame
        wanted = frame.sparkSession.createDataFrame(ids, "query_id string")
        return frame.join(F.broadcast(wanted), "query_id", "left_semi")

    def _count(self, chosen: np.ndarray) -> None:
        """Put the values of these queries from distributed counts."""
        outcomes = self.request.distributed(lambda frame: self._only(frame, chosen))
        table = to_arrow(outcomes)
        refuse(table.column("problem").to_pylist())
        # Distributed counts know measures by their names, the arrays by their places.
        columns = {str(name): place for place, name in enumerate(self.request.measures)}
        filled = self.numbers.filled
        arrays = [filled.values, filled.low, filled.high]
        for row in table.to_pylist():
            number = self.numbers.number(row["query_id"].encode())
            if row["state"] != State.EVALUATED or not chosen[number]:
                continue
            for array, name in zip(arrays, ("value", "low", "high"), strict=True):
                if array.size:
                    array[number, columns[row["measure"]]] = row[name]

    def _result(self, seen: np.ndarray) -> Collected:
        request, numbers = self.request, self.numbers
        is_kept = seen if request.missing == "skip" else np.ones(len(seen), bool)
        is_missing = ~seen
        if request.no_relevant == "skip" and numbers.rule.has_barren:
            is_kept, is_missing = is_kept & ~numbers.rule.barren, is_missing & ~numbers.rule.barren
        missing = np.flatnonzero(is_missing)
        if request.missing == "zero":
            numbers.job.run_nothing(numbers.index, missing.tolist())
            numbers.put_means_of_nothing(missing)
        keep = np.flatnonzero(is_kept)
        # By text, so that the result is the same whatever the partitions were.
        keep = keep[np.argsort(np.array(self.query_ids, object)[keep], kind="stable")]
        evaluation = numbers.rule.result(
            numbers.filled,
            keep,
            tuple(sorted(self.query_ids[number] for number in missing)),
            tuple(sorted(query.decode("utf-8", "surrogateescape") for query in self.unjudged)),
        )
        return Collected(evaluation, request.missing, bool(seen.any()), min(self.query_ids))


def refuse(problems: Iterable[str | None]) -> None:
    """Raise the first of the problems, by their text."""
    found = sorted(problem for problem in problems if problem)
    if found:
        raise InputError(found[0])


def _mask(chosen: np.ndarray) -> Any:
    import pyarrow as pa

    return pa.array(chosen)
