"""`irbounds overlap`: what it writes, and what it refuses."""

import json

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
