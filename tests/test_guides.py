"""What the guides show is what happens, in irbounds and in the library that a reader comes from."""
import doctest
import re
import shlex
from pathlib import Path

import pytest

from irbounds.cli import main

GUIDES = Path(__file__).parents[1] / "docs" / "guides"
NEEDS = {"coming_from_trec_eval": ["pytrec_eval"], "coming_from_ir_measures": ["ir_measures"],
         "coming_from_ranx": ["ranx"], "coming_from_scikit_learn": ["sklearn"]}

pytestmark = pytest.mark.skipif(not GUIDES.is_dir(), reason="needs the source tree")


def blocks(name, language):
    text = (GUIDES / f"{name}.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("name", NEEDS)
@pytest.mark.filterwarnings("ignore")  # what other libraries warn of when they are imported
def test_examples(name):
    for needed in NEEDS[name]:
        pytest.importorskip(needed)
    code = "\n".join(blocks(name, "pycon"))
    test = doctest.DocTestParser().get_doctest(code, {}, name, f"{name}.md", 0)
    report = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    assert runner.run(test, out=report.append).attempted >= 10
    assert runner.failures == 0, "".join(report)


def test_commands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 1\n")
    for name, order in (("bm25.run", (0.7, 0.7)), ("dense.run", (0.4, 0.7))):
        (tmp_path / name).write_text("".join(f"{query} Q0 d{d} {d} {score} t\n" for query in ("q1", "q2")
                                             for d, score in enumerate(order, 1)))
    commands = [line for name in NEEDS for block in blocks(name, "console") for line in block.splitlines()]
    assert len(commands) >= 4
    for command in commands:
        with pytest.raises(SystemExit) as stop:
            main(shlex.split(command)[1:])
        assert stop.value.code == 0, command


def test_every_guide_of_another_library_is_run():
    assert {path.stem for path in GUIDES.glob("coming_from_*.md")} == set(NEEDS)
