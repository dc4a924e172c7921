"""Shared by the reruns of the papers: the folder of data, the printed numbers, and pages, whose
prose is in `pages`."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
DATA = HERE.parents[2] / "shared" / "data"


def data_folder(description: str | None, *needed: str) -> Path:
    """The folder named by --data; ends the script with one line if it lacks one of the files
    `needed`."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data",
        type=Path,
        default=DATA,
        help="the folder of runs and counts (default: %(default)s)",
    )
    folder: Path = parser.parse_args().data
    missing = [name for name in needed if not (folder / name).exists()]
    if missing:
        sys.exit(f"{parser.prog}: --data {folder} has no {missing[0]}")
    return folder


def printed(name: str) -> list[dict[str, str]]:
    """Rows of a table copied from a paper."""
    with (HERE / "printed" / f"{name}.tsv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A Markdown table, columns of numbers at the right, and an empty line."""
    numbers = [
        all(cell[-1:].isdigit() or not cell for cell in column)
        for column in zip(*rows, strict=True)
    ]
    return [
        "| " + " | ".join(header) + " |",
        "| " + " | ".join("---:" if right else "---" for right in numbers) + " |",
        *("| " + " | ".join(row) + " |" for row in rows),
        "",
    ]


def filled(name: str, **slots: object) -> list[str]:
    """The lines of pages/`name`.md, in which values stand for names in braces; those that are lists
    are lines."""
    text = (HERE / "pages" / f"{name}.md").read_text(encoding="utf-8")
    shown = {key: "\n".join(x) if isinstance(x, list) else x for key, x in slots.items()}
    return text.format(**shown).splitlines()


def publish(lines: Sequence[str], name: str) -> None:
    """Print the page, and write it to results/`name`.md."""
    text = "\n".join(lines).rstrip() + "\n"
    print(text, end="")
    (HERE / "results").mkdir(exist_ok=True)
    (HERE / "results" / f"{name}.md").write_text(text, encoding="utf-8")
