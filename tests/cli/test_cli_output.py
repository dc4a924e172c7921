"""Where the command line writes: files and what is no file, screens of any encoding, closed
streams."""

import io
import itertools
import json
import os
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from irbounds.cli import main
from irbounds.cli.terminal import screen

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="modes, links, pipes and bytes as Unix has them"
)

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq1 0 d3 1\n"
RUN = "q1 Q0 d1 1 0.7 t\nq1 Q0 d2 2 0.7 t\nq1 Q0 d3 3 0.4 t\n"
FULL = Path("/dev/full")  # a disk without room
EVAL = ("eval", "qrels.txt", "a.run", "-m", "AP", "-f", "markdown")
TABLE = "| run | AP |\n| --- | ---: |\n| a.run | 0.7083 |\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "a.run").write_text(RUN)
    return tmp_path


@pytest.fixture
def cli(folder, capsys):
    """Run a command in the folder; (exit status, stdout, stderr)."""

    def run(*arguments):
        with pytest.raises(SystemExit) as stop:
            main(arguments)
        captured = capsys.readouterr()
        return stop.value.code, captured.out, captured.err

    return run


def test_a_dash_is_standard_output(cli):
    assert cli(*EVAL, "-o", "-") == (0, TABLE, "")


def test_a_file_keeps_its_mode(cli, folder):
    target = folder / "out.md"
    for mode in (0o600, 0o666):
        target.write_text("old")
        target.chmod(mode)
        assert cli(*EVAL, "-o", "out.md") == (0, "", "")
        assert target.read_text() == TABLE
        assert stat.S_IMODE(target.stat().st_mode) == mode


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_stays_and_its_target_is_written(cli, folder, exists):
    (folder / "there").mkdir()
    target, link = folder / "there" / "out.md", folder / "link"
    link.symlink_to(target)
    if exists:
        target.write_text("old")
    assert cli(*EVAL, "-o", "link") == (0, "", "")
    assert link.is_symlink()
    assert target.read_text() == TABLE
    assert [path.name for path in target.parent.iterdir()] == ["out.md"]


def test_a_pipe_is_written_to(cli, folder):
    os.mkfifo(folder / "pipe")
    read = []
    reader = threading.Thread(
        target=lambda: read.append((folder / "pipe").read_text()), daemon=True
    )
    reader.start()
    assert cli(*EVAL, "-o", "pipe") == (0, "", "")
    reader.join(60)
    assert read == [TABLE]
    assert (folder / "pipe").is_fifo()


def test_a_device_is_written_to(cli, folder):
    try:
        os.mknod(folder / "null", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        (folder / "null").write_text("")
    except OSError:
        pytest.skip("only root makes devices")
    assert cli(*EVAL, "-o", "null") == (0, "", "")
    assert (folder / "null").is_char_device()


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("", "--output must name a file; found ''"),
        (".", ".: Is a directory"),
        ("there", "there: Is a directory"),
        ("there/", "--output must name a file; found 'there/'"),
        ("none/out", "none/out: No such file or directory"),
        ("a.run/out", "a.run/out: Not a directory"),
        ("loop", "loop: Too many levels of symbolic links"),
    ],
)
def test_what_cannot_be_written_is_named_as_given(cli, folder, path, message):
    (folder / "there").mkdir()
    (folder / "loop").symlink_to("loop")
    before = sorted(folder.rglob("*"))
    assert cli(*EVAL, "-o", path) == (2, "", f"irbounds: {message}\n")
    assert sorted(folder.rglob("*")) == before


def start(*arguments, **options):
    """The command as a process of its own, its output caught."""
    return subprocess.run(
        [sys.executable, "-m", "irbounds", *arguments],
        capture_output=True,
        timeout=60,
        check=False,
        **options,
    )


@pytest.mark.long
@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "cp437", "utf-8"])
def test_a_screen_of_any_encoding(folder, encoding):
    (folder / "qrels.txt").write_text(
        QRELS + "q2 0 d 1\n" + "".join(f"q{i} 0 d 1\n" for i in range(3, 9))
    )
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    shown = start("eval", "qrels.txt", "a.run", "-m", "ESL(nr=1) AP", env=environment)
    assert shown.returncode == 0
    infinity, rule, dots = {"ascii": ("inf", "-", "..."), "cp1252": ("inf", "-", "…")}.get(
        encoding, ("∞", "─", "…")
    )
    text = shown.stdout.decode(encoding)
    assert f" {infinity} " in text
    assert rule * 20 in text
    assert shown.stderr.decode(encoding).rstrip().endswith(dots if encoding != "cp437" else "...")
    for command in (["measures"], ["counts", "--help"], ["counts", "--tp=3", "--fp=1", "--fn=1"]):
        again = start(*command, env=environment)
        assert (again.returncode, again.stderr) == (0, b"")


@pytest.mark.long
def test_ids_that_are_no_text_go_out_as_they_came(folder):
    for name, text in (("qrels.txt", QRELS), ("a.run", RUN)):
        (folder / name).write_bytes(text.replace("q1", "qu\xe9").encode("latin-1"))
    for format in ("csv", "table", "latex"):
        shown = start(
            "eval",
            "qrels.txt",
            "a.run",
            "-q",
            "-f",
            format,
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        )
        assert shown.returncode == 0
        assert b"qu\xe9" in shown.stdout
        assert start("eval", "qrels.txt", "a.run", "-q", "-f", format, "-o", "out").returncode == 0
        assert (folder / "out").read_bytes() == shown.stdout
    [report] = json.loads(start("eval", "qrels.txt", "a.run", "-q", "-f", "json").stdout)
    assert [query.encode("utf-8", "surrogateescape") for query in report["queries"]] == [b"qu\xe9"]


def in_shell(command):
    """A line of shell in which $i is the command."""
    return subprocess.run(
        ["/bin/sh", "-c", command],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "i": f"{sys.executable} -m irbounds"},
    )


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("$i eval qrels.txt a.run >&-", "standard output is closed"),
        ("$i --version >&-", "standard output is closed"),
        ("$i eval qrels.txt - <&-", "standard input is closed"),
    ],
)
def test_a_closed_stream_is_one_line(folder, command, message):
    done = in_shell(command)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"irbounds: {message}\n")


def test_notes_go_nowhere_when_stderr_is_closed(folder):
    (folder / "qrels.txt").write_text(QRELS + "q2 0 d 1\n")
    done = in_shell("$i eval qrels.txt a.run -f markdown -m RR 2>&-")
    assert (done.returncode, done.stdout) == (
        0,
        "| run | RR |\n| --- | ---: |\n| a.run | 0.3750 |\n",
    )


@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("--help", 0),
        ("eval qrels.txt other.run 2>&1", 0),
        ("eval qrels.txt none 2>&1", 2),
        ("gate qrels.txt a.run worse.run -m RR", 3),
    ],
)
def test_a_pipe_closed_at_once_keeps_the_status(folder, command, status):
    (folder / "other.run").write_text(RUN + "q2 Q0 d 1 1 t\n")  # makes a note on stderr
    (folder / "worse.run").write_text("q1 Q0 d2 1 1 t\n")
    done = in_shell(f"{{ $i {command}; echo $? >status; }} | true")
    assert done.stderr == ""
    assert (folder / "status").read_text() == f"{status}\n"


@pytest.mark.skipif(not FULL.exists(), reason="the system has no /dev/full")
def test_a_line_that_cannot_be_written_costs_no_output_and_no_status(folder):
    (folder / "other.run").write_text(RUN + "q2 Q0 d 1 1 t\n")  # makes a note
    assert in_shell("$i eval qrels.txt other.run -o found.json 2>/dev/full").returncode == 0
    assert json.loads((folder / "found.json").read_text())[0]["run"] == "other.run"
    assert in_shell("$i eval absent a.run 2>/dev/full").returncode == 2


def test_json_beside_the_ending_of_another_format(cli, folder):
    (folder / "worse.run").write_text("q1 Q0 d2 1 1 t\n")
    gate = ("gate", "qrels.txt", "a.run", "worse.run", "-m", "RR", "--json")
    assert cli(*gate, "-o", "gate.csv")[0] == 3
    assert json.loads((folder / "gate.csv").read_text())["verdict"] == "unclear"
    assert cli(*gate, "-f", "csv")[2] == "irbounds: --json needs --format table or json\n"


def test_a_table_of_pairs_on_the_screen(cli, folder):
    printed = cli("allocate-labels", "qrels.txt", "-n", "2", "--seed", "1", "-o", "-")[1]
    assert printed.startswith("query_id,doc_id,relevance\nq1,d")
    assert not (folder / "-").exists()


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_is_shown_on_terminals_after_a_second(monkeypatch):
    clock = itertools.count(0.0, 0.6)
    monkeypatch.setattr(screen, "monotonic", lambda: next(clock))
    for stream, has_bar in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        items = screen.with_progress(iter("abcd"), 4)
        seen = [(item, stream.getvalue().endswith("\r\033[K")) for item in items]
        assert [item for item, _ in seen] == list("abcd")
        assert ("50%" in stream.getvalue()) == has_bar
        # erased while an item is handed over, so that it does not mix with other output
        assert [is_erased for _, is_erased in seen[2:]] == [has_bar] * 2


def test_a_plan_shows_on_terminals_that_it_works(monkeypatch):
    monkeypatch.setattr(screen, "TICK", 0.01)
    for stream, has_clock in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        with screen.with_clock("searching sizes"):
            time.sleep(0.1)
        assert ("searching sizes: 0 s" in stream.getvalue()) == has_clock
        assert stream.getvalue().endswith("\r\033[K") == has_clock


@pytest.mark.parametrize(("columns", "fits"), [("80", True), ("0", False), ("wide", False)])
def test_a_table_in_a_pipe_has_the_columns_that_are_asked_for(cli, monkeypatch, columns, fits):
    monkeypatch.setenv("COLUMNS", columns)
    out = cli("eval", "qrels.txt", "a.run", "-m", "AP RR P@2 nDCG@10", "--bounds")[1]
    widest = max(len(line) for line in out.splitlines() if "[" in line)
    assert (widest <= 80) is fits


@pytest.mark.parametrize(
    ("ending", "format"),
    [("csv", "csv"), ("json", "json"), ("jsonl", "jsonl"), ("tex", "latex"), ("MD", "markdown")],
)
def test_the_ending_of_the_output_chooses_the_format(cli, folder, ending, format):
    name, command = f"out.{ending}", EVAL[:-2]
    for before, after in ((("-o", name), ()), ((), ("-o", name))):
        assert cli(*command, *before, *after) == (0, "", "")
        assert (folder / name).read_text(encoding="utf-8") == cli(*command, "-f", format)[1]
        assert cli(*command, *before, "--format", "table", *after) == (0, "", "")
        assert (folder / name).read_text(encoding="utf-8") == cli(*command)[1]
    assert cli(*command, "-o", "out.txt") == (0, "", "")
    assert (folder / "out.txt").read_text(encoding="utf-8") == cli(*command)[1]
    assert "(.csv, .json, .jsonl, .tex, .md)" in " ".join(cli("eval", "--help")[1].split())
