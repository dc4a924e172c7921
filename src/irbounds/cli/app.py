"""The table of commands, and the groups that find them in it."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

import click

from irbounds.cli.terminal.help import Helpful, write_list
from irbounds.foundation.errors import suggest

# Each command: the section of `irbounds --help` that lists it, and the module below irbounds.cli
# with the object `command`.  A module is imported when its command is used, or listed.
COMMANDS = {
    "eval": ("Rankings", "rankings.eval"),
    "compare": ("Rankings", "rankings.compare"),
    "gate": ("Rankings", "rankings.gate"),
    "overlap": ("Rankings", "rankings.overlap"),
    "plan-queries": ("Rankings", "rankings.plan_queries"),
    "assist": ("Rankings", "judges.assist"),
    "allocate-labels": ("Rankings", "judges.allocate_labels"),
    "next": ("Rankings", "rankings.next"),
    "measures": ("Rankings", "rankings.measures"),
    "trec-eval": ("Rankings", "rankings.trec_eval"),
    "demo": ("Rankings", "rankings.demo"),
    "counts": ("Classifiers", "classifiers.counts"),
    "recall": ("Reviews", "reviews.recall"),
    "proportion": ("Reviews", "reviews.proportion"),
    "monitor": ("Reviews", "reviews.monitor"),
    "plan": ("Reviews", "reviews.plan"),
    "plan-proportion": ("Reviews", "reviews.plan_proportion"),
    "coverage": ("Reviews", "reviews.coverage"),
    "stop": ("Reviews", "reviews.stop"),
    "certify": ("Reviews", "reviews.certify"),
    "extrapolate": ("Reviews", "reviews.extrapolate"),
    "report runs": ("Reports", "reports.report_runs"),
    "report recall": ("Reports", "reports.report_recall"),
    "report review": ("Reports", "reports.report_review"),
    "report history": ("Reports", "reports.report_history"),
    "report assist": ("Reports", "reports.report_assist"),
}
GROUPS = {
    "": "Evaluate search engines, classifiers and document reviews, with bounds.",
    "report": "Write reports, each one self-contained HTML file.",
}


def find_command(name: str) -> click.Command:
    """The command of this name, with the words of its group."""
    _section, module = COMMANDS[name]
    command: click.Command = importlib.import_module(f"irbounds.cli.{module}").command
    return command


class Group(Helpful, click.Group):
    """The commands that begin with the same words, in the order of the table."""

    def __init__(self, words: str = "", options: Sequence[click.Parameter] = ()) -> None:
        name = words.rpartition(" ")[2] or "irbounds"
        super().__init__(name, help=GROUPS[words], sections={"Options": options})
        self.words = words

    def names(self) -> list[str]:
        """The commands of this group, with its words."""
        start = f"{self.words} " if self.words else ""
        return [name for name in COMMANDS if name.startswith(start)]

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The word that follows those of this group."""
        place = len(self.words.split())
        return list(dict.fromkeys(name.split()[place] for name in self.names()))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command or a group of commands, imported now."""
        name = f"{self.words} {cmd_name}".strip()
        if name in COMMANDS:
            return find_command(name)
        return Group(name) if name in GROUPS and name else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the arguments begin with."""
        name = args[0]
        command = self.get_command(ctx, name)
        if command is None:
            if name.startswith("-"):  # after `--`
                ctx.fail(f"No such option {name!r}")
            known = self.list_commands(ctx)
            hint = suggest(name, known)
            if self.words and not hint:
                hint = f": write one of {', '.join(known)} before it"
            ctx.fail(f"No such command {name!r}{hint}")
        return name, command, args[1:]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Nothing at all asks for help."""
        is_completion = ctx.resilient_parsing
        return super().parse_args(ctx, args if args or is_completion else ["--help"])

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """A list for each section."""
        place = len(self.words.split())
        sections: dict[str, list[tuple[str, str]]] = {}
        for name in self.names():
            title = "Commands" if self.words else COMMANDS[name][0]
            shown = " ".join(name.split()[place:])
            about = (find_command(name).help or "").partition("\n\n")[0].replace("\n", " ")
            sections.setdefault(title, []).append((shown, about))
        widest = max(len(shown) for rows in sections.values() for shown, _ in rows)
        for title, rows in sections.items():
            write_list(formatter, title, rows, widest)


def _show_version(ctx: click.Context, _option: click.Parameter, is_given: bool) -> None:
    from irbounds._version import __version__
    from irbounds.cli.terminal.screen import write

    if is_given and not ctx.resilient_parsing:
        write(f"irbounds {__version__}\n")
        ctx.exit()


VERSION = click.Option(
    ["--version"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Print the version.",
)
app = Group(options=[VERSION])
