"""Options and arguments of the commands, each declared once; `declare` groups them in sections.

This is longer than 400 lines, as it is one table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from irbounds.cli.input.numbers import NUMBER, WHOLE, Typed, number_of
from irbounds.cli.terminal.help import Argument
from irbounds.cli.terminal.render import (
    BOOK_FORMATS,
    FORMATS,
    RANKING_FORMATS,
    check_format,
    format_of_ending,
)
from irbounds.cli.terminal.screen import complain
from irbounds.cli.terminal.wording import name_of
from irbounds.foundation.errors import InputError, check_choice, fail, shown

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

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
    """One of a few words, which shells complete."""

    name = "word"

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """Refuse other words, with the nearest one."""
        return check_choice(name_of(param) if param else "the value", value, self.words)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """The words, as click shows those of its own choices."""
        return f"[{'|'.join(self.words)}]"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The words that begin so."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(word) for word in self.words if word.startswith(incomplete)]


# Names are in one text, as "--output -o".


def argument(name: str, help: str, **settings: Any) -> click.Parameter:
    """An argument; `-` and files are for the command to read."""
    return Argument(name, help=help, **{"type": File(), **settings})


def option(names: str, help: str, **settings: Any) -> click.Parameter:
    """An option; help shows its default, if it has one."""
    if isinstance(settings.get("type"), Typed):
        settings.setdefault("metavar", "N" if settings["type"] is WHOLE else "NUMBER")
    says_something = settings.get("default") not in (None, (), "")
    return click.Option(names.split(), help=help, show_default=says_something, **settings)


def file(names: str, help: str, **settings: Any) -> click.Parameter:
    """An option whose value is the name of a file."""
    return option(names, help, type=File(), **settings)


def plot(what: str) -> click.Parameter:
    """`--plot`."""
    return file("--plot", f"Draw {what} to this file (.png, .svg, .pdf).")


def number(names: str, help: str, default: float | None = None, **settings: Any) -> click.Parameter:
    """An option whose value is a number."""
    return option(names, help, **{"type": NUMBER, "default": default, **settings})


def count(names: str, help: str, default: int | None = None) -> click.Parameter:
    """An option whose value is a whole number."""
    return option(names, help, type=WHOLE, default=default)


def without_effect(name: str, help: str) -> click.Parameter:
    """An option of another program that asks for what is done in any case."""
    return click.Option([name], help=help, is_flag=True, expose_value=False, hidden=True)


def flag(names: str, help: str) -> click.Parameter:
    """An option without a value."""
    return click.Option(names.split(), help=help, is_flag=True)


def one_of(
    names: str,
    words: Sequence[str],
    help: str,
    *,
    notes: Mapping[str, str] | None = None,
    **settings: Any,
) -> click.Parameter:
    """An option whose value is one of these words; its help ends with notes on some of them."""
    noted = ", ".join(f"{word} ({note})" for word, note in (notes or {}).items())
    said = f"{help}: {noted}." if noted else f"{help}."
    return option(names, said, type=Words(words), **settings)


def refuse_unused(what: str, *names: str) -> None:
    """Refuse options that the others leave unused, if they are not at their defaults; `what` says
    what they are for."""
    context = click.get_current_context()
    for option in context.command.params:
        if option.name not in names or context.params[option.name] == option.default:
            continue
        if context.get_parameter_source(option.name) is not click.core.ParameterSource.DEFAULT:
            raise InputError(f"{option.opts[0]} is for {what}")


def read_as(read: Callable[[Any], Any]) -> dict[str, Any]:
    """The setting that has an option's value read by a function."""
    return {"callback": lambda _context, _option, given: read(given)}


def as_columns(text: str | None) -> dict[str, str] | None:
    """The names of columns that --columns says."""
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


def as_date(text: str | None) -> str | None:
    """A date in ISO 8601."""
    if text is None:
        return None
    from irbounds.foundation.arguments import check_date

    return check_date(text)


def as_hidden(text: str | None) -> int | str | None:
    """The number that --unjudged-hidden says, or "collection"."""
    if text is None or text == "collection":
        return text
    if not re.fullmatch(r"-?[0-9]{1,18}", text.strip()):
        fail("unjudged_hidden", "must be a number of documents or 'collection'", text)
    return int(text)


def as_treatment(text: str) -> str | float:
    """The word of --unjudged, a probability, or the name of a file of probabilities."""
    try:
        return number_of(text)
    except ValueError:
        return text


# Input

QRELS = "Judgments: TREC, CSV, TSV, JSON, Parquet or Arrow, also compressed; - is standard input."
RUNS = "Run files, in the same formats."
qrels = argument("qrels", QRELS)
runs = argument("runs", RUNS, nargs=-1, required=True)
# where --scores may take their place
qrels_or_scores = argument("qrels", QRELS, required=False)
runs_or_scores = argument("runs", RUNS, nargs=-1)


def columns_such_as(example: str) -> click.Parameter:
    """Names of columns in tables."""
    return option(
        "--columns",
        f"Names of columns in tables, such as {example}.",
        metavar="NAME=COLUMN,...",
        **read_as(as_columns),
    )


columns = columns_such_as("query_id=q,doc_id=d,score=s,relevance=grade")
table_columns = columns_such_as("size=Population,sampled=Reviewed")
groups = file(
    "--groups",
    "File of two columns, query and group (CSV, TSV or spaces). Queries of a group, such as those "
    "made from one document, are not independent: groups are the sampling units.",
)
run_name = option("--name", "Name to print for a run read from standard input.")


def table(help: str) -> click.Parameter:
    """A CSV file, which may be left out."""
    return argument("table", f"{help}; - is standard input.", required=False)


def segment(name: str) -> click.Parameter:
    """The strata of a segment."""
    return option(
        f"--{name}",
        f"Sample of the {name} documents; once for each stratum.",
        multiple=True,
        metavar="SIZE/SAMPLED/RELEVANT",
    )


SEGMENTS = (segment("retrieved"), segment("unretrieved"))
coded = file(
    "--coded",
    "In place of samples: table (CSV or Excel) with columns segment, call, size, audited, "
    "relevant. Reviewers or a model coded all documents; a random sample of each class of calls "
    "was audited.",
)


def sample(others: str = "") -> click.Parameter:
    """One sample of the whole collection; `others` are forms of it beside those of the memo."""
    return option(
        "--sample",
        "In place of a sample of each segment, one of the whole collection: the documents of both "
        "segments, and the sample's true and false positives, false and true negatives; "
        "RETRIEVED/UNRETRIEVED with a TABLE that has a row for each sampled document, columns "
        f"retrieved and relevant (yes or no), and perhaps document{others}.",
        metavar="RETRIEVED/UNRETRIEVED/TP/FP/FN/TN",
    )


def cluster(help: str) -> click.Parameter:
    """The column of what was drawn whole."""
    return option(
        "--cluster",
        f"Column of the family, thread or group of duplicates of a document. {help}",
        metavar="COLUMN",
    )


of_families = cluster(
    "The table then has a row for each document of the clusters that were drawn whole, with "
    "columns retrieved and relevant. Give --sample RETRIEVED/UNRETRIEVED for one sample of the "
    "collection, or --retrieved SIZE and --unretrieved SIZE for one of each segment.",
)
STRATA = (
    table("Table of strata with columns segment, size, sampled, relevant, as CSV or Excel"),
    *SEGMENTS,
    coded,
    table_columns,
)


def population(help: str, type: Typed = WHOLE, **settings: Any) -> click.Parameter:
    """The size of a collection."""
    return option("--population", help, type=type, **settings)


# Measures


def measures_as(default: str | None, help: str) -> click.Parameter:
    """Names of measures, as one text; None if there are none."""
    return option(
        "--measures -m",
        help,
        multiple=True,
        default=() if default is None else (default,),
        metavar="MEASURES",
        **read_as(lambda texts: " ".join(texts) if texts else None),
    )


measures = measures_as(DEFAULT_MEASURES, 'Measures, such as "AP PRR(recall=0.5)".')
one_measure = measures_as("P@10", 'One measure, such as "P(rel=2)@10".')


def ties_of(*rules: str) -> click.Parameter:
    """The rule for tied scores."""
    return one_of("--ties", rules, "Rule for tied scores", default="expected")


ties = ties_of("expected", "best", "worst", "doc_id", "given")


def missing_as(*words: str) -> click.Parameter:
    """Handling of judged queries that a run lacks."""
    notes = {"zero": "count as 0", "skip": "leave out"}
    return one_of(
        "--missing",
        words,
        "Judged queries without results in a run",
        default="zero",
        notes={word: notes[word] for word in words if word in notes},
    )


no_relevant = one_of(
    "--no-relevant",
    ("zero", "skip", "error"),
    "Queries without a relevant document",
    default="zero",
    notes={"zero": "count as 0", "skip": "leave out"},
)
drop_self = flag("--drop-self", "Drop documents whose id is that of the query.")
duplicates = one_of(
    "--duplicates",
    ("error", "best", "first"),
    "Documents that occur twice in a query of a run, such as by their chunks",
    default="error",
    notes={"best": "keep its best row", "first": "keep its first row"},
)
per_query = flag("--per-query -q", "Add a row for each query.")
judged_only = flag("--judged-only -J", "Drop unjudged documents first.")
collection_size = count(
    "--collection-size -N",
    "Number of documents in the collection. Fallout and HT need it. With it, ESL, PRR, EP and "
    "PRECALL assume that relevant documents outside the run follow it in random order.",
)
SCORES = (
    one_of(
        "--score-precision",
        ("float64", "float32"),
        "Round scores before ties are found",
        default="float64",
    ),
    number("--score-tolerance", "Treat scores as tied if they differ by at most this share.", 0.0),
)


def evaluating(*missing: str) -> tuple[click.Parameter, ...]:
    """Measures, and how they are evaluated."""
    handled = missing_as(*missing), no_relevant, drop_self, duplicates
    return (measures, ties, *handled, judged_only, collection_size, *SCORES)


EVALUATING = evaluating("zero", "skip", "error")

# Unjudged documents


def unjudged_as(metavar: str, words: str) -> click.Parameter:
    """Treatment of unjudged documents."""
    return option(
        "--unjudged", f"Unjudged documents: {words}.", default="nonrelevant", metavar=f"[{metavar}]"
    )


def labels_as(start: str) -> tuple[click.Parameter, ...]:
    """Labels that unjudged documents may have."""
    return (
        option(
            "--unjudged-hidden",
            f"{start}: how many documents outside run and qrels may be relevant; "
            '"collection" allows all, with --collection-size.',
            metavar="N",
            **read_as(as_hidden),
        ),
        number(
            "--max-grade",
            f"{start}: the highest possible grade of an unjudged document; by default that "
            "of the qrels.",
        ),
    )


LABELS = labels_as("With --unjudged bounds")
UNJUDGED = (
    unjudged_as(
        "nonrelevant|bounds|condensed|P|FILE",
        "nonrelevant, bounds (add the range over all labels), condensed (drop them), a probability "
        "of relevance, or a file of probabilities",
    ),
    *LABELS,
)
UNJUDGED_BOUNDS = (
    unjudged_as("nonrelevant|bounds", "nonrelevant or bounds (add the range over all labels)"),
    *LABELS,
)

# Tests of differences


def baseline(help: str = "Compare the others with this run only.") -> click.Parameter:
    """The run that others are compared with."""
    return file("--baseline", help)


def test_of(words: Sequence[str], default: str) -> click.Parameter:
    """The paired test."""
    return one_of("--test", words, "Test of differences", default=default)


test = test_of(("permutation", "t", "wilcoxon", "sign", "bootstrap"), "permutation")


def correction(
    words: Sequence[str], help: str, name: str = "--correction", default: str = "holm"
) -> click.Parameter:
    """Correction for several comparisons: one of these words, or none."""
    read = read_as(lambda word: None if word == "none" else word)
    return one_of(name, (*words, "none"), help, default=default, **read)


family = one_of(
    "--family",
    ("all", "measure"),
    "Differences that are corrected together",
    notes={"all": "default", "measure": "for each measure separately"},
)
alpha = number("--alpha", "Significance level of the test.", 0.05)

# Intervals


def tell_of_low(level: float) -> float:
    """Say that a level below one half is not what is usually meant: alpha is its rest."""
    if 0 < level < 0.5:
        complain(
            [
                f"--confidence-level {level:g} claims little: intervals are wrong more often than "
                f"not; for 1 - alpha write {1 - level:g}"
            ]
        )
    return level


confidence_level = number(
    "--confidence-level", "Confidence level of the intervals.", 0.95, **read_as(tell_of_low)
)
SIDES = ("two-sided", "lower", "upper")
side = one_of("--side", SIDES, "Kind of interval", default="two-sided")
DRAWS = 40_000


def seed(help: str, default: int | None = None, name: str = "rng") -> click.Parameter:
    """The seed of what is random, by the name of the function's argument."""
    return count(f"--seed {name}", help, default)


def method(help: str, default: str | None = None) -> click.Parameter:
    """The method of intervals."""
    return option("--method", help, default=default, metavar="METHOD")


def drawing(seed_of: str) -> tuple[click.Parameter, ...]:
    """How posteriors are computed, and the seed of what is drawn."""
    return (
        one_of(
            "--engine", ("exact", "monte-carlo"), "How posteriors are computed", default="exact"
        ),
        count("--draws", "Draws of the Monte Carlo engine.", default=DRAWS),
        seed(seed_of),
    )


# Output


def formats(words: Sequence[str], has_file: bool = True) -> click.Parameter:
    """The format of what is written; `has_file`: to --output, whose ending can say it."""
    endings = ", ".join(format_of_ending(words))

    def chosen(context: click.Context, _option: click.Parameter, word: str) -> str:
        return _by_ending(context, word, words) if has_file else word

    return one_of(
        "--format -f",
        words,
        f"Output format; by default chosen by the extension of --output ({endings})"
        if has_file
        else "Format of what is printed",
        default="table",
        callback=chosen,
    )


def _by_ending(context: click.Context, word: str, words: Sequence[str]) -> str:
    """The format: the one that was asked for, or that of the name of the report's file."""
    if is_asked("format"):
        return word
    # options that were given come before those at their defaults
    name = str(context.params.get("output") or "").lower()
    found = (own for ending, own in format_of_ending(words).items() if name.endswith(ending))
    return next(found, word)


def is_asked(name: str) -> bool:
    """Whether the user gave an option."""
    source = click.get_current_context().get_parameter_source(name)
    return source is not click.core.ParameterSource.DEFAULT


def check_json(format: str) -> None:
    """Refuse another format beside --json; the ending of a file does not ask for one."""
    if is_asked("format"):
        check_format("--json", format, ("table", "json"))


def output_of(help: str) -> click.Parameter:
    """The file to write."""
    return file("--output -o", help)


output = output_of("Write to this file instead of the screen.")
OUTPUT = (formats(FORMATS), output)
RANKING_OUTPUT = (formats(RANKING_FORMATS), output)


def subject(help: str) -> click.Parameter:
    """The subject of a page."""
    return option("--subject", help, default="")


DATE = option(
    "--date",
    "Date on the page or in the workbook, such as 2026-01-31; today by default.",
    **read_as(as_date),
)
PAGE = (option("--title", "Title of the page."), DATE, output)
BOOK_OUTPUT = (formats(BOOK_FORMATS), DATE, output)


def template(what: str) -> click.Parameter:
    """A table to fill in; without the name of a file, CSV."""
    return file(
        "--template",
        f"Write a table of {what} to fill in: CSV to the screen, or this file (.csv, .xlsx).",
        is_flag=False,
        flag_value="-",
        metavar="[FILE]",
    )
