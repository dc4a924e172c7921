"""Lists of ids, several rows of one document, and the frames of recommender libraries."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import irbounds as irb
from irbounds.warnings import RunWarning

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

MEASURES = "AP RR nDCG@3 P@2"
ID = st.integers(0, 7)
LISTS = st.dictionaries(ID, st.lists(ID, unique=True, max_size=6), min_size=1, max_size=4)


def _values(qrels, run, **options):
    return irb.evaluate(qrels, run, MEASURES, **options).values.tolist()


@given(LISTS, st.randoms(), st.sampled_from([int, str, np.int64]))
@settings(max_examples=60, deadline=None)
def test_every_form_of_lists_gives_one_result(retrieved, random, kind):
    relevant = {q: random.sample(range(8), random.randint(1, 4)) for q in retrieved}
    if not any(retrieved.values()):
        retrieved[next(iter(retrieved))] = [3]
    grades = {q: dict.fromkeys(map(str, ids), 1) for q, ids in relevant.items()}
    scores = {q: {str(d): 1 / (1 + i) for i, d in enumerate(ids)} for q, ids in retrieved.items()}
    wanted = _values(grades, scores)
    run = {q: list(map(kind, ids)) for q, ids in retrieved.items()}
    for qrels in (
        relevant,
        {q: set(map(kind, ids)) for q, ids in relevant.items()},
        {q: frozenset(ids) for q, ids in relevant.items()},
        {q: np.array(ids) for q, ids in relevant.items()},
        {q: [(d, 1) for d in ids] for q, ids in relevant.items()},
        irb.Qrels.from_lists(relevant),
        grades,
    ):
        for lists in (
            run,
            {q: np.array(ids) for q, ids in run.items()},
            {q: tuple(ids) for q, ids in run.items()},
            {q: [(d, -i) for i, d in enumerate(ids)] for q, ids in run.items()},
            irb.Run.from_lists(run),
        ):
            assert _values(qrels, lists) == wanted
    by_position = list(relevant.values()), list(run.values())
    assert _values(*by_position) == wanted
    evaluator = pickle.loads(pickle.dumps(irb.Evaluator(by_position[0], MEASURES)))
    assert evaluator.evaluate(by_position[1]).values.tolist() == wanted
    rows = [
        {"query_id": q, "doc_id": d, "score": s}
        for q, own in scores.items()
        for d, s in own.items()
    ]
    assert _values(relevant, rows) == wanted


def test_files_of_lists(tmp_path):
    path = tmp_path / "lists.json"
    path.write_text(json.dumps({"q1": ["a", "b"], "q2": []}))
    assert _values({"q1": ["b"]}, path) == _values({"q1": {"b": 1}}, {"q1": {"a": 2, "b": 1}})
    path.write_text(json.dumps({"q1": ["b"]}))
    assert irb.Qrels(path).to_dict() == {"q1": {"b": 1.0}}


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        ([["a"]], [["a"], ["b"]], "has 2 lists, and the qrels 1: .* must have one length"),
        ([["a"]], {"0": ["a"]}, "lists without query ids need such lists as run too"),
        ({"0": ["a"]}, [["a"]], "lists without query ids need such lists as qrels too"),
        ({"q": ["a"]}, {"q": {"a", "b"}}, "run: query 'q': a set has no order"),
        ({"q": ["a"]}, {"q": ["a", ("b", 1)]}, "expected ids, or pairs of an id and a score"),
        ({"q": ["a"]}, {"q": [("a", "b")]}, "expected ids, or pairs of an id and a score"),
        ({"q": ["a"]}, {"q": ["a"], "r": "bc"}, "query 'r': expected a list of ids, found 'bc'"),
        ({"q": ["a"]}, {"q": ["a", "b", "a"]}, "run: duplicate document 'a' .*best.*first"),
        ([["a"]], [["q1", "a", 0.5]], "all text or all numbers"),
        ({"q": ["a"]}, [("q", "a", 0.5)], "found a tuple without query_id"),
        ({"q": ["a"]}, np.ones((2, 2)), "evaluate_topk"),
    ],
)
def test_what_is_not_clear_is_refused(qrels, run, message):
    with pytest.raises(irb.InputError, match=message):
        irb.evaluate(qrels, run, "RR")


ROWS = st.lists(
    st.tuples(st.sampled_from("qr"), st.sampled_from("abc"), st.integers(0, 4)), max_size=9
)


@given(ROWS, st.sampled_from(["best", "first"]))
@settings(max_examples=60, deadline=None)
def test_one_row_of_each_document_is_kept(rows, how):
    rows = [("q", "a", 2), *rows]
    kept = {}
    for query, document, score in rows:
        own = kept.setdefault(query, {})
        own[document] = (
            max(own.get(document, score), score) if how == "best" else own.get(document, score)
        )
    columns = {
        name: list(column)
        for name, column in zip(
            ("query_id", "doc_id", "score"), zip(*rows, strict=True), strict=True
        )
    }
    pairs = {q: [(d, s) for p, d, s in rows if p == q] for q in kept}
    for source in (pd.DataFrame(columns), pl.DataFrame(columns), pairs):
        assert irb.Run(source, duplicates=how).to_dict() == kept
    assert irb.Run.from_arrays(*columns.values(), duplicates=how).to_dict() == kept
    qrels = {"q": ["a", "b"], "r": ["c"]}
    assert _values(qrels, pd.DataFrame(columns), duplicates=how) == _values(qrels, kept)
    if how == "best":
        chunks = {q: {f"{d}#{i}": s for i, (d, s) in enumerate(own)} for q, own in pairs.items()}
        documents = {c: c[0] for own in chunks.values() for c in own}
        assert irb.Run(chunks).collapse(documents).to_dict() == kept
        assert irb.Run(chunks).collapse(lambda chunk: chunk[0]).to_dict() == kept


def test_a_chunk_without_a_document():
    with pytest.raises(irb.InputError, match="no document for chunk 'x'"):
        irb.Run({"q": {"x": 1}}).collapse({})


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize(
    ("user", "item", "grade", "score"),
    [
        ("user_id", "item_id", "rating", "score"),
        ("userId", "movieId", "rating", "prediction"),
        ("userID", "itemID", None, "prediction"),
        ("user", "item", None, "score"),
    ],
)
def test_frames_of_recommenders(frame, user, item, grade, score):
    truth = {user: [1, 2], item: [3, 4]} | ({grade: [5, 1]} if grade else {"timestamp": [9, 9]})
    qrels = irb.Qrels(frame(truth))
    assert qrels.to_dict() == {"1": {"3": 5.0 if grade else 1.0}, "2": {"4": 1.0}}
    run = irb.Run(frame({user: [1, 1], item: [7, 3], score: [0.5, 0.9]}))
    assert run.to_dict() == {"1": {"7": 0.5, "3": 0.9}}
    with pytest.warns(RunWarning, match="ranks and no scores"):
        found = irb.evaluate(qrels, frame({user: [1, 1], item: [7, 3], "rank": [1, 2]}), "RR")
    assert found.values.tolist() == [[0.5], [0.0]]
    with pytest.raises(irb.InputError, match="needs the column 'relevance'"):
        irb.Qrels(frame({user: [1], item: [3], "relevence": [0]}))


def test_ranks_from_0_and_lists_of_results(tmp_path):
    path = tmp_path / "run"
    path.write_text("q1\td1\t0\nq1\td2\t1\nq2\td1\t0\n")
    ordered = {query: list(own) for query, own in irb.Run(path).items()}
    assert ordered == {"q1": ["d1", "d2"], "q2": ["d1"]}
    assert irb.evaluate({"q1": ["d2"]}, path, "RR").mean["RR"] == 0.5
    line = {"query_id": 1, "query": "x", "results": [{"corpus_id": "d1", "score": 0.9}]}
    path.write_text(json.dumps(line) + "\n" + json.dumps(line | {"query_id": 2}) + "\n")
    assert irb.Run(path).to_dict() == {"1": {"d1": 0.9}, "2": {"d1": 0.9}}
    path.write_text(json.dumps(line) + "\n" + '{"query_id": 2}\n')
    with pytest.raises(irb.InputError, match="run:2: expected a JSON object with a list 'results'"):
        irb.Run(path)


def test_files_with_duplicates_and_runs_of_lists(tmp_path):
    path = tmp_path / "a.run"
    path.write_text("q Q0 a 1 2 t\nq Q0 a 2 3 t\n")
    for read in (irb.Run, lambda name: irb.evaluate({"q": ["a"]}, name, "RR")):
        with pytest.raises(irb.InputError, match=r"a.run:2: duplicate document 'a'.*best.*first"):
            read(path)
    assert irb.Run(path, duplicates="first").to_dict() == {"q": {"a": 2.0}}
    assert irb.evaluate({"q": ["a"]}, path, "RR", duplicates="best").mean == {"RR": 1.0}
    qrels = {f"q{i}": ["a"] for i in range(6)}
    runs = {name: {query: list(name) for query in qrels} for name in ("ab", "ba")}
    assert irb.compare(qrels, runs, "RR").between("ab", "ba").difference == 0.5
