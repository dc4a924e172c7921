"""The documentation site: its examples run, its outputs are what happens, its reference is
complete."""

import doctest
import importlib
import re
import runpy
import shlex
import sys
from pathlib import Path
from statistics import fmean

import pytest
from public_names import home_of

import irbounds as irb
from irbounds.cli import main

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
DEMO = Path(irb.__file__).parent / "demo"
PAGES = [
    path
    for path in sorted(DOCS.rglob("*.md"))
    if "_generated" not in path.parts and not path.stem.startswith("coming_from_")
    # Spark's guide has its test in `spark/test_spark.py`; others need what may not be installed
    if path.parts[-2:] not in {("guides", "spark.md"), ("guides", "parts.md")}
]
PEERS = {
    "trec_eval": "pytrec_eval",
    "pytrec_eval": "pytrec_eval",
    "ir_measures": "ir_measures",
    "ranx": "ranx",
    "scikit_learn": "sklearn",
}
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
FENCE = re.compile(r"^( *)```([\w-]+|\{picture\} [^\n]+)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
QRELS = "q1 0 d1 1\nq1 0 d2 0\nq1 0 d3 1\n"
RUN = "q1 Q0 d1 1 0.7 t\nq1 Q0 d2 2 0.7 t\nq1 Q0 d3 3 0.4 t\n"

pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="needs the source tree")


def blocks(path):
    """Language, first line and text of each fenced block, in order."""
    page = path.read_text(encoding="utf-8")
    return [
        (match[2], page.count("\n", 0, match.start()) + 2, match[3])
        for match in FENCE.finditer(page)
    ]


def run_session(text, scope, where, line):
    """A block with prompts: every output is what happens."""
    test = doctest.DocTestParser().get_doctest(text, {}, where, where, line - 1)
    test.globs = scope
    failures = []
    doctest.DocTestRunner(optionflags=FLAGS, verbose=False).run(
        test, out=failures.append, clear_globs=False
    )
    assert not failures, "".join(failures)


def run_console(text, where, capsys):
    """A block of commands: those after `$` print what is shown, others run.  A command goes on
    after a backslash; LaTeX, which ends rows with two, is output."""
    shown = {}
    command = None
    for line in re.sub(r"(?<!\\)\\\n", "", text).splitlines():
        if line.startswith("$ "):
            command = line[2:]
            shown[command] = []
        elif command:
            shown[command].append(line)
        elif line.startswith("irbounds "):
            shown[line] = None
    for command, expected in shown.items():
        if not command.startswith("irbounds "):
            continue
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            main(shlex.split(command, comments=True)[1:])
        captured = capsys.readouterr()
        assert stop.value.code == 0 or expected, f"{where}: {command}: {captured.err}"
        if expected is not None:
            found = [
                line.rstrip() for line in (captured.out + captured.err).strip("\n").splitlines()
            ]
            assert found == [
                line.rstrip() for line in "\n".join(expected).strip("\n").splitlines()
            ], command


@pytest.mark.long
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(DOCS).as_posix())
def test_page(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    run_page(path, capsys)


def run_page(path, capsys):
    """All its blocks, in order."""
    scope = {}
    for language, line, text in blocks(path):
        where = f"{path.relative_to(ROOT)}:{line}"
        if language in {"python", "pycon"} and ">>> " in text:
            run_session(text, scope, where, line)
        elif language == "python" or language.startswith("{picture}"):
            exec(compile("\n" * (line - 1) + text, where, "exec"), scope)
            if language != "python":
                importlib.import_module("matplotlib.pyplot").close("all")
        elif language == "console":
            run_console(text, where, capsys)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")  # of peers, and of runs with nothing but ties
@pytest.mark.parametrize(
    "name",
    # ranx compiles for a minute
    [pytest.param(name, marks=pytest.mark.nightly if name == "ranx" else []) for name in PEERS],
)
def test_guide_for_users_of(name, tmp_path, monkeypatch, capsys):
    """Both libraries print what the page shows."""
    pytest.importorskip(PEERS[name])
    monkeypatch.chdir(tmp_path)
    run_page(DOCS / "guides" / f"coming_from_{name}.md", capsys)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")  # of the engines
@pytest.mark.parametrize("engine", ["", "dask", "ray"])
def test_guide_on_parts(engine):
    """The first block, and that of the engine where it is installed."""
    if engine:
        pytest.importorskip(engine)
    first, *others = [text for language, _, text in blocks(DOCS / "guides" / "parts.md")]
    scope = {}
    exec(first, scope)
    for text in others:
        if engine and text.startswith(f"import {engine}"):
            exec(text, scope)
            assert scope["evaluation"].mean == scope["whole"].mean


def test_every_guide_is_run():
    pages = {path.stem for path in (DOCS / "guides").glob("coming_from_*.md")}
    assert pages == {f"coming_from_{name}" for name in PEERS}


def test_no_page_takes_the_place_of_one_that_sphinx_makes():
    assert not {"search", "genindex", "modindex"} & {path.stem for path in DOCS.glob("*.md")}


def test_links_have_text():
    """Sphinx fills an empty one, GitHub shows nothing."""
    pages = [*DOCS.rglob("*.md"), *ROOT.glob("*.md")]
    assert not [path for path in pages if re.search(r"(?<!!)\[\s*\]\(", path.read_text("utf-8"))]


def test_readme(monkeypatch, capsys):
    """All its sessions and outputs, those of the scripts too."""
    monkeypatch.chdir(DEMO)
    scope, commands = {}, 0
    for language, line, text in blocks(ROOT / "README.md"):
        if language == "python":
            run_session(text, scope, "README.md", line)
        elif text.startswith("$ python "):
            command, output = text.split("\n", 1)
            runpy.run_path(str(ROOT / command.removeprefix("$ python ")), run_name="__main__")
            assert capsys.readouterr().out == output
        elif text.startswith("$ "):
            run_console(text, "README.md", capsys)
            commands += 1
    assert scope["pairs"]
    assert commands == 2


def test_readme_compares_runs_as_pytrec_eval_does(capsys):
    """The first two rows of its first table are pytrec_eval's means."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    script = runpy.run_path(str(ROOT / "examples" / "rename_documents.py"))
    qrels, pixels, reranked = script["load_runs"]()
    shown = (ROOT / "README.md").read_text(encoding="utf-8")
    namings = {"ties by document id": dict, "the same, documents renamed": script["renamed"]}
    for row, name in namings.items():
        grades = {
            query: {doc: int(grade) for doc, grade in documents.items()}
            for query, documents in name(qrels).items()
        }
        evaluator = pytrec_eval.RelevanceEvaluator(grades, {"recip_rank"})
        means = [
            fmean(found["recip_rank"] for found in evaluator.evaluate(name(run)).values())
            for run in (pixels, reranked)
        ]
        assert re.search(rf"^{row} +{means[0]:.4f} +{means[1]:.4f} ", shown, re.MULTILINE)


def test_the_recording_shows_what_the_commands_print():
    script = runpy.run_path(str(ROOT / "tools" / "record_terminal.py"))
    assert script["TARGET"].read_text(encoding="utf-8") == script["drawing"]()


def test_the_first_page_shows_the_demo(capsys):
    with pytest.raises(SystemExit):
        main(["demo"])
    assert capsys.readouterr().out in (DOCS / "index.md").read_text(encoding="utf-8")


@pytest.mark.long
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_example(path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [str(path)])
    try:
        runpy.run_path(str(path), run_name="__main__")
    except SystemExit as stop:
        status = stop.code
    else:
        status = 0
    assert status == 0
    assert capsys.readouterr().out.count("\n") >= 3


def test_the_gate_closes(tmp_path, capsys):
    gate = runpy.run_path(str(ROOT / "examples" / "nightly_gate.py"))["gate"]
    for name, text in (
        ("qrels", QRELS),
        ("good", RUN),
        ("bad", "q1 Q0 d1 1 0.1 t\nq1 Q0 d2 2 0.7 t\n"),
    ):
        (tmp_path / name).write_text(text)
    qrels, good, bad = (str(tmp_path / name) for name in ("qrels", "good", "bad"))
    assert gate(qrels, good, good) == 0
    assert gate(qrels, good, bad) == 3  # one query
    assert "unclear: 1 query" in capsys.readouterr().out


def listed_names():
    """Module and name of whatever the reference lists, in order."""
    found = []
    for path in (DOCS / "reference").glob("*.md"):
        module = None
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith(".. currentmodule:: "):
                module = line.removeprefix(".. currentmodule:: ")
            elif match := re.fullmatch(r"(?:   |\.\. py:data:: )([\w.]+)", line):
                found.append((module, match[1]))
    return found


def test_every_public_name_has_its_place_in_the_reference():
    listed = listed_names()
    assert len(listed) == len(set(listed))
    homes = {f"{home}.{name}" for name, home in home_of().items()}
    assert homes == {f"{module}.{name}" for module, name in listed if module == "irbounds"}
    assert {name for module, name in listed if module == "irbounds.plot"} == set(irb.plot.__all__)


def test_pages_are_reached():
    """Each has its place in the menu, which lists no pages by the order of their file names."""
    trees = "\n".join(path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md"))
    listed = {
        line.strip()
        for tree in re.findall(r"```\{toctree\}\n(.*?)^```", trees, re.DOTALL | re.MULTILINE)
        for line in tree.splitlines()
        if line and not line.startswith(":")
    }
    assert {"papers/index", "reference/index"} <= listed
    for folder in ("tutorials", "howto", "guides"):
        pages = {f"{folder}/{path.stem}" for path in (DOCS / folder).glob("*.md")}
        assert pages
        assert pages <= listed
