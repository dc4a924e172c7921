"""Pages that are made, never typed: the table of measures, the commands' options, the benchmarks'
results.

They are written to docs/_generated before the sources are read.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[1]
TARGET = DOCS / "_generated"
MADE_BY_OTHERS = {f"irbounds.{name}" for name in ("Qrels", "Run", "samples.RecallPosterior")}
ABOUT_SPEED = {"builds", "load", "speed"}  # the other results are about accuracy
BENCHMARKS = DOCS.parent / "benchmarks"


def cell(text: str) -> str:
    """Text that may stand in a cell of a Markdown table."""
    return re.sub(r"\s+", " ", str(text)).replace("|", "\\|").strip()


def table(header: list[str], rows: list[list[str]], look: str = "") -> list[str]:
    """A Markdown table and an empty line; classes of a look before it."""
    lines = [header, ["---"] * len(header), *rows]
    classes = [f"```{{rst-class}} {look}", "```", ""] if look else []
    return [*classes, *("| " + " | ".join(map(cell, row)) + " |" for row in lines), ""]


def measures_page() -> list[str]:
    """All measures, as `irbounds.measures` lists them."""
    import irbounds

    rows = [
        [
            f"`{info.form}`",
            info.definition,
            info.tie_rule,
            ", ".join(f"`{name}`" for name in info.parameters),
            info.source,
        ]
        for info in irbounds.measures()
    ]
    return table(
        ["measure", "what it is", "ties", "parameters", "source"], rows, "stacked measures"
    )


def commands_page() -> list[str]:
    """Each command: what it does, its arguments and options, examples."""
    import click

    from irbounds.cli.app import COMMANDS, find_command

    lines: list[str] = []
    for name in COMMANDS:
        command: Any = find_command(name)
        context = click.Context(command, info_name=f"irbounds {name}")
        rows = list(parameter_rows(command, context))
        lines += [
            f"## irbounds {name}",
            "",
            *(command.help or "").split("\n"),
            "",
            "```text",
            " ".join([f"irbounds {name}", *command.collect_usage_pieces(context)]),
            *(["", *command.examples] if command.examples else []),
            "```",
            "",
            *table(["option", "what it is", "default"], rows, "stacked options"),
        ]
    return lines


def parameter_rows(command: Any, context: Any) -> Iterator[list[str]]:
    """Name, help and default of each argument and option."""
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            yield [f"`{parameter.make_metavar(context)}`", parameter.about, ""]
        elif record := parameter.get_help_record(context):  # hidden ones have none
            # a default is at the end of what `--help` says
            about, _, default = record[1].partition("  [default: ")
            if choices := getattr(parameter.type, "words", ()):
                about += f" Choices: {', '.join(choices)}."
            names = "`, `".join(parameter.opts)
            yield [f"`{names}`", about, f"`{default[:-1]}`" if default else ""]


def write(path: Path, text: str) -> None:
    """Write what has changed, so that only that is read again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def generate(_app: Any) -> None:
    """Write all generated pages, and remove those that are no longer made."""
    pages = {
        TARGET / "measures.txt": "\n".join(measures_page()),
        TARGET / "commands.txt": "\n".join(commands_page()),
    }
    for result in sorted((BENCHMARKS / "results").glob("*.md")):
        pages[TARGET / subject_of(result.stem) / result.name] = result.read_text("utf-8")
    for result in sorted((BENCHMARKS / "papers" / "results").glob("*.md")):
        pages[TARGET / "papers" / result.name] = result.read_text("utf-8")
    for path, text in pages.items():
        write(path, text)
    for picture in (BENCHMARKS / "papers" / "results").glob("*.png"):
        shutil.copyfile(picture, TARGET / "papers" / picture.name)
    for stale in {*TARGET.rglob("*.md"), *TARGET.rglob("*.txt")} - set(pages):
        stale.unlink()


def subject_of(name: str) -> str:
    """The folder of a benchmark's result."""
    return "speed" if name in ABOUT_SPEED else "accuracy"


def links_to_results(_app: Any, document: str, source: list[str]) -> None:
    """Links to results, which lead to their files in the repository, lead to their pages on the
    site.

    Those to results that were not measured yet are text.
    """
    up = "../" * document.count("/")

    def page(link: re.Match[str]) -> str:
        text, folder, name = link.groups()
        there = f"{'papers' if folder else subject_of(name)}/{name}.md"
        return f"[{text}]({up}_generated/{there})" if (TARGET / there).exists() else text

    source[0] = re.sub(
        r"\[([^\]]*)\]\((?:\.\./)+benchmarks/(papers/)?results/(\w+)\.md\)", page, source[0]
    )


def without_signature(_app: Any, _what: str, name: str, *_: Any) -> tuple[str, None] | None:
    """Classes that users do not construct are shown without the constructor's arguments."""
    return ("", None) if name in MADE_BY_OTHERS else None


def setup(app: Any) -> dict[str, bool]:
    """Generate before anything is read."""
    app.connect("builder-inited", generate, priority=100)
    app.connect("source-read", links_to_results)
    app.connect("autodoc-process-signature", without_signature)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
