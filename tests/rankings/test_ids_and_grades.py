"""Ids and grades of every type, through every entry point and adapter, alike and mixed."""

import json
import random
from decimal import Decimal
from fractions import Fraction

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import irbounds as irb
from irbounds.adapters import ir_measures as provided
from irbounds.adapters import pytrec_eval, ranx

GRADES = {1: {10: 1, 11: 0, 12: 2}, 2: {10: 2, 70000: 1, 13: 0}}
SCORES = {1: {12: 0.25, 11: 2.0, 10: 0.5}, 2: {13: 1.0, 70000: 4.0, 14: 2.0}}
WANTED = {"AP": ((1 / 2 + 2 / 3) / 2 + 1 / 2) / 2, "RR": 0.75}

ID_TYPES = {
    "text": str,
    "int": int,
    "int64": np.int64,
    "uint32": np.uint32,
    "float": float,
    "float32": np.float32,
    "float64": np.float64,
    "Decimal": Decimal,
    "Decimal with a point": lambda i: Decimal(i) + Decimal("0.00"),
    "Fraction": Fraction,
    "bytes": lambda i: str(i).encode(),
}
NUMBER_TYPES = {
    "int": int,
    "float": float,
    "int64": np.int64,
    "float32": np.float32,
    "float64": np.float64,
    "Decimal": lambda x: Decimal(str(x)),
    "Fraction": Fraction,
}
MIXED = "mixed"


def typed(rows, ids, numbers, seed):
    """The rows with ids and numbers of these types; of a type each by chance where it is mixed."""
    rng = random.Random(seed)

    def choose(types, name):
        return types[rng.choice(list(types)) if name == MIXED else name]

    query_type = {query: choose(ID_TYPES, ids)(query) for query in rows}  # a key of a dict
    return [
        (query_type[query], choose(ID_TYPES, ids)(doc), choose(NUMBER_TYPES, numbers)(value))
        for query, documents in rows.items()
        for doc, value in documents.items()
    ]


def nested(rows):
    found = {}
    for query, doc, value in rows:
        found.setdefault(query, {})[doc] = value
    return found


def frame_of(make, rows, names):
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    try:
        return make(columns)
    except (pa.ArrowException, TypeError, ValueError, pl.exceptions.PolarsError, OverflowError):
        return None  # no column of this library holds such objects


def forms(rows, value_name, tuples):
    names = ["query_id", "doc_id", value_name]
    yield "dict", nested(rows)
    yield "named tuples", [tuples(*row) for row in rows]
    kind = irb.Run if value_name == "score" else irb.Qrels
    yield "arrays", kind.from_arrays(*zip(*rows, strict=True))
    makers = (pd.DataFrame, pl.DataFrame, pa.table, pandas_of_arrow, categories)
    for make in makers:
        frame = frame_of(make, rows, names)
        if frame is not None:
            yield make.__name__, frame


def pandas_of_arrow(columns):
    return pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype)


def categories(columns):
    frame = pd.DataFrame(columns)
    return frame.astype({"query_id": "category", "doc_id": "category"})


def answers(qrels, run):
    """(what computed it, its means) for all entry points that take these forms."""
    yield "evaluate", irb.evaluate(qrels, run, "AP RR").mean
    yield "adapter", provided.calc_aggregate("AP RR", qrels, run)
    if isinstance(qrels, dict) and isinstance(run, dict):
        own = pytrec_eval.RelevanceEvaluator(qrels, ["map", "recip_rank"]).evaluate(run).values()
        means = [sum(each[name] for each in own) / 2 for name in ("map", "recip_rank")]
        yield "pytrec_eval", dict(zip(WANTED, means, strict=True))
    found = ranx.evaluate(qrels, run, ["map", "mrr"])
    yield "ranx", {"AP": found["map"], "RR": found["mrr"]}
    if all(isinstance(source, dict | list | pd.DataFrame) for source in (qrels, run)):
        there = ir_measures.calc_aggregate([ir_measures.AP, ir_measures.RR], qrels, run)
        yield "provider", {str(measure): value for measure, value in there.items()}
        per_query = list(ir_measures.iter_calc([ir_measures.AP], qrels, run))
        assert sorted(each.query_id for each in per_query) == ["1", "2"]


@pytest.fixture
def provider():
    yield provided.register()
    provided.unregister()


PAIRS = [(name, name) for name in ID_TYPES] + [
    *((name, "text") for name in ID_TYPES),
    *(("text", name) for name in ID_TYPES),
    *[(MIXED, MIXED)] * 4,
]


@pytest.mark.parametrize(("ids", "other_ids"), PAIRS)
def test_every_type_of_id_and_number(ids, other_ids, provider):
    rng = random.Random(f"{ids} {other_ids}")
    grades, scores = (rng.choice([*NUMBER_TYPES, MIXED]) for _ in range(2))
    judged = typed(GRADES, ids, grades, rng.random())
    ranked = typed(SCORES, other_ids, scores, rng.random())
    runs = dict(forms(ranked, "score", ir_measures.ScoredDoc))
    for form, qrels in forms(judged, "relevance", ir_measures.Qrel):
        others = {form, rng.choice(list(runs))} & runs.keys()
        for other in others:
            for name, means in answers(qrels, runs[other]):
                assert {str(key): pytest.approx(value) for key, value in means.items()} == WANTED, (
                    name,
                    form,
                    other,
                )


@pytest.mark.parametrize("ids", [*ID_TYPES, MIXED])
def test_matrices_of_ids(ids):
    rng = random.Random(1)
    make = [ID_TYPES[rng.choice(list(ID_TYPES)) if ids == MIXED else ids] for _ in range(2)]
    evaluator = irb.Evaluator(nested(typed(GRADES, ids, "int", 1)), "AP RR")
    docs = [[make[0](doc) for doc in documents] for documents in SCORES.values()]
    scores = [list(documents.values()) for documents in SCORES.values()]
    queries = list(map(make[1], SCORES))
    for given in (docs, np.array(docs), np.array(docs, object)):
        if ids == "bytes" and given is docs:
            continue  # NumPy's array of bytes is the next one
        assert evaluator.evaluate_topk(queries, given, scores).mean == WANTED


@pytest.mark.parametrize("kind", [pa.int64(), pa.float32(), pa.float64(), pa.decimal128(30, 2)])
def test_files_of_numbers(kind, tmp_path):
    """Parquet and Arrow's files have their own numbers; JSON has 7 and 7.0."""
    rows = typed(SCORES, "int", "float", 0)
    table = pa.table(
        {
            "query_id": pa.array([row[0] for row in rows]).cast(kind),
            "doc_id": pa.array([row[1] for row in rows]).cast(kind),
            "score": pa.array([row[2] for row in rows]),
        }
    )
    pq.write_table(table, tmp_path / "run.parquet")
    with (
        pa.OSFile(str(tmp_path / "run.arrow"), "wb") as file,
        pa.ipc.new_file(file, table.schema) as writer,
    ):
        writer.write_table(table)
    number = float if pa.types.is_floating(kind) else int
    lines = [{"query_id": number(q), "doc_id": number(d), "score": s} for q, d, s in rows]
    (tmp_path / "run.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (tmp_path / "run.json").write_text(json.dumps(lines))
    for name in ("run.parquet", "run.arrow", "run.jsonl", "run.json"):
        assert irb.evaluate(GRADES, tmp_path / name, "AP RR").mean == WANTED, name
    with (
        pa.OSFile(str(tmp_path / "values"), "wb") as file,
        pa.ipc.new_file(
            file, pa.schema([("query_id", pa.int8()), ("doc_id", pa.int32()), ("score", kind)])
        ) as writer,
    ):
        scores = pa.array([int(8 * row[2]) for row in rows]).cast(kind)
        ids = [pa.array([row[i] for row in rows]) for i in (0, 1)]
        columns = [ids[0].cast(pa.int8()), ids[1].cast(pa.int32()), scores]
        writer.write_table(pa.Table.from_arrays(columns, names=table.column_names))
    assert irb.evaluate(GRADES, tmp_path / "values", "AP RR").mean == WANTED


BAD_IDS = [1.5, float("nan"), float("inf"), True, None, 1j, Decimal("1.5"), Decimal("NaN")]


@pytest.mark.parametrize("bad", [*BAD_IDS, 2.0**53 * 2, np.float32(2**25), np.bool_(True)])
def test_what_is_no_id_is_refused_in_every_form(bad):
    """A float above 2^53 (2^24 of 32 bits) stands for several whole numbers."""
    good = {1: {10: 1.0}}
    rows = [(1, bad, 1.0), (1, 10, 2.0)]
    sources = [
        {1: {bad: 1.0}},
        [ir_measures.ScoredDoc(*row) for row in rows],
        pd.DataFrame(rows, columns=["query_id", "doc_id", "score"], dtype=object),
    ]
    if isinstance(bad, float | np.floating) and bad == bad:
        kind = pa.float32() if isinstance(bad, np.float32) else pa.float64()
        table = pa.table(
            {
                "query_id": [1, 1],
                "doc_id": pa.array([float(bad), 10.0], kind),
                "score": [1.0, 2.0],
            }
        )
        sources += [table, pl.from_arrow(table), table.to_pandas(types_mapper=pd.ArrowDtype)]
    for source in sources:
        with pytest.raises(irb.InputError, match=r"ids|has no value in row 0"):
            irb.evaluate(good, source, "AP")
    with pytest.raises(irb.InputError, match="ids"):
        provided.calc_aggregate("AP", good, {1: {bad: 1.0}})


def test_other_places_that_name_queries():
    qrels, run = {"1": {"10": 1, "11": 0}}, {1.0: {Decimal(10): 2.0, 12: 1.0}}
    wanted = irb.evaluate(qrels, run, "P@5", unjudged="bounds", unjudged_hidden={"1": 2})
    for name in (1, 1.0, np.float32(1), Decimal(1)):
        found = irb.evaluate(qrels, run, "P@5", unjudged="bounds", unjudged_hidden={name: 2})
        assert found.to_dict() == wanted.to_dict()
    probabilities = {1: {12.0: 0.5}}
    assert irb.evaluate(qrels, run, "P@2", unjudged=probabilities).mean == {"P@2": 0.75}
    with pytest.raises(irb.InputError, match="duplicate query '1'"):
        irb.evaluate(qrels, {1: {}, "1": {"10": 1}}, "P@5")
