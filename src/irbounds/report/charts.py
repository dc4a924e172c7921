"""Figures as SVG in a page: with a title for screen readers, in the colours and fonts of the
page."""

from __future__ import annotations

import io
import re
import threading
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from irbounds.plot.canvas import COLOURS, GREY, drawable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Names of colours in a page, so that its dark version can have other colours.
NAMES = {colour.lower(): f"var(--c{i})" for i, colour in enumerate(COLOURS[:-1])} | {
    COLOURS[-1]: "currentColor",
    GREY: "var(--grey)",
    "#b0b0b0": "var(--grey)",
}
SETTINGS: dict[Any, Any] = {"svg.hashsalt": "irbounds", "svg.fonttype": "none"}
# Matplotlib's settings and the filters of warnings are those of the process
ONE_AT_A_TIME = threading.Lock()
WIDE, HALF = 9.4, 4.6  # inches: as wide as the page, and two beside each other; letters are alike
HREF = "{http://www.w3.org/1999/xlink}href"


def chart(
    key: str,
    title: str,
    description: str,
    draw: Callable[[Axes], Any],
    size: tuple[float, float] = (WIDE, 3.6),
) -> str:
    """The figure that `draw` draws on an Axes, as an SVG element.

    Parameters
    ----------
    key : str
        Begins the identifiers inside, which a page must have once.
    title, description : str
        Title of the picture, and its description in words.
    size : pair of float
        Width and height in inches.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with ONE_AT_A_TIME, warnings.catch_warnings(), mpl.rc_context():
        # The browser's fonts draw the letters of names, not Matplotlib's.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        mpl.rcdefaults()
        mpl.rcParams.update(SETTINGS)
        figure = Figure(figsize=size, layout="constrained")
        draw(figure.subplots())
        text = io.StringIO()
        figure.savefig(
            text, format="svg", transparent=True, metadata={"Date": None, "Creator": None}
        )
    return _inline(ET.fromstring(text.getvalue()), key, title, description, size[0] > HALF)


def _inline(svg: ET.Element, key: str, title: str, description: str, is_wide: bool) -> str:
    for parent in list(svg.iter()):
        for child in list(parent):
            if _tag(child) in ("metadata", "style"):
                parent.remove(child)
    # Identifiers that something in the figure refers to; all others are left out.
    used = set(
        re.findall(
            r"#([\w-]+)",
            " ".join(value for element in svg.iter() for value in element.attrib.values()),
        )
    )
    for element in svg.iter():
        element.tag = _tag(element)
        element.attrib = {
            name: _value(value, name, key)
            for name, value in (
                (name.replace(HREF, "href"), value) for name, value in element.attrib.items()
            )
            if name != "id" or value in used
        }
    # No width and height: the page's style scales the figure by its viewBox.
    svg.attrib = {
        "viewBox": svg.attrib["viewBox"],
        "class": "chart wide" if is_wide else "chart",
        "role": "img",
        "aria-labelledby": f"{key}-title {key}-desc",
    }
    for name, words in (("desc", description), ("title", title)):
        element = ET.Element(name, id=f"{key}-{name}")
        element.text = drawable(words)
        svg.insert(0, element)
    return ET.tostring(svg, encoding="unicode", short_empty_elements=False)


def _tag(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]


def _value(value: str, name: str, key: str) -> str:
    """An attribute with identifiers, fonts and colours of the page, rounded to the digits that a
    screen shows."""
    if name == "id":
        # Figures share a page: identifiers that Matplotlib numbers from 1 in each would clash.
        return f"{key}-{value}"
    if name == "href" or "url(#" in value:
        return re.sub(r"#([\w-]+)", rf"#{key}-\1", value)
    if name == "style":
        value = re.sub(r"font: ([\d.]+)px [^;]*", r"font-size: \1px", value)
        value = re.sub(r"font-family: [^;]*;? ?", "", value)
        return re.sub(r"#[0-9a-f]{6}\b", lambda found: NAMES.get(found[0], found[0]), value)
    return (
        re.sub(r"-?\d+\.\d{3,}", lambda found: f"{float(found[0]):.2f}", value)
        if name in ("d", "x", "y", "points", "width", "height")
        else value
    )
