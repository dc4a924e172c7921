"""The measures of two rankings: their names, and what the kernel takes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irbounds._core.evaluating.ranking_pairs import MEASURE
from irbounds.foundation.errors import InputError, fail, shown, suggest
from irbounds.rankings.measure_table.measure import Measure

if TYPE_CHECKING:
    from irbounds.typing import MeasuresLike


class _Row(NamedTuple):
    """A measure of the table."""

    has_cutoff: bool
    ties: tuple[str, ...]  # beside the mean over orders
    limits: tuple[float, float]


TABLE = {  # in the order of the kernel's numbers
    "Overlap": _Row(True, (), (0, 1)),
    "RBO": _Row(True, ("w", "a", "b"), (0, 1)),
    "Tau": _Row(False, ("b",), (-1, 1)),
    "TauAP": _Row(False, (), (-1, 1)),
    "Spearman": _Row(False, ("b",), (-1, 1)),
}
TIES = ("mean", "w", "a", "b")  # likewise
USUAL = "Overlap@10 RBO(p=0.9) Tau"
NAMES = "Overlap@k, RBO(p=0.9), RBO(p=0.9)@k, Tau, TauAP, Spearman"
FORM = re.compile(r"([A-Za-z]+)(?:\(([^()]*)\))?(?:@([0-9]+))?")
MOST_DEPTH = 2**31


class PairMeasure(NamedTuple):
    """One measure, and its row for the kernel."""

    measure: Measure
    row: tuple[int, int, int, float]


def parse_pair_measures(measures: MeasuresLike) -> list[PairMeasure]:
    """Measures by their names, each once."""
    names: Iterable[object] = measures if isinstance(measures, Iterable) else [measures]
    if isinstance(measures, str):
        names = re.findall(r"[^\s(]+(?:\([^)]*\)\S*)?", measures)
    found = {one.measure: one for one in map(_parse, names)}
    if not found:
        raise InputError(f"`measures` names none: give some of {NAMES}")
    return list(found.values())


def as_rows(measures: Sequence[PairMeasure]) -> np.ndarray:
    """The rows that the kernel takes."""
    return np.array([one.row for one in measures], MEASURE)


def _parse(given: object) -> PairMeasure:
    text = str(given)
    match = FORM.fullmatch(text.strip())
    if match is None:
        fail("measures", f"must be some of {NAMES}", given)
    name, inside, at = match.groups()
    if name not in TABLE:
        raise InputError(
            f"{shown(text)}: no measure of two rankings is called {name}; there are {NAMES}"
            f"{suggest(name, TABLE)}"
        )
    row, parameters = TABLE[name], dict(_parameters(text, inside or ""))
    p, ties = parameters.pop("p", None), parameters.pop("ties", "mean")
    if name == "RBO" and p is None:
        raise InputError(f"{shown(text)}: give p, as in RBO(p=0.9)")
    if name != "RBO" and p is not None:
        parameters["p"] = p
    if parameters:
        unknown = ", ".join(parameters)
        takes = "p and ties" if name == "RBO" else "only ties" if row.ties else "none"
        raise InputError(f"{shown(text)}: {name} has no parameter {unknown}; it takes {takes}")
    if ties not in ("mean", *row.ties):
        of = f"ties={', ties='.join(row.ties)}" if row.ties else "no rule for ties"
        raise InputError(f"{shown(text)}: {name} takes {of}; without it, the mean over orders")
    if at is None and name == "Overlap":
        raise InputError(f"{shown(text)}: give the depth, as in Overlap@10")
    if at is not None and not (row.has_cutoff and 0 < int(at) < MOST_DEPTH):
        raise InputError(
            f"{shown(text)}: "
            + ("the depth must be 1 or more" if row.has_cutoff else f"{name} takes no depth")
        )
    inner = [f"p={_share(text, p):.15g}"] if p is not None else []
    inner += [f"ties={ties}"] if ties != "mean" else []
    full = name + (f"({','.join(inner)})" if inner else "") + (f"@{int(at)}" if at else "")
    numbers = list(TABLE).index(name), TIES.index(ties), int(at or 0)
    return PairMeasure(
        Measure.elsewhere(full, row.limits), (*numbers, _share(text, p) if p is not None else 0.0)
    )


def _parameters(text: str, inside: str) -> Iterable[tuple[str, str]]:
    for part in filter(None, map(str.strip, inside.split(","))):
        key, equals, value = map(str.strip, part.partition("="))
        if not equals:
            raise InputError(f"{shown(text)}: parameters are written as in RBO(p=0.9,ties=w)")
        yield key, value.strip("'\"")


def _share(text: str, value: str) -> float:
    try:
        p = float(value)
    except ValueError:
        p = 0.0
    if not 0 < p < 1:
        raise InputError(f"{shown(text)}: p must be above 0 and below 1; found {value}")
    return p
