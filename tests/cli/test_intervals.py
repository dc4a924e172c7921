"""`irbounds eval --interval` and `irbounds compare --ranks`."""

import csv
import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from commands import assert_refused, run_cli
from outward import high_end, low_end

import irbounds as irb

N = 20


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    queries = [f"q{i:02}" for i in range(N)]
    (tmp_path / "qrels.txt").write_text(
        "".join(f"{q} 0 d{d} {int(d < 3)}\n" for q in queries for d in range(9))
    )
    for name, lift in (("a", 0.0), ("b", 0.3), ("c", 1.0)):
        (tmp_path / f"{name}.run").write_text(
            "".join(
                f"{q} Q0 d{d} 1 {np.round(rng.random() + lift * (d < 3), 1)} t\n"
                for q in queries
                for d in range(9)
            )
        )
    return tmp_path


def test_tables_tell_the_two_ranges_apart(folder):
    done = run_cli("eval", "qrels.txt", "a.run", "-m", "AP NumRel", "--bounds", "--interval")
    ev = irb.evaluate("qrels.txt", "a.run", "AP", bounds=True)
    low, high = ev.mean_bounds["AP"]
    found = ev.interval("AP")
    ends = f"({low_end(found.low)}, {high_end(found.high)})"
    cell = f"{ev.mean['AP']:.4f} [{low:.4f}, {high:.4f}] {ends}"
    assert cell in done.stdout
    said = f"( ): the mean over queries like these, 0.95 two-sided, {found.method}\n"
    assert said in done.stdout
    assert "[ ]: the mean over these queries, least and greatest over orders of ties" in done.stdout


def test_formats_carry_intervals(folder):
    arguments = ("eval", "qrels.txt", "a.run", "b.run", "-m", "AP NumRel", "--interval")
    options = ("--method", "guaranteed", "--confidence-level", "0.9", "--side", "lower")
    ends = {
        name: irb.evaluate("qrels.txt", f"{name}.run", "AP")
        .interval("AP", "guaranteed", 0.9, "lower")
        .low
        for name in "ab"
    }
    text = run_cli(*arguments, *options, "-f", "csv").stdout
    rows = [line.split(",")[:8] for line in text.splitlines()]
    assert rows[0] == [
        *("run", "query_id", "AP", "AP.interval_low", "AP.interval_high"),
        *("NumRel", "NumRel.interval_low", "NumRel.interval_high"),
    ]
    assert [float(row[3]) for row in rows[1:]] == [ends["a"], ends["b"]]
    assert [row[4] for row in rows[1:]] == ["1.0", "1.0"]
    assert [row[6:] for row in rows[1:]] == [["", ""], ["", ""]]  # of a total there is none
    records = json.loads(run_cli(*arguments, *options, "-f", "json").stdout)
    assert [record["intervals"]["AP"]["low"] for record in records] == [ends["a"], ends["b"]]
    lines = run_cli(*arguments, *options, "--per-query", "-f", "jsonl").stdout.splitlines()
    with_ends = [json.loads(line) for line in lines if "interval_low" in line]
    assert [(one["measure"], one["interval_low"]) for one in with_ends] == [
        ("AP", ends["a"]),
        ("AP", ends["b"]),
    ]


def test_a_conjecture_is_called_one(folder):
    given = ("eval", "qrels.txt", "a.run", "-m", "AP", "--interval")
    said = "gaffke: that it covers at least its level is a conjecture"
    for method in ("gaffke", "guaranteed"):  # the former name
        assert said in run_cli(*given, "--method", method).stdout
    assert said not in run_cli(*given).stdout


def test_notes_and_refusals(folder):
    done = run_cli("eval", "qrels.txt", "a.run", "-m", "ESL(nr=9) AP", "--interval")
    assert done.returncode == 0
    assert "ESL(nr=9) is infinite for some query, so its mean has no interval" in done.stderr
    assert_refused(
        run_cli("eval", "qrels.txt", "a.run", "-m", "AP", "--interval", "--method", "z"),
        "--method must be one of",
    )
    for option in (("--method", "hall"), ("--side", "lower"), ("--confidence-level", 0.9)):
        assert_refused(run_cli("eval", "qrels.txt", "a.run", *option), "need --interval")
    equal = ("eval", "qrels.txt", "a.run", "-m", "R@9", "--interval")
    done = run_cli(*equal, "--method", "t")
    assert "values that are all equal have no variance" in done.stderr
    assert "(nan, nan)" in done.stdout
    found = irb.mean_interval([1.0] * N, limits=(0, 1))
    done = run_cli(*equal)
    assert "lower end of R@9: set by the limits" in done.stdout
    assert f"({low_end(found.low)}, 1.0000)" in done.stdout
    assert done.stderr == ""


def test_the_default_says_which_method_it_was(folder):
    measures = ("AP", "R@9", "RBP")
    arguments = ("eval", "qrels.txt", "b.run", "c.run", "-m", f"{' '.join(measures)} NumRel")
    arguments = (*arguments, "--interval")
    methods = {
        (run, measure): irb.evaluate("qrels.txt", f"{run}.run", measure).interval(measure).method
        for run in "bc"
        for measure in measures
    }
    assert [methods["b", measure] for measure in measures] == ["t", *["widened-t"] * 2]
    assert [methods["c", measure] for measure in measures] == ["widened-t"] * 3
    foot = "0.95 two-sided, widened-t; t for AP (b.run)\n"
    assert foot in run_cli(*arguments).stdout
    assert "two-sided, widened-t\n" in run_cli(*arguments[:5], "R@9", "--interval").stdout
    rows = list(csv.DictReader(run_cli(*arguments, "-f", "csv").stdout.splitlines()))
    for run, row in zip("bc", rows, strict=True):
        for measure in measures:
            assert row[f"{measure}.interval_method"] == methods[run, measure]
        assert row["NumRel.interval_method"] == ""
    records = json.loads(run_cli(*arguments, "-f", "json").stdout)
    assert records[1]["intervals"]["RBP"]["method"] == "widened-t"
    lines = map(json.loads, run_cli(*arguments, "-f", "jsonl").stdout.splitlines())
    assert {line.get("interval_method") for line in lines} == {"t", "widened-t", None}
    side = ("--side", "lower", "--confidence-level", "0.8", "--method", "wilson")
    row = json.loads(run_cli(*arguments, *side, "-f", "jsonl").stdout.splitlines()[0])
    (first, _) = csv.DictReader(run_cli(*arguments, *side, "-f", "csv").stdout.splitlines())
    for settings in (row["settings"], json.loads(first["settings"])):
        asked = {"side": "lower", "confidence_level": 0.8, "method": "wilson", "limits": None}
        assert settings.items() >= asked.items()


@pytest.mark.filterwarnings("ignore::irbounds.warnings.FewUnitsWarning")
def test_ranks(folder):
    arguments = ("compare", "qrels.txt", "a.run", "b.run", "c.run", "-m", "AP RR")
    done = run_cli(*arguments, "--ranks", "--resamples", "199")
    evaluations = {name: irb.evaluate("qrels.txt", f"{name}.run", "AP RR") for name in "abc"}
    ranks = irb.comparison.compare_evaluations(evaluations, test="sign").ranks("AP")
    assert done.stdout.count("ranks: simultaneous 95 % intervals") == 2
    document = json.loads(run_cli(*arguments, "--ranks", "--test", "t", "-f", "json").stdout)
    found = document["ranks"]["AP"]["systems"]
    assert [row["system"][0] for row in found] == list(ranks.systems)
    assert [row["p_best"] for row in found] == ranks.p_best.tolist()
    assert [row["high"] for row in found] == ranks.high.tolist()
    lines = run_cli(*arguments, "--rows", "ranks", "--test", "t", "-f", "csv").stdout.splitlines()
    assert lines[0].startswith("measure,system,mean,rank,low,high")
    assert len(lines) == 7
    for format in ("latex", "markdown"):
        shown = run_cli(*arguments, "--rows", "ranks", "--test", "t", "-f", format).stdout
        assert shown.count("AP") == 3


@pytest.mark.filterwarnings("ignore::irbounds.warnings.FewUnitsWarning")
@pytest.mark.parametrize(
    ("word", "correction", "foot"),
    [
        ("bonferroni", "bonferroni", "ranks: simultaneous 95 % intervals"),
        ("none", None, "ranks: 95 % intervals, paired t, correction none: each pair alone"),
    ],
)
def test_the_correction_of_ranks_is_the_one_asked_for(folder, word, correction, foot):
    arguments = ("compare", "qrels.txt", "a.run", "b.run", "c.run", "-m", "AP", "--ranks")
    arguments += ("--test", "t", "--rank-correction", word)
    assert foot in " ".join(run_cli(*arguments).stdout.split())
    assert json.loads(run_cli(*arguments, "-f", "json").stdout)["ranks"]["AP"]["correction"] == (
        correction
    )
    row = json.loads(run_cli(*arguments, "-f", "jsonl").stdout.splitlines()[0])
    assert row["settings"]["rank_correction"] == correction


def test_limits_of_measures_that_have_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("q").write_text("q1 0 d1 1\nq2 0 d1 1\n")
    Path("r").write_text("q1 Q0 d1 1 2 t\nq2 Q0 d2 1 2 t\n")
    command = ("eval", "q", "r", "-m", "DCG@10 AP", "--interval", "--method", "guaranteed")
    (row,) = csv.DictReader(run_cli(*command, "--limits", "0,5", "-f", "csv").stdout.splitlines())
    for name, limits in (("DCG@10", (0, 5)), ("AP", (0, 1))):  # AP has its own
        expected = irb.mean_interval([1.0, 0.0], method="guaranteed", limits=limits)
        ends = [float(row[key]) for key in row if key.startswith(name + ".") and "interval" in key]
        assert {expected.low, expected.high} <= set(ends)
    for options, message in (
        ((), "DCG@10 has none"),
        (("--limits", "5,0"), "--limits must be the least and the greatest possible value"),
        (("--limits", "0,0.5"), "--limits must contain the values of all queries"),
    ):
        done = run_cli(*command, *options)
        assert done.returncode == 2
        assert message in done.stderr


def test_no_history_is_compressed(folder):
    """It wrote plain lines under that name."""
    done = run_cli("eval", "qrels.txt", "a.run", "-m", "AP", "--append", "history.jsonl.gz")
    assert done.returncode == 2
    assert "--append writes JSON lines or Parquet" in done.stderr
    assert not Path("history.jsonl.gz").exists()


def test_groups_are_the_sample_of_all_commands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    queries = [(f"q{i}", f"d{i // 3}") for i in range(24)]
    Path("q").write_text("".join(f"{query} 0 {doc} 1\n" for query, doc in queries))
    Path("g.tsv").write_text("".join(f"{query}\t{doc}\n" for query, doc in queries))
    for name, lost in (("a", {"d1", "d4"}), ("b", {"d1", "d4", "d6"})):
        rows = [
            f"{query} Q0 {one} 1 {score} t\n"
            for i, (query, doc) in enumerate(queries)
            for one, score in ((doc, 2), ("x", 3 if doc in lost or i % 5 == 0 else 1))
        ]
        Path(name).write_text("".join(rows))
    groups = dict(queries)
    evaluation = irb.evaluate("q", "a", "RR")
    expected = evaluation.interval("RR", groups=groups)
    done = run_cli("eval", "q", "a", "-m", "RR", "--interval", "--groups", "g.tsv")
    assert f"8 groups, the sampling units: intervals are {expected.inflation:.2f} times" in (
        done.stdout
    )
    done = run_cli("eval", "q", "a", "-m", "RR", "--interval", "--groups", "g.tsv", "-f", "json")
    (record,) = json.loads(done.stdout)
    assert record["intervals"]["RR"] == expected.to_dict()
    assert record["groups"]["sha256"] == hashlib.sha256(Path("g.tsv").read_bytes()).hexdigest()
    unnamed = run_cli("eval", "q", "a", "-m", "RR", "--interval")
    assert "24 queries share their only relevant document with others" in unnamed.stderr
    done = run_cli("compare", "q", "a", "b", "-m", "RR", "--groups", "g.tsv", "-f", "json")
    compared = irb.compare("q", ["a", "b"], "RR", groups=groups)
    found = json.loads(done.stdout)
    assert found["n_groups"] == 8
    assert found["differences"][0]["p_value"] == compared.differences[0].p_value
    gate = run_cli("gate", "q", "a", "b", "-m", "RR", "--groups", "g.tsv", "-f", "json")
    assert json.loads(gate.stdout)["checks"][0]["n_groups"] == 8
    done = run_cli("plan-queries", "--sd", "0.11", "--difference", "0.02", "--group-size", "10",
                   "--correlation", "0.3", "-f", "json")  # fmt: skip
    assert json.loads(done.stdout)["plans"][0]["queries"] == 900
    refused = run_cli("eval", "q", "a", "--groups", "g.tsv")
    assert refused.returncode == 2
    assert "--interval" in refused.stderr
