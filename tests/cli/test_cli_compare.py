"""`irbounds compare`, as a user meets it."""

import csv
import io
import json
import re

import pytest
from commands import assert_refused, run_cli

import irbounds as irb
from irbounds.cli import main

QRELS = "".join(f"q{q} 0 d{d} {int(d < 2)}\n" for q in range(8) for d in range(5))
A = "".join(f"q{q} Q0 d{d} 1 {(d * 7 + q) % 5} a\n" for q in range(8) for d in range(5))
B = "".join(f"q{q} Q0 d{d} 1 {5 - d} b\n" for q in range(7) for d in range(5)) + "q9 Q0 d1 1 1 b\n"
TIED = "".join(f"q{q} Q0 d{d} 1 1 c\n" for q in range(8) for d in range(5))
ONLY_TIES = (
    "tied.run: all documents have the same score, in all 8 queries with two documents or more"
)


@pytest.fixture
def cli(tmp_path, monkeypatch, capsys):
    """Run `irbounds compare` in a folder with qrels.txt, a.run, b.run and tied.run; (exit status,
    stdout, stderr)."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("qrels.txt", QRELS), ("a.run", A), ("b.run", B), ("tied.run", TIED)):
        (tmp_path / name).write_text(text)

    def run(*arguments):
        with pytest.raises(SystemExit) as stop:
            main(["compare", "qrels.txt", *arguments])
        captured = capsys.readouterr()
        return stop.value.code, captured.out, captured.err

    return run


def test_table(cli):
    status, out, err = cli("a.run", "b.run", "tied.run", "-m", "AP RR", "--seed", "3")
    expected = irb.compare("qrels.txt", ["a.run", "b.run", "tied.run"], "AP RR", rng=3)
    assert (status, out) == (0, repr(expected) + "\n")
    assert err.splitlines() == [
        f"irbounds: {ONLY_TIES}",
        "irbounds: b.run: 1 query judged but missing from the run, counted as 0: q7",
        "irbounds: b.run: 1 query in the run but not judged, left out: q9",
    ]
    assert "†" in out


def test_formats_carry_the_same_numbers(cli):
    arguments = (
        *("a.run", "b.run", "tied.run", "-m", "AP RR", "--test", "t", "--correction", "tukey"),
        "-f",
    )
    comparison = irb.compare(
        "qrels.txt", ["a.run", "b.run", "tied.run"], "AP RR", test="t", correction="tukey"
    )
    p_values = [one.p_value for one in comparison.differences]
    rows = list(csv.DictReader(io.StringIO(cli(*arguments, "csv")[1])))
    assert [float(row["p_value"]) for row in rows] == p_values
    assert [
        one["p_value"] for one in json.loads(cli(*arguments, "json")[1])["differences"]
    ] == p_values
    assert [
        json.loads(line)["p_value"] for line in cli(*arguments, "jsonl")[1].splitlines()
    ] == p_values
    assert cli(*arguments, "latex")[1] == comparison.to_latex()
    assert cli(*arguments, "latex", "--rows", "differences")[1] == comparison.to_latex(
        "differences"
    )
    runs = list(csv.DictReader(io.StringIO(cli(*arguments, "csv", "--rows", "runs")[1])))
    assert [float(row["mean"]) for row in runs if row["run"] == "b.run"] == list(
        comparison.means["b.run"].values()
    )


def test_options(cli, tmp_path):
    arguments = (
        *("a.run", "b.run", "tied.run", "--baseline", "b.run", "--correction", "none"),
        *("--missing", "skip", "--ties", "doc_id", "--confidence-level", "0.9"),
        *("--resamples", "200", "--seed", "5", "-m", "AP@3"),
    )
    assert cli(*arguments, "-f", "json", "-o", "out.json")[:2] == (0, "")
    report = json.loads((tmp_path / "out.json").read_text())
    assert {
        name: report[name]
        for name in (
            *("baseline", "correction", "confidence_level", "resamples", "seed", "ties"),
            *("n_queries", "measures", "family"),
        )
    } == {
        "baseline": "b.run",
        "correction": None,
        "confidence_level": 0.9,
        "resamples": 200,
        "seed": 5,
        "ties": "doc_id",
        "n_queries": 7,
        "measures": ["AP@3"],
        "family": "measure",
    }
    assert [(one["run"], one["against"]) for one in report["differences"]] == [
        ("a.run", "b.run"),
        ("tied.run", "b.run"),
    ]


def test_issue_16_the_seed_is_fixed_and_printed(cli):
    first, second = (cli("a.run", "b.run", "-m", "AP") for _ in range(2))
    assert first == second
    assert "seed 0" in first[1]


def test_issue_15_what_a_comparison_warns_of_is_a_line(cli):
    """The tied run differs from the best by as much on every query."""
    status, out, err = cli(
        "tied.run", "a.run", "-m", "P@5 R@1", "--test", "bootstrap", "--family", "measure"
    )
    assert status == 0
    assert err.splitlines()[0] == f"irbounds: {ONLY_TIES}"
    assert err.splitlines()[1].startswith("irbounds: bootstrap of 8 queries, fewer than 30: ")
    assert "‡ differences that are equal on all queries have no variance" in out
    assert "over the differences by each measure" in out
    out = cli("tied.run", "a.run", "-m", "P@5 R@1", "--correction", "bonferroni")[1]
    assert "Bonferroni over all differences" in out


def test_a_run_against_itself(cli):
    status, out, _ = cli("a.run", "a.run", "-m", "AP")
    assert status == 0
    assert "a.run (2) − a.run" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a.run",), "RUNS must be two or more; found 1"),
        (("a.run", "c.run"), "c.run: No such file or directory"),
        (("a.run", "b.run", "--test", "f"), "--test must be one of 'permutation', "),
        (("a.run", "b.run", "--correction", "dunnett"), "--correction dunnett requires --baseline"),
        (("a.run", "b.run", "--missing", "error"), "b.run: it lacks the judged query 'q7'"),
        (("-", "-"), "standard input can be read once only"),
    ],
)
def test_bad_input_is_one_line_and_status_2(cli, arguments, message):
    status, out, err = cli(*arguments)
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert err.startswith(f"irbounds: {message}")


def test_a_real_process(cli, tmp_path):
    done = run_cli(
        "compare",
        tmp_path / "qrels.txt",
        tmp_path / "a.run",
        "-",
        "-m",
        "AP",
        "-f",
        "csv",
        text=TIED,
    )
    assert done.returncode == 0
    assert done.stdout.splitlines()[1].startswith("AP,-,a.run,")
    assert_refused(
        run_cli("compare", tmp_path / "qrels.txt", tmp_path / "a.run"), "RUNS must be two or more"
    )


def test_markdown_and_names_of_files(tmp_path):
    """Runs are called by their file names, with folders where those are the same."""
    (tmp_path / "qrels").write_text("q1 0 a 1\nq2 0 b 1\n")
    runs = [tmp_path / "x" / "same.run", tmp_path / "y" / "same.run", tmp_path / "z.run"]
    for path in runs:
        path.parent.mkdir(exist_ok=True)
        path.write_text("q1 Q0 a 1 2 t\nq2 Q0 c 1 1 t\n")
    done = run_cli("compare", tmp_path / "qrels", *runs, "-m", "AP", "-f", "markdown")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("| measure | run | against | mean |")
    assert [line.split(" | ")[1:3] for line in lines[2:]] == [
        ["y/same.run", "x/same.run"],
        ["z.run", "x/same.run"],
        ["z.run", "y/same.run"],
    ]
    found = irb.compare(tmp_path / "qrels", runs, "AP", baseline=runs[1])
    assert found.runs == ("x/same.run", "y/same.run", "z.run")


def test_tables_fit_the_terminal(cli):
    from irbounds.comparison.runs.presentation import as_text

    runs = {"a": "a.run", "b": "b.run"}
    comparison = irb.compare("qrels.txt", runs, "AP nDCG@10 P@10", test="t")
    wide = as_text(comparison)
    assert wide == comparison.to_text()
    assert max(map(len, wide.splitlines())) > 60
    narrow = as_text(comparison, 60)
    assert max(map(len, narrow.splitlines())) <= 60
    assert sorted(set(re.findall(r"[-+]?\d\.\d{4}", narrow))) == sorted(
        set(re.findall(r"[-+]?\d\.\d{4}", wide))
    )
