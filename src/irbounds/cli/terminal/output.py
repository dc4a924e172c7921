"""Columns of numbers and texts as CSV and JSON write them, and lines put together of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from irbounds.foundation.writing import valid_text

if TYPE_CHECKING:
    import numpy as np

SAMPLE = 1000  # numbers that tell whether numbers repeat


def number_texts(values: np.ndarray, before: str = "", after: str = "") -> list[str]:
    """The shortest text of each number that reads as the same double, between two others."""
    import numpy as np  # here, as a start of the command line does not need it

    def texts_of(numbers: np.ndarray) -> list[str]:
        return [f"{before}{number!r}{after}" for number in numbers.tolist()]

    if len(np.unique(values[:SAMPLE])) > SAMPLE // 2:
        return texts_of(values)
    distinct, places = np.unique(values, return_inverse=True)
    texts = np.array(texts_of(distinct), object)
    return list(texts[places.reshape(-1)])


def short_texts(values: np.ndarray, whole: bool = False, after: str = "") -> list[str]:
    """Each number as `render.short` has it, and a text behind it."""
    import numpy as np

    from irbounds.cli.terminal.render import short

    # Numbers that round to the same one are written once.  The product has a relative error below
    # 2^-53, so that below 10^10 units its distance from a half tells the side, except near it.
    scale = 1.0 if whole else 1e4
    with np.errstate(invalid="ignore", over="ignore"):
        units = values * scale
        nearest = np.rint(units)
        is_plain = ~np.signbit(values) & (units < 1e10) & (np.abs(units - nearest) < 0.4999)
    distinct, places = np.unique(np.where(is_plain, nearest, 0.0), return_inverse=True)
    texts = np.array([short(number / scale, whole) + after for number in distinct.tolist()], object)
    found = list(texts[places.reshape(-1)])
    for row in np.flatnonzero(~is_plain).tolist():
        found[row] = short(float(values[row]), whole) + after
    return found


def json_numbers(values: np.ndarray, before: str = "", after: str = "") -> list[str]:
    """The same; infinities and nan are null."""
    import numpy as np

    texts = number_texts(values, before, after)
    for row in np.flatnonzero(~np.isfinite(values)).tolist():
        texts[row] = f"{before}null{after}"
    return texts


def json_texts(values: Iterable[object]) -> list[str]:
    """Each as a string of JSON."""
    from json.encoder import encode_basestring

    texts = [encode_basestring(str(value)) for value in values]
    whole = "".join(texts)
    return texts if whole == valid_text(whole) else list(map(valid_text, texts))


def csv_texts(values: Iterable[object]) -> list[str]:
    """Each as a cell of CSV, in quotes where it needs them."""
    texts = list(map(str, values))
    if not any(letter in "".join(texts) for letter in ',"\r\n'):
        return texts
    import csv
    import io

    quoted = []
    for text in texts:
        line = io.StringIO()
        csv.writer(line, lineterminator="").writerow([text, ""])
        quoted.append(line.getvalue()[:-1])
    return quoted


def interleaved(*columns: Iterable[str]) -> Iterator[str]:
    """The texts of the first row, those of the second, and so on: to be joined at once, as text for
    each row takes longer."""
    return itertools.chain.from_iterable(zip(*columns, strict=False))
