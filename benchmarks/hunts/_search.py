"""One question asked, and the search for the worst: draws, and climbs from the worst so far."""

from __future__ import annotations

import math
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hunts import Arguments, Hunt, NoTwinError

POOL = 6  # climbs begin at one of so many worst questions
PATIENCE = 30  # a climb ends after so many steps that led no higher
SHARE_OF_CLIMBS = 0.5
# A call that uses the processor so many times its limit, and GRACE seconds, is taken for a hang.
LATE = 10
GRACE = 15.0
LONGEST = 300.0  # seconds that any call may last
# A call is slow if none of so many is within its limit: the first may have imported a library, and
# work on the same core makes each step longer.
ATTEMPTS = 5
# The sure twin is asked one question of so many, and each whose error is above that part of what is
# promised, as the quick twin may be wrong there.
SURE_EVERY, SURE_ABOVE, TWINS_APART = 200, 0.2, 0.1
ROUNDING = 4 * np.finfo(float).eps  # of the twin's own number as a double, relative


@dataclass
class Answer:
    """How one question went: `kind` is "answer", "refused" (InputError), "no twin", or a fault."""

    args: Arguments
    kind: str = "answer"
    value: float = math.nan
    truth: float = math.nan
    promise: float = math.nan
    stated: float = math.nan
    seconds: float = 0.0
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
        return _over(self.error, self.promise)

    @property
    def stated_ratio(self) -> float:
        """Error over the error that the function states; 0 where it states none."""
        if math.isnan(self.stated):
            return 0.0
        return _over(self.error, max(self.stated, ROUNDING * abs(self.truth)))

    @property
    def faults(self) -> list[str]:
        """Its faults, in words."""
        if self.kind not in ("answer", "refused", "no twin"):
            return [f"{self.kind}: {self.note}" if self.note else self.kind]
        faults = []
        if self.kind == "answer" and not self.ratio <= 1:
            faults.append(
                f"error {self.error:.3g}, promised {self.promise:.3g}: {self.ratio:.3g} times"
            )
        if self.kind == "answer" and not self.stated_ratio <= 1:
            faults.append(
                f"error {self.error:.3g}, stated {self.stated:.3g}: {self.stated_ratio:.3g} times"
            )
        return faults


def _over(error: float, promise: float) -> float:
    if error == 0:
        return 0.0
    return error / promise if promise > 0 else math.inf


def of(value: Any, args: Arguments) -> float:
    """A number, or what a function makes of the arguments."""
    return float(value(args) if callable(value) else value)


def time_limit(hunt: Hunt, args: Arguments) -> float:
    """How long the call may last; the rule was not made for what a mutation may have made."""
    try:
        limit = of(hunt.seconds, args)
    except Exception:
        return 1.0
    return min(limit, LONGEST) if limit > 0 else 1.0


def ask(hunt: Hunt, args: Arguments, said: Callable[[str], None] = lambda stage: None) -> Answer:
    """Ask both. `said` is told "value" and "truth" before the call of each."""
    from irbounds import InputError

    answer = Answer(args)
    said("value")
    allowed = time_limit(hunt, args)
    start = time.process_time()
    try:
        answer.value = float(hunt.value(args))
        if hunt.stated_error is not None:
            answer.stated = float(hunt.stated_error(args))
    except InputError as error:
        answer.kind, answer.note = "refused", str(error)
        return answer
    except NoTwinError as error:  # the twin finds the place that is asked about
        answer.kind, answer.note = "no twin", str(error)
        return answer
    except Exception as error:  # whatever it is, a caller would see it
        answer.kind, answer.note = type(error).__name__, str(error)
        return answer
    finally:
        answer.seconds = time.process_time() - start
    for _ in range(ATTEMPTS - 1):
        if answer.seconds <= allowed:
            break
        start = time.process_time()
        hunt.value(args)
        answer.seconds = min(answer.seconds, time.process_time() - start)
    if answer.seconds > allowed:
        answer.kind, answer.note = "slow", f"{answer.seconds:.2g} s, {allowed:.2g} s are allowed"
        return answer
    said("truth")
    try:
        answer.truth = float(hunt.truth(args))
        answer.promise = of(hunt.promise, args) if not math.isnan(answer.truth) else 0.0
        if hunt.sure is not None and _is_for_the_sure_twin(answer):
            _ask_sure_twin(hunt, answer)
    except NoTwinError as error:
        answer.kind, answer.note = "no twin", str(error)
    except Exception as error:  # a fault of the hunt
        answer.kind, answer.note = "the twin failed", f"{type(error).__name__}: {error}"
    return answer


def _is_for_the_sure_twin(answer: Answer) -> bool:
    """True for a share of the questions, always the same ones, and for what looks wrong."""
    share = zlib.crc32(repr(answer.args).encode()) % SURE_EVERY
    return share == 0 or not max(answer.ratio, answer.stated_ratio) <= SURE_ABOVE


def _ask_sure_twin(hunt: Hunt, answer: Answer) -> None:
    """Its answer takes the place of the quick one's, unless it has none."""
    assert hunt.sure is not None
    try:
        sure = float(hunt.sure(answer.args))
    except NoTwinError:
        return
    quick, answer.truth = answer.truth, sure
    answer.promise = of(hunt.promise, answer.args) if not math.isnan(sure) else 0.0
    apart = 0.0 if quick == sure or (quick != quick and sure != sure) else abs(quick - sure)
    if not apart <= TWINS_APART * answer.promise + ROUNDING * abs(sure):
        answer.kind, answer.note = "the twins differ", f"{quick!r} and {sure!r}"


def stream(seed: int, name: str, *parts: int) -> np.random.Generator:
    """The random numbers of one part of one hunt: they depend on nothing else."""
    return np.random.default_rng([seed, zlib.crc32(name.encode()), *parts])


@dataclass
class Search:
    """A hunt's cases, one by one: draws, and climbs by either ratio from the worst questions."""

    hunt: Hunt
    rng: np.random.Generator
    worst: dict[str, list[tuple[float, Arguments]]] = field(
        default_factory=lambda: {"ratio": [], "stated_ratio": []}
    )

    def cases(
        self, said: Callable[[Arguments, str], None] = lambda args, stage: None
    ) -> Iterator[Answer]:
        """Without end."""
        while True:
            if self.rng.random() < SHARE_OF_CLIMBS and any(self.worst.values()):
                yield from self._climb(said)
            else:  # as many draws as a fruitless climb has steps
                for _ in range(PATIENCE):
                    yield self._asked(self.hunt.draw(self.rng), said)

    def _climb(self, said: Callable[[Arguments, str], None]) -> Iterator[Answer]:
        by = str(self.rng.choice([name for name, some in self.worst.items() if some]))
        height, args = self.worst[by][int(self.rng.integers(len(self.worst[by])))]
        missed = 0
        while missed < PATIENCE and height < math.inf:
            moved = mutated(args, self.rng)
            if moved is None:
                return
            answer = self._asked(moved, said)
            if answer.kind == "the twin failed":  # it was not made for what the mutation made
                answer.kind = "no twin"
            yield answer
            if answer.kind == "answer" and getattr(answer, by) > height:
                height, args, missed = getattr(answer, by), moved, 0
            else:
                missed += 1

    def _asked(self, args: Arguments, said: Callable[[Arguments, str], None]) -> Answer:
        answer = ask(self.hunt, args, lambda stage: said(args, stage))
        if answer.kind == "answer":
            for by, pool in self.worst.items():
                if getattr(answer, by) > 0:
                    pool.append((getattr(answer, by), args))
                    pool.sort(key=lambda pair: -pair[0])
                    del pool[POOL:]
        return answer


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
        return {
            key: replaced(item, rest, new) if key == first else item for key, item in value.items()
        }
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
        if rng.random() < 0.1:
            other, stored = places[int(rng.integers(len(places)))]
            if type(stored) is type(value):
                args = replaced(replaced(args, path, stored), other, value)
        else:
            args = replaced(args, path, moved(value, rng))
        places = list(leaves(args))
    return args


def moved(value: float, rng: np.random.Generator) -> float:
    """Another number of the same kind: near, at the next step, or 0, 1 or its like."""
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
