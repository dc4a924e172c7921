"""Ids and grades of every type, through every entry point and adapter, alike and mixed."""

import collections
import json
import random
import types
import unicodedata
import warnings
from decimal import Decimal
from fractions import Fraction

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    for matrix in (docs, np.array(docs), np.array(docs, object)):
        if ids == "bytes" and matrix is docs:
            continue  # NumPy's array of bytes is the next one
        assert evaluator.evaluate_topk(queries, matrix, scores).mean == WANTED


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


BLURS = {
    "blank": lambda name: name + " ",
    "no-break space": lambda name: "\u00a0" + name,
    "no width": lambda name: name[:1] + "\u200b" + name[1:],
    "byte order mark": lambda name: "\ufeff" + name,
    "decomposed": lambda name: unicodedata.normalize("NFD", name),
    "zeros": lambda name: name.zfill(len(name) + 2),
}


@given(st.sampled_from(list(BLURS)), st.booleans(), st.integers(0, 9), st.integers(2, 400))
def test_ids_that_look_alike(blur, is_judgment, place, n):
    """One document of many is spelt otherwise on one side: its query is named."""
    names = [str(i + 1) if blur == "zeros" else f"é{i}" for i in range(n)]
    changed = [BLURS[blur](name) if i == place % n else name for i, name in enumerate(names)]
    judged, ranked = (changed, names) if is_judgment else (names, changed)
    qrels = {"a": {"other": 1}, "q": dict.fromkeys(judged, 1)}
    run = {
        "a": {"other": 1.0, "more": 0.5},
        "q": {name: -float(i) for i, name in enumerate(ranked)},
    }
    frame = pd.DataFrame(
        [(q, d, s) for q, own in run.items() for d, s in own.items()],
        columns=["query_id", "doc_id", "score"],
    )
    for source in (run, frame, pl.from_pandas(frame)):
        with pytest.warns(irb.warnings.RunWarning, match=r"query 'q' is not judged; .*look alike"):
            irb.evaluate(qrels, source, "AP", ties="doc_id")


def test_different_ids_are_not_called_alike():
    names = ["1", "10", "100", "é", "e", "a b", "ab", "A", "a", "²", "2", "0", "d0"]
    qrels = {"q": dict.fromkeys(names[::2], 1)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        irb.evaluate(qrels, {"q": {name: i for i, name in enumerate(names)}}, "AP")


NUMBERED = [{"query_id": q, "doc_id": d, "score": s} for q, d, s in [(1, 12, 2.0), (1, 10, 1.0)]]


@pytest.mark.parametrize(
    "form",
    [
        lambda rows: {name: [row[name] for row in rows] for name in rows[0]},
        lambda rows: {name: np.array([row[name] for row in rows]) for name in rows[0]},
        lambda rows: tuple(rows),
        lambda rows: pd.DataFrame(rows).set_index(["query_id", "doc_id"]),
        lambda rows: pd.DataFrame(rows).set_index("query_id"),
        lambda rows: types.MappingProxyType({1: types.MappingProxyType({12: 2.0, 10: 1.0})}),
        lambda rows: collections.ChainMap({1: collections.ChainMap({12: 2.0, 10: 1.0})}),
    ],
)
def test_other_forms_of_tables(form):
    """Columns by name were taken for lists of three queries, named after them."""
    assert irb.evaluate({"1": {"10": 1}}, form(NUMBERED), "RR").mean == {"RR": 0.5}
    assert irb.Run(form(NUMBERED)).to_dict() == {"1": {"12": 2.0, "10": 1.0}}


def test_columns_in_a_json_file(tmp_path):
    judged = {"query_id": ["a", "b"], "doc_id": ["x", "y"], "grade": [1, 2]}
    run = {"query_id": ["a", "b"], "doc_id": ["z", "y"], "score": [0.5, 0.4]}
    (tmp_path / "run.json").write_text(json.dumps(run))
    for source in (run, tmp_path / "run.json"):
        assert irb.evaluate(judged, source, "RR").mean == {"RR": 0.5}
    with pytest.raises(irb.InputError, match=r"columns must have one length; found \[2, 1, 2\]"):
        irb.Run({**run, "doc_id": ["z"]})


def test_periods_are_no_numbers():
    """Arrow has their numbers since 1970."""
    months = pd.period_range("2020", periods=2, freq="M")
    for name in ("doc_id", "score"):
        frame = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [1, 2]})
        with pytest.raises(irb.InputError, match=r"ids must be text|must hold numbers"):
            irb.Run(frame.astype({"doc_id": "string"}).assign(**{name: months}))


@pytest.mark.parametrize("name", ["l2_distance", "rank_pos", "Dist.", "Position", "distance (L2)"])
def test_columns_of_distances(name):
    with pytest.raises(irb.InputError, match="but lower ranks are better"):
        irb.Run(pd.DataFrame(NUMBERED), {"score": name})


def test_names_of_scores_that_have_the_word_rank():
    for name in ("rank_score", "ranking score", "neg_distance", "similarity_rank"):
        frame = pd.DataFrame(NUMBERED).rename(columns={"score": name})
        assert irb.Run(frame, {"score": name})["1"] == {"12": 2.0, "10": 1.0}


@pytest.mark.parametrize("write", [",", "\t", "pandas", "polars"])
@pytest.mark.parametrize("order", [1, -1])
def test_ranks_that_contradict_scores_in_tables(write, order, tmp_path):
    frame = pd.DataFrame(
        {"query_id": "q", "doc_id": list("abc"), "rank": [1, 2, 3], "score": [0.3, 0.2, 0.1]}
    )
    frame["score"] *= order
    source = frame if write == "pandas" else pl.from_pandas(frame)
    if write in ",\t":
        source = tmp_path / "run.csv"
        frame.to_csv(source, sep=write, index=False, quoting=1)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        irb.evaluate({"q": {"a": 1}}, source, "RR")
    assert ["ranks contradicts the scores" in str(each.message) for each in said] == [True] * (
        order < 0
    )


def test_three_columns_of_marks_are_no_ranks(tmp_path):
    """A first rank 1 and then 0 or 1 in a query: these are scores."""
    for marks in ("10", "11"):
        path = tmp_path / "run.tsv"
        path.write_text("".join(f"q\td{i}\t{mark}\n" for i, mark in enumerate(marks)))
        with pytest.raises(irb.InputError, match="needs a first line that names its columns"):
            irb.Run.from_file(path)


def test_the_line_before_a_table_of_excel(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("sep=;\nquery_id;doc_id;score\n1;12;2.0\n1;10;1.0\n")
    assert irb.Run.from_file(path)["1"] == {"12": 2.0, "10": 1.0}
    path.write_text("query_id;doc_id;score\n1;12;2,5\n")
    with pytest.raises(irb.InputError, match=r"run.csv:2: .* found '2,5': write a decimal point"):
        irb.Run.from_file(path)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("q", "d", 1)], r"tuple without query_id: Run.from_arrays\(\*zip\(\*rows\)\) takes"),
        (iter(NUMBERED), "dict without query_id: give rows that are dicts in a list"),
        ({"q": pd.Series(["d"])}, "query 'q': expected a dict of documents, found Series"),
    ],
)
def test_what_to_do_with_rows_without_names(rows, message):
    with pytest.raises(irb.InputError, match=message):
        irb.Run(rows)
