"""README and docstrings show what happens."""

import doctest
import gzip
import importlib
import re
import shlex
from pathlib import Path

import pytest
from sizes import only

import irbounds
from irbounds.cli import main

README = Path(__file__).parents[1] / "README.md"
PACKAGE = Path(irbounds.__file__).parent
MODULES = [
    ".".join(["irbounds", *path.relative_to(PACKAGE).with_suffix("").parts])
    for path in sorted(PACKAGE.rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]
SLOW = {"irbounds.plot.design"}
QRELS = "q1 0 d1 1\nq1 0 d2 0\nq1 0 d3 1\n"
RUN = "q1 Q0 d1 1 0.7 t\nq1 Q0 d2 2 0.7 t\nq1 Q0 d3 3 0.4 t\n"


@pytest.mark.parametrize("name", only(set(MODULES) - SLOW, MODULES))
def test_docstring_examples(name):
    module = importlib.import_module(name)
    assert doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0


def blocks(language):
    return re.findall(
        rf"^```{language}\n(.*?)^```$", README.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )


@pytest.fixture
def files(tmp_path, monkeypatch):
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "bm25.run").write_text(RUN)
    (tmp_path / "dense.run.gz").write_bytes(gzip.compress(RUN.encode()))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(command, capsys):
    with pytest.raises(SystemExit) as stop:
        main(shlex.split(command, comments=True)[1:])
    return stop.value.code, capsys.readouterr()


def test_readme_python(files):
    scope = {}
    for block in blocks("python"):
        exec(block, scope)
    assert scope["ev"].mean["AP"] == pytest.approx(0.70833333333)
    assert scope["ev"].mean_bounds["AP"] == pytest.approx((0.58333333333, 0.83333333333))


def test_readme_commands(files, capsys):
    commands = [
        line
        for block in blocks("console")
        for line in block.splitlines()
        if line.startswith("irbounds ")
    ]
    assert len(commands) >= 4
    for command in commands:
        status, _ = run(command, capsys)
        assert status == 0, command
    assert (files / "scores.csv").read_text().startswith("run,query_id,AP,")


def test_readme_shows_the_demo(capsys):
    status, captured = run("irbounds demo", capsys)
    assert status == 0
    assert captured.out in README.read_text(encoding="utf-8")
