"""Colours of text on terminals that show them."""

from __future__ import annotations

import os
from typing import Any

BOLD, CYAN, RED, END = "\033[1m", "\033[36m", "\033[31m", "\033[0m"


def has_colours(stream: Any) -> bool:
    """Whether a stream is a terminal that shows colours (https://no-color.org)."""
    return (
        stream is not None
        and stream.isatty()
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM") != "dumb"
    )


def coloured(text: str, colour: str, stream: Any) -> str:
    """The text, in a colour where the stream shows it."""
    return f"{colour}{text}{END}" if text and has_colours(stream) else text
