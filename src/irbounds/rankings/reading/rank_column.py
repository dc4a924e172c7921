"""The column of ranks in TREC's runs, which evaluation does not read, against that of scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from irbounds.foundation.errors import InputError
from irbounds.rankings.reading.frames import known_columns

TREC_PLACES = ((0, 3, 4), None)  # of query, rank and score in a line, and what divides its fields
FIRST_ROWS = 100  # of a frame, whose ranks are looked at
FIRST = 1 << 9  # bytes whose rows are looked at in every file: 10 microseconds
FEWEST_PAIRS = 2  # of neighbours in a query, where one may be chance
REVERSED = (
    "the column of ranks contradicts the scores: in {where} lower ranks have lower scores, and the "
    "higher score comes first here; if the scores are distances, write them times -1"
)
SWAPPED = (
    "the column of ranks has fractions, and that of scores counts 1, 2, 3, … in {where}: are rank "
    "and score swapped?"
)


def caution_of_ranks(head: bytes, size: int, places: Sequence[int], delimiter: bytes | None) -> str:
    """A caution where all rows in the first bytes of a file contradict; otherwise nothing.

    head: the first bytes, at most `size`; fewer are all of the file.  places: of query, rank and
    score in a line.
    """
    caution = ""
    for part in (head[:FIRST], head):
        is_whole = len(part) == len(head) < size
        lines = part.split(b"\n")
        fields = (
            line.split(delimiter, max(places) + 1) for line in (lines if is_whole else lines[:-1])
        )
        rows = ([own[i].strip(b'"') for i in places] for own in fields if len(own) > max(places))
        caution = caution_of_rows(rows, is_whole)
        if not caution:
            break
    return caution


def caution_of_rows(rows: Iterable[Sequence[Any]], is_whole: bool) -> str:
    """The same of rows with query, rank and score, which are all or the first ones."""
    n_pairs = n_against = n_rows = n_counting = 0
    has_fraction = False
    last: tuple[bytes, float, float] | None = None
    for query, rank_text, score_text in rows:
        try:
            rank, score = float(rank_text), float(score_text)
        except (TypeError, ValueError):
            continue  # a comment, or a line that the reader refuses
        n_rows += 1
        has_fraction |= rank % 1 != 0
        if last is None or last[0] != query:
            n_counting += score in (0, 1)
        else:
            n_counting += score == last[2] + 1
            if rank != last[1] and score != last[2]:
                n_pairs += 1
                n_against += (rank > last[1]) == (score > last[2])
        last = query, rank, score
    where = f"{'all' if is_whole else 'the first'} {n_rows:,} rows"
    if n_pairs and n_counting == n_rows and has_fraction:
        return SWAPPED.format(where=where)
    return REVERSED.format(where=where) if n_against == n_pairs >= FEWEST_PAIRS else ""


def caution_of_frame(frame: Any, columns: Mapping[str, str]) -> str:
    """A caution where a column of ranks contradicts that of scores in the first rows."""
    is_in_memory = hasattr(frame, "iloc") or hasattr(frame, "get_column")
    if not is_in_memory or "rank" not in list(frame.columns):
        return ""
    try:
        names = known_columns(list(frame.columns), ["query_id", "rank", "score"], columns)
    except InputError:
        return ""
    first = frame.head(FIRST_ROWS)
    rows = zip(*(first[name].to_list() for name in names), strict=True)
    return caution_of_rows(rows, len(first) == len(frame))
