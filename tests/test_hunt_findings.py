"""Every finding that a hunt has added to its list is asked again."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LIST = ROOT / "benchmarks" / "hunts" / "findings.tsv"
LINES = LIST.read_text("utf-8").splitlines() if LIST.exists() else []


@pytest.mark.skipif(not LINES, reason="outside the source tree")
@pytest.mark.parametrize("line", LINES)
def test_a_finding_is_none_any_more(line, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), str(ROOT), *sys.path])
    from hunts._search import ask
    from hunts._workers import load

    name, _, command = line.split("\t")
    call = ast.parse(command.split("; ", 1)[1].rstrip("\"'")).body[0].value
    assert ast.literal_eval(call.args[0]) == name
    assert not ask(load(None)[name], ast.literal_eval(call.args[1])).faults
