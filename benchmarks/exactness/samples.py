"""Intervals and posteriors from samples: enumeration of all yields in fractions, and the formulas
with many digits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache, partial
from typing import Any

import mpmath
import numpy as np

import irbounds as irb
from exactness.measure import Family, Row
from tests.reference import conservative_prior as slow_prior
from tests.reference import control_sample as slow_control
from tests.reference import coverage as slow_coverage
from tests.reference import sample_intervals as formulas
from tests.reference import samples as slow

EXACT_ENDS, LARGE_ENDS = 1e-9, 1e-6  # `recall_interval`'s docstring
PROBABILITY, LARGE_PROBABILITY = 1e-12, 1e-6  # the tests'
FORMULA = 1e-9  # the tests'
# the docstring's floor of that prior, in intervals
LEAST_CONSERVATIVE = 0.25
PRIOR = 1e-6  # the tests', of printed numbers
SIDES = ("two-sided", "lower", "upper")
ENUMERATION = "enumeration of all yields, fractions"
Stratum = tuple[int, int, int]


def random_stratum(rng: np.random.Generator, least: int = 8, most: int = 60) -> Stratum:
    """(size, sampled, relevant), some relevant and some not."""
    size = int(rng.integers(least, most))
    sampled = int(rng.integers(4, size // 2 + 2))
    return size, sampled, int(rng.integers(1, sampled))


def pairs(seed: int, n: int, **sizes: int) -> Iterator[tuple[Stratum, Stratum]]:
    """Questions about recall."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        yield random_stratum(rng, **sizes), random_stratum(rng, **sizes)


def ends(interval: irb.Interval) -> list[float]:
    """Both."""
    return [interval.low, interval.high]


# Recall by posteriors
# --------------------------------------------------------------------------------------


def law_of(
    measure: Callable[..., Any], retrieved: Stratum, unretrieved: Stratum, *priors: Any
) -> dict[Any, Any]:
    """Whole; priors of both segments are 1/2 where not given."""
    first, second = priors or (slow.HALF, slow.HALF)
    return slow.law(
        measure,
        slow.yield_pmf(*retrieved, first, first),
        slow.yield_pmf(*unretrieved, second, second),
    )


def posteriors(n: int) -> Iterator[Row]:
    """P(recall <= q) at values that recall takes and at others; quantiles; mean."""
    rng = np.random.default_rng(3)
    below, above, quantile, mean = (
        Row(f"recall_posterior().{name}", ENUMERATION, promised)
        for name, promised in (
            ("cdf", PROBABILITY),
            ("sf", PROBABILITY),
            ("quantile, median", EXACT_ENDS),
            ("mean", PROBABILITY),
        )
    )
    for pair in pairs(3, n):
        law, post = law_of(slow.recall, *pair), irb.recall_posterior(*pair)
        some = rng.choice(list(law), 3).tolist()
        levels = [0.25, 0.5, 0.75, *rng.uniform(0.05, 0.95, 3).round(6).tolist()]
        below.add(
            post.cdf([*levels, *map(float, some)]), [slow.cdf(law, q) for q in [*levels, *some]]
        )
        above.add(
            post.sf([*levels, *map(float, some)]), [slow.sf(law, q) for q in [*levels, *some]]
        )
        quantile.add(
            [*post.quantile([0.025, 0.5, 0.9]), post.median],
            [slow.quantile(law, p) for p in (0.025, 0.5, 0.9, 0.5)],
        )
        mean.add(post.mean, slow.mean(law))
    yield from (below, above, quantile, mean)


@cache
def conservative(size: int, sampled: int) -> Any:
    """The twin's prior."""
    return slow_prior.most_conservative_prior(size, sampled, slow_prior.information_gain_by_margins)


def most_conservative(n: int) -> Iterator[Row]:
    """The prior itself, and recall by it: a prior that is off in the 11th digit moves ends by less
    than is promised."""
    prior = Row("most_conservative_prior", "golden sections, 25 digits", PRIOR)
    row = Row("recall_interval, betabinom-mcp", "enumeration of all yields, 50 digits", EXACT_ENDS)
    for pair in pairs(4, n, least=12, most=30):
        each = [conservative(size, sampled) for size, sampled, _ in pair]
        prior.add(
            [irb.samples.most_conservative_prior(size, sampled) for size, sampled, _ in pair], each
        )
        law = law_of(slow.recall, *pair, *(max(a, mpmath.mpf(LEAST_CONSERVATIVE)) for a in each))
        for side in SIDES:
            exact = slow.interval(lambda p, law=law: slow.quantile(law, p), 0.95, side)
            row.add(
                ends(irb.recall_interval(*pair, method="betabinom-mcp", side=side)), list(exact)
            )
    yield from (prior, row)


def small_designs(n: int) -> Iterator[Row]:
    """Both priors, all sides."""
    for method, prior in (("betabinom-half", slow.HALF), ("betabinom-uniform", Fraction(1))):
        row = Row(f"recall_interval, SampleMonitor, {method}", ENUMERATION, EXACT_ENDS)
        for pair in pairs(5, n):
            law = law_of(slow.recall, *pair, prior, prior)
            for side in SIDES:
                exact = slow.interval(lambda p, law=law: slow.quantile(law, p), 0.95, side)
                row.add(ends(irb.recall_interval(*pair, method=method, side=side)), list(exact))
                monitor = irb.SampleMonitor(pair[0][0], pair[1][0], method=method, side=side)
                row.add(ends(monitor.update(pair[0][1:], pair[1][1:])), list(exact))
        yield row


def large_designs(n: int) -> Iterator[Row]:
    """Unretrieved segments of thousands of documents."""
    rng = np.random.default_rng(6)
    half = mpmath.mpf(1) / 2
    for most, promised in ((20_000, EXACT_ENDS), (200_000, LARGE_ENDS)):
        row = Row(
            f"recall_interval, betabinom-half, {most // 10:,} to {most:,} documents",
            "enumeration of all yields, 30 digits",
            promised,
        )
        below = Row(
            f"recall_posterior().cdf, {most // 10:,} to {most:,} documents",
            "enumeration of all yields, 30 digits",
            {EXACT_ENDS: PROBABILITY}.get(promised, LARGE_PROBABILITY),
        )
        for _ in range(n if most == 20_000 else n // 4):
            pair = (
                (int(rng.integers(500, 2000)), 100, int(rng.integers(20, 90))),
                (
                    int(10 ** rng.uniform(np.log10(most) - 1, np.log10(most))),
                    400,
                    int(rng.integers(1, 40)),
                ),
            )
            with mpmath.workdps(30):
                pmfs = [slow.yield_pmf(*stratum, half, half) for stratum in pair]
                row.add(
                    ends(irb.recall_interval(*pair)),
                    [slow.recall_quantile(p, *pmfs) for p in (0.025, 0.975)],
                )
                q = row_level(pair)
                below.add(irb.recall_posterior(*pair).cdf(q), slow.recall_cdf(q, *pmfs))
        if row.answers:
            yield from (row, below)


def row_level(pair: tuple[Stratum, Stratum]) -> float:
    """A recall near the estimate, one that no pair of yields has."""
    return round(float(irb.samples.recall_estimate(*pair)), 3) + 1.2345e-7


def strata(n: int) -> Iterator[Row]:
    """Two or three strata in a segment."""
    rng = np.random.default_rng(7)
    row = Row("recall_interval, strata", ENUMERATION, EXACT_ENDS)
    for _ in range(n):
        segments = [
            [random_stratum(rng, 8, 30) for _ in range(rng.integers(2, 4))] for _ in range(2)
        ]
        law = slow.law(slow.recall, *(slow.segment_pmf(segment) for segment in segments))
        row.add(
            ends(irb.recall_interval(*segments)), [slow.quantile(law, p) for p in (0.025, 0.975)]
        )
    yield row


def beta_jeffreys(n: int) -> Iterator[Row]:
    """Where the twin's distribution function says that our ends lie, by one step along its
    slope."""
    row = Row("recall_interval, beta-jeffreys", "quadrature, 18 digits", EXACT_ENDS)
    for pair in pairs(8, n, least=100, most=2000):
        found = irb.recall_interval(*pair, method="beta-jeffreys")
        with mpmath.workdps(18):
            for end, p in ((found.low, 0.025), (found.high, 0.975)):
                at, past = (
                    slow.beta_jeffreys_cdf(mpmath.mpf(end) + step, *pair) for step in (0, 1e-5)
                )
                row.add(end, end + (mpmath.mpf(str(p)) - at) / (past - at) * mpmath.mpf(1e-5))
    yield row


# Recall by formulas
# ----------------------------------------------------------------------------------------


def by_formulas(n: int) -> Iterator[Row]:
    """Normal, naive, Koopman; all sides."""
    added = {"normal-mle": 0, "normal-laplace": 1, "normal-agresti-coull": 2}
    rows = {
        method: Row(f"recall_interval, {method}", "formula or bisection, 20 digits", FORMULA)
        for method in (*added, "naive-binomial", "koopman")
    }
    for pair in pairs(9, n, most=3000):
        segments = [pair[0]], [pair[1]]
        for side in SIDES:
            with mpmath.workdps(20):
                exact: dict[str, Any] = {
                    method: formulas.reported(
                        formulas.normal_recall(*segments, more, 0.95, side),
                        *segments,
                        more=more,
                        side=side,
                    )
                    for method, more in added.items()
                }
                exact["naive-binomial"] = formulas.reported(
                    formulas.naive_recall(*segments, 0.95, side), *segments, side=side
                )
                exact["koopman"] = formulas.koopman_recall(*pair, 0.95, side)
            for method, row in rows.items():
                row.add(
                    ends(irb.recall_interval(*pair, method=method, side=side)), list(exact[method])
                )
    yield from rows.values()


def guaranteed(n: int) -> Iterator[Row]:
    """There is no one right interval: it is coverage that is promised, over all samples of a
    review."""
    rng = np.random.default_rng(10)
    row = Row(
        "recall_interval, guaranteed: coverage below 0.95",
        "enumeration of all samples, fractions",
        FORMULA,
    )
    for _ in range(n):
        review = []
        for _ in range(2):
            size, sampled, _ = random_stratum(rng, 8, 20)
            review.append((size, int(rng.integers(1, size)), sampled))
        for side in SIDES:
            covered, *_ = slow_coverage.coverage(*review, partial(guaranteed_ends, side))
            row.add(float(max(0, Fraction(19, 20) - covered)), 0)
    yield row


@cache
def guaranteed_ends(side: str, retrieved: Stratum, unretrieved: Stratum) -> tuple[float, float]:
    """The library's ends, with a tolerance for rounding at recall itself."""
    low, high = ends(irb.recall_interval(retrieved, unretrieved, method="guaranteed", side=side))
    return low - 1e-12, high + 1e-12


# One sample of the whole collection, and other priors
# ----------------------------------------------------------------------------------------------


def control_samples(n: int) -> Iterator[Row]:
    """One sample of a small collection; ends of the posterior, and the guaranteed lower one."""
    rng = np.random.default_rng(15)
    posterior, sure = (
        Row(
            f"recall_interval_from_sample, {method}",
            "enumeration of all yields, fractions",
            EXACT_ENDS,
        )
        for method in ("betabinom-half", "guaranteed")
    )
    for _ in range(n):
        size1, size0 = map(int, rng.integers(1, 30, 2))
        sampled = int(rng.integers(1, size1 + size0 + 1))
        found = rng.multivariate_hypergeometric([size1, size0], sampled)
        r1, r0 = (int(rng.integers(0, most + 1)) for most in found)
        if r1 + r0 == 0:
            continue
        question, law = (
            (size1, size0, sampled, r1, r0),
            slow_control.recall_law(size1, size0, sampled, r1, r0),
        )
        ends_of_law = [slow_control.quantile(law, p) for p in (Fraction(1, 40), Fraction(39, 40))]
        posterior.add(
            ends(irb.recall_interval_from_sample(*question)),
            [ends_of_law[0] if r1 else 0, ends_of_law[1] if r0 else 1],
        )
        sure.add(
            [irb.recall_interval_from_sample(*question, side="lower").low],
            [slow_control.guaranteed_low(*question, Fraction(1, 20))],
        )
    yield from (posterior, sure)


def sensitivities(n: int) -> Iterator[Row]:
    """Ends and the probability of a target under several priors."""
    row = Row("prior_sensitivity", ENUMERATION, EXACT_ENDS)
    for pair in pairs(16, n):
        found = irb.samples.prior_sensitivity(*pair, target=0.5, priors=[0.5, 1.0])
        for i, prior in enumerate((slow.HALF, Fraction(1))):
            law = law_of(slow.recall, *pair, prior, prior)
            exact = slow.interval(lambda p, law=law: slow.quantile(law, p), 0.95, "two-sided")
            row.add(
                [found.low[i], found.high[i], found.probability[i]], [*exact, slow.sf(law, 0.5)]
            )
    yield row


FAMILIES = [
    Family(posteriors, 60, 3, "recall_posterior RecallPosterior"),
    Family(small_designs, 60, 3, "recall_interval SampleMonitor"),
    Family(large_designs, 8, 1, ""),
    Family(strata, 20, 2, ""),
    Family(most_conservative, 6, 1, "most_conservative_prior"),
    Family(beta_jeffreys, 6, 0, ""),
    Family(by_formulas, 60, 5, ""),
    Family(guaranteed, 20, 1, ""),
    Family(control_samples, 60, 3, "recall_interval_from_sample ControlSample"),
    Family(sensitivities, 20, 2, "prior_sensitivity PriorSensitivity"),
]
