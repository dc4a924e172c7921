"""The studies and the benchmarks run at tiny sizes, and write short pages."""

import importlib
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from data import SHARED
from public_names import home_of

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
RESULTS = BENCHMARKS / "results"
STUDIES = {
    "recall": [],
    "coded": [],
    "classes": [],
    "clusters": [],
    "ranks": [],
    "extrapolation": [],
    "paired_counts": [],
    "groups": [],
    "gates": ["--data", SHARED],
    "means": ["--data", SHARED],
    "assisted": ["--data", SHARED],
}
MOST_LINES = 100

pytestmark = pytest.mark.skipif(not RESULTS.is_dir(), reason="needs the source tree")


def run(script, out, *arguments):
    command = [sys.executable, BENCHMARKS / script, "--quick", "--out", out, *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_study_is_here():
    modules = {path.stem for path in (BENCHMARKS / "studies").glob("*.py")}
    assert modules - {*STUDIES} == {"study", "reviews", "nulls", "agreement", "weighted"}


@pytest.mark.long
@pytest.mark.parametrize("name", STUDIES)
def test_a_study_writes_its_page_and_its_rows(name, tmp_path):
    if STUDIES[name] and not SHARED.is_dir():
        pytest.skip("needs the research data beside the repository")
    run(f"studies/{name}.py", tmp_path, *STUDIES[name])
    page = (tmp_path / f"{name}.md").read_text("utf-8")
    assert page.count("\n") <= MOST_LINES
    written = tomllib.loads((tmp_path / "coverage.toml").read_text("utf-8"))[name]
    known = tomllib.loads((RESULTS / "coverage.toml").read_text("utf-8"))[name]
    assert {*written} <= {*known}  # the questions; the tiny run may lack one
    for ask in written:
        assert f"| {ask} |" in page


def test_pages_are_short():
    for name in (*STUDIES, "speed", "load", "builds"):
        assert (RESULTS / f"{name}.md").read_text("utf-8").count("\n") <= MOST_LINES, name


def test_each_page_of_a_study_has_the_rows_of_coverage():
    for study, asked in tomllib.loads((RESULTS / "coverage.toml").read_text("utf-8")).items():
        page = (RESULTS / f"{study}.md").read_text("utf-8")
        for ask, rows in asked.items():
            for name, numbers in rows.items():
                assert f"| {ask} | {name} | " in page
                assert f"{numbers[0]:.3f}" in page


def test_every_public_function_has_a_statement(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    statements = importlib.import_module("statements").STATEMENTS
    functions = {
        name
        for name, home in home_of().items()
        if type(getattr(importlib.import_module(home), name)) is type(run)
    }
    assert {*statements} == functions


def test_ratios_of_builds_are_medians_and_new_functions_are_left_out(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    builds = importlib.import_module("builds")
    this, older = (builds.Build(sys.executable, str(tmp_path), 0.0) for _ in range(2))
    older.seconds("irb.measures.__globals__.pop('measures') and irb.__dict__.pop('measures')")
    assert builds.pairs_of(this, older, "irb.measures()", 3) is None
    assert len(builds.pairs_of(this, older, "irb.prob_superior", 3)) == 3
    this.close()
    older.close()
    assert builds.median_ratio([(1.0, 2.0), (3.0, 2.0), (2.0, 2.0)]) == 1.0


@pytest.mark.long
def test_builds(tmp_path):
    run("builds.py", tmp_path, sys.executable)
    assert (tmp_path / "builds.md").read_text("utf-8").count("\n") <= MOST_LINES


@pytest.mark.long
def test_speed_keeps_the_rows_of_other_subjects(tmp_path):
    for subject in ("counts", "stopping"):
        run("speed.py", tmp_path, subject)
    page = (tmp_path / "speed.md").read_text("utf-8")
    assert "| counts | paired, 17 to 4 | " in page
    assert "| stopping | certified curve" in page


@pytest.mark.long
def test_load(tmp_path):
    run("load.py", tmp_path)
    run("load.py", tmp_path, "--billion")
    page = (tmp_path / "load.md").read_text("utf-8")
    assert page.count("| Parquet | the decoder |") == 3
    assert page.count("| Parquet, ") == 3


def test_a_page_of_builds_lists_what_differs_and_names_the_rest(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    builds = importlib.import_module("builds")
    ratios = {"a, small": [1.0, 1.01, 1.01], "b, small": [1.0, 1.2, 1.2], "c": [2.0, 1.0, 0.5]}
    rows, alike = builds.shown(ratios)
    assert [row[0] for row in rows] == ["b", "c"]
    assert alike == ["a"]
