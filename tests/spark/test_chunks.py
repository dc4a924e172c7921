"""A partition of a run through the kernel, a chunk at a time, without a session of Spark."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import irbounds as irb

pa = pytest.importorskip("pyarrow")

from irbounds.spark import chunks  # noqa: E402
from irbounds.spark.chunks import ChunkWorker, Found  # noqa: E402
from irbounds.spark.in_memory import judgments  # noqa: E402
from irbounds.spark.records import Columns  # noqa: E402

COLUMNS = Columns("query_id", "doc_id", "s", None, "query_id", "doc_id", "relevance")
QRELS = {f"q{q}": {f"d{doc}": doc % 3 for doc in range(q, q + 6)} for q in range(6)}
MEASURES = ["AP", "nDCG@3", "infAP"]


def worker(most_rows=1000, **options):
    rows = [(query, doc, value) for query, docs in QRELS.items() for doc, value in docs.items()]
    names = ["query_id", "doc_id", "relevance"]
    table = pa.table(dict(zip(names, zip(*rows, strict=True), strict=True)))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return ChunkWorker(sink.getvalue().to_pybytes(), tuple(MEASURES), options, most_rows, COLUMNS)


def batches(rows, size):
    schema = pa.schema(
        [("query_id", pa.string()), ("doc_id", pa.string()), ("score", pa.float64())]
    )
    columns = list(zip(*rows, strict=True)) or [(), (), ()]
    table = pa.table(
        [pa.array(list(c), t.type) for c, t in zip(columns, schema, strict=True)], schema=schema
    )
    return table.to_batches(max_chunksize=size)


def outcomes(of, rows, size):
    return [row for batch in of(iter(batches(rows, size))) for row in batch.to_pylist()]


@settings(max_examples=10, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 8), st.integers(1, 9)), max_size=8, unique_by=lambda q: q[0]),
    st.integers(1, 12),
    st.integers(1, 30),
)
def test_any_cut_gives_the_values_of_evaluate(queries, size, chunk):
    """Grouped rows: however batches and chunks are cut, each query comes once and whole."""
    rows = [(f"q{q}", f"d{doc}", float(doc % 4)) for q, n in queries for doc in range(n)]
    before, chunks.CHUNK = chunks.CHUNK, chunk
    try:
        found = outcomes(worker(), rows, size)
    finally:
        chunks.CHUNK = before
    assert {(row["query_id"].decode(), row["rows"]) for row in found} == {
        (f"q{q}", n) for q, n in queries
    }
    assert len(found) == len(queries)
    run = {f"q{q}": {f"d{doc}": float(doc % 4) for doc in range(n)} for q, n in queries}
    for row in found:
        query = row["query_id"].decode()
        assert row["found"] == (Found.EVALUATED if query in QRELS else Found.UNJUDGED)
        if query in QRELS:
            wanted = irb.evaluate({query: QRELS[query]}, {query: run[query]}, MEASURES).values
            assert row["numbers"] == wanted.tobytes()


@pytest.mark.parametrize("null", [0, 3, 5])
def test_rows_without_a_query_where_chunks_are_cut(null):
    rows = [(f"q{i // 3}", f"d{i}", 1.0) for i in range(9)]
    rows[null] = (None, "d", 1.0)
    found = outcomes(worker(most_rows=2), rows, 1)
    assert "run: column 'query_id' has no value in a row" in {row["problem"] for row in found}


@pytest.mark.parametrize("size", [1, 7, 100])
def test_a_query_of_too_many_rows_is_not_held(size):
    rows = [("q0", "d0", 1.0), *(("q1", f"d{doc}", 1.0) for doc in range(60)), ("q2", "d2", 2.0)]
    found = outcomes(worker(most_rows=20), rows, size)
    of = {query: [row for row in found if row["query_id"] == query] for query in (b"q0", b"q1")}
    assert [row["found"] for row in of[b"q0"]] == [Found.EVALUATED]
    assert sum(row["rows"] for row in of[b"q1"]) == 60
    # a batch is held in any case
    assert (Found.LARGE in [row["found"] for row in of[b"q1"]]) == (size < 60)
    assert found[-1]["query_id"] == b"q2"
    assert found[-1]["found"] == Found.EVALUATED


def test_queries_that_come_again_are_not_evaluated_again():
    rows = [(f"q{i % 2}", f"d{i}", 1.0) for i in range(12)]
    found = outcomes(worker(most_rows=4), rows, 4)
    assert {row["found"] for row in found[:2]} == {Found.EVALUATED}
    assert {row["found"] for row in found[2:]} <= {Found.SCATTERED, Found.EVALUATED}
    assert Found.SCATTERED in {row["found"] for row in found}
    assert sum(row["rows"] for row in found) == 12
    assert {row["numbers"] for row in found if row["found"] == Found.SCATTERED} == {b""}


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (("q1", None, 1.0), "run: column 'doc_id' has no value in a row (query 'q1')"),
        ((None, "d", 1.0), "run: column 'query_id' has no value in a row"),
        (("none", "d", None), "run: column 's' has no value in a row (query 'none')"),
        (("q1", "d1", 1.0), "run: duplicate document 'd1' for query 'q1'"),
        (("q1", "d", np.nan), "run: the score of document 'd' is nan (query 'q1')"),
    ],
)
def test_faulty_rows(row, problem):
    rows = [("q1", "d1", 2.0), ("q1", "d2", 1.0), row]
    found = outcomes(worker(), rows, 100)
    assert [row["problem"] for row in found if row["found"] == Found.FAULTY] == [problem]


def test_faulty_judgments():
    names = ["query_id", "doc_id", "grade", "bad"]
    table = pa.table(dict(zip(names, (["q", "r"], ["d", ""], [1.0, 1.0], [0, 9]), strict=True)))
    with pytest.raises(irb.InputError) as error:
        judgments(table, COLUMNS)
    assert str(error.value) == "qrels: column 'doc_id' has no value in a row (query 'r')"
