"""Shared by the benchmarks: a clock, the machine's description, a table that is printed and
written."""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import os
import platform
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parent / "results"


def is_quick(about: str | None) -> bool:
    """Read the command line of a benchmark whose only option is --quick."""
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="see that it runs; nothing written")
    return bool(parser.parse_args().quick)


def best_seconds(
    work: Callable[[], Any],
    repeat: int = 7,
    least: float = 0.002,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """The shortest time of one call by a clock, calls of less than `least` seconds in a loop."""
    start = clock()
    work()
    once = clock() - start
    calls = max(1, int(least / max(once, 1e-9)))
    best = once if once > 1 else float("inf")
    for _ in range(repeat if once <= 1 else 0):
        start = clock()
        for _ in range(calls):
            work()
        best = min(best, (clock() - start) / calls)
    return best


def installed(package: str) -> str:
    """The version of a package, or that there is none."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "absent"


def machine(packages: Sequence[str]) -> str:
    """The machine and the versions that the numbers were measured on."""
    info = Path("/proc/cpuinfo")
    model = (
        next(
            (
                line.split(":")[1].strip()
                for line in info.read_text().splitlines()
                if line.startswith("model name")
            ),
            "",
        )
        if info.exists()
        else platform.processor()
    )
    versions = ", ".join(f"{name} {installed(name)}" for name in packages)
    return (
        f"{datetime.date.today()}: {model}, {os.cpu_count()} cores, CPython "
        f"{platform.python_version()}, {versions}"
    )


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A Markdown table, the first column at the left."""
    return [
        "| " + " | ".join(header) + " |",
        "| --- " + "| ---: " * (len(header) - 1) + "|",
        *("| " + " | ".join(row) + " |" for row in rows),
    ]


def publish(lines: Sequence[str], name: str, write: bool = True) -> None:
    """Print the lines, and write them to results/`name`."""
    text = "\n".join(lines) + "\n"
    print(text)
    if write:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / name).write_text(text, encoding="utf-8")
