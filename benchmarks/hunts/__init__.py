"""Hunts of `benchmarks/hunt.py`: questions with the largest error, a module for each subject.

Each module has a list `HUNTS`. A hunt's name begins with the public name that it tests, as in
`irbounds.__all__`: `recall_posterior.quantile, strata` tests `recall_posterior`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Arguments = dict[str, Any]


class NoTwinError(Exception):
    """Raised by `truth` where a question is beyond the slow twin: the case does not count."""


@dataclass(frozen=True)
class Hunt:
    """One number of one public function, its whole domain, and its slow twin.

    `value`, `truth` and the others take the dictionary that `draw` made, as one argument. Its
    values are whole numbers, floats, text, None, tuples, lists, or dictionaries of these, so that
    a finding can be printed and repeated.

    Parameters
    ----------
    name : str
        The public name, then what tells this hunt from others of that name.
    draw : callable
        Draws arguments from the whole domain with the generator that it is given.
    value : callable
        The answer of irbounds. It may raise `InputError`: the question is then outside the domain.
    truth : callable
        The answer of the slow twin, which must not import irbounds. nan where the answer is
        undefined. It may raise `NoTwinError` where it cannot answer.
    promise : float or callable
        The largest absolute error that the documentation allows.
    stated_error : callable, optional
        The error that the function itself states with this answer, if it states one.
    seconds : float or callable
        How long one call of `value` may last.
    sure : callable, optional
        A slower twin, where `truth` is a quick one. It is asked now and then, and where the error
        looks large; that the twins differ by a tenth of the promise is a finding as well.
    """

    name: str
    draw: Callable[[np.random.Generator], Arguments]
    value: Callable[[Arguments], float]
    truth: Callable[[Arguments], float]
    promise: float | Callable[[Arguments], float]
    stated_error: Callable[[Arguments], float] | None = None
    seconds: float | Callable[[Arguments], float] = 1.0
    sure: Callable[[Arguments], float] | None = None

    @property
    def function(self) -> str:
        """The public name."""
        letters = (not (c.isalnum() or c == "_") for c in self.name)
        return self.name[: next((i for i, other in enumerate(letters) if other), len(self.name))]


def last_answer(function: Callable[[Arguments], float]) -> Callable[[Arguments], float]:
    """The same function, which remembers its last answer: promises relative to a slow truth."""
    known: list[tuple[str, float]] = []

    def answer(args: Arguments) -> float:
        key = repr(args)
        if not known or known[0][0] != key:
            known[:] = [(key, function(args))]
        return known[0][1]

    return answer


def remembering(
    function: Callable[[Arguments], float],
) -> tuple[Callable[[Arguments], float], Callable[[Arguments], float]]:
    """The function, which always calculates, as its time is measured; and its last answer, near
    which a twin may begin to look."""
    known: list[tuple[str, float]] = []

    def answer(args: Arguments) -> float:
        known[:] = [(repr(args), function(args))]
        return known[0][1]

    def again(args: Arguments) -> float:
        return known[0][1] if known and known[0][0] == repr(args) else answer(args)

    return answer, again


def hunts_by_subject() -> dict[str, list[Hunt]]:
    """The hunts of each module beside this file; names that begin with _ are machinery."""
    names = [
        module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_")
    ]
    return {name: importlib.import_module(f"{__name__}.{name}").HUNTS for name in sorted(names)}


def all_hunts() -> dict[str, Hunt]:
    """Every hunt by its name."""
    hunts = [hunt for some in hunts_by_subject().values() for hunt in some]
    found = {hunt.name: hunt for hunt in hunts}
    if len(found) < len(hunts):
        names = [hunt.name for hunt in hunts]
        raise ValueError(
            f"two hunts are called {next(name for name in names if names.count(name) > 1)!r}"
        )
    return found
