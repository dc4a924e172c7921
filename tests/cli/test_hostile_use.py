"""Outputs that would destroy inputs, options that contradict each other, and narrow terminals."""

import json
import xml.etree.ElementTree as ET

import pytest
from commands import assert_refused, run_cli

import irbounds as irb

QUERIES = [f"q{i}" for i in range(1, 13)]
GATE = ("gate", "qrels.txt", "a.run", "b.run", "-m", "P@1")
PLAN = (
    *("plan", "--population", "1000", "--retrieved", "100"),
    *("--recall", ".8", "--precision", ".5"),
)
COMPARE = ("compare", "qrels.txt", "a.run", "b.run", "-m", "RR", "--test", "t")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    (tmp_path / "qrels.txt").write_text("".join(f"{q} 0 d1 1\n{q} 0 d2 0\n" for q in QUERIES))
    for name, shift in (("a.run", 0), ("b.run", 1)):
        lines = [
            f"{q} Q0 {doc} 1 {2 - (place + i * shift) % 3} x\n"
            for i, q in enumerate(QUERIES)
            for place, doc in enumerate(("d1", "d2"))
        ]
        (tmp_path / name).write_text("".join(lines))
    (tmp_path / "counts.csv").write_text("system,tp,fp,fn\na,9,1,3\nb,8,2,4\n")
    (tmp_path / "points.csv").write_text("recall,precision,prevalence\n.7,.5,.03\n")
    (tmp_path / "control.csv").write_text("position\n7\n40\n90\n")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (("eval", "qrels.txt", "a.run", "-o", "qrels.txt"), "qrels.txt"),
        (("eval", "qrels.txt", "a.run", "-o", "./a.run"), "a.run"),
        ((*COMPARE, "-o", "b.run"), "b.run"),
        ((*GATE, "--previous", "a.run", "--junit", "a.run"), "a.run"),
        (("counts", "counts.csv", "-o", "counts.csv"), "counts.csv"),
        (("extrapolate", "points.csv", "--plot", "points.csv"), "points.csv"),
    ],
)
def test_an_output_is_no_input(folder, arguments, name):
    before = (folder / name).read_bytes()
    assert_refused(run_cli(*arguments), f"would write over the input file {name}")
    assert (folder / name).read_bytes() == before


def test_two_outputs_are_two_files(folder):
    assert_refused(run_cli(*GATE, "--junit", "x", "-o", "x"), "must be different files")
    appended = "eval", "qrels.txt", "a.run", "--append", "x", "-o", "x"
    assert_refused(run_cli(*appended), "must be different files")
    assert not (folder / "x").exists()
    (folder / "x").touch()
    assert_refused(run_cli(*GATE, "--junit", "x", "-o", "./x"), "must be different files")
    assert run_cli(*GATE, "--junit", "x", "-o", "y").returncode == 3
    assert run_cli(*GATE, "--junit", "/dev/null", "-o", "/dev/null").returncode == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("eval", "qrels.txt", "a.run", "-m", ""), "--measures must name at least one measure"),
        (("eval", "qrels.txt", "a.run", "-m", ","), "--measures must name at least one measure"),
        (("measures", ""), "NAMES must name at least one measure"),
        (("eval", "qrels.txt", "a.run", "--bounds", "-f", "trec"), "--bounds needs --format"),
        (("eval", "qrels.txt", "a.run", "--interval", "-f", "trec"), "--interval needs --format"),
        (
            ("eval", "qrels.txt", "a.run", "--unjudged", "bounds", "-f", "trec"),
            "--unjudged bounds needs --format",
        ),
        (
            ("eval", "qrels.txt", "a.run", "--unjudged", "bounds", "--unjudged-hidden", "\u00b2"),
            "--unjudged-hidden must be a number of documents or 'collection'",
        ),
        ((*COMPARE, "--rank-correction", "holm"), "--rank-correction needs --ranks"),
        (("eval", "qrels.txt", "a.run", "--limits"), "--limits needs a value"),
        (("eval", "qrels.txt", "a.run", "--bounds=x"), "--bounds takes no value"),
        (("eval", "qrels.txt", "a.run", "-j", "x"), "--jobs must be a whole number; found 'x'"),
        (("eval",), "QRELS is missing; --help shows the usage"),
        (("demo", "x", "y"), "unexpected arguments x y"),
        ((*GATE[:4], "c.run"), "unexpected argument c.run"),
        ((*GATE, "--json", "-f", "csv"), "--json needs --format table or json"),
        (("counts", "counts.csv", "--prior", "0"), "--prior must be above 0 and finite; found 0.0"),
        (("extrapolate", "points.csv", "--per-document", "1"), "cost needs --population"),
        (
            ("eval", "qrels.txt", "a.run", "--interval", "--limits", "0,.1", "-m", "AP RR"),
            "--limits is for measures without limits of their own; AP, RR have them",
        ),
        (
            ("eval", "qrels.txt", "a.run", "--interval", "--limits", "0,.1", "-m", "AP DCG@9"),
            "--limits must contain the values of all queries; DCG@9 of query q1 is 1",
        ),
        (
            (*COMPARE, "--correction", "x"),
            "--correction must be one of 'holm', 'bonferroni', 'tukey', 'dunnett', 'none'; found",
        ),
        (("eval", "qrels.txt", "a.run", "--append", "no/h"), "no/h: No such file or directory"),
        (("eval", "qrels.txt", "a.run", "--append", "b.run"), "b.run: is not a history; nothing"),
        (
            ("counts", "counts.csv", "--positive", "x"),
            "--positive is for labels: give --truth and --prediction, or their table",
        ),
        (
            ("recall", "control.csv", "--weighted", "--engine", "monte-carlo"),
            "--weighted does not take --engine",
        ),
        ((*PLAN, "--sample", "50", "--probability", ".9"), "--probability requires --target"),
        (("certify", "control.csv", "--found", "2"), "--found must be at least the 3 positions"),
    ],
)
def test_a_contradiction_is_one_line(arguments, message):
    assert_refused(run_cli(*arguments), f"irbounds: {message}")


@pytest.mark.parametrize("position", ["0", "-4", "1.5", "nan"])
def test_a_position_that_is_none_names_its_line(folder, position):
    (folder / "bad.csv").write_text(f"position\n3\n{position}\n")
    assert_refused(
        run_cli("certify", "bad.csv", "--found", "5"),
        f"bad.csv:3: position must be a whole number, 1 or more; found '{position}'",
    )


def test_ranks_are_in_every_format():
    with pytest.warns(irb.warnings.FewUnitsWarning):
        ranks = irb.compare("qrels.txt", ["a.run", "b.run"], "RR", test="t").ranks("RR", rng=0)
    p_best = [row["p_best"] for row in ranks.rows()]
    for format in ("csv", "jsonl", "latex", "markdown"):
        shown = run_cli(*COMPARE, "--ranks", "-f", format).stdout
        assert all(f"{p:.4f}".rstrip("0") in shown for p in p_best), format
    records = list(map(json.loads, run_cli(*COMPARE, "--ranks", "-f", "jsonl").stdout.splitlines()))
    assert [record["p_best"] for record in records] == p_best
    assert {record["settings"]["test"] for record in records} == {"t"}
    runs = run_cli(*COMPARE, "--rows", "runs", "-f", "jsonl").stdout.splitlines()
    assert [json.loads(line)["run"] for line in runs] == ["a.run", "b.run"]


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize(
    "arguments",
    [
        ("eval", "qrels.txt", "a.run", "--bounds", "--interval"),
        GATE,
        (*COMPARE, "--ranks"),
        ("next", "qrels.txt", "a.run", "b.run"),
        ("recall", "--retrieved", "120/15/10", "--unretrieved", "880/130/2", "--target", ".8"),
        ("coverage", "small", "--realisations", "2", "--samples", "5", "--seed", "1"),
        ("certify", "control.csv", "--found", "9"),
        ("extrapolate", "points.csv"),
        ("stop", "labels.txt", "--population", "100"),
    ],
)
def test_text_fits_the_terminal(folder, monkeypatch, arguments, width):
    (folder / "labels.txt").write_text("1\n0\n" * 10)
    monkeypatch.setenv("COLUMNS", str(width))
    lines = run_cli(*arguments).stdout.splitlines()
    assert lines
    assert max(map(len, lines)) <= width


def test_junit_names_what_is_unclear():
    """Queries that the new run lacks are no judgments."""
    qrels = {q: {"d1": 1, "d2": 0} for q in QUERIES}
    old = {q: {"d1": 2.0, "d2": 1.0, "d3": 0.5} for q in QUERIES}
    new = {q: ranked for q, ranked in old.items() if q != "q1"}
    for share, names in ((None, ["queries"]), (0.9, ["judged", "queries"])):
        gate = irb.gate(qrels, old, new, "RR", missing="skip", min_judged=share)
        suite = ET.fromstring(gate.to_junit())
        assert [case.get("name") for case in suite] == ["RR", *names]
        assert suite.get("tests") == str(1 + len(names))
        assert "as the new run lacks it" in list(suite)[-1][0].get("message")


@pytest.mark.parametrize("width", [80, 100, 130])
def test_the_list_of_measures_fits_the_terminal(monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    assert max(map(len, run_cli("measures").stdout.splitlines())) in range(width - 8, width + 1)


@pytest.mark.parametrize("options", [(), ("--design", "single-sample")])
def test_plans_have_numbers_in_every_format(options):
    done = run_cli(*PLAN, "--sample", "50", *options, "-f", "jsonl")
    records = list(map(json.loads, done.stdout.splitlines()))
    assert sum(record["sample"] for record in records) == 50
    assert sum(record["size"] for record in records) == 1000
