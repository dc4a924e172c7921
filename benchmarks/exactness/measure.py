"""Errors, the promise they are held to, and the families that ask."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

ABSOLUTE, RELATIVE = "absolute", "relative"
# absolute below: of logarithms, and of numbers that may be 0 but for rounding
ABOVE_1 = "relative above 1"


@dataclass
class Row:
    """One row of the table: the largest error of all answers that it was given."""

    what: str
    against: str
    promised: float
    kind: str = ABSOLUTE
    peer: str = ""
    answers: int = 0
    largest: float = 0.0
    peers_largest: float = 0.0

    def add(self, values: Any, exact: Any, peers: Any = None) -> None:
        """One answer or an array of them, with what is right."""
        values, exact = flat(values), flat(exact)
        self.answers += len(values)
        self.largest = max(
            self.largest, *(error(*pair, self.kind) for pair in zip(values, exact, strict=True))
        )
        if peers is not None:
            peers = flat(peers)
            self.peers_largest = max(
                self.peers_largest,
                *(error(*pair, self.kind) for pair in zip(peers, exact, strict=True)),
            )

    @property
    def is_kept(self) -> bool:
        """Whether the promise was: nan, and a row without answers, keep none."""
        return self.answers > 0 and self.largest <= self.promised

    def cells(self) -> list[str]:
        """Text for the table."""
        peer = f"{self.peer} {self.peers_largest:.1e}" if self.peer else ""
        return [
            self.what,
            self.against,
            f"{self.answers:,}",
            f"{self.promised:.0e}",
            f"{self.largest:.1e}" + ("" if self.is_kept else " (broken)"),
            self.kind,
            peer,
        ]


@dataclass(frozen=True)
class Family:
    """A generator of rows, how many questions it is given, and the public names that it holds to
    their promises.

    With no questions for the quick run, its twins are too slow for that.
    """

    rows: Callable[[int], Iterator[Row]]
    full: int
    quick: int
    names: str

    def asked(self, quick: bool) -> Iterator[Row]:
        """The rows of a run."""
        n = self.quick if quick else self.full
        return self.rows(n) if n else iter(())


def flat(values: Any) -> list[Any]:
    """A list of numbers of any kind."""
    if isinstance(values, np.ndarray):
        return values.ravel().tolist()
    return list(values) if isinstance(values, list | tuple) else [values]


def error(value: Any, exact: Any, kind: str) -> float:
    """How far apart; nan is infinitely far from all but nan, an infinity from all but itself."""
    value, exact = float(value), many_digits(exact)
    if math.isnan(value) or mpmath.isnan(exact):
        return 0.0 if math.isnan(value) and mpmath.isnan(exact) else math.inf
    if value == exact:
        return 0.0
    scale = {ABSOLUTE: 1, RELATIVE: abs(exact), ABOVE_1: max(1, abs(exact))}[kind]
    return float(abs(value - exact) / scale) if scale and mpmath.isfinite(exact) else math.inf


def many_digits(x: Any) -> mpmath.mpf:
    """As a number of mpmath's."""
    return mpmath.mpf(x.numerator) / x.denominator if isinstance(x, Fraction) else mpmath.mpf(x)
