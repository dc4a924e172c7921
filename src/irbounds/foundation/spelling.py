"""Names that look alike, but are spelt in two ways: as ids and labels they are not the same."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from typing import Any

TRUTHS = {"true": 1, "false": 0}  # as Python, R and JSON write 1 and 0
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?")
UNSEEN = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))


def as_seen(name: str) -> str:
    """A name as a reader sees it: letters composed, without blanks around it and signs of no width;
    a whole number without zeros before it."""
    if not name.isascii():
        from unicodedata import normalize  # here, as few names need it

        name = normalize("NFC", name)
    if " " in name or not name.isprintable():
        name = " ".join(name.translate(UNSEEN).split())
    return name.lstrip("0") or "0" if name[:1] == "0" and name.isdecimal() else name


def alike(names: Iterable[str], others: Iterable[str]) -> tuple[str, str] | None:
    """The first name that is none of the others, but looks like one of them that is no name."""
    names, others = dict.fromkeys(names), dict.fromkeys(others)
    seen = {as_seen(other): other for other in others if other not in names}
    if not seen:
        return None
    for name in names:
        other = seen.get(as_seen(name))
        if other is not None and name not in others:
            return name, other
    return None


def said(pair: tuple[str, str] | None) -> str:
    """The end of a message: two names that look alike, if there are."""
    if pair is None:
        return ""
    name, other = (each[:80] for each in pair)
    return (
        f"; {name!a} and {other!a} look alike, but blanks, zeros in front or the form of letters "
        "differ"
    )


def key_of(label: Hashable) -> Any:
    """One key for labels that are one: numbers that are equal, also where they are text."""
    if not isinstance(label, str):
        return label
    word = label.strip().lower()
    if NUMBER.fullmatch(word):
        from decimal import Decimal  # here, as few labels need it

        return Decimal(word)
    return TRUTHS.get(word, label)
