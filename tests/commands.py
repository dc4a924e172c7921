"""The command line in a process of its own."""

import subprocess
import sys


def run_cli(*arguments, text=None):
    """`irbounds` with these arguments, and this text on its standard input."""
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
