"""The common style of all figures: axes, and colours that colour-blind readers can tell apart."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from irbounds.foundation.rounding import probability as probability

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito (2008), without the yellow that vanishes on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", "--", "-.", ":")
GREY = "#767676"
SIZE = (6.4, 4.2)
LONGEST_NAME = 36
LETTER = 6  # points, of the usual size of text


def axes(ax: Axes | None, size: tuple[float, float] = SIZE) -> Axes:
    """The given Axes, or those of a new figure of this size in inches."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError('plots need Matplotlib: pip install "irbounds[plot]"') from None
    return plt.subplots(figsize=size, layout="constrained")[1]


def tidy(ax: Axes) -> Axes:
    """Remove the parts of the frame that carry no scale."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(length=3)
    return ax


def name_rows(ax: Axes, names: Sequence[Any]) -> Axes:
    """Make rows with names, from the top down."""
    from matplotlib.ticker import MaxNLocator

    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_yticks(range(len(names)), [shown(name) for name in names], parse_math=False)
    ax.grid(axis="x", color=GREY, alpha=0.25, linewidth=0.6)
    ax.xaxis.label.set_wrap(True)
    # As many ticks as have room beside the names, each with six letters, whatever the layout does.
    longest = max((len(shown(name)) for name in names), default=0)
    room = 90 * ax.bbox.width / ax.figure.dpi - LETTER * longest
    locator = ax.xaxis.get_major_locator()
    if isinstance(locator, MaxNLocator):  # else there are no ticks
        locator.set_params(nbins=min(9, max(2, int(room // (8 * LETTER)))), min_n_ticks=1)
    tidy(ax).spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return ax


def style(number: int) -> dict[str, Any]:
    """The line style of a system: colour, marker and dashes all distinguish it from its neighbours,
    also in greyscale."""
    # Seven colours and seven markers repeat together: after each lap the markers are shifted by
    # one, so that 49 systems differ.
    lap = number // len(COLOURS)
    return {
        "color": COLOURS[number % len(COLOURS)],
        "marker": MARKERS[(number + lap) % len(MARKERS)],
        "linestyle": DASHES[(number + lap) % len(DASHES)],
    }


def shown(name: object) -> str:
    """A name on one line without characters that fonts lack; the middle of a long name is left
    out."""
    text, half = drawable(str(name)), LONGEST_NAME // 2
    return text if len(text) <= LONGEST_NAME else f"{text[:half]}…{text[1 - half :]}"


def drawable(text: str) -> str:
    """The text without control characters and others that fonts or XML cannot represent."""
    return "".join(
        " "
        if letter in "\t\n\r"
        else "\N{REPLACEMENT CHARACTER}"
        if _cannot_be_drawn(letter)
        else letter
        for letter in text
    )


def _cannot_be_drawn(letter: str) -> bool:
    """True for such characters, and for those that change the writing direction, which can make two
    names look alike."""
    return (
        unicodedata.category(letter) in ("Cc", "Cs")
        or ord(letter) & 0xFFFE == 0xFFFE
        or letter in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    )


def legend(ax: Axes, handles: Sequence[Any], names: Sequence[Any], **options: Any) -> None:
    """A legend above the axes, or beside them if there are many names; names are plain text."""
    place = (
        {"loc": "lower left", "bbox_to_anchor": (0, 1), "ncols": 3}
        if len(names) <= 3
        else {"loc": "upper left", "bbox_to_anchor": (1.01, 1)}
    )
    made = ax.legend(
        list(handles),
        # Matplotlib leaves out names that begin with "_", and reads $ as mathematics: they are set
        # afterwards.
        [f"{i}" for i in range(len(names))],
        frameon=False,
        fontsize="small" if len(names) <= 16 else "x-small",
        borderaxespad=0.2,
        **place | options,
    )
    for text, name in zip(made.get_texts(), names, strict=True):
        text.set_parse_math(False)
        text.set_text(shown(name))
