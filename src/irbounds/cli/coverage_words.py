"""How often intervals cover, in words for the foot of a table."""

from __future__ import annotations


def said_of(covers: str, percent: str, side: str) -> str:
    """How often a method covers, in words: of the true recall, at a level in percent."""
    from irbounds.samples.methods import AVERAGE, EVERY

    if covers == EVERY:
        return f"covers at least {percent} in every review"
    if side != "two-sided":  # the page of measured coverage has 69 % for bounds on F at 95 %
        return f"covers much less than {percent} in some reviews"
    if covers == AVERAGE:
        return f"covers about {percent} on average over reviews, in some reviews less"
    return f"covers less than {percent} on average"
