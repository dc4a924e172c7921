"""Commands on a terminal: colours, tables and messages that fit its width."""

import os
import shutil
import subprocess
import sys

import pytest
from commands import run_cli
from sizes import long

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal of Unix")


def test_colours_on_a_terminal(folder):
    assert "\033[" in on_a_terminal(["eval", "--help"], 80, NO_COLOR="")
    assert "\033[" not in on_a_terminal(["eval", "--help"], 80, NO_COLOR="1")
    assert "\033[31mirbounds:\033[0m" in on_a_terminal(["evl"], 80, NO_COLOR="")


@pytest.mark.parametrize("width", [40, long(200)])
def test_a_table_fits_the_terminal(folder, width):
    for name in ("b.run", "c.run", "d.run"):
        shutil.copy("a.run", name)
    runs = ["a.run", "b.run", "c.run", "d.run"]
    names = "AP nDCG@10 P@10 RR Rprec Bpref P@5 nDCG@100"
    out = on_a_terminal(["eval", "qrels.txt", *runs, "-m", names, "--bounds"], width)
    table = [line for line in out.splitlines() if not line.startswith("irbounds: ")]
    assert max(map(len, table)) <= width
    assert out.count("0.8750 [0.7500, 1.0000]") >= 4  # AP of each run


def test_signs_that_a_terminal_would_obey(folder):
    name = "a\033[31m\r.run"
    shutil.copy("a.run", name)
    (folder / "b\033[31m.run").write_text("no run\n")
    for run in (name, "b\033[31m.run"):
        out = on_a_terminal(["eval", "qrels.txt", run], 80, NO_COLOR="1")
        assert "\033" not in out
        assert r"\x1b[31m" in out


def on_a_terminal(arguments, width, **environment):
    """Both streams of a command whose output is a terminal."""
    import fcntl
    import pty
    import struct
    import termios

    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    clean = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "LINES"}}
    process = subprocess.Popen(
        [sys.executable, "-m", "irbounds", *arguments],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env={**clean, "TERM": "xterm", **environment},
    )
    os.close(follower)
    read = b""
    while True:
        try:
            piece = os.read(leader, 4096)
        except OSError:  # the end, on Linux
            break
        if not piece:
            break
        read += piece
    os.close(leader)
    process.wait(60)
    return read.decode().replace("\r\n", "\n")


def test_a_long_message_is_folded_between_words_on_a_terminal():
    """Names of options stay whole; in a pipe a message is one line."""
    command = ["recall", "--retrieved", "50/9/3", "--unretrieved", "50/9/3", "--method", "x"]
    piped = run_cli(*command).stderr
    assert piped.count("\n") == 1
    assert len(piped) > 200
    for width in (40, 300):
        out = on_a_terminal(command, width, NO_COLOR="1")
        assert max(map(len, out.splitlines())) <= width
        assert " ".join(out.split()) == piped.strip()
