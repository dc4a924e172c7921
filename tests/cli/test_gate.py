"""`irbounds gate` and `irbounds plan-queries`."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from commands import assert_refused, run_cli

N = 30


def lines(queries, line):
    return "".join(
        line.format(query, doc, value)
        for query, documents in queries.items()
        for doc, value in documents.items()
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    qrels = {f"q{i:02}": {"d1": 1, "d2": 0} for i in range(N)}
    good = {q: {"d1": 2.0, "d2": 1.0} for q in qrels}
    bad = {q: {"d1": 1.0, "d2": 2.0} if i % 5 else good[q] for i, q in enumerate(qrels)}
    noisy = {q: {"d1": 1.0, "d2": 2.0} if i % 29 == 0 else good[q] for i, q in enumerate(qrels)}
    (tmp_path / "qrels.txt").write_text(lines(qrels, "{} 0 {} {}\n"))
    for name, run in (("good", good), ("bad", bad), ("noisy", noisy)):
        (tmp_path / f"{name}.run").write_text(lines(run, "{} Q0 {} 1 {} t\n"))
    return tmp_path


@pytest.mark.parametrize(
    ("options", "status"),
    [((), 1), (("--unjudged", "bounds"), 3), (("--unjudged", "bounds", "--ties", "best"), 2)],
)
def test_exit_status_3_where_labels_decide(folder, options, status):
    run = {
        f"q{i:02}": {"new": 3.0, "d1": 2.0} if i % 2 else {"d1": 3.0, "d2": 2.0} for i in range(N)
    }
    (folder / "open.run").write_text(lines(run, "{} Q0 {} 1 {} t\n"))
    command = ("gate", "qrels.txt", "good.run", "open.run", "-m", "P@1", "--junit", "g.xml")
    done = run_cli(*command, *options)
    assert done.returncode == status
    if status == 2:
        assert len(done.stderr.splitlines()) == 1
    said = "labels decide: fail with the worst labels of unjudged documents, pass with the best"
    assert (said in done.stdout) == (status == 3)
    if status == 3:
        assert said in (folder / "g.xml").read_text()


@pytest.mark.parametrize(
    ("new", "options", "status"),
    [
        ("good.run", (), 0),
        ("bad.run", ("--margin", "0.02"), 1),
        ("noisy.run", ("--margin", "0.02"), 3),
        ("noisy.run", ("--margin", "0.2"), 0),
        ("none.run", (), 2),
    ],
)
def test_exit_statuses(folder, new, options, status):
    done = run_cli("gate", "qrels.txt", "good.run", new, "-m", "RR", *options)
    assert done.returncode == status
    verdict = {0: "pass", 1: "fail", 3: "unclear"}
    if status in verdict:
        assert done.stdout.startswith(f"{verdict[status]}: 30 queries")
        assert done.stderr == ""
    else:
        assert done.stderr.startswith("irbounds: none.run: ")


def test_formats(folder):
    arguments = ("gate", "qrels.txt", "good.run", "bad.run", "-m", "RR P@1", "--margin", "0.02")
    done = run_cli(*arguments, "-f", "json", "--junit", "gate.xml")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert json.loads(run_cli(*arguments, "--json").stdout) == found
    assert (found["verdict"], found["exit_status"]) == ("fail", 1)
    assert [check["measure"] for check in found["checks"]] == ["RR", "P@1"]
    assert ET.parse(folder / "gate.xml").getroot().get("failures") == "2"
    rows = run_cli(*arguments, "-f", "csv").stdout.splitlines()
    assert rows[0].startswith("measure,verdict,baseline,new,difference,low,high,margin")
    assert rows[1].startswith("RR,fail,1.0,0.6,-0.4")
    for format in ("jsonl", "latex", "markdown"):
        assert "fail" in run_cli(*arguments, "-f", format).stdout


def test_a_gate_without_variance_has_no_nan_in_latex(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("q").write_text("".join(f"q{i} 0 d1 1\n" for i in range(60)))
    for name, doc in (("a", "d1"), ("b", "d2")):
        Path(name).write_text(
            "".join(
                f"q{i} Q0 {one} 0 {1 + (one == doc)} t\n" for i in range(60) for one in ("d1", "d2")
            )
        )
    for format in ("latex", "markdown", "table"):
        done = run_cli("gate", "q", "a", "b", "-m", "RR", "-f", format)
        assert "none" in done.stdout
        assert "nan" not in done.stdout


def test_github_gets_a_summary_and_annotations(folder, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "summary.md"))
    done = run_cli(
        *("gate", "qrels.txt", "good.run", "bad.run", "-m", "RR", "--github", "-f", "json")
    )
    assert done.returncode == 1
    assert json.loads(done.stdout)["verdict"] == "fail"
    assert done.stderr.startswith("::error title=irbounds gate::RR: fail")
    assert (folder / "summary.md").read_text().startswith("### irbounds gate: fail")


def test_standard_input_and_previous_run(folder):
    done = run_cli(
        *("gate", "qrels.txt", "good.run", "-", "-m", "RR", "--previous", "noisy.run"),
        *("--min-judged", "0.5"),
        text=(folder / "good.run").read_text(),
    )
    assert done.returncode == 0
    assert "since the previous run: RR +0.0333" in done.stdout
    assert_refused(run_cli("gate", "-", "-", "good.run"), "`-` was given twice")
    assert_refused(
        run_cli("gate", "qrels.txt", "good.run", "bad.run", "--margin", "-1"), "--margin must be 0"
    )


def test_plans(folder):
    done = run_cli("plan-queries", "--difference", "0.02", "--sd", "0.11", "-f", "json")
    assert json.loads(done.stdout)["plans"] == [{"sd": 0.11, "queries": 240, "difference": 0.02}]
    done = run_cli("plan-queries", "--queries", "50", "--sd", "1", "-f", "csv")
    assert done.stdout.startswith("sd,queries,difference\n1.0,50,0.404183")
    done = run_cli("plan-queries", "--half-width", "0.02", "--sd", "0.1957155")
    assert "371" in done.stdout
    done = run_cli(
        *("plan-queries", "qrels.txt", "good.run", "bad.run", "-m", "RR", "--difference", "0.1"),
        *("-f", "jsonl"),
    )
    plan = json.loads(done.stdout)
    assert (plan["measure"], plan["difference"]) == ("RR", 0.1)
    assert plan["sd"] == pytest.approx(0.203419, abs=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--sd", "1"), "give one goal"),
        (("--sd", "1", "--queries", "5", "--difference", "1"), "give one goal"),
        (("--difference", "1"), "give --sd, or a pilot"),
        (("qrels.txt", "good.run", "--difference", "1"), "a pilot needs two runs; found 1"),
        (("qrels.txt", "good.run", "--half-width", "1", "-m", "RR"), "no variance by RR"),
        (("--difference", "0", "--sd", "1"), "--difference must be finite and not 0"),
        (("--queries", "1", "--sd", "1"), "--queries must be 2 or more; found 1"),
        (
            ("qrels.txt", "good.run", "bad.run", "--difference", "1", "-m", "AP gm_map"),
            "GMAP is a geometric mean over queries; comparisons are of means: compare AP",
        ),
        (
            ("--half-width", "1", "--sd", "1", "--power", "0.9"),
            "--power goes with --difference or --queries",
        ),
    ],
)
def test_plans_refused(folder, arguments, message):
    assert_refused(run_cli("plan-queries", *arguments), message)
