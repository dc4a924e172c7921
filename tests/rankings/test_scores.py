"""Tables of scores as evaluations, and evaluations of parts."""

import gzip
import itertools
import json
import pickle
import random

import numpy as np
import pytest

import irbounds as irb
from irbounds.rankings import concat, read_scores

LONG = "system,unit,score\nA,q1,1\nA,q2,0.5\nB,q1,0\nB,q2,0.25\n"
ROWS = [("A", "q1", 1.0), ("A", "q2", 0.5), ("B", "q1", 0.0), ("B", "q2", 0.25)]


def written(folder, name, text):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def check(scores):
    assert list(scores) == ["A", "B"]
    for name, values in (("A", [1, 0.5]), ("B", [0, 0.25])):
        assert scores[name].query_ids == ("q1", "q2")
        assert scores[name].values[:, 0].tolist() == values


def objects(names=("system", "unit", "score")):
    return [dict(zip(names, row, strict=True)) for row in ROWS]


FORMS = {
    "csv": LONG,
    "with a byte order mark": "\ufeff" + LONG,
    "tsv": LONG.replace(",", "\t"),
    "semicolons and blanks": LONG.replace(",", "; "),
    "blank lines": LONG.replace("\n", "\r\n\r\n"),
    "gzip": gzip.compress(LONG.encode()),
    "jsonl": "\n".join(map(json.dumps, objects())),
    "json": json.dumps(objects()),
    "json by system": '{"A": {"q1": 1, "q2": 0.5}, "B": {"q1": 0, "q2": 0.25}}',
    "wide": "unit,A,B\nq1,1,0\nq2,.5,.25\n",
    "wide, with text": "id,question,A,B\nq1,why?,1,0\nq2,how?,.5,.25\n",
    "other names": LONG.replace("system,unit,score", "Model, Query_ID, value"),
    "in another order": "score,unit,system\n1,q1,A\n.5,q2,A\n0,q1,B\n.25,q2,B\n",
}


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_of_a_table_give_the_same_evaluations(tmp_path, form):
    check(read_scores(written(tmp_path, "scores", FORMS[form])))


def test_frames_and_parquet(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(objects())
    check(read_scores(frame))
    check(read_scores(frame.rename(columns={"system": "llm", "unit": "n"}), "llm", "n"))
    check(read_scores(pandas.DataFrame({"unit": ["q1", "q2"], "A": [1, 0.5], "B": [0, 0.25]})))
    check(read_scores(objects(("model", "item_id", "score"))))
    pytest.importorskip("pyarrow")
    frame.to_parquet(tmp_path / "scores.parquet")
    check(read_scores(tmp_path / "scores.parquet"))
    frame.to_feather(tmp_path / "scores.arrow")
    check(read_scores(tmp_path / "scores.arrow"))


def test_files_of_one_system_each(tmp_path):
    one = written(tmp_path, "a.csv", "item_id,score\nq1,1\nq2,.5\n")
    other = written(tmp_path, "b.csv", "item_id,score\nq2,.25\nq1,0\n")
    check(read_scores({"A": one, "B": other}))
    assert list(read_scores([one, other])) == ["a.csv", "b.csv"]


def test_columns_of_measures_and_a_column_of_them():
    wide = [{"run": "A", "id": "q1", "acc": 1, "f1": 0.5, "answer": "x"}]
    assert read_scores(wide)["A"].mean == {"acc": 1, "f1": 0.5}
    assert read_scores(wide, score=["f1"])["A"].mean == {"f1": 0.5}
    long = [
        {"run": "A", "id": "q1", "metric": name, "value": value}
        for name, value in (("acc", 1), ("f1", 0.5))
    ]
    assert read_scores(long)["A"].mean == {"acc": 1, "f1": 0.5}


def test_names_of_measures_are_taken_as_they_are():
    rows = [{"system": "A", "unit": i, "P": i, "MRR": i / 9, "ESL": -i} for i in range(9)]
    found = read_scores(rows, lower_is_better=["ESL"])["A"]
    assert found.measures == ("P", "MRR", "ESL")
    assert [name.spec.limits for name in found.measures] == [None, (0, 1), None]
    assert [name.spec.lower_is_better for name in found.measures] == [False, False, True]
    again = pickle.loads(pickle.dumps(found))
    assert again.measures[1].spec.limits == (0, 1)
    assert found.interval("MRR").method == "widened-t" or found.interval("MRR").high <= 1
    assert "ties" not in repr(found)


def test_the_direction_of_a_measure_reaches_the_gate():
    rows = [{"unit": i, "old": 1 + i % 3, "new": 2 + i % 3 + i % 2 / 10} for i in range(60)]
    for lower, verdict in ((False, "pass"), (True, "fail")):
        scores = read_scores(rows, lower_is_better=lower)
        assert irb.comparison.gate_evaluations(scores["old"], scores["new"]).verdict == verdict


def test_units_that_a_system_lacks():
    rows = [*objects(), {"system": "A", "unit": "q3", "score": 1}]
    with pytest.raises(irb.InputError, match="'B' has no score for 1 unit: 'q3'"):
        read_scores(rows)
    with pytest.raises(irb.InputError, match="`missing` must be one of 'error', 'skip'"):
        read_scores(rows, missing="zero")
    scores = read_scores(rows, missing="skip")
    check(scores)
    assert scores["B"].missing_queries == ("q3",)
    with pytest.raises(irb.InputError, match="'B' has no score for 1 unit"):
        read_scores([*rows, {"system": "B", "unit": "q3", "score": None}])


def test_a_gate_does_not_pass_where_the_new_system_lacks_units():
    rows = [{"unit": i, "old": i % 5, "new": 1 + i % 5} for i in range(60)]
    for lacking, verdict in (("old", "pass"), ("new", "unclear")):
        scores = read_scores([*rows[1:], {**rows[0], lacking: ""}], missing="skip")
        gate = irb.comparison.gate_evaluations(scores["old"], scores["new"])
        assert gate.verdict == verdict
    assert "1 query of the baseline left out" in gate.reason


REFUSED = {
    "a,b\n1,2\n": r"scores: expected a column 'unit' \(or query, query_id, .*\); found a, b",
    "unit,b\nq,x\n": r"expected a column 'score' \(or value, metric_value\); found unit, b",
    "system,unit,score\nA,q,x\n": "scores:2: column 'score' must hold numbers; found 'x'",
    "system,unit,score\nA,q,inf\n": "scores:2: column 'score' must be finite",
    "system,unit,score\nA,,1\n": "scores:2: column 'unit' has no value",
    "system,unit,score\n\nA,q\n": "scores:3: expected 3 columns, found 2",
    "system,unit,score\nA,q,1\n\nA,q,2\n": "scores:4: 'A' has two scores for unit 'q': name the "
    "column of repeats with `repeat`",
    "system,unit,score\n": "the file has a header and no rows",
    "unit,unit,score\na,b,1\n": "duplicate column 'unit'",
    "system,unit,score,group\nA,q,1,g\nB,q,1,h\n": "scores:3: unit 'q' has the group 'h' here and "
    "'g' before",
    "": "the file is empty",
    '{"A": [1]}': "expected an array of rows",
    '{"system": "A"}\n{': "scores:2: the line is not JSON",
    "PAR1 no": "the file is damaged",
}


@pytest.mark.parametrize("text", REFUSED)
def test_tables_that_are_refused(tmp_path, text):
    if text.startswith("PAR1"):
        pytest.importorskip("pyarrow")
    with pytest.raises(irb.InputError, match=REFUSED[text]) as caught:
        read_scores(written(tmp_path, "scores", text))
    assert "\n" not in str(caught.value)


def test_other_arguments_that_are_refused(tmp_path):
    rows = objects()
    with pytest.raises(irb.InputError, match=r"expected a column 'sytem'.*did you mean 'system'"):
        read_scores(rows, "sytem")
    for source, message in (
        (3, "expected the path of a table"),
        ([], "there are no rows"),
        ({}, "must have a table"),
        ([3], "must be a list of paths"),
        (tmp_path / "none.csv", "none.csv: No such file"),
    ):
        with pytest.raises(irb.InputError, match=message):
            read_scores(source)
    with pytest.raises(irb.InputError, match="lower_is_better"):
        read_scores(rows, lower_is_better=["x"])
    with pytest.raises(irb.InputError, match="expected a column 'kind'"):
        read_scores(rows, by="kind")


def test_groups_and_slices():
    rows = [{**row, "cluster": row["unit"][:1], "kind": row["unit"]} for row in objects()]
    scores = read_scores(rows, by="kind")
    assert scores.groups == {"q1": "q", "q2": "q"}
    assert scores.labels == {"kind": {"q1": "q1", "q2": "q2"}}
    assert list(scores["A"].measures) == ["score"]


def test_repeats_are_averaged_and_kept():
    rows = [
        {"system": "A", "unit": unit, "epoch": epoch, "score": score}
        for unit, own in (("q1", (0, 1, 0.5)), ("q2", (1, 0)))
        for epoch, score in enumerate(own)
    ]
    scores = read_scores(rows)
    assert scores["A"]["score"].tolist() == [0.5, 0.5]
    assert scores.repeats["A"].shape == (2, 3, 1)
    assert np.isnan(scores.repeats["A"][1, 2, 0])
    with pytest.raises(irb.InputError, match=r"two scores.*each repeat must have one"):
        read_scores([*rows, rows[0]])


def test_the_table_that_the_command_line_writes_is_read(tmp_path):
    path = written(
        tmp_path,
        "eval.csv",
        'run,query_id,AP,settings\na,q1,0.5,\na,q2,1,\na,all,0.75,"{}"\n',
    )
    assert read_scores(path)["a"].mean == {"AP": 0.75}


# Tools, in the form of their files -----------------------------------------------------------


def lm_eval_sample(doc_id, name="none", **scores):
    return {
        "doc_id": doc_id,
        "doc": {"question": "2 + 2?", "answer": "4"},
        "target": "4",
        "arguments": {"gen_args_0": {"arg_0": "Q: 2 + 2?\nA:", "arg_1": {"until": ["\n"]}}},
        "resps": [["4"]],
        "filtered_resps": ["4"],
        "filter": name,
        "metrics": list(scores),
        "doc_hash": "ab",
        "prompt_hash": "cd",
        "target_hash": "ef",
        **scores,
    }


def test_samples_of_lm_eval(tmp_path):
    lines = [lm_eval_sample(i, acc=float(i), acc_norm=1.0) for i in range(2)]
    path = written(tmp_path, "samples_x.jsonl", "\n".join(map(json.dumps, lines)) + "\n")
    assert read_scores({"model": path})["model"].mean == {"acc": 0.5, "acc_norm": 1.0}
    lines = [
        lm_eval_sample(i, name, exact_match=1.0)
        for i in range(2)
        for name in ("strict-match", "flexible-extract")
    ]
    path = written(tmp_path, "samples_y.jsonl", "\n".join(map(json.dumps, lines)))
    found = read_scores(path)["samples_y.jsonl"]
    assert found.measures == ("exact_match,strict-match", "exact_match,flexible-extract")
    assert found.query_ids == ("0", "1")


def test_results_of_promptfoo(tmp_path):
    results = [
        {
            "promptIdx": 0,
            "testIdx": test,
            "provider": {"id": provider, "label": ""},
            "prompt": {"raw": "Say {{x}}", "label": "Say {{x}}"},
            "vars": {"x": "hi"},
            "response": {"output": "hi"},
            "success": success,
            "score": float(success),
            "namedScores": {"tone": 0.5},
            "latencyMs": 12,
        }
        for provider, outcomes in (("openai:a", (True, False)), ("openai:b", (True, True)))
        for test, success in enumerate(outcomes)
    ]
    text = json.dumps({"evalId": "e", "results": {"version": 3, "results": results}, "config": {}})
    scores = read_scores(written(tmp_path, "results.json", text))
    assert {name: found.mean for name, found in scores.items()} == {
        "openai:a": {"score": 0.5, "pass": 0.5, "tone": 0.5},
        "openai:b": {"score": 1.0, "pass": 1.0, "tone": 0.5},
    }


def test_results_of_ragas(tmp_path):
    rows = [
        {
            "user_input": f"question {i}",
            "retrieved_contexts": ["a", "b"],
            "response": "r",
            "reference": "s",
            "faithfulness": 1.0,
            "answer_relevancy": i / 4,
        }
        for i in range(3)
    ]
    by_column = {key: {str(i): row[key] for i, row in enumerate(rows)} for key in rows[0]}
    for found in (rows, by_column):
        path = written(tmp_path, "ragas.json", json.dumps(found))
        scores = read_scores({"now": path})
        assert scores["now"].mean == {"faithfulness": 1.0, "answer_relevancy": 0.25}


def test_logs_of_inspect(tmp_path):
    samples = [
        {
            "id": number,
            "epoch": epoch,
            "input": "?",
            "target": "x",
            "scores": {"match": {"value": "C" if number or epoch == 2 else "I", "answer": "x"}},
        }
        for number in range(2)
        for epoch in (1, 2)
    ]
    log = {
        "version": 2,
        "status": "success",
        "eval": {"task": "t", "model": "mockllm/model"},
        "samples": samples,
    }
    scores = read_scores(written(tmp_path, "log.json", json.dumps(log)))
    assert scores["mockllm/model"].mean == {"match": 0.75}
    assert scores.repeats["mockllm/model"][:, :, 0].tolist() == [[0, 1], [1, 1]]


def test_logs_of_inspect_in_its_own_format(tmp_path):
    log = pytest.importorskip("inspect_ai.log")
    from inspect_ai.scorer import Score

    values = {(1, 1): "C", (1, 2): "I", (2, 1): "C", (2, 2): "C"}
    samples = [
        log.EvalSample(
            id=number, epoch=epoch, input="?", target="x", scores={"match": Score(value=value)}
        )
        for (number, epoch), value in values.items()
    ]
    spec = log.EvalSpec(
        created="2026-01-31T00:00:00+00:00",
        task="t",
        dataset=log.EvalDataset(name="d"),
        model="mockllm/model",
        config=log.EvalConfig(epochs=2),
    )
    for status in ("success", "error"):
        whole = log.EvalLog(status=status, eval=spec, samples=samples)
        for name in (f"{status}.eval", f"{status}.json"):
            log.write_eval_log(whole, str(tmp_path / name))
    for name in ("success.eval", "success.json"):
        scores = read_scores(tmp_path / name)
        assert scores["mockllm/model"]["match"].tolist() == [0.5, 1]
        assert scores.repeats["mockllm/model"][:, :, 0].tolist() == [[1, 0], [1, 1]]
    for name in ("error.eval", "error.json"):
        with pytest.raises(irb.InputError, match="did not finish; its status is 'error'"):
            read_scores(tmp_path / name)


# Parts ----------------------------------------------------------------------------------------


def test_parts_are_the_whole_to_the_last_bit():
    draw = random.Random(1)
    qrels = {f"q{i}": {f"d{j}": draw.randrange(3) for j in range(9)} for i in range(40)}
    run = {query: {f"d{j}": draw.randrange(4) for j in range(12)} for query in [*qrels, "unjudged"]}
    del run["q7"], run["q33"]
    options = {"measures": "AP nDCG@5 P@3", "bounds": True, "unjudged": "bounds"}
    whole = irb.evaluate(qrels, run, **options)
    names = list(qrels)
    for cuts in ((5,), (1, 17, 39), (20, 20)):
        ends = [0, *cuts, len(names)]
        parts = [
            irb.evaluate({query: qrels[query] for query in names[i:j]}, run, **options)
            for i, j in itertools.pairwise(ends)
            if i < j
        ]
        found = concat(parts)
        for what in ("query_ids", "missing_queries", "unjudged_queries", "measures", "mean"):
            assert getattr(found, what) == getattr(whole, what), what
        assert found.mean_bounds == whole.mean_bounds
        assert found.mean_unjudged_bounds == whole.mean_unjudged_bounds
        assert found.summary == whole.summary
        assert np.array_equal(found.values, whole.values)
        assert concat(parts[::-1]).mean == whole.mean


def test_parts_that_are_refused():
    one = irb.evaluate({"q1": {"d": 1}}, {"q1": {"d": 1}}, "AP")
    other = irb.evaluate({"q2": {"d": 1}}, {"q2": {"d": 1}}, "AP", bounds=True)
    third = irb.evaluate({"q2": {"d": 1}}, {"q2": {"d": 1}}, "RR")
    for parts, message in (
        ([one, one], "each query once; 'q1' is judged at index 0 and at index 1"),
        ([one, other], "must all have 'low' or none"),
        ([one, third], "must be of the same measures"),
        ([], "must have an evaluation"),
        ([one, 3], "must be a list of Evaluation; found 'int' at 1"),
    ):
        with pytest.raises(irb.InputError, match=message):
            concat(parts)


def test_repeats_that_move_all_units_are_told():
    rows = [
        {"system": "A", "unit": i, "seed": seed, "score": i % 7 + seed + (i * seed) % 3 / 9}
        for i in range(40)
        for seed in range(3)
    ]
    with pytest.warns(irb.warnings.RunWarning, match="A: the scores of a repeat move together"):
        scores = read_scores(rows)
    assert "design='crossed'" in scores["A"].cautions[0]
    nested, crossed = (scores.repeated("A", design=design) for design in ("nested", "crossed"))
    assert crossed.high - crossed.low > 2 * (nested.high - nested.low)
    assert nested.estimate == pytest.approx(scores["A"].mean["score"])
    assert scores.repeated("A", against="A").high == 0
    with pytest.raises(irb.InputError, match="must be one with repeats: A"):
        scores.repeated("B")
