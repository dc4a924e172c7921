"""Assessed samples of both segments, from options, from tables of strata, or from coded documents
whose calls were audited."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from irbounds.cli.input.headers import folded
from irbounds.cli.input.numbers import whole_of
from irbounds.cli.input.read import TOTALS, Row, read_table
from irbounds.cli.terminal.screen import complain
from irbounds.foundation.errors import InputError

if TYPE_CHECKING:
    from irbounds.samples.other_designs.control_sample import ControlSample

Segments = tuple[list[Any], list[Any]]  # strata of the retrieved, and of the unretrieved
# Without blanks, hyphens and underscores.
SEGMENTS = {
    **dict.fromkeys(
        ("retrieved", "1", "r", "yes", "produced", "hits", "hit", "gefunden", "retenus"),
        "retrieved",
    ),
    **dict.fromkeys(
        (
            *("unretrieved", "0", "n", "no", "notretrieved", "nonretrieved", "nullset", "null"),
            *("discard", "discarded", "discardpile", "elusion", "notproduced", "unproduced"),
            *("nohits", "nonhits", "nichtgefunden", "nonretenus"),
        ),
        "unretrieved",
    ),
}
# Columns of documents that were perhaps drawn together, likewise.
FAMILIES = {
    *("family", "familyid", "familygroup", "thread", "threadid", "emailthread", "cluster"),
    *("clusterid", "duplicategroup", "dupgroup", "groupidentifier", "conversationid"),
}
Columns = Mapping[str, str] | None  # what --columns says


def as_lists(segments: Segments) -> dict[str, list[list[float]]]:
    """Both segments as JSON has them."""
    retrieved, unretrieved = ([list(stratum) for stratum in segment] for segment in segments)
    return {"retrieved": retrieved, "unretrieved": unretrieved}


class Samples(NamedTuple):
    """Samples of both segments.

    For coded documents `believed` has those that there would be if all calls were right, and
    `is_by_class` says whether each class of calls has one row.  `control` is the one sample of the
    collection that both segments come from, if there is one.
    """

    segments: Segments
    believed: Segments | None = None
    is_by_class: bool = False
    control: ControlSample | None = None

    @classmethod
    def read(
        cls,
        table: str | None,
        retrieved: Sequence[str],
        unretrieved: Sequence[str],
        coded: str | None,
        columns: Columns = None,
    ) -> Samples:
        """From a table, from options, or from a table of coded documents."""
        has_options = bool(retrieved or unretrieved)
        if coded is not None:
            if table is not None or has_options:
                raise InputError("give --coded or samples, not both")
            segments, believed = coded_from_table(coded, columns)
            return cls(segments, believed, _is_by_class(segments, believed))
        if table is None:
            if columns:
                raise InputError("--columns is for tables")
            return cls(samples_from_options(retrieved, unretrieved))
        if has_options:
            raise InputError("give strata as options or as a table, not both")
        return cls(samples_from_table(table, columns))

    def audited(self) -> Segments:
        """The samples, coded documents as audited segments: a class that was called relevant and
        one that was not, in the order of the rows, are the classes of one."""
        if self.believed is None:
            return self.segments
        retrieved, unretrieved = map(_audited, self.segments, self.believed)
        return retrieved, unretrieved

    def form(self, method: str) -> Segments:
        """The samples as a method takes them: of coded documents audited segments, or strata."""
        from irbounds.samples.intervals.pipeline import CODED_METHODS

        return self.audited() if method in CODED_METHODS else self.segments


def read_segments(
    path: str,
    columns: Sequence[str],
    stratum_of: Callable[[str, Row], Any],
    given: Columns = None,
    optional: Sequence[str] = (),
) -> tuple[list[Any], list[Any]]:
    """The strata of the retrieved and of the unretrieved segment, from a table with a column
    `segment` and these."""
    segments: dict[str, list[Any]] = {"retrieved": [], "unretrieved": []}
    names, rows = read_table(path, ("segment", *columns), optional, given)
    if "cluster" not in columns:
        caution_of_families(path, names)
    for row in rows:
        name = segment_of(row)
        if name is None:
            continue
        if not any(row[column] for column in columns):
            raise InputError(f"{row.where}: fill in {', '.join(columns)} of the {name} documents")
        try:
            segments[name].append(stratum_of(name, row))
        except InputError as error:
            text = str(error)
            raise InputError(
                text if text.startswith(row.where) else f"{row.where}: {text}"
            ) from None
    for name, strata in segments.items():
        if not strata:
            raise InputError(f"{path}: there is no stratum of the {name} segment")
    return segments["retrieved"], segments["unretrieved"]


def segment_of(row: Row) -> str | None:
    """The segment of a row; None, with a line, of a row of totals and of a note below the table."""
    text = row["segment"]
    words = re.sub(r"\(.*?\)|\b(documents?|docs?)\b", "", text, flags=re.IGNORECASE)
    name = SEGMENTS.get(folded(words)) or SEGMENTS.get(folded(text))
    if name is not None:
        return name
    is_total = folded(text.split()[0]) in TOTALS if text else False
    if is_total or (text and sum(map(bool, row.values())) == 1):
        what = "seems to add up others; it was not compared" if is_total else "has no numbers"
        complain([f"{row.where}: the row {text!r} is left out, as it {what}"])
        return None
    hint = "" if text else "; a row of totals is left out if it is named Total"
    raise InputError(f"{row.where}: segment must be retrieved or unretrieved; found {text!r}{hint}")


def stratum_from_text(option: str, text: str) -> Any:
    """The Stratum that SIZE/SAMPLED/RELEVANT says."""
    from irbounds.samples.model.strata import Stratum

    parts = text.split("/")
    advice: object = ""
    with contextlib.suppress(TypeError):  # another number of parts
        try:
            return Stratum(*map(whole_of, parts))  # 12,000/150/108 is read as well
        except ValueError as error:
            advice = error
    raise InputError(
        f"{option} must be SIZE/SAMPLED/RELEVANT, as 2000/100/50, in whole numbers; found {text!r}"
        f"{advice}"
    )


def samples_from_options(retrieved: Sequence[str], unretrieved: Sequence[str]) -> Segments:
    """SIZE/SAMPLED/RELEVANT, once for each stratum."""
    if not (retrieved and unretrieved):
        missing = "unretrieved" if retrieved else "retrieved"
        alone = "; for elusion alone give --retrieved 0/0/0" if unretrieved else ""
        raise InputError(
            "give --retrieved and --unretrieved as SIZE/SAMPLED/RELEVANT, or a table; "
            f"--{missing} is missing{alone}"
        )
    return (
        [stratum_from_text("--retrieved", text) for text in retrieved],
        [stratum_from_text("--unretrieved", text) for text in unretrieved],
    )


def samples_from_table(path: str, columns: Columns = None) -> Segments:
    """Columns segment, size, sampled, relevant; a row for each stratum."""
    from irbounds.samples.model.strata import Stratum, check_segment

    def stratum_of(name: str, row: Row) -> Stratum:
        stratum = Stratum(*row.numbers(*Stratum._fields))
        check_segment(name, stratum)
        return stratum

    return read_segments(path, Stratum._fields, stratum_of, columns)


# Hyphens and underscores count as blanks.
KINDS_OF_RELEVANT = ("relevant", "responsive")
# Keys of `word_of`.
CALLS = {
    **{folded(word): True for word in (*KINDS_OF_RELEVANT, "r", "yes", "y", "true", "1")},
    **{folded(f"{no}{kind}"): False for no in ("not", "non") for kind in KINDS_OF_RELEVANT},
    **dict.fromkeys(("irrelevant", "unresponsive", "not", "nr", "no", "n", "false", "0"), False),
    "": None,
}
CODED = ("call", "size", "audited", "relevant")


def word_of(cell: str) -> str:
    """An answer without case, and without blanks, hyphens and underscores between letters; "-1" and
    "yes?" are no answers."""
    return re.sub(r"(?<=[^\W\d])[\s_-]+(?=[^\W\d])", "", cell.strip().casefold())


def coded_from_table(path: str, columns: Columns = None) -> tuple[Segments, Segments]:
    """Columns segment, call, size, audited, relevant; a row for each class of calls, whose call is
    relevant, not, or empty for documents that nobody coded.  The strata, and the strata that there
    would be if every call were right."""
    from irbounds.samples.model.strata import Stratum, check_segment

    believed: dict[str, list[Stratum]] = {"retrieved": [], "unretrieved": []}

    def stratum_of(name: str, row: Row) -> Stratum:
        text = word_of(row["call"])
        if text not in CALLS:
            raise InputError(
                f"{row.where}: call must be relevant, not relevant, or empty (not coded); found "
                f"{row['call']!r}"
            )
        call = CALLS[text]
        stratum = Stratum(*row.numbers(*CODED[1:]))
        try:
            check_segment(name, stratum)
        except InputError as error:
            raise InputError(str(error).replace("sampled", "audited")) from None
        size = stratum.size
        known = stratum if call is None else Stratum(size, size, size if call else 0)
        believed[name].append(known)
        return stratum

    segments = read_segments(path, CODED, stratum_of, columns)
    pairs = [
        _without_empty(list(zip(audits, believed[name], strict=True)))
        for name, audits in zip(believed, segments, strict=True)
    ]
    samples, known = ([[each[i] for each in pair] for pair in pairs] for i in (0, 1))
    return (samples[0], samples[1]), (known[0], known[1])


def _without_empty(pairs: list[Any]) -> list[Any]:
    """Without classes of calls that have no documents, but never nothing."""
    return [pair for pair in pairs if pair[0].size] or pairs[:1]


def _is_by_class(samples: Segments, believed: Segments) -> bool:
    for audits, known in zip(samples, believed, strict=True):
        calls = [
            None if one is audit else one.relevant > 0
            for audit, one in zip(audits, known, strict=True)
        ]
        if len({*calls}) < len(calls):
            return False
    return True


def _audited(samples: Sequence[Any], believed: Sequence[Any]) -> list[Any]:
    from irbounds.samples.model.strata import Audited

    pairs = list(zip(samples, believed, strict=True))
    coded = [audit for audit, known in pairs if known is not audit]
    calls = [known.relevant > 0 for audit, known in pairs if known is not audit]
    called, other = (
        [audit for audit, call in zip(coded, calls, strict=True) if call is wanted]
        for wanted in (True, False)
    )
    nothing = type(samples[0])(0, 0, 0)
    found = []
    for one, two in zip_longest(called, other, fillvalue=nothing):
        size = one.size + two.size
        audits = ((each.sampled, each.relevant) for each in (one, two))
        found.append(Audited(size, size, one.size, *audits))
    return found + [audit for audit, known in pairs if known is audit]  # nobody coded these


def caution_of_families(path: str, columns: Sequence[str]) -> None:
    """Say that documents may have been drawn together, where a column has their families."""
    family = next((name for name in columns if folded(name) in FAMILIES), None)
    if family is not None:
        complain(
            [
                f"{path}: documents of one {family} are not independent; if they were drawn "
                f"together, the interval is too narrow: use --cluster {family!r} with a table of "
                "documents"
            ]
        )
