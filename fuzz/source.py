"""Choices out of bytes: the fuzzer changes bytes, a harness asks for numbers and words."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any


class Source:
    """Reads choices from bytes, the first first; after their end every choice is the first one."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, n: int) -> bytes:
        """The next n bytes, zeros behind the end."""
        part = self.data[self.at : self.at + n]
        self.at += n
        return part.ljust(n, b"\0")

    def number(self, limit: int) -> int:
        """A whole number below the limit, at most 65536."""
        return int.from_bytes(self.take(2 if limit > 256 else 1), "little") % limit

    def choice(self, options: Sequence[Any]) -> Any:
        """One of a few."""
        return options[self.number(len(options))]

    def flag(self) -> bool:
        """Yes or no."""
        return bool(self.number(2))

    def double(self) -> float:
        """Any bits as a float, or a usual number."""
        kind = self.number(4)
        if kind == 0:
            return struct.unpack("<d", self.take(8))[0]
        return float(self.number(5)) if kind < 3 else self.number(1000) / 1000

    def rest(self) -> bytes:
        """All that is left."""
        return self.data[self.at :]
