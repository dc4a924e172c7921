"""`irbounds overlap`: what it writes, and what it refuses."""

import json
from pathlib import Path

import pytest
from commands import run_cli

import irbounds as irb


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exact = {"q1": {"a": 3, "b": 2, "c": 2}, "q2": {"a": 3, "d": 1}, "q3": {"a": 1}}
    other = {"q1": {"a": 3, "c": 2}, "q2": {"d": 3}, "q4": {"a": 1}}
    irb.Run(exact).to_trec("exact.run")
    irb.Run(other).to_trec("other.run")
    return exact, other


def test_the_numbers_are_those_of_the_function(runs):
    names = "Overlap@2 RBO(p=0.9) Tau"
    arguments = "overlap", "exact.run", "other.run", "-m", names, "--bounds", "--interval"
    done = run_cli(*arguments, "-f", "json")
    (record,) = json.loads(done.stdout)
    found = irb.rankings.compare_rankings(*runs, names, bounds=True)
    assert record["values"] == found.mean
    assert record["bounds"] == {name: list(ends) for name, ends in found.mean_bounds.items()}
    assert record["intervals"]["Tau"] == json.loads(json.dumps(found.interval("Tau").to_dict()))
    assert record["reference"]["name"] == "exact.run"
    assert "lacks 1 queries of the reference" in done.stderr
    assert "1 queries that the reference lacks are left out, first q4" in done.stderr


def test_a_row_for_each_query(runs):
    done = run_cli("overlap", "exact.run", "other.run", "-q", "-m", "Overlap@1", "-f", "csv")
    rows = [line.split(",")[1:3] for line in done.stdout.splitlines()]
    assert rows[1:4] == [["q1", "1.0"], ["q2", "0.0"], ["q3", "0.0"]]


def test_refused(runs):
    done = run_cli("overlap", "exact.run", "other.run", "-m", "AP")
    assert done.returncode == 2
    assert "no measure of two rankings is called AP" in done.stderr


@pytest.fixture
def boards(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, step in (("people", 1), ("model", 2)):
        rows = [f"s{i},q{j},{i + (step * i * j) % 7 / 10}" for i in range(4) for j in range(50)]
        text = "\n".join(["system,unit,score", *rows]) + "\n"
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    (tmp_path / "groups.csv").write_text(
        "\n".join(["unit,group", *(f"q{j},{j // 2}" for j in range(50))]), encoding="utf-8"
    )


@pytest.mark.filterwarnings("ignore::irbounds.warnings.FewUnitsWarning")
def test_leaderboards(boards):
    arguments = "overlap", "--leaderboards", "people.csv", "model.csv", "--groups", "groups.csv"
    record = json.loads(run_cli(*arguments, "-m", "Tau Spearman", "-f", "json").stdout)
    people, model = (irb.rankings.read_scores(f"{name}.csv") for name in ("people", "model"))
    groups = {f"q{j}": j // 2 for j in range(50)}
    for row, name in zip(record["leaderboards"], ("Tau", "Spearman"), strict=True):
        found = irb.comparison.leaderboard_correlation(people, model, name, groups=groups)
        assert (row["correlation"], row["estimate"]) == (name, found.estimate)
        assert (row["low"], row["high"]) == tuple(found)
    assert [file["name"] for file in record["scores"]] == ["people.csv", "model.csv"]
    done = run_cli(*arguments, "--confidence-level", "0.9")
    assert "model.csv" in done.stdout
    assert "0.9 two-sided" in done.stdout
    assert "ranks of 25 groups" in done.stderr


@pytest.mark.filterwarnings("ignore::irbounds.warnings.FewUnitsWarning")
def test_leaderboards_of_errors(boards):
    """Other systems are at the top, where tau_AP weighs most."""
    text = Path("model.csv").read_text(encoding="utf-8")
    text = text.replace("s2,", "x,").replace("s3,", "s2,").replace("x,", "s3,")
    Path("model.csv").write_text(text, encoding="utf-8")
    command = "overlap", "--leaderboards", "people.csv", "model.csv", "-m", "TauAP", "-f", "json"
    boards = [
        irb.rankings.read_scores(f"{name}.csv", lower_is_better=True)
        for name in ("people", "model")
    ]
    found = irb.comparison.leaderboard_correlation(*boards, "TauAP")
    for options, is_meant in ((["--lower-is-better"], True), ([], False)):
        [row] = json.loads(run_cli(*command, *options).stdout)["leaderboards"]
        assert ((row["estimate"], row["low"], row["high"]) == (found.estimate, *found)) == is_meant


def test_leaderboards_refuse(boards):
    done = run_cli("overlap", "people.csv", "model.csv", "--lower-is-better")
    assert done.stderr == "irbounds: --lower-is-better needs --leaderboards\n"
    done = run_cli("overlap", "--leaderboards", "people.csv", "model.csv", "--bounds")
    assert done.stderr == "irbounds: --bounds is for runs, not for --leaderboards\n"
    done = run_cli("overlap", "--leaderboards", "people.csv", "model.csv", "-m", "RBO(p=0.9)")
    assert "must be of Tau, TauAP, Spearman; found 'RBO(p=0.9)'" in done.stderr
    done = run_cli("overlap", "--leaderboards", "people.csv", "model.csv", "--columns", "doc_id=d")
    assert "--columns must name system, unit, score" in done.stderr
