"""Outputs that would destroy what a command reads, or fail when another one is written."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence

import click

from irbounds.cli.terminal.render import BOOK, BOOK_ENDING, format_of_ending, is_misnamed
from irbounds.cli.terminal.wording import name_of
from irbounds.foundation.errors import InputError
from irbounds.foundation.paths import check_page, ending_of

PLAIN = ("", ".txt", ".text", ".log", ".out")  # names of text in any format
# what no format writes, so that a format that was asked for does not help
OTHER_FILES = {
    *(".pdf", ".doc", ".docx", ".odt", ".rtf", ".xls", ".xlsx", ".xlsm", ".ods", ".html", ".htm"),
    *(".parquet", ".feather", ".arrow", ".zip", ".gz", ".zst", ".png", ".svg", ".pptx"),
}


TEXT_FILES = {"junit": "XML", "to_judge": "qrels"}


def check_ending(context: click.Context) -> None:
    """Refuse names of files whose ending promises another format than what is written."""
    for name, kind in TEXT_FILES.items():
        path = context.params.get(name)
        if path and ending_of(path) in OTHER_FILES:
            raise InputError(f"`{name}` is a file of {kind}; found {path!r}")
    output = context.params.get("output")
    if not output or output == "-":
        return
    formats = next((each for each in context.command.params if each.name == "format"), None)
    if formats is None:
        if "date" in context.params:  # of pages
            check_page("output", output)
        elif ending_of(output) in OTHER_FILES:
            raise InputError(f"`output` is a file of CSV; found {output!r}")
        return
    endings = format_of_ending(getattr(formats.type, "words", ()))
    ending = ending_of(output)
    is_default = context.get_parameter_source("format") is click.core.ParameterSource.DEFAULT
    if is_misnamed(context.params["format"], ending) and ending != BOOK_ENDING:
        raise InputError(f"--format {BOOK} needs --output FILE{BOOK_ENDING}; found {output!r}")
    is_known = ending in (*PLAIN, *endings) or not (is_default or ending in OTHER_FILES)
    if is_known and not is_misnamed(context.params["format"], ending):
        return
    sheet = BOOK_ENDING if BOOK_ENDING in endings and ending != BOOK_ENDING else ".csv"
    known = ", ".join(f"{each} ({name})" for each, name in endings.items())
    raise InputError(
        f"--output must end in {known} or .txt; found {output!r}"
        + (f": spreadsheets open {sheet}" if ending.startswith((".xls", ".ods")) else "")
        + (": `irbounds report` writes pages" if ending in (".html", ".pdf", ".docx") else "")
        + ("" if ending in OTHER_FILES else "; or choose the format with --format")
    )


def check_outputs(context: click.Context, written: Sequence[str]) -> None:
    """Refuse an output, a parameter in `written`, that is an input file or another output; where
    there are several, also one that has no place: it would fail when another is there already."""
    files = list(_files(context))
    outputs = [(parameter, path) for parameter, path in files if parameter.name in written]
    for output, path in outputs:
        for other, name in files:
            if other is output:
                continue
            if other.name in written:
                if _is_one_file(path, name) or (path == name and not _exists(path)):
                    raise InputError(
                        f"{name_of(output)} and {name_of(other)} must be different files; "
                        f"found {path!r} for both"
                    )
            elif _is_one_file(path, name):
                raise InputError(
                    f"{name_of(output)} would write over the input file {name}: name another one"
                )
    for _, path in outputs if len(outputs) > 1 else ():
        _check_place(path)


def _check_place(path: str) -> None:
    """Raise what writing a file would raise, if its folder is missing or closed."""
    folder = os.path.dirname(path) or os.curdir  # noqa: PTH120, a faster start
    reason = 0
    if "\0" in path or not _exists(folder):
        reason = errno.ENOENT
    elif not os.path.isdir(folder):  # noqa: PTH112
        reason = errno.ENOTDIR
    elif os.path.isdir(path):  # noqa: PTH112
        reason = errno.EISDIR
    elif not os.access(path if _exists(path) else folder, os.W_OK):
        reason = errno.EACCES
    if reason:
        raise OSError(reason, os.strerror(reason), path)


def _files(context: click.Context) -> Iterator[tuple[click.Parameter, str]]:
    """Each name that was given for a file, with its parameter."""
    for parameter in context.command.params:
        given = context.params.get(parameter.name or "")
        # --unjudged is a word, a number or a file
        if given and (parameter.type.name == "file" or parameter.name == "unjudged"):
            names = (given,) if isinstance(given, str) else given
            yield from ((parameter, name) for name in names if name != "-")


def input_files(context: click.Context, written: Sequence[str]) -> list[str]:
    """The names of the files that a command reads: those of the parameters that are not in
    `written`."""
    return [path for parameter, path in _files(context) if parameter.name not in written]


def _exists(path: str) -> bool:
    return os.path.exists(path)  # noqa: PTH110, Path's raises for long names


def _is_one_file(one: str, other: str) -> bool:
    """Whether two names are those of one regular file: devices may be read and written."""
    try:
        return os.path.isfile(one) and os.path.samefile(one, other)  # noqa: PTH113, PTH121
    except (OSError, ValueError):
        return False
