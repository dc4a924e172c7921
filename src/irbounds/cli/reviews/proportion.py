"""`irbounds proportion`: one proportion of a sample, such as richness, elusion or prevalence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import irbounds
from irbounds.cli.input import options
from irbounds.cli.input.numbers import whole_of
from irbounds.cli.reviews.foot_lines import (
    IN_DOCUMENTS,
    effect_words,
    level_of,
    percent_of,
    share_cells,
)
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.notes import warnings_as_notes
from irbounds.cli.terminal.render import Report, Table
from irbounds.foundation.errors import InputError, counted, fail
from irbounds.foundation.paths import shown_name
from irbounds.warnings import SampleWarning

if TYPE_CHECKING:
    from irbounds.foundation.interval import Interval

FORM = "RELEVANT/SAMPLED, as 12/1500, or NAME=RELEVANT/SAMPLED"


@declare(
    "proportion",
    {
        "Input": (
            options.argument(
                "samples", f"{FORM}; or tables, with --cluster.", nargs=-1, required=True
            ),
            options.cluster(
                "Each sample is then a table with a row for each document of the clusters that "
                "were drawn whole, and a column relevant of 0 and 1."
            ),
            options.population(
                "Documents in the population; once, or once for each sample. Without it, it is "
                "unlimited.",
                multiple=True,
            ),
        ),
        "Interval": (
            options.method(
                "Method; by default hypergeometric with a population, else wilson; newcombe for "
                "--difference."
            ),
            options.confidence_level,
            options.side,
            options.flag(
                "--simultaneous",
                "All intervals hold together with the confidence level (Bonferroni).",
            ),
            options.flag(
                "--difference", "The first proportion minus each other one; independent samples."
            ),
        ),
        "Output": options.BOOK_OUTPUT,
    },
    "irbounds proportion 12/1500 --population 90000",
    "irbounds proportion privileged=7/500 hot=31/500 --simultaneous",
    "irbounds proportion 56/70 48/80 --difference",
    "irbounds proportion documents.csv --cluster family",
)
def command(
    samples: Sequence[str],
    cluster: str | None,
    population: Sequence[int],
    method: str | None,
    confidence_level: float,
    side: str,
    simultaneous: bool,
    difference: bool,
) -> Report:
    """Estimate the share of relevant documents: richness, elusion, prevalence.

    Each sample is a simple random sample of documents, or of clusters with --cluster. With
    --population the interval is also given in documents; for a sample of documents it is then
    exact. To claim that elusion is low, use --side upper. Intervals are valid for one look: for a
    sample that grows, use `irbounds monitor`.
    """
    if cluster is not None:
        if difference or method is not None:
            raise InputError("--cluster does not take --difference or --method")
        named: list[Any] = [(shown_name(path), *_clusters_of(path, cluster)) for path in samples]
    else:
        named = [sample_of(text) for text in samples]
    if difference and len({name for name, *_ in named}) < len(named):
        raise InputError(
            "--difference needs samples with different names, as a=56/70 b=48/80; found "
            f"{', '.join(name for name, *_ in named)}"
        )
    if difference and (len(named) < 2 or population):
        raise InputError("--difference needs two samples or more, and takes no --population")
    if len(population) not in (0, 1, len(named)):
        fail("--population", "must be given once, or once for each sample", list(population))
    sizes: list[int | None] = [*population] or [None]
    sizes *= len(named) if len(sizes) == 1 else 1
    n_intervals = len(named) - difference
    level = confidence_level
    if simultaneous:
        level = 1 - (1 - confidence_level) / n_intervals
    asked: dict[str, Any] = {"confidence_level": level, "side": side}
    if difference:
        rows, intervals = _differences(
            named, asked if method is None else asked | {"method": method}
        )
    elif cluster is not None:
        rows = [[name, sum(relevant), sum(sampled)] for name, relevant, sampled in named]
        with warnings_as_notes(SampleWarning):
            intervals = [
                irbounds.samples.cluster_proportion_interval(x, m, size=size, **asked)
                for (_name, x, m), size in zip(named, sizes, strict=True)
            ]
    else:
        rows = [[name, relevant, sampled] for name, relevant, sampled in named]
        intervals = [
            irbounds.binomial_interval(x, n, size=size, method=method, **asked)
            for (_name, x, n), size in zip(named, sizes, strict=True)
        ]
    return _report(rows, intervals, sizes, difference, simultaneous, confidence_level, side)


def _clusters_of(path: str, column: str) -> tuple[list[int], list[int]]:
    """The relevant documents and the documents of each cluster."""
    from irbounds.cli.input.clusters import clusters_from_table

    return clusters_from_table(path, column)


def _covers(method: str, difference: bool) -> str:
    """How often a method covers, in words."""
    from irbounds.samples.one_proportion.table import PROPORTION_METHODS

    if method == "wald":
        return "covers far less than its level for small counts"
    if not difference and PROPORTION_METHODS[method].keeps_level:
        return "covers at least its level, whatever the true share is"
    over = "pairs of shares" if difference else "shares"
    return f"covers about its level on average over {over}, less for some"


def sample_of(text: str) -> tuple[str, int, int]:
    """The name, the relevant and the sampled documents."""
    name, _, counts = text.rpartition("=")
    parts = counts.split("/")
    advice: object = ""
    if len(parts) == 2:
        try:
            return name or text, whole_of(parts[0]), whole_of(parts[1])
        except ValueError as error:
            advice = error
    raise InputError(f"a sample must be {FORM}, in whole numbers; found {text!r}{advice}")


def _differences(
    named: list[tuple[str, int, int]], asked: dict[str, Any]
) -> tuple[list[list[Any]], list[Interval]]:
    """The first proportion minus each other one."""
    (first, *of_first), *others = named
    return [[f"{first} minus {name}"] for name, *_ in others], [
        irbounds.samples.binomial_difference_interval(*of_first, *counts, **asked)
        for _name, *counts in others
    ]


def _report(
    rows: list[list[Any]],
    intervals: list[Interval],
    sizes: Sequence[int | None],
    difference: bool,
    simultaneous: bool,
    confidence_level: float,
    side: str,
) -> Report:
    """The table, in shares and in documents."""
    what = "difference" if difference else "share"
    header = ["sample", *([] if difference else ["relevant", "sampled"]), what, "low", "high"]
    both = [
        share_cells((each.estimate, each.low, each.high), size or None)
        for each, size in zip(intervals, sizes, strict=False)
    ]
    records, cells = (
        [[*row, *each[i]] for row, each in zip(rows, both, strict=True)] for i in (0, 1)
    )
    names, shown_names = ([*header, *more * any(sizes)] for more in IN_DOCUMENTS)
    level = level_of(confidence_level, side)
    is_clustered = intervals[0].n_groups is not None
    what = "two independent simple random samples" if difference else "a simple random sample"
    what += " of clusters" if is_clustered else ""
    notes = [f"{level}, method {intervals[0].method}, of {what}"]
    notes += [
        f"{row[0]}: {counted(each.n_groups, 'cluster', 'clusters')}, design effect "
        + effect_words(each)
        for row, each in zip(rows, intervals, strict=True)
        if each.n_groups is not None
    ]
    if simultaneous:
        notes.append(
            f"all hold together with {percent_of(confidence_level)} confidence: each alone has "
            f"{100 * intervals[0].confidence_level:.6g} %"
        )
    if not is_clustered:
        notes.append(_covers(intervals[0].method, difference))
    return Report(
        names,
        records,
        shown=Table(shown_names, cells),
        document=[
            dict(zip(names, record, strict=True))
            | {"method": each.method, "confidence_level": each.confidence_level, "side": side}
            | (
                {"clusters": each.n_groups, "design_effect": each.to_dict()["design_effect"]}
                if is_clustered
                else {}
            )
            for record, each in zip(records, intervals, strict=True)
        ],
        notes=notes,
    )
