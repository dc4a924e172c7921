"""The command line, as a user meets it."""

import contextlib
import io
import subprocess
import sys
from unittest import mock

from irbounds.cli import main


def run_cli(*arguments, text=None):
    """`irbounds` with these arguments, and this text on its standard input.

    It runs in this process: a new one takes longer to start than most commands to run.
    """
    out, error = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    given = io.TextIOWrapper(io.BytesIO((text or "").encode()), "utf-8")
    status = 0
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(error),
        mock.patch.object(sys, "stdin", given),
    ):
        try:
            main(list(map(str, arguments)))
        except SystemExit as stop:
            status = stop.code or 0
    printed = [stream.buffer.getvalue().decode() for stream in (out, error)]
    return subprocess.CompletedProcess(arguments, status, *printed)


def run_process(*arguments, text=None):
    """The same in a process of its own, for what a start or an end of one does."""
    return subprocess.run(
        [sys.executable, "-m", "irbounds", *map(str, arguments)],
        capture_output=True,
        text=True,
        input=text,
    )


def assert_refused(done, message):
    """One line on stderr that says this, and status 2."""
    assert done.returncode == 2
    assert done.stderr.startswith("irbounds: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
