"""Results of other tools as tables of scores, in the form of their files."""

import json

import pytest

import irbounds as irb
from irbounds.rankings import read_scores


def written(folder, name, text):
    path = folder / name
    path.write_text(text)
    return path


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
    assert found.query_ids == ("0-ab", "1-ab")


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
    results[0] |= {"failureReason": 2, "success": False, "score": 0}  # the call failed
    text = json.dumps({"results": {"version": 3, "results": results}})
    path = written(tmp_path, "failed.json", text)
    with pytest.raises(irb.InputError, match="'openai:a' has no score for 1 unit: '0'"):
        read_scores(path)
    assert read_scores(path, missing="skip")["openai:a"].query_ids == ("1",)


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


def test_columns_beside_questions_are_systems_unless_there_is_text(tmp_path):
    wide = "question,base,new\na,0.5,0.6\nb,0.25,0.5\n"
    for unit in ("question", "prompt", "sample_id"):
        path = written(tmp_path, "wide.csv", wide.replace("question", unit))
        assert list(read_scores({"now": path})) == ["base", "new"]
    path = written(tmp_path, "now.csv", "question,answer,faithfulness\na,x,1\nb,y,0\n")
    assert read_scores({"now": path})["now"].mean == {"faithfulness": 0.5}
    assert list(read_scores({"now": path}, unit="question")) == ["faithfulness"]
    assert list(read_scores({"now": path}, unit="answer")) == ["faithfulness"]


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
