"""Scenarios: distributions over collections, retrievals and samples (Webber 2013, section 4.1)."""
from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from irbounds.foundation.arguments import as_floats, check_rng
from irbounds.foundation.errors import InputError, check_count, fail, shown

Known = Mapping[str, np.ndarray]
Distribution = float | tuple[float, float] | Callable[[np.random.Generator, int, Known], Any]
LEAST_SHARE = 1e-4  # of candidates that must be possible, or the scenario is called impossible


@dataclass(frozen=True, repr=False)
class Scenario:
    """Distributions of what a review may meet.

    Each field after the name is a number, a pair (low, high) for a uniform distribution between them, a frozen
    distribution of SciPy, or a function ``f(rng, n, known)`` that returns n values.  `known` maps to arrays
    what was drawn before, in the order of the fields: population, prevalence, relevant (R), recall, retrieved_relevant
    (R1), precision, retrieved (N1), unretrieved (N0).

    Attributes
    ----------
    name : str
    population : N, documents in the collection
    prevalence : π, so that R = round(N π)
    recall : so that R1 = round(R recall)
    precision : so that N1 = round(R1/precision)
    retrieved_sample, unretrieved_sample : n1, n0, documents assessed of each segment, rounded

    Examples
    --------
    >>> import irbounds as irb
    >>> mine = irb.Scenario("mine", population=100_000, prevalence=(0.01, 0.05), recall=(0.6, 0.9), precision=0.5,
    ...                     retrieved_sample=200, unretrieved_sample=lambda rng, n, known: known["unretrieved"] / 50)
    >>> mine.draw(3, rng=1).recall.round(2)
    array([0.85, 0.68, 0.66])
    """

    name: str
    population: Distribution
    prevalence: Distribution
    recall: Distribution
    precision: Distribution
    retrieved_sample: Distribution
    unretrieved_sample: Distribution

    def __repr__(self) -> str:
        return f"Scenario({self.name!r})"

    def draw(self, count: int, rng: Any = None) -> Realisations:
        """So many realisations; those that cannot exist are drawn again.

        Raises
        ------
        InputError
            Where next to none can exist, with the rule that most of them break.
        """
        count, rng = check_count("count", count, 1), check_rng(rng)
        found: list[np.ndarray] = []
        n_found, n_tried = 0, 0
        broken: dict[str, int] = {}
        while n_found < count:
            candidates = self._candidates(rng, max(64, count - n_found))
            possible = np.ones(candidates.shape[1], bool)
            for rule, kept in _rules(candidates):
                broken[rule] = broken.get(rule, 0) + int((possible & ~kept).sum())
                possible &= kept
            found.append(candidates[:, possible])
            n_found, n_tried = n_found + int(possible.sum()), n_tried + possible.size
            if n_tried >= 1 / LEAST_SHARE and n_found < LEAST_SHARE * n_tried:
                rule = max(broken, key=broken.__getitem__)
                raise InputError(f"scenario {self.name!r} cannot be: {rule} (in {broken[rule]} of {n_tried} draws)")
        return Realisations(*np.concatenate(found, axis=1)[:, :count])

    def _candidates(self, rng: np.random.Generator, count: int) -> np.ndarray:
        known: dict[str, np.ndarray] = {}

        def draw(name: str) -> np.ndarray:
            known[name] = _draw(self.name, name, getattr(self, name), rng, count, known)
            return known[name]

        with np.errstate(all="ignore"):
            known["population"] = np.rint(draw("population"))
            known["relevant"] = np.rint(known["population"] * draw("prevalence"))
            known["retrieved_relevant"] = np.rint(known["relevant"] * draw("recall"))
            known["retrieved"] = np.rint(known["retrieved_relevant"] / draw("precision"))
            known["unretrieved"] = known["population"] - known["retrieved"]
            samples = [np.rint(draw(name)) for name in ("retrieved_sample", "unretrieved_sample")]
        names = ("population", "relevant", "retrieved", "retrieved_relevant")
        return np.array([*(known[name] for name in names), *samples])


def _draw(scenario: str, name: str, law: Any, rng: np.random.Generator, count: int, known: Known) -> np.ndarray:
    rule = (f"must be a number, a pair (low, high), a frozen distribution or a function that returns {count} numbers "
            f"(scenario {shown(scenario)})")
    if callable(law) and not isinstance(law, type):
        values = law(rng, count, known)
    elif hasattr(law, "rvs"):
        values = law.rvs(size=count, random_state=rng)
    else:
        values = as_floats(name, law, rule)
        if not np.isfinite(values).all():
            fail(name, "must be finite", law, f"(scenario {shown(scenario)})")
        if values.shape == (2,):
            low, high = values.tolist()
            if low > high:
                fail(name, rule, law)
            values = rng.uniform(low, high, count)
    floats = as_floats(name, values, rule)
    if floats.shape not in ((), (count,)):
        fail(name, rule, law)
    return np.broadcast_to(floats, (count,)).copy()


def _rules(candidates: np.ndarray) -> list[tuple[str, np.ndarray]]:
    population, relevant, retrieved, found, sample1, sample0 = candidates
    with np.errstate(invalid="ignore"):
        return [
            ("population, prevalence, recall and precision must be finite, the population below 2^49",
             np.isfinite(candidates[:4]).all(axis=0) & (population < 2.0**49)),
            ("of the documents one at least must be relevant, and no more than all",
             (relevant >= 1) & (relevant <= population)),
            ("recall must be between 0 and 1", (found >= 0) & (found <= relevant)),
            ("precision must be at most 1, and something must be retrieved", (retrieved >= 1) & (found <= retrieved)),
            ("the retrieved segment must leave some documents unretrieved", retrieved < population),
            ("the relevant documents that were not retrieved must fit into the unretrieved segment",
             relevant - found <= population - retrieved),
            ("retrieved_sample must be at least 1 and at most the retrieved segment",
             (sample1 >= 1) & (sample1 <= retrieved)),
            ("unretrieved_sample must be at least 1 and at most the unretrieved segment",
             (sample0 >= 1) & (sample0 <= population - retrieved)),
        ]


@dataclass(frozen=True, eq=False)
class Realisations:
    """Collections, retrievals and sizes of samples: arrays of one length, of whole numbers as floats."""

    population: np.ndarray
    relevant: np.ndarray
    retrieved: np.ndarray
    retrieved_relevant: np.ndarray
    retrieved_sample: np.ndarray
    unretrieved_sample: np.ndarray

    @property
    def unretrieved(self) -> np.ndarray:
        """N0"""
        return self.population - self.retrieved

    @property
    def unretrieved_relevant(self) -> np.ndarray:
        """R0"""
        return self.relevant - self.retrieved_relevant

    @property
    def recall(self) -> np.ndarray:
        """R1/R"""
        return self.retrieved_relevant / self.relevant

    @property
    def precision(self) -> np.ndarray:
        """R1/N1"""
        return self.retrieved_relevant / self.retrieved

    @property
    def prevalence(self) -> np.ndarray:
        """R/N"""
        return self.relevant / self.population

    def __len__(self) -> int:
        return len(self.population)

    def __getitem__(self, chosen: Any) -> Realisations:
        """Some of them, as an array would choose."""
        return Realisations(*(np.atleast_1d(getattr(self, field.name)[chosen]) for field in fields(self)))


def _doubling(least: float, doublings: int, segment: str) -> Distribution:
    """`least` doubled up to so many times, as the segment allows."""
    def draw(rng: np.random.Generator, count: int, known: Known) -> np.ndarray:
        most = np.minimum(doublings, np.floor(np.log2(known[segment] / least)))
        return np.where(most >= 0, least * 2 ** (rng.random(count) * most), math.nan)

    return draw


def _share(low: float, high: float, segment: str) -> Distribution:
    return lambda rng, count, known: known[segment] * rng.uniform(low, high, count)


def _between(low: Callable[[Known], np.ndarray], high: float) -> Distribution:
    """Uniform; nan where nothing is between."""
    def draw(rng: np.random.Generator, count: int, known: Known) -> np.ndarray:
        least = low(known)
        return np.where(least <= high, least + rng.random(count) * (high - least), math.nan)

    return draw


def _half_retrieved_at_most(known: Known) -> np.ndarray:
    return np.maximum(0.025, 2 * known["retrieved_relevant"] / known["population"])


NEUTRAL = Scenario(
    "neutral",
    population=lambda rng, count, known: 1000 * 2 ** rng.uniform(0, 12, count),
    prevalence=lambda rng, count, known: 0.02 * rng.uniform(1, 6, count) ** 2,
    recall=(0.1, 1.0),
    precision=_between(lambda known: np.maximum(np.maximum(0.1, 0.95 * known["prevalence"]),
                                                1.05 * known["retrieved_relevant"] / known["population"]), 1.0),
    retrieved_sample=_doubling(10, 10, "retrieved"),
    unretrieved_sample=_doubling(10, 10, "unretrieved"),
)
LEGAL = Scenario(
    "legal",
    population=lambda rng, count, known: 5e5 * 10 ** rng.uniform(0, 2, count),
    prevalence=lambda rng, count, known: 0.002 * 1.5 ** rng.uniform(1, 10, count),
    recall=lambda rng, count, known: 0.0025 * rng.uniform(1, 34, count) ** 1.65,
    precision=_between(_half_retrieved_at_most, 0.92),
    retrieved_sample=_doubling(20, 8, "retrieved"),
    unretrieved_sample=_doubling(100, 7, "unretrieved"),
)
SMALL = Scenario(
    "small",
    population=lambda rng, count, known: 1000 * 10 ** rng.uniform(0, 1, count),
    prevalence=lambda rng, count, known: 0.02 * 1.5 ** rng.uniform(0, 6, count),
    recall=(0.1, 1.0),
    precision=_between(_half_retrieved_at_most, 0.92),
    retrieved_sample=_share(0.2, 0.5, "retrieved"),
    unretrieved_sample=_share(0.05, 0.3, "unretrieved"),
)
SCENARIOS = {scenario.name: scenario for scenario in (NEUTRAL, LEGAL, SMALL)}
