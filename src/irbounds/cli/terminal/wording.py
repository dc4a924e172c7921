"""Messages of functions in the words of the command line: `collection_size` is --collection-size
there."""

from __future__ import annotations

import re
from collections.abc import Sequence

import click

QUOTED = re.compile(r"(?<!\d: )`(\w+)`")  # after the line of a file it is a column
OPTION = re.compile(r"`(--[a-z][\w-]*)`")  # options have no quotes
# A word by itself, so that paths and parameters of measures stay.
GIVEN = re.compile(
    r"(?<!\S)(\w+)=(?:('[\w.-]+'(?:(?:, | or )'[\w.-]+')*)|\"([\w.-]+)\"|([\w.+-]*\w))"
)
# Arguments of functions whose options have another name.
ALSO = {
    "rng": "seed",
    "measure": "measures",
    "scenario": "scenarios",
    "n": "labels",
    "runs": "series",
    "time": "since",
    "found_total": "found",
}
TREC_EVAL = {  # its options that are others here
    "-l": 'write the level as in -m "AP(rel=2)"',
    "-n": "drop the lines of all queries, as with grep -v -w all",
    "-M": 'write a cut-off, as in -m "AP@100"',
}


def with_options(message: str) -> str:
    """The message, with each argument that the running command takes as an option of it."""
    context = click.get_current_context(silent=True)
    if context is None:
        return message
    known = {parameter.name: parameter for parameter in context.command.params}

    def spelt(match: re.Match[str]) -> str:
        parameter = known.get(match[1]) or known.get(ALSO.get(match[1], ""))
        return match[0] if parameter is None else name_of(parameter)

    def given(match: re.Match[str]) -> str:
        parameter = known.get(match[1])
        if not isinstance(parameter, click.Option):
            return match[0]
        value = "" if parameter.is_flag else " " + next(filter(None, match.groups()[1:]))
        return name_of(parameter) + value.replace("'", "")

    return OPTION.sub(r"\1", QUOTED.sub(spelt, GIVEN.sub(given, message)))


def name_of(parameter: click.Parameter) -> str:
    """--collection-size of an option, RUNS of an argument."""
    if isinstance(parameter, click.Option):
        return max(parameter.opts, key=len)
    return parameter.human_readable_name


# Words that are other options here.
MEANT = {
    **dict.fromkeys(("--metrics", "--metric", "--measure"), "--measures"),
    **dict.fromkeys(("--confidence", "--level", "--ci", "--conf-level"), "--confidence-level"),
    **dict.fromkeys(("--out", "--outfile", "--output-file", "--save"), "--output"),
    **dict.fromkeys(("--size", "--collection", "--documents", "--n"), "--population"),
}
SAMPLE = r"[0-9][0-9,. ]*(/[0-9][0-9,. ]*){2}"


def options_of(arguments: Sequence[str], known: Sequence[str]) -> str:
    """How numbers are given that were typed without options; empty if they are not numbers."""

    def are_all(form: str) -> bool:
        return all(re.fullmatch(form, each) for each in arguments)

    if "--tp" in known and 3 <= len(arguments) <= 4 and are_all(r"[0-9][0-9,.]*"):
        names = ("--tp", "--fp", "--fn", "--tn")
        pairs = zip(names, arguments, strict=False)
        return "write " + " ".join(f"{name} {number}" for name, number in pairs)
    if "--unretrieved" in known and arguments and are_all(SAMPLE):
        first, *others = arguments
        strata = [f"--unretrieved {each}" for each in others or ["SIZE/SAMPLED/RELEVANT"]]
        return " ".join(["write --retrieved", first, *strata])
    return ""


def said_of(error: click.ClickException) -> str:
    """The fault that click found in the arguments, in one line and in the words of the other
    messages."""
    text = " ".join(error.format_message().split())
    parameter = getattr(error, "param", None)
    if isinstance(error, click.MissingParameter) and parameter is not None:
        return f"{name_of(parameter)} is missing; --help shows the usage"
    if isinstance(error, click.BadOptionUsage):
        needs = "needs a value" if "requires" in text else "takes no value"
        return f"{error.option_name} {needs}"
    extra = re.fullmatch(r"Got unexpected extra arguments? \((.*)\)", text)
    if extra:
        return f"unexpected argument{'s' if ' ' in extra[1] else ''} {extra[1]}"
    return text
