"""How many queries: G*Power's numbers, an integral of 30 digits, real runs."""

import math

import numpy as np
import pytest
from scipy import special, stats
from sizes import every

import irbounds as irb
from irbounds.queries import comparison_power, detectable_difference
from irbounds.queries.power import power_of_t
from tests.data import shared
from tests.reference import query_means as slow


# G*Power 3.1, t test of the difference between two dependent means, two-tailed, α = 0.05
@pytest.mark.parametrize(
    ("effect", "at_80", "at_90"),
    [(0.1, 787, 1053), (0.2, 199, 265), (0.3, 90, 119), (0.5, 34, 44), (0.8, 15, 19), (1, 10, 13)],
)
def test_queries_needed(effect, at_80, at_90):
    assert irb.queries_needed(effect, 1) == at_80
    assert irb.queries_needed(difference=-effect * 0.3, sd=0.3, power=0.9) == at_90


@pytest.mark.parametrize(
    ("n", "difference"),
    [(25, 0.584027), (50, 0.404183), (100, 0.282913), (250, 0.177875), (1000, 0.088679)],
)
def test_detectable_difference(n, difference):
    assert detectable_difference(n, 1) == pytest.approx(difference, abs=6e-7)
    assert detectable_difference(n, 0.2) == pytest.approx(0.2 * difference, abs=2e-7)


def test_power():
    assert comparison_power(25, 0.5, 1) == pytest.approx(0.669708, abs=6e-7)
    assert comparison_power(50, -1, 2) == pytest.approx(0.933898, abs=6e-7)
    assert comparison_power(50, 0, 2) == pytest.approx(0.05, rel=1e-12)


CASES = [
    (2, 0.1, 0.05, 2),
    (5, 0.8, 1e-6, 2),
    (200, 5, 0.05, 2),  # SciPy's noncentral t is of no use from δ = 28 on
    (4, 40, 0.05, 2),
    (10**6, 1e-4, 0.05, 2),
    (2, 100, 1e-5, 2),
    (20, -0.3, 0.05, 1),
]


@pytest.mark.parametrize(("n", "effect", "alpha", "sides"), every(6, CASES))
def test_power_is_that_of_the_integral(n, effect, alpha, sides):
    cut = -float(special.stdtrit(n - 1, alpha / sides))
    exact = slow.power_of_t(n, effect, cut, sides)
    assert power_of_t(n, effect, alpha, sides) == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize(
    ("n", "power", "alpha"),
    [
        (3, 0.999999, 0.05),
        (3, 0.99999994994612, 7.07e-5),
        (29, 0.9999999999967726, 8.6e-6),
        (766241996007234, 0.9999944443, 2.2e-5),
        (2, 0.9999999548, 6.4e-9),  # 4e8 standard deviations
        (2, 0.06, 0.05),
    ],
)
@pytest.mark.parametrize("side", ["two-sided", "one-sided"])
def test_a_detectable_difference_has_its_power(n, power, alpha, side):
    """Next to a power of 1 the search for it ended too early, at half the difference."""
    found = detectable_difference(n, 1, power=power, alpha=alpha, side=side)
    below, above = (
        comparison_power(n, found * (1 + change), 1, alpha=alpha, side=side)
        for change in (-1e-11, 1e-11)
    )
    assert below - 4e-15 <= power <= above + 4e-15


def test_queries_needed_are_the_least():
    rng = np.random.default_rng(1)
    for _ in range(20):
        effect, power = float(np.exp(rng.uniform(-5, 2))), float(rng.uniform(0.1, 0.99))
        alpha, side = (
            float(10 ** rng.uniform(-5, -0.5)),
            ("two-sided", "one-sided")[rng.integers(2)],
        )
        n = irb.queries_needed(effect, 1, power=power, alpha=alpha, side=side)
        options = {"alpha": alpha, "side": side}
        assert comparison_power(n, effect, 1, **options) >= power
        if n > 2:
            assert comparison_power(n - 1, effect, 1, **options) < power
            found = detectable_difference(n, 1, power=power, **options)
            assert found <= effect
            assert comparison_power(n, found, 1, **options) == pytest.approx(power, rel=1e-9)


def test_half_width_is_reached_by_no_fewer():
    for width, sd in ((0.02, 0.2), (0.5, 0.1), (1e-4, 3.0)):
        n = irb.queries_needed(half_width=width, sd=sd)
        halves = [stats.t.ppf(0.975, m - 1) * sd / math.sqrt(m) for m in (n, max(n - 1, 2))]
        assert halves[0] <= width
        assert n == 2 or halves[1] > width


def test_real_runs():
    folder = shared("med")

    def values(run, measure, name="med"):
        where = shared(name)
        ev = irb.evaluate(where / f"{name}.qrels", where / f"{name}.{run}.run.xz", measure)
        return ev[measure]

    assert (folder / "med.qrels").exists()
    for measure, sd, needed, detected in (
        ("AP", 0.109722, 239, 0.058069),
        ("nDCG@10", 0.189081, 704, 0.100068),
    ):
        difference = values("tfidf", measure) - values("btf", measure)
        assert difference.std(ddof=1) == pytest.approx(sd, abs=6e-7)
        assert irb.queries_needed(0.02, pilot=difference) == needed
        found = detectable_difference(30, difference.std(ddof=1))
        assert found == pytest.approx(detected, abs=6e-7)
    for run, needed in (("tfidf", 371), ("bti", 469)):
        assert irb.queries_needed(half_width=0.02, pilot=values(run, "AP")) == needed
    assert irb.queries_needed(half_width=0.02, pilot=values("tfidf", "AP", "cisi")) == 254


def test_ends_of_the_range():
    assert irb.queries_needed(1e300, 1e-300) == 2
    assert irb.queries_needed(0.1, 1, power=0.04) == 2
    assert detectable_difference(10, 1, power=0.05) == 0
    assert irb.queries_needed(2e-7, 1) == pytest.approx(
        (1.959964 + 0.841621) ** 2 / 4e-14, rel=1e-5
    )


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: irb.queries_needed(0.1), "give `sd`"),
        (lambda: irb.queries_needed(0.1, 1, pilot=[1, 2]), "give `sd`"),
        (lambda: irb.queries_needed(sd=1), "give `difference` or `half_width`"),
        (lambda: irb.queries_needed(0, 1), "`difference` must be finite and not 0; found 0"),
        (lambda: irb.queries_needed(1e-9, 1), "`difference` is 1e-09 standard deviations"),
        (lambda: irb.queries_needed(0.1, 1, side="left"), "`side` must be one of"),
        (lambda: irb.queries_needed(0.1, pilot=[1.0]), "`pilot` must hold the differences of two"),
        (lambda: irb.queries_needed(0.1, pilot=[1, 1]), "`pilot` must hold differences that"),
        (lambda: irb.queries_needed(half_width=1e-12, sd=1), "`half_width` must be so large"),
        (lambda: detectable_difference(1, 1), "`n` must be a whole number, 2 or more"),
        (lambda: comparison_power(5, math.nan, 1), "`difference` must be finite"),
        (lambda: detectable_difference(9, 1.0, alpha=1e-17), "`alpha` must be between 0 and"),
    ],
)
def test_bad_input(call, text):
    with pytest.raises(irb.InputError) as caught:
        call()
    assert str(caught.value).startswith(text)
