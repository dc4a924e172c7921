"""Shared by the studies: whether intervals hold the truth, and the file coverage.toml.

Each study writes rows of that file.  A row belongs to a question of docs/promises.md and has a
method, the designs in which it was measured, and numbers: the least coverage of a design, and the
lowest and highest mean of a set of designs; or one number, the largest share of errors.
"""

from __future__ import annotations

import re
import sys
import tomllib
from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from result_pages import DATA, RESULTS, folder_of, machine, parser_of, publish, table

__all__ = ["DATA", "machine", "parser_of", "publish", "table"]
LEVEL, ALPHA = 0.95, 0.05
ROUNDING = 1e-9  # an end may be rounded to the other side of the truth
FILE = "coverage.toml"
HEAD = """\
# Coverage at a level of 0.95, written by benchmarks/studies.  Sections: the study and the question.
# Rows: the method and the designs; least coverage of a design, lowest and highest mean of designs.
# Rows of one number: the largest share of errors, at a level of 0.05.
"""
Row = tuple[str, str, list[float]]  # the question, the method and the designs, the numbers


def about(docstring: str | None) -> list[str]:
    """The lines of a study's docstring after its commands."""
    return [*(docstring or "").split("\n\n", 2)[2].strip().splitlines()]


def holds(low: Any, high: Any, truth: Any) -> Any:
    """Whether intervals hold the truth (arrays that broadcast)."""
    slack = ROUNDING * np.maximum(1, np.abs(truth))
    return (low <= truth + slack) & (high >= truth - slack)


def coverage_row(
    ask: str, method: str, designs: str, shares: Iterable[float], means: Iterable[float] = ()
) -> Row:
    """The least of the shares; the lowest and highest of the means, or the mean of the shares."""
    each = [*shares]
    of_sets = [*means] or [sum(each) / len(each)]
    numbers = (min(each), min(of_sets), max(of_sets))
    return ask, f"{method}: {designs}", [round(float(x), 4) for x in numbers]


def error_row(ask: str, method: str, designs: str, shares: Iterable[float]) -> Row:
    """The largest share of errors."""
    return ask, f"{method}: {designs}", [round(float(max(shares)), 4)]


def read(folder: Path = RESULTS) -> dict[str, dict[str, dict[str, list[float]]]]:
    """The numbers by study, question, and method with designs."""
    path = folder / FILE
    return tomllib.loads(path.read_text("utf-8")) if path.exists() else {}


def store(study: str, rows: list[Row], given: Namespace) -> list[str]:
    """Write the rows over the study's rows of the same names; return all of them as a table."""
    folder = folder_of(given)
    found = read(folder) if folder is not None else {}
    of_study = found.setdefault(study, {})
    for ask, name, numbers in rows:
        of_ask = of_study.setdefault(ask, {})
        for former in [each for each in of_ask if uncounted(each) == uncounted(name)]:
            del of_ask[former]
        of_ask[name] = numbers
    if folder is not None:
        folder.mkdir(exist_ok=True)
        (folder / FILE).write_text(as_toml(found), "utf-8")
    return as_table(of_study)


def uncounted(name: str) -> str:
    """A name without numbers: the number of designs may change."""
    return re.sub(r"\d[\d,]* ", "", name)


def as_table(of_study: dict[str, dict[str, list[float]]]) -> list[str]:
    """A row for each method and set of designs."""
    rows = []
    for ask, named in of_study.items():
        for name, numbers in named.items():
            least, *means = (f"{x:.3f}" for x in numbers)
            least = least if means else f"errors: {least}"
            rows.append([ask, name, least, " to ".join(dict.fromkeys(means))])
    return table(["question", "method: designs", "least coverage", "mean"], rows)


def as_toml(found: dict[str, dict[str, dict[str, list[float]]]]) -> str:
    """The file: a section for each question of a study."""
    lines = [HEAD]
    for study, asked in sorted(found.items()):
        for ask, named in asked.items():
            lines.append(f'[{study}."{ask}"]')
            lines += [f'"{name}" = {numbers}' for name, numbers in named.items()]
            lines.append("")
    return "\n".join(lines)
