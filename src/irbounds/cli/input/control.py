"""`--sample`: one random sample of the whole collection, as counts or as a table of its documents,
and with it an elusion sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from irbounds.cli.input.numbers import whole_of
from irbounds.cli.input.read import Row, read_table
from irbounds.cli.input.samples import (
    CALLS,
    SEGMENTS,
    Columns,
    Samples,
    caution_of_families,
    stratum_from_text,
    word_of,
)
from irbounds.cli.terminal.notes import warnings_as_notes
from irbounds.cli.terminal.screen import complain
from irbounds.foundation.errors import InputError, counted

if TYPE_CHECKING:
    from irbounds.samples.other_designs.control_sample import ControlSample

DIVIDED = "RETRIEVED/UNRETRIEVED/TP/FP/FN/TN"
WITH_TABLE = "RETRIEVED/UNRETRIEVED with a table of its documents"
UNDIVIDED = "RETRIEVED/UNRETRIEVED/SAMPLED/FOUND/MISSED, SAMPLED/FOUND/MISSED"
DOCUMENTS = "retrieved", "relevant"  # columns of a table with a row for each sampled document
RETRIEVED = {word: name == "retrieved" for word, name in SEGMENTS.items()}
RETRIEVED |= {"y": True, "true": True, "false": False}


def read_samples(
    table: str | None,
    retrieved: Sequence[str],
    unretrieved: Sequence[str],
    coded: str | None,
    columns: Columns,
    sample: str | None,
) -> Samples:
    """Samples of both segments: drawn from each, or one of the whole collection."""
    if sample is None:
        return Samples.read(table, retrieved, unretrieved, coded, columns)
    from irbounds.samples.other_designs.control_sample import checked_segments
    from irbounds.warnings import SampleWarning

    refuse_beside_sample({"--retrieved": retrieved, "--coded": coded})
    control = _control(sample, table, unretrieved, columns)
    with warnings_as_notes(SampleWarning):
        one, other = checked_segments(control)
    return Samples(([one], [other]), control=control)


def refuse_beside_sample(others: dict[str, object], hint: str = "") -> None:
    """Refuse what --sample would leave unused."""
    for name, given in others.items():
        if given:
            raise InputError(f"--sample does not take {name}{hint}")


def is_undivided(sample: str) -> bool:
    """Whether --sample leaves open how many documents of the sample were retrieved."""
    return sample.count("/") in (2, 4)


def numbers_of(sample: str, *lengths: int) -> list[int]:
    """The numbers of --sample, as many as one of these."""
    advice: object = ""
    try:
        numbers = [whole_of(part) for part in sample.split("/")]
        if len(numbers) in lengths:
            return numbers
        advice = "; for TP/FP/FN/TN alone use irbounds counts" if len(numbers) == 4 else ""
        if is_undivided(sample):
            advice = ": this needs to know how many documents of the sample were retrieved"
    except ValueError as error:
        advice = error
    forms = f"{DIVIDED}, {f'{UNDIVIDED}, ' if 3 in lengths else ''}or {WITH_TABLE}"
    raise InputError(f"--sample must be {forms}; found {sample!r}{advice}")


def _control(
    sample: str, table: str | None, unretrieved: Sequence[str], columns: Columns
) -> ControlSample:
    from irbounds.samples.other_designs.control_sample import ControlSample

    numbers = numbers_of(sample, 2, 6)
    if min(numbers) < 0:
        raise InputError(f"--sample must have numbers of 0 or more; found {sample!r}")
    sizes = numbers[:2]
    if len(numbers) == 2:
        if table is None:
            raise InputError(
                "--sample RETRIEVED/UNRETRIEVED needs a table with a row for each sampled "
                f"document and columns {', '.join(DOCUMENTS)}; without a table write {DIVIDED}"
            )
        counts = _counts_of_documents(table, columns)
    else:
        refuse_beside_sample({f"a table beside {DIVIDED}": table, "--columns": columns})
        counts = numbers[2:]
    tp, fp, fn, tn = counts
    check_sizes(("--sample: RETRIEVED", "--sample: UNRETRIEVED"), sizes, (tp + fp, fn + tn))
    control = ControlSample(sizes[0], sizes[1], sum(counts), tp, fn, tp + fp)
    return _with_elusion(control, unretrieved) if unretrieved else control


def check_sizes(names: Sequence[str], sizes: Sequence[int], sampled: Sequence[int]) -> None:
    """Refuse segments that have fewer documents than their sample."""
    kinds = "retrieved", "unretrieved"
    for name, size, found, kind in zip(names, sizes, sampled, kinds, strict=True):
        if found > size:
            raise InputError(
                f"{name} must be at least the {kind} documents of the sample, {found}; found {size}"
            )


def _with_elusion(control: ControlSample, unretrieved: Sequence[str]) -> ControlSample:
    """The control sample, and an elusion sample of the unretrieved documents outside it."""
    from dataclasses import replace

    if len(unretrieved) > 1:
        raise InputError("--sample takes --unretrieved once, for an elusion sample")
    added = stratum_from_text("--unretrieved", unretrieved[0])
    seen = int(control.sampled) - int(control.sampled_retrieved)
    outside = int(control.unretrieved_size) - seen
    if added.size != outside:
        raise InputError(
            f"--unretrieved: SIZE must be {outside}, the unretrieved documents that are not in the "
            f"control sample; found {added.size}: leave documents that are in both samples out of "
            "SAMPLED and RELEVANT"
        )
    if not added.relevant <= added.sampled <= added.size:
        raise InputError(
            f"--unretrieved must have RELEVANT <= SAMPLED <= SIZE; found {unretrieved[0]!r}"
        )
    return replace(control, elusion_sampled=added.sampled, elusion_relevant=added.relevant)


def _counts_of_documents(path: str, columns: Columns) -> list[int]:
    """True positives, false positives, false negatives and true negatives of a table with a row
    for each sampled document."""
    pairs = [answers[:2] for answers in documents_from_table(path, columns)]
    return [
        pairs.count(each) for each in ((True, True), (True, False), (False, True), (False, False))
    ]


def documents_from_table(
    path: str, columns: Columns, cluster: str | None = None
) -> list[tuple[bool, bool, object]]:
    """Whether each document was retrieved and is relevant, and the cluster that a column has; a
    document without one is a cluster of its own.  With a column `document` a document counts
    once."""
    needed = DOCUMENTS if cluster is None else (*DOCUMENTS, "cluster")
    given = columns if cluster is None else {**(columns or {}), "cluster": cluster}
    names, rows = read_table(path, needed, ("document",), given)
    if cluster is None:
        caution_of_families(path, names)
    found: dict[str, tuple[bool, bool, object]] = {}
    for row in rows:
        document = _name_of_document(row) if "document" in names else row.where
        answers = (
            _answer(row, "retrieved", RETRIEVED),
            _answer(row, "relevant", CALLS),
            None if cluster is None else row["cluster"] or (document,),
        )
        if found.setdefault(document, answers) != answers:
            raise InputError(
                f"{row.where}: document {document!r} is there twice with other values of "
                f"{' or '.join([*DOCUMENTS, *([] if cluster is None else [cluster])])}"
            )
    repeated = len(rows) - len(found)
    if repeated:
        complain(
            [f"{counted(repeated, 'row repeats', 'rows repeat')} a document, which counts once"]
        )
    return [*found.values()]


def _name_of_document(row: Row) -> str:
    if not row["document"]:
        raise InputError(f"{row.where}: document is empty")
    return row["document"]


def _answer(row: Row, column: str, words: Mapping[str, bool | None]) -> bool:
    """Yes or no."""
    answer = words.get(word_of(row[column]))
    if answer is None:
        said = "every sampled document needs yes or no" if not row[column] else "must be yes or no"
        raise InputError(f"{row.where}: {column}: {said}; found {row[column]!r}")
    return answer
