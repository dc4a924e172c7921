"""Runs a check, and records when it ran, on what, and how it ended, in
benchmarks/results/checks.md.

    python benchmarks/checks.py tools/check_c.sh "fuzz/run.sh 60"

A row a command; those of other commands stay.  The checks are listed in CONTRIBUTING.md.
"""

from __future__ import annotations

import datetime
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from timing import RESULTS, table

ROOT = Path(__file__).resolve().parents[1]
INTRODUCTION = [
    "# Checks",
    "",
    "How the checks of CONTRIBUTING.md ended when they ran last. Made by "
    "`python benchmarks/checks.py COMMAND…`.",
    "",
]
HEADER = ["command", "on", "took", "ended with"]
ESCAPES = re.compile(r"\x1b\[[0-9;]*m|^[=\s]+|[=\s]+$")


def known_rows(path: Path) -> dict[str, list[str]]:
    """The rows of the file, by their commands."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    rows = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in lines
        if line.startswith("| `")
    ]
    return {row[0]: row for row in rows}


def compilers() -> str:
    """Those at hand, with their versions."""
    found = []
    for name in ("gcc", "clang"):
        if shutil.which(name):
            said = subprocess.run(
                [name, "--version"], capture_output=True, text=True, check=True
            ).stdout
            found.append(f"{name} {re.findall(r'[0-9]+[.][0-9.]+', said)[0]}")
    return ", ".join(found)


def run(command: str) -> tuple[list[str], int]:
    """The row of a command, and its exit status; what it prints is shown as it comes."""
    start, last = time.monotonic(), ""
    with subprocess.Popen(
        ["bash", "-c", command],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            last = ESCAPES.sub("", line.rstrip()) or last
    status = process.returncode
    minutes = f"{(time.monotonic() - start) / 60:.1f} min"
    on = f"{datetime.date.today()}, CPython {sys.version.split()[0]}, {compilers()}"
    end = ("success" if status == 0 else f"**status {status}**") + f": {last}" * bool(last)
    return [cell.replace("|", "\\|") for cell in (f"`{command}`", on, minutes, end)], status


def main() -> None:
    """Run the commands given, and write the table."""
    if not sys.argv[1:]:
        sys.exit(__doc__)
    path, failed = RESULTS / "checks.md", 0
    for command in sys.argv[1:]:
        row, status = run(command)
        failed |= status
        rows = known_rows(path) | {row[0]: row}
        lines = [*INTRODUCTION, *table(HEADER, [rows[name] for name in sorted(rows)])]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
