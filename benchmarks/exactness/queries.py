"""Means over queries: SciPy called directly, fractions, an integral of 30 digits."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from scipy import special, stats

import irbounds as irb
from exactness.measure import RELATIVE, Family, Row
from tests.reference import query_means as slow

SAME, TAIL, POWER = 1e-12, 1e-10, 1e-9  # the tests'
AVERAGED = 1e-5  # tests/queries/test_default_interval.py


def intervals(n: int) -> Iterator[Row]:
    """Ends of t and BCa."""
    rng = np.random.default_rng(1)
    t = Row("mean_interval, t", "SciPy, called directly", SAME, RELATIVE)
    bca = Row("mean_interval, bca", "SciPy, called directly", SAME, RELATIVE)
    name = "rng" if "rng" in inspect.signature(stats.bootstrap).parameters else "random_state"
    for seed in range(n):
        values = rng.exponential(size=int(rng.integers(12, 80)))
        found = irb.mean_interval(values)
        t.add([found.low, found.high], list(stats.ttest_1samp(values, 0).confidence_interval()))
        found = irb.mean_interval(values, method="bca", resamples=499, rng=seed)
        twin = stats.bootstrap(
            (values,),
            np.mean,
            method="BCa",
            n_resamples=499,
            **{name: np.random.default_rng(seed)},
        ).confidence_interval
        bca.add([found.low, found.high], list(twin))
    yield from (t, bca)


def random_weights(n: int) -> Iterator[Row]:
    """Tails at the ends: what is left outside of them."""
    rng = np.random.default_rng(2)
    rows = {
        method: Row(f"mean_interval, {method}: what lies below an end", "fractions", TAIL)
        for method in ("guaranteed", "bayesian-bootstrap")
    }
    for _ in range(n):
        values = np.round(rng.beta(0.5, 0.8, int(rng.integers(2, 12))), int(rng.integers(1, 12)))
        if np.ptp(values) == 0:
            continue
        for method, added in (("guaranteed", [0.0]), ("bayesian-bootstrap", [])):
            low = irb.mean_interval(values, method=method).low
            x = [Fraction(value) for value in [*values.tolist(), *added]]
            rows[method].add(float(1 - slow.dirichlet_tail(x, Fraction(low))), 0.025)
    yield from rows.values()


def jeffreys(n: int) -> Iterator[Row]:
    """Jeffreys' interval: his of a proportion, and other values by an average of fractions.

    The average over 40 nodes has an error of 1e-5 where the tail has a kink (its test says so), but
    2e-4 with two values; over 640 nodes it is 3e-6 there.
    """
    rng = np.random.default_rng(4)
    name = "mean_interval, jeffreys"
    binary = Row(f"{name}: proportions", "SciPy's quantiles of Beta", TAIL, RELATIVE)
    tail = Row(f"{name}: what lies below an end", "fractions at 40 to 640 nodes", AVERAGED)
    for _ in range(n):
        count = int(np.exp(rng.uniform(0.7, 6)))
        ones = int(rng.integers(1, count))
        found = irb.mean_interval([1.0] * ones + [0.0] * (count - ones), method="jeffreys")
        law = stats.beta(ones + 0.5, count - ones + 0.5)
        binary.add([found.low, found.high], [law.ppf(0.025), law.ppf(0.975)])
        values = np.round(rng.beta(0.5, 0.8, int(rng.integers(2, 8))), int(rng.integers(1, 12)))
        if np.ptp(values) == 0:
            continue
        end = irb.mean_interval(values, method="jeffreys").low
        x = [Fraction(value) for value in values.tolist()]
        tail.add(1 - slow.jeffreys_tail(x, Fraction(end), 40 if len(x) > 3 else 640), 0.025)
    yield from (binary, tail)


def wilson(n: int) -> Iterator[Row]:
    """Wilson's interval: of proportions, and of other values."""
    rng = np.random.default_rng(5)
    binary = Row("mean_interval, wilson: proportions", "SciPy's binomtest", SAME, RELATIVE)
    other = Row("mean_interval, wilson", "a root of 50 digits", SAME, RELATIVE)
    for _ in range(n):
        count = int(np.exp(rng.uniform(0.7, 6)))
        ones = int(rng.integers(1, count))
        found = irb.mean_interval([1.0] * ones + [0.0] * (count - ones), method="wilson")
        twin = stats.binomtest(ones, count).proportion_ci(method="wilson")
        binary.add([found.low, found.high], [twin.low, twin.high])
        values = rng.beta(0.5, 0.8, int(rng.integers(3, 80)))
        found = irb.mean_interval(values, method="wilson")
        x = [Fraction(value) for value in values.tolist()]
        ends = slow.wilson_ends(x, -float(special.stdtrit(len(x) - 1, 0.025)))
        other.add([found.low, found.high], [float(end) for end in ends])
    yield from (binary, other)


def powers(n: int) -> Iterator[Row]:
    """The power of paired t-tests, and the differences they detect."""
    rng = np.random.default_rng(3)
    power = Row("comparison_power", "its integral, 30 digits", POWER, RELATIVE)
    found = Row("detectable_difference: its power", "its integral, 30 digits", POWER, RELATIVE)
    for _ in range(n):
        count, alpha = int(np.exp(rng.uniform(0.7, 9))), float(10 ** rng.uniform(-4, -0.5))
        effect = float(np.exp(rng.uniform(-3, 2))) / np.sqrt(count)
        cut = -float(special.stdtrit(count - 1, alpha / 2))
        value = irb.queries.comparison_power(count, effect, 1, alpha=alpha)
        power.add(value, float(slow.power_of_t(count, effect, cut, 2)))
        size = irb.queries.detectable_difference(count, 1, power=0.8, alpha=alpha)
        found.add(0.8, float(slow.power_of_t(count, size, cut, 2)))
    yield from (power, found)


FAMILIES = [
    Family(intervals, 20, 2, "mean_interval"),
    Family(random_weights, 30, 3, ""),
    Family(jeffreys, 20, 2, ""),
    Family(wilson, 20, 2, ""),
    Family(powers, 15, 1, "comparison_power detectable_difference"),
]
