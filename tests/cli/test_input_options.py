"""`--columns` and `--name`, in all commands that read runs."""

import json
from pathlib import Path

import pytest
from commands import assert_refused, run_cli

QRELS = "q,d,grade\n1,a,1\n1,b,0\n2,c,1\n"
RUN = "q,d,s\n1,a,0.5\n1,b,0.7\n2,c,0.1\n"
BETTER = "q,d,s\n1,a,0.9\n1,b,0.7\n2,c,0.1\n"
NAMES = "query_id=q,doc_id=d,score=s,relevance=grade"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (("qrels.csv", QRELS), ("a.csv", RUN), ("b.csv", BETTER)):
        (tmp_path / name).write_text(text)
    return tmp_path


def document(*arguments, **streams):
    done = run_cli(*arguments, "-m", "RR", "--columns", NAMES, "-f", "json", **streams)
    assert done.returncode in (0, 3), done.stderr
    return json.loads(done.stdout)


def test_columns(folder):
    (record,) = document("eval", "qrels.csv", "a.csv")
    assert record["values"] == {"RR": 0.75}
    assert record["columns"]["score"] == "s"
    assert document("compare", "qrels.csv", "a.csv", "b.csv")["runs"][1]["means"] == {"RR": 1.0}
    (check,) = document("gate", "qrels.csv", "a.csv", "b.csv", "--min-judged", "0.5")["checks"]
    assert (check["baseline"], check["new"]) == (0.75, 1.0)
    bounds = document("compare", "qrels.csv", "a.csv", "b.csv", "--unjudged", "bounds")
    assert bounds["differences"][0]["unjudged_bounds"] == [0.25, 0.25]


@pytest.mark.parametrize("text", ["q", "query_id=", "=q", "query_id=q,,score=s", ""])
def test_columns_are_pairs(folder, text):
    done = run_cli("eval", "qrels.csv", "a.csv", "--columns", text)
    assert_refused(done, "--columns must be NAME=COLUMN,..., for example query_id=q,score=s; found")


def test_columns_have_known_names(folder):
    done = run_cli("gate", "qrels.csv", "a.csv", "b.csv", "--columns", "query=q")
    assert_refused(done, "must have the keys query_id, doc_id, score, relevance; found 'query'")


def test_the_name_of_standard_input(folder):
    records = document("eval", "qrels.csv", "a.csv", "-", "--name", "new", text=BETTER)
    assert [(record["run"], record["values"]["RR"]) for record in records] == [
        ("a.csv", 0.75),
        ("new", 1.0),
    ]
    found = document(
        *("compare", "qrels.csv", "a.csv", "-", "--name", "new", "--baseline", "a.csv"), text=BETTER
    )
    assert [(run["run"], run["sha256"] is None) for run in found["runs"]] == [
        ("a.csv", False),
        ("new", True),
    ]
    assert found["differences"][0]["run"] == "new"


@pytest.mark.parametrize("command", ["eval", "compare"])
def test_a_name_that_names_nothing(folder, command):
    refused = run_cli(command, "qrels.csv", "a.csv", "b.csv", "--name", "new")
    assert_refused(refused, "--name is the name of a run in standard input")
    refused = run_cli(command, "qrels.csv", "a.csv", "-", "--name", "a.csv", text=BETTER)
    assert_refused(refused, "--name must differ from the names of the files; found 'a.csv'")


def test_a_run_that_is_given_twice(folder):
    found = document("eval", "qrels.csv", "a.csv", "a.csv")
    assert [record["run"] for record in found] == ["a.csv", "a.csv (2)"]
    assert found[0]["values"] == found[1]["values"]


def test_columns_where_no_file_has_any(folder):
    (folder / "plain.run").write_text("q1 Q0 d1 1 1e400 x\nq1 Q0 d2 2 1e309 x\n")
    (folder / "plain.qrels").write_text("q1 0 d1 1\n")
    files = ("eval", "plain.qrels", "plain.run", "-m", "RR")
    for format in ("csv", "json"):
        refused = run_cli(*files, "-f", format, "--columns", "score=nope,query_id=zzz")
        assert_refused(refused, "--columns says that query_id is 'zzz', but no table or data frame")
    refused = run_cli(*files, "absent.run", "-k", "--columns", "score=nope")  # the last one fails
    assert_refused(refused, "--columns says that score is 'nope', but no table or data frame")
    # scores beyond the range of doubles are infinite, and tie
    (record,) = json.loads(run_cli(*files, "-f", "json").stdout)
    assert record["values"] == {"RR": 0.75}


@pytest.mark.parametrize("names", ["query_id=query,doc_id=doc", "query_id=x,doc_id=y", None])
@pytest.mark.parametrize("value", ["rank", "score"])
def test_names_of_columns_are_for_the_file_that_has_them(names, value, tmp_path, monkeypatch):
    """The other file has its own known names."""
    monkeypatch.chdir(tmp_path)
    query, doc = ("x", "y") if names and "x" in names else ("query", "doc")
    Path("qrels.csv").write_text("query_id,doc_id,relevance\nq1,a,1\nq1,b,0\n")
    rows = {"rank": "q1,a,1\nq1,b,2\n", "score": "q1,a,2\nq1,b,1\n"}[value]
    Path("a.csv").write_text(f"{query},{doc},{value}\n{rows}")
    options = ("--columns", names) if names else ()
    done = run_cli("eval", "qrels.csv", "a.csv", "-m", "RR", *options, "-f", "json")
    assert done.returncode == 0
    assert json.loads(done.stdout)[0]["values"] == {"RR": 1.0}
