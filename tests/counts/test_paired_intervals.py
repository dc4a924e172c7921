"""Two systems on the same objects: intervals on differences, and tests."""

import tomllib
from pathlib import Path

import mpmath
import numpy as np
import pytest
from pairs import EMPTY, FAULT, SMALL, USUAL, draws

import irbounds as irb
from tests.reference import paired_counts as slow


def relevant_only(both, a, b, neither):
    """A table of relevant objects: recall compares two proportions of them."""
    return irb.PairedCounts([[[0, 0], [0, 0]], [[neither, b], [a, both]]])


# Intervals and tests
# ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "level", "method", "low", "high"),
    [
        ((4, 9, 3, 16), 0.95, "tango", -0.027, 0.390),  # Tango 1998, cross-over trial
        ((43, 0, 1, 0), 0.90, "tango", -0.096, 0.037),  # Tango 1998, contact lenses
        ((53, 16, 8, 9), 0.95, "tango", -0.020, 0.207),  # Agresti & Min 2005
        ((75, 25, 2, 0), 0.95, "tango", 0.139, 0.321),  # Duffy, Rothwell et al. 2024, 102 pairs
        # Fagerland, Lydersen & Laake 2014, Bentur's data
        ((1, 1, 7, 12), 0.95, "tango", -0.517, -0.026),
        ((1, 1, 7, 12), 0.95, "newcombe", -0.507, -0.026),
        # the same, Cavo's data: -0.1186 to -0.0046
        ((59, 6, 16, 80), 0.95, "newcombe", -0.119, -0.005),
        ((14, 5, 0, 22), 0.95, "newcombe", 0.011, 0.226),  # Altman et al. 2000, page 52
    ],
)
def test_published_intervals(table, level, method, low, high):
    found = relevant_only(*table).difference_interval(
        "recall", confidence_level=level, method=method
    )
    assert (round(found.low, 3), round(found.high, 3)) == (low, high)


@pytest.mark.parametrize(
    ("method", "expected"), [("asymptotic", 0.034), ("exact", 0.070), ("mid-p", 0.039)]
)
def test_published_p_values(method, expected):
    """Fagerland, Lydersen & Laake 2013, Bentur's data."""
    assert round(relevant_only(1, 1, 7, 12).mcnemar("recall", method), 3) == expected


def test_p_values_by_enumeration():
    for wins in range(9):
        for losses in range(9):
            for method in ("exact", "mid-p"):
                found = relevant_only(5, wins, losses, 3).mcnemar("recall", method)
                assert found == pytest.approx(float(slow.mcnemar(wins, losses, method)), rel=1e-12)
    assert relevant_only(5, 0, 0, 3).mcnemar("recall", "asymptotic") == 1
    assert 0 < relevant_only(5, 3 * 10**8, 3 * 10**8 + 50_000, 3).mcnemar("recall") < 0.05


def test_asymptotic_p_values_are_those_of_statsmodels_formula():
    from scipy.stats import chi2

    assert relevant_only(5, 12, 30, 3).mcnemar("recall", "asymptotic") == pytest.approx(
        chi2.sf(18**2 / 42, 1)
    )


@pytest.mark.long
@pytest.mark.parametrize("level", [0.95, 0.999])
def test_intervals_against_the_twins(level):
    rng = np.random.default_rng(3)
    z = mpmath.sqrt(2) * mpmath.erfinv(mpmath.mpf(level))
    for _ in range(40):
        both, wins, losses, neither = (int(10 ** rng.uniform(-0.4, 4)) for _ in range(4))
        n = both + wins + losses + neither
        if n == 0:
            continue
        pairs = relevant_only(both, wins, losses, neither)
        for method, exact in (
            ("tango", slow.tango(wins, losses, n, z) if wins + losses else None),
            ("newcombe", slow.newcombe(both, wins, losses, n, z)),
        ):
            found = pairs.difference_interval("recall", confidence_level=level, method=method)
            if exact is not None:
                assert [found.low, found.high] == pytest.approx(
                    [float(end) for end in exact], abs=1e-12
                )
            assert -1 <= found.low <= found.estimate <= found.high <= 1


def test_scores_without_a_difference():
    """No object tells the systems apart: the interval is that of n pairs, z²/(n + z²) to either
    side."""
    found = relevant_only(30, 0, 0, 10).difference_interval("recall", method="tango")
    end = 1.959963984540054**2 / (40 + 1.959963984540054**2)
    assert (found.low, found.high) == pytest.approx((-end, end), abs=1e-14)
    every = relevant_only(0, 12, 0, 0).difference_interval("recall", method="tango")
    assert every.high == 1
    assert 0.5 < every.low < 1


@pytest.mark.parametrize("method", ["posterior", "newcombe", "tango"])
def test_one_sided_intervals(method):
    pairs = irb.PairedCounts(USUAL)
    both = pairs.difference_interval("recall", 1.0, 0.9, method)
    lower = pairs.difference_interval("recall", 1.0, 0.95, method, side="lower")
    upper = pairs.difference_interval("recall", 1.0, 0.95, method, side="upper")
    assert (lower.low, lower.high) == (pytest.approx(both.low), 1)
    assert (upper.low, upper.high) == (-1, pytest.approx(both.high))
    less = pairs.difference_interval("recall", 1.0, 0.05, method, side="lower")
    assert less.low == pytest.approx(both.high, abs=1e-9)


@pytest.mark.long
@pytest.mark.parametrize(
    ("table", "measure", "beta"),
    [(USUAL, "f", 1), (EMPTY, "precision", 1), (SMALL, "f", 2), (FAULT, "f", 1)],
)
def test_posterior_intervals_hold_what_they_say(table, measure, beta):
    found = irb.PairedCounts(table).difference_interval(measure, beta)
    values = draws(table, 200_000)["f2" if beta == 2 else measure]
    assert (values < found.low).mean() == pytest.approx(0.025, abs=0.0025)
    assert (values > found.high).mean() == pytest.approx(0.025, abs=0.0025)
    assert found.engine == "quasi-monte-carlo"
    assert max(found.standard_error) < 2e-3
    ends = (
        irb.PairedCounts(table).prob_superior(measure, beta, end).probability
        for end in (found.high, found.low)
    )
    assert list(ends) == pytest.approx([0.025, 0.975], abs=1e-4)


def test_posterior_intervals_of_proportions():
    pairs = irb.PairedCounts(USUAL)
    found = pairs.difference_interval("recall")
    assert found.engine == "exact"
    assert found.estimate == pytest.approx(4 / 105)
    ends = (
        pairs.prob_superior("recall", margin=end).probability for end in (found.high, found.low)
    )
    assert list(ends) == pytest.approx([0.025, 0.975], abs=1e-9)


def test_docstrings_say_what_was_measured():
    page = Path(__file__).parents[2] / "benchmarks" / "results" / "coverage.toml"
    if not page.exists():
        pytest.skip("needs the source tree")
    asked = tomllib.loads(page.read_text("utf-8"))["paired_counts"]
    least = {
        name.partition(",")[0]: numbers[0] for name, numbers in asked["a paired difference"].items()
    }
    text = " ".join(irb.PairedCounts.difference_interval.__doc__.split())
    for name, words in (
        ("posterior: F1", "{} to 1 for F_1"),
        ("posterior: precision", "{} to 1 for precision"),
        ("posterior: accuracy", "{} to 1 for accuracy"),
        ("posterior: recall", "{} to 1 for recall"),
    ):
        assert words.format(f"{least[name]:.3f}") in text
    for method in ("newcombe", "tango"):
        value = min(least[f"{method}: {measure}"] for measure in ("accuracy", "recall"))
        assert f"{value:.3f} to 1" in text.split(method.title())[-1]
    tests = asked["McNemar's tests"]
    most = max(numbers[0] for name, numbers in tests.items() if name.startswith("mid-p"))
    assert f"at most {100 * most:.1f} % at 5 %" in " ".join(
        irb.PairedCounts.mcnemar.__doc__.split()
    )
