"""Files of runs and qrels, plain or compressed: an error of one line, or the rows that a slow
reading finds."""

from __future__ import annotations

import bz2
import gzip
import lzma
import math
import os
import re
import tempfile

import irbounds as irb

PATH = os.path.join(tempfile.mkdtemp(), "file")
BLANKS = b" \t\v\f\r"
DECIMAL = re.compile(rb"[+-]?\d{1,9}(\.\d{1,9})?")


class Unsure(Exception):
    """The slow reading cannot tell whether a column is a number."""


def is_number(token: bytes) -> bool:
    """Ranks and tags: longer numbers, infinity and NaN are left to the fuzzer of the tokenizer."""
    if DECIMAL.fullmatch(token):
        return True
    try:
        float(token)
    except ValueError:
        return False
    raise Unsure


def slow_rows(text: bytes, is_run: bool) -> dict[str, dict[str, float]]:
    """{query: {document: number}}; raises ValueError for what cannot be read."""
    rows: dict[str, dict[str, float]] = {}
    if text.startswith(b"\xef\xbb\xbf"):
        text = text[3:]
    elif text.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ValueError
    for line in text.split(b"\n"):
        has_lines_within = b"\r" in line[:-1]
        for blank in BLANKS:
            line = line.replace(bytes([blank]), b" ")
        columns = [column for column in line.split(b" ") if column]
        if b"\0" in line or len(line) > 2**20:
            raise ValueError
        if not columns or columns[0].startswith(b"#"):
            continue
        if len(columns) < 6 if is_run else len(columns) != 4:
            raise ValueError
        if len(columns) > 6 and (
            has_lines_within or not is_number(columns[3]) or is_number(columns[5])
        ):
            raise ValueError
        query, document = (columns[i].decode("utf-8", "surrogateescape") for i in (0, 2))
        token = columns[4 if is_run else 3]
        value = float(token) if b"_" not in token else math.nan
        if document in rows.setdefault(query, {}) or math.isnan(value):
            raise ValueError
        if not is_run and (abs(value) > 2**31 or value != math.floor(value)):
            raise ValueError
        rows[query][document] = value
    if not rows:
        raise ValueError
    return rows


def check(data: bytes) -> None:
    """The first byte: run or qrels, and how it is compressed."""
    kind, text = data[:1] or b"\0", data[1:]
    is_run, packing = kind[0] & 1, kind[0] >> 1 & 7
    packed = {1: gzip.compress, 2: bz2.compress, 3: lzma.compress}.get(packing, bytes)(text)
    if packing in (1, 2, 3) and kind[0] & 16:
        packed = packed[:-3]
    with open(PATH, "wb") as file:
        file.write(packed)
    reader = irb.Run if is_run else irb.Qrels
    try:
        found = reader.from_trec(PATH).to_dict()
    except irb.InputError as error:
        assert "\n" not in str(error), str(error)
        found = None
    damaged = packed != text and packing not in (1, 2, 3)
    try:
        expected = None if packing in (1, 2, 3) and kind[0] & 16 else slow_rows(text, bool(is_run))
    except ValueError:
        expected = None
    except Unsure:
        return
    magic = text.startswith((b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0"))
    assert damaged or magic or found == expected, (text, found, expected)
