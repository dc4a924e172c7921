"""Many runs: the same evaluations as one after the other, and one bad run does not cost the
others."""

import csv
import io
import json
import math

import numpy as np
import pytest

import irbounds as irb
from irbounds.cli import main

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
RUNS = {f"run{i}": {"q1": {"d1": i, "d2": 3}, "q2": {"d3": 1.0, "d4": i}} for i in range(9)}
MEASURES = "AP nDCG RR NumRet"


@pytest.mark.parametrize("jobs", [1, 2, 5, None])
def test_equal_to_one_after_the_other(jobs):
    evaluator = irb.Evaluator(QRELS, MEASURES, bounds=True)
    found = evaluator.evaluate_many(RUNS, jobs=jobs)
    assert list(found) == list(RUNS)
    assert len(found) == 9
    assert not found.errors
    for name, evaluation in found.items():
        wanted = evaluator.evaluate(RUNS[name])
        assert np.array_equal(evaluation.values, wanted.values)
        assert np.array_equal(evaluation.low, wanted.low)


@pytest.mark.parametrize("jobs", [1, 3])
def test_bad_runs(jobs, tmp_path):
    (tmp_path / "empty").write_text("")
    runs = {
        "good": RUNS["run1"],
        "bad": {"q1": {"d1": "high"}},
        "better": RUNS["run2"],
        "empty": tmp_path / "empty",
    }
    evaluator = irb.Evaluator(QRELS, MEASURES)
    found = evaluator.evaluate_many(runs, jobs=jobs, keep_going=True)
    assert list(found) == ["good", "better"]
    assert list(found.errors) == ["bad", "empty"]
    assert "found 'high'" in str(found.errors["bad"])
    assert "is empty" in repr(found)
    with pytest.raises(irb.InputError, match=r"^bad: query 'q1': .* found 'high'"):
        evaluator.evaluate_many(runs, jobs=jobs)


def test_frames():
    found = irb.Evaluator(QRELS, MEASURES, bounds=True).evaluate_many(
        {name: RUNS[name] for name in ("run1", "run3")}
    )
    frame = found.to_frame("polars")
    assert frame.columns == ["run", "AP", "nDCG", "RR", "NumRet"]
    assert frame["run"].to_list() == ["run1", "run3"]
    assert frame["NumRet"].to_list() == [4.0, 4.0]
    rows = found.to_frame("polars", rows="queries")
    assert rows.shape == (4, 14)
    assert rows["query_id"].to_list() == ["q1", "q2"] * 2
    assert rows["AP.low"].to_list()[:2] == found["run1"].bounds("AP")[0].tolist()
    labelled = irb.evaluate(QRELS, RUNS["run1"], "AP P@2", unjudged="bounds", unjudged_hidden=0)
    row = labelled.to_frame("polars", rows="measures").row(1, named=True)
    assert (row["unjudged_low"], row["unjudged_high"]) == labelled.mean_unjudged_bounds["P@2"]
    assert row["judged"] == labelled.judged_means["P@2"]
    means = found.to_frame("polars", rows="measures", confidence_level=0.9)
    assert means.shape == (8, 8)
    for row in means.iter_rows(named=True):
        ev = found[row["run"]]
        assert row["value"] == ev.summary[row["measure"]]
        assert (row["low"], row["high"]) == ev.summary_bounds[row["measure"]]
        if row["measure"] == "NumRet":  # a total
            assert math.isnan(row["interval_low"])
            assert row["interval_method"] == ""
            continue
        expected = ev.interval(row["measure"], confidence_level=0.9)
        assert (row["interval_low"], row["interval_high"]) == (expected.low, expected.high)
        assert row["interval_method"] == expected.method
    alone = found["run3"].to_frame("polars", "measures", 0.9)
    assert alone.equals(means.filter(means["run"] == "run3").drop("run"))
    with pytest.raises(irb.InputError, match="`rows` must be one of"):
        found["run3"].to_frame(rows="runs")
    with pytest.raises(irb.InputError, match="`rows` must be one of"):
        found.to_frame(rows="documents")


def test_what_is_refused():
    evaluator = irb.Evaluator(QRELS, MEASURES)
    with pytest.raises(irb.InputError, match="`runs` must be a dict of runs by name"):
        evaluator.evaluate_many([RUNS["run1"]])
    with pytest.raises(irb.InputError, match="`jobs` must be"):
        evaluator.evaluate_many(RUNS, jobs=0)
    assert len(evaluator.evaluate_many({})) == 0


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("q1 0 d1 1\nq1 0 d2 0\n")
    for name, first in (("a.run", 0.5), ("b.run", 1.5)):
        (tmp_path / name).write_text(f"q1 Q0 d1 1 {first} t\nq1 Q0 d2 2 1.0 t\n")
    (tmp_path / "empty.run").write_text("")


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as stop:
        main(["eval", "qrels", *arguments, "-m", "RR"])
    captured = capsys.readouterr()
    return stop.value.code, captured.out, captured.err


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_command_line(files, capsys, jobs):
    names = ["a.run", "empty.run", "b.run"]
    status, out, err = run(capsys, *names, "--keep-going", "--jobs", jobs, "-f", "csv")
    assert (status, err) == (2, "irbounds: empty.run: the file is empty\n")
    assert [row[:3] for row in csv.reader(io.StringIO(out))] == [
        ["run", "query_id", "RR"],
        ["a.run", "all", "0.5"],
        ["b.run", "all", "1.0"],
    ]
    status, out, err = run(capsys, *names, "-k", "-j", jobs, "-f", "json")
    assert status == 2
    assert [record["run"] for record in json.loads(out)] == ["a.run", "b.run"]
    status, out, err = run(capsys, *names, "-j", jobs)
    assert (status, err) == (2, "irbounds: empty.run: the file is empty\n")
    status, out, err = run(capsys, "a.run", "b.run", "-j", jobs, "-q", "-f", "jsonl")
    assert status == 0
    assert [json.loads(line)["run"] for line in out.splitlines()] == ["a.run"] * 2 + ["b.run"] * 2


def test_all_runs_are_bad(files, capsys):
    assert run(capsys, "empty.run", "-k") == (2, "", "irbounds: empty.run: the file is empty\n")


def test_one_rule_for_empty_runs(tmp_path):
    """A run without rows is refused, whatever holds it; a query without rows is a missing one."""
    columns = {"query_id": [], "doc_id": [], "score": []}
    runs = {
        "dict": {},
        "dict of nothing": {"q1": {}, "q2": {}, "zz": {}},
        "Run of nothing": irb.Run.from_dict({"q1": {}}),
        "list": [],
        "iterator": iter([]),
        "Run": irb.Run.from_dict({}),
        **{name: pytest.importorskip(name).DataFrame(columns) for name in ("pandas", "polars")},
    }
    texts = {"zero": "", "blank": "\n", "table.csv": "query_id,doc_id,score\n", "run.json": "{}"}
    texts["nothing.json"] = '{"q1": {}, "q2": {}}'
    for name, text in texts.items():
        runs[name] = tmp_path / name
        runs[name].write_text(text)
    evaluator = irb.Evaluator(QRELS, MEASURES)
    found = evaluator.evaluate_many(runs, keep_going=True)
    assert list(found.errors) == list(runs)
    for error in found.errors.values():
        assert str(error).endswith(("it has no rows", "the file has no rows", "the file is empty"))
    with pytest.raises(irb.InputError, match="it has no rows"):
        evaluator.evaluate_topk([], np.zeros((0, 3), int))
    with pytest.raises(irb.InputError, match="it has no rows"):
        evaluator.evaluate_topk(["q1"], [[-1, -1]])
    half = {"q1": {}, "q2": {"d1": 1.0}, "zz": {}}
    found = evaluator.evaluate(half)
    assert found.missing_queries == ("q1",)
    assert found.unjudged_queries == ()
    (tmp_path / "half.json").write_text(json.dumps(half))
    topk = evaluator.evaluate_topk(["q1", "q2", "zz"], [["", ""], ["d1", ""], ["", ""]], padding="")
    for other in (
        evaluator.evaluate(irb.Run(half)),
        evaluator.evaluate(tmp_path / "half.json"),
        evaluator.evaluate({"q2": {"d1": 1.0}}),
        topk,
    ):
        assert np.array_equal(other.values, found.values)
        assert (other.missing_queries, other.unjudged_queries) == (("q1",), ())
    assert irb.evaluate(QRELS, half, MEASURES, missing="skip").query_ids == ("q2",)
    with pytest.raises(irb.InputError, match="lacks the judged query 'q1'"):
        irb.evaluate(QRELS, half, MEASURES, missing="error")
