"""The layout of help: usage, text, arguments, options, examples; in colours on a terminal."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

import click

from irbounds.cli.terminal.colours import BOLD, CYAN, coloured
from irbounds.foundation.errors import InputError, suggest

WIDTH = 80  # of help, at most
NAMES = 30  # the widest column of options, so that 50 columns are left for the text
# Blanks and hyphens at which no line may end are others until lines are broken.
UNBROKEN = str.maketrans(" -", "\u00a0\u2011")
BROKEN = str.maketrans("\u00a0\u2011", " -")
Help = Sequence[tuple[str, str]]
WRITTEN = ("output", "junit", "plot", "append")  # parameters that name files that a command writes


class Formatter(click.HelpFormatter):
    """Headings and names in colours."""

    def write_heading(self, heading: str) -> None:
        """A heading without a colon."""
        self.write(f"{'':>{self.current_indent}}{coloured(heading, BOLD, sys.stdout)}\n")

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """`Usage:` and the command."""
        super().write_usage(prog, args, coloured("Usage:", BOLD, sys.stdout) + " ")

    def getvalue(self) -> str:
        """The text, its lines broken by now."""
        return super().getvalue().translate(BROKEN)


class Context(click.Context):
    """Help as wide as the terminal, up to `WIDTH`."""

    formatter_class = Formatter

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.max_content_width = WIDTH


def write_list(formatter: click.HelpFormatter, title: str, rows: Help, widest: int) -> None:
    """A titled list of names and what they are, in two columns."""
    if not rows:
        return
    shown = [
        (coloured(name.ljust(min(widest, NAMES)), CYAN, sys.stdout), _unbroken(about))
        for name, about in rows
    ]
    with formatter.section(title):
        formatter.write_dl(shown, col_max=NAMES)


def _unbroken(about: str) -> str:
    """The help of an option, in which no line ends within its default or a word with a hyphen."""
    about = re.sub(r"(?<=\w)-(?=\w)", "\u2011", about)
    start = about.rfind("[default: ") if about.endswith("]") else -1
    if start < 0:
        return about
    return about[:start] + about[start:].translate(UNBROKEN)


class Argument(click.Argument):
    """An argument that has help, as options have."""

    def __init__(self, *names: Any, help: str = "", **settings: Any) -> None:
        super().__init__(*names, **settings)
        self.about = help


class Helpful(click.Command):
    """A command whose help goes where its output goes, with a list of its arguments."""

    context_class = Context

    def __init__(self, *arguments: Any, examples: Sequence[str] = (), **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.help = inspect.cleandoc(self.help or "")
        self.examples = examples

    def get_help_option(self, ctx: click.Context) -> click.Option:
        """`-h` and `--help`."""

        def show(ctx: click.Context, _option: click.Parameter, is_given: bool) -> None:
            from irbounds.cli.terminal.screen import write_coloured

            if is_given and not ctx.resilient_parsing:
                write_coloured(ctx.get_help() + "\n")
                ctx.exit()

        return click.Option(
            ["-h", "--help"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=show,
            help="Show this message and exit.",
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The remaining arguments; an unknown option names the nearest."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            from irbounds.cli.terminal.wording import TREC_EVAL

            known = [name for option in self.get_params(ctx) for name in option.opts]
            hint = suggest(error.option_name, known)
            if self.name == "eval" and error.option_name in TREC_EVAL:
                hint = f" (as in trec_eval): {TREC_EVAL[error.option_name]}"
            raise click.UsageError(f"No such option {error.option_name!r}{hint}", ctx) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run it; errors name its options."""
        if any(ctx.params.get(name) is not None for name in WRITTEN):
            from irbounds.cli.terminal.overwriting import check_outputs

            check_outputs(ctx, WRITTEN)
        try:
            return super().invoke(ctx)
        except ValueError as error:
            from irbounds.cli.terminal.wording import with_options

            raise InputError(with_options(str(error))) from error

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Arguments, then options or commands."""
        arguments, options = [], []
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if isinstance(parameter, Argument):
                arguments.append((parameter.make_metavar(ctx), parameter.about))
            elif record is not None:
                options.append(record)
        widest = max(len(name) for name, _ in (*arguments, *options))
        write_list(formatter, "Arguments", arguments, widest)
        if isinstance(self, click.Group):
            self.format_commands(ctx, formatter)
        write_list(formatter, "Options", options, widest)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Examples, as one types them."""
        if self.examples:
            with formatter.section("Examples"):
                indent = f"{'':>{formatter.current_indent}}"
                for example in self.examples:
                    for line in broken(example, formatter.width - len(indent)):
                        formatter.write(f"{indent}{line}\n")


def broken(command: str, width: int) -> list[str]:
    """A command as a shell reads it; a wide one in several lines, cut before options."""
    if len(command) <= width:
        return [command]
    first, *options = re.split(" (?=-)", command)
    lines = [first]
    for option in options:
        if len(f"{lines[-1]} {option} \\") > width:
            lines[-1] += " \\"
            lines.append(f"    {option}")
        else:
            lines[-1] += f" {option}"
    return lines


def declare(name: str, *examples: str) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a function a command; its docstring is the help, what it returns the exit status."""
    return click.command(name, cls=Helpful, examples=examples)
