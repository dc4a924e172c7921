"""`irbounds recall --sample` and `--weighted`: recall from one random sample of the whole
collection, and from documents with unequal inclusion probabilities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import irbounds
from irbounds.cli.input.control import UNDIVIDED, numbers_of
from irbounds.cli.input.read import Row
from irbounds.cli.input.samples import Columns, read_segments
from irbounds.cli.reviews.foot_lines import covers_of, effect_words, level_of, percent_of, said_of
from irbounds.cli.terminal.notes import warnings_as_notes
from irbounds.cli.terminal.render import Report, Table, interval_cells
from irbounds.foundation.errors import InputError, check_choice, counted, fail
from irbounds.warnings import SampleWarning

if TYPE_CHECKING:
    from irbounds.foundation.interval import Interval
    from irbounds.samples.clusters.sample import ClusterSample

HEADER = ["measure", "method", "estimate", "low", "high"]
COUNTS = (
    *("retrieved_size", "unretrieved_size"),
    *("sampled", "relevant_retrieved", "relevant_unretrieved"),
)


def _report(
    intervals: Sequence[Interval], document: dict[str, Any], notes: Sequence[str]
) -> Report:
    """Recall alone."""
    rows = [["recall", one.method, one.estimate, one.low, one.high] for one in intervals]
    shown = Table(HEADER, [[*row[:2], *interval_cells(*row[2:])] for row in rows], 2)
    return Report(HEADER, rows, shown=shown, document=document, notes=notes)


def report_of_one_sample(
    text: str, method: str | None, all_methods: bool, confidence_level: float, side: str
) -> Report:
    """Recall by one method or by all, with how often each covers."""
    from irbounds.samples.intervals.table import INTERVAL_METHODS
    from irbounds.samples.other_designs.control_sample import METHODS

    if method is not None:
        check_choice("--method", method, METHODS)
    numbers = numbers_of(text, 2, 3, 5, 6)
    counts = [None, None, *numbers] if len(numbers) == 3 else numbers
    asked: dict[str, Any] = {"confidence_level": confidence_level, "side": side}
    with warnings_as_notes(SampleWarning):
        try:
            intervals = [
                irbounds.recall_interval_from_sample(*counts, method=name, **asked)
                for name in (METHODS if all_methods else [method])
            ]
        except InputError as error:
            form = "SAMPLED/FOUND/MISSED" if len(numbers) == 3 else UNDIVIDED.partition(",")[0]
            raise InputError(
                f"--sample {text} is read as {form}: {str(error).replace('`', '')}"
            ) from None
    covers = [INTERVAL_METHODS[one.method].covers for one in intervals]
    return _report(
        intervals,
        {
            **dict(zip(COUNTS, counts, strict=True)),
            **asked,
            "intervals": [
                {"measure": "recall", "covers": covers_of(often, side), **one.to_dict()}
                for one, often in zip(intervals, covers, strict=True)
            ],
        },
        [
            f"{level_of(confidence_level, side)}, from one sample of the collection, computed "
            "without simulation",
            f"of {counts[2]} sampled documents {counts[3]} relevant ones were retrieved, "
            f"{counts[4]} were not",
            *(
                f"{one.method} {said_of(often, percent_of(confidence_level), side)}"
                for one, often in zip(intervals, covers, strict=True)
            ),
        ],
    )


def cluster_report(sample: ClusterSample, confidence_level: float, side: str) -> Report:
    """All measures from clusters that were drawn whole, with the design effect of each."""
    asked: dict[str, Any] = {"confidence_level": confidence_level, "side": side}
    with warnings_as_notes(SampleWarning):
        found = [(name, sample.interval(name, **asked)) for name in sample.measures]
    names = [{"F": "F1"}.get(name, name) for name, _ in found]
    words = [effect_words(each) for _, each in found]
    rows = [
        [
            *(name, each.method, each.estimate, each.low, each.high, each.n_groups),
            effect if isinstance(each.design_effect, tuple) else each.design_effect,
        ]
        for name, (_, each), effect in zip(names, found, words, strict=True)
    ]
    cells = [
        [*row[:2], *interval_cells(row[2], row[3], row[4], row[0] == "yield"), row[5], effect]
        for row, effect in zip(rows, words, strict=True)
    ]
    of = "each segment" if sample.is_of_each_segment else "the collection"
    return Report(
        [*HEADER, "clusters", "design_effect"],
        rows,
        shown=Table([*HEADER, "clusters", "design effect"], cells, 2),
        document={
            "retrieved_size": sample.retrieved_size,
            "unretrieved_size": sample.unretrieved_size,
            **asked,
            "intervals": [
                {"measure": name, **each.to_dict()}
                for name, (_, each) in zip(names, found, strict=True)
            ],
        },
        notes=[
            f"{level_of(confidence_level, side)}, from a sample of the clusters of {of}"
            + "; a claim that elusion is low needs --side upper" * (side == "lower"),
            "clusters: those with documents that the measure is about",
            "in simulations intervals covered about their level or more; there is no proof",
        ],
    )


def weighted_report(
    table: str | None,
    columns: Columns,
    largest: Sequence[float],
    cluster: str | None,
    confidence_level: float,
    side: str,
) -> Report:
    """Recall from a table with a row for each sampled document that is relevant: its segment, its
    inclusion probability, and perhaps its cluster. With a column `relevant` of 0 and 1, the rows
    with 0 only tell what weights documents and clusters could have."""
    needed = ["probability", *([] if cluster is None else ["cluster"])]
    if table is None:
        raise InputError(f"--weighted needs a table with columns segment, {', '.join(needed)}")
    if len(largest) > 2:
        fail("--largest-weight", "must be given once, or once for each segment", list(largest))

    given = columns if cluster is None else {**(columns or {}), "cluster": cluster}
    sampled = read_segments(table, needed, _document, given, ("relevant",))
    found_rows = [[row for row in rows if row[1]] for rows in sampled]
    segments = [[value for value, *_ in rows] for rows in found_rows]
    has_others = [len(rows) for rows in sampled] != [len(found) for found in segments]
    weights = list(largest)
    if has_others and not weights:
        weights = [1 / min(value for value, *_ in rows) for rows in sampled]
    clusters: tuple[list[Any], list[Any]] | None = None
    if cluster is not None:
        if not weights:
            raise InputError(
                "--cluster needs --largest-weight, the largest number of documents of a cluster "
                "over its probability; or a table with all sampled documents and a column relevant"
            )
        one, other = ([label for *_, label in rows] for rows in found_rows)
        clusters = one, other
        if not largest:
            weights = [_largest_of_clusters([*sampled[0], *sampled[1]])]
    interval = irbounds.samples.weighted_recall_interval(
        segments[0],
        segments[1],
        weights or None,
        clusters=clusters,
        confidence_level=confidence_level,
        side=side,
    )
    found = counted(len(segments[0]), "relevant document", "relevant documents")
    return _report(
        [interval],
        {
            "found": [len(segment) for segment in segments],
            "largest_weights": weights or None,
            **interval.to_dict(),
        },
        [
            f"{level_of(confidence_level, side)}, from {found} among the retrieved "
            f"and {len(segments[1])} among the others",
            "in simulations melded-gamma covered at least its level; there is no proof",
            "largest weight: as given"
            if largest
            else f"largest weight: that of the {'documents' if cluster is None else 'clusters'} "
            f"{'sampled' if has_others else 'found'}, "
            "unless --largest-weight sets another",
        ],
    )


def _document(_segment: str, row: Row) -> tuple[float, bool, object]:
    """The probability of a document, whether it is relevant, and its cluster."""
    value = row.number("probability")
    if not 0 < value <= 1:
        raise InputError(f"{row.where}: probability must be above 0 and at most 1; found {value:g}")
    if row.get("relevant", "1").strip() not in ("0", "1"):
        raise InputError(f"{row.where}: relevant must be 0 or 1; found {row['relevant']!r}")
    return value, row.get("relevant", "1").strip() == "1", row.get("cluster") or None


def _largest_of_clusters(rows: Sequence[tuple[float, bool, object]]) -> float:
    """The largest number of documents of a cluster, over its probability."""
    sizes = Counter(label for *_, label in rows)
    return max((sizes[label] if label else 1) / value for value, _, label in rows)
