"""Tables of DuckDB and ibis give what dicts give, also several over one connection."""

import numpy as np
import pytest

import irbounds as irb

pa = pytest.importorskip("pyarrow")

MEASURES = "AP nDCG@10 RR"
N_QUERIES, N_DOCUMENTS = 20, 30


def rows(seed):
    """A table with ties, and as a dict."""
    rng = np.random.default_rng(seed)
    queries = [f"q{number}" for number in np.repeat(range(N_QUERIES), N_DOCUMENTS)]
    docs = [f"d{doc}" for _ in range(N_QUERIES) for doc in rng.permutation(99)[:N_DOCUMENTS]]
    values = rng.integers(0, 3, len(docs))
    table = {}
    for query, doc, value in zip(queries, docs, values.tolist(), strict=True):
        table.setdefault(query, {})[doc] = value
    return pa.table({"query_id": queries, "doc_id": docs, "v": pa.array(values)}), table


def relations(table, name):
    """The table by several ways of one connection of DuckDB."""
    duckdb = pytest.importorskip("duckdb")
    given = table.rename_columns(["query_id", "doc_id", name])
    return {
        "from Arrow": duckdb.from_arrow(given),
        "SQL": duckdb.sql("select * from given"),
        "filtered": duckdb.sql("select * from given where doc_id != 'x' order by query_id, doc_id"),
    }


def memtables(table, name):
    """The table by ibis."""
    pytest.importorskip("duckdb")
    ibis = pytest.importorskip("ibis")
    given = ibis.memtable(table.rename_columns(["query_id", "doc_id", name]))
    return {"memtable": given, "filtered": given.filter(ibis._.doc_id != "x")}


def check(found, wanted):
    order = [found.query_ids.index(query) for query in wanted.query_ids]
    for name in ("values", "low", "high"):
        np.testing.assert_array_equal(getattr(found, name)[order], getattr(wanted, name))


@pytest.mark.parametrize("make", [relations, memtables])
def test_tables_behind_a_connection(make):
    qrels, judged = rows(1)
    run, ranked = rows(2)
    wanted = irb.evaluate(judged, ranked, MEASURES, bounds=True)
    for way, frame in make(run, "score").items():
        check(irb.evaluate(make(qrels, "relevance")[way], frame, MEASURES, bounds=True), wanted)
        again = make(run, "score")[way]  # old versions of DuckDB read a relation once
        assert irb.Run.from_frame(again).to_dict() == ranked


@pytest.mark.parametrize("make", [relations, memtables])
def test_runs_over_one_connection_in_threads(make):
    """DuckDB closes or refuses a result while another thread reads over its connection."""
    qrels, judged = rows(1)
    evaluator = irb.Evaluator(make(qrels, "relevance")["filtered"], MEASURES, bounds=True)
    tables = [rows(seed) for seed in range(2, 10)]
    runs = {
        str(number): make(table, "score")["filtered"] for number, (table, _) in enumerate(tables)
    }
    found = evaluator.evaluate_many(runs, jobs=4)
    for evaluation, (_, ranked) in zip(found.values(), tables, strict=True):
        check(evaluation, irb.evaluate(judged, ranked, MEASURES, bounds=True))


class Query:
    """A table whose query fails."""

    def __arrow_c_stream__(self, requested_schema=None):
        raise LookupError("no such table:\n  runs")


class LazyQuery:
    """Likewise, in the manner of a lazy frame."""

    columns = ("query_id", "doc_id", "score")

    def collect(self):
        raise LookupError("no such table:\n  runs")


@pytest.mark.parametrize("frame", [Query(), LazyQuery()], ids=["stream", "lazy"])
def test_a_failed_query_costs_one_run(frame):
    expected = "the data frame gives no rows: LookupError: no such table: runs$"
    with pytest.raises(irb.InputError, match=f"^run: {expected}") as caught:
        irb.evaluate({"q": {"d": 1}}, frame, "RR")
    assert isinstance(caught.value.__cause__ or caught.value.__context__, Exception)
    with pytest.raises(irb.InputError, match=expected):
        irb.Run.from_frame(frame)
    evaluator = irb.Evaluator({"q": {"d": 1}}, "RR")
    runs = {"bad": frame, "good": {"q": {"d": 1}}}
    found = evaluator.evaluate_many(runs, keep_going=True)
    assert (list(found), list(found.errors)) == (["good"], ["bad"])
