"""The column of ranks in TREC's runs, which evaluation does not read, against that of scores."""

from __future__ import annotations

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


def caution_of_ranks(head: bytes, size: int) -> str:
    """A caution where all rows in the first bytes of a file contradict; otherwise nothing.

    head: the first bytes, at most `size`; fewer are all of the file.
    """
    caution = _caution(head[:FIRST], len(head) <= FIRST and len(head) < size)
    return caution and _caution(head, len(head) < size)


def _caution(head: bytes, is_whole: bool) -> str:
    lines = head.split(b"\n")
    n_pairs = n_against = n_rows = n_counting = 0
    has_fraction = False
    last: tuple[bytes, float, float] | None = None
    for line in lines if is_whole else lines[:-1]:
        fields = line.split(None, 5)
        try:
            query, rank, score = fields[0], float(fields[3]), float(fields[4])
        except (IndexError, ValueError):
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
