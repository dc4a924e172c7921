"""Unjudged documents on the command line."""

import csv
import io
import json

import pytest
from commands import assert_refused, run_cli


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("q 0 d1 1\nq 0 d3 0\nq 0 d5 1\nq 0 d9 1\n")
    (tmp_path / "run").write_text("".join(f"q Q0 d{i} {i} {9 - i} t\n" for i in range(1, 6)))
    (tmp_path / "other").write_text("q Q0 d3 1 3 t\nq Q0 d7 2 2 t\nq Q0 d1 3 1 t\n")
    (tmp_path / "p.run").write_text("q Q0 d2 1 0.9 llm\nq Q0 d4 2 0.1 llm\n")


def run(*words):
    done = run_cli(*words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_eval_shows_bounds_over_labels(files):
    text = run("eval", "qrels", "run", "-m", "AP P@5", "--unjudged", "bounds")
    assert "[0.4667, 0.7100]" in text
    assert "over labels" in text
    assert "60%" in text


def test_eval_writes_bounds_over_labels(files):
    options = ["eval", "qrels", "run", "-m", "P@5", "--unjudged", "bounds", "--bounds", "-q"]
    options += ["--unjudged-hidden", "1"]
    (row, last) = csv.DictReader(io.StringIO(run(*options, "-f", "csv")))
    assert float(row["P@5.unjudged_low"]) == 0.4
    assert float(last["P@5.unjudged_high"]) == 0.8
    assert float(last["P@5.judged"]) == 0.6
    (document,) = json.loads(run(*options, "-f", "json"))
    assert document["unjudged_bounds"] == {"P@5": [0.4, 0.8]}
    assert document["judged"] == {"P@5": 0.6}
    record = json.loads(run(*options, "-f", "jsonl").splitlines()[-1])
    assert (record["unjudged_low"], record["unjudged_high"]) == (0.4, 0.8)


def test_eval_takes_probabilities_and_condensed_lists(files):
    def mean(how):
        (document,) = json.loads(
            run("eval", "qrels", "run", "-m", "P@5", "--unjudged", how, "-f", "json")
        )
        return document["values"]["P@5"]

    assert mean("0.5") == pytest.approx(0.6)
    assert mean("p.run") == pytest.approx(0.6)
    assert mean("condensed") == 0.4
    assert mean("nonrelevant") == 0.4


def test_nothing_is_added_when_not_asked_for(files):
    (document,) = json.loads(run("eval", "qrels", "run", "-m", "P@5", "-f", "json"))
    assert "unjudged_bounds" not in document


def test_compare_with_labels(files):
    words = ["compare", "qrels", "run", "other", "-m", "P@3", "--test", "sign", "-f", "json"]
    words += ["--unjudged", "bounds"]
    (difference,) = json.loads(run(*words))["differences"]
    assert difference["unjudged_is_exact"]
    assert len(difference["unjudged_bounds"]) == 2


def test_next(files, tmp_path):
    text = run("next", "qrels", "run", "other", "-m", "P@3", "-n", "2", "--to-judge", "asked")
    assert "settled" in text
    asked = (tmp_path / "asked").read_text()
    assert asked == "q 0 d2 -1\nq 0 d7 -1\n"
    (tmp_path / "asked").write_text(asked.replace("-1", "1"))
    words = ["next", "qrels", "run", "other", "-m", "P@3", "--judged", "asked", "-f", "json"]
    document = json.loads(run(*words))
    assert document["n_unjudged"] == 1
    rows = run("next", "qrels", "run", "other", "-m", "P@3", "-f", "csv").splitlines()
    assert rows[0] == "query_id,doc_id,width"


def test_a_file_of_grades_that_grows(files, tmp_path):
    words = ["next", "qrels", "run", "other", "-m", "P@3", "-n", "1", "--to-judge", "asked"]
    run(*words)
    (tmp_path / "asked").write_text("# by A. Ssessor\nq 0 d2 1")  # no line end
    again = [*words, "--judged", "asked"]
    run(*again)
    held = "# by A. Ssessor\nq 0 d2 1\nq 0 d7 -1\n"
    assert (tmp_path / "asked").read_text() == held
    run(*again)  # not graded yet: asked for once
    assert (tmp_path / "asked").read_text() == held
    before = (tmp_path / "qrels").read_bytes()
    for name in ("qrels", "run", "./other"):
        words[-1] = name
        assert_refused(run_cli(*words), "would write over the input file")
    assert (tmp_path / "qrels").read_bytes() == before
    (tmp_path / "asked").write_text("query_id,doc_id,relevance\nq,d2,1\n")
    assert_refused(run_cli(*again), "text file of TREC's qrels alone")


def test_next_goes_on_where_nothing_is_left_to_judge(files, tmp_path):
    (tmp_path / "all").write_text("".join(f"q 0 d{i} {i % 2}\n" for i in range(1, 10)))
    words = ["next", "all", "run", "other", "-m", "P@3", "--to-judge", "asked"]
    text = run(*words)
    assert (tmp_path / "asked").read_bytes() == b""
    assert run(*words, "--judged", "asked") == text


def test_next_says_that_only_relevant_documents_are_listed(files, tmp_path):
    (tmp_path / "relevant").write_text("q 0 d1 1\n")
    words = ["next", "relevant", "run", "other", "-m", "P@3"]
    done = run_cli(*words)
    assert done.returncode == 0
    assert "the qrels list relevant documents only: all others count as unjudged" in done.stderr
    done = run_cli(*words, "--unjudged-hidden", "0")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("eval qrels run -m ESL(nr=1) --unjudged bounds", "has no bounds over unjudged"),
        (
            "eval qrels run --unjudged bounds --unjudged-hidden many",
            "--unjudged-hidden must be a number of documents or 'collection'; found 'many'",
        ),
        ("eval qrels run --unjudged 2", "probability in [0, 1]"),
        ("eval qrels run --max-grade 2", "--max-grade goes with --unjudged bounds"),
        ("next qrels run other -m Bpref", "must be one of"),
        ("compare qrels run other --unjudged 1.5", "unjudged"),
        ("gate qrels run other -m P@2 --margin 0.1 --unjudged 0.5", "unjudged"),
    ],
)
def test_bad_input(files, words, message):
    assert_refused(run_cli(*words.split()), message)
