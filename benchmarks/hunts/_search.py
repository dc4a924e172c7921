"""One question asked, and the search for the worst: random draws, and changes of the worst so
far."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from hunts import Arguments, Hunt, NoTwinError

KEPT = 6  # worst questions, whose numbers are changed
# Draws and changes take turns in blocks, so that a twin can keep the law of a few questions.
BLOCK = 30


@dataclass
class Answer:
    """How one question went: `kind` is "answer", "refused" (InputError), "no twin", or a fault."""

    args: Arguments
    kind: str = "answer"
    value: float = math.nan
    truth: float = math.nan
    promise: float = math.nan
    note: str = ""

    @property
    def error(self) -> float:
        """Absolute; nan is infinitely far from all but nan, an infinity from all but itself."""
        if self.value == self.truth or (math.isnan(self.value) and math.isnan(self.truth)):
            return 0.0
        error = abs(self.value - self.truth)
        return math.inf if math.isnan(error) else error

    @property
    def ratio(self) -> float:
        """Error over promise."""
        if self.error == 0:
            return 0.0
        return self.error / self.promise if self.promise > 0 else math.inf

    @property
    def fault(self) -> str:
        """The fault in words, or nothing."""
        if self.kind not in ("answer", "refused", "no twin"):
            return f"{self.kind}: {self.note}" if self.note else self.kind
        if self.kind == "answer" and not self.ratio <= 1:
            return f"error {self.error:.3g}, promised {self.promise:.3g}: {self.ratio:.3g} times"
        return ""


def ask(hunt: Hunt, args: Arguments, said: Callable[[str], None] = lambda stage: None) -> Answer:
    """Ask both.  `said` is told "value" and "truth" before the call of each."""
    from irbounds import InputError

    answer = Answer(args)
    said("value")
    try:
        answer.value = float(hunt.value(args))
    except InputError as error:
        answer.kind, answer.note = "refused", str(error)
        return answer
    except NoTwinError as error:  # the twin finds the place that is asked about
        answer.kind, answer.note = "no twin", str(error)
        return answer
    except Exception as error:  # whatever it is, a caller would see it
        answer.kind, answer.note = type(error).__name__, str(error)
        return answer
    said("truth")
    try:
        answer.truth = float(hunt.truth(args))
        answer.promise = hunt.allowed(args, answer.truth) if answer.truth == answer.truth else 0.0
    except NoTwinError as error:
        answer.kind, answer.note = "no twin", str(error)
    except InputError as error:  # where the twin is asked at a place that irbounds finds
        answer.kind, answer.note = "refused", str(error)
    except Exception as error:  # a fault of the hunt
        answer.kind, answer.note = "the twin failed", f"{type(error).__name__}: {error}"
    return answer


def stream(seed: int, name: str, *parts: int) -> np.random.Generator:
    """The random numbers of one hunt: they depend on nothing else."""
    return np.random.default_rng([seed, zlib.crc32(name.encode()), *parts])


def search(
    hunt: Hunt,
    rng: np.random.Generator,
    said: Callable[[Arguments, str], None] = lambda args, stage: None,
) -> Iterator[Answer]:
    """Cases without end: blocks of draws, and of changes of one of the worst questions."""
    worst: list[tuple[float, Arguments]] = []
    for step in count():
        is_change = bool(worst) and step // BLOCK % 2 == 1
        args = mutated(worst[int(rng.integers(len(worst)))][1], rng) if is_change else None
        is_change = args is not None
        args = args or hunt.draw(rng)
        answer = ask(hunt, args, lambda stage, args=args: said(args, stage))
        if is_change and answer.kind == "the twin failed":  # it was not made for such a question
            answer.kind = "no twin"
        if answer.kind == "answer" and answer.ratio > 0:
            worst = sorted([*worst, (answer.ratio, args)], key=lambda pair: -pair[0])[:KEPT]
        yield answer


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every number inside, with the way to it."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif isinstance(value, list | tuple):
        for i, item in enumerate(value):
            yield from leaves(item, (*path, i))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, value


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """A copy with another value at the end of the path."""
    if not path:
        return new
    first, rest = path[0], path[1:]
    if isinstance(value, dict):
        return {**value, first: replaced(value[first], rest, new)}
    return type(value)(
        replaced(item, rest, new) if i == first else item for i, item in enumerate(value)
    )


def mutated(args: Arguments, rng: np.random.Generator) -> Arguments | None:
    """The arguments with one to three numbers changed; None where there is no number."""
    places = list(leaves(args))
    if not places:
        return None
    for _ in range(int(rng.choice([1, 1, 2, 3]))):
        path, value = places[int(rng.integers(len(places)))]
        args = replaced(args, path, moved(value, rng))
        places = list(leaves(args))
    return args


def moved(value: float, rng: np.random.Generator) -> float:
    """Another number of the same kind: near, at the next step, or 0 or 1."""
    how = rng.random()
    if isinstance(value, int):
        if how < 0.45:
            return value + int(rng.choice([-1, 1]))
        if how < 0.92:
            change = abs(value) * math.expm1(10 ** rng.uniform(-3, 0) * rng.normal())
            return value + round(change) if math.isfinite(change) else value
        return int(rng.integers(0, 2))
    if how < 0.75:
        return value * math.exp(10 ** rng.uniform(-9, 0) * rng.normal())
    if how < 0.85:
        return math.nextafter(value, float(rng.choice([-math.inf, math.inf])))
    if how < 0.9:
        return 1 - value
    if how < 0.95 and math.isfinite(value):
        return float(round(value))
    return float(rng.integers(0, 2))
