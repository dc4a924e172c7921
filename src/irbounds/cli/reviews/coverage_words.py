"""How often intervals cover, in words for the foot of a table."""

from __future__ import annotations


def level_of(level: float, side: str) -> str:
    """The level and the side of intervals, in words: "95 % lower bounds"."""
    percent = percent_of(level)
    return f"{percent} intervals, {side}" if side == "two-sided" else f"{percent} {side} bounds"


def percent_of(level: float) -> str:
    """A level in percent."""
    return f"{100 * level:.12g} %"


def said_of(covers: str, percent: str, side: str) -> str:
    """How often a method covers, in words: of the true recall, at a level in percent."""
    from irbounds.samples.intervals.table import AVERAGE, EVERY

    if covers == EVERY:
        return f"covers at least {percent} in every review"
    if side != "two-sided":  # the page of measured coverage has 69 % for bounds on F at 95 %
        return f"covers much less than {percent} in some reviews"
    if covers == AVERAGE:
        return f"covers about {percent} on average over reviews, in some reviews less"
    return f"covers less than {percent} on average in some designs"


def covers_of(covers: str, side: str) -> str:
    """How often a method covers, in a cell: the table of methods has it for two-sided intervals."""
    from irbounds.samples.intervals.table import EVERY

    return covers if side == "two-sided" or covers == EVERY else "not always"
