"""Commands and the layout of their help: usage, text, sections of options, examples."""

from __future__ import annotations

import contextlib
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from irbounds.cli.terminal.screen import BOLD, CYAN, coloured
from irbounds.foundation.errors import InputError, suggest

if TYPE_CHECKING:
    from irbounds.cli.terminal.render import Report

WIDTH = 80  # of help, at most
NAMES = 30  # the widest column of options, so that 50 columns are left for the text
# Blanks and hyphens at which no line may end are others until lines are broken.
UNBROKEN = str.maketrans(" -", "\u00a0\u2011")
BROKEN = str.maketrans("\u00a0\u2011", " -")
Help = Sequence[tuple[str, str]]
# parameters that name files that a command writes
WRITTEN = ("output", "junit", "plot", "append", "template")
ARGUMENTS = "irbounds.arguments"  # in the `meta` of contexts: what was typed behind a command


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


@contextlib.contextmanager
def words_of_options() -> Iterator[None]:
    """Errors that name the options of the running command where functions name arguments."""
    try:
        yield
    except ValueError as error:
        from irbounds.cli.terminal.wording import with_options

        raise InputError(with_options(str(error))) from error


class Argument(click.Argument):
    """An argument that has help, as options have."""

    def __init__(self, name: str, *, help: str, **settings: Any) -> None:
        super().__init__([name], **settings)
        self.about = help


class Helpful(click.Command):
    """A command whose help goes where its output goes; sections: its parameters by title."""

    context_class = Context

    def __init__(
        self,
        name: str,
        *,
        sections: Mapping[str, Sequence[click.Parameter]],
        examples: Sequence[str] = (),
        **settings: Any,
    ) -> None:
        params = [parameter for section in sections.values() for parameter in section]
        super().__init__(name, params=params, **settings)
        self.help = inspect.cleandoc(self.help or "")
        self.sections = sections
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
        given = list(args)
        ctx.meta[ARGUMENTS] = given
        try:
            if not ctx.resilient_parsing:
                _refuse_twice(self.make_parser(ctx).parse_args(given.copy())[2])
            with words_of_options():
                return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            from irbounds.cli.terminal.wording import MEANT, TREC_EVAL

            known = [name for option in self.get_params(ctx) for name in option.opts]
            meant = MEANT.get(error.option_name)
            hint = suggest(meant if meant in known else error.option_name, known)
            if self.name == "eval" and error.option_name in TREC_EVAL:
                hint = f" (as in trec_eval): {TREC_EVAL[error.option_name]}"
            raise click.UsageError(f"No such option {error.option_name!r}{hint}", ctx) from None
        except click.UsageError as error:
            from irbounds.cli.terminal.wording import options_of, said_of

            known = [name for option in self.get_params(ctx) for name in option.opts]
            hint = options_of(given, known)
            if not hint:
                raise
            raise click.UsageError(f"{said_of(error)}: {hint}", ctx) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run it; errors name its options."""
        if any(ctx.params.get(name) is not None for name in (*WRITTEN, "to_judge")):
            from irbounds.cli.terminal.overwriting import check_ending, check_outputs

            check_outputs(ctx, WRITTEN)
            with words_of_options():
                check_ending(ctx)
        with words_of_options():
            return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """A list for each section, those of commands before the options of a group."""
        lists = {
            title: [_row(parameter, ctx) for parameter in section]
            for title, section in self.sections.items()
        }
        help_option = self.get_help_option(ctx)
        lists[list(lists)[-1]].append(_row(help_option, ctx))
        widest = max(len(name) for rows in lists.values() for name, _ in rows)
        if isinstance(self, click.Group):
            self.format_commands(ctx, formatter)
        for title, rows in lists.items():
            write_list(formatter, title, rows, widest)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Examples, as one types them."""
        if self.examples:
            with formatter.section("Examples"):
                indent = f"{'':>{formatter.current_indent}}"
                for example in self.examples:
                    for line in broken(example, formatter.width - len(indent)):
                        formatter.write(f"{indent}{line}\n")


def _refuse_twice(found: Sequence[click.Parameter]) -> None:
    """Refuse an option with one value that was given twice: one of them would be lost."""
    for option in found:
        is_single = isinstance(option, click.Option) and not (option.multiple or option.is_flag)
        if is_single and found.count(option) > 1:
            from irbounds.cli.terminal.wording import name_of

            raise InputError(f"{name_of(option)} must be given once; found it twice or more")


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


def _written(found: Any, given: Mapping[str, Any]) -> Any:
    """The exit status of a command, once what it found is written."""
    if found is None or isinstance(found, int):
        return found
    if isinstance(found, str):
        from irbounds.cli.terminal.screen import write_page

        return write_page(found, given["output"])
    from irbounds.cli.terminal.render import is_book, write

    if is_book(given["format"], given["output"], given.get("date")):
        _write_book(found, given["output"], given.get("date"))
    else:
        write(found, given["format"], given["output"])
    return found.status


def _write_book(found: Report, output: str, date: str | None) -> None:
    """A workbook, with the command that was typed and the files that it read."""
    import shlex

    from irbounds.cli.terminal.overwriting import input_files
    from irbounds.cli.terminal.workbook import of_report
    from irbounds.foundation.atomic import write_file

    context = click.get_current_context()
    typed = shlex.join([*context.command_path.split(), *context.meta[ARGUMENTS]])
    book = of_report(found, typed, input_files(context, WRITTEN), date)
    write_file(book, output, "--output")


def _row(parameter: click.Parameter, ctx: click.Context) -> tuple[str, str]:
    """A parameter in a list."""
    if isinstance(parameter, Argument):
        return parameter.make_metavar(ctx), parameter.about
    return parameter.get_help_record(ctx) or ("", "")


def declare(
    name: str, sections: Mapping[str, Sequence[click.Parameter]], *examples: str
) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a function a command.

    Its docstring is the help, which lists the parameters under the titles of their sections.  What
    it returns is written to `--output`: a report in its `--format`, a workbook with its `--date`,
    or a page.  A function that
    writes itself has the parameters `format` and `output`, and returns the exit status.
    """

    def command(function: Callable[..., Any]) -> click.Command:
        asked = inspect.signature(function).parameters

        def run(**given: Any) -> Any:
            written = {"format", "output", *(["date"] if "format" in given else [])}
            left_out = written - set(asked)
            own = {name: value for name, value in given.items() if name not in left_out}
            return _written(function(**own), given)

        return Helpful(
            name, sections=sections, examples=examples, callback=run, help=function.__doc__
        )

    return command
