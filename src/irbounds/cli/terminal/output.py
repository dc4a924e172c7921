"""Columns of numbers and texts as CSV and JSON write them, lines put together of them, and where
they come from."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from irbounds._version import __version__
from irbounds.foundation.paths import can_reread, file_hash, shown_name
from irbounds.foundation.writing import valid_text

if TYPE_CHECKING:
    import numpy as np

MOST_PICTURES = 6  # in one figure
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


# Options that say how runs are evaluated, in the order of machine-readable output.
EVALUATED = (
    *("ties", "missing", "no_relevant", "drop_self", "duplicates"),
    *("judged_only", "collection_size"),
    *("unjudged", "unjudged_hidden", "max_grade", "score_precision", "score_tolerance", "columns"),
)


def hash_of(path: str) -> str | None:
    """SHA-256 of a file, as sha256sum prints it; None of what can be read once only."""
    return file_hash(path) if can_reread(path) else None


def groups_record(path: str | None) -> dict[str, Any]:
    """The file of the queries' groups, if there is one."""
    if path is None:
        return {}
    return {"groups": {"name": shown_name(path), "sha256": hash_of(path)}}


class Provenance:
    """The origin of machine-readable output: the version, the judgments, measures and options
    (named as those of `irbounds.evaluate`) of all runs, and hashes of the files.

    Files are read again for their hashes, when the first format asks for them.
    """

    def __init__(self, qrels: str, measures: Sequence[Any], options: Mapping[str, Any]) -> None:
        self.qrels, self.measures = qrels, measures
        self.options = {name: options[name] for name in EVALUATED}
        self.groups = options.get("groups")

    @cached_property
    def shared(self) -> dict[str, Any]:
        """Fields that all runs share."""
        return {
            "version": __version__,
            "qrels": {"name": shown_name(self.qrels), "sha256": hash_of(self.qrels)},
            "measures": list(map(str, self.measures)),
            **self.options,
            **self._probabilities(),
            **groups_record(self.groups),
        }

    def _probabilities(self) -> dict[str, Any]:
        """The hash of a file of probabilities, named by the option `unjudged`."""
        from irbounds.rankings.unjudged.treatment import TREATMENTS

        unjudged = self.options.get("unjudged")
        if not isinstance(unjudged, str) or unjudged in TREATMENTS:
            return {}
        return {"unjudged_sha256": hash_of(unjudged)}

    def of_run(self, path: str) -> dict[str, Any]:
        """Fields of one run."""
        return {**self.shared, "sha256": hash_of(path)}


def save_plot(figure: Any, path: str) -> None:
    """Write a figure of Matplotlib, or that of the axes, in the format that the name ends in."""
    import io
    from pathlib import Path

    from irbounds.foundation.atomic import write_file
    from irbounds.foundation.errors import InputError

    figure = getattr(figure, "figure", figure)
    kinds = figure.canvas.get_supported_filetypes()
    kind = Path(path).suffix[1:].lower()
    if kind not in kinds:
        raise InputError(f"--plot must end in one of .{', .'.join(sorted(kinds))}; found {path!r}")
    picture = io.BytesIO()
    figure.savefig(picture, dpi=150, format=kind)
    write_file(picture.getvalue(), path)


def plot_measures(
    draw: Callable[[Any, Any], Any], measures: Sequence[Any], n_rows: int, path: str
) -> None:
    """Write one figure with a picture of `n_rows` rows for each of the first measures."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError('plots need Matplotlib: pip install "irbounds[plot]"') from None
    shown = measures[:MOST_PICTURES]
    size = 6.4, len(shown) * (0.95 + 0.27 * n_rows)  # as the figures of irbounds.plot alone
    figure, rows = plt.subplots(len(shown), figsize=size, layout="constrained", squeeze=False)
    for measure, ax in zip(shown, rows[:, 0], strict=True):
        draw(measure, ax)
    save_plot(figure, path)
    plt.close(figure)
