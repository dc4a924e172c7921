"""Messages of functions in the words of the command line: `collection_size` is --collection-size
there."""

from __future__ import annotations

import re

import click

QUOTED = re.compile(r"(?<!\d: )`(\w+)`")  # after the line of a file it is a column
OPTION = re.compile(r"`(--[a-z][\w-]*)`")  # options have no quotes
# A word by itself, so that paths and parameters of measures stay.
GIVEN = re.compile(
    r"(?<!\S)(\w+)=(?:('[\w.-]+'(?:(?:, | or )'[\w.-]+')*)|\"([\w.-]+)\"|([\w.+-]*\w))"
)
TREC_EVAL = {  # its options that are others here
    "-c": "missing queries count 0 anyhow",
    "-l": 'write the level as in -m "AP(rel=2)"',
    "-n": "leave out --per-query for the summary alone",
    "-J": "write --judged-only",
    "-M": 'write a cut-off, as in -m "AP@100"',
    "-N": "write --collection-size",
}


def with_options(message: str) -> str:
    """The message, with each argument that the running command takes as an option of it."""
    context = click.get_current_context(silent=True)
    if context is None:
        return message
    known = {parameter.name: parameter for parameter in context.command.params}

    def spelt(match: re.Match[str]) -> str:
        parameter = known.get("seed" if match[1] == "rng" else match[1])
        return match[0] if parameter is None else _name(parameter)

    def given(match: re.Match[str]) -> str:
        parameter = known.get(match[1])
        if not isinstance(parameter, click.Option):
            return match[0]
        value = "" if parameter.is_flag else " " + next(filter(None, match.groups()[1:]))
        return _name(parameter) + value.replace("'", "")

    return OPTION.sub(r"\1", QUOTED.sub(spelt, GIVEN.sub(given, message)))


def _name(parameter: click.Parameter) -> str:
    """--collection-size of an option, RUNS of an argument."""
    if isinstance(parameter, click.Option):
        return max(parameter.opts, key=len)
    return parameter.human_readable_name
