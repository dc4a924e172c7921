"""Rows that tasks exchange by themselves give what `irbounds.evaluate` gives; no Spark here."""

from collections import defaultdict

import numpy as np
import pytest

import irbounds as irb

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

from irbounds.spark import exchange  # noqa: E402
from irbounds.spark.chunks import ChunkWorker, Found, Numbers  # noqa: E402
from irbounds.spark.exchange import FileExchange, grouped, parts_of  # noqa: E402
from irbounds.spark.parquet_files import ParquetFiles  # noqa: E402
from irbounds.spark.records import Columns  # noqa: E402

MEASURES = ("AP", "nDCG@10", "RR", "Bpref")
COLUMNS = Columns("query_id", "doc_id", "score", None, "query_id", "doc_id", "relevance")
KINDS = {str: "string", int: "long"}


def shuffled_rows(ids, seed):
    """A run of queries of very different size in random order, with ties, and judgments."""
    rng = np.random.default_rng(seed)
    sizes = np.ceil(np.exp(rng.uniform(0, 6, 60))).astype(int)
    queries = np.repeat(np.arange(60) - 5, sizes)
    docs = np.concatenate([rng.permutation(1000)[:size] for size in sizes])
    order = rng.permutation(len(queries))
    run = pa.table(
        {
            "query_id": [ids(query) for query in queries[order]],
            "doc_id": [ids(doc) for doc in docs[order]],
            "score": rng.integers(-9, 9, len(order)) / 4,
        }
    )
    judged = run.filter(pa.array(rng.random(len(order)) < 0.3)).select(["query_id", "doc_id"])
    grades = pa.array(rng.integers(0, 3, judged.num_rows).astype(np.int32))
    return run, judged.append_column("relevance", grades)


@pytest.mark.parametrize("ids", [str, int], ids=["text", "integer"])
@pytest.mark.parametrize(("n_tasks", "piece"), [(1, 1 << 12), (3, 7), (40, 1)])
def test_exchanged_rows_give_the_local_values(tmp_path, monkeypatch, ids, n_tasks, piece, seed):
    monkeypatch.setattr(exchange, "FEW", 0)
    monkeypatch.setattr(exchange, "PIECE", piece)
    run, qrels = shuffled_rows(ids, seed)
    kind = KINDS[ids]
    for number in range(2):
        half = run.slice(number * (run.num_rows // 2), run.num_rows // 2 + number)
        pq.write_table(half, tmp_path / f"{number}.parquet", row_group_size=1000)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, qrels.schema) as stream:
        stream.write_table(qrels)
    options = {"bounds": True}
    worker = ChunkWorker(sink.getvalue().to_pybytes(), MEASURES, options, 10**6, COLUMNS)
    files = ParquetFiles(
        tuple(str(tmp_path / f"{number}.parquet") for number in range(2)),
        (("query_id", kind), ("doc_id", kind), ("score", "double")),
    )
    evaluator = irb.Evaluator(qrels, MEASURES, bounds=True)
    wanted = evaluator.evaluate(run)
    chosen = evaluator.qrels.query_ids[::2]  # the others are not sent
    text = run.column("query_id").cast(pa.string()).to_pylist()
    sizes = np.array([text.count(query) for query in chosen])
    moved = FileExchange(worker, files, files.tasks(2), chosen, parts_of(sizes, n_tasks))
    parts = defaultdict(list)
    for number in range(len(moved.tasks)):
        for part, stream in moved.send([number]):
            parts[part].append((part, stream))
    assert len(parts) <= n_tasks
    numbers, found = Numbers(evaluator), []
    for streams in parts.values():
        [stream] = moved.receive(streams)
        table = pa.ipc.open_stream(stream).read_all()
        assert set(table.column("found").to_pylist()) == {int(Found.EVALUATED)}
        queries = table.column("query_id").to_pylist()
        rows = np.frombuffer(b"".join(table.column("numbers").to_pylist()))
        places = np.array([numbers.number(query) for query in queries])
        numbers.put(places, rows.reshape(len(queries), -1))
        found += [query.decode() for query in queries]
    assert sorted(found) == sorted(chosen)
    for query in chosen:
        place, row = numbers.number(query.encode()), wanted.query_ids.index(query)
        for name in ("values", "low", "high"):
            np.testing.assert_array_equal(
                getattr(numbers, name)[place, : len(MEASURES)], getattr(wanted, name)[row]
            )


def test_parts_are_of_about_equal_size(seed):
    rng = np.random.default_rng(seed)
    sizes = np.ceil(np.exp(rng.uniform(0, 10, 5000))).astype(np.int64)
    parts = parts_of(sizes, 7)
    assert np.all(np.diff(parts) >= 0)
    of_part = np.bincount(parts, weights=sizes)
    assert len(of_part) == max(7, -(-sizes.sum() // exchange.PART))
    assert np.abs(of_part - of_part.mean()).max() <= 2 * sizes.max()
    assert parts_of(np.array([3, 4]), 7).tolist() == [0, 0]  # too few for a second task
    assert parts_of(np.array([10**9, 1]), 2).max() < 1000


def test_grouped_numbers(seed):
    rng = np.random.default_rng(seed)
    for n, kind in ((50, np.int16), (200_000, np.int32)):
        numbers = rng.integers(0, n, 3 * n).astype(np.int32)
        found, place = grouped(numbers, n)
        np.testing.assert_array_equal(found, np.unique(numbers))
        np.testing.assert_array_equal(found[place], numbers)
        assert place.dtype == kind
