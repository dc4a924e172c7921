"""Options and arguments of the commands, each declared once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from irbounds.cli.terminal.help import Argument
from irbounds.cli.terminal.render import (
    FORMATS,
    RANKING_FORMATS,
    check_format,
    check_known,
    format_of_ending,
)
from irbounds.foundation.errors import InputError, check_choice, shown

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Decorator = Callable[[Any], Any]
DEFAULT_MEASURES = "AP nDCG@10 P@10 RR"


class File(click.ParamType):  # type: ignore[type-arg]  # which click takes from 8.5 on
    """A file's name, which shells complete."""

    name = "file"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Leave it to the shell."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="file")]


class Words(click.ParamType):  # type: ignore[type-arg]
    """One of a few words, which shells complete.  The library checks it."""

    name = "word"

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The words that begin so."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(word) for word in self.words if word.startswith(incomplete)]


def argument(*names: str, help: str, **settings: Any) -> Decorator:
    """An argument; `-` and files are for the command to read."""
    return click.argument(*names, cls=Argument, help=help, type=File(), **settings)


def option(*names: str, help: str, **settings: Any) -> Decorator:
    """An option; help shows its default, if it has one."""
    names_of_types: dict[Any, str] = {int: "N", float: "NUMBER"}
    settings.setdefault("metavar", names_of_types.get(settings.get("type")))
    says_something = settings.get("default") not in (None, (), "")
    return click.option(*names, help=help, show_default=says_something, **settings)


def flag(*names: str, help: str) -> Decorator:
    """An option without a value."""
    return click.option(*names, help=help, is_flag=True)


def one_of(
    name: str,
    words: Sequence[str],
    *,
    help: str,
    notes: Mapping[str, str] | None = None,
    aliases: Sequence[str] = (),
    **settings: Any,
) -> Decorator:
    """An option whose value is one of these words; its help ends with them, and with notes on some
    of them."""
    about = notes or {}
    *first, last = (f"{word} ({about[word]})" if word in about else word for word in words)
    said = f"{help}: {', '.join(first)} or {last}."
    return option(name, *aliases, help=said, type=Words(words), **settings)


def refuse_unused(what: str, *names: str) -> None:
    """Refuse options that the others leave unused, if they are not at their defaults; `what` says
    what they are for."""
    context = click.get_current_context()
    for option in context.command.params:
        if option.name in names and context.params[option.name] != option.default:
            raise InputError(f"{option.opts[0]} is for {what}")


# Input

qrels = argument(
    "qrels",
    help="Judgments: TREC, CSV, TSV, JSON, Parquet or Arrow, also compressed; - is standard input.",
)
runs = argument("runs", nargs=-1, required=True, help="Run files, in the same formats.")
runs_alone = argument(
    "runs",
    nargs=-1,
    required=False,
    help="Run files: TREC, CSV, TSV, JSON, Parquet or Arrow; without any the measure is SetP, of "
    "all pairs.",
)

columns = option(
    "--columns",
    metavar="NAME=COLUMN,...",
    callback=lambda _context, _option, text: as_columns(text),
    help="Names of columns in tables, such as query_id=q,doc_id=d,score=s,relevance=grade.",
)
run_name = option("--name", help="Name of a run from standard input, which is `-` by default.")


def as_columns(text: str | None) -> dict[str, str] | None:
    """The names of columns that the option says."""
    if text is None:
        return None
    pairs = [pair.partition("=") for pair in text.split(",")]
    if not all(name and column for name, _, column in pairs):
        raise InputError(
            "--columns must be NAME=COLUMN,..., for example query_id=q,score=s; "
            f"found {shown(text)}"
        )
    found = {name.strip(): column.strip() for name, _, column in pairs}
    if len(found) < len(pairs):
        raise InputError(f"--columns must have each name once; found {shown(text)}")
    return found


def table(help: str) -> Decorator:
    """A CSV file, which may be left out."""
    return argument("table", required=False, help=f"{help}; - is standard input.")


strata = table("CSV file of strata with columns segment, size, sampled, relevant")
retrieved = option(
    "--retrieved",
    multiple=True,
    metavar="SAMPLE",
    help="SIZE/SAMPLED/RELEVANT of the retrieved documents; once for each stratum.",
)
unretrieved = option(
    "--unretrieved",
    multiple=True,
    metavar="SAMPLE",
    help="SIZE/SAMPLED/RELEVANT of the unretrieved documents; once for each stratum.",
)


coded = option(
    "--coded",
    type=File(),
    help="In place of samples: CSV file with columns segment, call, size, audited, relevant. "
    "Reviewers or a model coded all documents; a random sample of each class of calls was audited.",
)


def population(help: str, type: Any = int) -> Decorator:
    """The size of a collection."""
    return option("--population", type=type, help=help)


# Evaluation


def measures_as(default: str | None, help: str) -> Decorator:
    """Names of measures."""
    given = () if default is None else (default,)
    return option("--measures", "-m", multiple=True, default=given, metavar="NAMES", help=help)


measures = measures_as(DEFAULT_MEASURES, 'Measures, such as "AP PRR(recall=0.5)".')
one_measure = measures_as("P@10", 'One measure, such as "P(rel=2)@10".')
judged_measure = measures_as(
    None, 'One measure, such as "P(rel=2)@10"; if not given, P@10, or without RUN SetP.'
)


def ties_of(*rules: str) -> Decorator:
    """The rule for tied scores."""
    return one_of("--ties", rules, default="expected", help="Rule for tied scores")


ties = ties_of("expected", "best", "worst", "doc_id", "given")
judge_ties = ties_of("expected", "doc_id", "given")  # whose weights of documents are linear
bounds = flag("--bounds", help="Add the least and the greatest value over orders of tied scores.")


def missing_as(words: Sequence[str]) -> Decorator:
    """Handling of judged queries that a run lacks."""
    return one_of(
        "--missing",
        words,
        default="zero",
        help="Judged queries without results in a run",
        notes={"zero": "count as 0", "skip": "leave out"},
    )


missing = missing_as(("zero", "skip", "error"))
judged_only = flag("--judged-only", help="Drop unjudged documents first.")


def unjudged_as(words: str) -> Decorator:
    """Treatment of unjudged documents."""
    said = f"Unjudged documents: {words}."
    return option("--unjudged", default="nonrelevant", metavar="HOW", help=said)


unjudged = unjudged_as(
    "nonrelevant, bounds (add the range over all labels), condensed (drop them), a probability of "
    "relevance, or a file of probabilities"
)
nonrelevant_or_bounds = unjudged_as("nonrelevant or bounds (add the range over all labels)")


def max_grade(help: str) -> Decorator:
    """The end of a scale."""
    return option("--max-grade", type=float, help=help)


def labels_as(start: str) -> Decorator:
    """Labels that unjudged documents may have, by two options."""
    hidden = option(
        "--unjudged-hidden",
        metavar="N",
        help=f"{start}: how many documents outside run and qrels may be relevant; "
        '"collection" allows all, with --collection-size.',
    )
    highest = max_grade(
        f"{start}: the highest possible grade of an unjudged document; by default that of the "
        "qrels."
    )
    return lambda command: hidden(highest(command))


labels_of_unjudged = labels_as("With --unjudged bounds")
collection_size = option(
    "--collection-size",
    type=int,
    help="Number of documents in the collection. Fallout and HT need it. With it, ESL, PRR, EP and "
    "PRECALL assume that relevant documents outside the run follow it in random order.",
)

score_precision = one_of(
    "--score-precision",
    ("float64", "float32"),
    default="float64",
    help="Round scores before ties are found",
)
score_tolerance = option(
    "--score-tolerance",
    type=float,
    default=0.0,
    help="Greatest relative difference of tied scores.",
)

# Tests of differences


def baseline(help: str = "Compare the others with this run only.") -> Decorator:
    """The run that others are compared with."""
    return option("--baseline", type=File(), help=help)


def test_of(words: Sequence[str], default: str) -> Decorator:
    """The paired test."""
    return one_of("--test", words, default=default, help="Test of differences")


test = test_of(("permutation", "t", "wilcoxon", "sign", "bootstrap"), "permutation")
test_without_draws = test_of(("t", "wilcoxon", "sign"), "t")


def correction(
    words: Sequence[str], help: str, name: str = "--correction", default: str = "holm"
) -> Decorator:
    """Correction for several comparisons: one of these words, or none."""
    known = (*words, "none")

    def chosen(_context: click.Context, _option: click.Parameter, word: str) -> str | None:
        return None if check_choice(name, word, known) == "none" else word

    return option(name, default=default, type=Words(known), callback=chosen, help=help)


family = option(
    "--family",
    type=Words(("all", "measure")),
    help="Differences that are corrected together: all (default), or measure (for each measure "
    "separately).",
)

alpha = option("--alpha", type=float, default=0.05, help="Significance level of the test.")

# Intervals

confidence_level = option(
    "--confidence-level", type=float, default=0.95, help="Confidence level of the intervals."
)
SIDES = ("two-sided", "lower", "upper")
side = one_of("--side", SIDES, default="two-sided", help="Kind of interval")
engine = one_of(
    "--engine", ("exact", "monte-carlo"), default="exact", help="How posteriors are computed"
)
DRAWS = 40_000
draws = option("--draws", type=int, default=DRAWS, help="Draws of the Monte Carlo engine.")


def seed(help: str, default: int | None = None) -> Decorator:
    """The seed of what is random."""
    return option("--seed", type=int, default=default, help=help)


def method(help: str, default: str | None = None) -> Decorator:
    """The method of intervals."""
    return option("--method", default=default, help=help)


# Output


def formats(words: Sequence[str], has_file: bool = True) -> Decorator:
    """The format of what is written; `has_file`: to --output, whose ending can say it."""
    endings = ", ".join(format_of_ending(words))
    return one_of(
        "--format",
        words,
        default="table",
        help=f"Output format; if not given, that of the ending of the report's file ({endings})"
        if has_file
        else "Format of what is printed",
        aliases=("-f",),
        callback=lambda context, _option, word: check_known(
            _by_ending(context, word, words) if has_file else word, words
        ),
    )


def _by_ending(context: click.Context, word: str, words: Sequence[str]) -> str:
    """The format: the one that was asked for, or that of the name of the report's file."""
    is_asked = context.get_parameter_source("format") is not click.core.ParameterSource.DEFAULT
    if is_asked:
        return word
    # options that were given come before those at their defaults
    name = str(context.params.get("output") or "").lower()
    found = (own for ending, own in format_of_ending(words).items() if name.endswith(ending))
    return next(found, word)


def check_json(format: str) -> None:
    """Refuse another format beside --json; the ending of a file does not ask for one."""
    context = click.get_current_context()
    if context.get_parameter_source("format") is not click.core.ParameterSource.DEFAULT:
        check_format("--json", format, ("table", "json"))


format = formats(FORMATS)
format_of_screen = formats(FORMATS, has_file=False)
ranking_format = formats(RANKING_FORMATS)


def output_of(help: str) -> Decorator:
    """The file to write."""
    return option("--output", "-o", type=File(), help=help)


output = output_of("Write to this file instead of the screen.")


def subject(help: str) -> Decorator:
    """The subject of a page."""
    return option("--subject", default="", help=help)


title = option("--title", help="Title of the page.")
date = option("--date", help="Date on the page, such as 2026-01-31; today by default.")
