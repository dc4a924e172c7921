"""Two systems on the same objects: intervals on differences, and tests."""

import tomllib
from pathlib import Path

import mpmath
import numpy as np
import pytest
from pairs import EMPTY, FAULT, SMALL, USUAL, draws

import irbounds as irb
from irbounds.counts.paired_measures import MEASURES
from irbounds.counts.square_and_add import OUTWARD
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


@pytest.mark.parametrize("method", ["mover", "posterior", "newcombe", "tango"])
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
    found = irb.PairedCounts(table).difference_interval(measure, beta, method="posterior")
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
    found = pairs.difference_interval("recall", method="posterior")
    assert found.engine == "exact"
    assert found.estimate == pytest.approx(4 / 105)
    ends = (
        pairs.prob_superior("recall", margin=end).probability for end in (found.high, found.low)
    )
    assert list(ends) == pytest.approx([0.025, 0.975], abs=1e-9)


# The default: from the intervals of both systems ----------------------------------------------


def random_tables(rng, count):
    """Tables of few and of many objects, systems alike and far apart, many cells empty."""
    means = 10 ** rng.uniform(-1, 2.5, (count, 2, 2, 2)) * (rng.random((count, 2, 2, 2)) < 0.7)
    return rng.poisson(means)


@pytest.mark.long
@pytest.mark.parametrize("measure", ["precision", "recall", "f"])
def test_the_default_against_its_twin(measure):
    tables = random_tables(np.random.default_rng(5), 5)
    # one distance far longer than the other, and a high correlation
    tables[:2] = [[[260, 0], [0, 1]], [[0, 0], [212, 25]]], [[[9, 1], [0, 0]], [[2, 5], [0, 0]]]
    found = irb.PairedCounts(tables).difference_interval(measure, confidence_level=0.9)
    for i in np.flatnonzero(~np.isnan(found.estimate)):
        ends = slow.recovered(tables[i], measure, 0.9, OUTWARD)
        assert (found.low[i], found.high[i]) == pytest.approx(ends, abs=1e-8)


def test_the_default_holds_its_estimate_in_arrays_of_tables():
    tables = random_tables(np.random.default_rng(6), 1000)
    pairs, back = irb.PairedCounts(tables), irb.PairedCounts(tables.swapaxes(-1, -2))
    for measure, beta in [*((name, 1.0) for name in MEASURES), ("f", 2.0)]:
        some = pairs if beta == 1 else pairs[:100]
        for level in (0.01, 0.95, 0.999999):
            found = some.difference_interval(measure, beta, level)
            known = ~np.isnan(found.estimate)
            assert ((found.low <= found.estimate) & (found.estimate <= found.high))[known].all()
            assert ((found.low >= -1) & (found.high <= 1) & (found.low <= found.high)).all()
        other = back[: len(some.table)].difference_interval(measure, beta, level)
        assert -other.high == pytest.approx(found.low, abs=1e-9)
        for i in (0, 1):
            alone = some[i].difference_interval(measure, beta, level)
            assert (alone.low, alone.high) == (found.low[i], found.high[i])


def test_the_default_changes_little_with_beta():
    """F is precision with β near 0 and recall with a large one; objects may be fractions."""
    pairs = irb.PairedCounts(np.array(USUAL) / 3)
    for beta, near, other in (
        (1e-4, pairs.difference_interval("precision"), 1e-140),
        (1e4, pairs.difference_interval("recall"), 1e140),
        (1 + 1e-7, pairs.difference_interval("f"), 1.0),
    ):
        for each in (beta, other):
            found = pairs.difference_interval("f", each)
            assert (found.low, found.high) == pytest.approx((near.low, near.high), abs=1e-6)


def test_systems_that_agreed_on_all_objects():
    """n objects without a difference: ±z² sqrt(2/3)/n to first order."""
    found = relevant_only(3000, 0, 0, 2000).difference_interval("recall")
    end = 3.8415 * (2 / 3) ** 0.5 / 5000
    assert (found.low, found.high) == pytest.approx((-end, end), rel=0.01)


def test_systems_far_apart_with_few_relevant_objects():
    """5 of 5 relevant objects against 0 of 5: the observed difference, 1, was outside of its
    interval, [0.196, 0.977], in up to 0.66 of the tables of such designs."""
    few = irb.PairedCounts([[[44, 1], [0, 0]], [[0, 0], [5, 0]]])
    found = few.difference_interval("recall")
    assert (found.estimate, found.high) == (1, 1)
    assert 0.1 < found.low < 0.25
    for measure in MEASURES:
        each = few.difference_interval(measure)
        assert each.low <= each.estimate <= each.high
    assert few.difference_interval("recall", method="posterior").high == 1


def far_apart(n, prevalence, a, b, false_a, false_b, dependence):
    """Chances of the cells of n objects: `dependence` 0 is none, 1 the most alike labels, -1 the
    least alike."""
    chances = np.empty((2, 2, 2))
    for truth, share, p, q in ((1, prevalence, a, b), (0, 1 - prevalence, false_a, false_b)):
        end = min(p, q) if dependence > 0 else max(0.0, p + q - 1)
        both = (1 - abs(dependence)) * p * q + abs(dependence) * end
        chances[truth] = share * np.array([[1 - p - q + both, q - both], [p - both, both]])
    return n, np.maximum(chances, 0)


@pytest.mark.parametrize(
    ("design", "former"),
    [
        ((50, 0.1, 0.95, 0.05, 0.01, 0.01, 0), "posterior of recall 0.81"),
        ((1000, 0.005, 0.9, 0.1, 0.01, 0.01, 1), "posterior of recall 0.87"),
        ((200, 0.03, 0.9, 0.05, 0.01, 0.01, 0), "posterior of precision 0.66, of F 0.78"),
        ((500, 0.5, 0.95, 0.1, 0.0005, 0.0005, 1), "precision by the published formula 0.88"),
        ((64, 0.0083, 0.725, 0.309, 0.008, 0.008, -1), "recall by Newcombe 0.90"),
        ((1000, 0.13, 0.02, 0.02, 0.0125, 0.0148, 1), "accuracy with half an object more 0.88"),
    ],
)
def test_coverage_where_systems_are_far_apart(design, former):
    n, chances = far_apart(*design)
    tables = np.random.default_rng(1).multinomial(n, chances.ravel(), 2000).reshape(-1, 2, 2, 2)
    truth, pairs = irb.PairedCounts(chances), irb.PairedCounts(tables)
    for measure in MEASURES:
        found, true = pairs.difference_interval(measure), truth.difference(measure)
        covered = (found.low <= true + 1e-9) & (found.high >= true - 1e-9)
        assert covered.mean() >= 0.935, (measure, former)  # three standard errors below the level


def test_the_page_says_what_was_measured():
    """The table of `docs/how_we_chose.md` has the rows of benchmarks/results/coverage.toml."""
    root = Path(__file__).parents[2]
    if not (root / "benchmarks").is_dir():
        pytest.skip("needs the source tree")
    asked = tomllib.loads((root / "benchmarks" / "results" / "coverage.toml").read_text("utf-8"))
    page = (root / "docs" / "how_we_chose.md").read_text("utf-8")
    rows = {
        **asked["paired_counts"]["a paired difference"],
        **asked["paired_counts"]["other methods for a paired difference"],
    }
    for method in ("mover", "posterior", "newcombe", "tango"):
        cells = []
        for measure in ("recall", "precision", "F1"):
            found = [
                numbers[0]
                for name, numbers in rows.items()
                if name.startswith(f"{method}: {measure}, ") and "random" in name
            ]
            cells += [f"{each:.3f}" for each in found] or ["--"]
        assert f"| {method} | {' | '.join(cells)} |" in page
