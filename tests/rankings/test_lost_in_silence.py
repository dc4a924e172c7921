"""Input and options that would be ignored without a word."""

import warnings

import numpy as np
import pytest

import irbounds as irb
from irbounds.adapters.pytrec_eval import RelevanceEvaluator
from irbounds.warnings import RunWarning

TABLE = "query_id,doc_id,score,did\nq1,d1,1,d2\nq1,d2,2,d1\n"
QRELS = {"q1": {"d1": 1}}


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text(TABLE)
    return path


def test_a_chosen_name_of_ids_must_be_there(table, tmp_path):
    assert irb.evaluate(QRELS, table, "RR", columns={"doc_id": "did"}).mean["RR"] == 1
    for work in (
        lambda: irb.evaluate(QRELS, table, "RR", columns={"doc_id": "didd"}),
        lambda: irb.Run.from_file(table, columns={"doc_id": "didd"}),
        lambda: irb.Run(table, columns={"query_id": "topic_id"}),
        lambda: irb.compare(QRELS, {"a": table, "b": table}, "RR", columns={"doc_id": "didd"}),
        lambda: irb.gate(QRELS, table, table, "RR", columns={"doc_id": "didd"}),
    ):
        with pytest.raises(irb.InputError, match="the table needs the column"):
            work()
    # the judgments may be the table that has it, or the run
    (tmp_path / "qrels.csv").write_text("query_id,d,relevance\nq1,d1,1\n")
    columns = {"doc_id": "d"}
    assert irb.evaluate(tmp_path / "qrels.csv", table, "RR", columns=columns).mean["RR"] == 0.5
    (tmp_path / "qrels.csv").write_text("query_id,doc_id,relevance\nq1,d1,1\n")
    columns = {"doc_id": "did"}
    assert irb.evaluate(tmp_path / "qrels.csv", table, "RR", columns=columns).mean["RR"] == 1
    with pytest.raises(irb.InputError, match="needs the column 'd'"):
        irb.Qrels.from_file(tmp_path / "qrels.csv", columns={"doc_id": "d"})


@pytest.mark.parametrize("values", [["10", "9"], [b"2", b"1"], [1, " 2 "]])
def test_text_in_pandas_objects_is_no_number(values):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"query_id": ["q1"] * 2, "doc_id": ["d1", "d2"]})
    frame["score"] = pd.Series(values, dtype=object)
    with pytest.raises(irb.InputError, match="column 'score' must hold numbers"):
        irb.evaluate(QRELS, frame, "RR")
    frame["score"] = pd.Series([2, np.float32(1)], dtype=object)
    assert irb.evaluate(QRELS, frame, "RR").mean["RR"] == 1


def test_padding_is_an_id():
    evaluator = irb.Evaluator({"q1": {11: 1}}, "RR NumRet")
    scores = [[2.0, 1.0]]
    for ids, padding in (
        ([[-1, 11]], -1),
        ([[-1, 11]], np.int64(-1)),
        ([["-1", "11"]], -1),
        ([["-1", "11"]], "-1"),
        (np.array([["-1", "11"]]), -1),
        (np.array([[b"-1", b"11"]]), -1),
        (np.array([["-1", 11]], object), -1),
    ):
        found = evaluator.evaluate_topk(["q1"], ids, scores, padding=padding)
        assert found.values.tolist() == [[1.0, 1.0]]
    for padding in ("-1", "none", 1.5, [-1, -1], True, {-1}):
        with pytest.raises(irb.InputError, match="`padding` must be"):
            evaluator.evaluate_topk(["q1"], [[-1, 11]], scores, padding=padding)
    with pytest.raises(irb.InputError, match="`padding` must be"):
        evaluator.evaluate_topk(["q1"], np.array([["-1", "11"]]), scores, padding=object())


def test_files_hold_what_can_be_read_again(tmp_path):
    for run in ({"q1": {"d\0": 1.0}}, {"\ufeffq": {"d": 1.0}}):
        with pytest.raises(irb.InputError, match="a TREC file"):
            irb.Run(run).to_trec(tmp_path / "run")
    assert not (tmp_path / "run").exists()
    run = irb.Run({"q1": {}, "q2": {"d": 1.0}})
    with pytest.warns(
        irb.warnings.RunWarning, match="run: lacks 1 query without documents, first 'q1'"
    ):
        run.to_trec(tmp_path / "run")
    with pytest.warns(irb.warnings.RunWarning, match="the frame: lacks 1 query"):
        run.to_frame("pandas")


def test_a_damaged_table_is_one_line_and_costs_itself_alone(tmp_path):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = irb.Run({"q1": {"d1": 1.0}}).to_arrow()
    table = table.append_column("xnote_", pa.array(["n"]))
    parquet.write_table(table, tmp_path / "a.parquet", store_schema=False)
    data = (tmp_path / "a.parquet").read_bytes().replace(b"xnote_", b"x\xe9ote_")
    (tmp_path / "a.parquet").write_bytes(data)
    runs = {"bad": tmp_path / "a.parquet", "good": {"q1": {"d1": 1.0}}}
    found = irb.Evaluator(QRELS, "RR").evaluate_many(runs, keep_going=True)
    assert list(found) == ["good"]
    assert str(found.errors["bad"]).endswith("a.parquet: the name of a column is not UTF-8")
    for cut in range(8, len(data), 7):
        (tmp_path / "b.parquet").write_bytes(data[:cut] + data[cut + 1 :])
        with pytest.raises(irb.InputError) as error:
            irb.evaluate(QRELS, tmp_path / "b.parquet", "RR")
        assert "\n" not in str(error.value)


def test_names_of_columns_where_nothing_has_columns(table, tmp_path):
    run = {"q1": {"d1": 1.0}}
    irb.Run(run).to_trec(tmp_path / "a.run")
    (tmp_path / "a.json").write_text('{"q1": {"d1": 1.0}}')
    columns = {"score": "nope"}
    for other in (run, tmp_path / "a.run", tmp_path / "a.json"):
        for work in (
            lambda other=other: irb.evaluate(QRELS, other, "RR", columns=columns),
            lambda other=other: irb.compare(QRELS, [other, run], "RR", columns=columns),
            lambda other=other: irb.gate(QRELS, other, run, "RR", columns=columns),
        ):
            with pytest.raises(irb.InputError, match=r"^`columns` says that score is 'nope', but"):
                work()
    with pytest.raises(irb.InputError, match=r"^`columns` says that query_id is 'zzz', but"):
        irb.Run.from_file(tmp_path / "a.run", columns={"query_id": "zzz"})
    # one table is enough, and the names may be those of other judgments as well
    columns = {"doc_id": "did"}
    assert irb.compare(QRELS, {"a": table, "b": run}, "RR", columns=columns).runs == ("a", "b")
    irb.Run.from_file(table, columns={"doc_id": "did", "relevance": "grade"})


def test_flags_and_levels():
    with pytest.raises(irb.InputError, match="keep_going"):
        irb.Evaluator(QRELS, "RR").evaluate_many({"a": {"q1": {"d1": 1.0}}}, keep_going="no")
    for level in ("2", 1.5):
        with pytest.raises(TypeError, match="relevance_level"):
            RelevanceEvaluator(QRELS, {"map"}, relevance_level=level)


def test_a_set_of_measures_has_one_order():
    names = {"map", "recip_rank", "P_10", "ndcg"}
    found = [str(name) for name in irb.evaluate(QRELS, {"q1": {"d1": 1.0}}, names).measures]
    assert found == ["P@10", "AP", "nDCG", "RR"]


def test_a_key_that_stands_twice_in_a_line(tmp_path):
    path = tmp_path / "run.jsonl"
    for twice in ('"score":5', '"doc_id":"d1"', '"query_id":"q1"'):
        line = '{"query_id":"q1","doc_id":"d1","score":1}\n'
        path.write_text(line + line.replace("d1", "d2").replace("}", f",{twice}}}"))
        with pytest.raises(irb.InputError, match=r"run.jsonl:2: duplicate name"):
            irb.Run(path)


@pytest.mark.parametrize("name", ["rank", "Rank ", "position", "distance"])
def test_ranks_are_no_scores(name, tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"query_id": ["q"] * 2, "doc_id": ["a", "b"], name: [1, 2]})
    frame.to_csv(tmp_path / "run.csv", index=False)
    for source in (frame, tmp_path / "run.csv"):
        with pytest.raises(irb.InputError, match="lower ranks are better"):
            irb.evaluate({"q": {"a": 1}}, source, "AP", columns={"score": name})


HASHES = ["#cats", "#", "##", "#1", "#q-x"]


@pytest.mark.parametrize("query", HASHES)
def test_queries_whose_ids_begin_with_a_hash(query, tmp_path):
    """Only a line without the fields of a row is a comment."""
    qrels = {query: {"d1": 1, "d2": 0}, "birds": {"d3": 1}}
    run = {query: {"d9": 2.0, "d1": -1e-5}, "birds": {"d3": float("inf")}}
    comments = ["# made by hand", "#", "# q1 0 d1 1", "#one two three four five six", "# k = v"]
    lines = [f"{q} 0 {d} {g}" for q, own in qrels.items() for d, g in own.items()]
    (tmp_path / "qrels").write_text("\n".join([*comments, *lines, *comments, ""]))
    lines = [
        f"{q} Q0 {d} {i} {s!r} a tag"
        for q, own in run.items()
        for i, (d, s) in enumerate(own.items())
    ]
    (tmp_path / "run").write_text("\n".join([*comments, *lines, *comments, ""]))
    found = irb.evaluate(tmp_path / "qrels", tmp_path / "run", "AP")
    assert found.to_dict() == irb.evaluate(qrels, run, "AP").to_dict()
    assert found.mean == {"AP": 0.75}
    assert irb.Qrels(tmp_path / "qrels").to_dict() == qrels
    (tmp_path / "subtopics").write_text(f"# by topic\n{query} 1 d1 1\n{query} 2 d9 1\n")
    found = irb.evaluate(tmp_path / "subtopics", tmp_path / "run", "StRecall@1 StRecall@2")
    assert found.mean == {"StRecall@1": 0.5, "StRecall@2": 1.0}


def test_a_grade_without_a_gain():
    qrels, run = {"q": {"a": 4, "b": 1, "c": 2}}, {"q": {"b": 3.0, "a": 2.0, "c": 1.0}}
    wanted = {"nDCG@2": irb.evaluate({"q": {"a": 1, "c": 1}}, run, "nDCG@2").mean["nDCG@2"]}
    for text in ("nDCG(gains={1:0,2:1,4:1})@2", "nDCG(rel=2)@2", "nDCG(rel=1.5)@2"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert list(irb.evaluate(qrels, run, text).mean.values()) == list(wanted.values())
            irb.evaluate(qrels, run, "nDCG(gains={1:0,2:0})")  # as ranx's ndcg-l3
    for gains in ("{1:1,2:1,3:1}", "{3:1,40:7}", "{1:1,2:1}"):
        with pytest.warns(RunWarning, match=r"has no gain for grade.* 4 of the judgments"):
            irb.evaluate(qrels, run, f"nDCG(gains={gains})@3 AP")
    with pytest.raises(irb.InputError, match="give gains= or rel=, not both"):
        irb.evaluate(qrels, run, "DCG(rel=2,gains={1:1})")


@pytest.mark.parametrize("measure", ["nDCG", "nDCG@2", "DCG@2", "nDCG(dcg=exp-log2)@3"])
@pytest.mark.parametrize("rel", [0.5, 1, 2, 3])
@pytest.mark.parametrize("options", [{"bounds": True}, {"unjudged": "bounds", "max_grade": 5}])
def test_binary_gains_are_binary_judgments(measure, rel, options):
    qrels = {"q": {"a": 0, "b": 1, "c": 2, "d": 3, "e": 0.5}, "p": {"a": 3}}
    run = {q: {"b": 3.0, "x": 3.0, "a": 2.0, "d": 1.0, "c": 1.0} for q in qrels}
    binary = {q: {d: int(g >= rel) for d, g in own.items()} for q, own in qrels.items()}
    name, at, k = measure.partition("@")
    text = f"{name[:-1]},rel={rel})" if name.endswith(")") else f"{name}(rel={rel})"
    found = irb.evaluate(qrels, run, text + at + k, **options)
    other = {**options, "max_grade": 1} if "max_grade" in options else options
    wanted = irb.evaluate(binary, run, measure, **other)
    for part in ("values", "low", "high", "unjudged_low", "unjudged_high"):
        if getattr(wanted, part) is not None:
            assert np.array_equal(getattr(found, part), getattr(wanted, part))
    flat = irb.rank_measures([3, 2, 1], [0.5, 3, 1], text + at + k).values
    marks = [int(grade >= rel) for grade in (0.5, 3, 1)]
    assert np.array_equal(flat, irb.rank_measures([3, 2, 1], marks, measure).values)
