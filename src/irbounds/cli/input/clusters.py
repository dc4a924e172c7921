"""`--cluster`: tables with a row for each document of the clusters that were drawn whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from irbounds.cli.input.control import (
    WITH_TABLE,
    check_sizes,
    documents_from_table,
    refuse_beside_sample,
)
from irbounds.cli.input.numbers import whole_of
from irbounds.cli.input.read import read_table
from irbounds.cli.input.samples import CALLS, Columns, word_of
from irbounds.cli.terminal.notes import warnings_as_notes
from irbounds.foundation.errors import InputError
from irbounds.warnings import SampleWarning

if TYPE_CHECKING:
    from irbounds.samples.clusters.sample import ClusterSample

SIZES = "--retrieved: SIZE", "--unretrieved: SIZE"
NEEDED = (
    "--cluster needs --sample RETRIEVED/UNRETRIEVED for one sample of the collection, or "
    "--retrieved SIZE and --unretrieved SIZE for a sample of each segment"
)


def clusters_from_table(path: str, column: str) -> tuple[list[int], list[int]]:
    """The relevant documents and the documents of each cluster: columns relevant, 0 or 1, and this
    one.  A document without a cluster is one of its own."""
    answers = []
    for row in read_table(path, ("relevant", "cluster"), (), {"cluster": column})[1]:
        call = CALLS.get(word_of(row["relevant"]))
        if call is None:
            raise InputError(f"{row.where}: relevant must be 0 or 1; found {row['relevant']!r}")
        answers.append((row["cluster"] or (row.where,), int(call)))
    other, relevant = _counted(answers, 2)
    return relevant, [sum(pair) for pair in zip(other, relevant, strict=True)]


def sample_of_clusters(
    column: str,
    table: str | None,
    sample: str | None,
    retrieved: Sequence[str],
    unretrieved: Sequence[str],
    columns: Columns,
) -> ClusterSample:
    """From a table with columns retrieved, relevant, and this one."""
    from irbounds.samples.clusters.sample import ClusterSample

    if table is None:
        raise InputError(
            "--cluster needs a table with a row for each document of the clusters that were drawn, "
            f"and columns retrieved, relevant, {column}"
        )
    texts = [*retrieved, *unretrieved]
    if sample is not None:
        refuse_beside_sample({"--retrieved": retrieved, "--unretrieved": unretrieved})
        texts = sample.split("/")
    try:
        one, other = map(whole_of, texts)
    except ValueError:
        found = f"; found {' '.join(texts)!r}" if texts else ""
        rule = f"--sample must be {WITH_TABLE}; found {sample!r}"
        raise InputError(NEEDED + found if sample is None else rule) from None
    if sample is None and len(retrieved) != 1:
        raise InputError(NEEDED)
    documents = documents_from_table(table, columns, column)
    of_retrieved = sum(is_retrieved for is_retrieved, *_ in documents)
    names = SIZES if sample is None else ("--sample: RETRIEVED", "--sample: UNRETRIEVED")
    check_sizes(names, (one, other), (of_retrieved, len(documents) - of_retrieved))
    answers = [
        ((cluster, sample is not None or is_retrieved), 3 - 2 * is_retrieved - is_relevant)
        for is_retrieved, is_relevant, cluster in documents
    ]
    tp, fp, fn, tn = _counted(answers, 4)
    with warnings_as_notes(SampleWarning):
        return ClusterSample(one, other, tp, fp, fn, tn, sample is None)


def _counted(answers: Iterable[tuple[object, int]], kinds: int) -> list[list[int]]:
    """The documents of each kind in each cluster, a list for each kind."""
    found: dict[object, list[int]] = {}
    for cluster, kind in answers:
        found.setdefault(cluster, [0] * kinds)[kind] += 1
    return [[*each] for each in zip(*found.values(), strict=True)]
