"""How far `evaluate` is from what the machine can do, with each kind of input.

    python benchmarks/limits.py              # needs 4 GB of memory and 2 GB of disk
    python benchmarks/limits.py --quick      # small, to see that it runs

The limit of a kind is the least that anyone must do with it: read() of a text file's bytes, the
decoder of Parquet alone, a sum of each dict's values, a copy of the arrays into others.  Times are
of the processor, over all threads, the least of five calls, or one call of 10^8 rows; files were
written before, and are in the memory of the system.
"""

from __future__ import annotations

import importlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from load import DEPTH, MEASURES, write_parquet, write_qrels, write_run
from result_pages import parser_of, publish, table

import irbounds as irb

SIZES, LARGE = (10**5, 10**7), 10**8
CALLS = 5
PIECE = 1 << 20  # bytes of one read()
Kind = tuple[str, str, Callable[[], Any], Callable[[], Any]]


def seconds(work: Callable[[], Any], calls: int) -> float:
    """The least processor time of some calls."""
    least = float("inf")
    for _ in range(calls):
        start = time.process_time()
        work()
        least = min(least, time.process_time() - start)
    return least


def read_bytes(path: Path) -> None:
    """Read a file in pieces into one buffer."""
    with path.open("rb", buffering=0) as file:
        buffer = bytearray(PIECE)
        while file.readinto(buffer):
            pass


def decode(path: Path) -> None:
    """Decode a run's columns as `evaluate` asks for them, and do nothing with the batches."""
    parquet = importlib.import_module("pyarrow.parquet")
    names = ["query_id", "doc_id", "score"]
    file = parquet.ParquetFile(path, read_dictionary=names[:1], buffer_size=PIECE)
    for _ in file.iter_batches(columns=names):
        pass


def parquet_kind(folder: Path, n_rows: int, evaluator: irb.Evaluator) -> Kind:
    """A Parquet file."""
    path = folder / "run.parquet"
    write_parquet(path, n_rows)
    return "Parquet", "the decoder", lambda: decode(path), lambda: evaluator.evaluate(path)


def kinds(folder: Path, n_rows: int) -> Iterator[Kind]:
    """Each kind of input: its name, its limit, the least work, and the evaluation."""
    write_qrels(folder / "qrels", n_rows // DEPTH)
    evaluator = irb.Evaluator(folder / "qrels", MEASURES)
    text = folder / "run"
    write_run(text, n_rows)
    yield "text", "read()", lambda: read_bytes(text), lambda: evaluator.evaluate(text)
    yield parquet_kind(folder, n_rows, evaluator)
    docs = {f"doc-{d:07d}": 30 / (d + 2) for d in range(DEPTH)}
    run = {f"q{query}": dict(docs) for query in range(n_rows // DEPTH)}
    yield (
        "dict",
        "its values",
        lambda: [sum(own.values()) for own in run.values()],
        lambda: evaluator.evaluate(run),
    )
    run.clear()
    scores = np.tile(np.array([*docs.values()]), n_rows // DEPTH)
    grades = np.where(np.arange(n_rows) % 50 == 0, np.arange(n_rows) % 3, -1)
    groups = np.repeat(np.arange(n_rows // DEPTH), DEPTH)
    arrays = (scores, grades, groups)
    copies = [array.copy() for array in arrays]
    yield (
        "array",
        "a copy",
        lambda: [np.copyto(copy, array) for copy, array in zip(copies, arrays, strict=True)],
        lambda: irb.rank_measures(scores, grades, MEASURES, groups=groups),
    )


def row(kind: Kind, n_rows: int, calls: int) -> list[str]:
    """The times of a kind for each row of input."""
    name, limit, least, evaluate = kind
    floor, own = seconds(least, calls), seconds(evaluate, calls)
    each = (f"{1e9 * x / n_rows:.2f} ns" for x in (floor, own))
    ratio = f"{own / max(floor, 1e-9):.1f}"
    cells = [f"{n_rows:,}", name, limit, *each, ratio, f"{own:.3g} s"]
    print(*cells, sep=" | ", flush=True)
    return cells


def main() -> None:
    """Measure, and write the page."""
    given = parser_of(__doc__).parse_args()
    scale, calls = (100, 1) if given.quick else (1, CALLS)
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for n_rows in (size // scale for size in SIZES):
            rows += [row(kind, n_rows, calls) for kind in kinds(folder, n_rows)]
        write_qrels(folder / "qrels", LARGE // scale // DEPTH)
        evaluator = irb.Evaluator(folder / "qrels", MEASURES)
        rows.append(row(parquet_kind(folder, LARGE // scale, evaluator), LARGE // scale, 1))
    lines = [
        *(__doc__ or "").split("\n\n")[2].splitlines(),
        "",
        *table(["rows", "input", "limit", "of the limit", "a row", "ratio", "in all"], rows),
        "Memory of files is constant (`load.md`). 10^9 rows were not run. "
        f"The load average was {os.getloadavg()[0]:.0f}.",
    ]
    publish("Limits", lines, "limits.md", given)


if __name__ == "__main__":
    main()
