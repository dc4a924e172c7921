"""Exit statuses and files where nobody reads the screen, or it cannot be written."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from commands import run_cli

QRELS = "q1 0 d1 1\nq2 0 d1 1\nq3 0 d1 1\n"
FULL = Path("/dev/full")  # a disk without room
has_full_disk = pytest.mark.skipif(not FULL.exists(), reason="the system has no /dev/full")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Judgments, two runs, and labels of a judge and of people."""
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS)
    Path("a.run").write_text("".join(f"q{i} Q0 d1 1 3 x\n" for i in (1, 2, 3)))
    Path("b.run").write_text("".join(f"q{i} Q0 d{i % 2} 1 3 x\n" for i in (1, 2, 3)))
    Path("judge").write_text("q1 0 d1 1\nq1 0 d2 0\nq1 0 d3 0\nq1 0 d4 1\n")
    Path("people").write_text("q1 0 d1 1\nq1 0 d4 1\n")  # of one grade: a warning
    return tmp_path


def process(*arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
    return subprocess.Popen(
        [sys.executable, "-m", "irbounds", *arguments], stdout=stdout, stderr=stderr
    )


@pytest.mark.parametrize("command", ["gate", "compare", "eval"])
def test_a_closed_pipe_keeps_the_status_of_the_verdict(folder, command):
    arguments = (command, "qrels", "a.run", "b.run", "-m", "RR")
    known = process(*arguments).wait()
    assert known == (3 if command == "gate" else 0)
    unread = process(*arguments, stdout=subprocess.PIPE)
    unread.stdout.close()
    assert unread.wait() == known


@has_full_disk
@pytest.mark.parametrize("arguments", [("bogus",), ("eval", "absent", "a.run")])
def test_an_error_that_cannot_be_written_keeps_its_status(folder, arguments):
    with FULL.open("w") as full:
        assert process(*arguments, stderr=full).wait() == 2


@has_full_disk
def test_a_note_that_cannot_be_written_costs_no_output(folder):
    arguments = ("assist", "people", "judge", "-o", "found.json")
    with FULL.open("w") as full:
        assert process(*arguments, stderr=full).wait() == 0
    assert json.loads(Path("found.json").read_text())["sampled"] == 2


def test_json_beside_the_ending_of_another_format(folder):
    gate = ("gate", "qrels", "a.run", "b.run", "-m", "RR", "--json")
    assert run_cli(*gate, "-o", "gate.csv").returncode == 3
    assert json.loads(Path("gate.csv").read_text())["verdict"] == "unclear"
    refused = run_cli(*gate, "-f", "csv")
    assert refused.stderr == "irbounds: --json needs --format table or json\n"


def test_a_table_of_pairs_on_the_screen(folder):
    printed = run_cli("allocate-labels", "judge", "-n", "2", "--seed", "1", "-o", "-").stdout
    assert printed.startswith("query_id,doc_id,relevance\nq1,d")
    assert not Path("-").exists()
