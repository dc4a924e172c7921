"""Hunts of `benchmarks/hunt.py` and `benchmarks/accuracy.py`, a module for each subject.

Each module has a list `HUNTS`, and `TWINS` says what their twins do. A hunt's name begins with the
public name that it tests, as in `irbounds.__all__`: `recall_posterior.quantile, strata` tests
`recall_posterior`.
"""

from __future__ import annotations

import importlib
import math
import pkgutil
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Arguments = dict[str, Any]


class NoTwinError(Exception):
    """Raised where a question is beyond the twin: the case does not count."""


@dataclass(frozen=True)
class Relative:
    """A promise relative to the truth, and an absolute one for numbers near 0."""

    relative: float
    absolute: float = 1e-300

    def __call__(self, args: Arguments, truth: float) -> float:
        """The error that is allowed here."""
        return self.relative * abs(truth) + self.absolute if math.isfinite(truth) else 0.0


@dataclass(frozen=True)
class Hunt:
    """One number of one public function, the questions that it is asked, and its slow twin.

    `value` and `truth` take the dictionary that `draw` made. Its values are whole numbers, floats,
    text, None, tuples, lists, or dictionaries of these, so that a finding can be printed and
    repeated. A search changes numbers in it, also to ones that `draw` never makes.

    Parameters
    ----------
    name : str
        The public name, then what tells this hunt from others of that name.
    draw : callable
        Draws arguments with the generator that it is given.
    value : callable
        The answer of irbounds. It may raise `InputError`: the question is then outside the domain.
    truth : callable
        The answer of the twin, which must not import irbounds. nan where the answer is undefined.
        It may raise `NoTwinError` where it cannot answer.
    promise : float, Relative or callable
        The largest error that is allowed: absolute, relative, or a function of the arguments and
        the truth.
    promised : str
        The promise in words, where it is a function.
    """

    name: str
    draw: Callable[[np.random.Generator], Arguments]
    value: Callable[[Arguments], float]
    truth: Callable[[Arguments], float]
    promise: float | Relative | Callable[[Arguments, float], float]
    promised: str = ""

    @property
    def function(self) -> str:
        """The public name."""
        return re.match(r"\w+", self.name)[0]  # type: ignore[index]

    def allowed(self, args: Arguments, truth: float) -> float:
        """The largest error that is allowed here."""
        return float(self.promise(args, truth) if callable(self.promise) else self.promise)

    @property
    def promise_in_words(self) -> str:
        """For the page of accuracy."""
        if self.promised:
            return self.promised
        if isinstance(self.promise, Relative):
            return f"{self.promise.relative:.0e} relative"
        return f"{self.promise:.0e}" if self.promise else "exact"


def all_hunts() -> dict[str, Hunt]:
    """Every hunt by its name; modules that begin with _ are machinery."""
    found: dict[str, Hunt] = {}
    names = [module.name for module in pkgutil.iter_modules(__path__)]
    for name in sorted(name for name in names if not name.startswith("_")):
        for hunt in importlib.import_module(f"{__name__}.{name}").HUNTS:
            if hunt.name in found:
                raise ValueError(f"two hunts are called {hunt.name!r}")
            found[hunt.name] = hunt
    return found
