"""Large input: how far `evaluate` is from what the machine can do, and the memory of large files.

    python benchmarks/load.py              # needs Linux, 4 GB of memory and 3 GB of disk
    python benchmarks/load.py --billion    # only the row of 10^9 rows: some 10 minutes
    python benchmarks/load.py --quick      # small, to see that it runs

The limit of a kind is a floor to compare with: read() of a text file's bytes, the
decoder of Parquet alone, a sum of each dict's values, a copy of the arrays into others.  Times are
of the processor, over all threads, the least of five calls (of 10^8 rows, and of the other tools,
one call); files were written before, and are in the memory of the system.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from cases.rankings import by_ir_measures, by_pytrec_eval, by_ranx
from result_pages import RESULTS, folder_of, parser_of, publish, table

import irbounds as irb

PAGE, PACKAGES = "load.md", "pytrec-eval-terrier ir_measures ranx duckdb pyarrow"
MEASURES = "AP nDCG@10 P@10 RR"
DEPTH = 1000  # documents a query
GROUP = 1 << 20  # rows of a row group of Parquet
SIZES, LARGE, BILLION = (10**5, 10**7), 10**8, 10**9
CALLS, PIECE = 5, 1 << 20  # the latter bytes of one read()
CHILD = """
import sys, time
from pathlib import Path
import irbounds as irb

def peak():
    status = Path("/proc/self/status").read_text().splitlines()
    return next(line.split()[1] for line in status if "VmHWM" in line)

irb.evaluate({"q": {"d": 1}}, {"q": {"d": 1}}, "AP")
before, start = peak(), time.process_time()
irb.evaluate(sys.argv[1], sys.argv[2], sys.argv[3])
print(time.process_time() - start, before, peak(), sep="\\t")
"""
# The four means as their owner would write them; documents that tie come in any order.
BY_HAND = """
WITH judged AS (
    SELECT *, row_number() OVER (PARTITION BY query_id ORDER BY relevance DESC) AS place
    FROM qrels WHERE relevance > 0
), ideal AS (
    SELECT query_id, count(*) AS n, sum(relevance / log2(place + 1)) FILTER (place <= 10) AS dcg
    FROM judged GROUP BY query_id
), ranked AS (
    SELECT query_id, doc_id,
        row_number() OVER (PARTITION BY query_id ORDER BY score DESC) AS rank
    FROM read_parquet('{run}')
), found AS (
    SELECT query_id, rank, relevance,
        row_number() OVER (PARTITION BY query_id ORDER BY rank) AS n
    FROM ranked JOIN judged USING (query_id, doc_id)
), sums AS (
    SELECT query_id, sum(n / rank) AS ap, 1 / min(rank) AS rr, count(*) FILTER (rank <= 10) AS p,
        sum(relevance / log2(rank + 1)) FILTER (rank <= 10) AS dcg
    FROM found GROUP BY query_id
)
SELECT avg(coalesce(ap, 0) / ideal.n), avg(coalesce(sums.dcg, 0) / ideal.dcg),
    avg(coalesce(p, 0) / 10), avg(coalesce(rr, 0))
FROM ideal LEFT JOIN sums USING (query_id)
"""
Work = Callable[[], Any]


class Kind(NamedTuple):
    """A kind of input: its limit, the least work, the evaluation, and that of other tools."""

    name: str
    limit: str
    least: Work
    evaluate: Work
    peers: dict[str, Callable[[], Work]]


def write_run(path: Path, n_rows: int) -> None:
    """A run grouped by query."""
    names = [f" Q0 doc-{d:07d} {d} {30 / (d + 2):.6f} load\n" for d in range(DEPTH)]
    with path.open("w") as file:
        for query in range(n_rows // DEPTH):
            file.write("".join([f"q{query}{row}" for row in names]))


def write_parquet(path: Path, n_rows: int) -> None:
    """The same rows in row groups of 2^20, as dictionaries, which are written faster."""
    pa, parquet = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    text = pa.dictionary(pa.int32(), pa.string())
    schema = pa.schema({"query_id": text, "doc_id": text, "score": pa.float64()})
    step = GROUP // DEPTH
    names = pa.array([f"doc-{d:07d}" for d in range(DEPTH)])
    docs = np.tile(np.arange(DEPTH, dtype=np.int32), step)
    queries = np.repeat(np.arange(step, dtype=np.int32), DEPTH)
    scores = pa.array(30 / (docs + 2.0))
    with parquet.ParquetWriter(path, schema, store_schema=False) as file:
        for first in range(0, n_rows // DEPTH, step):
            n = min(step, n_rows // DEPTH - first)
            ids = pa.array([f"q{first + query}" for query in range(n)])
            columns = [
                pa.DictionaryArray.from_arrays(places[: n * DEPTH], values)
                for places, values in ((queries, ids), (docs, names))
            ]
            rows = pa.table([*columns, scores[: n * DEPTH]], schema=schema)
            file.write_table(rows, row_group_size=GROUP)


def write_qrels(path: Path, n_queries: int) -> None:
    """Twenty judgments a query, half of them relevant."""
    forms = [
        "".join(f"@ 0 doc-{(first * 7 + d * 13) % DEPTH:07d} {d % 2}\n" for d in range(20))
        for first in range(DEPTH)
    ]
    with path.open("w") as file:
        file.writelines(forms[q % DEPTH].replace("@", f"q{q}") for q in range(n_queries))


def seconds(work: Work, calls: int) -> float:
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


def by_duckdb(folder: Path) -> Work:
    """A query by hand, on one thread, in 4 GB of memory and files beyond them."""
    connection = importlib.import_module("duckdb").connect(str(folder / "peer.duckdb"))
    connection.execute("SET threads = 1; SET memory_limit = '4GB'")
    connection.execute(
        f"""CREATE OR REPLACE TABLE qrels AS
        SELECT column0 AS query_id, column2 AS doc_id, column3 AS relevance
        FROM read_csv('{folder / "qrels"}', delim = ' ', header = false)"""
    )
    query = BY_HAND.format(run=folder / "run.parquet")
    return lambda: dict(zip(MEASURES.split(), connection.execute(query).fetchone(), strict=True))


def parquet_kind(folder: Path, n_rows: int, evaluator: irb.Evaluator) -> Kind:
    """A Parquet file."""
    path = folder / "run.parquet"
    write_parquet(path, n_rows)
    peers = {"DuckDB by hand": lambda: by_duckdb(folder)}
    work = lambda: evaluator.evaluate(path).mean  # noqa: E731
    return Kind("Parquet", "the decoder", lambda: decode(path), work, peers)


def kinds(folder: Path, n_rows: int) -> Iterator[Kind]:
    """Each kind of input."""
    write_qrels(folder / "qrels", n_rows // DEPTH)
    evaluator = irb.Evaluator(folder / "qrels", MEASURES)
    text = folder / "run"
    write_run(text, n_rows)
    peers = {
        "pytrec_eval": lambda: by_pytrec_eval(folder),
        "ir_measures": lambda: by_ir_measures(folder),
        "ranx": lambda: by_ranx(folder, from_files=True),
    }
    # the peers read the judgments in their work, too
    work = lambda: irb.evaluate(folder / "qrels", text, MEASURES).mean  # noqa: E731
    yield Kind("text", "read()", lambda: read_bytes(text), work, peers)
    yield parquet_kind(folder, n_rows, evaluator)
    docs = {f"doc-{d:07d}": 30 / (d + 2) for d in range(DEPTH)}
    run = {f"q{query}": dict(docs) for query in range(n_rows // DEPTH)}
    values = lambda: [sum(own.values()) for own in run.values()]  # noqa: E731
    yield Kind("dict", "its values", values, lambda: evaluator.evaluate(run).mean, {})
    run.clear()
    scores = np.tile(np.array([*docs.values()]), n_rows // DEPTH)
    grades = np.where(np.arange(n_rows) % 50 == 0, np.arange(n_rows) % 3, -1)
    groups = np.repeat(np.arange(n_rows // DEPTH), DEPTH)
    arrays = (scores, grades, groups)
    copies = [array.copy() for array in arrays]
    copy = lambda: [*map(np.copyto, copies, arrays)]  # noqa: E731
    work = lambda: irb.rank_measures(scores, grades, MEASURES, groups=groups).mean  # noqa: E731
    yield Kind("array", "a copy", copy, work, {})


def limit_row(kind: Kind, n_rows: int, calls: int) -> list[str]:
    """The times of a kind for each row of input, and how many times as long others take."""
    ours, others = dict[str, float](), []
    floor = seconds(kind.least, calls)
    kind.evaluate()  # once before the time is taken, as the peers
    own = seconds(lambda: ours.update(kind.evaluate()), calls)
    for tool, prepare in kind.peers.items():
        with contextlib.suppress(ImportError):
            work, found = prepare(), dict[str, float]()
            work()  # ranx compiles its functions when they are first called
            took = seconds(lambda work=work, found=found: found.update(work()), calls)  # type: ignore[misc]
            if any(abs(found[name] - value) > 1e-6 for name, value in ours.items()):
                sys.exit(f"{tool} has {found}, not {ours}: no comparison")
            others.append(f"{tool} {took / own:.3g}")
    each = (f"{1e9 * x / n_rows:.2f} ns" for x in (floor, own))
    ratio = f"{own / max(floor, 1e-9):.1f}"
    cells = [f"{n_rows:,}", kind.name, kind.limit, *each, ratio, f"{own:.3g} s", "; ".join(others)]
    print(*cells, sep=" | ", flush=True)
    return cells


def limit_rows(folder: Path, scale: int) -> Iterator[list[str]]:
    """All kinds at two sizes, and Parquet at a third one."""
    calls = 1 if scale > 1 else CALLS
    for n_rows in (size // scale for size in SIZES):
        for kind in kinds(folder, n_rows):
            yield limit_row(kind, n_rows, calls)
    write_qrels(folder / "qrels", LARGE // scale // DEPTH)
    evaluator = irb.Evaluator(folder / "qrels", MEASURES)
    yield limit_row(parquet_kind(folder, LARGE // scale, evaluator), LARGE // scale, 1)


def measured(name: str, folder: Path) -> list[str]:
    """The file's size, processor time, peak memory before and in all, in a process of its own."""
    run = folder / "run"
    command = [sys.executable, "-c", CHILD, folder / "qrels", run, MEASURES]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    took, before, peak = done.stdout.strip().split("\t")
    memory = (f"{int(kilobytes) / 1024:.0f} MB" for kilobytes in (before, peak))
    row = [name, f"{run.stat().st_size / 1e9:.2f} GB", f"{float(took):.1f} s", *memory]
    print(*row, sep=" | ", flush=True)
    return row


def parquet_row(folder: Path, n_rows: int) -> list[str]:
    """A Parquet file of this many rows, judged for each query."""
    write_qrels(folder / "qrels", n_rows // DEPTH)
    write_parquet(folder / "run", n_rows)
    return measured(f"Parquet, {n_rows:,} rows, {20 * n_rows // DEPTH:,} judgments", folder)


def file_rows(folder: Path, scale: int) -> Iterator[list[str]]:
    """A large run, a tenth of it, and the same with a row out of place, so that it must be held."""
    run, n_rows = folder / "run", 50_000_000 // scale
    for size in (10**7, LARGE):
        yield parquet_row(folder, size // scale)
    write_qrels(folder / "qrels", n_rows // DEPTH)
    write_run(run, n_rows)
    yield measured(f"text, {n_rows:,} rows, queries of {DEPTH:,}", folder)
    write_run(run, n_rows // 10)
    yield measured("a tenth of it", folder)
    with run.open("a") as file:
        file.write("q0 Q0 one-more 1 0 load\n")
    yield measured("that tenth, not grouped by query: held whole", folder)


def main() -> None:
    """Measure, and write what came out."""
    parser = parser_of(__doc__)
    parser.add_argument("--billion", action="store_true", help="only the row of 10^9 rows")
    given = parser.parse_args()
    scale = 100 if given.quick else 1
    name, page = f"Parquet, {BILLION // scale:,} rows", (folder_of(given) or RESULTS) / PAGE
    before = page.read_text("utf-8").splitlines() if page.exists() else []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        if given.billion:
            row = f"| {' | '.join(parquet_row(folder, BILLION // scale))} |"
            kept = [line for line in before if name not in line]
            last = max(i for i, line in enumerate(kept) if line.startswith("| Parquet, "))
            page.write_text("\n".join([*kept[: last + 1], row, *kept[last + 1 :]]) + "\n", "utf-8")
            return
        limits, files = [*limit_rows(folder, scale)], [*file_rows(folder, scale)]
    files[2:2] = [line.strip("| ").split(" | ") for line in before if f"| {name}" in line]
    head = ["rows", "input", "limit", "of the limit", "a row", "ratio", "in all", "times as long"]
    header = ["input", "file", "time", "memory before", "peak memory"]
    lines = [
        *(__doc__ or "").split("\n\n")[2].splitlines(),
        "",
        *table(head, limits),
        f"Files, {MEASURES}. Memory of a grouped run is that of its largest query and of the",
        "judgments.",
        "",
        *table(header, files),
        f"The load average was {os.getloadavg()[0]:.0f}.",
    ]
    publish("Load", lines, PAGE, given, PACKAGES)


if __name__ == "__main__":
    main()
