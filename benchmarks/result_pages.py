"""Pages of results: their command line, a table, the machine and the commit they were made on."""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parent
RESULTS = BENCHMARKS / "results"
DATA = BENCHMARKS.parents[1] / "shared" / "data"  # of research, not part of the project
MOST_LINES = 100


def parser_of(about: str | None) -> argparse.ArgumentParser:
    """The options that every script has."""
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--quick", action="store_true", help="tiny sizes, to see that it runs; needs --out to write"
    )
    parser.add_argument("--out", type=Path, help="folder of the page (default: results)")
    return parser


def installed(package: str) -> str:
    """The version of a package, or that there is none."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "absent"


def processor() -> str:
    """The name of the processor."""
    info = Path("/proc/cpuinfo")
    if not info.exists():
        return platform.processor()
    lines = info.read_text().splitlines()
    names = (line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    return next(names, "")


def commit() -> str:
    """The commit that is measured."""
    command = ["git", "-C", str(BENCHMARKS), "rev-parse", "--short=8", "HEAD"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def machine(packages: Sequence[str] = ("numpy", "scipy")) -> str:
    """The machine and the versions that the numbers were measured on."""
    versions = ", ".join(f"{name} {installed(name)}" for name in packages)
    return (
        f"{datetime.date.today()}, commit {commit()}: {processor()}, {os.cpu_count()} cores, "
        f"CPython {platform.python_version()}, {versions}"
    )


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A Markdown table, the first column at the left."""
    return [
        "| " + " | ".join(header) + " |",
        "| --- " + "| ---: " * (len(header) - 1) + "|",
        *("| " + " | ".join(row) + " |" for row in rows),
        "",
    ]


def command() -> str:
    """The command that runs."""
    script = Path(sys.argv[0]).resolve()
    is_ours = script.is_relative_to(BENCHMARKS)
    return f"python benchmarks/{script.relative_to(BENCHMARKS)}" if is_ours else script.name


def publish(
    title: str, lines: Sequence[str], name: str, given: argparse.Namespace, packages: str = ""
) -> None:
    """Print a page, and write it: it must stay short."""
    versions = machine(["numpy", "scipy", *packages.split()])
    head = [f"# {title}", "", f"Made by `{command()}`.", "", versions, ""]
    text = "\n".join([*head, *lines]).rstrip() + "\n"
    print(text)
    if text.count("\n") > MOST_LINES:
        raise ValueError(f"{name} has more than {MOST_LINES} lines")
    folder = folder_of(given)
    if folder is not None:
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def folder_of(given: argparse.Namespace) -> Path | None:
    """Where results go: nowhere, if sizes are tiny and no folder is given."""
    return given.out or (None if given.quick else RESULTS)
