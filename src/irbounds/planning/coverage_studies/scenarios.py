"""Scenarios: distributions over collections, retrievals and samples (Webber 2013, section 4.1)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds.foundation.arguments import as_floats, check_rng
from irbounds.foundation.errors import InputError, check_count, fail, shown
from irbounds.planning.coverage_studies.scenario_strata import check_strata, divide

if TYPE_CHECKING:
    from irbounds.typing import RNGLike

Known = Mapping[str, np.ndarray]
Distribution = float | tuple[float, float] | Callable[[np.random.Generator, int, Known], Any]
STRATA_RULE = (
    "each stratum must have documents, at least as many as are relevant, and one in the sample"
)
LEAST_SHARE = 1e-4  # of candidates that must be possible, or the scenario is called impossible


@dataclass(frozen=True, repr=False)
class Scenario:
    """Distributions of possible reviews.

    Each field after the name is a number, a pair (low, high) for a uniform distribution between
    them, a frozen distribution of SciPy, or a function ``f(rng, n, known)`` that returns n values.
    `known` maps the names of the quantities drawn before to arrays, in the order of the fields:
    population, prevalence, relevant (R), recall, retrieved_relevant (R1), precision, retrieved
    (N1), unretrieved (N0).

    Attributes
    ----------
    name : str
    population : N, documents in the collection
    prevalence : π, so that R = round(N π)
    recall : so that R1 = round(R recall)
    precision : so that N1 = round(R1/precision)
    retrieved_sample, unretrieved_sample : n1, n0, documents assessed of each segment, rounded
    sample : instead of both, one sample of the collection, split by what was retrieved
    retrieved_strata, unretrieved_strata : int or list of pairs
        (share of the documents, share of the relevant ones).
        The strata of each segment.  A number stands for equal strata, over which the relevant
        documents are spread at random.  The sample is divided in proportion to the sizes, with one
        document of each stratum at least; or as a third share of each stratum says.

    Examples
    --------
    >>> import irbounds as irb
    >>> mine = irb.planning.Scenario(
    ...     "mine", population=100_000, prevalence=(0.01, 0.05), recall=(0.6, 0.9), precision=0.5,
    ...     retrieved_sample=200,
    ...     unretrieved_sample=lambda rng, n, known: known["unretrieved"] / 50)
    >>> mine.draw(3, rng=1).recall.round(2)
    array([0.85, 0.68, 0.66])

    Twenty strata, two of which contain all relevant documents that were not retrieved:

    >>> strata = [(0.05, 0.5)] * 2 + [(0.05, 0)] * 18
    >>> custodians = irb.planning.Scenario(
    ...     "custodians", population=100_000, prevalence=0.1, recall=0.87, precision=0.72,
    ...     retrieved_sample=150, unretrieved_sample=1300, unretrieved_strata=strata)
    """

    name: str
    population: Distribution
    prevalence: Distribution
    recall: Distribution
    precision: Distribution
    retrieved_sample: Distribution | None = None
    unretrieved_sample: Distribution | None = None
    sample: Distribution | None = None
    retrieved_strata: int | Sequence[Sequence[float]] = 1
    unretrieved_strata: int | Sequence[Sequence[float]] = 1

    def __post_init__(self) -> None:
        both = (self.retrieved_sample, self.unretrieved_sample)
        if any((part is None) == (self.sample is None) for part in both):
            raise InputError(
                f"scenario {self.name!r} needs `retrieved_sample` and "
                "`unretrieved_sample`, or one `sample` of the whole collection"
            )
        for name in ("retrieved_strata", "unretrieved_strata"):
            check_strata(name, getattr(self, name))
            if self.sample is not None and getattr(self, name) != 1:
                raise InputError(f"`{name}` must be 1 with one `sample` of the whole collection")

    def __repr__(self) -> str:
        return f"Scenario({self.name!r})"

    def draw(self, count: int, rng: RNGLike = None) -> Realisations:
        """n random realisations; impossible ones are drawn again.

        Raises
        ------
        InputError
            Where next to none can exist, with the rule that most of them break.
        """
        count, rng = check_count("count", count, 1), check_rng(rng)
        found: list[np.ndarray] = []
        n_found, n_tried = 0, 0
        broken: dict[str, int] = {}
        strata: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
        while n_found < count:
            # Rejection sampling, 64 at once or more, so that few realisations do not take many
            # rounds.
            candidates = self._candidates(rng, max(64, count - n_found))
            possible = np.ones(candidates.shape[1], bool)
            for rule, kept in _rules(candidates, self.sample is not None).items():
                broken[rule] = broken.get(rule, 0) + int((possible & ~kept).sum())
                possible &= kept
            candidates = candidates[:, possible]
            n_tried += possible.size
            if self._is_divided:
                divided, kept = self._divide(candidates, rng)
                broken[STRATA_RULE] = broken.get(STRATA_RULE, 0) + int((~kept).sum())
                candidates = candidates[:, kept]
                strata[0].extend(divided[0])
                strata[1].extend(divided[1])
            found.append(candidates)
            n_found += candidates.shape[1]
            if n_tried >= 1 / LEAST_SHARE and n_found < LEAST_SHARE * n_tried:
                rule = max(broken, key=broken.__getitem__)
                raise InputError(
                    f"scenario {self.name!r} is impossible: {rule} (in {broken[rule]} of {n_tried} "
                    "draws)"
                )
        drawn = np.concatenate(found, axis=1)[:, :count]
        unknown = np.full(count, np.nan)
        is_single = self.sample is not None
        divided = [np.array(part[:count]) if self._is_divided else None for part in strata]
        return Realisations(
            population=drawn[0],
            relevant=drawn[1],
            retrieved=drawn[2],
            retrieved_relevant=drawn[3],
            retrieved_sample=unknown if is_single else drawn[4],
            unretrieved_sample=unknown if is_single else drawn[5],
            retrieved_strata=divided[0],
            unretrieved_strata=divided[1],
            sample=drawn[4] if is_single else None,
        )

    @property
    def _is_divided(self) -> bool:
        return any(
            not isinstance(n, int) or n > 1
            for n in (self.retrieved_strata, self.unretrieved_strata)
        )

    def _divide(self, candidates: np.ndarray, rng: np.random.Generator) -> tuple[Any, np.ndarray]:
        """Strata of the candidates that can have such, and which these are."""
        both: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
        specs = [
            check_strata(name, getattr(self, name))
            for name in ("retrieved_strata", "unretrieved_strata")
        ]
        kept = np.zeros(candidates.shape[1], bool)
        for i, (population, relevant, retrieved, found, sample1, sample0) in enumerate(
            candidates.T.tolist()
        ):
            parts = [
                divide(spec, *segment, rng)
                for spec, segment in zip(
                    specs,
                    (
                        (retrieved, found, sample1),
                        (population - retrieved, relevant - found, sample0),
                    ),
                    strict=True,
                )
            ]
            kept[i] = all(part is not None for part in parts)
            if kept[i]:
                for strata, part in zip(both, parts, strict=True):
                    strata.append(part)  # type: ignore[arg-type]
        return both, kept

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
            one = (
                ("sample", "sample")
                if self.sample is not None
                else ("retrieved_sample", "unretrieved_sample")
            )
            samples = [np.rint(draw(name)) for name in dict.fromkeys(one)]
        names = ("population", "relevant", "retrieved", "retrieved_relevant")
        return np.array([*(known[name] for name in names), samples[0], samples[-1]])


def _draw(
    scenario: str, name: str, law: Any, rng: np.random.Generator, count: int, known: Known
) -> np.ndarray:
    rule = (
        "must be a number, a pair (low, high), a frozen distribution or a function that returns "
        f"{count} numbers "
        f"(scenario {shown(scenario)})"
    )
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


def _rules(candidates: np.ndarray, single: bool) -> dict[str, np.ndarray]:
    """Rules, and which candidates keep them."""
    population, relevant, retrieved, found, sample1, sample0 = candidates
    with np.errstate(invalid="ignore"):
        rest = population - retrieved
        is_finite = np.isfinite(candidates[:4]).all(axis=0) & (population < 2.0**49)
        has_relevant = (relevant >= 1) & (relevant <= population)
        has_retrieved = (retrieved >= 1) & (found <= retrieved)
        fits = relevant - found <= rest
        rules = {
            "population, prevalence, recall and precision must be finite, the population "
            "below 2^49": is_finite,
            "of the documents one at least must be relevant, and no more than all": has_relevant,
            "recall must be between 0 and 1": (found >= 0) & (found <= relevant),
            "precision must be at most 1, and something must be retrieved": has_retrieved,
            "the retrieved segment must leave some documents unretrieved": retrieved < population,
            "the relevant documents that were not retrieved must fit into the unretrieved "
            "segment": fits,
        }
        samples = {"sample": (sample1, population, "population")}
        if not single:
            samples = {
                "retrieved_sample": (sample1, retrieved, "retrieved segment"),
                "unretrieved_sample": (sample0, rest, "unretrieved segment"),
            }
        for name, (sample, most, whole) in samples.items():
            rule = f"{name} must be at least 1 and at most the {whole}"
            rules[rule] = (sample >= 1) & (sample <= most)
    return rules


@dataclass(frozen=True, eq=False)
class Realisations:
    """Collections, retrievals and sizes of samples: arrays of one length, of whole numbers as
    floats.

    Segments that are divided have `retrieved_strata` and `unretrieved_strata`, realisations ×
    strata × (size, relevant, sampled).  With one `sample` of the whole collection those of the
    segments are nan: they are left to chance.
    """

    population: np.ndarray
    relevant: np.ndarray
    retrieved: np.ndarray
    retrieved_relevant: np.ndarray
    retrieved_sample: np.ndarray
    unretrieved_sample: np.ndarray
    retrieved_strata: np.ndarray | None = None
    unretrieved_strata: np.ndarray | None = None
    sample: np.ndarray | None = None

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

        if not isinstance(chosen, slice) and np.ndim(chosen) == 0:
            chosen = [chosen]
        columns: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        kept: dict[str, Any] = {k: None if x is None else x[chosen] for k, x in columns.items()}
        return replace(self, **kept)


def _doubling(least: float, doublings: int, segment: str) -> Distribution:
    """`least` doubled at most this many times, as the segment allows."""

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
    precision=_between(
        lambda known: np.maximum(
            np.maximum(0.1, 0.95 * known["prevalence"]),
            1.05 * known["retrieved_relevant"] / known["population"],
        ),
        1.0,
    ),
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
