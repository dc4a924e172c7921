"""Parts of a hunt, and what came out of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from hunts._search import Answer

KEPT = 3  # findings of one kind, for each hunt


@dataclass(frozen=True)
class Task:
    """A part of a hunt: so many cases, or so long, of the processor or until a moment of the
    clock."""

    name: str
    part: tuple[int, ...]
    cases: float = math.inf
    seconds: float = math.inf
    until: float = math.inf


@dataclass
class Record:
    """The results of a hunt so far."""

    cases: int = 0
    refused: int = 0
    without_twin: int = 0
    seconds: float = 0.0  # of everything: draws, calls, twins
    slowest: float = 0.0
    worst: Answer | None = None
    worst_stated: Answer | None = None
    findings: dict[str, list[Answer]] = field(default_factory=dict)

    def add(self, answer: Answer) -> bool:
        """Count a case; whether the watching process has to see it."""
        self.cases += 1
        self.refused += answer.kind == "refused"
        self.without_twin += answer.kind == "no twin"
        self.slowest = max(self.slowest, answer.seconds)
        return self.keep(answer)

    def keep(self, answer: Answer) -> bool:
        """Keep it if it is worse than those before; whether it is."""
        is_worse = False
        if answer.kind == "answer":
            if self.worst is None or answer.ratio > self.worst.ratio:
                self.worst, is_worse = answer, True
            if answer.stated_ratio > (self.worst_stated.stated_ratio if self.worst_stated else 0):
                self.worst_stated, is_worse = answer, True
        elif answer.faults:
            some = self.findings.setdefault(answer.kind, [])
            is_worse = len(some) < KEPT
            if is_worse:
                some.append(answer)
        return is_worse

    def merge(self, other: Record) -> None:
        """Add the counts of another record; answers come on their own."""
        self.cases += other.cases
        self.refused += other.refused
        self.without_twin += other.without_twin
        self.seconds += other.seconds
        self.slowest = max(self.slowest, other.slowest)

    @property
    def compared(self) -> int:
        """Cases with an answer and a truth."""
        return self.cases - self.refused - self.without_twin

    @property
    def faults(self) -> list[Answer]:
        """The worst of each kind."""
        worst = [self.worst] if self.worst is not None and self.worst.faults else []
        if (
            self.worst_stated is not None
            and self.worst_stated.faults
            and self.worst_stated not in worst
        ):
            worst.append(self.worst_stated)
        return worst + [answer for some in self.findings.values() for answer in some]
